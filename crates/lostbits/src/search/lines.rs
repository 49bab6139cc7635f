//! `roots` for several parameters: zeros along many lines, one parameter at a time, through points that
//! are drawn at random and through the worst that were found.

use super::{
    rng::Rng,
    roots::{Grid, line},
    session::Session,
    space::Axis,
};
use crate::failure::Failure;

/// Points that lines are put through: the worst of those that were drawn.
const BASES: usize = 12;
/// Rounds in which lines are put through the worst inputs found.
const ROUNDS: usize = 4;
/// Places on a line, at most and at least.
const PLACES: [u64; 2] = [160, 24];
/// More runs than this are not worth their time.
const MOST_RUNS: u64 = 40_000;

pub fn search(session: &mut Session, rng: &mut Rng) -> Result<(), Failure> {
    let width = session.space.width();
    let runs = session.left().min(MOST_RUNS);
    let bases = drawn(session, rng, (runs / 4).max(1))?;
    let lines = (BASES * width) as u64;
    let places = (runs / 4 / lines).clamp(PLACES[1], PLACES[0]);
    for base in bases {
        for axis in 0..width {
            let grid = Grid::coarse(&session.space.axes[axis], places);
            line(session, &base, axis, &grid, 0.3)?;
        }
        if session.is_over() {
            return Ok(());
        }
    }
    for _ in 0..ROUNDS {
        let worst: Vec<Vec<f64>> = session
            .suspects(4)
            .into_iter()
            .take(4)
            .map(|suspect| suspect.input)
            .collect();
        for base in worst {
            for axis in 0..width {
                let grid = around(&session.space.axes[axis], base[axis]);
                line(session, &base, axis, &grid, 0.3)?;
            }
        }
        if session.is_over() {
            break;
        }
    }
    Ok(())
}

/// Draws points and gives the worst of them, by their estimated error.
fn drawn(session: &mut Session, rng: &mut Rng, count: u64) -> Result<Vec<Vec<f64>>, Failure> {
    let width = session.space.width();
    let inputs: Vec<f64> = (0..count).flat_map(|_| point(session, rng)).collect();
    let batch = session.run(&inputs)?;
    let mut tried: Vec<(f64, &[f64])> = batch
        .outcomes
        .iter()
        .zip(inputs.chunks(width))
        .filter(|(outcome, _)| outcome.is_inside())
        .map(|(outcome, input)| (outcome.estimate, input))
        .collect();
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    tried.truncate(BASES);
    Ok(tried.into_iter().map(|(_, input)| input.to_vec()).collect())
}

/// Half of the coordinates everyday, half of any size.
fn point(session: &Session, rng: &mut Rng) -> Vec<f64> {
    let coordinate = |axis: &Axis| {
        let everyday = (rng.unit() * 20.0 - 10.0).exp2() * (1.0 + rng.unit());
        let signed = if rng.chance(0.3) { -everyday } else { everyday };
        let chosen = if rng.chance(0.6) {
            axis.fitted(signed)
        } else {
            None
        };
        chosen.unwrap_or_else(|| axis.value(rng.place(axis)))
    };
    session.space.axes.iter().map(coordinate).collect()
}

/// Places at all distances from a value, nearer ones denser.
fn around(axis: &Axis, value: f64) -> Grid {
    let place = axis.ordinal(value);
    let mut places = vec![place];
    for bit in 0..56 {
        for step in [1i64 << bit, 3i64 << bit >> 1] {
            places.push(place.saturating_add(step).clamp(axis.low, axis.high));
            places.push(place.saturating_sub(step).clamp(axis.low, axis.high));
        }
    }
    places.sort_unstable();
    places.dedup();
    Grid(places)
}
