//! The findings of a run of mode `explain`: the root causes of the errors that reached outputs, worst first.
//!
//! Pure: records and analyses in, [`Findings`] out. A root cause is an operation that lost bits (or made
//! a NaN or an infinity) and influenced an output, comparison or conversion that was wrong; an operation
//! that lost bits and did no harm is not reported (Herbgrind, section 4.2). A spot that was wrong and
//! that no operation influenced is reported without a cause. Undecided executions are counted, and not
//! reported.

use std::collections::{BTreeMap, BTreeSet};

use lostbits_abi::{
    explain::{Call, Exact, OwnError, Settings, SpotKind, cause},
    mode::Mode,
    ops::{Op, Outcome},
    record::{ModuleRecord, ProcessRecord},
    site::{Caller, Site, What},
};

use super::outside::{is_named, is_partly_folded, outside, reassociates, untracked_messages};
use super::{
    analysis::Analysis,
    blame::Evidence,
    expression::{Expression, Variable},
    gathered::Gathered,
    printed::Printed,
    python::PythonCall,
    steer::Judgement,
};
use crate::summary::{Summary, identity};

pub struct Findings {
    /// Worst first.
    pub causes: Vec<RootCause>,
    /// Operations that lost bits and influenced a wrong result, and that runs with interventions did not confirm as causes.
    pub unconfirmed: Vec<RootCause>,
    /// Spots that were wrong, and why is not known; worst first.
    pub untraced: Vec<Spot>,
    /// Decisions that are different in exact arithmetic, and change nothing that the program prints.
    pub harmless: Vec<Spot>,
    /// All outputs and decisions that were recorded, wrong or not, in the order of their sites.
    pub spots: Vec<Spot>,
    pub totals: Totals,
    pub settings: Settings,
    /// Modules in the run that were built for another mode.
    pub modules_of_other_modes: usize,
    /// Outputs that were constants of the compiled program: nothing is known of how they came about.
    pub constants: Vec<Constant>,
    /// Whether the compiler had computed a part of the arithmetic.
    pub is_partly_folded: bool,
    /// Functions whose results were taken at their word.
    pub outside: Vec<String>,
    /// Functions of MPI that were called and whose messages are untracked: what depends on them is not judged.
    pub untracked_messages: Vec<String>,
    /// Whether any process left an analysis.
    pub is_analysed: bool,
    /// Whether the program may round differently without instrumentation, because it was compiled with `-ffast-math`.
    pub is_reassociated: bool,
    pub summary: Summary,
}

/// Where a constant was put out.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    pub site: Site,
    pub times: u64,
}

/// What was checked, and what could not be decided.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Totals {
    pub outputs: SpotCounts,
    pub comparisons: SpotCounts,
    pub conversions: SpotCounts,
    /// Outputs that lost more bits than the threshold in the last printed digit or behind it.
    pub hidden_outputs: u64,
    /// Operations that were undecided at this precision, and how often.
    pub undecided_operations: (u64, u64),
    /// Influences that could not be kept.
    pub influences_lost: u64,
    pub entries_lost: u64,
    pub events_lost: u64,
    /// Outputs before which numbers too small for their format had appeared.
    pub after_underflow: u64,
    /// Processes of which no analysis was left.
    pub processes_without_analysis: u64,
    /// Outputs that are consistent with 0; the largest of them, and the size of the operands that it is noise of.
    pub zeros: u64,
    pub largest_zero: [f64; 2],
    /// Decisions that mean something else in exact arithmetic, so that either outcome is right.
    pub excused: u64,
    /// Decisions that could not be judged, and change nothing that the program prints.
    pub without_effect: u64,
    /// Infinite and NaN outputs whose exact value this precision does not know.
    pub unknown_exact: u64,
}

/// What was checked of one kind of spot.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct SpotCounts {
    pub sites: u64,
    pub executions: u64,
    /// Values that were judged or found undecided. One execution can write many (an array), or none (a text).
    pub judged: u64,
    pub undecided: u64,
    pub worst_bits: f64,
}

impl Totals {
    /// Adds the spots that were executed, wrong or not.
    fn add_executed(&mut self, module: &ModuleRecord) {
        for (site, executions, _) in module.rows().filter(|row| row.1 > 0) {
            let kind = match site.what {
                What::Output | What::Constant => SpotKind::Output,
                What::Operation(op) => match op.info().outcome {
                    Outcome::Truth => SpotKind::Comparison,
                    Outcome::Integer => SpotKind::Conversion,
                    Outcome::Real => continue,
                },
                _ => continue,
            };
            let counts = self.of(kind);
            counts.sites += 1;
            counts.executions = counts.executions.saturating_add(executions);
        }
    }

    /// Undecided executions of outputs and decisions.
    pub fn undecided_spots(&self) -> u64 {
        let spots = [self.outputs, self.comparisons, self.conversions];
        let spots = spots.iter().map(|counts| counts.undecided);
        spots.fold(0, u64::saturating_add)
    }

    /// Decisions that could not be judged.
    pub fn undecided_decisions(&self) -> u64 {
        self.comparisons
            .undecided
            .saturating_add(self.conversions.undecided)
    }

    /// Nothing is sure: outputs are undecided, if no spot is.
    pub(super) fn doubt_outputs(&mut self) {
        if self.undecided_spots() == 0 {
            self.outputs.undecided = self.outputs.executions.max(1);
        }
    }

    pub(super) fn judge(&mut self, spot: &Spot) {
        let counts = self.of(spot.kind);
        // The block in which a process crashes has not been counted.
        counts.sites = counts.sites.max(1);
        counts.executions = counts.executions.max(spot.executions);
        counts.judged = counts.judged.saturating_add(spot.judged);
        counts.undecided = counts.undecided.saturating_add(spot.undecided);
        counts.worst_bits = counts.worst_bits.max(spot.worst_bits);
        self.hidden_outputs = self.hidden_outputs.saturating_add(spot.hidden);
        if spot.zeros > 0 && spot.largest_zero[0].abs() >= self.largest_zero[0].abs() {
            self.largest_zero = spot.largest_zero;
        }
        self.zeros = self.zeros.saturating_add(spot.zeros);
        self.excused = self.excused.saturating_add(spot.excused);
        self.unknown_exact = self.unknown_exact.saturating_add(spot.unknown_exact);
    }

    fn of(&mut self, kind: SpotKind) -> &mut SpotCounts {
        match kind {
            SpotKind::Output => &mut self.outputs,
            SpotKind::Comparison => &mut self.comparisons,
            SpotKind::Conversion => &mut self.conversions,
        }
    }
}

/// An operation whose mending would mend outputs.
#[derive(Clone, PartialEq, Debug)]
pub struct RootCause {
    pub site: Site,
    /// The program's lines from which the operation was inlined.
    pub inlined_from: BTreeSet<Caller>,
    pub op: Op,
    /// Of [`cause`].
    pub causes: u32,
    pub expression: Option<Expression>,
    pub executions: u64,
    /// Executions that were sampled for the expression and its ranges.
    pub sampled_executions: u64,
    pub erroneous: u64,
    pub undecided: u64,
    pub worst_bits: f64,
    /// Over the erroneous executions.
    pub average_bits: f64,
    /// At the worst execution: computed result, operands, and exact result.
    pub worst_result: f64,
    pub worst_operands: Vec<f64>,
    pub worst_real: Exact,
    /// Worst first.
    pub outputs: Vec<Reached>,
    /// Comparisons and conversions; most often first.
    pub decisions: Vec<Reached>,
    pub evidence: Evidence,
}

/// A spot that a root cause made wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Reached {
    pub spot: Spot,
    /// How often, and the most bits that were lost then.
    pub times: u64,
    pub worst_bits: f64,
}

/// Where an error shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    pub site: Site,
    pub kind: SpotKind,
    pub executions: u64,
    /// Values that the runtime judged or found undecided.
    pub judged: u64,
    pub erroneous: u64,
    pub undecided: u64,
    /// Outputs that lost more bits than the threshold in the last printed digit or behind it.
    pub hidden: u64,
    /// Erroneous executions without a root cause.
    pub unexplained: u64,
    /// Executions that are consistent with 0; the largest value, and the size of the operands that it is noise of.
    pub zeros: u64,
    pub largest_zero: [f64; 2],
    /// Decisions that mean something else in exact arithmetic.
    pub excused: u64,
    /// Erroneous executions with an infinity or NaN whose exact value is unknown.
    pub unknown_exact: u64,
    /// Results of functions: the call that returned the worst, and what calls with exact arguments returned.
    pub worst_call: Call,
    pub own: OwnError,
    pub argument_names: Vec<String>,
    pub worst_bits: f64,
    /// Over all decided executions.
    pub average_bits: f64,
    /// Which execution was the worst, from 1 on; 0 if none was decided.
    pub worst_execution: u64,
    /// At the worst, or the first wrong decision.
    pub values: [f64; 2],
    pub reals: [Exact; 2],
    /// The worst output as it was printed, if that is known.
    pub printed: Option<Printed>,
    /// Where Python got wrong results; empty outside Python.
    pub python: Vec<PythonCall>,
}

impl Findings {
    pub fn of(processes: &[ProcessRecord], analyses: &[Analysis]) -> Findings {
        let mut gathered = Gathered::default();
        for (process, analysis) in pairs(processes, analyses) {
            match analysis {
                Some(analysis) => gathered.add(process, analysis),
                None => {
                    let is_missing = has_executed(process);
                    gathered.totals.processes_without_analysis += u64::from(is_missing);
                }
            }
        }
        let settings = analyses.first().map(|analysis| analysis.settings);
        let settings = settings.unwrap_or(Settings::DEFAULT);
        let modules = processes.iter().flat_map(|process| &process.modules);
        let mode = match settings.precision {
            0 => Mode::Explain,
            _ => Mode::ExplainReals,
        };
        let (own, others): (Vec<&ModuleRecord>, Vec<&ModuleRecord>) =
            modules.partition(|module| module.table.mode == mode);
        own.iter()
            .for_each(|module| gathered.totals.add_executed(module));
        let mut summary = Summary::of(processes);
        // These are named, one by one.
        summary.blind.lost.retain(|lost| !is_named(lost.reason));
        let findings = gathered.findings(settings, others.len(), summary);
        Findings {
            outside: outside(processes),
            untracked_messages: untracked_messages(processes),
            is_reassociated: reassociates(processes),
            is_partly_folded: is_partly_folded(processes),
            constants: constants(&own),
            is_analysed: !analyses.is_empty(),
            ..findings
        }
    }

    /// All outputs and decisions that are wrong, each once: outputs first, in the order of their sites.
    pub fn wrong_spots(&self) -> Vec<Spot> {
        let causes = self.causes.iter();
        let reached = causes.flat_map(|cause| cause.outputs.iter().chain(&cause.decisions));
        let spots = reached.map(|reached| &reached.spot).chain(&self.untraced);
        let mut all: BTreeMap<(u32, Site), Spot> = BTreeMap::new();
        for spot in spots {
            all.entry((spot.kind as u32, identity(&spot.site)))
                .or_insert_with(|| spot.clone());
        }
        all.into_values().collect()
    }

    /// Whether a result has no exact value, because the program divides by zero in exact arithmetic.
    pub fn is_undefined(&self, spot: &Spot) -> bool {
        let mut dividing = self.causes.iter().filter(|cause| cause.divides_by_zero());
        dividing.any(|cause| {
            let mut reached = cause.outputs.iter().chain(&cause.decisions);
            reached.any(|one| (&one.spot.site, one.spot.kind) == (&spot.site, spot.kind))
        })
    }

    /// Whether no process left an analysis, though some computed.
    pub fn has_no_analysis(&self) -> bool {
        !self.is_analysed && self.totals.processes_without_analysis > 0
    }

    /// Whether there are outputs and all of them are constants.
    pub fn has_only_constants(&self) -> bool {
        let times = self.constants.iter().map(|one| one.times);
        let outputs = self.totals.outputs.executions;
        outputs > 0 && times.fold(0, u64::saturating_add) >= outputs
    }

    /// Whether nothing wrong was found. That everything was judged, a [`Verdict`](super::Verdict) says.
    pub fn is_clean(&self) -> bool {
        self.causes.is_empty() && self.untraced.is_empty()
    }

    /// Takes back verdicts: that many of the wrong executions of a spot are undecided, and all that were judged if all are.
    pub fn leave_undecided(&mut self, in_doubt: impl Fn(&Spot) -> u64) {
        let is_undecided = |spot: &Spot| spot.erroneous > 0 && in_doubt(spot) >= spot.erroneous;
        for cause in &mut self.causes {
            cause.outputs.retain(|reached| !is_undecided(&reached.spot));
            cause
                .decisions
                .retain(|reached| !is_undecided(&reached.spot));
        }
        self.causes
            .retain(|cause| !cause.outputs.is_empty() || !cause.decisions.is_empty());
        self.untraced.retain(|spot| !is_undecided(spot));
        let take_back = |spot: &mut Spot| {
            let wrong = in_doubt(spot);
            spot.erroneous -= wrong;
            spot.undecided = spot.undecided.saturating_add(wrong);
        };
        for cause in &mut self.causes {
            for reached in cause.outputs.iter_mut().chain(&mut cause.decisions) {
                take_back(&mut reached.spot);
                reached.times = reached.times.min(reached.spot.erroneous);
            }
        }
        self.untraced.iter_mut().for_each(take_back);
        for spot in self.spots.iter_mut().filter(|spot| spot.erroneous > 0) {
            let undecided = match is_undecided(spot) {
                true => {
                    let judged = spot.executions.saturating_sub(spot.undecided).max(1);
                    spot.undecided = spot.undecided.saturating_add(judged);
                    judged
                }
                false => {
                    let wrong = in_doubt(spot);
                    take_back(spot);
                    wrong
                }
            };
            let looks = self.totals.of(spot.kind);
            looks.undecided = looks.undecided.saturating_add(undecided);
        }
    }

    /// Whether every output was judged and none is wrong, but not every decision was.
    pub fn only_decisions_are_in_doubt(&self) -> bool {
        let totals = &self.totals;
        self.is_clean()
            && totals.undecided_decisions() > 0
            && totals.outputs.undecided == 0
            && totals.unknown_exact == 0
    }

    /// Undecided decisions change nothing that is printed.
    pub fn settle_decisions(&mut self) {
        let totals = &mut self.totals;
        totals.without_effect = totals.undecided_decisions();
        totals.comparisons.undecided = 0;
        totals.conversions.undecided = 0;
        let decisions = self
            .spots
            .iter_mut()
            .filter(|spot| spot.kind != SpotKind::Output);
        decisions.for_each(|spot| spot.undecided = 0);
    }

    /// Decisions that exact arithmetic takes otherwise change nothing that is printed, and neither do those in doubt.
    pub fn remove_decisions(&mut self) {
        self.settle_decisions();
        let is_output = |spot: &Spot| spot.kind == SpotKind::Output;
        let wrong = self.wrong_spots().into_iter();
        self.harmless = wrong.filter(|spot| !is_output(spot)).collect();
        self.judge_again(|spot| match is_output(spot) {
            true => Judgement::Stays,
            false => Judgement::Right,
        });
    }

    /// How many decisions are different in exact arithmetic, and change nothing that is printed.
    pub fn different_without_effect(&self) -> u64 {
        let times = self.harmless.iter().map(|spot| spot.erroneous);
        times.fold(0, u64::saturating_add)
    }

    /// Judges wrong spots anew.
    pub fn judge_again(&mut self, judge: impl Fn(&Spot) -> Judgement) {
        let keep = |spot: &mut Spot| match judge(spot) {
            Judgement::Stays => true,
            Judgement::Right => false,
            Judgement::Exact(text) => {
                if let Some(printed) = &mut spot.printed {
                    printed.set_exact(text);
                }
                true
            }
        };
        for cause in &mut self.causes {
            cause.outputs.retain_mut(|reached| keep(&mut reached.spot));
            cause
                .decisions
                .retain_mut(|reached| keep(&mut reached.spot));
        }
        self.causes
            .retain(|cause| !cause.outputs.is_empty() || !cause.decisions.is_empty());
        self.untraced.retain_mut(keep);
    }

    /// Whether these are records of this mode.
    pub fn speaks_of(processes: &[ProcessRecord]) -> bool {
        processes.iter().any(is_explained)
    }

    /// Root causes elsewhere are left out.
    pub fn only_in(mut self, functions: &[String]) -> Findings {
        if !functions.is_empty() {
            let wanted = |site: &Site| functions.iter().any(|name| is_called(site, name));
            self.causes.retain(|cause| wanted(&cause.site));
            self.untraced.retain(|spot| wanted(&spot.site));
        }
        self
    }
}

/// In the order of their source locations.
fn constants(modules: &[&ModuleRecord]) -> Vec<Constant> {
    let mut all: BTreeMap<Site, u64> = BTreeMap::new();
    for (site, times, _) in modules.iter().flat_map(|module| module.rows()) {
        if site.what == What::Constant && times > 0 {
            let total: &mut u64 = all.entry(identity(site)).or_default();
            *total = total.saturating_add(times);
        }
    }
    let all = all.into_iter();
    all.map(|(site, times)| Constant { site, times }).collect()
}

/// Whether a site is in a function of this name.
pub(super) fn is_called(site: &Site, name: &str) -> bool {
    let readable = crate::demangle::demangle(&site.function);
    let last = readable.rsplit("::").next();
    site.function == name || readable == name || last == Some(name)
}

pub(super) fn is_explained(process: &ProcessRecord) -> bool {
    let mut modules = process.modules.iter();
    modules.any(|module| module.table.mode.explains())
}

/// Each process with its analysis.
fn pairs<'a>(
    processes: &'a [ProcessRecord],
    analyses: &'a [Analysis],
) -> impl Iterator<Item = (&'a ProcessRecord, Option<&'a Analysis>)> {
    let processes = processes.iter().enumerate();
    let explained = processes.filter(|(_, process)| is_explained(process));
    explained.map(|(at, process)| (process, analyses.iter().find(|one| one.record == at)))
}

/// Whether a process executed code of this mode. Only then it leaves an analysis.
fn has_executed(process: &ProcessRecord) -> bool {
    let own = process
        .modules
        .iter()
        .filter(|module| module.table.mode.explains());
    own.flat_map(|module| &module.counters)
        .any(|count| *count > 0)
}

impl RootCause {
    /// The expression's variables at the worst execution; none if that was not sampled: the values of another execution
    /// would not fit its result.
    pub fn worst_input(&self) -> &[Variable] {
        match &self.expression {
            Some(expression) if expression.had_operands(&self.worst_operands) => {
                &expression.variables
            }
            _ => &[],
        }
    }

    /// The most bits that it cost an output.
    pub fn bits_in_outputs(&self) -> f64 {
        let bits = self.outputs.iter().map(|reached| reached.worst_bits);
        bits.fold(0.0, f64::max)
    }

    pub fn wrong_decisions(&self) -> u64 {
        self.decisions
            .iter()
            .map(|reached| reached.times)
            .fold(0, u64::saturating_add)
    }

    pub fn makes_not_a_number(&self) -> bool {
        self.causes & cause::NOT_A_NUMBER != 0
    }

    pub fn makes_infinity(&self) -> bool {
        self.causes & cause::INFINITY != 0
    }

    /// Whether its divisor is zero in exact arithmetic, and not in the program.
    pub fn divides_by_zero(&self) -> bool {
        self.causes & cause::DIVISION_BY_ZERO != 0
    }
}
