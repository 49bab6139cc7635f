//! `--what-if PLACE=HOW`: what the outputs would be if the statements of a place were computed exactly, in `long double` or in
//! `float`, and all others rounded as they do.
//!
//! The program computes as ever. In `long double` rounding errors are taken as 2^-11 of those in `double`. For `float` the run
//! follows what the place would compute in `float` and what becomes of it, with the branches that the program takes.

use std::{fmt, str::FromStr};

use super::{
    budget::left_of,
    intervene::{Effect, Effects, Experiment, LeaveOut, SpotKey, Statement},
};
use crate::demangle::demangle;

/// Statements, by lines of a file or by their function.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    Lines { file: String, first: u32, last: u32 },
    Function(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Computed {
    Exactly,
    InLongDouble,
    InFloat,
}

/// What the user asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    pub place: Place,
    pub computed: Computed,
}

/// What a change does to the outputs and decisions.
pub struct WhatIf {
    pub change: Change,
    /// How many statements the place has.
    pub statements: usize,
    /// Where it makes a difference, or something was wrong before.
    pub outcomes: Vec<Outcome>,
}

pub struct Outcome {
    pub spot: SpotKey,
    /// As the program computes it.
    pub before: Effect,
    /// What it would compute.
    pub value: f64,
    /// How often a decision would be wrong; in `float`, how often it would be another.
    pub wrong: u64,
}

/// The rounding errors of a `long double` beside those of a double.
const OF_LONG_DOUBLE: f64 = 1.0 / 2048.0;

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Change, String> {
        let (place, how) = text.rsplit_once('=').unwrap_or((text, "exact"));
        let computed = match how {
            "exact" => Computed::Exactly,
            "long-double" => Computed::InLongDouble,
            "float" => Computed::InFloat,
            _ => {
                return Err(format!(
                    "`{how}` is not a way to compute: write exact, long-double or float behind `{place}=`"
                ));
            }
        };
        let place = place.parse()?;
        Ok(Change { place, computed })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let computed = match self.computed {
            Computed::Exactly => "exact",
            Computed::InLongDouble => "computed in long double",
            Computed::InFloat => "computed in float",
        };
        write!(f, "{} were {computed}", self.place)
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        if text.is_empty() || text.contains('=') {
            return Err(format!(
                "`{text}` is not a place: write FILE:LINE, FILE:FIRST-LAST or a function, and =exact, =long-double or =float \
                 behind it"
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
pub fn intervene(experiment: &dyn Experiment, all: &Effects, change: &Change) -> Option<WhatIf> {
    let (at_place, elsewhere) = match change.computed {
        Computed::Exactly | Computed::InLongDouble => (LeaveOut::OwnErrors, LeaveOut::Nothing),
        Computed::InFloat => (LeaveOut::OwnErrorsButFloats, LeaveOut::OwnErrors),
    };
    let leave_out: Vec<LeaveOut> = experiment
        .statements()
        .iter()
        .map(|statement| match change.place.has(statement) {
            true => at_place,
            false => elsewhere,
        })
        .collect();
    let statements = leave_out.iter().filter(|one| **one == at_place).count();
    let effects = experiment.run(&leave_out, None)?;
    let outcomes = all.iter().map(|(spot, before)| {
        let after = left_of(*spot, before, &effects).unwrap_or(*before);
        let (exact, error) = (before.corrected, after.error());
        let value = match change.computed {
            Computed::Exactly => exact - error,
            Computed::InLongDouble => exact - error - (before.error() - error) * OF_LONG_DOUBLE,
            Computed::InFloat => after.corrected,
        };
        Outcome {
            spot: *spot,
            before: *before,
            value,
            wrong: after.wrong,
        }
    });
    let matters = |one: &Outcome| {
        let has_changed = one.value != one.before.computed && one.before.execution > 0;
        one.before.wrong > 0 || one.wrong > 0 || has_changed
    };
    Some(WhatIf {
        change: change.clone(),
        statements,
        outcomes: outcomes.filter(matters).collect(),
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
        assert_eq!("a.c:12".parse(), Ok(lines("a.c", 12, 12)));
        assert_eq!("src/a.f90:3-9".parse(), Ok(lines("src/a.f90", 3, 9)));
        assert_eq!("ns::f".parse(), Ok(Place::Function("ns::f".to_owned())));
        assert!("".parse::<Place>().is_err());
    }

    #[test]
    fn a_change_is_a_place_and_a_way_to_compute() {
        let computed = |text: &str| text.parse::<Change>().map(|change| change.computed);
        assert_eq!(computed("a.c:12"), Ok(Computed::Exactly));
        assert_eq!(computed("a.c:12=exact"), Ok(Computed::Exactly));
        assert_eq!(computed("f=long-double"), Ok(Computed::InLongDouble));
        assert_eq!(computed("a.c:1-3=float"), Ok(Computed::InFloat));
        assert!(computed("f=quad").is_err_and(|why| why.contains("`quad`")));
        assert!(computed("=float").is_err());
    }

    #[test]
    fn a_file_is_found_by_the_end_of_its_path() {
        let statement = Statement::for_test("/home/x/src/a.c", 7);
        let has = |text: &str| text.parse::<Place>().unwrap().has(&statement);
        assert!(has("a.c:7") && has("src/a.c:1-7") && has("main"));
        assert!(!has("a.c:8") && !has("c:7") && !has("other"));
    }
}
