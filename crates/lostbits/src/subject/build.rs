//! The program to run: one that was built for the mode, or sources that are compiled for it now.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::mode::Mode;

use super::Subject;
use crate::{
    compile,
    failure::Failure,
    tables::{self, TableError},
    toolchain::{Compiler, on_path},
};

/// What the pass is told beside its mode, as environment variables.
pub type Settings = Vec<(&'static str, String)>;

/// The program's name or path; what is compiled is put in `folder`.
pub fn program(
    subject: &Subject,
    mode: Mode,
    settings: &Settings,
    folder: &Path,
) -> Result<OsString, Failure> {
    match subject {
        Subject::Program(name) => check_mode(name, mode).map(|()| name.clone()),
        Subject::Sources {
            compiler,
            arguments,
        } => {
            let command = command(*compiler, arguments, mode, folder)?;
            compiled(*compiler, command, settings, &executable(arguments, folder))
                .map(PathBuf::into_os_string)
        }
    }
}

/// A program that cannot be found is for the run to explain.
fn check_mode(name: &OsStr, mode: Mode) -> Result<(), Failure> {
    let Some(path) = on_path(name) else {
        return Ok(());
    };
    let tables = match tables::of_file(&path) {
        Ok(tables) => tables,
        Err(TableError::NotElf) => Vec::new(),
        Err(error) => return Err(error.about(&path)),
    };
    match tables.iter().find(|table| table.mode != mode) {
        Some(table) => Err(Failure::BuiltForOtherMode {
            path,
            built_for: table.mode,
            wanted: mode,
        }),
        None if tables.is_empty() => Err(Failure::NotBuiltFor { path, mode }),
        None => Ok(()),
    }
}

fn executable(arguments: &[OsString], folder: &Path) -> PathBuf {
    folder.join(name(arguments))
}

fn command(
    compiler: Compiler,
    arguments: &[OsString],
    mode: Mode,
    folder: &Path,
) -> Result<Command, Failure> {
    let mut words: Vec<OsString> = arguments.to_vec();
    words.push(format!("--lostbits-mode={}", mode.name()).into());
    words.extend(["-o".into(), executable(arguments, folder).into_os_string()]);
    // C's mathematics is a library of its own; the other compilers link it unasked.
    words.extend((compiler == Compiler::C).then(|| "-lm".into()));
    compile::command(compiler, words)
}

/// Compiles and links. The compiler's own words go where it sends them; its standard output is kept
/// out of the program's.
fn compiled(
    compiler: Compiler,
    mut command: Command,
    settings: &Settings,
    executable: &Path,
) -> Result<PathBuf, Failure> {
    let cannot_start = |error| Failure::CannotStart {
        program: compiler.program().into(),
        error,
    };
    let output = command
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(cannot_start)?;
    if !output.success() {
        return Err(Failure::CompilerFailed {
            compiler: compiler.program(),
        });
    }
    if !crate::toolchain::is_executable(executable) {
        return Err(Failure::CompiledToNoProgram {
            compiler: compiler.program(),
        });
    }
    Ok(executable.to_owned())
}

/// The program is called as its first source, for what it says of itself.
fn name(arguments: &[OsString]) -> OsString {
    let source = arguments
        .iter()
        .find(|word| !word.to_string_lossy().starts_with('-'));
    let stem = source.and_then(|source| Path::new(source).file_stem());
    stem.unwrap_or(OsStr::new("program")).to_owned()
}
