//! The findings of a record of mode `watch`: which decisions may be wrong, and where the errors that reached
//! them were amplified (the paper says *inflated*).
//!
//! Pure: records in, [`Findings`] out. A site that several modules or processes share is one.
//!
//! A decision knows a *set* of origins as buckets of sites (see [`lostbits_abi::tag`]), so several sites
//! may be named where only one amplified the error; the true one is never left out.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    ops::Op,
    record::{ModuleRecord, ProcessRecord},
    site::{Site, What},
    tag,
    totals::WatchTotals,
};

use super::error_paths::{ErrorPaths, Step, is_error_path, places};
use crate::summary::{Summary, identity};

#[derive(Default, PartialEq, Eq, Debug)]
pub struct Findings {
    /// Most often first, then by site.
    pub unstable: Vec<Decision>,
    /// Decisions that would be unstable, but are known to do no harm.
    pub suppressed: Vec<Suppressed>,
    /// Operations that amplified an error, whether or not it reached a decision.
    pub inflations: usize,
    /// Decisions in functions that ran. Executions are not counted in this mode: that would slow down every loop.
    pub decisions: usize,
    /// Modules in the run that were built for another mode.
    pub modules_of_other_modes: usize,
    pub summary: Summary,
}

/// A discrete factor that was not to be trusted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    pub site: Site,
    pub op: Op,
    pub times: u64,
    /// The operands' bits when it happened first.
    pub operands: [u64; 2],
    /// Whether an operand's error was amplified; else the operands themselves were nearly equal.
    pub inflated: bool,
    /// Where that may have happened; most often first, then by site.
    pub origins: Vec<Inflation>,
    /// Through which operations the error came, from one of the origins on, if the record says so.
    pub error_path: Vec<Step>,
}

/// An operation that amplified an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inflation {
    pub site: Site,
    pub op: Op,
    pub times: u64,
    pub operands: [u64; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppressed {
    pub site: Site,
    pub op: Op,
    pub times: u64,
    pub reason: String,
}

impl Findings {
    pub fn of(processes: &[ProcessRecord]) -> Findings {
        let mut gathered = Gathered::default();
        for process in processes {
            gathered.add(process);
        }
        let modules = processes.iter().flat_map(|process| &process.modules);
        let others = modules.filter(|module| module.table.mode != Mode::Watch);
        Findings {
            decisions: decisions(processes),
            modules_of_other_modes: others.count(),
            summary: Summary::of(processes),
            ..gathered.ranked()
        }
    }

    pub fn is_stable(&self) -> bool {
        self.unstable.is_empty()
    }

    /// Whether these records are for this module at all.
    pub fn speaks_of(processes: &[ProcessRecord]) -> bool {
        let mut modules = processes.iter().flat_map(|process| &process.modules);
        modules.any(|module| module.table.mode == Mode::Watch)
    }
}

fn decisions(processes: &[ProcessRecord]) -> usize {
    let modules = processes.iter().flat_map(|process| &process.modules);
    let own = modules.filter(|module| module.table.mode == Mode::Watch);
    let rows = own.flat_map(|module| module.rows());
    let ran = rows.filter(|(site, executions, totals)| {
        let is_decision = matches!(site.what, What::Operation(op) if op.is_discrete());
        is_decision && (*executions > 0 || totals.watch().times > 0)
    });
    ran.map(|(site, _, _)| site).collect::<BTreeSet<_>>().len()
}

/// What was seen at an operation: its number in the module determines its tags.
struct Seen<'a> {
    index: u32,
    site: &'a Site,
    op: Op,
    totals: WatchTotals,
}

fn seen(module: &ModuleRecord) -> impl Iterator<Item = Seen<'_>> {
    let rows = module.table.sites.iter().zip(&module.totals).enumerate();
    rows.filter_map(|(index, (site, totals))| match site.what {
        What::Operation(op) if totals.watch().times > 0 && !is_error_path(site) => Some(Seen {
            index: index as u32,
            site,
            op,
            totals: totals.watch(),
        }),
        _ => None,
    })
}

impl Seen<'_> {
    fn operands(&self) -> [u64; 2] {
        self.totals.operands
    }

    fn suppression(&self) -> Option<&'static str> {
        self.site.note?.suppression()
    }
}

#[derive(Default)]
struct Gathered {
    decisions: BTreeMap<Site, (Decision, BTreeSet<Site>)>,
    inflations: BTreeMap<Site, Inflation>,
    suppressed: BTreeMap<Site, Suppressed>,
}

impl Gathered {
    fn add(&mut self, process: &ProcessRecord) {
        let watched = process
            .modules
            .iter()
            .filter(|module| module.table.mode == Mode::Watch);
        let all: Vec<Seen> = watched.clone().flat_map(seen).collect();
        let widths: BTreeSet<u32> = watched
            .flat_map(|module| &module.table.sites)
            .filter_map(|site| site.kind.map(tag_width))
            .collect();
        let (decisions, inflations): (Vec<Seen>, Vec<Seen>) =
            all.into_iter().partition(|seen| seen.op.is_discrete());
        inflations.iter().for_each(|seen| self.inflation(seen));
        let paths = ErrorPaths::of(process);
        let origins_of_paths = places(inflations.iter().map(|seen| seen.site));
        for seen in &decisions {
            match seen.suppression() {
                Some(reason) => self.suppressed(seen, reason),
                None => {
                    let origins = inflations
                        .iter()
                        .filter(|origin| may_come_from(seen, origin, &widths));
                    let error_path = paths.to(seen.site, &origins_of_paths);
                    self.decision(
                        seen,
                        origins.map(|origin| identity(origin.site)),
                        error_path,
                    );
                }
            }
        }
    }

    fn inflation(&mut self, seen: &Seen) {
        let site = identity(seen.site);
        let inflation = self
            .inflations
            .entry(site.clone())
            .or_insert_with(|| Inflation {
                site,
                op: seen.op,
                times: 0,
                operands: seen.operands(),
            });
        inflation.times = inflation.times.saturating_add(seen.totals.times);
    }

    fn decision(
        &mut self,
        seen: &Seen,
        origins: impl Iterator<Item = Site>,
        error_path: Vec<Step>,
    ) {
        let site = identity(seen.site);
        let (decision, known) = self.decisions.entry(site.clone()).or_insert_with(|| {
            let decision = Decision {
                site,
                op: seen.op,
                times: 0,
                operands: seen.operands(),
                inflated: false,
                origins: Vec::new(),
                error_path,
            };
            (decision, BTreeSet::new())
        });
        decision.times = decision.times.saturating_add(seen.totals.times);
        decision.inflated |= seen.totals.tags != 0;
        known.extend(origins);
    }

    fn suppressed(&mut self, seen: &Seen, reason: &str) {
        let site = Site {
            note: None,
            ..identity(seen.site)
        };
        let entry = self
            .suppressed
            .entry(site.clone())
            .or_insert_with(|| Suppressed {
                site,
                op: seen.op,
                times: 0,
                reason: reason.to_owned(),
            });
        entry.times = entry.times.saturating_add(seen.totals.times);
    }

    /// Sorted: maps are in the order of sites, and the sort is stable.
    fn ranked(self) -> Findings {
        let inflations = self.inflations;
        let mut unstable: Vec<Decision> = self
            .decisions
            .into_values()
            .map(|(decision, origins)| {
                let mut origins: Vec<Inflation> = origins
                    .iter()
                    .filter_map(|site| inflations.get(site).cloned())
                    .collect();
                origins.sort_by_key(|origin| Reverse(origin.times));
                Decision {
                    origins,
                    ..decision
                }
            })
            .collect();
        unstable.sort_by_key(|decision| Reverse(decision.times));
        let mut suppressed: Vec<Suppressed> = self.suppressed.into_values().collect();
        suppressed.sort_by_key(|entry| Reverse(entry.times));
        Findings {
            unstable,
            suppressed,
            inflations: inflations.len(),
            ..Findings::default()
        }
    }
}

/// Bits of a tag word; `long double` carries those of a double.
fn tag_width(kind: FpKind) -> u32 {
    kind.storage_bits().min(64)
}

/// Whether a decision's set of tags can have come from an amplified error. Between the two the tag may have
/// been folded to any width that the program uses, but to none wider than its ends.
fn may_come_from(decision: &Seen, origin: &Seen, widths: &BTreeSet<u32>) -> bool {
    let end = |seen: &Seen| seen.site.kind.map_or(64, tag_width);
    let widest = end(decision).min(end(origin));
    let set = decision.totals.tags;
    widths
        .iter()
        .filter(|width| **width <= widest)
        .any(|width| set & tag::set_of_site(origin.index, *width) != 0)
}
