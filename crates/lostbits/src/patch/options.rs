//! The arguments of `lostbits fix` on sources, checked.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use lostbits_abi::mode::Mode;

use super::{arguments::source, locate::is_same, program::Program};
use crate::{
    destination::Destination,
    failure::Failure,
    fix::{FixArguments, FixFormat, search::Effort},
    inputs::SEED,
    subject::{self, Code, Subject},
};

pub struct Options {
    pub program: Program,
    /// Only causes at these lines; empty for all.
    pub places: Vec<(PathBuf, u32)>,
    pub function: Option<String>,
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
        let end = arguments.words.iter().position(|word| word == "--");
        let count = end.unwrap_or(arguments.words.len());
        let mut places = Vec::new();
        let mut words: Vec<OsString> = Vec::new();
        for (index, word) in arguments.words.iter().enumerate() {
            match source(word).filter(|_| index < count) {
                Some((file, Some(line))) => {
                    places.push((file.clone(), line));
                    // Several lines of one source.
                    let word = OsString::from(file);
                    if !words.contains(&word) {
                        words.push(word);
                    }
                }
                _ => words.push(word.clone()),
            }
        }
        if !arguments.range.is_empty() {
            return Err(Failure::OptionOutOfPlace {
                option: "--range",
                wanted: "an expression or an FPCore file",
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
                compiler,
                words,
                arguments: program_arguments,
                timeout: Some(LONGEST),
            },
            places,
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
        })
    }

    /// Whether the user wants this place repaired.
    pub fn wants(&self, file: &str, line: u32) -> bool {
        let fits =
            |(path, wanted): &(PathBuf, u32)| is_same(path, Path::new(file)) && *wanted == line;
        self.places.is_empty() || self.places.iter().any(fits)
    }
}
