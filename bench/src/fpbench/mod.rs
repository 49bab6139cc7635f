//! FPBench's cores as programs: their true errors, and what `lostbits explain` reports.
//!
//! The truth comes from [`truth`]: the compiled plain program against the core in exact arithmetic, which share
//! neither code nor method with the instrumentation. [`explained`] runs the command, [`cause`] puts a reported
//! root cause to the test. [`price`] measures what it costs.

pub mod cause;
pub mod error;
pub mod explained;
pub mod price;
pub mod truth;

mod timed;

use std::{
    fs,
    path::{Path, PathBuf},
};

use lostbits::fpcore::{
    Core,
    c::{self, Function},
    read_cores,
};

/// How programs are compiled, plain and instrumented.
pub const FLAGS: [&str; 4] = ["-O2", "-g", "-ffp-contract=off", "-lm"];

/// One core and the program made from it.
pub struct Subject {
    pub file: String,
    pub core: Core,
    pub function: Function,
    pub source: PathBuf,
}

impl Subject {
    pub fn name(&self) -> String {
        self.core.name().unwrap_or_else(|| "?".to_owned())
    }
}

/// All cores of a folder's files, their programs written to another.
pub fn subjects(cores: &Path, programs: &Path) -> Result<Vec<Subject>, String> {
    let mut files: Vec<PathBuf> = fs::read_dir(cores)
        .map_err(|error| {
            format!(
                "{} cannot be read ({error}): give the folder of FPBench's cores with --cores",
                cores.display()
            )
        })?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "fpcore")
        })
        .collect();
    files.sort();
    fs::create_dir_all(programs)
        .map_err(|error| format!("{} cannot be made: {error}", programs.display()))?;
    let mut subjects = Vec::new();
    for path in files {
        let file = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let source = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let cores = read_cores(&source).map_err(|error| format!("{file}: {error}"))?;
        for (number, core) in cores.into_iter().enumerate() {
            let named = |error| format!("{file} {}: {error}", core.name().unwrap_or_default());
            let function = c::function(&core, None).map_err(named)?;
            let text = c::program(&function).map_err(named)?;
            let source = programs.join(format!("{file}-{}.c", number + 1));
            fs::write(&source, text).map_err(|error| format!("{}: {error}", source.display()))?;
            subjects.push(Subject {
                file: file.clone(),
                core,
                function,
                source,
            });
        }
    }
    Ok(subjects)
}
