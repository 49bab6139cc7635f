//! A second confirmation, without any higher precision: the program is run again at the nearest inputs.
//!
//! Over a few units in the last place a smooth function is a straight line. If the program's results do not
//! lie on one, their scatter is error; tables of coefficients and truncated series, which have no truth
//! beyond their digits, cannot make them scatter, so this shows what the shadow oracle cannot (the idea of
//! PI-detector, with inputs instead of operands). Where the right results scatter themselves (poles,
//! huge arguments, where neighbouring inputs are far apart) it decides nothing.
//!
//! What it can miss: errors that neighbours share, such as a difference that is zero for all of them.

use rug::Float;

use super::{
    finding::{Confirmation, Finding, shadow_output},
    session::Session,
    space::Axis,
};
use crate::{failure::Failure, numeric::Relative};

/// Inputs on each side.
const NEIGHBOURS: i64 = 4;
/// The right results must scatter by less than this part of the computed ones.
const LESS: f64 = 0.25;
/// Operations that may be replayed to see that.
const MOST_REPLAYED: u64 = 200_000;

/// Runs a finding's neighbours, one parameter at a time, and notes by how much their results scatter.
pub fn confirm(
    session: &mut Session,
    finding: &mut Finding,
    output: usize,
    significant: Relative,
) -> Result<(), Failure> {
    let knows_right = matches!(
        finding.confirmed_by,
        Confirmation::Shadow
            | Confirmation::Arithmetic
            | Confirmation::Estimate
            | Confirmation::Consistency
    );
    let mut replayed = 0;
    for axis in 0..session.space.width() {
        let line = neighbours(&session.space.axes[axis], axis, &finding.input);
        let Some(computed) = computed(session, &line, output)? else {
            continue;
        };
        let size = size(finding);
        let scatter = scatter(&computed) / size;
        if scatter.is_nan() || scatter < significant.min(finding.error).get() {
            continue;
        }
        if knows_right {
            let mut right = Vec::new();
            for input in line.iter().step_by(2) {
                let (value, steps) = shadow_output(session, input, output)?;
                replayed += steps;
                right.push(value);
            }
            if self::scatter(&differences(&right)) / size > LESS * scatter {
                finding.jumps |= jump(&right);
                continue;
            }
        }
        let before = finding.scatter.unwrap_or(Relative::NONE);
        finding.scatter = Some(before.max(Relative::new(scatter)));
        if finding.confirmed_by == Confirmation::Estimate {
            finding.confirmed_by = Confirmation::Rerun;
        }
        if replayed > MOST_REPLAYED {
            break;
        }
    }
    Ok(())
}

/// Whether right results differ by so much that a pole must be near.
fn jump(right: &[Float]) -> bool {
    let sizes: Vec<f64> = right.iter().map(|value| value.to_f64().abs()).collect();
    let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
    let most = sizes.iter().copied().fold(0.0, f64::max);
    least > 0.0 && most > 2.0 * least
}

/// What errors are measured against.
fn size(finding: &Finding) -> f64 {
    let reference: f64 = finding.reference.parse().unwrap_or(0.0);
    match reference {
        0.0 => finding.computed.abs(),
        reference => reference.abs(),
    }
}

/// The input and its neighbours along an axis, in order.
fn neighbours(axis: &Axis, at: usize, input: &[f64]) -> Vec<Vec<f64>> {
    let position = axis.ordinal(input[at]);
    let step = |step: i64| {
        let mut moved = input.to_vec();
        moved[at] = axis.value(position.saturating_add(step));
        moved
    };
    (-NEIGHBOURS..=NEIGHBOURS).map(step).collect()
}

/// The program's results; none if one of them is not finite.
fn computed(
    session: &mut Session,
    line: &[Vec<f64>],
    output: usize,
) -> Result<Option<Vec<f64>>, Failure> {
    let batch = session.target.run(&line.concat())?;
    let inside = batch.outcomes.iter().all(|outcome| outcome.is_inside());
    let results = batch.outcomes.iter().map(|outcome| outcome.outputs[output]);
    Ok((inside && batch.outcomes.len() == line.len()).then(|| results.collect()))
}

/// From the first, so that doubles hold what matters.
fn differences(values: &[Float]) -> Vec<f64> {
    let first = &values[0];
    let from_first = |value: &Float| Float::with_val(value.prec(), value - first).to_f64();
    values.iter().map(from_first).collect()
}

/// The largest distance from the line through the points (least squares).
fn scatter(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let mean = values.iter().map(|value| value / count).sum::<f64>();
    let positions = || {
        values
            .iter()
            .enumerate()
            .map(|(at, value)| (at as f64 - middle, value))
    };
    let square: f64 = positions().map(|(at, _)| at * at).sum();
    let slope: f64 = positions()
        .map(|(at, value)| at * (value - mean))
        .sum::<f64>()
        / square;
    let distance = |(at, value): (f64, &f64)| (value - mean - slope * at).abs();
    positions().map(distance).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_does_not_scatter() {
        assert!(scatter(&[1.0, 2.0, 3.0, 4.0, 5.0]) < 1e-12);
        assert!(scatter(&[0.0; 9]) == 0.0);
        assert!(scatter(&[1.0, 1.0, 2.0, 1.0, 1.0]) > 0.5);
    }
}
