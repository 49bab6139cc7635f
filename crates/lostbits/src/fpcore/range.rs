//! Intervals of one variable: given by the user, or read off a precondition.

use thiserror::Error;

use super::{
    ast::{Comparison, Core, Expr, Format, Kind, Parameter, Test, TestKind},
    evaluate::{Budget, Literals, evaluate_real},
    number::Number,
};

/// All numbers from the first to the second.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

/// The range of a named variable: `x=1e-9:1e-3`.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedRange {
    pub name: String,
    pub range: Range,
}

#[derive(Clone, PartialEq, Debug, Error)]
pub enum RangeProblem {
    #[error("`{0}` is no range: write --range x=LOW:HIGH, such as --range x=1e-9:1e-3")]
    Malformed(String),
    #[error("the range `{0}` is empty: its lower end is above its upper end")]
    Empty(String),
    #[error("there is no variable `{name}`: {}", variables(known))]
    Unknown { name: String, known: Vec<String> },
}

fn variables(known: &[String]) -> String {
    match known {
        [] => "the expression has none".to_owned(),
        known => format!("the variables are {}", known.join(", ")),
    }
}

impl Range {
    /// All finite numbers.
    pub const ALL: Range = Range {
        low: -f64::MAX,
        high: f64::MAX,
    };

    pub fn intersected(self, other: Range) -> Range {
        Range {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }
}

impl NamedRange {
    pub fn read(text: &str) -> Result<NamedRange, RangeProblem> {
        let malformed = || RangeProblem::Malformed(text.to_owned());
        let (name, ends) = text.split_once('=').ok_or_else(malformed)?;
        let (low, high) = ends.split_once(':').ok_or_else(malformed)?;
        let end = |text: &str| Number::read(text.trim()).map(|number| number.to_f64());
        let (Ok(low), Ok(high)) = (end(low), end(high)) else {
            return Err(malformed());
        };
        if name.trim().is_empty() || !low.is_finite() || !high.is_finite() {
            return Err(malformed());
        }
        let range = Range { low, high };
        if range.is_empty() {
            return Err(RangeProblem::Empty(text.to_owned()));
        }
        Ok(NamedRange {
            name: name.trim().to_owned(),
            range,
        })
    }
}

/// A range for each parameter: what the user says, what the precondition says, what the format holds.
pub fn ranges(core: &Core, given: &[NamedRange]) -> Result<Vec<Range>, RangeProblem> {
    for range in given {
        if !core
            .parameters
            .iter()
            .any(|parameter| parameter.name == range.name)
        {
            return Err(RangeProblem::Unknown {
                name: range.name.clone(),
                known: core.parameters.iter().map(|p| p.name.clone()).collect(),
            });
        }
    }
    let of = |parameter: &Parameter| {
        let mut range = of_format(parameter.format);
        if let Some(pre) = &core.pre {
            range = range.intersected(implied(pre, &parameter.name));
        }
        let given = given.iter().filter(|range| range.name == parameter.name);
        given.fold(range, |range, given| range.intersected(given.range))
    };
    Ok(core.parameters.iter().map(of).collect())
}

fn of_format(format: Format) -> Range {
    let most = match format {
        Format::Binary32 => f64::from(f32::MAX),
        Format::Integer => (1u64 << 53) as f64,
        _ => f64::MAX,
    };
    Range {
        low: -most,
        high: most,
    }
}

/// An interval outside of which the test is false for the variable, whatever the others are.
fn implied(test: &Test, name: &str) -> Range {
    match &test.kind {
        TestKind::And(tests) => tests.iter().fold(Range::ALL, |range, test| {
            range.intersected(implied(test, name))
        }),
        TestKind::Or(tests) if !tests.is_empty() => {
            let parts = tests.iter().map(|test| implied(test, name));
            let hull = |left: Range, right: Range| Range {
                low: left.low.min(right.low),
                high: left.high.max(right.high),
            };
            parts.reduce(hull).unwrap_or(Range::ALL)
        }
        TestKind::Annotated(_, _, test) => implied(test, name),
        TestKind::Compare(comparison, operands) => {
            let pairs = operands.iter().enumerate().flat_map(|(index, left)| {
                operands[index + 1..].iter().map(move |right| (left, right))
            });
            pairs.fold(Range::ALL, |range, (left, right)| {
                range.intersected(compared(*comparison, left, right, name))
            })
        }
        _ => Range::ALL,
    }
}

/// By a comparison of the variable with a number; chains hold for all pairs of their operands.
fn compared(comparison: Comparison, left: &Expr, right: &Expr, name: &str) -> Range {
    use Comparison::{AtLeast, AtMost, Equal, Greater, Less};
    let is_variable =
        |expr: &Expr| matches!(&expr.kind, Kind::Variable(variable) if variable == name);
    let below = |bound: Option<f64>| bound.map_or(Range::ALL, |high| Range { high, ..Range::ALL });
    let above = |bound: Option<f64>| bound.map_or(Range::ALL, |low| Range { low, ..Range::ALL });
    let (bound, is_left) = match (is_variable(left), is_variable(right)) {
        (true, false) => (constant(right), true),
        (false, true) => (constant(left), false),
        _ => return Range::ALL,
    };
    match (comparison, is_left) {
        (Less | AtMost, true) | (Greater | AtLeast, false) => below(bound),
        (Less | AtMost, false) | (Greater | AtLeast, true) => above(bound),
        (Equal, _) => below(bound).intersected(above(bound)),
        _ => Range::ALL,
    }
}

/// The value of an expression without variables.
fn constant(expr: &Expr) -> Option<f64> {
    if !is_closed(expr) {
        return None;
    }
    let core = Core::of_expression(expr.clone());
    let value = evaluate_real(&core, &[], Literals::Exact, Budget(1000)).ok()?;
    Some(value.number().ok()?.to_f64()).filter(|value| value.is_finite())
}

fn is_closed(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Number(_) | Kind::Constant(_) => true,
        Kind::Operation(_, operands) => operands.iter().all(is_closed),
        _ => false,
    }
}
