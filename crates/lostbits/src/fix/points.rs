//! Inputs on which candidates are compared, with the exact results.
//!
//! Two populations count alike. *Wide* points are uniform over the numbers of the format within the ranges, as Herbie
//! draws them: every magnitude is as likely as every other. *Everyday* points are what people compute with: magnitudes
//! from 1e-6 to 1e6, whole and simple numbers, variables that are nearly equal. A formula that wins the first and loses
//! the second is no repair.

use super::{
    error::{from_ordinal, ordinal},
    exact,
    machine::Width,
    math::Term,
    subject::Subject,
};
use crate::numeric::{Random, Range};

/// Points that are tried for each one wanted.
const ATTEMPTS: usize = 60;
/// Further attempts for which an undecided result counts: it takes as long.
const UNDECIDED: usize = 60;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Population {
    Wide,
    Everyday,
    /// Around a threshold of a repair.
    Boundary,
    /// Where functions overflow, underflow or lose their last digit: 709.8, 1e154, 2^53 and the like.
    Critical,
}

/// What became of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addition {
    Added,
    /// It is outside the ranges, or violates the precondition.
    Excluded,
    /// The exact result is infinite, too large for the format, or not defined.
    Infinite,
    /// The exact result is not known, although much was spent on it.
    Undecided,
}

/// Inputs with their exact results, all of them finite numbers.
#[derive(Clone, Debug, Default)]
pub struct Points {
    pub inputs: Vec<Vec<f64>>,
    pub exact: Vec<f64>,
    pub populations: Vec<Population>,
}

impl Population {
    fn seed(self) -> u64 {
        match self {
            Population::Wide => 0x57,
            Population::Everyday => 0xe5,
            Population::Boundary => 0xb0,
            Population::Critical => 0xc1,
        }
    }
}

impl Points {
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Adds an input if it fulfils the precondition and its result is a finite number.
    pub fn add(&mut self, subject: &Subject, input: Vec<f64>, population: Population) -> Addition {
        if !subject.admits(&input) {
            return Addition::Excluded;
        }
        match exact::value(&subject.original, &input, subject.width) {
            None => Addition::Undecided,
            Some(value) if !value.is_finite() => Addition::Infinite,
            Some(value) => {
                self.inputs.push(input);
                self.exact.push(value);
                self.populations.push(population);
                Addition::Added
            }
        }
    }

    /// Draws up to `count` more.
    pub fn draw(&mut self, subject: &Subject, population: Population, count: usize, seed: u64) {
        let mut random = Random::new(seed ^ (population.seed() << 32));
        let (mut found, mut tried) = (0, 0);
        while found < count && tried < count * ATTEMPTS {
            let input = match population {
                Population::Everyday => everyday(subject, &mut random),
                Population::Critical => critical(subject, &mut random),
                _ => wide(subject, &mut random),
            };
            match self.add(subject, input, population) {
                Addition::Added => found += 1,
                Addition::Undecided => tried += UNDECIDED,
                Addition::Excluded | Addition::Infinite => {}
            }
            tried += 1;
        }
    }

    pub fn append(&mut self, other: &Points) {
        self.inputs.extend_from_slice(&other.inputs);
        self.exact.extend_from_slice(&other.exact);
        self.populations.extend_from_slice(&other.populations);
    }

    /// Those that a condition chooses.
    pub fn chosen(&self, condition: impl Fn(&[f64]) -> bool) -> Points {
        let mut chosen = Points::default();
        for index in 0..self.len() {
            if condition(&self.inputs[index]) {
                chosen.inputs.push(self.inputs[index].clone());
                chosen.exact.push(self.exact[index]);
                chosen.populations.push(self.populations[index]);
            }
        }
        chosen
    }

    /// A weight for each, so that wide and everyday points count alike; they add up to 1.
    pub fn weights(&self) -> Vec<f64> {
        let count = |population| {
            let same = self.populations.iter().filter(|p| **p == population);
            same.count() as f64
        };
        let (wide, everyday) = (count(Population::Wide), count(Population::Everyday));
        let kinds = f64::from(u8::from(wide > 0.0) + u8::from(everyday > 0.0)).max(1.0);
        let weight = |population: &Population| match population {
            Population::Wide => 1.0 / (kinds * wide),
            Population::Everyday => 1.0 / (kinds * everyday),
            Population::Boundary | Population::Critical => 0.0,
        };
        self.populations.iter().map(weight).collect()
    }
}

/// Uniform over the numbers of the format.
pub fn wide(subject: &Subject, random: &mut Random) -> Vec<f64> {
    let draw = |range: &Range| uniform_ordinal(*range, subject.width, random);
    subject.ranges.iter().map(draw).collect()
}

fn uniform_ordinal(range: Range, width: Width, random: &mut Random) -> f64 {
    let (low, high) = (ordinal(range.low, width), ordinal(range.high, width));
    let place = low.wrapping_add(random.below(high.abs_diff(low).saturating_add(1)) as i64);
    from_ordinal(place, width).clamp(range.low, range.high)
}

/// Most variables near an end of their range or near 0, where intermediate results overflow and underflow.
pub fn extreme(subject: &Subject, random: &mut Random) -> Vec<f64> {
    let mut input = wide(subject, random);
    for (x, range) in input.iter_mut().zip(&subject.ranges) {
        let place = |x: f64| ordinal(x, subject.width);
        let (low, high) = (place(range.low), place(range.high));
        // A sixteenth of the numbers of one sign.
        let depth = random.below((high.abs_diff(low) / 32).max(1)) as i64;
        let near = match random.below(6) {
            0 | 1 => high - depth,
            2 | 3 => low + depth,
            4 if low <= 0 && high >= 0 => depth.min(high),
            _ => continue,
        };
        *x = from_ordinal(near, subject.width).clamp(range.low, range.high);
    }
    input
}

/// Numbers as people use them, as far as the ranges admit.
pub fn everyday(subject: &Subject, random: &mut Random) -> Vec<f64> {
    let mut input: Vec<f64> = Vec::new();
    // Numbers of few digits throughout, with which most formulas compute exactly.
    let are_simple = random.below(6) == 0;
    for range in &subject.ranges {
        let mut drawn = match are_simple {
            true => simple(*range, random),
            false => ordinary(*range, random),
        };
        // Nearly equal to another variable, or to its opposite.
        if !are_simple && !input.is_empty() && random.below(5) == 0 {
            let other = input[random.below(input.len() as u64) as usize];
            let apart = 2f64.powi(-(random.below(45) as i32));
            let sign = if random.below(4) == 0 { -1.0 } else { 1.0 };
            drawn = sign * other * (1.0 + apart * (random.unit() - 0.5));
        }
        if !(range.low..=range.high).contains(&drawn) {
            drawn = evenly(*range, subject.width, random);
        }
        input.push(subject.width.round(drawn).clamp(range.low, range.high));
    }
    input
}

/// A whole number, or one with a quarter.
fn simple(range: Range, random: &mut Random) -> f64 {
    let size = match random.below(3) {
        0 => random.below(13) as f64,
        1 => random.below(200) as f64 / 4.0,
        _ => 10f64.powi(random.below(7) as i32),
    };
    if is_negative(range, random) {
        -size
    } else {
        size
    }
}

fn is_negative(range: Range, random: &mut Random) -> bool {
    range.low < 0.0 && (range.high <= 0.0 || random.below(2) == 0)
}

fn ordinary(range: Range, random: &mut Random) -> f64 {
    let negative = is_negative(range, random);
    let size = match random.below(8) {
        0 => random.below(21) as f64,
        1 => random.below(1001) as f64,
        2 => random.below(101) as f64 / 10.0,
        3 => random.unit(),
        _ => 10f64.powf(12.0 * random.unit() - 6.0),
    };
    if negative { -size } else { size }
}

/// Magnitudes around which something happens in binary64 or binary32.
const MAGNITUDES: [f64; 22] = [
    5e-324, 1e-308, 1e-162, 1e-154, 1e-45, 1e-38, 1e-19, 1e-16, 1e-8, 18.0, 37.0, 88.0, 103.0,
    355.0, 709.0, 728.0, 745.0, 9e7, 9e15, 1e19, 1e38, 1e154,
];

/// One variable near such a magnitude, the others anywhere.
fn critical(subject: &Subject, random: &mut Random) -> Vec<f64> {
    let mut input = match random.below(2) {
        0 => everyday(subject, random),
        _ => wide(subject, random),
    };
    if input.is_empty() {
        return input;
    }
    let index = random.below(input.len() as u64) as usize;
    let magnitude = MAGNITUDES[random.below(MAGNITUDES.len() as u64) as usize];
    let near = magnitude * (1.0 + 0.06 * (random.unit() - 0.5));
    let range = subject.ranges[index];
    let near = if random.below(2) == 0 { near } else { -near };
    input[index] = subject.width.round(near).clamp(range.low, range.high);
    input
}

/// Evenly from a narrow range, by magnitude from a wide one.
fn evenly(range: Range, width: Width, random: &mut Random) -> f64 {
    let (low, high) = (range.low.max(-1e6), range.high.min(1e6));
    if low <= high && high - low <= 1e5 {
        return low + (high - low) * random.unit();
    }
    uniform_ordinal(range, width, random)
}

/// The bits of error of values against the exact results.
pub fn errors(points: &Points, values: &[f64], width: Width) -> Vec<f64> {
    let pairs = values.iter().zip(&points.exact);
    pairs
        .map(|(value, exact)| super::error::bits(*value, *exact, width))
        .collect()
}

/// The errors of a term.
pub fn errors_of(term: &Term, points: &Points, width: Width) -> Vec<f64> {
    let values: Vec<f64> = points
        .inputs
        .iter()
        .map(|input| super::machine::evaluate(term, input, width))
        .collect();
    errors(points, &values, width)
}
