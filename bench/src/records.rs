//! Adds up the run records that a test left in a folder, one at a time, deleting each: a library's
//! tests can leave thousands.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use lostbits::watch::findings::Findings;
use lostbits_abi::{
    record::{self, ModuleRecord, ProcessRecord},
    site::{Site, SiteTotals, What},
};

#[derive(Default)]
pub struct Totals {
    pub records: u64,
    pub operations: u64,
    pub differences: u64,
    pub fresh: u64,
    pub lost: u64,
    /// Modules whose totals the runtime could not keep: what the other numbers do not include.
    pub modules_lost: u64,
    /// In mode `watch`: sites that may take the wrong branch, and those that were suppressed.
    pub flagged: BTreeSet<String>,
    pub suppressed: BTreeSet<String>,
    /// Sites whose shadow differed, with how often and the first pair of values.
    pub differing: BTreeMap<String, SiteTotals>,
}

impl Totals {
    pub fn add(&mut self, other: Totals) {
        self.records += other.records;
        self.operations += other.operations;
        self.differences += other.differences;
        self.fresh += other.fresh;
        self.lost += other.lost;
        self.modules_lost += other.modules_lost;
        self.flagged.extend(other.flagged);
        self.suppressed.extend(other.suppressed);
        for (site, totals) in other.differing {
            self.differing.entry(site).or_default().differences += totals.differences;
        }
    }

    fn add_findings(&mut self, processes: &[ProcessRecord]) {
        if !Findings::speaks_of(processes) {
            return;
        }
        let findings = Findings::of(processes);
        let unstable = findings.unstable.iter();
        self.flagged
            .extend(unstable.map(|decision| described(&decision.site)));
        let suppressed = findings.suppressed.iter();
        self.suppressed
            .extend(suppressed.map(|entry| described(&entry.site)));
    }

    fn add_module(&mut self, module: &ModuleRecord) {
        for (site, executions, totals) in module.rows() {
            match site.what {
                What::Operation(_) => self.operations += executions,
                What::Lost(_) => self.lost += executions,
                What::Load | What::Argument | What::Return | What::Output | What::Constant => {}
            }
            self.differences += totals.differences;
            self.fresh += totals.fresh;
            if totals.differences > 0 {
                let seen = self.differing.entry(described(site)).or_insert(SiteTotals {
                    differences: 0,
                    ..*totals
                });
                seen.differences += totals.differences;
            }
        }
    }
}

fn described(site: &Site) -> String {
    let callee = if site.callee.is_empty() {
        String::new()
    } else {
        format!(" of {}", site.callee)
    };
    format!(
        "{}:{}:{} in {}: {:?} {:?}{callee}",
        site.file, site.line, site.column, site.function, site.what, site.kind
    )
}

/// Reads and deletes every record in the folder.
pub fn drain(folder: &Path) -> Result<Totals, String> {
    let problem = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut totals = Totals::default();
    for entry in fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let bytes = fs::read(&path).map_err(problem)?;
        fs::remove_file(&path).map_err(problem)?;
        if lostbits::run::record_beside(&path).is_some() {
            continue;
        }
        let processes = record::decode(&bytes)
            .map_err(|error| format!("the record {} is unreadable: {error:?}", path.display()))?;
        totals.add_findings(&processes);
        for process in processes {
            totals.records += 1;
            totals.modules_lost += process.modules_lost;
            process
                .modules
                .iter()
                .for_each(|module| totals.add_module(module));
        }
    }
    Ok(totals)
}
