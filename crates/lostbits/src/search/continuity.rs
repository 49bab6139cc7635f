//! A confirmation without any reference: where do the computed results leave the exact ones, and which of the two
//! is rough there?
//!
//! The shadow takes every operation for one of the real numbers. For code that is written for its precision (split
//! constants, roundings by 1.5·2^52, exponents built of bits) that is another function, so a difference between
//! the two says nothing by itself. But rounding errors are rough: they make stairs, noise and jumps in a function that
//! is smooth. So the search walks from the suspect to an input where both agree, closes in on the border between
//! agreement and disagreement, and examines the neighbourhood there:
//!
//! - the computed results are rough and the exact ones smooth: the program is wrong, and the shadow right;
//! - the exact ones jump, or both are smooth: the shadow computes something else, and nothing is confirmed.
//!
//! What it can miss: errors without a border, as in a function that is wrong everywhere.

use rug::Float;

use super::{finding::relative, session::Session};
use crate::{
    failure::Failure,
    numeric::{Random, Relative},
    target::Ending,
};

/// The part of a significant error below which computed and exact results agree.
const AGREEMENT: f64 = 1.0 / 16.0;
/// Inputs at random that may agree, besides those near the suspect.
const ELSEWHERE: usize = 24;
/// Borders that are examined.
const BORDERS: usize = 4;
/// Distances, as binary logarithms of units in the last place, at which results are compared for roughness.
const SCALES: [u32; 9] = [0, 6, 12, 18, 24, 30, 36, 42, 46];
const LARGEST: u32 = 46;
/// Points on each side.
const SIDE: i64 = 8;
const PRECISION: u32 = 256;
/// Operations that may be replayed for one suspect.
const MOST_REPLAYED: u64 = 400_000;

/// The computed and the exact result at an input.
struct Both {
    computed: f64,
    exact: Float,
}

impl Both {
    fn difference(&self) -> f64 {
        Float::with_val(PRECISION, &self.exact - self.computed).to_f64()
    }
}

/// Whether an output is wrong at the input, by the roughness of the program's results.
pub fn confirms(
    session: &mut Session,
    input: &[f64],
    output: usize,
    significant: Relative,
    all_replayed: &mut u64,
) -> Result<bool, Failure> {
    let mut walk = Walk {
        session,
        output,
        tolerance: Relative::new(significant.get() * AGREEMENT),
        replayed: 0,
    };
    let confirmed = walk.confirms(input);
    *all_replayed += walk.replayed;
    confirmed
}

type Position = Vec<i64>;

struct Walk<'a, 'b> {
    session: &'a mut Session<'b>,
    output: usize,
    tolerance: Relative,
    replayed: u64,
}

impl Walk<'_, '_> {
    fn confirms(&mut self, input: &[f64]) -> Result<bool, Failure> {
        let walk = self;
        let start = walk.positions(input);
        let mut borders = 0;
        for anchor in walk.anchors(&start) {
            if borders >= BORDERS || walk.replayed > MOST_REPLAYED {
                break;
            }
            let agrees = walk.at(&anchor)?.is_some_and(|both| walk.agree(&both));
            if !agrees {
                continue;
            }
            borders += 1;
            if let Some(border) = walk.border(&start, &anchor)?
                && walk.is_rough(&border, &anchor)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn positions(&self, input: &[f64]) -> Position {
        let axes = self.session.space.axes.iter().zip(input);
        axes.map(|(axis, value)| axis.ordinal(*value)).collect()
    }

    fn input(&self, position: &[i64]) -> Vec<f64> {
        let axes = self.session.space.axes.iter().zip(position);
        axes.map(|(axis, at)| axis.value(*at)).collect()
    }

    /// Inputs at growing distances along each axis, then anywhere.
    fn anchors(&self, start: &[i64]) -> Vec<Position> {
        let axes = &self.session.space.axes;
        let mut anchors = Vec::new();
        for step in (4..=60).step_by(4) {
            for (index, axis) in axes.iter().enumerate() {
                for sign in [1, -1] {
                    let moved = start[index].saturating_add(sign * (1i64 << step));
                    if (axis.low..=axis.high).contains(&moved) {
                        let mut anchor = start.to_vec();
                        anchor[index] = moved;
                        anchors.push(anchor);
                    }
                }
            }
        }
        let mut random = Random::named(1, "anchors");
        for _ in 0..ELSEWHERE {
            anchors.push(axes.iter().map(|axis| axis.draw(&mut random)).collect());
        }
        anchors
    }

    fn agree(&self, both: &Both) -> bool {
        let least = self.session.least;
        let is_tiny = *both.exact.as_abs() < least && both.computed.abs() < 2.0 * least;
        let error = relative(both.computed, &both.exact);
        both.computed.is_finite() && (is_tiny || error < self.tolerance)
    }

    /// None if there is no exact result.
    fn at(&mut self, position: &[i64]) -> Result<Option<Both>, Failure> {
        let input = self.input(position);
        let (outcome, steps) = self.session.target.trace(&input)?;
        self.replayed += steps.len() as u64;
        if outcome.ending != Ending::Returned {
            return Ok(None);
        }
        let session = &mut *self.session;
        let mut shadows = session.shadows(&steps, &input, &outcome.outputs, PRECISION)?;
        let computed = outcome.outputs[self.output];
        let exact = shadows.outputs.swap_remove(self.output);
        Ok(exact.is_finite().then_some(Both { computed, exact }))
    }

    /// The last position towards `right` at which both disagree.
    fn border(&mut self, wrong: &[i64], right: &[i64]) -> Result<Option<Position>, Failure> {
        let (mut wrong, mut right) = (wrong.to_vec(), right.to_vec());
        loop {
            let middle: Position = wrong
                .iter()
                .zip(&right)
                .map(|(a, b)| ((i128::from(*a) + i128::from(*b)) / 2) as i64)
                .collect();
            if middle == wrong || middle == right || self.replayed > MOST_REPLAYED {
                return Ok(Some(wrong));
            }
            match self.at(&middle)? {
                Some(both) if self.agree(&both) => right = middle,
                Some(_) => wrong = middle,
                None => return Ok(None),
            }
        }
    }

    /// Whether the computed results near the border jump where the exact ones do not.
    fn is_rough(&mut self, border: &[i64], anchor: &[i64]) -> Result<bool, Failure> {
        // Along the axis on which the anchor is farthest.
        let distance = |axis: &usize| border[*axis].abs_diff(anchor[*axis]);
        let Some(axis) = (0..border.len()).max_by_key(distance) else {
            return Ok(false);
        };
        // A window must be short, measured by the numbers in it.
        let missing = 53u32.saturating_sub(self.session.space.axes[axis].kind.precision());
        for scale in SCALES
            .into_iter()
            .filter(|scale| scale + missing <= LARGEST)
        {
            if self.replayed > MOST_REPLAYED {
                break;
            }
            let Some(line) = self.line(border, axis, 1i64 << scale)? else {
                continue;
            };
            let Some(jump) = line.largest_jump() else {
                continue;
            };
            if self.is_jump(jump, axis, line.size)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The results at equal distances around a position; none if one of them is unknown.
    fn line(&mut self, around: &[i64], axis: usize, step: i64) -> Result<Option<Line>, Failure> {
        let mut line = Line::default();
        for index in -SIDE..=SIDE {
            let mut position = around.to_vec();
            position[axis] = position[axis].saturating_add(index * step);
            match self.at(&position)? {
                Some(both) if both.computed.is_finite() => line.add(position, &both),
                // A result that is missing next to one that is right is a jump of the program.
                Some(_) => continue,
                None => return Ok(None),
            }
        }
        Ok((line.points.len() as i64 > SIDE).then_some(line))
    }

    /// Bisects a difference between two positions down to neighbours: a smooth function has none left, a stair keeps
    /// its height. Then the computed results must be rough there, and the exact ones smooth.
    fn is_jump(
        &mut self,
        (mut low, mut high): (Position, Position),
        axis: usize,
        size: f64,
    ) -> Result<bool, Failure> {
        let (Some(mut below), Some(mut above)) = (self.at(&low)?, self.at(&high)?) else {
            return Ok(false);
        };
        while high[axis].abs_diff(low[axis]) > 1 {
            let mut middle = low.clone();
            middle[axis] = ((i128::from(low[axis]) + i128::from(high[axis])) / 2) as i64;
            let Some(between) = self.at(&middle)? else {
                return Ok(false);
            };
            let gap = |a: &Both, b: &Both| (a.difference() - b.difference()).abs();
            if gap(&below, &between) >= gap(&between, &above) {
                (high, above) = (middle, between);
            } else {
                (low, below) = (middle, between);
            }
        }
        let Some(line) = self.line(&low, axis, 1)? else {
            return Ok(false);
        };
        let computed = roughness(&line.computed);
        let exact = roughness(&line.exact);
        Ok(computed >= size / 32.0 && exact <= computed / 4.0 && line.is_no_pole())
    }
}

#[derive(Default)]
struct Line {
    points: Vec<Position>,
    computed: Vec<f64>,
    /// From the first, so that doubles hold what matters.
    exact: Vec<f64>,
    first: Option<Float>,
    differences: Vec<f64>,
    /// The largest difference between computed and exact.
    size: f64,
}

impl Line {
    fn add(&mut self, position: Position, both: &Both) {
        let first = self.first.get_or_insert_with(|| both.exact.clone());
        let from_first = Float::with_val(PRECISION, &both.exact - &*first);
        self.exact.push(from_first.to_f64());
        self.points.push(position);
        self.computed.push(both.computed);
        let difference = both.difference();
        self.differences.push(difference);
        self.size = self.size.max(difference.abs());
    }

    /// The two neighbours between which the difference changes most, if its changes are no smooth curve.
    fn largest_jump(&self) -> Option<(Position, Position)> {
        if self.size == 0.0 || roughness(&self.differences) < self.size / 8.0 {
            return None;
        }
        let change = |index: &usize| (self.differences[index + 1] - self.differences[*index]).abs();
        let at = (0..self.differences.len() - 1).max_by(|a, b| change(a).total_cmp(&change(b)))?;
        Some((self.points[at].clone(), self.points[at + 1].clone()))
    }

    /// Near a pole results are rough, but their reciprocals are not.
    fn is_no_pole(&self) -> bool {
        let reciprocals: Vec<f64> = self.computed.iter().map(|value| 1.0 / value).collect();
        if reciprocals.iter().any(|value| !value.is_finite()) {
            return true;
        }
        let size = reciprocals
            .iter()
            .fold(0.0, |most: f64, one| most.max(one.abs()));
        roughness(&reciprocals) >= size / 64.0 || {
            // Far from zero a function is as smooth as its reciprocal.
            let least = self
                .computed
                .iter()
                .fold(f64::INFINITY, |least, one| least.min(one.abs()));
            let most = self
                .computed
                .iter()
                .fold(0.0, |most: f64, one| most.max(one.abs()));
            most < 2.0 * least
        }
    }
}

/// The largest distance from a parabola (least squares). NaN never is the result.
fn roughness(values: &[f64]) -> f64 {
    let count = values.len();
    if count < 4 {
        return 0.0;
    }
    // Orthogonal polynomials over equidistant points: 1, t, t² − mean(t²).
    let middle = (count as f64 - 1.0) / 2.0;
    let at = |index: usize| index as f64 - middle;
    let mean_square = (0..count).map(|index| at(index) * at(index)).sum::<f64>() / count as f64;
    let bases: [&dyn Fn(usize) -> f64; 3] =
        [&|_| 1.0, &at, &|index| at(index) * at(index) - mean_square];
    let scale = values
        .iter()
        .fold(0.0, |most: f64, one| most.max(one.abs()));
    if scale == 0.0 || !scale.is_finite() {
        return 0.0;
    }
    let mut rest: Vec<f64> = values.iter().map(|value| value / scale).collect();
    for base in bases {
        let norm: f64 = (0..count).map(|index| base(index) * base(index)).sum();
        let part: f64 = (0..count)
            .map(|index| base(index) * rest[index])
            .sum::<f64>()
            / norm;
        for (index, value) in rest.iter_mut().enumerate() {
            *value -= part * base(index);
        }
    }
    scale * rest.iter().fold(0.0, |most: f64, one| most.max(one.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parabolas_are_smooth_and_stairs_are_not() {
        let parabola: Vec<f64> = (0..17)
            .map(|t| 3.0 + 2.0 * t as f64 - (t * t) as f64)
            .collect();
        assert!(roughness(&parabola) < 1e-12);
        let stairs: Vec<f64> = (0..17).map(|t| f64::from(t / 4)).collect();
        assert!(roughness(&stairs) > 0.25);
        let jump: Vec<f64> = (0..17).map(|t| if t < 8 { 0.0 } else { 1.0 }).collect();
        assert!(roughness(&jump) > 0.25);
    }
}
