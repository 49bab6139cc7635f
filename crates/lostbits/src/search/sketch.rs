//! How the error varies along a parameter: over the whole range, and around a finding. The other parameters
//! are as in the finding.

use serde::{Deserialize, Serialize};

use super::{exact, path::Path, session::Session, space::Axis};
use crate::{failure::Failure, numeric::Relative};

/// The largest estimated error in each of several stretches, from low to high.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sketch {
    pub parameter: String,
    #[serde(with = "exact")]
    pub low: f64,
    #[serde(with = "exact")]
    pub high: f64,
    #[serde(with = "exact::many")]
    pub errors: Vec<Relative>,
    /// In which stretch the finding is.
    pub at: usize,
}

const COLUMNS: usize = 64;
const POINTS: usize = 16;
/// Positions on each side of the finding.
const AROUND: i64 = 1 << 10;
/// Parameters that are drawn.
const PARAMETERS: usize = 4;

/// Over the whole range of each parameter; of a single one, also around the finding.
pub fn sketches(session: &mut Session, input: &[f64]) -> Result<Vec<Sketch>, Failure> {
    let mut sketches = Vec::new();
    for at in 0..session.space.width().min(PARAMETERS) {
        let axis = session.space.axes[at].clone();
        sketches.push(sketch(session, input, at, &axis)?);
    }
    if let [axis] = &session.space.axes[..] {
        let position = axis.ordinal(input[0]);
        let around = Axis {
            low: position.saturating_sub(AROUND).max(axis.low),
            high: position.saturating_add(AROUND).min(axis.high),
            ..axis.clone()
        };
        sketches.push(sketch(session, input, 0, &around)?);
    }
    Ok(sketches)
}

fn sketch(session: &mut Session, input: &[f64], at: usize, axis: &Axis) -> Result<Sketch, Failure> {
    let count = (COLUMNS * POINTS) as u64;
    let step = (axis.count() / count).max(1);
    let path = Path::along(input, at);
    let inputs: Vec<f64> = (0..count)
        .map(|index| axis.low.saturating_add_unsigned(index * step))
        .flat_map(|position| path.input(&session.space, position.min(axis.high)))
        .collect();
    let batch = session.target.run(&inputs)?;
    let errors = batch.outcomes.chunks(POINTS).map(|column| {
        let inside = column.iter().filter(|outcome| outcome.is_inside());
        let estimates = inside.map(|outcome| outcome.estimate);
        estimates.fold(Relative::NONE, Relative::max)
    });
    let column = axis.ordinal(input[at]).abs_diff(axis.low) / step / POINTS as u64;
    Ok(Sketch {
        parameter: axis.name.clone(),
        low: axis.value(axis.low),
        high: axis.value(axis.high),
        errors: errors.collect(),
        at: (column as usize).min(COLUMNS - 1),
    })
}
