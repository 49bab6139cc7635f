//! Which operation an operand comes from.
//!
//! A trace holds numbers, not where they come from, so an operand's origin is found by its bits. That is ambiguous where numbers
//! of different origin have the same bits: `sqrt(b*b - 4*a*c)` is `b` where the product is absorbed, and all zeros and
//! infinities look alike. So the search learns from other runs of the function, whose numbers differ, which sites and inputs an
//! operand of a site comes from.
//!
//! What it can miss: operands that have another origin on a path that no run for learning takes.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

use lostbits_abi::ops::Outcome;

use crate::target::Step;

/// What an operand may come from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The result of an operation, by its site.
    Site(u32),
    Input,
    /// A value that no traced operation computed.
    Untraced,
}

/// An operand of a site, or an output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    Operand(u32, u8),
    Output(usize),
}

/// What uses come from, as far as runs showed.
#[derive(Default)]
pub struct Origins(HashMap<Use, Vec<Origin>>);

impl Origins {
    /// None if no run showed it.
    pub fn of(&self, place: Use) -> Option<&[Origin]> {
        self.0.get(&place).map(Vec::as_slice)
    }

    /// Learns from a run: numbers with many digits that only one origin has.
    pub fn learn(&mut self, steps: &[Step], inputs: &[f64], outputs: &[f64]) {
        let mut latest: ByMagnitude<Vec<Origin>> = ByMagnitude::default();
        for input in inputs {
            latest.insert(magnitude(*input), vec![Origin::Input]);
        }
        for step in steps {
            let operands = [(step.x, step.x_is_constant), (step.y, step.y_is_constant)];
            for (at, (value, is_constant)) in operands.into_iter().enumerate() {
                if !is_constant && at < operands_of(step) {
                    self.add(Use::Operand(step.site, at as u8), value, &latest);
                }
            }
            if step.op.info().outcome == Outcome::Real {
                let known = latest.entry(magnitude(step.result)).or_default();
                if !known.contains(&Origin::Site(step.site)) {
                    known.push(Origin::Site(step.site));
                }
            }
        }
        for (at, output) in outputs.iter().enumerate() {
            self.add(Use::Output(at), *output, &latest);
        }
    }

    fn add(&mut self, place: Use, value: f64, latest: &ByMagnitude<Vec<Origin>>) {
        if !is_distinctive(value) {
            return;
        }
        let origin = match latest.get(&magnitude(value)).map(Vec::as_slice) {
            None => Origin::Untraced,
            Some([origin]) => *origin,
            Some(_) => return,
        };
        let known = self.0.entry(place).or_default();
        if !known.contains(&origin) {
            known.push(origin);
        }
    }
}

fn operands_of(step: &Step) -> usize {
    step.op.info().arity().min(2)
}

/// Whether other numbers hardly have the same bits by chance.
fn is_distinctive(value: f64) -> bool {
    const DIGITS: u32 = 14;
    value.is_normal() && value.to_bits().trailing_zeros() < 52 - DIGITS
}

/// Maps by [`magnitude`]: bits of numbers need no strong hash.
pub type ByMagnitude<T> = HashMap<u64, T, BuildHasherDefault<BitsHasher>>;

#[derive(Default)]
pub struct BitsHasher(u64);

impl Hasher for BitsHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, bits: u64) {
        let mixed = (self.0 ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The bits of a number without its sign, which is changed by operations that leave no trace. NaN are all alike.
pub fn magnitude(value: f64) -> u64 {
    match value.is_nan() {
        true => u64::MAX,
        false => value.to_bits() << 1,
    }
}
