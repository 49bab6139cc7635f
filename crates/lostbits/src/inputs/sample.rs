//! Inputs for a core, drawn from its ranges; kept where the precondition holds.
//!
//! First come the `:example`, then the low and the high ends of the ranges. After them, numbers are drawn in turn:
//! all evenly from their range, all evenly from the doubles in it (so that every magnitude is tried, as Herbie
//! does), and each number of an input in either way. A range that spans all magnitudes is drawn from evenly only
//! between -100 and 100, where everyday numbers are. The same seed gives the same inputs.

use thiserror::Error;

use super::{
    bounds::{Exclusion, conjuncts, in_pre, of_format, ranges},
    range::NamedRange,
};
use crate::{
    fpcore::{
        ast::{Core, Dimension, Format, Parameter},
        evaluate::{Budget, Literals, Value, evaluate_real, reals::holds_really},
        read::read_expression,
        sexp::Sexp,
    },
    numeric::{Random, Range},
};

pub type Sample = Vec<Value<f64>>;

/// How many inputs are drawn for each one that is wanted.
const ATTEMPTS: usize = 400;
/// How many inputs are checked to find out which part of a precondition none satisfies.
const REJECTED: usize = 1000;
const BUDGET: Budget = Budget(100_000);
/// The largest size given to a dimension that has a name.
const LARGEST_SIZE: u64 = 8;
/// Ranges wider than this span all magnitudes: a number drawn evenly from them is always huge.
const WIDE: f64 = 1e30;
const EVERYDAY: Range = Range {
    low: -100.0,
    high: 100.0,
};

#[derive(Clone, PartialEq, Debug, Error)]
pub enum SamplingProblem {
    #[error("{0}: widen the range, or change :pre")]
    Excluded(#[from] Exclusion),
    #[error(
        "none of {drawn} inputs drawn satisfies {part}: narrow the variables with --range x=LOW:HIGH, or change :pre"
    )]
    NoneAccepted { drawn: usize, part: String },
}

/// At most `count` inputs; fewer if the precondition rejects most of what is drawn.
pub fn sample(
    core: &Core,
    given: &[NamedRange],
    count: usize,
    seed: u64,
) -> Result<Vec<Sample>, SamplingProblem> {
    let mut source = Source {
        core,
        ranges: ranges(core, given)?,
        random: Random::new(seed),
    };
    let first = source.example().into_iter().chain(source.ends());
    let mut samples: Vec<Sample> = first.filter(|sample| holds(core, sample)).collect();
    let mut drawn = 0;
    while samples.len() < count && drawn < count * ATTEMPTS {
        let sample = source.draw(drawn);
        drawn += 1;
        if holds(core, &sample) {
            samples.push(sample);
        }
    }
    if samples.is_empty() && count > 0 {
        let part = source.rejecting_part();
        return Err(SamplingProblem::NoneAccepted { drawn, part });
    }
    samples.truncate(count);
    Ok(samples)
}

fn holds(core: &Core, sample: &[Value<f64>]) -> bool {
    holds_really(core, sample, BUDGET) == Ok(true)
}

struct Source<'a> {
    core: &'a Core,
    ranges: Vec<Range>,
    random: Random,
}

impl<'a> Source<'a> {
    fn draw(&mut self, turn: usize) -> Sample {
        self.filled(|random, range, format| number(range, format, turn, random))
    }

    /// The low ends of all ranges, and the high ones. The limits of a format are not ends that anyone asked for:
    /// numbers are drawn instead.
    fn ends(&mut self) -> Vec<Sample> {
        if self.core.parameters.is_empty() {
            return Vec::new();
        }
        let mut at = |end: fn(Range) -> f64| {
            self.filled(|random, range, format| match end(range) {
                end if end.abs() != of_format(format).high => rounded(end, range, format),
                _ => number(range, format, 0, random),
            })
        };
        vec![at(|range| range.low), at(|range| range.high)]
    }

    /// An input whose numbers come from `next`.
    fn filled(&mut self, mut next: impl FnMut(&mut Random, Range, Format) -> f64) -> Sample {
        let mut sizes: Vec<(&str, usize)> = Vec::new();
        let mut sample = Vec::new();
        for (parameter, range) in self.core.parameters.iter().zip(&self.ranges) {
            let dimensions = parameter.dimensions.iter();
            let shape: Vec<usize> = dimensions
                .map(|dimension| size(dimension, &mut sizes, &mut self.random))
                .collect();
            let mut number = || next(&mut self.random, *range, parameter.format);
            sample.push(match shape.as_slice() {
                [] => Value::Number(number()),
                _ => Value::Tensor {
                    elements: (0..shape.iter().product()).map(|_| number()).collect(),
                    shape,
                },
            });
        }
        sample
    }

    /// What `:example ([x 1] …)` gives, the other variables drawn; none if it is outside the ranges.
    fn example(&mut self) -> Option<Sample> {
        let core = self.core;
        let mut properties = core.properties.iter();
        let example = properties.find(|property| property.name == "example")?;
        let bindings = example.value.list()?;
        let mut sample = self.draw(0);
        for binding in bindings {
            let [name, value] = binding.list()? else {
                return None;
            };
            let mut parameters = core.parameters.iter();
            let index = parameters.position(|one| Some(one.name.as_str()) == name.atom())?;
            let value = stated(value, &core.parameters[index])?;
            if !self.ranges[index].contains(value) {
                return None;
            }
            sample[index] = Value::Number(value);
        }
        Some(sample)
    }

    /// The part of the precondition that the fewest inputs satisfy.
    fn rejecting_part(&mut self) -> String {
        let inputs: Vec<Sample> = (0..REJECTED).map(|turn| self.draw(turn)).collect();
        let parts = self.core.pre.iter().flat_map(conjuncts);
        let satisfied = |core: Core| inputs.iter().filter(|input| holds(&core, input)).count();
        let rarest = parts.min_by_key(|part| {
            let mut core = self.core.clone();
            core.pre = Some((*part).clone());
            satisfied(core)
        });
        rarest.map_or_else(|| ":pre".to_owned(), in_pre)
    }
}

/// One size for each name.
fn size<'a>(
    dimension: &'a Dimension,
    sizes: &mut Vec<(&'a str, usize)>,
    random: &mut Random,
) -> usize {
    match dimension {
        Dimension::Fixed(size) => *size,
        Dimension::Named(name) => match sizes.iter().find(|(known, _)| known == name) {
            Some((_, size)) => *size,
            None => {
                let size = random.below(LARGEST_SIZE) as usize + 1;
                sizes.push((name, size));
                size
            }
        },
    }
}

fn number(range: Range, format: Format, turn: usize, random: &mut Random) -> f64 {
    let evenly = match turn % 3 {
        0 => true,
        1 => false,
        _ => random.below(2) == 0,
    };
    let even_range = match range.high - range.low > WIDE {
        true => range.intersected(EVERYDAY),
        false => range,
    };
    let drawn = match evenly && !even_range.is_empty() {
        true => random.real(even_range),
        false => random.double(range),
    };
    rounded(drawn, range, format)
}

/// To the format, within the range where it has such a number.
fn rounded(drawn: f64, range: Range, format: Format) -> f64 {
    let rounded = match format {
        Format::Binary32 => f64::from(drawn as f32),
        Format::Integer => drawn.round(),
        _ => drawn,
    };
    rounded.clamp(range.low, range.high)
}

fn stated(value: &Sexp, parameter: &Parameter) -> Option<f64> {
    let body = read_expression(&value.to_string(), &[]).ok()?;
    let core = Core::of_expression(body);
    let value = evaluate_real(&core, &[], Literals::Exact, BUDGET).ok()?;
    let value = value.number().ok()?;
    Some(match parameter.format {
        Format::Binary32 => f64::from(value.to_f32()),
        _ => value.to_f64(),
    })
}
