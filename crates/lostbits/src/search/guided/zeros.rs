//! Inputs for which an output is zero in exact arithmetic: its relative error is unbounded near them.
//!
//! One element is moved (a probe), the right result is seen to move, and a step of the secant method leads
//! to the element at which it is zero; its neighbours are tried as well. Most library routines are linear or
//! nearly so in each element, and one step is enough.

use super::{super::space::Space, judge::Judged, pool::Member};
use crate::numeric::Random;

pub struct Probe {
    /// Where it is among the inputs that are judged.
    pub at: usize,
    pub input: Vec<f64>,
    family: u64,
    element: usize,
    output: usize,
    /// The element before, and the right result there.
    from: (f64, f64),
}

/// Neighbours of the zero that are tried on each side.
const NEIGHBOURS: i64 = 2;

/// Moves one element of an input, to see one output move.
pub fn probe(space: &Space, parent: &Member, at: usize, rng: &mut Random) -> Option<Probe> {
    let element = rng.below(space.axes.len() as u64) as usize;
    let outputs = parent.judged.reals.len() as u64;
    let output = match rng.chance(0.7) {
        true => parent.judged.worst,
        false => rng.below(outputs) as usize,
    };
    let axis = &space.axes[element];
    let value = parent.input[element];
    let moved = match value {
        0.0 => axis.fitted(1.0)?,
        value => axis.fitted(value * (1.0 - rng.unit() / 2.0))?,
    };
    let mut input = parent.input.clone();
    input[element] = moved;
    (moved != value).then(|| Probe {
        at,
        input,
        family: parent.family,
        element,
        output,
        from: (value, parent.judged.reals[output]),
    })
}

impl Probe {
    /// The input at the zero and its neighbours; none if the output did not move.
    pub fn steps(&self, space: &Space, judged: &Judged) -> Vec<(Vec<f64>, u64)> {
        let axis = &space.axes[self.element];
        let Some(real) = judged
            .reals
            .get(self.output)
            .filter(|real| real.is_finite())
        else {
            return Vec::new();
        };
        let (value, before) = self.from;
        let moved = self.input[self.element];
        let zero = value - before * ((moved - value) / (real - before));
        let Some(zero) = Some(zero)
            .filter(|zero| zero.is_finite())
            .and_then(|zero| axis.fitted(zero))
        else {
            return Vec::new();
        };
        let position = axis.ordinal(zero);
        (-NEIGHBOURS..=NEIGHBOURS)
            .map(|step| {
                let mut input = self.input.clone();
                input[self.element] = axis.value(position.saturating_add(step));
                (input, self.family)
            })
            .collect()
    }
}
