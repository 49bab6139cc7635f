//! Builds and tests of a whole project: the environment in which any build system calls lostbits as its compilers.
//!
//! `make` gets the compilers on its command line, where they win over those of the Makefile; cargo gets a target
//! folder of its own; everything else gets variables of the environment, which CMake, meson, autotools and fpm read when
//! they configure. A tree that was configured for other compilers is refused with the commands that make a second one: CMake
//! and meson cannot change the compiler of a tree.

pub mod cargo;
mod configured;

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use lostbits_abi::{environment, judge::Judged, mode::Mode};

use crate::{failure::Failure, run::guardian, toolchain::Compiler};

/// How code is instrumented.
#[derive(Clone, Debug)]
pub struct Instrumentation {
    pub mode: Mode,
    pub judge: Vec<Judged>,
}

/// A command of the user's with what lostbits adds.
pub struct Prepared {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub variables: Vec<(&'static str, OsString)>,
}

impl Instrumentation {
    /// Prepares a command that may compile.
    pub fn prepare(&self, words: &[OsString]) -> Result<Prepared, Failure> {
        let mut words = words.to_vec();
        let program = words.remove(0);
        configured::check(&program, &words)?;
        let [cc, cxx, fc, rustc] = wrappers()?;
        let judge: Vec<&str> = self.judge.iter().map(|one| one.name()).collect();
        let mut variables = vec![
            (environment::MODE, self.mode.name().into()),
            (environment::JUDGE, judge.join(",").into()),
            ("CC", cc.clone().into_os_string()),
            ("CXX", cxx.clone().into_os_string()),
            ("FC", fc.clone().into_os_string()),
            ("F77", fc.clone().into_os_string()),
            ("F90", fc.clone().into_os_string()),
            ("FPM_FC", fc.clone().into_os_string()),
            ("FPM_CC", cc.clone().into_os_string()),
            ("FPM_CXX", cxx.clone().into_os_string()),
            ("RUSTC_WRAPPER", rustc.into_os_string()),
        ];
        match name_of(&program) {
            "make" | "gmake" | "bmake" => {
                for (name, compiler) in [("CC", &cc), ("CXX", &cxx), ("FC", &fc)] {
                    let assignment = format!("{name}=");
                    let is_given = |word: &OsString| {
                        word.to_str()
                            .is_some_and(|word| word.starts_with(&assignment))
                    };
                    if !words.iter().any(is_given) {
                        let mut word = OsString::from(assignment);
                        word.push(compiler);
                        words.push(word);
                    }
                }
            }
            "cargo" => variables.extend(cargo::variables(&words, self.mode)?),
            _ => {}
        }
        Ok(Prepared {
            program,
            arguments: words,
            variables,
        })
    }
}

impl Prepared {
    /// Runs the command to its end; it reads and writes what the tool does.
    pub fn run(&self, log: &Path) -> Result<ExitStatus, Failure> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env(environment::BUILD_LOG, log);
        guardian::end_with_tool(&mut command);
        command.status().map_err(|error| Failure::CannotStart {
            program: self.program.clone().into(),
            error,
        })
    }
}

/// The name of a program without its folder.
fn name_of(program: &OsStr) -> &str {
    let name = Path::new(program).file_name();
    name.and_then(OsStr::to_str).unwrap_or_default()
}

/// The names under which build systems call the compilers as one word: links beside the tool.
pub fn wrappers() -> Result<[PathBuf; 4], Failure> {
    let tool = env::current_exe().unwrap_or_default();
    let folder = tool.parent().unwrap_or(Path::new(""));
    let paths =
        Compiler::ALL.map(|compiler| folder.join(format!("lostbits-{}", compiler.command())));
    match paths.iter().find(|path| !path.exists()) {
        Some(missing) => Err(Failure::WrapperMissing {
            path: missing.clone(),
            tool,
        }),
        None => Ok(paths),
    }
}
