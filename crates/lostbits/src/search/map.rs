//! `--map`: the error over the whole range of an input, in units in the last place.
//!
//! The range is divided into stretches that hold equally many floating-point numbers, so that each exponent has its
//! share. In each, results are compared with the reference at inputs drawn at random: the worst error, and the
//! typical one (the median). Then what is worst is divided again and again, since large errors are often in a small part of a
//! stretch. Neighbouring stretches with significant errors make an interval.
//!
//! What it can miss: errors between the inputs drawn, such as those next to a zero. The findings are those.

use lostbits_abi::kind::FpKind;
use serde::{Deserialize, Serialize};

use super::{Finding, exact, finding::relative, oracle::Oracle, session::Session, space::Axis};
use crate::{
    failure::Failure,
    numeric::{Random, Relative, Ulps, ordinal},
};

const STRETCHES: u64 = 128;
const POINTS: usize = 24;
/// How often the part with the largest error is halved.
const DIVISIONS: usize = 64;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ErrorMap {
    pub parameter: String,
    pub stretches: Vec<Stretch>,
    pub wrong: Vec<Interval>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stretch {
    #[serde(with = "exact")]
    pub low: f64,
    #[serde(with = "exact")]
    pub high: f64,
    /// Inputs with a result and a reference.
    pub judged: usize,
    /// In units in the last place.
    #[serde(with = "exact")]
    pub worst: f64,
    #[serde(with = "exact")]
    pub typical: f64,
    #[serde(with = "exact")]
    pub worst_input: f64,
    #[serde(with = "exact")]
    pub relative: Relative,
}

impl Stretch {
    fn empty(low: f64, high: f64) -> Stretch {
        Stretch {
            low,
            high,
            judged: 0,
            worst: 0.0,
            typical: 0.0,
            worst_input: low,
            relative: Relative::NONE,
        }
    }
}

impl ErrorMap {
    /// Whether nothing was compared.
    pub fn is_empty(&self) -> bool {
        self.stretches.iter().all(|stretch| stretch.judged == 0)
    }
}

/// Where errors are significant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Interval {
    #[serde(with = "exact")]
    pub low: f64,
    #[serde(with = "exact")]
    pub high: f64,
    #[serde(with = "exact")]
    pub relative: Relative,
}

/// Maps the only input of a call.
pub fn map(
    session: &mut Session,
    oracle: &mut dyn Oracle,
    findings: &[Finding],
    kind: FpKind,
    significant: Relative,
    rng: &mut Random,
) -> Result<ErrorMap, Failure> {
    let axis = session.space.axes[0].clone();
    let count = STRETCHES.min(axis.count());
    let step = axis.count() / count;
    let mut stretches = Vec::new();
    for index in 0..count {
        let low = axis.low.wrapping_add((index * step) as i64);
        let high = match index + 1 == count {
            true => axis.high,
            false => low.wrapping_add(step as i64 - 1),
        };
        let mut inputs = vec![axis.value(low), axis.value(high)];
        let width = high.abs_diff(low).saturating_add(1);
        inputs.extend((2..POINTS).map(|_| axis.value(low.wrapping_add(rng.below(width) as i64))));
        let within =
            |x: f64| (ordinal(axis.value(low))..=ordinal(axis.value(high))).contains(&ordinal(x));
        inputs.extend(
            findings
                .iter()
                .map(|one| one.input[0])
                .filter(|x| within(*x)),
        );
        let mut stretch = Stretch::empty(axis.value(low), axis.value(high));
        measure(session, oracle, &inputs, kind, &mut stretch)?;
        stretches.push(stretch);
    }
    divide(session, oracle, &axis, kind, rng, &mut stretches)?;
    let wrong = intervals(&stretches, significant);
    Ok(ErrorMap {
        parameter: axis.name,
        stretches,
        wrong,
    })
}

/// A part of a stretch, by positions, and its largest error.
struct Part {
    stretch: usize,
    low: i64,
    high: i64,
    worst: f64,
}

/// Halves the parts with the largest errors, and enters what is worse into their stretches.
fn divide(
    session: &mut Session,
    oracle: &mut dyn Oracle,
    axis: &Axis,
    kind: FpKind,
    rng: &mut Random,
    stretches: &mut [Stretch],
) -> Result<(), Failure> {
    let part = |(stretch, of): (usize, &Stretch)| Part {
        stretch,
        low: axis.ordinal(of.low),
        high: axis.ordinal(of.high),
        worst: of.worst,
    };
    let mut parts: Vec<Part> = stretches.iter().enumerate().map(part).collect();
    for _ in 0..DIVISIONS {
        parts.retain(|part| part.high.abs_diff(part.low) > POINTS as u64);
        let worst = (0..parts.len()).max_by(|a, b| parts[*a].worst.total_cmp(&parts[*b].worst));
        let Some(worst) = worst else {
            break;
        };
        let whole = parts.swap_remove(worst);
        let middle = whole.low.midpoint(whole.high);
        for (low, high) in [(whole.low, middle), (middle, whole.high)] {
            let width = high.abs_diff(low).saturating_add(1);
            let draw = |_| axis.value(low.wrapping_add(rng.below(width) as i64));
            let inputs: Vec<f64> = (0..POINTS).map(draw).collect();
            let mut half = Stretch::empty(axis.value(low), axis.value(high));
            measure(session, oracle, &inputs, kind, &mut half)?;
            let of = &mut stretches[whole.stretch];
            if half.worst > of.worst {
                (of.worst, of.worst_input) = (half.worst, half.worst_input);
            }
            of.relative = of.relative.max(half.relative);
            of.judged += half.judged;
            parts.push(Part {
                stretch: whole.stretch,
                low,
                high,
                worst: half.worst,
            });
        }
    }
    Ok(())
}

fn measure(
    session: &mut Session,
    oracle: &mut dyn Oracle,
    inputs: &[f64],
    kind: FpKind,
    stretch: &mut Stretch,
) -> Result<(), Failure> {
    let batch = session.target.run(inputs)?;
    let mut errors = Vec::new();
    for (input, outcome) in inputs.iter().zip(&batch.outcomes) {
        let computed = outcome.outputs.first().copied();
        let Some(computed) = computed.filter(|_| outcome.is_inside()) else {
            continue;
        };
        let Some(right) = oracle.reference(session, &[*input])? else {
            continue;
        };
        if !right.is_finite() || (!right.is_zero() && *right.as_abs() < session.least) {
            continue;
        }
        let error = relative(computed, &right);
        let ulps = Ulps::in_format(kind, computed, &right).get();
        if ulps > stretch.worst || errors.is_empty() {
            (stretch.worst, stretch.worst_input) = (ulps, *input);
        }
        stretch.relative = stretch.relative.max(error);
        errors.push(ulps);
    }
    errors.sort_by(f64::total_cmp);
    stretch.judged = errors.len();
    stretch.typical = errors.get(errors.len() / 2).copied().unwrap_or(0.0);
    Ok(())
}

fn intervals(stretches: &[Stretch], significant: Relative) -> Vec<Interval> {
    let mut wrong: Vec<Interval> = Vec::new();
    let mut was_wrong = false;
    for stretch in stretches {
        let is_wrong = stretch.relative >= significant;
        match wrong.last_mut() {
            Some(last) if is_wrong && was_wrong => {
                last.high = stretch.high;
                last.relative = last.relative.max(stretch.relative);
            }
            _ if is_wrong => wrong.push(Interval {
                low: stretch.low,
                high: stretch.high,
                relative: stretch.relative,
            }),
            _ => {}
        }
        was_wrong = is_wrong;
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_stretches_make_an_interval() {
        let stretch = |low: f64, error: f64| Stretch {
            low,
            high: low + 1.0,
            judged: 1,
            worst: 0.0,
            typical: 0.0,
            worst_input: low,
            relative: Relative::new(error),
        };
        let all = [
            stretch(0.0, 1.0),
            stretch(1.0, 0.1),
            stretch(2.0, 1e-9),
            stretch(3.0, 0.5),
        ];
        let wrong = intervals(&all, Relative::new(1e-3));
        let ends: Vec<(f64, f64)> = wrong.iter().map(|one| (one.low, one.high)).collect();
        assert_eq!(ends, [(0.0, 2.0), (3.0, 4.0)]);
    }
}
