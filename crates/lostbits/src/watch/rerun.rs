//! The re-run in high precision: the paper's "HPL version", made by compiling the same sources for mode
//! `reals` and steering the run by its numbers (`LOSTBITS_STEER`). Control flow, conversions to integers and
//! outputs then are those of the numbers, which are MPFR's: see ARCHITECTURE.md for why not double-double.
//!
//! What it can miss: constants and inputs are taken for exact; what mode `reals` takes for exact (see there) is
//! not steered, nor are outputs that reach a function as anything but a `double` or `float` argument. A program
//! whose runs differ by themselves (times, random seeds, threads) differs here too.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::ExitStatus,
};

use lostbits_abi::{
    environment,
    mode::Mode,
    ops::Op,
    record::ProcessRecord,
    site::{Site, SiteTotals, What},
};

use super::{
    findings::{Decision, Findings},
    options::Options,
};
use crate::{
    failure::Failure,
    run::{Comparison, Held, Input, Plan},
    subject::{self, Code},
    summary::identity,
};

/// Default bits of the numbers: more than a double-double has.
pub const PRECISION: u32 = 128;
/// What mode `reals` can compute with, above a double's own precision.
pub const PRECISIONS: std::ops::RangeInclusive<u32> = 64..=4096;

/// What is to be run again.
pub struct Version {
    pub code: Code,
    pub precision: u32,
}

/// How the second run went, beside the first.
#[derive(Debug)]
pub struct Rerun {
    pub precision: u32,
    pub ended: ExitStatus,
    /// Decisions that take a different branch in exact arithmetic; most often first.
    pub changed: Vec<Changed>,
    reached: BTreeSet<Site>,
    /// Standard output and standard error.
    pub outputs: [Comparison; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changed {
    pub site: Site,
    pub op: Op,
    pub times: u64,
    /// Whether the first run had called it unstable, or known it to be harmless.
    pub foreseen: Foreseen,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreseen {
    Flagged,
    Suppressed,
    No,
}

/// What the second run says about a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It takes a different branch, this often.
    Otherwise(u64),
    /// It decides the same.
    Same,
    /// It did not come to it.
    NotReached,
}

impl Version {
    /// Checks a program that somebody built; sources are compiled when they are needed.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.code {
            Code::Program(_) => {
                let nothing = Vec::new();
                match subject::program(&self.code, Mode::Reals, &nothing, Path::new("")) {
                    Err(
                        Failure::BuiltForOtherMode { path, .. } | Failure::NotBuiltFor { path, .. },
                    ) => Err(Failure::NoRerunVersion { path }),
                    other => other.map(drop),
                }
            }
            Code::Sources { .. } => Ok(()),
        }
    }

    /// Runs it, with the arguments and the input of the first run; what it prints is left in `held`.
    pub fn run(
        &self,
        options: &Options,
        input: &Input,
        held: &Held,
        folder: &Path,
    ) -> Result<(ExitStatus, Vec<ProcessRecord>), Failure> {
        let code = self.code.without_warnings();
        let program = subject::program(&code, Mode::Reals, &Vec::new(), folder)?;
        let arguments = options.program_arguments.clone();
        let plan = Plan::new(program, arguments, Some(folder.join("record")))?
            .with_timeout(options.timeout)
            .with_variable(environment::PRECISION, self.precision.to_string())
            .with_variable(environment::STEER, "1".to_owned())
            .held(held, input)?;
        let outcome = plan.run()?;
        Ok((outcome.status, outcome.processes))
    }
}

impl Rerun {
    pub fn new(
        precision: u32,
        (ended, processes): (ExitStatus, Vec<ProcessRecord>),
        first: &Findings,
        outputs: [Comparison; 2],
    ) -> Rerun {
        let seen = discrete_sites(&processes);
        let mut changed: Vec<Changed> = seen
            .iter()
            .filter(|(_, (_, differences))| *differences > 0)
            .map(|(site, (op, differences))| Changed {
                site: site.clone(),
                op: *op,
                times: *differences,
                foreseen: foreseen(first, site),
            })
            .collect();
        // Stable: sites stay in order where the counts are equal.
        changed.sort_by_key(|decision| std::cmp::Reverse(decision.times));
        Rerun {
            precision,
            ended,
            changed,
            reached: seen.into_keys().collect(),
            outputs,
        }
    }

    pub fn verdict(&self, decision: &Decision) -> Verdict {
        let changed = self.changed.iter().find(|row| row.site == decision.site);
        match changed {
            Some(changed) => Verdict::Otherwise(changed.times),
            None if self.reached.contains(&decision.site) => Verdict::Same,
            None => Verdict::NotReached,
        }
    }

    /// Whether the second run ended by itself and every decision, flagged or not, took the same branch, except those known
    /// to be harmless.
    pub fn agrees(&self, first: &Findings) -> bool {
        let same = |decision| self.verdict(decision) == Verdict::Same;
        let was_killed = self.ended.code().is_none();
        !was_killed && first.unstable.iter().all(same) && self.unforeseen().next().is_none()
    }

    /// Decisions that took a different branch and were neither flagged nor suppressed.
    pub fn unforeseen(&self) -> impl Iterator<Item = &Changed> {
        let changed = self.changed.iter();
        changed.filter(|decision| decision.foreseen == Foreseen::No)
    }

    /// Whether the program printed something that differs by more than rounding.
    pub fn prints_otherwise(&self) -> bool {
        self.outputs.iter().any(Comparison::differs)
    }
}

/// Comparisons, conversions and roundings that were executed, with how often exact arithmetic gave another result.
fn discrete_sites(processes: &[ProcessRecord]) -> BTreeMap<Site, (Op, u64)> {
    let mut sites: BTreeMap<Site, (Op, u64)> = BTreeMap::new();
    let modules = processes.iter().flat_map(|process| &process.modules);
    for (site, executions, totals) in modules.flat_map(|module| module.rows()) {
        let What::Operation(op) = site.what else {
            continue;
        };
        if executions > 0 && op.is_discrete() {
            let (_, sum) = sites.entry(identity(site)).or_insert((op, 0));
            *sum = sum.saturating_add(times_otherwise(site, op, totals));
        }
    }
    sites
}

/// How often the result was another. A remainder is another only if it is far off: else it was rounded.
pub fn times_otherwise(site: &Site, op: Op, totals: &SiteTotals) -> u64 {
    const FAR: f64 = 0.25;
    let value = |bits| site.kind.and_then(|kind| super::real(bits, kind));
    let totals = totals.high_precision();
    let is_far = || match (value(totals.bits[0]), value(totals.bits[1])) {
        (Some(a), Some(b)) => (a - b).abs() > FAR * a.abs().max(b.abs()),
        _ => true,
    };
    match op.is_remainder() && totals.times > 0 && !is_far() {
        true => 0,
        false => totals.times,
    }
}

fn foreseen(first: &Findings, site: &Site) -> Foreseen {
    if first.unstable.iter().any(|decision| decision.site == *site) {
        Foreseen::Flagged
    } else if first.suppressed.iter().any(|entry| entry.site == *site) {
        Foreseen::Suppressed
    } else {
        Foreseen::No
    }
}
