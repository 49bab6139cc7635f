//! The program that is repaired: built from its sources with one of them replaced, run, and explained.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use lostbits_abi::{explain::Settings, mode::Mode};

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
    pub compiler: Compiler,
    /// The compiler's.
    pub words: Vec<OsString>,
    pub arguments: Vec<OsString>,
    pub timeout: Option<Duration>,
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
        let sources = self.words.iter();
        let sources = sources.filter(|word| subject::language(word).is_some());
        sources.map(PathBuf::from).collect()
    }

    /// What of the words the compiler needs to read one source.
    pub fn options(&self) -> Vec<OsString> {
        let is_option = |word: &&OsString| subject::language(word).is_none();
        self.words.iter().filter(is_option).cloned().collect()
    }

    /// The same program with a source replaced by another text, which is written to `folder`.
    pub fn with_source(&self, file: &Path, text: &str, folder: &Path) -> Result<Program, Failure> {
        let copy = folder.join(file.file_name().unwrap_or_default());
        fs::write(&copy, text).map_err(|error| Failure::CannotWrite {
            path: copy.clone(),
            error,
        })?;
        let wanted = fs::canonicalize(file).ok();
        let mut program = self.clone();
        for word in &mut program.words {
            if subject::language(word).is_some() && fs::canonicalize(&*word).ok() == wanted {
                *word = copy.clone().into_os_string();
            }
        }
        // What the source includes is beside the original.
        let home = file.parent().filter(|home| !home.as_os_str().is_empty());
        let home = home.unwrap_or(Path::new("."));
        match self.compiler {
            Compiler::C | Compiler::Cxx => {
                program.words.push("-iquote".into());
                program.words.push(home.into());
                program.words.push("-w".into());
            }
            Compiler::Fortran => program.words.push({
                let mut word = OsString::from("-I");
                word.push(home);
                word
            }),
            Compiler::Rust => {}
        }
        Ok(program)
    }

    fn code(&self) -> Code {
        Code::Sources {
            compiler: self.compiler,
            arguments: self.words.clone(),
        }
    }

    /// Builds without instrumentation and runs.
    pub fn output(&self) -> Result<Printed, Failure> {
        let folder = run::temporary_folder()?;
        let program = subject::program(&self.code(), Mode::Off, &Vec::new(), folder.path())?;
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
        explain::explain(&explain::Options {
            subject: ExplainSubject::Code(self.code()),
            program_arguments: self.arguments.clone(),
            settings: Settings::DEFAULT,
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
            also: Vec::new(),
            open: false,
            budget: Default::default(),
        })
    }
}
