//! The arguments of `lostbits watch`, checked.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

use lostbits_abi::kind::FpKind;

use crate::{
    cli::{Format, OnUnstable, WatchArguments},
    failure::Failure,
    toolchain::Compiler,
};

pub struct Options {
    pub target: Target,
    pub program_arguments: Vec<OsString>,
    pub thresholds: Thresholds,
    pub format: Format,
    pub report_to: ReportTo,
    pub record: Option<PathBuf>,
    /// End the program at the first decision that is not to be trusted.
    pub stops: bool,
}

/// What is to be watched.
#[derive(PartialEq, Eq, Debug)]
pub enum Target {
    Program(OsString),
    /// The arguments are the compiler's: sources and options.
    Sources {
        compiler: Compiler,
        arguments: Vec<OsString>,
    },
}

/// Beside the program's own output, never in it.
pub enum ReportTo {
    Errors,
    File(PathBuf),
}

/// τc and τs of the paper for one format, in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatThresholds {
    /// More cancelled bits than this inflate an error.
    pub cancelled: u32,
    /// An operand larger by more bits than this suppresses the other's error.
    pub suppressed: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    pub double: FormatThresholds,
    pub float: FormatThresholds,
}

/// The paper's choice for double; for float in proportion.
pub const DOUBLE: FormatThresholds = FormatThresholds {
    cancelled: 48,
    suppressed: 4,
};
pub const FLOAT: FormatThresholds = FormatThresholds {
    cancelled: 19,
    suppressed: 4,
};

/// As the runtime reads them.
impl fmt::Display for Thresholds {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Thresholds { double, float } = self;
        write!(
            formatter,
            "{},{},{},{}",
            double.cancelled, double.suppressed, float.cancelled, float.suppressed
        )
    }
}

impl Options {
    pub fn new(arguments: WatchArguments) -> Result<Options, Failure> {
        refuse_what_is_not_built(&arguments)?;
        let (target, program_arguments) = split(arguments.words)?;
        Ok(Options {
            target,
            program_arguments,
            thresholds: Thresholds {
                double: FormatThresholds {
                    cancelled: arguments.tau_c,
                    suppressed: arguments.tau_s,
                },
                float: FormatThresholds {
                    cancelled: arguments.tau_c_float,
                    suppressed: arguments.tau_s_float,
                },
            },
            format: arguments.format,
            report_to: arguments.report.map_or(ReportTo::Errors, ReportTo::File),
            record: arguments.output,
            stops: arguments.on_unstable == OnUnstable::Stop,
        })
    }
}

fn refuse_what_is_not_built(arguments: &WatchArguments) -> Result<(), Failure> {
    let option = match arguments.on_unstable {
        _ if arguments.rerun => "--rerun",
        OnUnstable::Rerun => "--on-unstable rerun",
        OnUnstable::Stop | OnUnstable::Report => return Ok(()),
    };
    Err(Failure::WatchOptionNotBuilt { option })
}

/// A first word that is an option or a source file begins a compiler's arguments; any other is a
/// program. `--` parts either from the program's own arguments.
fn split(words: Vec<OsString>) -> Result<(Target, Vec<OsString>), Failure> {
    let first = words.first().cloned().unwrap_or_default();
    let is_option = first.to_string_lossy().starts_with('-');
    if !is_option && language(&first).is_none() {
        let mut arguments = words[1..].to_vec();
        if arguments.first().is_some_and(|word| word == "--") {
            arguments.remove(0);
        }
        return Ok((Target::Program(first), arguments));
    }
    let end = words.iter().position(|word| word == "--");
    let (compilers, programs) = match end {
        Some(end) => (words[..end].to_vec(), words[end + 1..].to_vec()),
        None => (words, Vec::new()),
    };
    if let Some(option) = compilers.iter().find(|word| names_output(word)) {
        let option = option.to_string_lossy().into_owned();
        return Err(Failure::WatchNamesOutput { option });
    }
    let compiler = compilers
        .iter()
        .filter_map(|word| language(word))
        .max_by_key(|compiler| precedence(*compiler))
        .ok_or_else(|| Failure::NothingToWatch {
            first: first.to_string_lossy().into_owned(),
        })?;
    let arguments = compilers;
    Ok((
        Target::Sources {
            compiler,
            arguments,
        },
        programs,
    ))
}

/// Among sources of several languages, whose compiler drives: the one that links its own library.
fn precedence(compiler: Compiler) -> u8 {
    match compiler {
        Compiler::C => 0,
        Compiler::Cxx => 1,
        Compiler::Fortran => 2,
        Compiler::Rust => 3,
    }
}

fn names_output(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    word.starts_with("-o") || word == "--output" || word.starts_with("--out-dir")
}

/// The compiler for a source file, by its name; none for any other word.
fn language(word: &OsStr) -> Option<Compiler> {
    if word.to_string_lossy().starts_with('-') {
        return None;
    }
    match Path::new(word).extension()?.to_str()? {
        "c" | "i" => Some(Compiler::C),
        "C" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "CPP" | "CC" | "CXX" | "ii" => {
            Some(Compiler::Cxx)
        }
        "f" | "F" | "for" | "FOR" | "f77" | "F77" | "f90" | "F90" | "f95" | "F95" | "f03"
        | "F03" | "f08" | "F08" | "f18" | "F18" => Some(Compiler::Fortran),
        "rs" => Some(Compiler::Rust),
        _ => None,
    }
}

/// Reads `--tau-c` for double.
pub fn cancelled_of_double(text: &str) -> Result<u32, String> {
    cancelled(text, FpKind::Double)
}

pub fn cancelled_of_float(text: &str) -> Result<u32, String> {
    cancelled(text, FpKind::Float)
}

/// More bits than a format has cannot cancel.
fn cancelled(text: &str, kind: FpKind) -> Result<u32, String> {
    let largest = kind.precision() - 1;
    in_range(text, 1, largest).ok_or(format!(
        "of the {} bits of a {}, give a whole number from 1 to {largest}",
        kind.precision(),
        kind.c_name()
    ))
}

/// Reads `--tau-s` and `--tau-s-float`.
pub fn suppressed(text: &str) -> Result<u32, String> {
    const LARGEST: u32 = 127;
    in_range(text, 0, LARGEST).ok_or(format!("give a whole number of bits from 0 to {LARGEST}"))
}

fn in_range(text: &str, least: u32, largest: u32) -> Option<u32> {
    let value = text.parse().ok()?;
    (least..=largest).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_words(words: &str) -> (Target, Vec<OsString>) {
        split(words.split_whitespace().map(OsString::from).collect()).unwrap()
    }

    fn words(words: &str) -> Vec<OsString> {
        words.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn a_program_keeps_its_arguments() {
        for line in ["./prog -- -x x.c", "./prog -x x.c"] {
            let (target, arguments) = split_words(line);
            assert_eq!(target, Target::Program("./prog".into()), "{line}");
            assert_eq!(arguments, words("-x x.c"), "{line}");
        }
        assert_eq!(split_words("./prog -- -- a").1, words("-- a"));
    }

    #[test]
    fn sources_are_the_compilers_up_to_two_dashes() {
        for (line, compiler) in [
            ("x.c -O2 -lm -- 1.5 --", Compiler::C),
            ("-O2 x.c y.cpp -- 1.5 --", Compiler::Cxx),
            ("x.f90 y.o -- 1.5 --", Compiler::Fortran),
            ("x.rs -O -- 1.5 --", Compiler::Rust),
        ] {
            let (target, arguments) = split_words(line);
            let given = words(line.split(" -- ").next().unwrap());
            let expected = Target::Sources {
                compiler,
                arguments: given,
            };
            assert_eq!(target, expected, "{line}");
            assert_eq!(arguments, words("1.5 --"), "{line}");
        }
        assert_eq!(split_words("x.c").1, words(""));
    }

    #[test]
    fn what_cannot_be_built_is_refused() {
        let message = |line: &str| split(words(line)).err().unwrap().to_string();
        assert!(message("x.c -o x -- 1").contains("`-o`"));
        assert!(message("-O2 -lm -- x.c").contains("`-O2`"));
    }

    #[test]
    fn thresholds_are_checked() {
        assert_eq!(cancelled_of_double("52"), Ok(52));
        for bad in ["0", "53", "-1", "4.5", "many", ""] {
            let sentence = cancelled_of_double(bad).unwrap_err();
            assert!(sentence.contains("from 1 to 52"), "{bad}: {sentence}");
        }
        assert!(cancelled_of_float("24").is_err());
        assert_eq!(suppressed("0"), Ok(0));
        assert!(suppressed("-4").is_err());
    }
}
