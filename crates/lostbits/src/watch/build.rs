//! The program to watch: one that was built for mode `watch`, or sources that are compiled for it now.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::mode::Mode;

use super::options::Target;
use crate::{
    compile,
    failure::Failure,
    tables::{self, TableError},
    toolchain::{Compiler, on_path},
};

/// The program's name or path; what is compiled is put in `folder`.
pub fn program(target: &Target, folder: &Path) -> Result<OsString, Failure> {
    match target {
        Target::Program(name) => check_mode(name).map(|()| name.clone()),
        Target::Sources {
            compiler,
            arguments,
        } => compiled(*compiler, arguments, folder).map(PathBuf::into_os_string),
    }
}

/// A program that cannot be found is for the run to explain.
fn check_mode(name: &OsStr) -> Result<(), Failure> {
    let Some(path) = on_path(name) else {
        return Ok(());
    };
    let tables = match tables::of_file(&path) {
        Ok(tables) => tables,
        Err(TableError::NotElf) => Vec::new(),
        Err(error) => return Err(error.about(&path)),
    };
    match tables.iter().find(|table| table.mode != Mode::Watch) {
        Some(table) => Err(Failure::BuiltForOtherMode {
            path,
            built_for: table.mode,
        }),
        None if tables.is_empty() => Err(Failure::NotBuiltForWatch { path }),
        None => Ok(()),
    }
}

/// Compiles and links. The compiler's own words go where it sends them; its standard output is kept
/// out of the program's.
fn compiled(compiler: Compiler, arguments: &[OsString], folder: &Path) -> Result<PathBuf, Failure> {
    let executable = folder.join(name(arguments));
    let mut words: Vec<OsString> = arguments.to_vec();
    words.push(format!("--lostbits-mode={}", Mode::Watch.name()).into());
    words.extend(["-o".into(), executable.clone().into_os_string()]);
    // C's mathematics is a library of its own; the other compilers link it unasked.
    words.extend((compiler == Compiler::C).then(|| "-lm".into()));
    let mut command: Command = compile::command(compiler, words)?;
    let cannot_start = |error| Failure::CannotStart {
        program: compiler.program().into(),
        error,
    };
    let output = command
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(cannot_start)?;
    if !output.success() {
        return Err(Failure::CompilerFailed {
            compiler: compiler.program(),
        });
    }
    if !crate::toolchain::is_executable(&executable) {
        return Err(Failure::CompiledToNoProgram {
            compiler: compiler.program(),
        });
    }
    Ok(executable)
}

/// The program is called as its first source, for what it says of itself.
fn name(arguments: &[OsString]) -> OsString {
    let source = arguments
        .iter()
        .find(|word| !word.to_string_lossy().starts_with('-'));
    let stem = source.and_then(|source| Path::new(source).file_stem());
    stem.unwrap_or(OsStr::new("program")).to_owned()
}
