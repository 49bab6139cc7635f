//! `roots`, our own strategy: an operation's condition number is large where its result is zero, and a
//! zero is found by looking for a change of sign (the idea of MGDE, with brackets instead of Newton steps).
//!
//! Along a line through the space (for one parameter, the space itself) the function is called at positions
//! of all kinds: uniform in bit patterns, dense where numbers are everyday, at integers and their
//! neighbours, at the borders of the format. Between two positions where an operation's result changes its
//! sign, there is a zero: it is bracketed down to neighbouring numbers, all zeros of all sites at
//! once. Where there is only a peak, the peak is climbed. The neighbours within a few units are then tried
//! one by one. Comparisons are treated alike: errors are often large where a program changes its method.
//!
//! What it can miss: pairs of zeros between two neighbouring positions, and sites that only some rare path
//! reaches.

use super::{
    path::Path,
    session::{Session, remoteness},
    space::Axis,
};
use crate::numeric::Random;
use crate::{
    failure::Failure,
    target::{Batch, Observation},
};
use lostbits_abi::{ops::Op, site::What};

/// Zeros that are followed for each site, on one line.
const ROOTS: usize = 8;
const THRESHOLDS: usize = 2;
const PEAKS: usize = 3;
/// Positions that depend on the seed.
const OWN: usize = 256;
/// Neighbours that are tried on each side of a zero.
const NEIGHBOURS: i64 = 6;

pub fn search(session: &mut Session, rng: &mut Random) -> Result<(), Failure> {
    match session.space.width() {
        1 => of_one(session, rng),
        _ => super::lines::search(session, rng),
    }
}

/// Along the only axis.
fn of_one(session: &mut Session, rng: &mut Random) -> Result<(), Failure> {
    // At least half of the runs are for closing in.
    let most = session.left() / 2;
    let axis = session.space.axes[0].clone();
    let path = Path::along(&[0.0], 0);
    let mut grid = Grid::whole(&axis, session.phase);
    grid.0.extend((0..OWN).map(|_| axis.draw(rng)));
    let grid = Grid::sorted(grid.0).thinned(most as usize);
    line(session, &path, &grid, 1.0)?;
    // Other positions, and more zeros, as long as there is time.
    let mut effort = 1.0;
    while session.has_time() {
        effort *= 1.5;
        let grid = Grid::whole(&axis, Some(rng.unit()));
        line(session, &path, &grid, effort)?;
    }
    Ok(())
}

/// Positions along an axis, in order, without repetition.
pub struct Grid(pub Vec<i64>);

impl Grid {
    /// For a function of one parameter. A phase, between 0 and 1, moves what lies between the fixed positions.
    pub fn whole(axis: &Axis, phase: Option<f64>) -> Grid {
        let mut positions: Vec<i64> = Vec::new();
        uniform(axis, 2048, phase.unwrap_or(0.5), &mut positions);
        everyday(axis, 32, phase.unwrap_or(0.0), &mut positions);
        let mut near = |value: f64, by: i64| {
            if let Some(value) = axis.fitted(value) {
                let position = axis.ordinal(value);
                positions.extend(
                    (-by..=by)
                        .map(|step| (position.saturating_add(step)).clamp(axis.low, axis.high)),
                );
            }
        };
        for whole in (0..=128).map(f64::from) {
            near(whole, 1);
            near(-whole, 1);
        }
        for half in (0..64).map(|whole| f64::from(whole) + 0.5) {
            near(half, 1);
            near(-half, 1);
        }
        for value in [
            f64::MIN_POSITIVE,
            f64::MAX,
            709.78,
            745.13,
            5e-324,
            1e8,
            1e15,
            1e16,
        ] {
            near(value, 2);
            near(-value, 2);
        }
        Grid::sorted(positions)
    }

    /// For one of many lines.
    pub fn coarse(axis: &Axis, count: u64) -> Grid {
        let mut positions: Vec<i64> = Vec::new();
        uniform(axis, count / 2, 0.5, &mut positions);
        everyday(axis, (count / 80).max(1) as i32, 0.0, &mut positions);
        Grid::sorted(positions)
    }

    /// At most `most` positions, evenly spaced.
    fn thinned(self, most: usize) -> Grid {
        let stride = self.0.len().div_ceil(most.max(1)).max(1);
        Grid(self.0.into_iter().step_by(stride).collect())
    }

    fn sorted(mut positions: Vec<i64>) -> Grid {
        positions.sort_unstable();
        positions.dedup();
        Grid(positions)
    }
}

fn uniform(axis: &Axis, count: u64, phase: f64, positions: &mut Vec<i64>) {
    let count = count.min(axis.count()).max(2);
    let step = axis.count() / count;
    let offset = (step as f64 * phase) as u64;
    positions.extend((0..count).map(|index| axis.low.wrapping_add((index * step + offset) as i64)));
    positions.extend([axis.low, axis.high]);
}

/// Dense in each octave from 2^-10 to 2^10, both signs.
fn everyday(axis: &Axis, an_octave: i32, phase: f64, positions: &mut Vec<i64>) {
    for octave in -10..10 {
        for part in 0..an_octave {
            let value =
                f64::from(octave).exp2() * (1.0 + (f64::from(part) + phase) / f64::from(an_octave));
            for value in [value, -value] {
                positions.extend(axis.fitted(value).map(|value| axis.ordinal(value)));
            }
        }
    }
}

/// Follows all zeros and peaks along a line. `effort` scales how many.
pub fn line(session: &mut Session, path: &Path, grid: &Grid, effort: f64) -> Result<(), Failure> {
    let positions = &grid.0;
    let batch = call(session, path, positions)?;
    let along = path.axis(&session.space);
    let mut brackets = Brackets::default();
    let mut peaks = Peaks::default();
    let runs: Vec<&[Observation]> = batch
        .outcomes
        .iter()
        .map(|outcome| batch.observations(outcome))
        .collect();
    for index in 1..runs.len() {
        for (a, b) in paired(runs[index - 1], runs[index]) {
            if changes_sign(a.distance, b.distance) || reaches_zero(a.distance, b.distance) {
                brackets.add(a.site, Bracket::new(&along, positions, index, a, b));
            }
            if index + 1 < runs.len()
                && Peaks::is_candidate(a, b)
                && let Some(c) = last_of(runs[index + 1], a.site)
            {
                peaks.consider(positions, index, [a, b, c]);
            }
        }
    }
    let is_decision = |site: u32| session_site(session, site) == Some(Op::Compare);
    let chosen = brackets.chosen(effort, is_decision);
    close_in(session, path, chosen)?;
    climb(session, path, peaks.chosen(effort))
}

fn session_site(session: &Session, site: u32) -> Option<Op> {
    match session.target.sites().get(site as usize)?.what {
        What::Operation(op) => Some(op),
        _ => None,
    }
}

fn call(session: &mut Session, path: &Path, positions: &[i64]) -> Result<Batch, Failure> {
    let inputs: Vec<f64> = positions
        .iter()
        .flat_map(|position| path.input(&session.space, *position))
        .collect();
    session.run(&inputs)
}

/// What a site did last in a run.
fn last_of(run: &[Observation], site: u32) -> Option<&Observation> {
    let at = run.partition_point(|seen| seen.site < site);
    run.get(at).filter(|seen| seen.site == site)
}

/// What the sites that both runs have did last.
fn paired<'a>(
    before: &'a [Observation],
    here: &'a [Observation],
) -> impl Iterator<Item = (&'a Observation, &'a Observation)> {
    let mut rest = before.iter().filter(|seen| seen.turn == 0).peekable();
    let lasts = here.iter().filter(|seen| seen.turn == 0);
    lasts.filter_map(move |seen| {
        while rest.next_if(|known| known.site < seen.site).is_some() {}
        let same = rest.next_if(|known| known.site == seen.site)?;
        Some((same, seen))
    })
}

fn changes_sign(a: f64, b: f64) -> bool {
    (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)
}

/// Whether a position happens to be a zero: its neighbours are worth as much as those of any other.
fn reaches_zero(a: f64, b: f64) -> bool {
    b == 0.0 && a != 0.0 && a.is_finite()
}

// ---- zeros ----

#[derive(Clone, Copy)]
struct Bracket {
    site: u32,
    low: i64,
    high: i64,
    at_low: f64,
    at_high: f64,
    /// How far from everyday numbers it is.
    remoteness: f64,
}

impl Bracket {
    fn new(
        axis: &Axis,
        positions: &[i64],
        index: usize,
        a: &Observation,
        b: &Observation,
    ) -> Bracket {
        Bracket {
            site: a.site,
            low: positions[index - 1],
            high: positions[index],
            at_low: a.distance,
            at_high: match reaches_zero(a.distance, b.distance) {
                true => -a.distance,
                false => b.distance,
            },
            remoteness: remoteness(&[axis.value(positions[index])]),
        }
    }

    fn is_closed(&self) -> bool {
        self.high - self.low <= 1
    }

    /// The next position to try: where a straight line would have its zero, and every third time halfway.
    fn next(&self, turn: usize) -> i64 {
        let width = self.high - self.low;
        let share = if turn % 3 == 2 {
            0.5
        } else {
            self.at_low / (self.at_low - self.at_high)
        };
        let step = (width as f64 * share) as i64;
        self.low + step.clamp(1, width - 1)
    }

    /// The zero is on one side of `position`. The other end counts half from then on, so that it moves too.
    fn narrow(&mut self, position: i64, distance: f64) {
        if changes_sign(distance, self.at_low) || distance == 0.0 {
            (self.high, self.at_high) = (
                position,
                if distance == 0.0 {
                    -self.at_low
                } else {
                    distance
                },
            );
            self.at_low /= 2.0;
        } else {
            (self.low, self.at_low) = (position, distance);
            self.at_high /= 2.0;
        }
    }
}

#[derive(Default)]
struct Brackets(std::collections::BTreeMap<u32, Vec<Bracket>>);

impl Brackets {
    fn add(&mut self, site: u32, bracket: Bracket) {
        self.0.entry(site).or_default().push(bracket);
    }

    /// Of each site's brackets the ones nearest to everyday numbers, and others spread over the line.
    fn chosen(self, effort: f64, is_decision: impl Fn(u32) -> bool) -> Vec<Bracket> {
        let mut chosen = Vec::new();
        for (site, mut all) in self.0 {
            let most = if is_decision(site) { THRESHOLDS } else { ROOTS };
            let most = ((most as f64 * effort) as usize).max(1);
            if all.len() > most {
                all.sort_by(|a, b| a.remoteness.total_cmp(&b.remoteness));
                let rest = all.split_off(most.div_ceil(2));
                let stride = (rest.len() / (most / 2).max(1)).max(1);
                all.extend(rest.into_iter().step_by(stride).take(most / 2));
            }
            chosen.extend(all);
        }
        chosen
    }
}

/// Closes in upon all zeros at once, then tries their neighbours.
fn close_in(session: &mut Session, path: &Path, mut open: Vec<Bracket>) -> Result<(), Failure> {
    let mut closed = Vec::new();
    for turn in 0..90 {
        let (done, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(Bracket::is_closed);
        closed.extend(done);
        open = rest;
        if open.is_empty() || session.is_over() {
            break;
        }
        let positions: Vec<i64> = open.iter().map(|bracket| bracket.next(turn)).collect();
        let batch = call(session, path, &positions)?;
        let mut kept = Vec::new();
        for ((mut bracket, position), outcome) in
            open.into_iter().zip(positions).zip(&batch.outcomes)
        {
            let seen = batch
                .observations(outcome)
                .iter()
                .find(|seen| seen.site == bracket.site && seen.turn == 0);
            // Where the site is not reached the bracket ends: some other method is used there.
            if let Some(seen) = seen
                && !seen.distance.is_nan()
            {
                bracket.narrow(position, seen.distance);
                kept.push(bracket);
            }
        }
        open = kept;
    }
    let mut around: Vec<i64> = closed
        .iter()
        .chain(&open)
        .flat_map(|bracket| {
            bracket.low - NEIGHBOURS..=bracket.high.min(bracket.low + 1) + NEIGHBOURS
        })
        .collect();
    around.sort_unstable();
    around.dedup();
    call(session, path, &around)?;
    Ok(())
}

// ---- peaks ----

#[derive(Clone, Copy)]
struct Peak {
    site: u32,
    low: i64,
    middle: i64,
    high: i64,
    height: f32,
}

#[derive(Default)]
struct Peaks(std::collections::BTreeMap<u32, Vec<Peak>>);

impl Peaks {
    const HIGH: f32 = 6.0;

    fn is_candidate(before: &Observation, here: &Observation) -> bool {
        here.log_condition > Self::HIGH && here.log_condition >= before.log_condition
    }

    /// A condition number that is large, and larger than at the neighbouring positions.
    fn consider(&mut self, positions: &[i64], index: usize, seen: [&Observation; 3]) {
        let [before, here, after] = seen.map(|seen| seen.log_condition);
        let no_sign_changes = !changes_sign(seen[0].distance, seen[1].distance)
            && !changes_sign(seen[1].distance, seen[2].distance);
        if here > Self::HIGH && here >= before && here >= after && here < 1000.0 && no_sign_changes
        {
            self.0.entry(seen[1].site).or_default().push(Peak {
                site: seen[1].site,
                low: positions[index - 1],
                middle: positions[index],
                high: positions[index + 1],
                height: here,
            });
        }
    }

    fn chosen(self, effort: f64) -> Vec<Peak> {
        let most = ((PEAKS as f64 * effort) as usize).max(1);
        let mut chosen = Vec::new();
        for (_, mut all) in self.0 {
            all.sort_by(|a, b| b.height.total_cmp(&a.height).then(a.middle.cmp(&b.middle)));
            chosen.extend(all.into_iter().take(most));
        }
        chosen
    }
}

/// Walks up: the larger half of the surroundings is halved until nothing is left of it.
fn climb(session: &mut Session, path: &Path, mut peaks: Vec<Peak>) -> Result<(), Failure> {
    for _ in 0..60 {
        peaks.retain(|peak| peak.high - peak.low > 2);
        if peaks.is_empty() || session.is_over() {
            break;
        }
        let position = |peak: &Peak| {
            if peak.high - peak.middle > peak.middle - peak.low {
                peak.middle + ((peak.high - peak.middle) / 2).max(1)
            } else {
                peak.middle - ((peak.middle - peak.low) / 2).max(1)
            }
        };
        let positions: Vec<i64> = peaks.iter().map(position).collect();
        let batch = call(session, path, &positions)?;
        for ((peak, position), outcome) in peaks.iter_mut().zip(positions).zip(&batch.outcomes) {
            let seen = batch
                .observations(outcome)
                .iter()
                .find(|seen| seen.site == peak.site && seen.turn == 0);
            let height = seen.map_or(f32::MIN, |seen| seen.log_condition);
            if height > peak.height {
                if position > peak.middle {
                    peak.low = peak.middle;
                } else {
                    peak.high = peak.middle;
                }
                (peak.middle, peak.height) = (position, height);
            } else if position > peak.middle {
                peak.high = position;
            } else {
                peak.low = position;
            }
        }
    }
    Ok(())
}
