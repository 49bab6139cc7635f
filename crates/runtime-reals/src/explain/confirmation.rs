//! Runs that confirm residues by perturbing them.
//!
//! Bounds of residues grow with every step of a recurrence whose errors do not (`x[n+1] = 2 x[n] - x[n-1]`), and then decide nothing.
//! What a residue is really worth shows if its own rounding is made worse: runs in which the last bits of each residue are replaced
//! by others of its bits agree as far as residues are right. The tool compares them. So bounds have one meaning left here: an
//! infinite one says that the exact value is unknown.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use lostbits_abi::{environment, explain::PERTURBING_SHIFT, variable_symbol, variables};

static TRUSTS: AtomicBool = AtomicBool::new(false);

/// The same for instrumented code.
#[unsafe(export_name = variable_symbol!(EXPLAIN_PERTURBATION))]
static mut PERTURBATION: variables::layout::EXPLAIN_PERTURBATION = 0;

/// Called once, before the first event.
pub fn start() {
    let Some(text) = lostbits_runtime::environment(environment::c::CONFIRM) else {
        return;
    };
    TRUSTS.store(true, Relaxed);
    // SAFETY: written once, before any instrumented code of this mode computes a residue.
    unsafe { PERTURBATION = environment::number(text) };
}

/// Whether finite bounds count as zero.
pub fn trusts_residues() -> bool {
    TRUSTS.load(Relaxed)
}

/// A residue and its bound as this run has them.
pub fn confirmed((residue, bound): (f64, f64)) -> (f64, f64) {
    if !trusts_residues() {
        return (residue, bound);
    }
    // SAFETY: `start` wrote it before the first event.
    let mask = unsafe { PERTURBATION };
    let bits = residue.to_bits();
    let perturbed = f64::from_bits(bits ^ (bits >> PERTURBING_SHIFT & mask));
    (perturbed, if bound.is_finite() { 0.0 } else { bound })
}
