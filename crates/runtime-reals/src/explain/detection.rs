//! A run that only detects: what is not surely right is undecided, and the tool runs a program that explains
//! (`pass/src/modes/explain/detection.rs`).
//!
//! Residues and bounds are judged as always. But there is no trace, so nothing is excused that only the trace could excuse.
//! Meta words are not written: those in memory are of other modules or stale.
//!
//! A run of an error budget is of such a program, too ([`environment::MEASURE`]). It is compared with the run that explained: what is
//! wrong was judged there, so results are measured without doubts of this kind. The same applies to runs that confirm residues
//! ([`confirmation`]).

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use lostbits_abi::{environment, explain::Event};

use super::{
    confirmation, decisions,
    measure::{Measured, Verdict},
    state::State,
};

static DETECTS: AtomicBool = AtomicBool::new(false);
static MEASURES: AtomicBool = AtomicBool::new(false);

/// Called once, before the first event.
pub fn start() {
    let is_set = |name| lostbits_runtime::environment(name).is_some();
    DETECTS.store(is_set(environment::c::DETECT), Relaxed);
    MEASURES.store(is_set(environment::c::MEASURE), Relaxed);
}

/// Whether there are no meta words.
pub fn is_active() -> bool {
    DETECTS.load(Relaxed) || measures()
}

/// Whether errors are only measured.
pub fn measures() -> bool {
    MEASURES.load(Relaxed)
}

/// Whether what an operation gets is unknown: in line, nothing has replaced an infinite residue or a NaN.
pub fn has_unknown_operands(event: &Event) -> bool {
    let mut operands = 1..=usize::from(event.operands).min(3);
    is_active() && operands.any(|index| !is_known(event.residues[index], event.bounds[index]))
}

/// Whether residue and bound are numbers.
fn is_known(residue: f64, bound: f64) -> bool {
    residue.is_finite() && bound.is_finite()
}

/// A number that the program only received, as far as its shadow says: it has no error.
fn is_exact(residue: f64, bound: f64) -> bool {
    residue == 0.0 && bound == 0.0
}

impl State {
    /// The verdict on an output, given what its bits and digits say.
    pub(super) fn surely(&self, measured: &Measured, verdict: Verdict) -> Verdict {
        if measures() {
            return verdict;
        }
        let (residue, bound) = (measured.residue, measured.bound);
        let is_finite = measured.value.is_finite();
        if confirmation::trusts_residues() && is_finite && is_known(residue, bound) {
            return verdict;
        }
        let is_right = match is_finite {
            true => is_known(residue, bound) && verdict == Verdict::Within,
            false => is_exact(residue, bound),
        };
        match is_right {
            true => Verdict::Within,
            false => Verdict::Undecided,
        }
    }

    /// An output is in doubt because of its residue's bound, and not because it may be wrong.
    pub(super) fn note_doubt(&mut self) {
        if let Some(header) = self.analysis.header() {
            header.in_doubt_by_bounds += 1;
        }
    }

    /// What underflowed may matter anywhere.
    #[cold]
    pub(super) fn note_underflow(&mut self) {
        if let Some(header) = self.analysis.header() {
            header.after_underflow += 1;
        }
    }
}

/// Whether a decision is the same in exact arithmetic, for all that is known.
pub(super) fn decision(event: &Event) -> Verdict {
    let mut operands = 1..=usize::from(event.operands).min(2);
    let shadow = |index: usize| (event.residues[index], event.bounds[index]);
    let is_finite = decisions::is_finite(event);
    let mut known = operands.clone();
    let are_known = known.all(|index| is_known(shadow(index).0, shadow(index).1));
    if (measures() || confirmation::trusts_residues()) && are_known && is_finite {
        return decisions::of_finite(event);
    }
    let is_right = are_known
        && match is_finite {
            true => decisions::of_finite(event) == Verdict::Within,
            false => operands.all(|index| {
                event.values[index].is_finite() || is_exact(shadow(index).0, shadow(index).1)
            }),
        };
    match is_right {
        true => Verdict::Within,
        false => Verdict::Undecided,
    }
}
