//! `--range x=1e-9:1e-3`: read, and assigned to variables.
//!
//! Both ends belong to the range, so `x=2:2` is the single value 2. Ends are written like the numbers of an
//! expression: decimal, hexadecimal or a fraction. The name may be left out if there is only one variable.

use std::fmt;

use thiserror::Error;

use crate::{failure::Failure, fpcore::number::Number, numeric::Range};

/// The value of a `--range` option.
#[derive(Clone, PartialEq, Debug)]
pub struct RangeOption {
    /// None if the range names no variable.
    pub variable: Option<String>,
    pub range: Range,
}

/// The range of a variable. An array has one name, and so has each of its elements: `v`, `v[2]`.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedRange {
    pub name: String,
    pub range: Range,
}

#[derive(Clone, PartialEq, Debug, Error)]
pub enum RangeProblem {
    #[error("`{0}` is not a range: write --range x=LOW:HIGH, such as --range x=1e-9:1e-3")]
    Malformed(String),
    #[error(
        "`{end}` in the range `{text}` is not a finite number: write --range x=LOW:HIGH, such as --range x=1e-9:1e-3"
    )]
    NotANumber { end: String, text: String },
    #[error("the range `{0}` is empty: write the smaller end first")]
    Empty(String),
    #[error("--range names `{name}`, but {}", variables(known))]
    Unknown { name: String, known: Vec<String> },
    #[error("`--range {range}` must name a variable, because {}: write --range {}={range}", variables(known), known[0])]
    Unnamed {
        range: RangeOption,
        known: Vec<String>,
    },
}

fn variables(known: &[String]) -> String {
    match known {
        [] => "there are no variables".to_owned(),
        [only] => format!("the only variable is {only}"),
        known => format!("the variables are {}", known.join(", ")),
    }
}

impl From<RangeProblem> for Failure {
    fn from(problem: RangeProblem) -> Failure {
        Failure::BadRange {
            reason: problem.to_string(),
        }
    }
}

impl RangeOption {
    pub fn read(text: &str) -> Result<RangeOption, RangeProblem> {
        let malformed = || RangeProblem::Malformed(text.to_owned());
        let (variable, ends) = match text.split_once('=') {
            Some((name, ends)) => (Some(name.trim()), ends),
            None => (None, text),
        };
        if variable == Some("") {
            return Err(malformed());
        }
        let (low, high) = ends.split_once(':').ok_or_else(malformed)?;
        let range = Range {
            low: end(low, text)?,
            high: end(high, text)?,
        };
        if range.is_empty() {
            return Err(RangeProblem::Empty(text.to_owned()));
        }
        Ok(RangeOption {
            variable: variable.map(str::to_owned),
            range,
        })
    }
}

fn end(end: &str, text: &str) -> Result<f64, RangeProblem> {
    let number = Number::read(end.trim()).map(|number| number.to_f64());
    number
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| RangeProblem::NotANumber {
            end: end.trim().to_owned(),
            text: text.to_owned(),
        })
}

impl fmt::Display for RangeOption {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(variable) = &self.variable {
            write!(f, "{variable}=")?;
        }
        write!(f, "{}:{}", plain(self.range.low), plain(self.range.high))
    }
}

impl fmt::Display for NamedRange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Range { low, high } = self.range;
        write!(f, "{}={}:{}", self.name, plain(low), plain(high))
    }
}

/// As people write it.
fn plain(number: f64) -> String {
    match number.is_finite() {
        true => Number::from_f64(number).text,
        false => number.to_string(),
    }
}

impl From<NamedRange> for RangeOption {
    fn from(named: NamedRange) -> RangeOption {
        RangeOption {
            variable: Some(named.name),
            range: named.range,
        }
    }
}

/// Gives every range its variable; `variables` may be elements of arrays, such as `v[0]`.
pub fn assign(given: &[RangeOption], variables: &[&str]) -> Result<Vec<NamedRange>, RangeProblem> {
    let known = whole_names(variables);
    let named = |option: &RangeOption| {
        let name = match (&option.variable, known.as_slice()) {
            (Some(name), _) => name.clone(),
            (None, [only]) => only.clone(),
            (None, []) => {
                return Err(RangeProblem::Unknown {
                    name: option.to_string(),
                    known: known.clone(),
                });
            }
            (None, _) => {
                return Err(RangeProblem::Unnamed {
                    range: option.clone(),
                    known: known.clone(),
                });
            }
        };
        if !variables.iter().any(|variable| is_named(variable, &name)) {
            let known = known.clone();
            return Err(RangeProblem::Unknown { name, known });
        }
        Ok(NamedRange {
            name,
            range: option.range,
        })
    };
    given.iter().map(named).collect()
}

/// Whether a name is that of a variable, or of the array whose element the variable is.
pub fn is_named(variable: &str, name: &str) -> bool {
    variable == name || variable.split(['[', '.']).next() == Some(name)
}

/// Variables as a user calls them: an array has one name.
fn whole_names(variables: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for variable in variables {
        let whole = variable.split(['[', '.']).next().unwrap_or_default();
        if !names.iter().any(|name| name == whole) {
            names.push(whole.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<RangeOption, RangeProblem> {
        RangeOption::read(text)
    }

    #[test]
    fn operands_that_were_infinite_have_ranges_that_can_be_shown() {
        let range = Range {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        };
        let name = "x".to_owned();
        assert_eq!(NamedRange { name, range }.to_string(), "x=-inf:inf");
    }

    fn refusal(given: &str, variables: &[&str]) -> String {
        let option = read(given).unwrap();
        assign(&[option], variables).unwrap_err().to_string()
    }

    #[test]
    fn both_ends_belong_to_a_range() {
        for (text, low, high) in [
            ("x=1e-9:1", 1e-9, 1.0),
            ("x=2:2", 2.0, 2.0),
            ("x = -2 : -1", -2.0, -1.0),
            ("x=0x1p-3:1/2", 0.125, 0.5),
        ] {
            let option = read(text).unwrap();
            assert_eq!(option.variable.as_deref(), Some("x"), "{text}");
            assert_eq!(option.range, Range { low, high }, "{text}");
            assert_eq!(read(&option.to_string()), Ok(option), "{text}");
        }
        assert_eq!(read("1:2").unwrap().variable, None);
    }

    #[test]
    fn what_is_not_a_range_is_refused_with_the_reason() {
        for (text, reason) in [
            ("x", "not a range"),
            ("x=1", "not a range"),
            ("=1:2", "not a range"),
            ("", "not a range"),
            ("x=a:b", "`a` in the range"),
            ("x=1:", "`` in the range"),
            ("x=0:inf", "`inf` in the range"),
            ("x=0:1e999", "`1e999` in the range"),
            ("x=2:1", "smaller end first"),
        ] {
            let found = read(text).unwrap_err().to_string();
            assert!(found.contains(reason), "{text}: {found}");
        }
    }

    #[test]
    fn a_range_without_a_name_is_that_of_the_only_variable() {
        let option = read("1:2").unwrap();
        let assigned = assign(std::slice::from_ref(&option), &["x"]).unwrap();
        assert_eq!(assigned[0].name, "x");
        let elements = ["v[0]", "v[1]"];
        assert_eq!(assign(&[option], &elements).unwrap()[0].name, "v");
        assert_eq!(
            refusal("1e-9:1e-3", &["x", "y"]),
            "`--range 1e-9:0.001` must name a variable, because the variables are x, y: write --range x=1e-9:0.001"
        );
        assert_eq!(
            refusal("z=1:2", &["x", "v[0]", "v[1]"]),
            "--range names `z`, but the variables are x, v"
        );
        assert_eq!(
            refusal("z=1:2", &[]),
            "--range names `z`, but there are no variables"
        );
        assert!(assign(&[read("v[1]=1:2").unwrap()], &elements).is_ok());
    }
}
