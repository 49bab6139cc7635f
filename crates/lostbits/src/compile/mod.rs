//! `lostbits cc`, `c++`, `fc`, `rustc`: the compiler with pass and runtime added.
//!
//! The mode is taken off the arguments, a scan says what the invocation does, the parts it needs are
//! found and checked, then the compiler replaces this process: its exit code is ours.

mod clang;
mod inputs;
pub mod log;
mod mode;
mod mpi;
mod objects;
mod response;
mod rustc;
mod scan;

use std::{
    convert::Infallible,
    env,
    ffi::OsString,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use lostbits_abi::{
    explain::WRAP_ENV,
    functions,
    mode::{Mode, PASS_MODE_ENV},
    variables,
};

use crate::{
    config,
    failure::Failure,
    toolchain::{Compiler, Part},
};
use clang::Parts;
use response::Syntax;

/// Exported from an executable, so that instrumented libraries it loads later share its runtime and
/// its slots for shadows that cross calls.
const EXPORTED_SYMBOLS: &str = "__lostbits*";

/// Found by name in a library that is searched. Nothing in the library calls them, so a linker that drops unused
/// sections (rustc's for a `cdylib`) would drop them.
const FOUND_BY_NAME: &[&str] = &[
    variables::SEARCH_TRACE.symbol,
    variables::SYMBOLIC_GRAPH.symbol,
    functions::SEARCH_MODULES.symbol,
    functions::SYMBOLIC_INPUT.symbol,
    functions::SYMBOLIC_OUTPUT.symbol,
];

/// Linker options that keep them.
fn kept_symbols() -> impl Iterator<Item = String> {
    FOUND_BY_NAME
        .iter()
        .map(|name| format!("-Wl,--undefined={name}"))
}

/// What the runtime object needs beside what every compiler links.
const RUNTIME_LIBRARIES: &[&str] = &["-lpthread", "-ldl", "-lc"];

/// Replaces this process by the compiler; returns only with the reason why it could not.
pub fn compile(compiler: Compiler, arguments: Vec<OsString>) -> Result<Infallible, Failure> {
    let mut command = command(compiler, arguments)?;
    let error = command.exec();
    let program = command.get_program().into();
    Err(Failure::CannotStart { program, error })
}

/// The compiler's command, with what lostbits adds.
pub fn command(compiler: Compiler, arguments: Vec<OsString>) -> Result<Command, Failure> {
    let environment_mode = env::var_os(mode::VARIABLE);
    let (mode, mut arguments) = mode::take(arguments, environment_mode.as_deref())?;
    let wrapped = match compiler {
        Compiler::Rust => rustc::wrapped_compiler(&mut arguments),
        _ => None,
    };
    let program = wrapped.map_or_else(|| compiler.find(), Ok)?;
    if compiler == Compiler::Fortran {
        arguments.retain(|word| !word.to_str().is_some_and(is_of_gfortran));
    }
    match compiler {
        Compiler::Rust => rustc_command(&program, arguments, mode),
        _ => clang_command(compiler, &program, arguments, mode),
    }
}

fn clang_command(
    compiler: Compiler,
    program: &Path,
    arguments: Vec<OsString>,
    mode: Mode,
) -> Result<Command, Failure> {
    let words = for_scan(&arguments, Syntax::Words);
    let invocation = scan::scan(&words);
    let mut arguments = arguments;
    if compiler == Compiler::Fortran
        && let Some(folder) = mpi::headers::folder(program, &words)?
    {
        arguments.insert(0, clang::join("-I", &folder));
    }
    if invocation.links {
        objects::check(&invocation, mode)?;
    }
    if mode == Mode::Off || invocation.is_untouched() {
        let mut command = plain_command(program, arguments);
        // Annotations must compile with the plain compiler, too, and do nothing there.
        if let Some(folder) = headers().filter(|_| compiler != Compiler::Fortran) {
            command.env("C_INCLUDE_PATH", with_folder("C_INCLUDE_PATH", &folder));
            command.env(
                "CPLUS_INCLUDE_PATH",
                with_folder("CPLUS_INCLUDE_PATH", &folder),
            );
        }
        return Ok(command);
    }
    let (plugin, runtime) = find_parts(mode, invocation.compiles, invocation.links)?;
    log::append(
        compiler,
        mode,
        invocation.compiles,
        invocation.links,
        &words,
    );
    let parts = Parts {
        plugin: plugin.as_deref(),
        runtime: runtime.as_deref(),
        variables: names_variables(mode),
    };
    if invocation.links
        && !invocation.shared
        && let Some(layer) = mpi::layer(&for_scan(&arguments, Syntax::Words))?
    {
        // First: its functions come before those of MPI.
        arguments.splice(0..0, [OsString::from("-Xlinker"), layer]);
    }
    let arguments = clang::arguments(compiler, arguments, &invocation, &parts)?;
    let mut command = plain_command(program, arguments);
    command.env(PASS_MODE_ENV, mode.name());
    pass_wraps(&mut command, mode)?;
    Ok(command)
}

/// Flags that MPI's compiler wrappers pass for gfortran, that flang refuses, and that change no result.
fn is_of_gfortran(word: &str) -> bool {
    const FLAGS: [&str; 3] = [
        "-fallow-argument-mismatch",
        "-fallow-invalid-boz",
        "-fstack-protector-strong",
    ];
    FLAGS.contains(&word) || word.starts_with("-ffile-prefix-map=")
}

/// Whether reports of the mode name variables.
fn names_variables(mode: Mode) -> bool {
    matches!(mode, Mode::Explain | Mode::ExplainReals)
}

/// Passes the wrapped functions of `lostbits.toml` to the pass, unless the environment names some already.
fn pass_wraps(command: &mut Command, mode: Mode) -> Result<(), Failure> {
    let knows = matches!(mode, Mode::Explain | Mode::ExplainReals);
    if knows && env::var_os(WRAP_ENV).is_none() {
        command.env(WRAP_ENV, config::written(&config::wraps()?));
    }
    Ok(())
}

/// The folder of `lostbits.h`, if it is there.
fn headers() -> Option<PathBuf> {
    let plugin = Part::Plugin.find().ok()?;
    let folder = plugin.parent()?.join(clang::HEADERS);
    folder.is_dir().then_some(folder)
}

/// A list of folders in the environment, with one more at its end.
fn with_folder(variable: &str, folder: &Path) -> OsString {
    let mut folders = env::var_os(variable)
        .filter(|list| !list.is_empty())
        .unwrap_or_default();
    if !folders.is_empty() {
        folders.push(":");
    }
    folders.push(folder);
    folders
}

fn rustc_command(program: &Path, arguments: Vec<OsString>, mode: Mode) -> Result<Command, Failure> {
    let words = for_scan(&arguments, Syntax::Lines);
    let invocation = rustc::scan(&words);
    if invocation.links {
        objects::check_versions(&invocation.crates)?;
    }
    if mode == Mode::Off || invocation.is_untouched() {
        return Ok(plain_command(program, arguments));
    }
    let (plugin, runtime) = find_parts(mode, invocation.compiles, invocation.links)?;
    let compiles = invocation.compiles;
    log::append(Compiler::Rust, mode, compiles, invocation.links, &words);
    let parts = Parts {
        plugin: plugin.as_deref(),
        runtime: runtime.as_deref(),
        variables: names_variables(mode),
    };
    let arguments = rustc::arguments(arguments, &invocation, &parts)?;
    let mut command = plain_command(program, arguments);
    command.env(PASS_MODE_ENV, mode.name());
    pass_wraps(&mut command, mode)?;
    // Plugins are an unstable option of rustc; its own code stays as it is.
    command.env("RUSTC_BOOTSTRAP", "1");
    Ok(command)
}

fn for_scan(arguments: &[OsString], syntax: Syntax) -> Vec<String> {
    let words: Vec<String> = arguments
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    response::expand(&words, syntax)
}

fn find_parts(
    mode: Mode,
    compiles: bool,
    links: bool,
) -> Result<(Option<PathBuf>, Option<PathBuf>), Failure> {
    let plugin = compiles.then(|| Part::Plugin.find()).transpose()?;
    let runtime = links.then(|| Part::runtime_of(mode).find()).transpose()?;
    Ok((plugin, runtime))
}

fn plain_command(program: &Path, arguments: Vec<OsString>) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
