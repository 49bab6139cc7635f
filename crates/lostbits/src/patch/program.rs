//! The program that is repaired: built from its sources with one of them replaced, run, and explained.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    rc::Rc,
    time::Duration,
};

use lostbits_abi::{explain::Settings, mode::Mode};

use super::{
    locate::is_same,
    project::{Project, Within},
};
use crate::{
    destination::Destination,
    explain::{self, ExplainFormat, ExplainSubject, Explanation},
    failure::Failure,
    run,
    subject::{self, Code},
    toolchain::Compiler,
};

#[derive(Clone)]
pub struct Program {
    pub making: Making,
    pub arguments: Vec<OsString>,
    pub timeout: Option<Duration>,
    /// Whether results that are consistent with 0 count: the user says that a place is wrong.
    pub judges_zeros: bool,
}

/// How the program comes into being.
#[derive(Clone)]
pub enum Making {
    Sources {
        compiler: Compiler,
        /// The compiler's.
        words: Vec<OsString>,
    },
    Project {
        project: Rc<Project>,
        /// Sources of the user's folder with other texts.
        replaced: Vec<(PathBuf, String)>,
        /// Options for sources that were replaced for reading only.
        more: Vec<OsString>,
    },
}

/// What a native run printed, and how it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    pub text: String,
    pub code: Option<i32>,
}

impl Program {
    /// The sources among the words.
    pub fn sources(&self) -> Vec<PathBuf> {
        let Making::Sources { words, .. } = &self.making else {
            return Vec::new();
        };
        let sources = words.iter();
        let sources = sources.filter(|word| subject::language(word).is_some());
        sources.map(PathBuf::from).collect()
    }

    /// The user's source that a site names.
    pub fn source(&self, file: &Path) -> Option<PathBuf> {
        match &self.making {
            Making::Sources { .. } => self
                .sources()
                .into_iter()
                .find(|source| is_same(source, file)),
            Making::Project { project, .. } => project
                .own(file)
                .filter(|own| subject::language(own.as_os_str()).is_some()),
        }
    }

    /// What the compiler needs to read one source.
    pub fn options(&self, file: &Path) -> Vec<OsString> {
        match &self.making {
            Making::Sources { words, .. } => {
                let is_option = |word: &&OsString| subject::language(word).is_none();
                words.iter().filter(is_option).cloned().collect()
            }
            Making::Project { project, more, .. } => [project.options(file), more.clone()].concat(),
        }
    }

    /// The same program with a source replaced by another text, which is written to `folder`, too.
    pub fn with_source(&self, file: &Path, text: &str, folder: &Path) -> Result<Program, Failure> {
        let copy = folder.join(file.file_name().unwrap_or_default());
        fs::write(&copy, text).map_err(|error| Failure::CannotWrite {
            path: copy.clone(),
            error,
        })?;
        // What the source includes is beside the original.
        let home = file.parent().filter(|home| !home.as_os_str().is_empty());
        let home = home.unwrap_or(Path::new("."));
        let mut program = self.clone();
        match &mut program.making {
            Making::Sources { compiler, words } => {
                let wanted = fs::canonicalize(file).ok();
                for word in &mut *words {
                    if subject::language(word).is_some() && fs::canonicalize(&*word).ok() == wanted
                    {
                        *word = copy.clone().into_os_string();
                    }
                }
                match compiler {
                    Compiler::C | Compiler::Cxx => {
                        words.extend(["-iquote".into(), home.into(), "-w".into()]);
                    }
                    Compiler::Fortran => words.push({
                        let mut word = OsString::from("-I");
                        word.push(home);
                        word
                    }),
                    // What is no longer used is no fault of the author's.
                    Compiler::Rust => words.push("-Awarnings".into()),
                }
            }
            Making::Project { replaced, more, .. } => {
                replaced.retain(|(other, _)| other != file);
                replaced.push((file.to_owned(), text.to_owned()));
                *more = vec!["-iquote".into(), home.into()];
            }
        }
        Ok(program)
    }

    /// Builds without instrumentation and runs.
    pub fn output(&self) -> Result<Printed, Failure> {
        let folder = run::temporary_folder()?;
        let (program, _within) = match &self.making {
            Making::Sources { compiler, words } => {
                let code = Code::Sources {
                    compiler: *compiler,
                    arguments: words.clone(),
                };
                let program = subject::program(&code, Mode::Off, &Vec::new(), folder.path())?;
                (program, None)
            }
            Making::Project {
                project, replaced, ..
            } => {
                let copy = project.built(Mode::Off, replaced)?;
                (project.program.clone(), Some(Within::new(&copy)?))
            }
        };
        let output = Command::new(&program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Failure::CannotStart {
                program: program.into(),
                error,
            })?;
        Ok(Printed {
            text: String::from_utf8_lossy(&output.stdout).into_owned(),
            code: output.status.code(),
        })
    }

    pub fn explain(&self) -> Result<Explanation, Failure> {
        let (code, _within) = match &self.making {
            Making::Sources { compiler, words } => {
                let code = Code::Sources {
                    compiler: *compiler,
                    arguments: words.clone(),
                };
                (code, None)
            }
            Making::Project {
                project, replaced, ..
            } => {
                let copy = project.built(Mode::Explain, replaced)?;
                (
                    Code::Program(project.program.clone()),
                    Some(Within::new(&copy)?),
                )
            }
        };
        explain::explain(&explain::Options {
            subject: ExplainSubject::Code(code),
            program_arguments: self.arguments.clone(),
            settings: Settings {
                zeros: self.judges_zeros.into(),
                ..Settings::DEFAULT
            },
            once: false,
            prove: None,
            all: false,
            what_if: Vec::new(),
            compiling: Vec::new(),
            functions: Vec::new(),
            format: ExplainFormat::Terminal,
            report_to: Destination::Errors,
            record: None,
            timeout: self.timeout,
            quiet: true,
            launcher: Vec::new(),
            job: None,
            also: Vec::new(),
            open: false,
            budget: Default::default(),
        })
    }
}
