//! Errors of original and repair on sampled inputs, and whether the exact function is ill-conditioned there.

use super::{
    error::{self, bits},
    exact, machine,
    points::{Points, Population},
    subject::Subject,
};

/// One input with the errors in bits.
#[derive(Clone, Debug)]
pub struct Sample {
    pub input: Vec<f64>,
    pub is_wide: bool,
    pub before: f64,
    pub after: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Errors {
    pub count: usize,
    pub mean: f64,
    pub worst: f64,
    pub worst_input: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub wide: Errors,
    pub everyday: Errors,
}

impl Measured {
    pub fn worst(&self) -> f64 {
        self.wide.worst.max(self.everyday.worst)
    }
}

/// Errors of more bits than this are large.
const LARGE: f64 = 5.0;

/// Both errors at each point. `repaired` computes the repair.
pub fn samples(
    subject: &Subject,
    points: &Points,
    repaired: &dyn Fn(&[f64]) -> f64,
) -> Vec<Sample> {
    let width = subject.width;
    (0..points.len())
        .map(|index| {
            let input = &points.inputs[index];
            let exact = points.exact[index];
            let original = machine::evaluate(&subject.original, input, width);
            Sample {
                input: input.clone(),
                is_wide: points.populations[index] == Population::Wide,
                before: bits(original, exact, width),
                after: bits(repaired(input), exact, width),
            }
        })
        .collect()
}

/// What the samples say of one of the two formulas.
pub fn measured(samples: &[Sample], error: impl Fn(&Sample) -> f64) -> Measured {
    let mut measured = Measured::default();
    for sample in samples {
        let error = error(sample);
        let of = match sample.is_wide {
            true => &mut measured.wide,
            false => &mut measured.everyday,
        };
        of.count += 1;
        of.mean += error;
        if of.count == 1 || error > of.worst {
            of.worst = error;
            of.worst_input = sample.input.clone();
        }
    }
    for errors in [&mut measured.wide, &mut measured.everyday] {
        errors.mean /= errors.count.max(1) as f64;
    }
    measured
}

/// Whether most of the original's large errors are no larger than what one ulp of an input changes: then the exact
/// function, not the formula, is to blame.
pub fn is_ill_conditioned(subject: &Subject, samples: &[Sample]) -> bool {
    let bad = samples.iter().filter(|sample| sample.before > LARGE);
    let (mut count, mut amplified) = (0, 0);
    for sample in bad.take(40) {
        count += 1;
        amplified += usize::from(amplification(subject, &sample.input) + 2.0 > sample.before);
    }
    count > 0 && 10 * amplified >= 8 * count
}

/// The bits by which the exact result changes if an input changes by an ulp.
fn amplification(subject: &Subject, input: &[f64]) -> f64 {
    let width = subject.width;
    let Some(exact) = exact::value(&subject.original, input, width) else {
        return 0.0;
    };
    let mut most = 0.0f64;
    for index in 0..input.len() {
        let mut moved = input.to_vec();
        let place = error::ordinal(moved[index], width);
        moved[index] = error::from_ordinal(place + 1, width);
        if let Some(value) = exact::value(&subject.original, &moved, width) {
            most = most.max(bits(value, exact, width));
        }
    }
    most
}
