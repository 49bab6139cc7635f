use std::cell::Cell;

use super::*;

/// A program whose one output has an error that is the sum of what its statements make, or a power of this sum.
struct Linear {
    power: i32,
    statements: Vec<Statement>,
    errors: Vec<f64>,
    /// Statements whose suspected operation makes nothing of their errors.
    innocent: Vec<usize>,
    /// What no statement makes.
    outside: f64,
    /// Whether suspects make errors larger.
    amplifies: bool,
    runs: Cell<u32>,
}

impl Linear {
    fn new(errors: &[f64]) -> Linear {
        let statement = |line: u32| Statement::for_test("a.c", line);
        Linear {
            power: 1,
            statements: (0..errors.len() as u32).map(statement).collect(),
            errors: errors.to_vec(),
            innocent: Vec::new(),
            outside: 0.0,
            amplifies: true,
            runs: Cell::new(0),
        }
    }

    fn measured(&self, suspects: &[usize], most_runs: u32) -> Budget {
        let all = self
            .run(&vec![LeaveOut::Nothing; self.errors.len()], None)
            .unwrap();
        self.runs.set(0);
        let suspects: Vec<Suspect> = suspects.iter().map(|at| self.suspect(*at)).collect();
        measure(self, &all, &suspects, most_runs)
    }

    /// The one operation of a statement.
    fn suspect(&self, statement: usize) -> Suspect {
        Suspect {
            statement,
            operations: vec![self.statements[statement].site.clone()],
            amplifies: self.amplifies,
        }
    }
}

impl Experiment for Linear {
    fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Each statement inherits the errors of those before it.
    fn run(&self, leave_out: &[LeaveOut], operation: Option<&Site>) -> Option<Effects> {
        self.runs.set(self.runs.get() + 1);
        let is_exact = |at: usize| {
            operation == Some(&self.statements[at].site) && !self.innocent.contains(&at)
        };
        let parts = self.errors.iter().zip(leave_out).enumerate();
        let error = parts.fold(
            self.outside,
            |before, (at, (own, leave_out))| match leave_out {
                LeaveOut::AllErrors => 0.0,
                _ if is_exact(at) => 0.0,
                LeaveOut::Nothing => before + own,
                LeaveOut::OwnErrors | LeaveOut::OwnErrorsButFloats => before,
                LeaveOut::InheritedErrors => *own,
            },
        );
        let error = error.powi(self.power);
        let effect = Effect {
            wrong: u64::from(error.abs() > 0.1),
            computed: 5.0,
            corrected: 5.0 + error,
            execution: 1,
            seen: 1,
            is_undecided: false,
        };
        Some([((7, 1), effect)].into())
    }
}

fn lines(budget: &Budget) -> Vec<(u32, u32)> {
    let rounded = |one: &Contribution| (one.statements[0].line, (one.share * 100.0).round() as u32);
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
fn what_only_passes_errors_on_is_no_cause_beside_their_source() {
    let mut program = Linear::new(&[90.0, 20.0]);
    let causes = |program: &Linear, suspects: &[usize]| -> Vec<u32> {
        let budget = program.measured(suspects, 64);
        let causes = budget.contributions.iter().filter(|one| one.is_cause());
        causes.map(|one| one.statements[0].line).collect()
    };
    assert_eq!(causes(&program, &[0, 1]), [0, 1]);
    program.amplifies = false;
    assert_eq!(causes(&program, &[0, 1]), [0]);
}

/// The error was there before: where it passes is all that can be named.
#[test]
fn what_passes_errors_on_is_a_cause_if_no_source_is_known() {
    let mut program = Linear::new(&[0.0, 20.0]);
    program.outside = 90.0;
    program.amplifies = false;
    let budget = program.measured(&[1], 64);
    assert!(budget.contributions[0].is_cause());
}

#[test]
fn a_suspect_that_makes_nothing_of_its_statements_error_is_innocent() {
    let mut program = Linear::new(&[1.0, 0.5, 0.0]);
    program.innocent = vec![1];
    let budget = program.measured(&[0, 1], 64);
    let innocent: Vec<(u32, usize)> = budget
        .contributions
        .iter()
        .map(|one| (one.statements[0].line, one.innocent.len()))
        .collect();
    assert_eq!(innocent, [(0, 0), (1, 1)]);
}

#[test]
fn the_proof_of_the_only_suspect_is_the_measurement_of_the_rest() {
    let program = Linear::new(&[1.0, 0.0]);
    let budget = program.measured(&[0], 64);
    assert_eq!(lines(&budget), [(0, 100)]);
    let (_, all, left) = budget.contributions[0].proof[0];
    assert_eq!((all.error(), left.error()), (1.0, 0.0));
    // The suspect alone, all but the suspect, and the suspected operation.
    assert_eq!((budget.runs, program.runs.get()), (3, 3));
}

#[test]
fn runs_that_do_not_suffice_are_reported() {
    let program = Linear::new(&[1.0; 64]);
    let budget = program.measured(&[], 5);
    assert!(budget.is_incomplete);
    assert_eq!((budget.runs, program.runs.get()), (5, 5));
}

#[test]
fn errors_that_cancel_each_other_are_found() {
    for (first, second, is_compensated) in [
        (8, 9, true),
        // Different groups have them from the start.
        (3, 19, false),
        (0, 31, false),
        (16, 24, true),
    ] {
        let mut errors = vec![1e-6; 32];
        errors[5] = 1.0;
        errors[first] = 3.0;
        errors[second] = -3.0;
        let program = Linear::new(&errors);
        let budget = program.measured(&[], 40);
        let found: Vec<(u32, bool)> = budget
            .contributions
            .iter()
            .map(|one| (one.statements[0].line, one.is_compensated))
            .collect();
        for line in [first as u32, second as u32] {
            assert!(found.contains(&(line, is_compensated)), "{line}: {found:?}");
        }
        assert!(found.contains(&(5, false)), "{found:?}");
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(!budget.is_incomplete && program.runs.get() < 40);
    }
}

/// Alone they make 22 % and 6 %; without them 94 % and 78 % are gone.
#[test]
fn sources_that_need_each_other_share_what_is_gone_without_them() {
    let mut program = Linear::new(&[0.6, 0.4, 0.0]);
    program.power = 3;
    let budget = program.measured(&[1], 20);
    assert_eq!(lines(&budget), [(0, 58), (1, 42)]);
    assert!(budget.contributions.iter().all(Contribution::is_cause));
}

#[test]
fn errors_that_make_more_than_all_together_count_as_all() {
    let program = Linear::new(&[2.0, -1.0]);
    assert_eq!(lines(&program.measured(&[0, 1], 9)), [(0, 100), (1, 100)]);
}
