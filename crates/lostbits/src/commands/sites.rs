//! `lostbits sites`: the instrumented operations of a file.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use crate::{destination::Destination, failure::Failure, report, tables};

#[derive(Args)]
pub struct SitesArguments {
    /// List loads, arguments, returns and lost shadows too
    #[arg(long)]
    all: bool,
    /// A program, object, shared library or archive
    file: PathBuf,
}

pub fn sites(arguments: SitesArguments) -> Result<ExitCode, Failure> {
    let path = arguments.file;
    let tables = tables::of_file(&path).map_err(|error| error.about(&path))?;
    if tables.is_empty() {
        return Err(Failure::NotInstrumented { path });
    }
    Destination::Output.write(&report::sites::table(&tables, arguments.all))?;
    Ok(ExitCode::SUCCESS)
}
