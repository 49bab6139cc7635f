//! The run again in high precision: the paper's "HPL version", made by compiling the same sources for mode
//! `reals` and steering the run by its numbers (`LOSTBITS_STEER`). Control flow, conversions to integers and
//! outputs then are those of the numbers, which are MPFR's: see ARCHITECTURE.md for why not double-double.
//!
//! What it can miss: constants and inputs are taken for exact; what mode `reals` takes for exact (see there) is
//! not steered, nor are outputs that reach a function as anything but a `double` or `float` argument. A program
//! whose runs differ by themselves (times, random seeds, threads) differs here too.

mod outputs;

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::Path,
    process::ExitStatus,
};

use lostbits_abi::{
    mode::Mode,
    ops::Op,
    record::ProcessRecord,
    site::{Site, SiteTotals, What},
};

use super::findings::{Decision, Findings, is_discrete, is_remainder};
use crate::{
    failure::Failure,
    run::{Held, Input, Plan},
    subject::{self, Subject},
    summary::identity,
};
pub use outputs::{Comparison, Row};

/// Bits of the numbers, unless said otherwise: more than a double-double has.
pub const PRECISION: u32 = 128;
/// What mode `reals` can compute with, above a double's own precision.
pub const PRECISIONS: std::ops::RangeInclusive<u32> = 64..=4096;

/// The settings of mode `reals`.
const PRECISION_ENV: &str = "LOSTBITS_PRECISION";
const STEER_ENV: &str = "LOSTBITS_STEER";

/// What is to be run again.
pub struct Version {
    pub subject: Subject,
    pub precision: u32,
}

/// How the second run went, beside the first.
#[derive(Debug)]
pub struct Rerun {
    pub precision: u32,
    pub ended: ExitStatus,
    /// Decisions that the numbers take otherwise than the program's own values; most often first.
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
    /// It decides otherwise, so often.
    Otherwise(u64),
    /// It decides the same.
    Same,
    /// It did not come to it.
    NotReached,
}

impl Version {
    /// Checks a program that somebody built; sources are compiled when they are needed.
    pub fn check(&self) -> Result<(), Failure> {
        match &self.subject {
            Subject::Program(_) => {
                let nothing = Vec::new();
                match subject::program(&self.subject, Mode::Reals, &nothing, Path::new("")) {
                    Err(
                        Failure::BuiltForOtherMode { path, .. } | Failure::NotBuiltFor { path, .. },
                    ) => Err(Failure::NoRerunVersion { path }),
                    other => other.map(drop),
                }
            }
            Subject::Sources { .. } => Ok(()),
        }
    }

    /// Runs it, with the arguments and the input of the first run; what it prints is left in `held`.
    pub fn run(
        &self,
        arguments: Vec<OsString>,
        input: &Input,
        held: &Held,
        folder: &Path,
    ) -> Result<(ExitStatus, Vec<ProcessRecord>), Failure> {
        let program = subject::program(&self.subject, Mode::Reals, &Vec::new(), folder)?;
        let plan = Plan::new(program, arguments, Some(folder.join("record")))?
            .with_variable(PRECISION_ENV, self.precision.to_string())
            .with_variable(STEER_ENV, "1".to_owned())
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

    /// Whether every decision, flagged or not, went the same way, save those known to do no harm.
    pub fn agrees(&self, first: &Findings) -> bool {
        let same = |decision| self.verdict(decision) == Verdict::Same;
        first.unstable.iter().all(same) && self.unforeseen().next().is_none()
    }

    /// Decisions that went otherwise although nothing had been said about them.
    pub fn unforeseen(&self) -> impl Iterator<Item = &Changed> {
        let changed = self.changed.iter();
        changed.filter(|decision| decision.foreseen == Foreseen::No)
    }

    /// Whether the program printed something that is not just rounded otherwise.
    pub fn prints_otherwise(&self) -> bool {
        self.outputs.iter().any(Comparison::differs)
    }
}

/// Comparisons, conversions and roundings that were executed, with how often the numbers went another way.
fn discrete_sites(processes: &[ProcessRecord]) -> BTreeMap<Site, (Op, u64)> {
    let mut sites: BTreeMap<Site, (Op, u64)> = BTreeMap::new();
    let modules = processes.iter().flat_map(|process| &process.modules);
    for (site, executions, totals) in modules.flat_map(|module| module.rows()) {
        let What::Operation(op) = site.what else {
            continue;
        };
        if executions > 0 && is_discrete(op) {
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
    let is_far = || match (value(totals.program_bits), value(totals.shadow_bits)) {
        (Some(a), Some(b)) => (a - b).abs() > FAR * a.abs().max(b.abs()),
        _ => true,
    };
    match is_remainder(op) && totals.differences > 0 && !is_far() {
        true => 0,
        false => totals.differences,
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
