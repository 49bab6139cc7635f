//! From what the user names to a library that can be called: a source is compiled, a library checked.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::mode::Mode;

use super::{
    signature::{self, Functions},
    stub::{self, Bound},
};
use crate::{compile, failure::Failure, tables, toolchain::Compiler};

/// What is to be searched.
pub enum Source {
    /// A C or C++ file, with the compiler's options around it.
    File {
        compiler: Compiler,
        words: Vec<OsString>,
    },
    /// C that was written for the purpose (an expression, say).
    Text(String),
    /// A shared library that was built for mode `search`.
    Library(PathBuf),
}

pub struct Library {
    pub path: PathBuf,
    pub mode: Mode,
}

/// What stands in a compiler's words for the mode of the build, so that each build finds its own libraries.
pub const MODE_MARK: &str = "{mode}";

/// Compiles, or checks what is compiled already.
pub fn library(source: &Source, folder: &Path) -> Result<Library, Failure> {
    library_for(source, folder, Mode::Search)
}

/// As above, for another mode.
pub fn library_for(source: &Source, folder: &Path, mode: Mode) -> Result<Library, Failure> {
    match source {
        Source::Text(code) => {
            let path = folder.join("subject.c");
            fs::write(&path, code).map_err(|error| Failure::CannotWrite {
                path: path.clone(),
                error,
            })?;
            let words = vec![path.into_os_string(), "-O2".into()];
            let compiler = Compiler::C;
            library_for(&Source::File { compiler, words }, folder, mode)
        }
        Source::File { compiler, words } => {
            let path = folder.join(format!("subject-{}.so", mode.name()));
            let mut words: Vec<OsString> = words.iter().map(|word| of_mode(word, mode)).collect();
            // Vectors would only have to be taken apart again; what is computed is the same.
            words.extend(
                [
                    "-g",
                    "-fPIC",
                    "-shared",
                    "-fno-vectorize",
                    "-fno-slp-vectorize",
                ]
                .map(OsString::from),
            );
            if mode == Mode::Symbolic {
                // Fused, no additions would be left to check.
                words.push("-ffp-contract=off".into());
            }
            words.push(format!("--lostbits-mode={}", mode.name()).into());
            words.extend(["-o".into(), path.clone().into_os_string(), "-lm".into()]);
            run(compile::command(*compiler, words)?, *compiler)?;
            Ok(Library { path, mode })
        }
        Source::Library(path) => {
            let path = PathBuf::from(of_mode(path.as_os_str(), mode));
            let path = path.canonicalize().map_err(|error| Failure::CannotRead {
                path: path.clone(),
                error,
            })?;
            let tables = tables::of_file(&path).map_err(|error| error.about(&path))?;
            match tables.iter().find(|table| table.mode != mode) {
                Some(table) => Err(Failure::LibraryForOtherMode {
                    path,
                    built_for: table.mode,
                }),
                None if tables.is_empty() => Err(Failure::NotBuiltForSearch { path }),
                None => Ok(Library { path, mode }),
            }
        }
    }
}

fn of_mode(word: &OsStr, mode: Mode) -> OsString {
    match word.to_str() {
        Some(text) => text.replace(MODE_MARK, mode.name()).into(),
        None => word.to_owned(),
    }
}

impl Library {
    /// What it says of these functions.
    pub fn functions(&self, wanted: &[&str]) -> Result<Functions, Failure> {
        let functions = signature::read(&self.path, wanted).ok_or_else(|| Failure::NotElf {
            path: self.path.clone(),
        })?;
        for name in wanted {
            if functions.by_name.contains_key(*name) {
                continue;
            }
            if functions.exported.iter().any(|known| known == name) {
                return Err(Failure::NoSignature {
                    function: (*name).to_owned(),
                    path: self.path.clone(),
                });
            }
            return Err(Failure::NoSuchFunction {
                function: (*name).to_owned(),
                close: signature::close_names(name, &functions.exported),
            });
        }
        Ok(functions)
    }

    /// Compiles the stubs for calls; the file that can be loaded.
    pub fn stubs(
        &self,
        bounds: &[Bound],
        init: &[String],
        folder: &Path,
    ) -> Result<PathBuf, Failure> {
        let name = self.mode.name();
        let source = folder.join(format!("stubs-{name}.c"));
        let stubs = folder.join(format!("stubs-{name}.so"));
        let marks_numbers = self.mode == Mode::Symbolic;
        fs::write(&source, stub::source(bounds, init, marks_numbers)).map_err(|error| {
            Failure::CannotWrite {
                path: source.clone(),
                error,
            }
        })?;
        let mut words: Vec<OsString> = ["-O1", "-w", "-fPIC", "-shared", "-o"]
            .map(OsString::from)
            .into();
        words.extend([&stubs, &source, &self.path].map(|path| path.clone().into_os_string()));
        words.push(
            format!(
                "-Wl,-rpath,{}",
                self.path.parent().unwrap_or(Path::new(".")).display()
            )
            .into(),
        );
        // Where every value has a shadow, the stub hands them on.
        let mode = if self.mode == Mode::Search {
            Mode::Off
        } else {
            self.mode
        };
        words.push(format!("--lostbits-mode={}", mode.name()).into());
        run(compile::command(Compiler::C, words)?, Compiler::C)?;
        Ok(stubs)
    }
}

fn run(mut command: Command, compiler: Compiler) -> Result<(), Failure> {
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::from(std::io::stderr()))
        .status()
        .map_err(|error| Failure::CannotStart {
            program: compiler.program().into(),
            error,
        })?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::CompilerFailed {
            compiler: compiler.program(),
        })
    }
}
