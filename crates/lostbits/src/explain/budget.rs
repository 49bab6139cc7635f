//! The error budget: which share of a wrong result's error each statement makes.
//!
//! A statement's share is measured, not estimated: in one run all errors but its own are left out ([`intervene`]). Suspects
//! (root causes of the first run) are measured alone; the rest is measured as a group, which is split where it matters
//! (group testing). Errors add up to first order, so one half of a group follows from the whole and the other half: `k`
//! sources among `n` statements take about `k log n` runs. A statement is kept only if a run of its own measured it.
//!
//! Where no statement makes much by itself but those of a function do together (the butterflies of an FFT), the function's
//! statements are one entry.
//!
//! Errors of two statements may cancel each other (`f(x + h) - f(x - h)`), and then no group shows them that has both. So the
//! statements that were not found are measured again in groups that keep every two of them apart at least once.
//!
//! Where a result is far from linear in its errors (the quotient by a variance that is all rounding errors), none of its sources makes much
//! alone, and the first of them to be made exact removes most. There the share is the mean of both: what a statement makes
//! alone, and what is gone without it.
//!
//! What it can miss: three or more statements whose errors cancel in all these groups; statements below [`SHARE_TO_SPLIT`].
//!
//! [`intervene`]: super::intervene

mod passing;

use std::collections::BTreeMap;

use lostbits_abi::{explain::SpotKind, site::Site};

use super::intervene::{Effect, Effects, Experiment, LeaveOut, SpotKey, Statement, Suspect};

/// Groups that make less than this share of every wrong result's error are not split.
const SHARE_TO_SPLIT: f64 = 0.08;
/// A statement that makes at least this share of a wrong result's error is a cause of it.
pub const SHARE_OF_A_CAUSE: f64 = 0.2;
/// Where causes make less than this of a result's error, functions are measured as a whole.
const SHARE_EXPLAINED: f64 = 0.5;
/// A suspected operation without whose errors more than this is left of what its statement makes is innocent.
const SHARE_LEFT_BY_AN_INNOCENT: f64 = 0.5;
/// A relative error from which on no digit is right.
const NO_DIGIT: f64 = 0.1;
/// As many causes are shown at most.
const SHOWN: usize = 3;
/// More suspects than this are measured in groups first.
const MOST_SINGLE_SUSPECTS: usize = 6;

/// What the statements make of the errors.
pub struct Budget {
    /// The largest share first.
    pub contributions: Vec<Contribution>,
    /// The largest share of a group that was not taken apart.
    pub rest: f64,
    pub statements: usize,
    pub runs: u32,
    /// Whether the allowed runs did not suffice.
    pub is_incomplete: bool,
}

impl Budget {
    /// Whether no run ended in time.
    pub fn is_empty(&self) -> bool {
        self.is_incomplete && self.contributions.is_empty() && self.rest == 0.0
    }
}

/// What the own rounding errors of a statement, or of several in one function, make.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// In the order of their lines.
    pub statements: Vec<Statement>,
    /// Whether the first run reported it as a root cause.
    pub is_suspect: bool,
    /// The largest share over all wrong results, between 0 and 1.
    pub share: f64,
    /// The largest error that it makes of a wrong result, as a multiple of the error that the result has: other errors may cancel
    /// some of it.
    pub times: f64,
    /// The largest share that passes through it: what is gone if its operands are exact. Measured for suspects that
    /// make little themselves: a cancellation amplifies errors that were made elsewhere.
    pub passes: Option<f64>,
    /// The outputs and decisions of most of whose error that is true.
    pub passes_of: Vec<SpotKey>,
    /// Outputs and decisions of whose error it makes this share.
    pub of: Vec<(SpotKey, f64)>,
    /// Infinite and NaN outputs that are numbers if this alone is computed exactly.
    pub numbers: Vec<(SpotKey, f64)>,
    /// Whether its errors alone leave some result without a right digit.
    pub suffices: bool,
    /// The wrong results with all errors, and with this computed exactly (with its inputs, where `passes` is measured).
    pub proof: Vec<(SpotKey, Effect, Effect)>,
    /// Suspected operations of the statement that do not make what it makes: with exact results they change little.
    pub innocent: Vec<Site>,
    /// Whether errors of other statements cancel its errors.
    pub is_compensated: bool,
    /// Whether errors only pass through it that other causes account for: no execution amplifies them.
    pub is_conduit: bool,
}

impl Contribution {
    /// Whether making it exact changes a wrong result, or its errors alone reproduce one.
    pub fn is_cause(&self) -> bool {
        self.share >= SHARE_OF_A_CAUSE || (self.suffices && self.passes_most() && !self.is_conduit)
    }

    pub fn passes_most(&self) -> bool {
        self.passes.is_some_and(|passes| passes >= SHARE_EXPLAINED)
    }

    /// How much of all wrong results' errors it accounts for.
    pub fn weight(&self) -> f64 {
        let made: f64 = self.of.iter().map(|(_, share)| share).sum();
        match self.is_cause() {
            true => made.max(self.passes.unwrap_or(0.0) * self.passes_of.len() as f64),
            false => made,
        }
    }
}

/// Measures the statements of an experiment, whose errors have the effects `all` together, by at most `runs` runs.
/// `suspects` are measured first.
pub fn measure(
    experiment: &dyn Experiment,
    all: &Effects,
    suspects: &[Suspect],
    runs: u32,
) -> Budget {
    let mut session = Session {
        experiment,
        wrong: all
            .iter()
            .filter(|(_, effect)| effect.wrong > 0)
            .map(|(key, effect)| (*key, *effect))
            .collect(),
        suspects,
        left: runs,
        measured: Vec::new(),
        contributions: Vec::new(),
        rest: 0.0,
        is_incomplete: false,
    };
    let statements = experiment.statements().len();
    let suspected: Vec<usize> = suspects.iter().map(|one| one.statement).collect();
    let rest: Vec<usize> = (0..statements)
        .filter(|at| !session.is_suspect(*at))
        .collect();
    match suspected.len() <= MOST_SINGLE_SUSPECTS {
        true => suspected
            .iter()
            .for_each(|one| session.split(&[*one], None)),
        false => session.split(&suspected, None),
    }
    let of_rest = session.made_by_others(&suspected);
    session.split(&rest, of_rest);
    session.measure_gone();
    session.measure_functions();
    session.measure_passing();
    session.find_conduits();
    session.prove();
    session.find_compensated();
    session.acquit_operations();
    let mut contributions = session.contributions;
    contributions.sort_by(|a, b| {
        let by_weight = b.weight().total_cmp(&a.weight());
        b.is_cause().cmp(&a.is_cause()).then(by_weight)
    });
    Budget {
        contributions,
        rest: session.rest,
        statements,
        runs: runs - session.left,
        is_incomplete: session.is_incomplete,
    }
}

/// The errors that a run left in, of each wrong result.
type Errors = BTreeMap<SpotKey, Effect>;

struct Session<'a> {
    experiment: &'a dyn Experiment,
    wrong: Vec<(SpotKey, Effect)>,
    suspects: &'a [Suspect],
    left: u32,
    /// The runs so far: what is asked twice runs once. To prove the only suspect is to measure the rest.
    measured: Vec<(Question, Errors)>,
    contributions: Vec<Contribution>,
    rest: f64,
    is_incomplete: bool,
}

/// What a run leaves out, and the operation that it makes exact.
type Question = (Vec<LeaveOut>, Option<Site>);

impl Session<'_> {
    fn is_suspect(&self, statement: usize) -> bool {
        self.suspects.iter().any(|one| one.statement == statement)
    }

    /// Finds the statements of a group that matter. `known` is what the group makes, if that follows from other runs.
    fn split(&mut self, group: &[usize], known: Option<Errors>) {
        if group.is_empty() {
            return;
        }
        let is_single = group.len() == 1;
        let errors = match known {
            // A statement is kept only if a run of its own measured it.
            Some(errors) if !is_single || self.largest(&errors) < SHARE_TO_SPLIT => Some(errors),
            _ => self.made_by(group),
        };
        let Some(errors) = errors else {
            return;
        };
        let share = self.largest(&errors);
        let is_suspect = self.is_suspect(group[0]);
        if is_single && (is_suspect || share >= SHARE_TO_SPLIT) {
            self.keep(group, &errors, is_suspect);
        } else if share < SHARE_TO_SPLIT {
            self.rest = self.rest.max(share);
            // Their own shares are below that of the group.
            let suspects = group.iter().filter(|one| self.is_suspect(**one));
            let suspects: Vec<usize> = suspects.copied().collect();
            suspects
                .iter()
                .for_each(|one| self.keep(&[*one], &Errors::new(), true));
        } else {
            let (first, second) = group.split_at(group.len() / 2);
            let of_first = self.made_by(first);
            let of_second = of_first.as_ref().map(|first| difference(&errors, first));
            if let Some(of_first) = of_first {
                self.split_measured(first, of_first);
            }
            self.split(second, of_second);
        }
    }

    /// The same for a group that a run has just measured.
    fn split_measured(&mut self, group: &[usize], errors: Errors) {
        match group {
            [one] => {
                let is_suspect = self.is_suspect(*one);
                match is_suspect || self.largest(&errors) >= SHARE_TO_SPLIT {
                    true => self.keep(group, &errors, is_suspect),
                    false => self.rest = self.rest.max(self.largest(&errors)),
                }
            }
            _ => self.split(group, Some(errors)),
        }
    }

    fn keep(&mut self, group: &[usize], errors: &Errors, is_suspect: bool) {
        let statements = group
            .iter()
            .map(|at| self.experiment.statements()[*at].clone());
        let of = self.shares(errors);
        let suffices = self.wrong.iter().any(|(key, all)| {
            let own = errors.get(key).copied().unwrap_or_default();
            match is_decision(*key) {
                true => own.wrong > 0,
                false => own.error().abs() >= NO_DIGIT * all.corrected.abs() && own.error() != 0.0,
            }
        });
        self.contributions.push(Contribution {
            statements: statements.collect(),
            is_suspect,
            share: largest(&of),
            times: self.times(errors),
            passes: None,
            passes_of: Vec::new(),
            of,
            numbers: self.numbers(errors),
            suffices,
            proof: Vec::new(),
            innocent: Vec::new(),
            is_compensated: false,
            is_conduit: false,
        });
    }

    /// The wrong results of whose error the causes found so far make too little.
    fn unexplained(&self) -> Vec<SpotKey> {
        let causes = self.contributions.iter().filter(|one| one.is_cause());
        let causes: Vec<&Contribution> = causes.collect();
        let explained = |key: &SpotKey| -> f64 {
            let of = causes.iter().flat_map(|cause| &cause.of);
            of.filter(|(other, _)| other == key).map(|one| one.1).sum()
        };
        let keys = self.wrong.iter().map(|(key, _)| *key);
        keys.filter(|key| explained(key) < SHARE_EXPLAINED)
            .collect()
    }

    /// Where the causes found so far leave most of a result unexplained: what is gone without each statement that makes some of it.
    fn measure_gone(&mut self) {
        let unexplained = self.unexplained();
        if unexplained.is_empty() {
            return;
        }
        for at in self.largest_contributions() {
            let Some(left) = self.without(at) else {
                return;
            };
            let proof = self.compared(&left);
            let measured = proof
                .iter()
                .filter(|(key, all, _)| unexplained.contains(key) && all.error() != 0.0);
            let gone: BTreeMap<SpotKey, f64> = measured
                .map(|(key, all, left)| (*key, 1.0 - share(left, all)))
                .filter(|(_, gone)| *gone >= SHARE_EXPLAINED)
                .collect();
            if gone.is_empty() {
                continue;
            }
            let one = &mut self.contributions[at];
            for (key, share) in &mut one.of {
                if let Some(gone) = gone.get(key) {
                    *share = (*share + gone) / 2.0;
                }
            }
            one.share = largest(&one.of);
            one.proof = proof;
        }
    }

    /// The contributions that are worth a run, largest share first.
    fn largest_contributions(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.contributions.len()).collect();
        all.sort_by(|a, b| {
            let share = |at: &usize| self.contributions[*at].share;
            share(b).total_cmp(&share(a))
        });
        all.truncate(SHOWN);
        all
    }

    /// Where the causes found so far leave most of a result unexplained: the functions that make much of it.
    fn measure_functions(&mut self) {
        if self.unexplained().is_empty() {
            return;
        }
        let causes: Vec<&Contribution> = self
            .contributions
            .iter()
            .filter(|one| one.is_cause())
            .collect();
        let is_reported = |statement: &Statement| {
            causes
                .iter()
                .any(|cause| cause.statements.contains(statement))
        };
        let mut functions: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (at, statement) in self.experiment.statements().iter().enumerate() {
            if !is_reported(statement) {
                let name = (statement.file.as_str(), statement.function.as_str());
                functions.entry(name).or_default().push(at);
            }
        }
        let groups: Vec<Vec<usize>> = functions
            .into_values()
            .filter(|group| group.len() > 1)
            .collect();
        self.split_functions(&groups);
    }

    fn split_functions(&mut self, groups: &[Vec<usize>]) {
        let all: Vec<usize> = groups.concat();
        let Some(errors) = (!all.is_empty()).then(|| self.made_by(&all)).flatten() else {
            return;
        };
        if self.largest(&errors) < SHARE_OF_A_CAUSE {
            return;
        }
        match groups {
            [one] => self.keep(one, &errors, false),
            _ => {
                let (first, second) = groups.split_at(groups.len() / 2);
                self.split_functions(first);
                self.split_functions(second);
            }
        }
    }

    /// Finds statements whose errors cancel each other. Two numbers differ in one binary digit at least, so one of the groups of
    /// statements whose digit is 0 has one of the two alone.
    fn find_compensated(&mut self) {
        let (was_incomplete, found_before) = (self.is_incomplete, self.contributions.len());
        let mut rest = self.not_measured();
        let digits = usize::BITS - rest.len().saturating_sub(1).leading_zeros();
        for digit in 0..digits {
            let group: Vec<usize> = (0..rest.len())
                .filter(|at| at >> digit & 1 == 0)
                .map(|at| rest[at])
                .collect();
            let Some(errors) = self.made_by(&group) else {
                break;
            };
            if self.largest(&errors) < SHARE_TO_SPLIT {
                continue;
            }
            self.split_measured(&group, errors);
            // What cancelled them is no longer hidden.
            rest = self.not_measured();
            self.split(&rest, None);
            rest = self.not_measured();
        }
        for one in &mut self.contributions[found_before..] {
            one.is_compensated = true;
        }
        // What the runs no longer sufficed for would have been found besides.
        self.is_incomplete = was_incomplete;
        if self.contributions.len() > found_before {
            self.prove();
        }
    }

    /// What all other statements make, to first order; none unless each of these was measured alone.
    fn made_by_others(&self, measured: &[usize]) -> Option<Errors> {
        let all: Errors = self.wrong.iter().copied().collect();
        measured.iter().try_fold(all, |rest, one| {
            let errors = self.known(&(self.only(&[*one]), None))?;
            Some(difference(&rest, errors))
        })
    }

    /// The statements that no contribution has.
    fn not_measured(&self) -> Vec<usize> {
        let statements = self.experiment.statements();
        let is_found = |statement: &Statement| {
            let mut found = self.contributions.iter();
            found.any(|one| one.statements.contains(statement))
        };
        (0..statements.len())
            .filter(|at| !is_found(&statements[*at]))
            .collect()
    }

    /// A statement's errors may be made by another of its operations than the suspected one: `s += (x + big) - big` cancels,
    /// and the running sum makes the error.
    fn acquit_operations(&mut self) {
        let statements = self.experiment.statements();
        for at in self.shown_causes() {
            let [statement] = self.contributions[at].statements.as_slice() else {
                continue;
            };
            if !statement.has_several_operations() {
                continue;
            }
            let of_statement = |one: &&Suspect| statements[one.statement] == *statement;
            let suspect = self.suspects.iter().find(of_statement);
            let operations = suspect.map_or(&[][..], |suspect| &suspect.operations);
            let (alone, made) = (self.alone(at), self.contributions[at].of.clone());
            for operation in operations {
                let Some(left) = self.run(&alone, Some(operation)) else {
                    return;
                };
                let left: BTreeMap<SpotKey, f64> = self.shares(&left).into_iter().collect();
                let mut causes = made.iter().filter(|one| one.1 >= SHARE_OF_A_CAUSE);
                if causes.any(|(key, made)| left[key] <= SHARE_LEFT_BY_AN_INNOCENT * made) {
                    break;
                }
                self.contributions[at].innocent.push(operation.clone());
            }
        }
    }

    /// All errors but those of a contribution are left out.
    fn alone(&self, at: usize) -> Vec<LeaveOut> {
        let own = &self.contributions[at].statements;
        let statements = self.experiment.statements().iter();
        let leave_out = statements.map(|statement| match own.contains(statement) {
            true => LeaveOut::Nothing,
            false => LeaveOut::OwnErrors,
        });
        leave_out.collect()
    }

    /// The causes that a report shows and whose own errors matter, worst first.
    fn shown_causes(&self) -> Vec<usize> {
        let mut causes: Vec<usize> = (0..self.contributions.len())
            .filter(|at| self.contributions[*at].is_cause())
            .collect();
        causes.sort_by(|a, b| {
            let weight = |at: &usize| self.contributions[*at].weight();
            weight(b).total_cmp(&weight(a))
        });
        causes.truncate(SHOWN);
        // What passes through others is measured.
        causes.retain(|at| self.contributions[*at].share >= SHARE_OF_A_CAUSE);
        causes
    }

    /// One run for each cause that will be shown.
    fn prove(&mut self) {
        for at in self.shown_causes() {
            if !self.contributions[at].proof.is_empty() {
                continue;
            }
            let Some(errors) = self.without(at) else {
                return;
            };
            self.contributions[at].proof = self.compared(&errors);
        }
    }

    /// What is left with the statements of a contribution computed exactly, and everything else as it is.
    fn without(&mut self, at: usize) -> Option<Errors> {
        let own = &self.contributions[at].statements;
        let statements = self.experiment.statements().iter();
        let leave_out: Vec<LeaveOut> = statements
            .map(|statement| match own.contains(statement) {
                true => LeaveOut::OwnErrors,
                false => LeaveOut::Nothing,
            })
            .collect();
        self.run(&leave_out, None)
    }

    /// The wrong results with all errors and with those that a run left in.
    fn compared(&self, errors: &Errors) -> Vec<(SpotKey, Effect, Effect)> {
        let wrong = self.wrong.iter();
        wrong
            .filter_map(|(key, all)| Some((*key, *all, left_of(*key, all, errors)?)))
            .collect()
    }

    /// What a group's own errors make together; none if no run is left, or it failed.
    fn made_by(&mut self, group: &[usize]) -> Option<Errors> {
        self.run(&self.only(group), None)
    }

    /// The own errors of all others are left out.
    fn only(&self, group: &[usize]) -> Vec<LeaveOut> {
        let mut leave_out = vec![LeaveOut::OwnErrors; self.experiment.statements().len()];
        group
            .iter()
            .for_each(|at| leave_out[*at] = LeaveOut::Nothing);
        leave_out
    }

    /// What a run found that was asked for before.
    fn known(&self, question: &Question) -> Option<&Errors> {
        let mut measured = self.measured.iter();
        measured
            .find(|(asked, _)| asked == question)
            .map(|(_, errors)| errors)
    }

    fn run(&mut self, leave_out: &[LeaveOut], operation: Option<&Site>) -> Option<Errors> {
        let question = (leave_out.to_vec(), operation.cloned());
        if let Some(errors) = self.known(&question) {
            return Some(errors.clone());
        }
        if self.left == 0 {
            self.is_incomplete = true;
            return None;
        }
        self.left -= 1;
        let effects = self.experiment.run(leave_out, operation);
        self.is_incomplete |= effects.is_none();
        if let Some(errors) = &effects {
            self.measured.push((question, errors.clone()));
        }
        effects
    }

    /// What infinite and NaN outputs are without these errors.
    fn numbers(&self, errors: &Errors) -> Vec<(SpotKey, f64)> {
        let nonfinite = self
            .wrong
            .iter()
            .filter(|(_, all)| !all.computed.is_finite());
        let numbers = nonfinite.filter_map(|(key, _)| {
            let own = errors.get(key).filter(|own| own.wrong > 0)?;
            own.corrected.is_finite().then_some((*key, own.corrected))
        });
        numbers.collect()
    }

    fn shares(&self, errors: &Errors) -> Vec<(SpotKey, f64)> {
        let share = |(key, all): &(SpotKey, Effect)| {
            let own = errors.get(key).copied().unwrap_or_default();
            (*key, share(&own, all))
        };
        self.wrong.iter().map(share).collect()
    }

    fn times(&self, errors: &Errors) -> f64 {
        let times = self.wrong.iter().filter_map(|(key, all)| {
            let own = errors.get(key)?.error() / all.error();
            own.is_finite().then_some(own.abs())
        });
        times.fold(0.0, f64::max)
    }

    fn largest(&self, errors: &Errors) -> f64 {
        largest(&self.shares(errors))
    }
}

/// What a run leaves of an effect. A decision that no error reaches is not in its effects.
pub fn left_of(key: SpotKey, all: &Effect, errors: &Errors) -> Option<Effect> {
    let untouched = Effect {
        wrong: 0,
        corrected: all.computed,
        ..*all
    };
    let left = errors.get(&key).copied();
    let left = left.or(is_decision(key).then_some(untouched))?;
    let wrong = match all.is_undecided && left.error() != 0.0 {
        true if all.wrong == 1 && key.1 == SpotKind::Comparison as u32 => {
            // The only wrong execution is the one that was recorded.
            let difference = all.corrected - left.error();
            u64::from(difference * all.computed > 0.0)
        }
        // The count is unknown, so the decision stays wrong.
        true => all.wrong,
        false => left.wrong,
    };
    Some(Effect { wrong, ..left })
}

fn is_decision(key: SpotKey) -> bool {
    key.1 != SpotKind::Output as u32
}

/// What is left of a group's errors without those of a part of it, to first order.
fn difference(group: &Errors, part: &Errors) -> Errors {
    let rest = group.iter().map(|(key, all)| {
        let part = part.get(key).copied().unwrap_or_default();
        let rest = Effect {
            wrong: all.wrong.saturating_sub(part.wrong),
            corrected: all.computed + (all.error() - part.error()),
            ..*all
        };
        (*key, rest)
    });
    rest.collect()
}

/// How much of an effect one of its parts makes, at most 1: errors that compensate others could make more. A decision flips only
/// when several sources together cross its threshold, so the error of what decides is shared out, where it is known.
fn share(part: &Effect, all: &Effect) -> f64 {
    let share = match all.error() == 0.0 || !all.error().is_finite() {
        true => part.wrong as f64 / all.wrong as f64,
        false => (part.error() / all.error()).abs(),
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
mod tests;
