//! The arguments of `lostbits fix`, checked once.

use super::{
    arguments::{FixArguments, FixFormat},
    search::Effort,
    wishes::Wishes,
};
use crate::{
    destination::Destination,
    failure::Failure,
    inputs::{Formula, NamedRange, SEED},
};

pub struct Options {
    pub formula: Formula,
    pub ranges: Vec<NamedRange>,
    pub format: FixFormat,
    pub wishes: Wishes,
    pub effort: Effort,
    pub report_to: Destination,
}

impl Options {
    pub fn new(arguments: FixArguments) -> Result<Options, Failure> {
        let [subject] = arguments.words.as_slice() else {
            return Err(Failure::SeveralToFix {
                second: arguments.words[1].to_string_lossy().into_owned(),
            });
        };
        for (option, is_given) in [
            ("--apply", arguments.apply),
            ("--patch", arguments.patch.is_some()),
            ("--function", arguments.function.is_some()),
            ("--build", arguments.build.is_some()),
        ] {
            if is_given {
                return Err(Failure::OptionOutOfPlace {
                    option,
                    wanted: "sources",
                });
            }
        }
        let formula = Formula::read(&subject.to_string_lossy())?;
        if formula.cores.is_empty() {
            return Err(Failure::NothingToFix {
                title: formula.title,
            });
        }
        Ok(Options {
            ranges: formula.assigned(&arguments.range)?,
            formula,
            format: arguments.report.format,
            wishes: Wishes {
                purpose: arguments.purpose,
                precision: arguments.precision,
                max_ulps: arguments.max_ulps,
                exhaustive: true,
            },
            effort: Effort {
                seed: arguments.seed.seed.unwrap_or(SEED),
                with_branches: !arguments.no_branches,
                seconds: arguments.seconds,
            },
            report_to: arguments.report.destination(Destination::Output),
        })
    }
}
