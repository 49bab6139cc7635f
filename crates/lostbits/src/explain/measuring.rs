//! The build for runs with interventions: it follows errors and explains nothing.
//!
//! Such a run needs residues and nothing else, so it has neither meta words, nor a trace, nor events for operations, as a run that only
//! detects ([`super::detection`]), and takes about a third of the time of one that explains. What events would have done is missing: exact
//! values of precision-specific roundings, verdicts that the trace decides. So a first run, in which nothing is left out, is compared
//! with the one that explained. Unless both find the same errors in the same results, the explaining program is run, and so it is
//! whenever a run loses an error that this one knew.

use std::{collections::BTreeMap, fs, path::Path};

use lostbits_abi::{explain::SpotKind, record::ProcessRecord, site::Site};

use super::{
    analysis::Analysis,
    attempt::{Aim, Attempt, Build, Prepared, first_mode},
    clock::Clock,
    intervene::{Effect, Effects, SpotKey, sites_of_all},
    options::{ExplainSubject, Options},
};
use crate::subject::Code;

/// What the run left that explained with residues.
pub struct Explained {
    pub processes: Vec<ProcessRecord>,
    pub analyses: Vec<Analysis>,
    /// Its constants were hidden from the optimiser.
    pub hides_constants: bool,
}

impl Explained {
    pub fn by(attempt: &Attempt, hides_constants: bool) -> Explained {
        Explained {
            processes: attempt.outcome.processes.clone(),
            analyses: attempt.analyses.clone(),
            hides_constants,
        }
    }

    /// Whether residues that no event changed are the same.
    fn is_measurable(&self) -> bool {
        let needs_events = |one: &Analysis| one.reinterpreted > 0 || one.after_underflow > 0;
        !self.analyses.iter().any(needs_events)
    }
}

/// The program, if it is worth building.
pub fn build(
    explained: &Explained,
    options: &Options,
    folder: &Path,
    clock: &Clock,
) -> Option<Prepared> {
    let is_compiled = matches!(options.subject, ExplainSubject::Code(Code::Sources { .. }));
    let wants_more = !options.what_if.is_empty() || !options.launcher.is_empty();
    if !is_compiled || wants_more || !explained.is_measurable() || !clock.is_build_worthwhile() {
        return None;
    }
    let folder = folder.join("measuring");
    fs::create_dir(&folder).ok()?;
    let build = Build {
        mode: first_mode(options),
        hides_constants: explained.hides_constants,
        aim: Aim::Measure,
        // Errors are compared with those of the run that explained: bounds would cost up to a third, and judge nothing.
        trusts_residues: true,
    };
    Prepared::again(options, build, &folder).ok()
}

/// Whether a run's sites have the numbers that they have in `sites`.
pub fn numbers_sites_alike(attempt: &Attempt, sites: &[Site]) -> bool {
    sites_of_all(&attempt.outcome.processes).is_some_and(|own| own == sites)
}

/// Whether a run finds the errors in wrong results that the explaining run found. Of outputs whose execution is another than that of the
/// explaining run, `reported` has what high precision found: the error.
pub fn agrees(
    measured: &Effects,
    explained: &Effects,
    wrong: &BTreeMap<SpotKey, Option<f64>>,
) -> bool {
    wrong.iter().all(|(key, reported)| {
        let own = measured.get(key).copied();
        let Some(before) = explained.get(key) else {
            return own.is_none();
        };
        if key.1 != SpotKind::Output as u32 {
            return own.map_or(0, |own| own.wrong) == before.wrong;
        }
        own.is_some_and(|own| match reported {
            _ if own.seen != before.seen => false,
            Some(error) => is_near(own.error(), *error, TOLERANCE_OF_A_REPORT),
            None => is_same(&own, before),
        })
    })
}

/// As [`super::intervene::remove_unreliable`] has it, with a margin.
const TOLERANCE_OF_A_REPORT: f64 = 0.09;
/// Residues are added in another order.
const TOLERANCE: f64 = 1e-6;

fn is_same(own: &Effect, before: &Effect) -> bool {
    let is_unknown = !own.error().is_finite() && !before.error().is_finite();
    own.execution == before.execution
        && own.computed.to_bits() == before.computed.to_bits()
        && (is_unknown || is_near(own.error(), before.error(), TOLERANCE))
}

fn is_near(error: f64, expected: f64, tolerance: f64) -> bool {
    error == expected || (error - expected).abs() <= tolerance * expected.abs()
}

/// Whether a run lost an error that the run with all errors knew.
pub fn has_lost(effects: &Effects, all: &Effects) -> bool {
    all.iter().any(|(key, all)| {
        let is_output = key.1 == SpotKind::Output as u32;
        is_output
            && all.error().is_finite()
            && effects.get(key).is_none_or(|own| {
                own.seen != all.seen || own.execution != all.execution || !own.error().is_finite()
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: SpotKey = (3, SpotKind::Output as u32);
    const COMPARISON: SpotKey = (4, SpotKind::Comparison as u32);

    fn output(error: f64) -> Effect {
        Effect {
            wrong: 1,
            computed: 2.0,
            corrected: 2.0 + error,
            execution: 5,
            seen: 9,
            is_undecided: false,
        }
    }

    fn agree(measured: Effect, explained: Effect, key: SpotKey, reported: Option<f64>) -> bool {
        agrees(
            &[(key, measured)].into(),
            &[(key, explained)].into(),
            &[(key, reported)].into(),
        )
    }

    #[test]
    fn errors_of_the_same_execution_must_be_the_same() {
        assert!(agree(output(0.5), output(0.5), OUTPUT, None));
        assert!(!agree(output(0.51), output(0.5), OUTPUT, None));
        let later = Effect {
            execution: 6,
            ..output(0.5)
        };
        assert!(!agree(later, output(0.5), OUTPUT, None));
        let more = Effect {
            seen: 10,
            ..output(0.5)
        };
        assert!(!agree(more, output(0.5), OUTPUT, None));
        assert!(!agrees(
            &Effects::new(),
            &[(OUTPUT, output(0.5))].into(),
            &[(OUTPUT, None)].into()
        ));
        assert!(agree(output(f64::NAN), output(f64::NAN), OUTPUT, None));
        assert!(!agree(output(0.0), output(f64::NAN), OUTPUT, None));
    }

    #[test]
    fn of_another_execution_the_reported_error_counts() {
        assert!(agree(output(0.52), output(0.1), OUTPUT, Some(0.5)));
        assert!(!agree(output(0.1), output(0.1), OUTPUT, Some(0.5)));
    }

    #[test]
    fn decisions_must_be_wrong_as_often() {
        let wrong = |times| Effect {
            wrong: times,
            ..output(0.0)
        };
        assert!(agree(wrong(7), wrong(7), COMPARISON, None));
        assert!(!agree(wrong(8), wrong(7), COMPARISON, None));
    }

    #[test]
    fn a_run_must_know_every_error() {
        let all: Effects = [(OUTPUT, output(0.5))].into();
        assert!(!has_lost(&[(OUTPUT, output(0.0))].into(), &all));
        assert!(has_lost(&[(OUTPUT, output(f64::INFINITY))].into(), &all));
        assert!(has_lost(&Effects::new(), &all));
        // What was unknown before may be unknown.
        let unknown: Effects = [(OUTPUT, output(f64::NAN))].into();
        assert!(!has_lost(&unknown, &unknown));
    }
}
