//! Reductions of MPI: one operation over the contributions of all ranks, which the layer for MPI computes exactly
//! (`lostbits/src/compile/mpi/reductions.c`).
//!
//! A sum over ranks rounds as often as there are ranks, in an order that MPI chooses. These rounding errors belong to the line of
//! the call: instrumented code names its site before the call, and the layer reports each number of the result.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lostbits_abi::{
    explain::{Exact, cause, intervention},
    kind::FpKind,
};

use super::{
    intervening,
    measure::{Measured, Verdict},
    state::{State, if_recording},
};

/// The site of the reduction that is about to be called, plus one; 0 if there is none.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Takes the site that was named last, plus one, and names another.
pub fn exchange_site(next: u64) -> u64 {
    NEXT.swap(next, Relaxed)
}

/// A number of a reduction's result.
pub struct Reduced {
    pub site: u32,
    pub kind: FpKind,
    pub value: f64,
    /// The error that the reduction made of contributions as they were, exact minus computed.
    pub own: f64,
    /// Everything that it lacks, what the contributions lacked included.
    pub residue: f64,
    pub influences: u32,
}

/// Its residue and influences, after interventions and blame.
pub fn reduced(one: &Reduced) -> (f64, u32) {
    let left_out = intervening::at(one.site);
    let keep = |error: f64, intervention: u8| match left_out & intervention {
        0 => error,
        _ => 0.0,
    };
    let own = keep(one.own, intervention::WITHOUT_OWN_ERROR);
    let inherited = keep(one.residue - one.own, intervention::WITHOUT_INHERITED_ERROR);
    let mut influences = one.influences;
    if_recording(|state| influences = state.blame_reduction(one));
    (own + inherited, influences)
}

impl State {
    /// Makes a reduction that lost bits itself a candidate; returns what influences its result.
    fn blame_reduction(&mut self, one: &Reduced) -> u32 {
        let measured = Measured {
            kind: one.kind,
            value: one.value,
            residue: one.own,
            bound: 0.0,
        };
        let is_over = measured.verdict(self.local_ulps) == Verdict::Over;
        if is_over {
            let bits = measured.bits().0;
            if let Some(entry) = self.analysis.operation(one.site) {
                entry.causes |= cause::LOCAL;
                entry.erroneous += 1;
                entry.sum_bits += bits;
                if bits > entry.worst_bits {
                    entry.worst_bits = bits;
                    entry.worst_values = [one.value, 0.0, 0.0, 0.0];
                    entry.worst_real = Exact::of(one.value + one.own);
                }
            }
            let alone = self.sets.singleton(one.site);
            return self.sets.union(one.influences, alone);
        }
        one.influences
    }
}
