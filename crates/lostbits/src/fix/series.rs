//! Series around 0 as candidates, each with the stretch on which its remainder is proved to be below a quarter of an ulp.
//!
//! Only expressions of one variable: there the threshold follows from the remainder. Herbie's series have no remainder,
//! which is where it harms ordinary inputs.

use rug::Rational;

use super::{
    candidate::Candidate,
    interval::Interval,
    machine::Width,
    math::{self},
    subject::Subject,
    taylor::{self, Model, has_functions},
};

/// Thresholds that are tried, the widest first.
const THRESHOLDS: [f64; 10] = [0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.01, 0.003, 0.001, 1e-5];
const RADII: [f64; 3] = [0.6, 0.3, 0.1];
/// Coefficients of the candidates.
const LENGTHS: [usize; 5] = [2, 3, 5, 7, 9];

/// Adds the series of the original, if it has one.
pub fn add(subject: &Subject, candidates: &mut Vec<Candidate>) {
    let variables = math::variables(&subject.original);
    let [variable] = variables.as_slice() else {
        return;
    };
    let range = subject.ranges[*variable as usize];
    if !has_functions(&subject.original) || range.low > 0.01 || range.high < -0.01 {
        return;
    }
    let models = RADII
        .iter()
        .filter_map(|radius| taylor::model(&subject.original, *radius));
    let Some(model) = models.into_iter().next() else {
        return;
    };
    if model.coefficients[0] == 0 {
        return;
    }
    for length in LENGTHS {
        let Some((threshold, cut, remainder)) = widest(&model, length, subject.width) else {
            continue;
        };
        let mut domain = subject.intervals();
        let inside = Interval::new(-threshold, threshold);
        domain[*variable as usize] = domain[*variable as usize].intersected(inside);
        candidates.push(Candidate {
            term: taylor::polynomial(*variable, model.order, &cut),
            domain,
            by_way_of: Vec::new(),
            remainder: Some(remainder),
            made_from: None,
        });
    }
}

/// The widest stretch on which the given number of nonzero coefficients suffices, the coefficients, and the relative remainder.
fn widest(model: &Model, length: usize, width: Width) -> Option<(f64, Vec<Rational>, f64)> {
    let mut cut = Vec::new();
    let mut nonzero = 0;
    for coefficient in &model.coefficients {
        if *coefficient != 0 {
            nonzero += 1;
        }
        if nonzero > length {
            break;
        }
        cut.push(coefficient.clone());
    }
    while cut.last().is_some_and(|last| *last == 0) {
        cut.pop();
    }
    let allowed = 0.25 * 0.5f64.powi(width.bits() as i32);
    let relative = |threshold: f64| relative_remainder(model, cut.len(), threshold);
    let threshold = THRESHOLDS
        .iter()
        .find(|t| **t <= model.radius && relative(**t).is_some_and(|r| r <= allowed))?;
    Some((*threshold, cut, allowed))
}

/// A bound on |f − its first coefficients| / |f| for |x| up to a threshold.
pub fn relative_remainder(model: &Model, length: usize, threshold: f64) -> Option<f64> {
    let slack = 1.0 + 1e-9;
    let size = |index: usize| {
        model.coefficients[index].to_f64().abs() * threshold.powi(index as i32) * slack
    };
    let all = model.coefficients.len();
    let rest = model.rest * threshold.powi(all as i32) * slack;
    let left_out: f64 = (length..all).map(size).sum::<f64>() + rest;
    let others: f64 = (1..all).map(size).sum::<f64>() + rest;
    let least = model.coefficients[0].to_f64().abs() / slack - others;
    (least > 0.0).then(|| left_out / least * slack)
}
