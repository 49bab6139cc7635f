//! What a run record says, added up over its processes and modules.
//!
//! Pure: records in, a [`Summary`] out; nothing is printed here. A site that several modules or
//! processes share (an inline function, a fork) is one site.

use std::collections::{BTreeMap, BTreeSet};

use lostbits_abi::{
    mode::Mode,
    record::{ModuleRecord, ProcessRecord},
    site::{Lost, Site, SiteTotals, What},
};

#[derive(Default, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Names of the modes the modules were built for.
    pub modes: BTreeSet<&'static str>,
    pub processes: usize,
    /// Processes that ended without running their exit handlers, or still run.
    pub cut_short: usize,
    /// Those of them whose end is unknown: no other process of the record started them, and they did not become another
    /// instrumented program.
    pub ends_unknown: usize,
    /// Whether lostbits compiled any operation or output.
    pub has_sites: bool,
    /// Modules whose totals could not be kept.
    pub modules_lost: u64,
    pub operation_sites: usize,
    pub executed_sites: usize,
    /// Executions of operations.
    pub executions: u64,
    /// Most differences first, then by site.
    pub differences: Vec<Difference>,
    pub blind: Blindness,
}

/// A site where the shadow differed from the program.
#[derive(PartialEq, Eq, Debug)]
pub struct Difference {
    pub site: Site,
    pub executions: u64,
    pub totals: SiteTotals,
}

/// What was untracked.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Blindness {
    /// Values that calls returned without a shadow, by callee; most first.
    pub returns: Vec<(String, u64)>,
    /// Arguments that arrived without a shadow, by function; most first.
    pub arguments: Vec<(String, u64)>,
    /// Loads of memory that something else had written.
    pub loads: u64,
    pub lost: Vec<LostShadows>,
}

#[derive(PartialEq, Eq, Debug)]
pub struct LostShadows {
    pub reason: Lost,
    pub sites: usize,
    pub executions: u64,
}

impl Summary {
    pub fn of(processes: &[ProcessRecord]) -> Summary {
        let modules = || processes.iter().flat_map(|process| &process.modules);
        let sites = merge_sites(modules());
        let mut summary = Summary {
            modes: modules().map(|module| module.table.mode.name()).collect(),
            processes: processes.len(),
            cut_short: processes.iter().filter(|process| !process.exited).count(),
            ends_unknown: ends_unknown(processes),
            has_sites: sites.keys().any(is_of_program),
            modules_lost: processes
                .iter()
                .map(|process| process.modules_lost)
                .fold(0, u64::saturating_add),
            differences: differences(&sites),
            blind: Blindness::of(&sites),
            ..Summary::default()
        };
        for (site, counts) in &sites {
            if matches!(site.what, What::Operation(_)) {
                summary.operation_sites += 1;
                summary.executed_sites += usize::from(counts.executions > 0);
                summary.executions = summary.executions.saturating_add(counts.executions);
            }
        }
        summary
    }

    pub fn difference_count(&self) -> u64 {
        self.differences
            .iter()
            .map(|difference| difference.totals.differences)
            .fold(0, u64::saturating_add)
    }

    /// Whether shadows were compared with the program at all.
    pub fn compares(&self) -> bool {
        self.modes.contains(Mode::Same.name())
    }
}

/// An operation or an output, not a note on what was untracked.
fn is_of_program(site: &Site) -> bool {
    matches!(
        site.what,
        What::Operation(_) | What::Output | What::Constant
    )
}

fn ends_unknown(processes: &[ProcessRecord]) -> usize {
    let is_child = |one: &ProcessRecord| processes.iter().any(|other| other.process == one.parent);
    let goes_on = |at: usize, one: &ProcessRecord| {
        let later = &processes[at + 1..];
        later.iter().any(|other| other.process == one.process)
    };
    let cut_short = processes.iter().enumerate().filter(|(_, one)| !one.exited);
    cut_short
        .filter(|(at, one)| !is_child(one) && !goes_on(*at, one))
        .count()
}

#[derive(Clone, Copy, Default)]
struct Counts {
    executions: u64,
    totals: SiteTotals,
}

fn merge_sites<'a>(modules: impl Iterator<Item = &'a ModuleRecord>) -> BTreeMap<Site, Counts> {
    let mut merged: BTreeMap<Site, Counts> = BTreeMap::new();
    for module in modules {
        for (site, executions, totals) in module.rows() {
            merged
                .entry(identity(site))
                .or_default()
                .add(executions, totals);
        }
    }
    merged
}

/// Counts of a damaged record can be anything.
fn add(total: &mut u64, more: u64) {
    *total = total.saturating_add(more);
}

/// The site without what compiling it twice may change.
pub fn identity(site: &Site) -> Site {
    Site {
        lanes: 1,
        copies: 1,
        operands: Vec::new(),
        inlined_from: Vec::new(),
        ..site.clone()
    }
}

impl Counts {
    fn add(&mut self, executions: u64, totals: &SiteTotals) {
        self.executions = self.executions.saturating_add(executions);
        if self.totals.differences == 0 {
            self.totals.program_bits = totals.program_bits;
            self.totals.shadow_bits = totals.shadow_bits;
        }
        self.totals.differences = self.totals.differences.saturating_add(totals.differences);
        self.totals.fresh = self.totals.fresh.saturating_add(totals.fresh);
    }
}

fn differences(sites: &BTreeMap<Site, Counts>) -> Vec<Difference> {
    let mut differences: Vec<Difference> = sites
        .iter()
        .filter(|(_, counts)| counts.totals.differences > 0)
        .map(|(site, counts)| Difference {
            site: site.clone(),
            executions: counts.executions,
            totals: counts.totals,
        })
        .collect();
    // Stable: sites stay in order where the counts are equal.
    differences.sort_by_key(|difference| std::cmp::Reverse(difference.totals.differences));
    differences
}

impl Blindness {
    fn of(sites: &BTreeMap<Site, Counts>) -> Blindness {
        let mut returns = BTreeMap::new();
        let mut arguments = BTreeMap::new();
        let mut lost: BTreeMap<Lost, (usize, u64)> = BTreeMap::new();
        let mut loads = 0;
        let counts_executions = sites.values().any(|counts| counts.executions > 0);
        for (site, counts) in sites {
            let fresh = counts.totals.fresh;
            match site.what {
                What::Return => add(returns.entry(site.callee.clone()).or_default(), fresh),
                What::Argument => add(arguments.entry(site.function.clone()).or_default(), fresh),
                What::Load => add(&mut loads, fresh),
                // What such a function only moved is not lost.
                What::Lost(Lost::Uninstrumented) if counts.totals.lent().writing_calls == 0 => {}
                What::Lost(Lost::Reassociated | Lost::Folded) => {}
                What::Lost(_) if counts.executions == 0 && counts_executions => {}
                What::Lost(reason) => {
                    let entry = lost.entry(reason).or_default();
                    entry.0 += 1;
                    entry.1 = entry.1.saturating_add(counts.executions);
                }
                What::Operation(_) | What::Output | What::Constant => {}
            }
        }
        let lost = lost
            .into_iter()
            .map(|(reason, (sites, executions))| LostShadows {
                reason,
                sites,
                executions,
            });
        Blindness {
            returns: most_first(returns),
            arguments: most_first(arguments),
            loads,
            lost: lost.collect(),
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Blindness::default()
    }
}

fn most_first(counts: BTreeMap<String, u64>) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> =
        counts.into_iter().filter(|(_, count)| *count > 0).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
