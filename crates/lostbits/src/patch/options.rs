//! The arguments of `lostbits fix` on sources, checked.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    time::Duration,
};

use lostbits_abi::mode::Mode;

use super::{
    arguments::source,
    locate::is_same,
    program::{Making, Program},
    project::{Project, words},
};
use crate::{
    destination::Destination,
    failure::Failure,
    fix::{FixArguments, FixFormat, search::Effort},
    inputs::{NamedRange, RangeOption, SEED},
    subject::{self, Code, Subject},
    toolchain::Compiler,
};

pub struct Options {
    pub program: Program,
    /// Only causes at these lines, or anywhere in these files; empty for all.
    pub places: Vec<(PathBuf, Option<u32>)>,
    pub function: Option<String>,
    /// Of what the formulas of the function use.
    pub ranges: Vec<NamedRange>,
    pub effort: Effort,
    pub apply: bool,
    pub patch: Option<PathBuf>,
    pub format: FixFormat,
    pub report_to: Destination,
}

/// A program that runs longer is ended.
const LONGEST: Duration = Duration::from_secs(600);

impl Options {
    pub fn new(arguments: FixArguments) -> Result<Options, Failure> {
        if arguments.build.is_some() || arguments.run.is_some() {
            return Options::of_project(arguments);
        }
        let end = arguments.words.iter().position(|word| word == "--");
        let count = end.unwrap_or(arguments.words.len());
        let mut places = Vec::new();
        let mut words: Vec<OsString> = Vec::new();
        for (index, word) in arguments.words.iter().enumerate() {
            match source(word).filter(|_| index < count) {
                Some((file, Some(line))) => {
                    places.push((file.clone(), Some(line)));
                    // Several lines of one source.
                    let word = OsString::from(file);
                    if !words.contains(&word) {
                        words.push(word);
                    }
                }
                _ => words.push(word.clone()),
            }
        }
        if !arguments.range.is_empty() && arguments.function.is_none() {
            return Err(Failure::OptionOutOfPlace {
                option: "--range",
                wanted: "an expression, an FPCore file or --function",
            });
        }
        let (subject, program_arguments) = subject::split(&words, false, Mode::Explain)?;
        let Subject::Code(Code::Sources {
            compiler,
            arguments: words,
        }) = subject
        else {
            return Err(Failure::NothingToFix {
                title: "the command line".to_owned(),
            });
        };
        Ok(Options {
            program: Program {
                making: Making::Sources { compiler, words },
                arguments: program_arguments,
                timeout: Some(LONGEST),
                judges_zeros: !places.is_empty(),
            },
            places,
            ..Options::common(arguments)
        })
    }

    /// One or more places in a project with its own build.
    fn of_project(arguments: FixArguments) -> Result<Options, Failure> {
        let (Some(build), Some(run)) = (&arguments.build, &arguments.run) else {
            return Err(Failure::HalfAProject);
        };
        if arguments.function.is_some() {
            return Err(Failure::OptionOutOfPlace {
                option: "--function",
                wanted: "sources without --build",
            });
        }
        let mut places = Vec::new();
        for word in &arguments.words {
            let (file, line) = source(word).ok_or_else(|| Failure::NoPlaceInProject {
                word: word.to_string_lossy().into_owned(),
            })?;
            let file = fs::canonicalize(&file).map_err(|error| Failure::CannotRead {
                path: file.clone(),
                error,
            })?;
            places.push((file, line));
        }
        let run = words(run).filter(|words| !words.is_empty());
        let mut run = run.ok_or(Failure::HalfAProject)?;
        let program = run.remove(0);
        let root = env::current_dir().unwrap_or_default();
        let root = fs::canonicalize(&root).unwrap_or(root);
        Ok(Options {
            program: Program {
                making: Making::Project {
                    project: Rc::new(Project::new(root, build.clone(), program)?),
                    replaced: Vec::new(),
                    more: Vec::new(),
                },
                arguments: run,
                timeout: Some(LONGEST),
                judges_zeros: true,
            },
            places,
            ..Options::common(arguments)
        })
    }

    /// What does not depend on how the program comes into being.
    fn common(arguments: FixArguments) -> Options {
        Options {
            program: Program {
                making: Making::Sources {
                    compiler: Compiler::C,
                    words: Vec::new(),
                },
                arguments: Vec::new(),
                timeout: None,
                judges_zeros: false,
            },
            places: Vec::new(),
            ranges: arguments.range.iter().filter_map(named).collect(),
            function: arguments.function,
            effort: Effort {
                seed: arguments.seed.seed.unwrap_or(SEED),
                with_branches: !arguments.no_branches,
                seconds: arguments.seconds,
            },
            apply: arguments.apply,
            patch: arguments.patch,
            format: arguments.report.format,
            report_to: arguments.report.destination(Destination::Output),
        }
    }

    /// Whether the user wants this place repaired.
    pub fn wants(&self, file: &str, line: u32) -> bool {
        let fits = |(path, wanted): &(PathBuf, Option<u32>)| {
            is_same(path, Path::new(file)) && wanted.is_none_or(|wanted| wanted == line)
        };
        self.places.is_empty() || self.places.iter().any(fits)
    }
}

/// A range without a name is of no leaf.
fn named(option: &RangeOption) -> Option<NamedRange> {
    Some(NamedRange {
        name: option.variable.clone()?,
        range: option.range,
    })
}
