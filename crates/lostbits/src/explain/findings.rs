//! What a run of mode `explain` says: the root causes of the errors that showed, worst first.
//!
//! Pure: records and analyses in, [`Findings`] out. A root cause is an operation that lost bits (or made
//! a not-a-number or an infinity) and influenced an output, comparison or conversion that was wrong;
//! what lost bits and did no harm is not told (Herbgrind, section 4.2). A spot that was wrong and
//! that nothing influenced is told too, without a cause. What could not be decided is counted, and
//! nobody is blamed for it.

use std::collections::BTreeMap;

use lostbits_abi::{
    explain::{Exact, Settings, SpotKind, cause},
    mode::Mode,
    ops::{Op, Outcome},
    record::{ModuleRecord, ProcessRecord},
    site::{Site, What},
};

use super::outside::outside;
use super::{
    analysis::Analysis,
    expression::{Expression, Node, Variable, tree},
};
use crate::summary::{Summary, identity};

pub struct Findings {
    /// Worst first.
    pub causes: Vec<RootCause>,
    /// Spots that were wrong, and why is not known; worst first.
    pub untraced: Vec<Spot>,
    pub totals: Totals,
    pub settings: Settings,
    /// Modules in the run that were built for another mode.
    pub modules_of_other_modes: usize,
    /// Outputs that were constants of the compiled program: nothing is known of how they came about.
    pub constants: Vec<Constant>,
    /// Functions whose results were taken at their word.
    pub outside: Vec<String>,
    pub summary: Summary,
}

/// Where a constant was put out.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    pub site: Site,
    pub times: u64,
}

/// What was looked at, and what could not be told.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Totals {
    pub outputs: Looks,
    pub comparisons: Looks,
    pub conversions: Looks,
    /// Operations whose error could not be decided at this precision, and how often.
    pub undecided_operations: (u64, u64),
    /// Influences that could not be kept.
    pub influences_lost: u64,
    pub entries_lost: u64,
    pub events_lost: u64,
    /// Outputs before which numbers too small for their format had appeared.
    pub after_underflow: u64,
    /// Processes of which no analysis was left.
    pub processes_without_analysis: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Looks {
    pub places: u64,
    pub times: u64,
    pub undecided: u64,
    pub worst_bits: f64,
}

impl Totals {
    /// Places that were executed, whether or not there was anything to tell of them.
    fn look_at(&mut self, module: &ModuleRecord) {
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
            let looks = self.of(kind);
            looks.places += 1;
            looks.times += executions;
        }
    }

    /// What could not be decided, in all.
    pub fn undecided(&self) -> u64 {
        let spots = [self.outputs, self.comparisons, self.conversions];
        let spots: u64 = spots.iter().map(|looks| looks.undecided).sum();
        spots + self.undecided_operations.1
    }

    fn judge(&mut self, spot: &Spot) {
        let looks = self.of(spot.kind);
        // The block in which a process crashes has not been counted.
        looks.places = looks.places.max(1);
        looks.times = looks.times.max(spot.executions);
        looks.undecided += spot.undecided;
        looks.worst_bits = looks.worst_bits.max(spot.worst_bits);
    }

    fn of(&mut self, kind: SpotKind) -> &mut Looks {
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
    pub op: Op,
    /// Of [`cause`].
    pub causes: u32,
    pub expression: Option<Expression>,
    pub executions: u64,
    /// Executions that the expression's ranges tell of.
    pub looked_at: u64,
    pub erroneous: u64,
    pub undecided: u64,
    pub worst_bits: f64,
    /// Over the executions that erred.
    pub average_bits: f64,
    /// At the worst: result, operands, and what the result should have been.
    pub worst_result: f64,
    pub worst_operands: Vec<f64>,
    pub worst_real: Exact,
    /// Worst first.
    pub outputs: Vec<Reached>,
    /// Comparisons and conversions; most often first.
    pub decisions: Vec<Reached>,
}

/// A spot that a root cause spoilt.
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
    pub erroneous: u64,
    pub undecided: u64,
    /// Erroneous executions that nothing influenced.
    pub unexplained: u64,
    pub worst_bits: f64,
    /// Over all executions that could be decided.
    pub average_bits: f64,
    /// At the worst, or the first wrong decision.
    pub values: [f64; 2],
    pub reals: [Exact; 2],
}

impl Findings {
    pub fn of(processes: &[ProcessRecord], analyses: &[Analysis]) -> Findings {
        let mut gathered = Gathered::default();
        for (process, analysis) in pairs(processes, analyses) {
            match analysis {
                Some(analysis) => gathered.add(process, analysis),
                None => gathered.totals.processes_without_analysis += 1,
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
            .for_each(|module| gathered.totals.look_at(module));
        let findings = gathered.findings(settings, others.len(), Summary::of(processes));
        Findings {
            outside: outside(processes),
            constants: constants(&own),
            ..findings
        }
    }

    pub fn is_clean(&self) -> bool {
        self.causes.is_empty() && self.untraced.is_empty()
    }

    /// Whether these records are for this module at all.
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

/// In the order of their places.
fn constants(modules: &[&ModuleRecord]) -> Vec<Constant> {
    let mut all: BTreeMap<Site, u64> = BTreeMap::new();
    for (site, times, _) in modules.iter().flat_map(|module| module.rows()) {
        if site.what == What::Constant && times > 0 {
            *all.entry(identity(site)).or_default() += times;
        }
    }
    let all = all.into_iter();
    all.map(|(site, times)| Constant { site, times }).collect()
}

/// Whether a place is in a function of this name.
pub(super) fn is_called(site: &Site, name: &str) -> bool {
    let readable = crate::report::words::demangle(&site.function);
    let last = readable.rsplit("::").next();
    site.function == name || readable == name || last == Some(name)
}

fn is_explained(process: &ProcessRecord) -> bool {
    let mut modules = process.modules.iter();
    modules.any(|module| module.table.mode.explains())
}

/// Each process with its analysis. A process that replaced itself by another program has several of
/// both, in the same order.
fn pairs<'a>(
    processes: &'a [ProcessRecord],
    analyses: &'a [Analysis],
) -> Vec<(&'a ProcessRecord, Option<&'a Analysis>)> {
    let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
    let explained = processes.iter().filter(|process| is_explained(process));
    explained
        .map(|process| {
            let turn = taken.entry(process.process).or_default();
            let mut own = analyses
                .iter()
                .filter(|analysis| analysis.process == process.process);
            let analysis = own.nth(*turn);
            *turn += 1;
            (process, analysis)
        })
        .collect()
}

/// A spot with the sites that influenced it.
struct Influenced {
    spot: Spot,
    sum_bits: f64,
    decided: u64,
    influences: BTreeMap<Site, (u64, f64)>,
}

struct Candidate {
    cause: RootCause,
    tree: Option<Node>,
    sum_bits: f64,
}

#[derive(Default)]
struct Gathered {
    candidates: BTreeMap<Site, Candidate>,
    spots: BTreeMap<(Site, u32), Influenced>,
    totals: Totals,
}

/// A process's sites through all modules, with their executions and what their operands are called.
struct Sites {
    rows: Vec<(Site, u64, Vec<String>)>,
}

impl Sites {
    fn of(process: &ProcessRecord) -> Sites {
        let rows = process.modules.iter().flat_map(|module| {
            let rows = module.rows();
            rows.map(|(site, executions, _)| (identity(site), executions, site.operands.clone()))
        });
        Sites {
            rows: rows.collect(),
        }
    }

    fn site(&self, global: u32) -> Option<Site> {
        Some(self.rows.get(global as usize)?.0.clone())
    }

    /// The site of an operation with the names of its operands.
    fn named(&self, global: u32) -> Option<(Site, &[String])> {
        let (site, _, operands) = self.rows.get(global as usize)?;
        Some((site.clone(), operands))
    }

    fn executions(&self, global: u32) -> u64 {
        self.rows.get(global as usize).map_or(0, |row| row.1)
    }
}

impl Gathered {
    fn add(&mut self, process: &ProcessRecord, analysis: &Analysis) {
        let sites = Sites::of(process);
        self.totals.entries_lost += analysis.entries_lost;
        self.totals.events_lost += analysis.events_lost;
        self.totals.after_underflow += analysis.after_underflow;
        self.totals.influences_lost += analysis.sets_lost;
        for operation in &analysis.operations {
            self.add_operation(operation, &sites);
        }
        for spot in &analysis.spots {
            self.add_spot(spot, &sites);
        }
    }

    fn add_operation(&mut self, entry: &lostbits_abi::explain::Operation, sites: &Sites) {
        let Some((site, op)) = sites.site(entry.site).and_then(with_op) else {
            return;
        };
        if entry.undecided > 0 {
            self.totals.undecided_operations.0 += 1;
            self.totals.undecided_operations.1 += entry.undecided;
        }
        let tree = tree(entry, &|global| sites.named(global));
        let operands = op.info().arity().min(3);
        let cause = RootCause {
            site: site.clone(),
            op,
            causes: entry.causes,
            expression: None,
            // Counted by blocks; a block that a signal cut short may not have counted yet.
            executions: sites.executions(entry.site).max(entry.erroneous),
            looked_at: entry.seen,
            erroneous: entry.erroneous,
            undecided: entry.undecided,
            worst_bits: entry.worst_bits,
            average_bits: 0.0,
            worst_result: entry.worst_values[0],
            worst_operands: entry.worst_values[1..=operands].to_vec(),
            worst_real: entry.worst_real,
            outputs: Vec::new(),
            decisions: Vec::new(),
        };
        let candidate = Candidate {
            cause,
            tree,
            sum_bits: entry.sum_bits,
        };
        match self.candidates.entry(site) {
            std::collections::btree_map::Entry::Vacant(place) => drop(place.insert(candidate)),
            std::collections::btree_map::Entry::Occupied(mut known) => {
                known.get_mut().join(candidate);
            }
        }
    }

    fn add_spot(&mut self, entry: &lostbits_abi::explain::Spot, sites: &Sites) {
        let (Some(site), Some(kind)) = (sites.site(entry.site), SpotKind::from_u32(entry.kind))
        else {
            return;
        };
        self.totals.influences_lost += entry.influences_lost;
        let influences = entry.influences.iter().filter(|one| one.used != 0);
        let influences = influences.filter_map(|one| {
            let found = (one.times, one.worst_bits);
            Some((sites.site(one.site)?, found))
        });
        let spot = Spot {
            site: site.clone(),
            kind,
            executions: sites.executions(entry.site).max(entry.seen),
            erroneous: entry.erroneous,
            undecided: entry.undecided,
            unexplained: entry.unexplained,
            worst_bits: entry.worst_bits,
            average_bits: 0.0,
            values: entry.worst_values,
            reals: entry.worst_reals,
        };
        let influenced = Influenced {
            spot,
            sum_bits: entry.sum_bits,
            decided: entry.seen.saturating_sub(entry.undecided),
            influences: influences.collect(),
        };
        match self.spots.entry((site, entry.kind)) {
            std::collections::btree_map::Entry::Vacant(place) => drop(place.insert(influenced)),
            std::collections::btree_map::Entry::Occupied(mut known) => {
                known.get_mut().join(influenced);
            }
        }
    }

    fn findings(
        mut self,
        settings: Settings,
        modules_of_other_modes: usize,
        summary: Summary,
    ) -> Findings {
        let mut untraced = Vec::new();
        for (_, influenced) in std::mem::take(&mut self.spots) {
            let influenced = influenced.averaged();
            self.totals.judge(&influenced.spot);
            if influenced.spot.erroneous > 0 && !self.blame(&influenced) {
                untraced.push(influenced.spot);
            }
        }
        untraced.sort_by(|a, b| {
            let bits = b.worst_bits.total_cmp(&a.worst_bits);
            bits.then(b.erroneous.cmp(&a.erroneous))
        });
        Findings {
            outside: Vec::new(),
            constants: Vec::new(),
            causes: ranked(self.candidates),
            untraced,
            totals: self.totals,
            settings,
            modules_of_other_modes,
            summary,
        }
    }

    /// Tells each cause what it spoilt; whether there was any.
    fn blame(&mut self, influenced: &Influenced) -> bool {
        let mut blamed = false;
        for (site, (times, worst_bits)) in &influenced.influences {
            let Some(candidate) = self.candidates.get_mut(site) else {
                continue;
            };
            let reached = Reached {
                spot: influenced.spot.clone(),
                times: *times,
                worst_bits: *worst_bits,
            };
            match influenced.spot.kind {
                SpotKind::Output => candidate.cause.outputs.push(reached),
                SpotKind::Comparison | SpotKind::Conversion => {
                    candidate.cause.decisions.push(reached);
                }
            }
            blamed = true;
        }
        blamed
    }
}

fn with_op(site: Site) -> Option<(Site, Op)> {
    match site.what {
        What::Operation(op) => Some((site, op)),
        _ => None,
    }
}

impl Candidate {
    fn join(&mut self, other: Candidate) {
        let worse = other.cause.worst_bits > self.cause.worst_bits;
        let known = &mut self.cause;
        known.causes |= other.cause.causes;
        known.executions = known.executions.saturating_add(other.cause.executions);
        known.looked_at = known.looked_at.saturating_add(other.cause.looked_at);
        known.erroneous = known.erroneous.saturating_add(other.cause.erroneous);
        known.undecided = known.undecided.saturating_add(other.cause.undecided);
        if worse {
            known.worst_bits = other.cause.worst_bits;
            known.worst_result = other.cause.worst_result;
            known.worst_operands = other.cause.worst_operands;
            known.worst_real = other.cause.worst_real;
        }
        self.sum_bits += other.sum_bits;
        self.tree = match (self.tree.take(), other.tree) {
            (Some(first), Some(second)) => Some(first.generalise(&second, worse)),
            (first, second) => first.or(second),
        };
    }

    fn named(self) -> RootCause {
        let mut cause = self.cause;
        cause.expression = self.tree.map(Expression::new);
        cause.average_bits = average(self.sum_bits, cause.erroneous);
        cause.outputs.sort_by(|a, b| {
            let bits = b.worst_bits.total_cmp(&a.worst_bits);
            bits.then(b.times.cmp(&a.times))
        });
        cause
            .decisions
            .sort_by_key(|one| std::cmp::Reverse(one.times));
        cause
    }
}

impl Influenced {
    fn join(&mut self, other: Influenced) {
        let spot = &mut self.spot;
        let first_is_better = other.spot.worst_bits > spot.worst_bits || spot.erroneous == 0;
        if first_is_better {
            spot.worst_bits = other.spot.worst_bits;
            spot.values = other.spot.values;
            spot.reals = other.spot.reals;
        }
        spot.executions = spot.executions.saturating_add(other.spot.executions);
        spot.erroneous = spot.erroneous.saturating_add(other.spot.erroneous);
        spot.undecided = spot.undecided.saturating_add(other.spot.undecided);
        spot.unexplained = spot.unexplained.saturating_add(other.spot.unexplained);
        self.sum_bits += other.sum_bits;
        self.decided = self.decided.saturating_add(other.decided);
        for (site, (times, bits)) in other.influences {
            let known = self.influences.entry(site).or_default();
            *known = (known.0.saturating_add(times), known.1.max(bits));
        }
    }

    fn averaged(mut self) -> Influenced {
        self.spot.average_bits = average(self.sum_bits, self.decided);
        self
    }
}

fn average(sum: f64, times: u64) -> f64 {
    if times == 0 { 0.0 } else { sum / times as f64 }
}

impl RootCause {
    /// The expression's variables at the worst; none if the worst execution was not among those looked at closely: then
    /// the values of another would stand beside its result.
    pub fn worst_input(&self) -> &[Variable] {
        match &self.expression {
            Some(expression) if expression.had_operands(&self.worst_operands) => {
                &expression.variables
            }
            _ => &[],
        }
    }

    /// The most bits that an output lost through it.
    pub fn bits_in_outputs(&self) -> f64 {
        let bits = self.outputs.iter().map(|reached| reached.worst_bits);
        bits.fold(0.0, f64::max)
    }

    pub fn wrong_decisions(&self) -> u64 {
        self.decisions.iter().map(|reached| reached.times).sum()
    }

    pub fn makes_not_a_number(&self) -> bool {
        self.causes & cause::NOT_A_NUMBER != 0
    }

    pub fn makes_infinity(&self) -> bool {
        self.causes & cause::INFINITY != 0
    }
}

/// Those that did harm: by bits lost in outputs, then by wrong decisions, then by how often; sites are
/// in order where all is equal.
fn ranked(candidates: BTreeMap<Site, Candidate>) -> Vec<RootCause> {
    let mut causes: Vec<RootCause> = candidates
        .into_values()
        .filter(|candidate| candidate.cause.causes != 0)
        .map(Candidate::named)
        .filter(|cause| !cause.outputs.is_empty() || !cause.decisions.is_empty())
        .collect();
    causes.sort_by(|a, b| {
        let bits = b.bits_in_outputs().total_cmp(&a.bits_in_outputs());
        bits.then(b.wrong_decisions().cmp(&a.wrong_decisions()))
            .then(b.erroneous.cmp(&a.erroneous))
    });
    causes
}
