//! The program to run: one that was built for the mode, or sources that are compiled for it now.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::mode::Mode;

use super::{
    Code,
    fortran::{self, Ordered},
    is_script, kind_of_file, language,
};
use crate::{
    compile,
    failure::Failure,
    tables::{self, TableError},
    toolchain::{Compiler, on_path},
};

/// Environment variables for the pass, besides its mode.
pub type Settings = Vec<(&'static str, String)>;

/// The program's name or path; what is compiled is put in `folder`.
pub fn program(
    code: &Code,
    mode: Mode,
    settings: &Settings,
    folder: &Path,
) -> Result<OsString, Failure> {
    match code {
        Code::Program(name) => {
            match (on_path(name), kind_of_file(Path::new(name))) {
                (Some(path), _) => check_mode(&path, mode)?,
                (None, Some(kind)) => {
                    let path = name.into();
                    return Err(Failure::NotAProgram { path, kind, mode });
                }
                // The run reports a program that cannot be found.
                (None, None) => {}
            }
            Ok(name.clone())
        }
        Code::Sources {
            compiler,
            arguments,
        } => {
            let build = Build {
                driver: *compiler,
                mode,
                settings,
                folder,
            };
            build.program(arguments).map(PathBuf::into_os_string)
        }
    }
}

/// A program or library must have been built for the mode.
pub fn check_mode(path: &Path, mode: Mode) -> Result<(), Failure> {
    let tables = match tables::of_file(path) {
        Ok(tables) => tables,
        Err(TableError::NotElf) => Vec::new(),
        Err(error) => return Err(error.about(path)),
    };
    match tables.iter().find(|table| table.mode != mode) {
        Some(table) => Err(Failure::BuiltForOtherMode {
            path: path.to_owned(),
            built_for: table.mode,
            wanted: mode,
        }),
        None if tables.is_empty() && is_script(path) => Err(Failure::IsScript {
            path: path.to_owned(),
            mode,
        }),
        None if tables.is_empty() => Err(Failure::NotBuiltFor {
            path: path.to_owned(),
            mode,
        }),
        None => Ok(()),
    }
}

struct Build<'a> {
    /// The compiler that links.
    driver: Compiler,
    mode: Mode,
    settings: &'a Settings,
    folder: &'a Path,
}

impl Build<'_> {
    /// Compiles and links.
    fn program(&self, arguments: &[OsString]) -> Result<PathBuf, Failure> {
        let executable = self.folder.join(name(arguments));
        let Ordered {
            arguments,
            options,
            folder,
        } = fortran::ordered(arguments, self.folder);
        let mut words = self.with_objects(&arguments, &options, folder.as_deref())?;
        words.extend(
            options
                .into_iter()
                .filter(|_| self.driver == Compiler::Fortran),
        );
        words.extend(["-o".into(), executable.clone().into_os_string()]);
        // C's mathematics is a library of its own; the other compilers link it unasked.
        words.extend((self.driver == Compiler::C).then(|| "-lm".into()));
        self.run(self.driver, words, folder.as_deref())?;
        if !crate::toolchain::is_executable(&executable) {
            return Err(Failure::CompiledToNoProgram {
                compiler: self.driver.program(),
            });
        }
        Ok(executable)
    }

    /// The arguments, with objects for sources of languages that the driver does not compile.
    fn with_objects(
        &self,
        arguments: &[OsString],
        fortran_options: &[OsString],
        within: Option<&Path>,
    ) -> Result<Vec<OsString>, Failure> {
        let mut words = Vec::new();
        for (index, word) in arguments.iter().enumerate() {
            match language(word).filter(|compiler| !compiles(self.driver, *compiler)) {
                None => words.push(word.clone()),
                Some(compiler) => {
                    let object = self.folder.join(format!("{index}.o"));
                    let more = match compiler {
                        Compiler::Fortran => fortran_options,
                        _ => &[],
                    };
                    let options = arguments.iter().filter(|word| is_for_compiling(word));
                    let options: Vec<OsString> = options.chain(more).cloned().collect();
                    self.object(compiler, word, options, &object, within)?;
                    words.extend((self.driver == Compiler::Rust).then(|| "-Clink-arg=".into()));
                    match words.last_mut().filter(|_| self.driver == Compiler::Rust) {
                        Some(option) => option.push(&object),
                        None => words.push(object.into_os_string()),
                    }
                }
            }
        }
        Ok(words)
    }

    /// Compiles one source, with the options of the whole.
    fn object(
        &self,
        compiler: Compiler,
        source: &OsStr,
        options: Vec<OsString>,
        object: &Path,
        within: Option<&Path>,
    ) -> Result<(), Failure> {
        let mut words = options;
        words.extend(["-c".into(), source.to_owned(), "-o".into(), object.into()]);
        self.run(compiler, words, within)
    }

    fn run(
        &self,
        compiler: Compiler,
        words: Vec<OsString>,
        within: Option<&Path>,
    ) -> Result<(), Failure> {
        run_compiler_within(compiler, words, self.mode, self.settings, within)
    }
}

/// Runs a compiler for a mode. All its messages go to standard error: standard output belongs to the program.
pub fn run_compiler(
    compiler: Compiler,
    words: Vec<OsString>,
    mode: Mode,
    settings: &Settings,
) -> Result<(), Failure> {
    run_compiler_within(compiler, words, mode, settings, None)
}

/// The same in a folder.
fn run_compiler_within(
    compiler: Compiler,
    mut words: Vec<OsString>,
    mode: Mode,
    settings: &Settings,
    within: Option<&Path>,
) -> Result<(), Failure> {
    words.push(format!("--lostbits-mode={}", mode.name()).into());
    let no_file = no_file(&words);
    let mut command: Command = compile::command(compiler, words)?;
    let cannot_start = |error| Failure::CannotStart {
        program: compiler.program().into(),
        error,
    };
    if let Some(folder) = within {
        command.current_dir(folder);
    }
    let status = command
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(cannot_start)?;
    if status.success() {
        return Ok(());
    }
    compiler.check_choice()?;
    let compiler = compiler.program();
    match no_file {
        Some(word) => Err(Failure::CompilerFailedOnNoFile { compiler, word }),
        None => Err(Failure::CompilerFailed { compiler }),
    }
}

/// A word that is neither a file nor an option, nor may belong to the option before it.
fn no_file(words: &[OsString]) -> Option<String> {
    let is_option = |word: &OsStr| word.to_string_lossy().starts_with('-');
    let follows = |pair: &[OsString]| {
        (!is_option(&pair[0]) || is_complete(&pair[0].to_string_lossy())) && !is_option(&pair[1])
    };
    words
        .windows(2)
        .filter(|pair| follows(pair) && !Path::new(&pair[1]).exists())
        .map(|pair| pair[1].to_string_lossy().into_owned())
        .next()
}

/// Whether an option has its value with it, as `-lm` and `-O2` have.
fn is_complete(option: &str) -> bool {
    let joined = ["-l", "-O", "-g", "-f", "-W", "-I", "-L", "-D", "-std="];
    joined
        .iter()
        .any(|start| option.len() > start.len() && option.starts_with(start))
}

/// Whether a driver takes sources of another compiler's language itself.
fn compiles(driver: Compiler, other: Compiler) -> bool {
    driver == other || (driver == Compiler::Cxx && other == Compiler::C)
}

/// Options that clang, flang and rustc do not all understand would be refused by one of them; what is
/// for the linker is for the driver alone.
fn is_for_compiling(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    ["-O", "-g", "-D", "-I", "-m", "-f"]
        .iter()
        .any(|option| word.starts_with(option))
}

/// The program is called as its first source, for what it says of itself.
fn name(arguments: &[OsString]) -> OsString {
    let source = arguments
        .iter()
        .find(|word| !word.to_string_lossy().starts_with('-'));
    let stem = source.and_then(|source| Path::new(source).file_stem());
    stem.unwrap_or(OsStr::new("program")).to_owned()
}
