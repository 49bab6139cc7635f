//! What the run records of a subject must say in mode `same`: every process left one, every module is
//! there, operations were really executed, no shadow ever differed, and none went missing where all values
//! come from instrumented code (a load that finds no shadow takes the value for fresh, so a dropped shadow
//! alone would not show as a difference).

use std::{fs, path::Path};

use lostbits_abi::{
    explain::ANALYSIS_SUFFIX,
    mode::Mode,
    record::{self, ModuleRecord, ProcessRecord},
    site::{Lost, Site, SiteTotals, What},
};

use crate::program::Directives;

/// All process records in a folder of record files.
pub fn read_all(folder: &Path) -> Result<Vec<ProcessRecord>, String> {
    let mut processes = Vec::new();
    let entries = fs::read_dir(folder).map_err(|problem| problem.to_string())?;
    for entry in entries {
        let path = entry.map_err(|problem| problem.to_string())?.path();
        let bytes = fs::read(&path).map_err(|problem| problem.to_string())?;
        let records = record::decode(&bytes).map_err(|problem| {
            format!("the record {} cannot be read: {problem:?}", path.display())
        })?;
        processes.extend(records);
    }
    Ok(processes)
}

/// Every process of a run in a mode that explains leaves an analysis, if it computes anything.
pub fn missing_analyses(folder: &Path, about: &Directives) -> Option<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let analyses = files.filter(|file| {
        let name = file.file_name();
        name.to_string_lossy().ends_with(ANALYSIS_SUFFIX)
    });
    let left = analyses.count();
    (left != about.processes && about.operations > 0)
        .then(|| format!("{left} analyses, not {}", about.processes))
}

/// The complaints about the records of one run; none if all is well.
pub fn complaints(processes: &[ProcessRecord], about: &Directives, mode: Mode) -> Vec<String> {
    let mut complaints = Vec::new();
    if processes.len() != about.processes {
        let found = processes.len();
        complaints.push(format!("{found} process records, not {}", about.processes));
    }
    let lost_modules: u64 = processes.iter().map(|process| process.modules_lost).sum();
    if lost_modules != 0 {
        complaints.push(format!("the totals of {lost_modules} modules were lost"));
    }
    let modules: Vec<&ModuleRecord> = processes
        .iter()
        .flat_map(|process| &process.modules)
        .collect();
    if modules.iter().any(|module| module.table.mode != mode) {
        complaints.push(format!(
            "a module is not instrumented for mode {}",
            mode.name()
        ));
    }
    let executed = executions(&modules, |what| matches!(what, What::Operation(_)));
    if executed < about.operations {
        let least = about.operations;
        complaints.push(format!(
            "only {executed} operations were executed, at least {least} are"
        ));
    }
    for lost in &about.lost {
        if executions(&modules, |what| what == What::Lost(*lost)) == 0 {
            complaints.push(format!(
                "no shadow was counted as lost to {}",
                lost.description()
            ));
        }
    }
    let fresh: u64 = modules
        .iter()
        .flat_map(|module| &module.totals)
        .map(|t| t.fresh)
        .sum();
    // In mode `reals` the field means something else, and what arrives without a shadow is not counted.
    if mode == Mode::Same && about.fresh.is_some_and(|most| fresh > most) {
        complaints.push(format!("{fresh} values arrived without a shadow:"));
        complaints.extend(modules.iter().flat_map(|module| rows(module, |t| t.fresh)));
    }
    complaints.extend(
        modules
            .iter()
            .flat_map(|module| rows(module, |t| t.differences)),
    );
    complaints
}

fn executions(modules: &[&ModuleRecord], wanted: impl Fn(What) -> bool) -> u64 {
    modules
        .iter()
        .flat_map(|module| module.table.sites.iter().zip(module.executions()))
        .filter(|(site, _)| wanted(site.what))
        .map(|(_, executions)| executions)
        .sum()
}

/// The sites where this total is not zero.
fn rows(module: &ModuleRecord, total: impl Fn(&SiteTotals) -> u64) -> Vec<String> {
    let sites = module.table.sites.iter().zip(&module.totals);
    sites
        .filter(|(_, totals)| total(totals) != 0)
        .map(|(site, totals)| row(site, totals))
        .collect()
}

fn row(site: &Site, totals: &SiteTotals) -> String {
    let place = format!("{}:{}:{}", site.file, site.line, site.column);
    let mut text = format!("{place} ({}) {}", site.function, described(site));
    if totals.fresh != 0 {
        text += &format!(", {} without a shadow", totals.fresh);
    }
    if totals.differences != 0 {
        text += &format!(
            ", {} differences, first: program {:016x}, shadow {:016x}",
            totals.differences, totals.program_bits, totals.shadow_bits
        );
    }
    text
}

fn described(site: &Site) -> String {
    let kind = site.kind.map_or("?", |kind| kind.c_name());
    let what = match site.what {
        What::Operation(op) => format!("{op:?}"),
        What::Lost(lost) => format!("lost to {}", Lost::description(lost)),
        other => other.role().name().to_owned(),
    };
    let callee = if site.callee.is_empty() {
        String::new()
    } else {
        format!(" {}", site.callee)
    };
    format!("{what}{callee} <{} x {kind}>", site.lanes)
}
