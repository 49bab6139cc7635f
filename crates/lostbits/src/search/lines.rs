//! `roots` for several parameters: zeros are followed along lines through points that are drawn at random and
//! through the worst that were found (one parameter at a time, and several together), Newton's method aims
//! at zeros that no line meets, and the last bits of the worst inputs are walked through.

use super::{
    joint, lsga,
    path::Path,
    roots::{Grid, line},
    session::{Session, remoteness},
    space::Axis,
};
use crate::failure::Failure;
use crate::numeric::{Random, Relative};

/// Points that lines are put through: half of them the worst of those that were drawn, the others everyday ones.
const BASES: usize = 12;
/// Of the plainest points, those that are taken lie this far apart in their order, at most.
const MOST_STRIDE: usize = 16;
/// Parts of the points in order of plainness.
const EVERYDAY: usize = 64;
/// Inputs whose neighbourhoods are searched in one turn.
const WORST: usize = 4;
/// Positions on a line, at most and at least.
const PLACES: [u64; 2] = [160, 24];
/// More runs than this are not worth their time.
const MOST_RUNS: u64 = 40_000;

/// Once, then again from other points as long as there is time.
pub fn search(session: &mut Session, rng: &mut Random) -> Result<(), Failure> {
    once(session, rng)?;
    while session.has_time() {
        once(session, rng)?;
    }
    Ok(())
}

fn once(session: &mut Session, rng: &mut Random) -> Result<(), Failure> {
    let runs = session.left().min(MOST_RUNS);
    let part = |percent: u64| (runs * percent / 100).max(1);
    session.within(runs, |session| {
        let bases = session.within(part(20), |session| drawn(session, rng, part(20)))?;
        session.within(part(50), |session| through(session, rng, &bases, part(50)))?;
        session.within(part(10), through_worst)?;
        joint::walk(session, rng)
    })
}

/// Lines through the worst points, in the direction of each parameter and in one of several.
fn through(
    session: &mut Session,
    rng: &mut Random,
    bases: &[Vec<f64>],
    runs: u64,
) -> Result<(), Failure> {
    let width = session.space.width();
    let lines = (BASES * (width + 1)) as u64;
    let positions = (runs / lines / 2).clamp(PLACES[1], PLACES[0]);
    for base in bases {
        for axis in 0..width {
            let grid = Grid::coarse(&session.space.axes[axis], positions);
            line(session, &Path::along(base, axis), &grid, 0.3)?;
        }
        together(session, rng, base)?;
        if session.is_over() {
            break;
        }
    }
    Ok(())
}

/// Lines through the worst inputs found, and zeros that are near them.
fn through_worst(session: &mut Session) -> Result<(), Failure> {
    while !session.is_over() {
        let before = session.runs;
        let worst: Vec<Vec<f64>> = session.best().into_iter().map(|best| best.1).collect();
        for base in worst.iter().take(WORST) {
            for axis in 0..session.space.width() {
                let grid = around(&session.space.axes[axis], base[axis]);
                line(session, &Path::along(base, axis), &grid, 0.3)?;
            }
            joint::newton(session, base)?;
        }
        if session.runs == before {
            break;
        }
    }
    Ok(())
}

/// A line on which parameters grow and shrink together.
fn together(session: &mut Session, rng: &mut Random, base: &[f64]) -> Result<(), Failure> {
    let powers: Vec<i32> = base.iter().map(|_| rng.below(3) as i32 - 1).collect();
    if powers.iter().filter(|power| **power != 0).count() < 2 {
        return Ok(());
    }
    let path = Path::scaled(base, powers);
    let grid = around(&path.axis(&session.space), path.origin());
    line(session, &path, &grid, 0.3)
}

/// Draws points and gives the worst of them, by their estimated error.
fn drawn(session: &mut Session, rng: &mut Random, count: u64) -> Result<Vec<Vec<f64>>, Failure> {
    let width = session.space.width();
    let inputs: Vec<f64> = (0..count).flat_map(|_| point(session, rng)).collect();
    let batch = session.run(&inputs)?;
    let mut tried: Vec<(Relative, &[f64])> = batch
        .outcomes
        .iter()
        .zip(inputs.chunks(width))
        .filter(|(outcome, _)| outcome.is_inside())
        .map(|(outcome, input)| (outcome.estimate, input))
        .collect();
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    // The worst are often all in one corner, such as where products underflow; zeros are everywhere.
    let (worst, rest) = tried.split_at(tried.len().min(BASES / 2));
    let mut plain: Vec<&[f64]> = rest.iter().map(|(_, input)| *input).collect();
    plain.sort_by(|a, b| remoteness(a).total_cmp(&remoteness(b)));
    let stride = (plain.len() / EVERYDAY).max(1);
    let plain = plain.into_iter().step_by(stride.min(MOST_STRIDE));
    let worst = worst.iter().map(|(_, input)| *input);
    Ok(worst
        .chain(plain)
        .take(BASES)
        .map(<[f64]>::to_vec)
        .collect())
}

/// A third of the points as LSGA draws them; of the others' coordinates half everyday, half of any size.
/// A fifth of all points has coordinates that belong together.
fn point(session: &Session, rng: &mut Random) -> Vec<f64> {
    if rng.chance(0.2) {
        return structured(session, rng);
    }
    let is_evolved = rng.chance(0.33);
    let coordinate = |axis: &Axis| {
        if is_evolved {
            return lsga::drawn(axis, rng);
        }
        let signed = everyday(rng);
        let chosen = if rng.chance(0.6) {
            axis.fitted(signed)
        } else {
            None
        };
        chosen.unwrap_or_else(|| axis.value(axis.draw(rng)))
    };
    session.space.axes.iter().map(coordinate).collect()
}

fn everyday(rng: &mut Random) -> f64 {
    let size = (rng.unit() * 20.0 - 10.0).exp2() * (1.0 + rng.unit());
    if rng.chance(0.3) { -size } else { size }
}

/// Coordinates that are nearly equal, equal but for signs, equal but for one, small whole numbers, or sizes apart: there sums,
/// differences of products and variances cancel or absorb.
fn structured(session: &Session, rng: &mut Random) -> Vec<f64> {
    let axes = &session.space.axes;
    let common = everyday(rng);
    let spread = (-4.0 - rng.unit() * 44.0).exp2();
    let ratio = (rng.unit() * 30.0).exp2();
    let odd = rng.below(axes.len() as u64) as usize;
    let kind = rng.below(5);
    let value = |at: usize, rng: &mut Random| match kind {
        0 => common * (1.0 + spread * (rng.unit() - 0.5)),
        1 if rng.chance(0.5) => -common * (1.0 + spread * rng.unit()),
        1 => common,
        2 if at == odd => everyday(rng) * ratio,
        2 => common,
        3 => rng.below(9) as f64 - 4.0,
        _ => common * ratio.powi(at as i32),
    };
    let fitted = |axis: &Axis, value: f64, rng: &mut Random| {
        let fitted = axis.fitted(value).or(axis.fitted(-value));
        fitted.unwrap_or_else(|| axis.value(axis.draw(rng)))
    };
    (0..axes.len())
        .map(|at| fitted(&axes[at], value(at, rng), rng))
        .collect()
}

/// Positions at all distances from a value, nearer ones denser.
pub fn around(axis: &Axis, value: f64) -> Grid {
    let position = axis.ordinal(value);
    let mut positions = vec![position];
    for bit in 0..56 {
        for step in [1i64 << bit, 3i64 << bit >> 1] {
            positions.push(position.saturating_add(step).clamp(axis.low, axis.high));
            positions.push(position.saturating_sub(step).clamp(axis.low, axis.high));
        }
    }
    positions.sort_unstable();
    positions.dedup();
    Grid(positions)
}
