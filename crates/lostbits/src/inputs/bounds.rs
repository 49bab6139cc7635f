//! The range of each variable of an FPCore: what its format, `:pre` and `--range` allow together.
//!
//! Ranges are outer bounds: every input outside violates some part, inputs inside may still violate one. Bounds
//! are exact in their ends, so a part that no double satisfies, such as `(== x 0.1)`, leaves an empty range.

use rug::{Float, float::Round};
use thiserror::Error;

use super::range::NamedRange;
use crate::{
    fpcore::{
        ast::{Comparison, Core, Expr, Format, Kind, Parameter, Test, TestKind},
        evaluate::{Budget, Literals, evaluate_real},
        write,
    },
    numeric::Range,
};
use lostbits_abi::ops::Op;

/// Why a variable can have no value.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Exclusion {
    #[error("no {format} value of `{variable}` satisfies {part}")]
    Alone {
        variable: String,
        format: &'static str,
        part: String,
    },
    #[error("no value of `{variable}` satisfies both {first} and {second}")]
    Together {
        variable: String,
        first: String,
        second: String,
    },
}

/// A range for each parameter. The names of the given ranges are known to be parameters.
pub fn ranges(core: &Core, given: &[NamedRange]) -> Result<Vec<Range>, Exclusion> {
    let parameters = core.parameters.iter();
    parameters
        .map(|parameter| allowed(parameter, core, given))
        .collect()
}

/// A part of what a variable must satisfy.
struct Part {
    range: Range,
    /// For people.
    text: String,
}

fn allowed(parameter: &Parameter, core: &Core, given: &[NamedRange]) -> Result<Range, Exclusion> {
    let parts = parts(parameter, core, given);
    let mut allowed = Range::ALL;
    for (index, part) in parts.iter().enumerate() {
        allowed = allowed.intersected(part.range);
        if allowed.is_empty() {
            return Err(exclusion(parameter, part, &parts[..index]));
        }
    }
    Ok(allowed)
}

fn parts(parameter: &Parameter, core: &Core, given: &[NamedRange]) -> Vec<Part> {
    let mut parts = vec![Part {
        range: of_format(parameter.format),
        text: format!("the format {}", parameter.format.name()),
    }];
    let conditions = core.pre.iter().flat_map(conjuncts);
    parts.extend(conditions.map(|condition| Part {
        range: within_format(implied(condition, &parameter.name), parameter.format),
        text: in_pre(condition),
    }));
    let own = given.iter().filter(|range| range.name == parameter.name);
    parts.extend(own.map(|range| Part {
        range: within_format(range.range, parameter.format),
        text: format!("`--range {range}`"),
    }));
    parts
}

/// From the first to the last number of the format in a range.
fn within_format(range: Range, format: Format) -> Range {
    match format {
        Format::Integer => Range {
            low: range.low.ceil(),
            high: range.high.floor(),
        },
        Format::Binary32 => Range {
            low: -single_below(-range.low),
            high: single_below(range.high),
        },
        _ => range,
    }
}

/// The last single-precision number that is not above a number.
fn single_below(value: f64) -> f64 {
    let nearest = value as f32;
    f64::from(match f64::from(nearest) > value {
        true => nearest.next_down(),
        false => nearest,
    })
}

/// If intervals have no point in common, two of them have none: the last one and one before it.
fn exclusion(parameter: &Parameter, part: &Part, before: &[Part]) -> Exclusion {
    let excludes = |other: &&Part| other.range.intersected(part.range).is_empty();
    let (variable, second) = (parameter.name.clone(), part.text.clone());
    match before
        .iter()
        .find(excludes)
        .filter(|_| !part.range.is_empty())
    {
        Some(other) => Exclusion::Together {
            variable,
            first: other.text.clone(),
            second,
        },
        None => Exclusion::Alone {
            variable,
            format: parameter.format.name(),
            part: second,
        },
    }
}

/// The conditions that must all hold.
pub fn conjuncts(test: &Test) -> Vec<&Test> {
    match &test.kind {
        TestKind::And(tests) => tests.iter().flat_map(conjuncts).collect(),
        _ => vec![test],
    }
}

/// A condition as messages quote it.
pub fn in_pre(condition: &Test) -> String {
    format!("`{}` in :pre", write::test(condition))
}

/// The numbers of a format that are drawn.
pub fn of_format(format: Format) -> Range {
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

/// A range outside of which the test is false for the variable, whatever the others are.
fn implied(test: &Test, name: &str) -> Range {
    match &test.kind {
        TestKind::And(tests) => tests.iter().fold(Range::ALL, |range, test| {
            range.intersected(implied(test, name))
        }),
        TestKind::Or(tests) => {
            let parts = tests.iter().map(|test| implied(test, name));
            parts.reduce(Range::hull).unwrap_or(Range::ALL)
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
    use Comparison::{AtLeast, AtMost, Different, Equal, Greater, Less};
    let is_variable =
        |expr: &Expr| matches!(&expr.kind, Kind::Variable(variable) if variable == name);
    let (bound, is_left) = match (is_variable(left), is_variable(right)) {
        (true, false) => (constant(right), true),
        (false, true) => (constant(left), false),
        _ => return Range::ALL,
    };
    let Some(bound) = bound else {
        return Range::ALL;
    };
    match (comparison, is_left) {
        (Less, true) | (Greater, false) => Range {
            high: bound.before(),
            ..Range::ALL
        },
        (AtMost, true) | (AtLeast, false) => Range {
            high: bound.below,
            ..Range::ALL
        },
        (Less, false) | (Greater, true) => Range {
            low: bound.after(),
            ..Range::ALL
        },
        (AtMost, false) | (AtLeast, true) => Range {
            low: bound.above,
            ..Range::ALL
        },
        (Equal, _) => Range {
            low: bound.above,
            high: bound.below,
        },
        (Different, _) => Range::ALL,
    }
}

/// A constant among the doubles: the last one that is not above it, and the first one that is not below it.
#[derive(Clone, Copy)]
struct Constant {
    below: f64,
    above: f64,
}

impl Constant {
    fn of(value: &Float) -> Constant {
        Constant {
            below: value.to_f64_round(Round::Down),
            above: value.to_f64_round(Round::Up),
        }
    }

    /// The last double that is less.
    fn before(self) -> f64 {
        match self.below == self.above {
            true => self.below.next_down(),
            false => self.below,
        }
    }

    /// The first double that is greater.
    fn after(self) -> f64 {
        match self.below == self.above {
            true => self.above.next_up(),
            false => self.above,
        }
    }
}

/// The value of an expression without variables; none if it is unknown or NaN.
fn constant(expr: &Expr) -> Option<Constant> {
    match &expr.kind {
        Kind::Number(number) => {
            // Rounding twice in one direction is rounding once.
            let rounded = |round| Float::with_val_round(64, &number.value, round).0;
            Some(Constant {
                below: rounded(Round::Down).to_f64_round(Round::Down),
                above: rounded(Round::Up).to_f64_round(Round::Up),
            })
        }
        Kind::Operation(Op::Neg, operands) => {
            let operand = constant(operands.first()?)?;
            Some(Constant {
                below: -operand.above,
                above: -operand.below,
            })
        }
        _ if expr.is_closed() => {
            let core = Core::of_expression(expr.clone());
            let value = evaluate_real(&core, &[], Literals::Exact, Budget(1000)).ok()?;
            let value = value.number().ok().filter(|value| !value.is_nan())?;
            Some(Constant::of(&value))
        }
        _ => None,
    }
}
