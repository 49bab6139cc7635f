//! Inputs for expressions and cores: drawn from the ranges of `--range` and of `:pre`, with a fixed seed.
//!
//! Half of the numbers are drawn so that every exponent has its chance, half evenly (where the range has two
//! ends); the ends of the ranges come first. What does not fulfil the precondition is thrown away.

use std::collections::BTreeMap;

use lostbits_abi::ops::Op;

use crate::fpcore::{
    Core,
    ast::{Comparison, Dimension, Expr, Format, Kind, Parameter, Test, TestKind},
    evaluate::{
        Budget, Value,
        reals::{constant_value, holds_really},
    },
};

/// From the least to the most.
pub type Ends = [f64; 2];
pub type Ranges = BTreeMap<String, Ends>;

/// How many draws are tried for each sample that is wanted.
const TRIES: usize = 200;
const STEPS: Budget = Budget(100_000);
/// What a dimension without a size has.
const SIZE: usize = 4;

/// Samples as lines of numbers, in the order in which the C program reads them. None at all if no draw
/// fulfilled the precondition.
pub fn draw(core: &Core, given: &Ranges, wanted: usize) -> Vec<String> {
    let mut ranges = Ranges::new();
    if let Some(pre) = &core.pre {
        narrow(pre, &mut ranges);
    }
    ranges.extend(given.iter().map(|(name, ends)| (name.clone(), *ends)));
    let mut numbers = Numbers(0x5eed);
    let draws = (0..wanted.saturating_mul(TRIES)).map(|turn| {
        let ends = |parameter: &Parameter| ranges.get(&parameter.name).copied();
        let values = core.parameters.iter();
        let values = values.map(|parameter| numbers.value(parameter, ends(parameter), turn));
        values.collect::<Vec<Value<f64>>>()
    });
    draws
        .filter(|values| holds_really(core, values, STEPS).unwrap_or(false))
        .take(wanted)
        .map(|values| line(core, &values))
        .collect()
}

/// A named size is read once, before the array that has it first.
fn line(core: &Core, values: &[Value<f64>]) -> String {
    let mut words = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    for (parameter, value) in core.parameters.iter().zip(values) {
        for dimension in &parameter.dimensions {
            if let Dimension::Named(name) = dimension
                && !named.contains(&name.as_str())
            {
                named.push(name);
                words.push(SIZE.to_string());
            }
        }
        let elements = value.clone().into_elements();
        words.extend(elements.iter().map(|number| format!("{number:e}")));
    }
    words.join(" ") + "\n"
}

/// What comparisons of a variable with a number say of its range.
fn narrow(test: &Test, ranges: &mut Ranges) {
    match &test.kind {
        TestKind::And(tests) => tests.iter().for_each(|test| narrow(test, ranges)),
        TestKind::Compare(comparison, operands) => {
            for pair in operands.windows(2) {
                match comparison {
                    Comparison::Less | Comparison::AtMost => below(&pair[0], &pair[1], ranges),
                    Comparison::Greater | Comparison::AtLeast => below(&pair[1], &pair[0], ranges),
                    Comparison::Equal => {
                        below(&pair[0], &pair[1], ranges);
                        below(&pair[1], &pair[0], ranges);
                    }
                    Comparison::Different => {}
                }
            }
        }
        _ => {}
    }
}

fn below(less: &Expr, more: &Expr, ranges: &mut Ranges) {
    const ALL: Ends = [f64::MIN, f64::MAX];
    match (&less.kind, number(more), number(less), &more.kind) {
        (Kind::Variable(name), Some(most), _, _) => {
            let ends = ranges.entry(name.clone()).or_insert(ALL);
            ends[1] = ends[1].min(most);
        }
        (_, _, Some(least), Kind::Variable(name)) => {
            let ends = ranges.entry(name.clone()).or_insert(ALL);
            ends[0] = ends[0].max(least);
        }
        _ => {}
    }
}

fn number(expression: &Expr) -> Option<f64> {
    match &expression.kind {
        Kind::Number(number) => Some(number.to_f64()),
        Kind::Constant(constant) => Some(constant_value(*constant, 64).to_f64()),
        Kind::Operation(Op::Neg, operands) => Some(-number(operands.first()?)?),
        _ => None,
    }
}

/// A sequence that looks random (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn value(&mut self, parameter: &Parameter, ends: Option<Ends>, turn: usize) -> Value<f64> {
        let shape: Vec<usize> = parameter.dimensions.iter().map(size).collect();
        if shape.is_empty() {
            return Value::Number(self.number(parameter.format, ends, turn));
        }
        let elements =
            (0..shape.iter().product()).map(|_| self.number(parameter.format, ends, turn));
        Value::Tensor {
            elements: elements.collect(),
            shape,
        }
    }

    fn number(&mut self, format: Format, ends: Option<Ends>, turn: usize) -> f64 {
        let [least, most] = ends.unwrap_or(widest(format));
        let is_open = least == f64::MIN || most == f64::MAX;
        let drawn = match (turn, self.next() % 2) {
            (0, _) => least,
            (1, _) => most,
            (_, 0) => self.by_exponent(least, most),
            _ if is_open => self.by_exponent(least, most),
            _ => least + (most / 2.0 - least / 2.0) * self.fraction() * 2.0,
        };
        match format {
            Format::Integer => drawn.round(),
            Format::Binary32 => f64::from(drawn as f32),
            _ => drawn,
        }
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Each number of the format is as likely as the other.
    fn by_exponent(&mut self, least: f64, most: f64) -> f64 {
        let (first, last) = (ordinal(least), ordinal(most));
        let count = (i128::from(last) - i128::from(first)).max(0) as u128 + 1;
        let offset = u128::from(self.next()) % count;
        from_ordinal((i128::from(first) + offset as i128) as i64)
    }
}

fn size(dimension: &Dimension) -> usize {
    match dimension {
        Dimension::Fixed(size) => *size,
        Dimension::Named(_) => SIZE,
    }
}

fn widest(format: Format) -> Ends {
    match format {
        Format::Integer => [-100.0, 100.0],
        Format::Binary32 => [f32::MIN.into(), f32::MAX.into()],
        _ => [f64::MIN, f64::MAX],
    }
}

/// Finite doubles counted from zero.
fn ordinal(value: f64) -> i64 {
    let bits = value.abs().to_bits() as i64;
    if value < 0.0 { -bits } else { bits }
}

fn from_ordinal(ordinal: i64) -> f64 {
    let value = f64::from_bits(ordinal.unsigned_abs());
    if ordinal < 0 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fpcore::{infix::read_infix, read_cores};

    fn drawn(core: &Core, ranges: &Ranges) -> Vec<Vec<f64>> {
        draw(core, ranges, 100)
            .iter()
            .map(|line| {
                let words = line.split_whitespace();
                words.map(|word| word.parse().unwrap()).collect()
            })
            .collect()
    }

    #[test]
    fn samples_lie_in_the_ranges() {
        let core = read_infix("(1 - cos(x)) / y").unwrap();
        let ranges = Ranges::from([
            ("x".to_owned(), [1e-9, 1e-3]),
            ("y".to_owned(), [-2.0, 3.0]),
        ]);
        let samples = drawn(&core, &ranges);
        assert_eq!(samples.len(), 100);
        assert_eq!(samples[0], [1e-9, -2.0]);
        for sample in &samples {
            assert!((1e-9..=1e-3).contains(&sample[0]), "{sample:?}");
            assert!((-2.0..=3.0).contains(&sample[1]), "{sample:?}");
        }
        let small = samples.iter().filter(|sample| sample[0] < 1e-6).count();
        assert!((10..90).contains(&small), "{small} of 100");
        assert_eq!(samples, drawn(&core, &ranges));
    }

    #[test]
    fn preconditions_are_fulfilled() {
        let source = "(FPCore (x y) :pre (and (<= -1 x PI) (> y x) (< y 10)) (- x y))";
        let core = &read_cores(source).unwrap()[0];
        let samples = drawn(core, &Ranges::new());
        assert_eq!(samples.len(), 100);
        for sample in samples {
            assert!(sample[0] >= -1.0 && sample[0] < 3.2, "{sample:?}");
            assert!(sample[1] > sample[0] && sample[1] < 10.0, "{sample:?}");
        }
        let impossible = "(FPCore (x) :pre (and (< x 0) (> x 1)) x)";
        let core = &read_cores(impossible).unwrap()[0];
        assert!(draw(core, &Ranges::new(), 3).is_empty());
    }

    #[test]
    fn ordinals_count_through_zero() {
        for value in [0.0, 1.0, -1.0, 5e-324, -5e-324, f64::MAX] {
            assert_eq!(from_ordinal(ordinal(value)), value);
        }
        assert_eq!(ordinal(5e-324), 1);
        assert_eq!(ordinal(-5e-324), -1);
    }
}
