//! `lostbits generate`: completions for shells and man pages, from the definition of the options themselves.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Command, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::{
    failure::Failure,
    output::{self, Stream},
};

#[derive(Args)]
pub struct GenerateArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Print completions for a shell
    Completions {
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write man pages, one for each command
    Man {
        /// The folder that gets them; it is created
        folder: PathBuf,
    },
}

pub fn generate(arguments: GenerateArguments, mut line: Command) -> Result<ExitCode, Failure> {
    match arguments.what {
        What::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut line, "lostbits", &mut script);
            output::print(Stream::Output, &String::from_utf8_lossy(&script));
        }
        What::Man { folder } => write_pages(&folder, line)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_pages(folder: &Path, mut line: Command) -> Result<(), Failure> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| Failure::CannotWrite { path, error }
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    line.build();
    let commands = line
        .get_subcommands()
        .filter(|one| !one.is_hide_set() && one.get_name() != "help");
    let pages = std::iter::once(("lostbits".to_owned(), line.clone())).chain(commands.map(|one| {
        let name = format!("lostbits-{}", one.get_name());
        (name, one.clone())
    }));
    for (name, command) in pages {
        let path = folder.join(format!("{name}.1"));
        let mut page = Vec::new();
        Man::new(command)
            .title(&name)
            .render(&mut page)
            .map_err(failed(&path))?;
        fs::write(&path, page).map_err(failed(&path))?;
    }
    Ok(())
}
