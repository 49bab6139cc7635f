//! The error budget: which share of a wrong result's error each statement makes.
//!
//! A statement's share is measured, not estimated: in one run all errors but its own are left out ([`intervene`]). Statements
//! that are suspected (root causes of the first run) are measured alone; the rest is measured as a group, which is split
//! where it matters (group testing), so that `k` sources among `n` statements take about `2 k log n` runs.
//!
//! What it can miss: statements whose errors cancel each other within a group; statements below [`SHARE_TO_SPLIT`].
//!
//! [`intervene`]: super::intervene

use super::intervene::{Effect, Effects, Experiment, LeaveOut, SpotKey, Statement};

/// Groups that make less than this share of every wrong result's error are not split.
const SHARE_TO_SPLIT: f64 = 0.02;
/// A statement that makes at least this share of a wrong result's error is a cause of it.
pub const SHARE_OF_A_CAUSE: f64 = 0.2;

/// What the statements make of the errors.
pub struct Budget {
    /// The largest share first.
    pub contributions: Vec<Contribution>,
    /// The share of what was not taken apart: statements that make little, or for which no runs were left.
    pub rest: f64,
    pub statements: usize,
    pub runs: u32,
    /// Whether the allowed runs did not suffice.
    pub is_incomplete: bool,
}

/// What a statement's own rounding errors make.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    pub statement: Statement,
    /// Whether the first run reported it as a root cause.
    pub is_suspect: bool,
    /// The largest share over all wrong results, between 0 and 1.
    pub share: f64,
    /// The largest share that passes through it: what is gone if its operands are exact. Measured for suspects that
    /// make little themselves: a cancellation amplifies errors that were made elsewhere.
    pub passes: Option<f64>,
    /// Outputs and decisions of whose error it makes this share.
    pub of: Vec<(SpotKey, f64)>,
}

/// Measures the statements of an experiment, whose errors have the effects `all` together. `suspects` are measured first.
pub fn measure(
    experiment: &dyn Experiment,
    all: &Effects,
    suspects: &[usize],
    most_runs: u32,
) -> Budget {
    let mut session = Session {
        experiment,
        wrong: all
            .iter()
            .filter(|(_, effect)| effect.wrong > 0)
            .map(|(key, effect)| (*key, *effect))
            .collect(),
        left: most_runs,
        contributions: Vec::new(),
        rest: 0.0,
        is_incomplete: false,
    };
    let statements = experiment.statements().len();
    for suspect in suspects {
        session.measure_one(*suspect);
    }
    let rest: Vec<usize> = (0..statements)
        .filter(|at| !suspects.contains(at))
        .collect();
    session.split(&rest);
    let mut contributions = session.contributions;
    contributions.sort_by(|a, b| b.share.total_cmp(&a.share));
    Budget {
        contributions,
        rest: session.rest,
        statements,
        runs: most_runs - session.left,
        is_incomplete: session.is_incomplete,
    }
}

struct Session<'a> {
    experiment: &'a dyn Experiment,
    wrong: Vec<(SpotKey, Effect)>,
    left: u32,
    contributions: Vec<Contribution>,
    rest: f64,
    is_incomplete: bool,
}

impl Session<'_> {
    fn measure_one(&mut self, statement: usize) {
        let Some(of) = self.shares(&[statement]) else {
            return;
        };
        let passes = match largest(&of) < SHARE_OF_A_CAUSE {
            true => self.passing(statement),
            false => None,
        };
        self.keep(statement, of, true, passes);
    }

    fn keep(
        &mut self,
        statement: usize,
        of: Vec<(SpotKey, f64)>,
        is_suspect: bool,
        passes: Option<f64>,
    ) {
        self.contributions.push(Contribution {
            statement: self.experiment.statements()[statement].clone(),
            is_suspect,
            share: largest(&of),
            passes,
            of,
        });
    }

    /// The largest share of an error that is gone if a statement's operands are exact.
    fn passing(&mut self, statement: usize) -> Option<f64> {
        let mut leave_out = vec![LeaveOut::Nothing; self.experiment.statements().len()];
        leave_out[statement] = LeaveOut::InheritedErrors;
        let remaining = self.run(&leave_out)?;
        let gone = remaining.iter().map(|(_, share)| 1.0 - share);
        Some(gone.fold(0.0, f64::max))
    }

    /// Finds the statements of a group that matter.
    fn split(&mut self, group: &[usize]) {
        let Some(of) = (!group.is_empty()).then(|| self.shares(group)).flatten() else {
            return;
        };
        let share = largest(&of);
        if share < SHARE_TO_SPLIT {
            self.rest = self.rest.max(share);
        } else if let [statement] = group {
            self.keep(*statement, of, false, None);
        } else {
            let (first, second) = group.split_at(group.len() / 2);
            self.split(first);
            self.split(second);
        }
    }

    /// The shares of what a group's own errors make together; none if no run is left.
    fn shares(&mut self, group: &[usize]) -> Option<Vec<(SpotKey, f64)>> {
        let mut leave_out = vec![LeaveOut::OwnErrors; self.experiment.statements().len()];
        group
            .iter()
            .for_each(|at| leave_out[*at] = LeaveOut::Nothing);
        self.run(&leave_out)
    }

    /// The shares of the errors that are not left out; none if no run is left, or it failed.
    fn run(&mut self, leave_out: &[LeaveOut]) -> Option<Vec<(SpotKey, f64)>> {
        if self.left == 0 {
            self.is_incomplete = true;
            return None;
        }
        self.left -= 1;
        let effects = self.experiment.run(leave_out)?;
        let share = |(key, all): &(SpotKey, Effect)| {
            let own = effects.get(key).copied().unwrap_or_default();
            (*key, share(&own, all))
        };
        Some(self.wrong.iter().map(share).collect())
    }
}

/// How much of an effect one of its parts makes, at most 1: errors that compensate others could make more.
fn share(part: &Effect, all: &Effect) -> f64 {
    let share = match all.error == 0.0 {
        true => part.wrong as f64 / all.wrong as f64,
        false => (part.error / all.error).abs(),
    };
    match share.is_nan() {
        true => 0.0,
        false => share.min(1.0),
    }
}

fn largest(of: &[(SpotKey, f64)]) -> f64 {
    of.iter().map(|(_, share)| *share).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A program whose one output has an error that is the sum of what its statements make.
    struct Linear {
        statements: Vec<Statement>,
        errors: Vec<f64>,
        runs: Cell<u32>,
    }

    impl Linear {
        fn new(errors: &[f64]) -> Linear {
            let statement = |line: u32| Statement::for_test("a.c", line);
            Linear {
                statements: (0..errors.len() as u32).map(statement).collect(),
                errors: errors.to_vec(),
                runs: Cell::new(0),
            }
        }

        fn measured(&self, suspects: &[usize], most_runs: u32) -> Budget {
            let all = self
                .run(&vec![LeaveOut::Nothing; self.errors.len()])
                .unwrap();
            self.runs.set(0);
            measure(self, &all, suspects, most_runs)
        }
    }

    impl Experiment for Linear {
        fn statements(&self) -> &[Statement] {
            &self.statements
        }

        /// Each statement inherits the errors of those before it.
        fn run(&self, leave_out: &[LeaveOut]) -> Option<Effects> {
            self.runs.set(self.runs.get() + 1);
            let parts = self.errors.iter().zip(leave_out);
            let error = parts.fold(0.0, |before, (own, leave_out)| match leave_out {
                LeaveOut::Nothing => before + own,
                LeaveOut::OwnErrors => before,
                LeaveOut::InheritedErrors => *own,
            });
            let effect = Effect {
                error,
                wrong: u64::from(error.abs() > 0.1),
                ..Effect::default()
            };
            Some([((7, 1), effect)].into())
        }
    }

    fn lines(budget: &Budget) -> Vec<(u32, u32)> {
        let rounded = |one: &Contribution| (one.statement.line, (one.share * 100.0).round() as u32);
        budget.contributions.iter().map(rounded).collect()
    }

    #[test]
    fn an_unsuspected_source_is_found_among_many_statements() {
        let mut errors = vec![1e-6; 300];
        errors[211] = 0.9;
        errors[17] = 0.6;
        let program = Linear::new(&errors);
        let budget = program.measured(&[3], 64);
        assert_eq!(lines(&budget), [(211, 60), (17, 40), (3, 0)]);
        assert!(program.runs.get() <= 40, "{} runs", program.runs.get());
        assert!(!budget.is_incomplete);
    }

    #[test]
    fn suspects_that_make_nothing_have_no_share() {
        let program = Linear::new(&[0.0, 1.0, 0.0]);
        let budget = program.measured(&[0, 1, 2], 64);
        assert_eq!(lines(&budget), [(1, 100), (0, 0), (2, 0)]);
        let passes: Vec<Option<f64>> = budget.contributions.iter().map(|one| one.passes).collect();
        assert_eq!(passes, [None, Some(0.0), Some(1.0)]);
    }

    #[test]
    fn runs_that_do_not_suffice_are_reported() {
        let program = Linear::new(&[1.0; 64]);
        let budget = program.measured(&[], 5);
        assert!(budget.is_incomplete);
        assert_eq!((budget.runs, program.runs.get()), (5, 5));
    }

    #[test]
    fn errors_that_make_more_than_all_together_count_as_all() {
        let program = Linear::new(&[2.0, -1.0]);
        assert_eq!(lines(&program.measured(&[0, 1], 9)), [(0, 100), (1, 100)]);
    }
}
