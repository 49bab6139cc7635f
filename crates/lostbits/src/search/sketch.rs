//! How the error goes along the one parameter of a function: over the whole range, and around a finding.

use serde::{Deserialize, Serialize};

use super::{exact, session::Session, space::Axis};
use crate::failure::Failure;

/// The largest estimated error in each of several stretches, from low to high.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sketch {
    #[serde(with = "exact")]
    pub low: f64,
    #[serde(with = "exact")]
    pub high: f64,
    #[serde(with = "exact::many")]
    pub errors: Vec<f64>,
}

const COLUMNS: usize = 64;
const POINTS: usize = 16;

/// Over the whole range, and from a few units below `input` to as many above. Nothing for several
/// parameters.
pub fn sketches(session: &mut Session, input: &[f64]) -> Result<Vec<Sketch>, Failure> {
    let [axis] = &session.space.axes[..] else {
        return Ok(Vec::new());
    };
    let axis = axis.clone();
    let place = axis.ordinal(input[0]);
    const AROUND: i64 = 1 << 10;
    let around = Axis {
        low: place.saturating_sub(AROUND).max(axis.low),
        high: place.saturating_add(AROUND).min(axis.high),
        ..axis.clone()
    };
    Ok(vec![sketch(session, &axis)?, sketch(session, &around)?])
}

fn sketch(session: &mut Session, axis: &Axis) -> Result<Sketch, Failure> {
    let count = (COLUMNS * POINTS) as u64;
    let step = (axis.places() / count).max(1);
    let places = (0..count).map(|index| axis.low.saturating_add_unsigned(index * step));
    let inputs: Vec<f64> = places.map(|place| axis.value(place)).collect();
    let batch = session.target.run(&inputs)?;
    let errors = batch.outcomes.chunks(POINTS).map(|column| {
        let inside = column.iter().filter(|outcome| outcome.is_inside());
        inside.map(|outcome| outcome.estimate).fold(0.0, f64::max)
    });
    Ok(Sketch {
        low: axis.value(axis.low),
        high: axis.value(axis.high),
        errors: errors.collect(),
    })
}
