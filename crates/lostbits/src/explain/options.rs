//! The arguments of `lostbits explain`, checked.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::PathBuf,
};

use lostbits_abi::{explain::Settings, mode::Mode};

use crate::{
    cli::{ExplainArguments, ReportFormat},
    failure::Failure,
    report::Destination,
    subject::{self, Subject},
};

pub struct Options {
    pub subject: Subject,
    pub program_arguments: Vec<OsString>,
    pub settings: Settings,
    /// Only root causes in these; empty for all.
    pub functions: Vec<String>,
    pub format: ReportFormat,
    pub report_to: Destination,
    pub record: Option<PathBuf>,
}

impl Options {
    pub fn new(arguments: ExplainArguments) -> Result<Options, Failure> {
        let (subject, program_arguments) = subject::split(arguments.words, Mode::Explain)?;
        Ok(Options {
            subject,
            program_arguments,
            settings: Settings {
                min_local_bits: arguments.min_local_bits,
                min_output_bits: arguments.min_output_bits,
                depth: arguments.depth,
                equality_depth: arguments.equality_depth,
            },
            functions: arguments.function,
            format: arguments.format,
            report_to: arguments
                .report
                .map_or(Destination::Errors, Destination::File),
            record: arguments.output,
        })
    }
}

/// As the runtime reads them.
pub struct Written<'a>(pub &'a Settings);

impl fmt::Display for Written<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let settings = self.0;
        write!(
            formatter,
            "local={},output={},depth={},equality={}",
            settings.min_local_bits,
            settings.min_output_bits,
            settings.depth,
            settings.equality_depth
        )
    }
}

/// Puts the options of `explain` before the sources or the expression, where clap looks for them:
/// `explain prog.c --format json -O2 -- args`. What follows a program or `--` is the program's.
pub fn gather(words: Vec<OsString>, options: &clap::Command) -> Vec<OsString> {
    let mut ours = Vec::new();
    let mut others: Vec<OsString> = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        if word == "--" || (others.is_empty() && is_program(&word)) {
            others.push(word);
            break;
        }
        match option(&word, options) {
            Some(Takes::Value) => {
                ours.push(word);
                ours.extend(rest.next());
            }
            Some(Takes::Nothing) => ours.push(word),
            None => others.push(word),
        }
    }
    ours.extend(others);
    ours.extend(rest);
    ours
}

fn is_program(word: &OsStr) -> bool {
    let is_option = word.to_string_lossy().starts_with('-');
    !is_option && subject::language(word).is_none()
}

enum Takes {
    Nothing,
    Value,
}

/// Whether a word is an option of ours, and takes the next word as its value.
fn option(word: &OsStr, options: &clap::Command) -> Option<Takes> {
    let word = word.to_string_lossy();
    let name = word.strip_prefix("--")?;
    let (name, has_value) = match name.split_once('=') {
        Some((name, _)) => (name, true),
        None => (name, false),
    };
    let found = options
        .get_arguments()
        .find(|argument| argument.get_long() == Some(name))?;
    let takes_value = found.get_action().takes_values() && !has_value;
    Some(if takes_value {
        Takes::Value
    } else {
        Takes::Nothing
    })
}

/// Reads `--min-output-bits` and `--min-local-bits`.
pub fn bits(text: &str) -> Result<f64, String> {
    const MOST: f64 = 64.0;
    let value: Option<f64> = text.parse().ok();
    value
        .filter(|value| (0.0..=MOST).contains(value))
        .ok_or(format!("give a number of bits from 0 to {MOST}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;

    fn gathered(line: &str) -> String {
        let options = ExplainArguments::augment_args(clap::Command::new("explain"));
        let words = line.split_whitespace().map(OsString::from).collect();
        gather(words, &options)
            .join(OsStr::new(" "))
            .into_string()
            .unwrap()
    }

    #[test]
    fn options_may_stand_among_sources() {
        for (given, expected) in [
            (
                "x.c -O2 --format json y.c --depth=3 -- --format json",
                "--format json --depth=3 x.c -O2 y.c -- --format json",
            ),
            ("--depth 3 ./prog --depth 4", "--depth 3 ./prog --depth 4"),
            ("x.c --std=c99", "x.c --std=c99"),
            ("--help", "--help"),
        ] {
            assert_eq!(gathered(given), expected, "{given}");
        }
    }

    #[test]
    fn thresholds_are_checked() {
        assert_eq!(bits("5.5"), Ok(5.5));
        for bad in ["-1", "65", "NaN", "many", ""] {
            assert!(bits(bad).is_err(), "{bad}");
        }
    }
}
