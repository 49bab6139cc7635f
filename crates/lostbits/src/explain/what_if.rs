//! `--what-if PLACE`: what the outputs would be if the statements of a place were computed exactly and all others rounded
//! as they do.

use std::{fmt, str::FromStr};

use super::intervene::{Effect, Effects, Experiment, LeaveOut, SpotKey, Statement};
use crate::demangle::demangle;

/// Statements, by lines of a file or by their function.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    Lines { file: String, first: u32, last: u32 },
    Function(String),
}

/// What an intervention does to the outputs and decisions that are wrong.
pub struct WhatIf {
    pub place: Place,
    /// How many statements the place has.
    pub statements: usize,
    /// As the program computes them, and with the place exact.
    pub outcomes: Vec<Outcome>,
}

pub struct Outcome {
    pub spot: SpotKey,
    pub all: Effect,
    /// The effect of the place's errors alone: its `corrected` value is what the program would compute.
    pub place: Effect,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let text = text.strip_suffix("=exact").unwrap_or(text);
        if text.is_empty() || text.contains('=') {
            return Err(format!(
                "`{text}` is not a place: write FILE:LINE, FILE:FIRST-LAST or a function, and `=exact` behind it"
            ));
        }
        let lines = text.rsplit_once(':').and_then(|(file, lines)| {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            Some((file, first.parse().ok()?, last.parse().ok()?))
        });
        Ok(match lines {
            Some((file, first, last)) => Place::Lines {
                file: file.to_owned(),
                first,
                last,
            },
            None => Place::Function(text.to_owned()),
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Place::Lines { file, first, last } if first == last => write!(f, "{file}:{first}"),
            Place::Lines { file, first, last } => write!(f, "{file}:{first}-{last}"),
            Place::Function(name) => write!(f, "{name}"),
        }
    }
}

impl Place {
    fn has(&self, statement: &Statement) -> bool {
        match self {
            Place::Lines { file, first, last } => {
                let is_file =
                    statement.file == *file || statement.file.ends_with(&format!("/{file}"));
                is_file && (*first..=*last).contains(&statement.line)
            }
            Place::Function(name) => {
                let readable = demangle(&statement.function);
                let last = readable.rsplit("::").next();
                statement.function == *name || readable == *name || last == Some(name)
            }
        }
    }
}

/// None if the run failed. A place without statements has no effect, which its count says.
pub fn intervene(experiment: &dyn Experiment, all: &Effects, place: &Place) -> Option<WhatIf> {
    let leave_out: Vec<LeaveOut> = experiment
        .statements()
        .iter()
        .map(|statement| match place.has(statement) {
            true => LeaveOut::Nothing,
            false => LeaveOut::OwnErrors,
        })
        .collect();
    let statements = leave_out
        .iter()
        .filter(|one| **one == LeaveOut::Nothing)
        .count();
    let effects = experiment.run(&leave_out)?;
    let wrong = all.iter().filter(|(_, effect)| effect.wrong > 0);
    let outcomes = wrong.map(|(spot, all)| Outcome {
        spot: *spot,
        all: *all,
        place: effects.get(spot).copied().unwrap_or_default(),
    });
    Some(WhatIf {
        place: place.clone(),
        statements,
        outcomes: outcomes.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_or_functions() {
        let lines = |file: &str, first, last| Place::Lines {
            file: file.to_owned(),
            first,
            last,
        };
        assert_eq!("a.c:12=exact".parse(), Ok(lines("a.c", 12, 12)));
        assert_eq!("src/a.f90:3-9".parse(), Ok(lines("src/a.f90", 3, 9)));
        assert_eq!("ns::f".parse(), Ok(Place::Function("ns::f".to_owned())));
        assert!("a.c:12=float".parse::<Place>().is_err());
        assert!("".parse::<Place>().is_err());
    }

    #[test]
    fn a_file_is_found_by_the_end_of_its_path() {
        let statement = Statement::for_test("/home/x/src/a.c", 7);
        let has = |text: &str| text.parse::<Place>().unwrap().has(&statement);
        assert!(has("a.c:7") && has("src/a.c:1-7") && has("main"));
        assert!(!has("a.c:8") && !has("c:7") && !has("other"));
    }
}
