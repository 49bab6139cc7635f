//! Programs whose residues are confirmed by runs that perturb them (`runtime-reals/src/explain/confirmation.rs`).
//!
//! Bounds only say whether a residue is known: they are zero or infinite. A program that only detects also replaces the last bits of
//! each residue by some of its other bits, as far as the run asks for it. A residue that is zero stays zero, and equal residues stay
//! equal; exact errors are short and mostly stay as they are.

use std::sync::OnceLock;

use lostbits_abi::{
    explain::{CONFIRM_ENV, PERTURBING_SHIFT},
    variables,
};

use super::{arithmetic::Known, detection};
use crate::{builder::Builder, ir};

/// Whether bounds only say whether a residue is known.
pub fn trusts_residues() -> bool {
    static TRUSTS: OnceLock<bool> = OnceLock::new();
    *TRUSTS.get_or_init(|| std::env::var_os(CONFIRM_ENV).is_some())
}

/// A result as a run with perturbed residues has it; the same in other programs.
pub fn perturbed(b: &Builder, known: Known) -> Known {
    let is_perturbing =
        trusts_residues() && detection::is_active() && !detection::allows_interventions();
    if !is_perturbing || ir::is_null(known.residue) {
        return known;
    }
    let double = ir::type_of(known.residue);
    let word = b.types.shaped(b.types.i64, double);
    let mask = b.load(
        b.types.i64,
        b.runtime_variable(variables::EXPLAIN_PERTURBATION),
        8,
    );
    let bits = b.bitcast(known.residue, word);
    let others = b.shift_right(bits, PERTURBING_SHIFT.into());
    let others = b.and(others, b.broadcast(mask, word));
    Known {
        residue: b.bitcast(b.xor(bits, others), double),
        ..known
    }
}
