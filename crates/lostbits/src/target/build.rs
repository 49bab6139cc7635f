//! From what the user names to a library that can be called: a source is compiled, a library checked.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use lostbits_abi::mode::Mode;

use super::{
    close_names::close_names,
    rust_crate,
    signature::{self, Functions, Language},
    stub::{self, ResolvedCall},
};
use crate::{
    failure::Failure, inputs::Initializer, subject::run_compiler, tables, toolchain::Compiler,
};

/// What is searched.
pub enum Source {
    /// Sources of one language, with the compiler's options around them.
    File {
        compiler: Compiler,
        words: Vec<OsString>,
    },
    /// C that lostbits wrote, for example for an expression.
    Text(String),
    /// A shared library that was built for mode `search`.
    Library(PathBuf),
    /// The folder of a Rust crate.
    Crate(PathBuf),
}

pub struct Library {
    pub path: PathBuf,
    pub mode: Mode,
    /// Functions of a crate that cannot be called, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// Replaced in compiler options by the mode of the build, so that each build finds its own libraries.
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
        Source::File { compiler, words } => compiled(*compiler, words, folder, mode),
        Source::Crate(folder) => {
            let wrapped = rust_crate::library(folder, mode)?;
            Ok(Library {
                path: wrapped.library,
                mode,
                skipped: wrapped.skipped,
            })
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
                None => Ok(Library::new(path, mode)),
            }
        }
    }
}

/// Vectors would only have to be taken apart again; what is computed is the same.
const NO_VECTORS: [&str; 2] = ["-fno-vectorize", "-fno-slp-vectorize"];
/// Rust's standard library needs them.
const UNDER_RUST: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

fn compiled(
    compiler: Compiler,
    words: &[OsString],
    folder: &Path,
    mode: Mode,
) -> Result<Library, Failure> {
    let path = folder.join(format!("subject-{}.so", mode.name()));
    let words: Vec<OsString> = words.iter().map(|word| of_mode(word, mode)).collect();
    let mut linked = ["-g", "-fPIC", "-shared"].map(OsString::from).to_vec();
    let driver = match compiler {
        Compiler::Rust => {
            let archive = rust_archive(&words, mode, folder)?;
            linked.push("-Wl,--whole-archive".into());
            linked.push(archive.into_os_string());
            linked.push("-Wl,--no-whole-archive".into());
            linked.extend(UNDER_RUST.map(OsString::from));
            Compiler::C
        }
        other => {
            linked.extend(NO_VECTORS.map(OsString::from));
            let is_folder_of_modules = |word: &OsString| {
                let word = word.to_string_lossy();
                word.starts_with("-J") || word == "-module-dir"
            };
            if other == Compiler::Fortran && !words.iter().any(is_folder_of_modules) {
                // Module files of an analysis stay out of the user's folder.
                linked.extend(["-J".into(), folder.as_os_str().to_owned()]);
            }
            linked.extend(words);
            other
        }
    };
    if mode == Mode::Symbolic {
        // Fused, no additions would be left to check.
        linked.push("-ffp-contract=off".into());
    }
    linked.extend(["-o".into(), path.clone().into_os_string(), "-lm".into()]);
    run_compiler(driver, linked, mode, &Vec::new())?;
    Ok(Library::new(path, mode))
}

/// A Rust source as an archive that C can link: what is exported is what its author exported.
pub fn rust_archive(words: &[OsString], mode: Mode, folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join(format!("libsubject-{}.a", mode.name()));
    let mut all = words.to_vec();
    all.extend(
        [
            "--crate-type=staticlib",
            "-g",
            "-Cno-vectorize-loops",
            "-Cno-vectorize-slp",
            "-Cpanic=abort",
        ]
        .map(OsString::from),
    );
    all.extend(["-o".into(), path.clone().into_os_string()]);
    run_compiler(Compiler::Rust, all, mode, &Vec::new())?;
    Ok(path)
}

fn of_mode(word: &OsStr, mode: Mode) -> OsString {
    match word.to_str() {
        Some(text) => text.replace(MODE_MARK, mode.name()).into(),
        None => word.to_owned(),
    }
}

impl Library {
    fn new(path: PathBuf, mode: Mode) -> Library {
        Library {
            path,
            mode,
            skipped: Vec::new(),
        }
    }

    /// The signatures of these functions.
    pub fn functions(&self, wanted: &[&str]) -> Result<Functions, Failure> {
        let functions = signature::read(&self.path, wanted).ok_or_else(|| Failure::NotElf {
            path: self.path.clone(),
        })?;
        for name in wanted {
            self.check(name, &functions)?;
        }
        Ok(functions)
    }

    /// The signatures of all functions that can be called from outside.
    pub fn all_functions(&self) -> Result<Functions, Failure> {
        signature::read_all(&self.path).ok_or_else(|| Failure::NotElf {
            path: self.path.clone(),
        })
    }

    /// Whether a function can be called.
    fn check(&self, name: &str, functions: &Functions) -> Result<(), Failure> {
        let is_exported = |name: &str| functions.exported.iter().any(|known| known == name);
        let function = name.to_owned();
        match functions.by_name.get(name) {
            Some(found) if found.is_callable() && is_exported(&found.symbol) => Ok(()),
            Some(found) => Err(Failure::NotExported {
                function,
                advice: found.language.how_to_export(),
            }),
            None if functions.ambiguous.contains_key(name) => Err(Failure::SeveralFunctions {
                function,
                symbols: functions.ambiguous[name].join(", "),
            }),
            None if is_exported(name) => Err(Failure::NoSignature {
                function,
                path: self.path.clone(),
            }),
            None => {
                let is_readable =
                    |name: &&String| !name.starts_with("_R") && !name.starts_with("_Z");
                // Most names of Rust's own library cannot be called from outside.
                let plain: &[String] = if functions.has_rust {
                    &[]
                } else {
                    &functions.plain
                };
                let names = functions.exported.iter().chain(plain);
                let names: Vec<String> = names.filter(is_readable).cloned().collect();
                let close = close_names(name, &names);
                match functions.has_rust && close.is_empty() {
                    true => Err(Failure::NotExported {
                        function,
                        advice: Language::Rust.how_to_export(),
                    }),
                    false => Err(Failure::NoSuchFunction { function, close }),
                }
            }
        }
    }

    /// Compiles the stubs for calls; the file that can be loaded.
    pub fn stubs(
        &self,
        resolved_calls: &[ResolvedCall],
        init: &[Initializer],
        folder: &Path,
    ) -> Result<PathBuf, Failure> {
        let name = self.mode.name();
        let source = folder.join(format!("stubs-{name}.c"));
        let stubs = folder.join(format!("stubs-{name}.so"));
        let marks_numbers = self.mode == Mode::Symbolic;
        fs::write(&source, stub::source(resolved_calls, init, marks_numbers)).map_err(|error| {
            Failure::CannotWrite {
                path: source.clone(),
                error,
            }
        })?;
        // A `pow` of the library's own is called as it is, not replaced by a product.
        let mut words: Vec<OsString> = ["-O1", "-fno-builtin", "-w", "-fPIC", "-shared", "-o"]
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
        run_compiler(Compiler::C, words, mode, &Vec::new())?;
        Ok(stubs)
    }
}
