//! The arguments of `lostbits explain`, checked.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

use lostbits_abi::{
    explain::{START_ENV, STOP_ENV, Settings},
    mode::Mode,
};

use super::{call::Call, formula::Formula, samples::Ranges};
use crate::{
    cli::{ExplainArguments, ReportFormat},
    failure::Failure,
    report::Destination,
    subject::{self, Subject},
    toolchain,
};

pub struct Options {
    pub given: Given,
    pub program_arguments: Vec<OsString>,
    pub settings: Settings,
    /// What is not decided stays so.
    pub once: bool,
    /// What the pass is told.
    pub compiling: Vec<(&'static str, String)>,
    /// Only root causes in these; empty for all.
    pub functions: Vec<String>,
    pub format: ReportFormat,
    pub report_to: Destination,
    pub record: Option<PathBuf>,
}

/// What is to be explained.
pub enum Given {
    Code(Subject),
    Formula {
        formula: Formula,
        ranges: Ranges,
        samples: usize,
        /// The compiler's.
        arguments: Vec<OsString>,
    },
    Call {
        call: Call,
        libraries: Vec<PathBuf>,
    },
}

/// An expression or core is computed for so many inputs.
const SAMPLES: u32 = 1000;

impl Options {
    pub fn new(arguments: ExplainArguments) -> Result<Options, Failure> {
        let compiling = compiling(&arguments);
        let settings = Settings {
            min_local_bits: arguments.min_local_bits,
            min_output_bits: arguments.min_output_bits,
            depth: arguments.depth,
            equality_depth: arguments.equality_depth,
            precision: arguments.precision.unwrap_or(0),
            waiting: arguments.start_at.is_some().into(),
        };
        let (functions, format) = (arguments.function.clone(), arguments.format);
        let (report, record) = (arguments.report.clone(), arguments.output.clone());
        let once = arguments.once;
        let mode = mode(arguments.precision);
        let (given, program_arguments) = given(arguments, mode)?;
        let unless_told = match given {
            // Nobody prints anything else there.
            Given::Formula { .. } => Destination::Output,
            Given::Code(_) | Given::Call { .. } => Destination::Errors,
        };
        refuse_for_programs(&given, &compiling)?;
        Ok(Options {
            given,
            program_arguments,
            settings,
            once,
            compiling,
            functions,
            format,
            report_to: report.map_or(unless_told, Destination::File),
            record,
        })
    }
}

/// The mode that measures with so many bits throughout; adaptively, if none are asked for.
pub fn mode(precision: Option<u32>) -> Mode {
    match precision {
        Some(_) => Mode::ExplainReals,
        None => Mode::Explain,
    }
}

fn compiling(arguments: &ExplainArguments) -> Vec<(&'static str, String)> {
    let settings = [
        (START_ENV, arguments.start_at.clone()),
        (STOP_ENV, arguments.stop_at.clone()),
    ];
    let given = settings.into_iter();
    given
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// When to look is decided by the pass.
fn refuse_for_programs(given: &Given, compiling: &[(&'static str, String)]) -> Result<(), Failure> {
    let is_compiled = !matches!(given, Given::Code(Subject::Program(_)));
    match compiling.first() {
        Some((variable, _)) if !is_compiled => Err(Failure::DecidedAtCompileTime {
            option: if *variable == START_ENV {
                "--start-at"
            } else {
                "--stop-at"
            },
            variable,
        }),
        _ => Ok(()),
    }
}

fn given(arguments: ExplainArguments, mode: Mode) -> Result<(Given, Vec<OsString>), Failure> {
    let ranges: Ranges = arguments.range.iter().cloned().collect();
    if let Some(call) = &arguments.call {
        refuse_sampling(&arguments)?;
        let given = Given::Call {
            call: Call::read(call)?,
            libraries: arguments.library,
        };
        return Ok((given, Vec::new()));
    }
    let first = arguments.words.first().cloned().unwrap_or_default();
    let formula = match is_fpcore(&first) {
        true => Formula::file(Path::new(&first))?,
        false if is_expression(&first) || (!ranges.is_empty() && may_be_expression(&first)) => {
            Formula::expression(&first.to_string_lossy())?
        }
        false => {
            refuse_sampling(&arguments)?;
            let (subject, rest) = subject::split(arguments.words, mode)?;
            return Ok((Given::Code(subject), rest));
        }
    };
    formula.check(&ranges)?;
    let samples = arguments.samples.unwrap_or(SAMPLES) as usize;
    let given = Given::Formula {
        formula,
        ranges,
        samples,
        arguments: arguments.words[1..].to_vec(),
    };
    Ok((given, Vec::new()))
}

fn refuse_sampling(arguments: &ExplainArguments) -> Result<(), Failure> {
    let option = match arguments.range.is_empty() {
        false => "--range",
        true if arguments.samples.is_some() => "--samples",
        true => return Ok(()),
    };
    Err(Failure::OptionOutOfPlace {
        option,
        wanted: "an expression or an FPCore file",
    })
}

fn is_fpcore(word: &OsStr) -> bool {
    Path::new(word).extension() == Some(OsStr::new("fpcore"))
}

fn is_file(word: &OsStr) -> bool {
    Path::new(word).exists() || toolchain::on_path(word).is_some()
}

/// No file has this name, nor should one.
fn may_be_expression(word: &OsStr) -> bool {
    let is_option = word.to_string_lossy().starts_with('-');
    !is_option && !is_file(word) && subject::language(word).is_none()
}

/// It has what names seldom have.
fn is_expression(word: &OsStr) -> bool {
    let text = word.to_string_lossy();
    may_be_expression(word) && text.contains(['(', ')', '+', '*', '^', ' '])
}

/// Reads `--range`.
pub fn range(text: &str) -> Result<(String, [f64; 2]), String> {
    let parse = || {
        let (name, ends) = text.split_once('=')?;
        let (least, most) = ends.split_once(':')?;
        let [least, most] = [least.trim().parse().ok()?, most.trim().parse().ok()?];
        let finite = f64::is_finite(least) && f64::is_finite(most) && least <= most;
        finite.then(|| (name.trim().to_owned(), [least, most]))
    };
    parse().ok_or(
        "give a variable and its ends, the smaller one first, such as x=1e-9:1e-3".to_owned(),
    )
}

/// As the runtime reads them.
pub struct Written<'a>(pub &'a Settings);

impl fmt::Display for Written<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let settings = self.0;
        write!(
            formatter,
            "local={},output={},depth={},equality={},precision={},waiting={}",
            settings.min_local_bits,
            settings.min_output_bits,
            settings.depth,
            settings.equality_depth,
            settings.precision,
            settings.waiting
        )
    }
}

/// Puts the options of `explain` before the sources or the expression, where clap looks for them:
/// `explain prog.c --format json -O2 -- args`. What follows `--` is the program's, and so is what follows a program, but for
/// options of ours that come first: `explain ./prog --format json -- args`.
pub fn gather(words: Vec<OsString>, options: &clap::Command) -> Vec<OsString> {
    let mut ours = Vec::new();
    let mut others: Vec<OsString> = Vec::new();
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            others.push(word);
            break;
        }
        match option(&word, options) {
            Some(Takes::Value) => {
                ours.push(word);
                ours.extend(rest.next());
            }
            Some(Takes::Nothing) => ours.push(word),
            None => {
                let is_programs = others.first().is_some_and(|first| is_program(first));
                others.push(word);
                if is_programs {
                    break;
                }
            }
        }
    }
    ours.extend(others);
    ours.extend(rest);
    ours
}

fn is_program(word: &OsStr) -> bool {
    let is_option = word.to_string_lossy().starts_with('-');
    !is_option && subject::language(word).is_none() && !is_fpcore(word) && is_file(word)
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
            (
                "/bin/sh --depth 3 -- --depth 4",
                "--depth 3 /bin/sh -- --depth 4",
            ),
            ("/bin/sh x --depth 4", "/bin/sh x --depth 4"),
            ("/bin/sh --x --depth 4", "/bin/sh --x --depth 4"),
            ("x*x --range x=1:2", "--range x=1:2 x*x"),
            ("a.fpcore --samples 3", "--samples 3 a.fpcore"),
            ("x.c --std=c99", "x.c --std=c99"),
            ("--help", "--help"),
        ] {
            assert_eq!(gathered(given), expected, "{given}");
        }
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!(range("x=1e-9:1"), Ok(("x".to_owned(), [1e-9, 1.0])));
        assert_eq!(range("t=-2:-1"), Ok(("t".to_owned(), [-2.0, -1.0])));
        for bad in ["x", "x=1", "x=2:1", "x=a:b", "x=0:inf", ""] {
            assert!(range(bad).is_err(), "{bad}");
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
