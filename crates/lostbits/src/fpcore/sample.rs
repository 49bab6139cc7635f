//! Inputs for a core: drawn from ranges, kept where the precondition holds.
//!
//! In turn, numbers are drawn evenly from their range, evenly from the doubles in it (so that all
//! magnitudes are tried, as Herbie does), and each number of an input in either way; where no range is
//! known only the second makes sense. What an `:example` gives comes first. The same seed gives the same
//! inputs.

use thiserror::Error;

use super::{
    ast::{Core, Dimension, Format, Parameter},
    evaluate::{Budget, Literals, Value, evaluate_real, reals::holds_really},
    random::Random,
    range::{NamedRange, Range, RangeProblem, ranges},
    read::read_expression,
    sexp::Sexp,
};

pub type Sample = Vec<Value<f64>>;

/// How many points are tried for each one that is wanted.
const ATTEMPTS: usize = 400;
const BUDGET: Budget = Budget(100_000);
/// The largest size given to a dimension that has a name.
const LARGEST_SIZE: u64 = 8;

#[derive(Clone, PartialEq, Debug, Error)]
pub enum SamplingProblem {
    #[error(transparent)]
    Range(#[from] RangeProblem),
    #[error("no input can be drawn: the ranges leave nothing for `{0}`")]
    NothingLeft(String),
    #[error(
        "the precondition held for none of {0} inputs drawn: narrow the variables with --range x=LOW:HIGH"
    )]
    NoneAccepted(usize),
}

/// At most `count` inputs; fewer where the precondition refuses most.
pub fn sample(
    core: &Core,
    given: &[NamedRange],
    count: usize,
    seed: u64,
) -> Result<Vec<Sample>, SamplingProblem> {
    let ranges = ranges(core, given)?;
    for (parameter, range) in core.parameters.iter().zip(&ranges) {
        if range.is_empty() {
            return Err(SamplingProblem::NothingLeft(parameter.name.clone()));
        }
    }
    let mut random = Random::new(seed);
    let mut samples = Vec::new();
    if let Some(example) = example(core, &ranges, &mut random) {
        samples.push(example);
    }
    let mut tried = 0;
    while samples.len() < count && tried < count * ATTEMPTS {
        let sample = draw(core, &ranges, &mut random, tried);
        tried += 1;
        if holds_really(core, &sample, BUDGET) == Ok(true) {
            samples.push(sample);
        }
    }
    if samples.is_empty() && count > 0 {
        return Err(SamplingProblem::NoneAccepted(tried));
    }
    samples.truncate(count);
    Ok(samples)
}

fn draw(core: &Core, ranges: &[Range], random: &mut Random, turn: usize) -> Sample {
    let mut sizes: Vec<(&str, usize)> = Vec::new();
    let mut sample = Vec::new();
    for (parameter, range) in core.parameters.iter().zip(ranges) {
        let shape: Vec<usize> = parameter
            .dimensions
            .iter()
            .map(|dimension| size(dimension, &mut sizes, random))
            .collect();
        let mut next = || number(*range, parameter.format, turn, random);
        sample.push(match shape.as_slice() {
            [] => Value::Number(next()),
            _ => Value::Tensor {
                elements: (0..shape.iter().product()).map(|_| next()).collect(),
                shape,
            },
        });
    }
    sample
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
    let is_wide = range.high - range.low > 1e30;
    let evenly = match turn % 3 {
        0 => true,
        1 => false,
        _ => random.below(2) == 0,
    };
    let drawn = if is_wide || !evenly {
        by_magnitude(range, random)
    } else {
        range.low + (range.high - range.low) * random.unit()
    };
    let rounded = match format {
        Format::Binary32 => f64::from(drawn as f32),
        Format::Integer => drawn.round(),
        _ => drawn,
    };
    rounded.clamp(range.low, range.high)
}

/// Evenly among the doubles of the range.
fn by_magnitude(range: Range, random: &mut Random) -> f64 {
    let (low, high) = (ordinal(range.low), ordinal(range.high));
    let drawn = low + random.below(high.abs_diff(low).saturating_add(1)) as i64;
    from_ordinal(drawn)
}

fn ordinal(x: f64) -> i64 {
    let magnitude = (x.to_bits() & !(1 << 63)) as i64;
    if x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

fn from_ordinal(ordinal: i64) -> f64 {
    let magnitude = f64::from_bits(ordinal.unsigned_abs());
    if ordinal < 0 { -magnitude } else { magnitude }
}

/// What `:example ([x 1] …)` gives, the other variables drawn.
fn example(core: &Core, ranges: &[Range], random: &mut Random) -> Option<Sample> {
    let property = core
        .properties
        .iter()
        .find(|property| property.name == "example")?;
    let bindings = property.value.list()?;
    let mut sample = draw(core, ranges, random, 0);
    for binding in bindings {
        let [name, value] = binding.list()? else {
            return None;
        };
        let index = core
            .parameters
            .iter()
            .position(|p| Some(p.name.as_str()) == name.atom())?;
        sample[index] = Value::Number(stated(value, &core.parameters[index])?);
    }
    Some(sample)
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
