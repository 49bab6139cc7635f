//! `roots` over several parameters at once: Newton's method on what an operation's zero is an equation of,
//! and a walk through the last bits of all parameters of the worst inputs.

use lostbits_abi::{ops::Op, site::What};

use super::{
    lines::around,
    path::Path,
    roots::line,
    session::Session,
    space::{Axis, Space},
};
use crate::numeric::{Random, Relative};
use crate::{
    failure::Failure,
    target::{Batch, Observation, Outcome},
};

/// Steps of Newton's method, and how far apart the points of its differences are, in positions.
const STEPS: usize = 5;
const APART: i64 = 1 << 28;
/// Operations of a run whose zeros are aimed at.
const AIMS: usize = 2;
/// Children of an input in one turn of the walk, and how many bits they change.
const CHILDREN: usize = 12;
const BITS: u64 = 24;
/// Inputs that are walked from, side by side.
const WALKERS: usize = 5;

/// Aims at zeros of the operations that are nearest to one in the run at `base`.
pub fn newton(session: &mut Session, base: &[f64]) -> Result<(), Failure> {
    let batch = session.run(base)?;
    let Some(outcome) = batch.outcomes.first() else {
        return Ok(());
    };
    let mut seen: Vec<Observation> = batch.observations(outcome).to_vec();
    seen.retain(|seen| seen.turn == 0 && is_aim(session, seen));
    seen.sort_by(|a, b| b.log_condition.total_cmp(&a.log_condition));
    for aim in seen.into_iter().take(AIMS) {
        aim_at(session, base, aim.site)?;
    }
    Ok(())
}

/// A sum with a result that is not zero yet.
fn is_aim(session: &Session, seen: &Observation) -> bool {
    let site = session.target.sites().get(seen.site as usize);
    let is_sum = site.is_some_and(|site| match site.what {
        What::Operation(op) => matches!(op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd),
        _ => false,
    });
    is_sum && seen.distance.is_finite() && seen.distance != 0.0
}

/// Steps towards a zero of the site's result, each parameter moving by its share; then the zero is closed
/// in upon along the parameter that moves it most.
fn aim_at(session: &mut Session, base: &[f64], site: u32) -> Result<(), Failure> {
    let mut point = base.to_vec();
    let mut steepest = 0;
    for _ in 0..STEPS {
        if session.is_over() {
            return Ok(());
        }
        let Some((next, axis)) = step(session, &point, site)? else {
            break;
        };
        steepest = axis;
        if next == point {
            break;
        }
        point = next;
    }
    let path = Path::along(&point, steepest);
    let grid = around(&session.space.axes[steepest], point[steepest]);
    line(session, &path, &grid, 0.2)
}

/// One step, and which parameter has the largest share of it.
fn step(
    session: &mut Session,
    point: &[f64],
    site: u32,
) -> Result<Option<(Vec<f64>, usize)>, Failure> {
    let mut inputs = point.to_vec();
    for (at, axis) in session.space.axes.iter().enumerate() {
        inputs.extend(moved(point, at, axis));
    }
    let batch = session.run(&inputs)?;
    let residual = |outcome: &Outcome| residual(&batch, outcome, site);
    let Some(here) = batch.outcomes.first().and_then(residual) else {
        return Ok(None);
    };
    // How the residual changes where a parameter grows in proportion to itself.
    let width = point.len();
    let mut slopes = vec![0.0; width];
    for (at, outcome) in batch.outcomes.iter().skip(1).enumerate() {
        let by = (inputs[(at + 1) * width + at] - point[at]) / point[at];
        let slope = residual(outcome).map_or(0.0, |there| (there - here) / by);
        slopes[at] = if slope.is_finite() { slope } else { 0.0 };
    }
    let square: f64 = slopes.iter().map(|slope| slope * slope).sum();
    if square == 0.0 || !square.is_finite() {
        return Ok(None);
    }
    let share = |at: usize| -here * slopes[at] / square;
    let next = (0..width).map(|at| {
        let axis = &session.space.axes[at];
        axis.value(axis.ordinal(point[at] * (1.0 + share(at))))
    });
    let steepest = (0..width).max_by(|a, b| slopes[*a].abs().total_cmp(&slopes[*b].abs()));
    Ok(Some((next.collect(), steepest.unwrap_or(0))))
}

fn moved(point: &[f64], at: usize, axis: &Axis) -> Vec<f64> {
    let mut moved = point.to_vec();
    moved[at] = axis.value(axis.ordinal(point[at]).saturating_add(APART));
    moved
}

fn residual(batch: &Batch, outcome: &Outcome, site: u32) -> Option<f64> {
    let mut seen = batch.observations(outcome).iter();
    let last = seen.find(|seen| seen.site == site && seen.turn == 0)?;
    Some(last.distance).filter(|distance| distance.is_finite())
}

/// Where a zero is met in the last bits only, which of its neighbours is worst is a matter of chance: so
/// what is left of the runs goes through them, from the inputs whose errors in exact arithmetic are largest.
/// (Near a zero estimates to first order are worth little.)
pub fn walk(session: &mut Session, rng: &mut Random) -> Result<(), Failure> {
    let mut walkers = Vec::new();
    for (estimate, input) in session.best() {
        let error = session
            .judge(&input)?
            .unwrap_or(estimate.min(Relative::new(1.0)));
        walkers.push((error, input));
    }
    walkers.sort_by(|a, b| b.0.total_cmp(&a.0));
    walkers.truncate(WALKERS);
    while !session.is_over() && !walkers.is_empty() {
        for walker in &mut walkers {
            let children: Vec<Vec<f64>> = (0..CHILDREN)
                .map(|_| child(&session.space, &walker.1, rng))
                .collect();
            let batch = session.run(&children.concat())?;
            for (input, outcome) in children.into_iter().zip(&batch.outcomes) {
                if !outcome.is_inside() {
                    continue;
                }
                let error = session.judge(&input)?.unwrap_or(outcome.estimate);
                if error > walker.0 {
                    *walker = (error, input);
                }
            }
        }
    }
    Ok(())
}

fn child(space: &Space, parent: &[f64], rng: &mut Random) -> Vec<f64> {
    let bits = rng.below(BITS);
    let only = rng.below(2 * parent.len() as u64) as usize;
    let moved = parent.iter().zip(&space.axes).enumerate();
    moved
        .map(|(at, (value, axis))| {
            if only < parent.len() && only != at {
                return *value;
            }
            let by = rng.below(2 << bits) as i64 - (1 << bits);
            axis.value(axis.ordinal(*value).saturating_add(by))
        })
        .collect()
}
