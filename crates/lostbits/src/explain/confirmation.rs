//! Confirms residues by runs that perturb them, where their bounds are too large for a verdict.
//!
//! A bound has to assume that errors of residues never cancel. In a recurrence of two terms (a filter, a wave, a polynomial's
//! three-term recurrence) it doubles at every step while the residue stays right, and in the end nothing is decided. High-precision
//! numbers would decide, at a hundred times the program's own time. So the program is built once more for detection, without
//! bounds, and runs twice: after every operation some of the last bits of the residue are replaced by others of its bits
//! (`runtime-reals/src/explain/confirmation.rs`), in the second run eight times as many units of them. Both runs make residues worse than their
//! own rounding does, so what both find is found with unperturbed residues as well. This is the principle by which two precisions
//! confirm each other ([`super::escalate`]).
//!
//! They confirm each other if every output is wrong as often in both, the worst has the same error, and no decision is
//! wrong in either: of a tie, the sign of the difference is noise. If nothing is wrong, that is the report. Otherwise the
//! program that explains is built without bounds, too; where it finds more wrong than the two, that is undecided.
//!
//! Only bounds know what a float lost by underflow, so programs that compute with other formats than double are left to high precision; of
//! doubles, underflows are noted.
//!
//! What it can miss: an error of residues that no perturbation of rounded results shows, because they are short numbers everywhere.

use std::{fs, path::Path};

use lostbits_abi::{
    explain::{CONFIRM_ENV, SpotKind},
    kind::FpKind,
    mode::Mode,
    site::What,
};

use super::{
    attempt::{Aim, Attempt, Build, Prepared},
    clock::{Clock, Purpose},
    constant_folding::{self, outputs_of},
    escalate::executions,
    findings::{Findings, Spot},
    options::Options,
};
use crate::run::Input;

/// The bits that the runs perturb.
const MASKS: [u32; 2] = [0b111, 0b111_000];
/// The largest difference, in bits, of worst errors that agree.
const BITS_THAT_AGREE: f64 = 0.25;
/// The largest difference, relative, of errors of wrong results that agree.
const SHARE_THAT_AGREES: f64 = 0.05;
/// Errors below are rounding errors of the result itself.
const ACCURATE_BITS: f64 = 2.0;

/// The first of two runs that confirm each other; none if there is no doubt of this kind, or they do not.
pub fn confirm(
    detected: &Attempt,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Option<Attempt> {
    let hides_constants = constant_folding::may_compute_more(detected);
    let mut analyses = detected.analyses.iter();
    let is_useful =
        analyses.any(|one| one.in_doubt_by_bounds > 0) && detected.outcome.status.code().is_some();
    if !is_useful || !computes_in_double(detected) {
        return None;
    }
    let folder = folder.join("confirming");
    fs::create_dir(&folder).ok()?;
    let build = Build {
        mode: Mode::Explain,
        hides_constants,
        aim: Aim::Detect,
        trusts_residues: true,
    };
    let prepared = Prepared::again(options, build, &folder).ok()?;
    let run = |mask: u32| {
        let variable = Some((CONFIRM_ENV, mask.to_string()));
        let time = (clock, clock.left());
        let run = prepared.run_again(
            options,
            Purpose::Confirmation,
            variable,
            input,
            &folder,
            time,
        );
        run.ok()
            .filter(|run| is_alike(run, detected, hides_constants) && is_decided(&run.findings))
    };
    let first = run(MASKS[0])?;
    let second = run(MASKS[1])?;
    agree(&first.findings, &second.findings).then_some(first)
}

fn computes_in_double(run: &Attempt) -> bool {
    let modules = run.outcome.processes.iter().flat_map(|one| &one.modules);
    let mut rows = modules.flat_map(|module| module.rows());
    rows.all(|(site, executions, _)| {
        let is_operation = matches!(site.what, What::Operation(_)) && executions > 0;
        !is_operation || site.kind.is_none_or(|kind| kind == FpKind::Double)
    })
}

/// Whether two runs executed the same and ended alike. What the compiler had computed is computed in one of them alone.
fn is_alike(run: &Attempt, other: &Attempt, hides_constants: bool) -> bool {
    let (run, other) = (&run.outcome, &other.outcome);
    run.status == other.status
        && match hides_constants {
            true => outputs_of(&run.processes) == outputs_of(&other.processes),
            false => executions(&run.processes) == executions(&other.processes),
        }
}

/// Whether every output is judged, and no decision is wrong.
fn is_decided(findings: &Findings) -> bool {
    findings.totals.undecided_spots() == 0
        && findings.totals.after_underflow == 0
        && findings
            .spots
            .iter()
            .all(|spot| spot.kind == SpotKind::Output || spot.erroneous == 0)
}

fn agree(first: &Findings, second: &Findings) -> bool {
    let mut pairs = first.spots.iter().zip(&second.spots);
    first.spots.len() == second.spots.len()
        && pairs.all(|(first, second)| spots_agree(first, second))
}

fn spots_agree(first: &Spot, second: &Spot) -> bool {
    let is_accurate = |spot: &Spot| spot.worst_bits <= ACCURATE_BITS;
    (&first.site, first.kind) == (&second.site, second.kind)
        && first.erroneous == second.erroneous
        && match first.erroneous {
            0 if is_accurate(first) && is_accurate(second) => true,
            0 => (first.worst_bits - second.worst_bits).abs() <= BITS_THAT_AGREE,
            _ => wrong_results_agree(first, second),
        }
}

/// Whether the worst result is that of the same execution, with the same error.
fn wrong_results_agree(first: &Spot, second: &Spot) -> bool {
    let error = |spot: &Spot| spot.reals[0].nearest - spot.values[0];
    let difference = (error(first) - error(second)).abs();
    first.worst_execution == second.worst_execution
        && first.values[0] == second.values[0]
        && difference <= SHARE_THAT_AGREES * error(first).abs()
}

/// Leaves undecided what the run that explained finds wrong, and the runs that confirmed its residues did not.
pub fn check(explained: &mut Findings, confirmed: &Findings) {
    explained.leave_undecided(|spot| {
        let is_same = |other: &&Spot| (&other.site, other.kind) == (&spot.site, spot.kind);
        let confirmed = confirmed.spots.iter().find(is_same);
        let wrong = confirmed.map_or(0, |confirmed| confirmed.erroneous);
        match spot.erroneous <= wrong {
            true => 0,
            false => spot.erroneous,
        }
    });
}
