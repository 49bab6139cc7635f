//! The arguments of `lostbits watch`, checked.

use std::{ffi::OsString, fmt, path::PathBuf};

use lostbits_abi::{kind::FpKind, mode::Mode};

use crate::{
    cli::{Format, OnUnstable, WatchArguments},
    failure::Failure,
    report::Destination,
    subject::{self, Subject},
};

pub struct Options {
    pub subject: Subject,
    pub program_arguments: Vec<OsString>,
    pub thresholds: Thresholds,
    pub format: Format,
    pub report_to: Destination,
    pub record: Option<PathBuf>,
    /// End the program at the first decision that is not to be trusted.
    pub stops: bool,
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
        let (subject, program_arguments) = subject::split(arguments.words, Mode::Watch)?;
        Ok(Options {
            subject,
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
            report_to: arguments
                .report
                .map_or(Destination::Errors, Destination::File),
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
