//! Functions that return numbers and were not compiled by lostbits: their results count as exact, and errors of their
//! arguments are untracked beyond them.
//!
//! A function was compiled by lostbits if a site table holds anything of it. Functions that write into memory are included
//! if they wrote numbers that were nowhere before; what a function only moves keeps its shadow. What it can miss: functions
//! that are called through pointers.

use std::collections::BTreeSet;

use lostbits_abi::{
    record::{ModuleRecord, ProcessRecord},
    site::{Lost, Site, SiteTotals, What},
    totals::LentTotals,
};

/// Their results are the program's input, or the time.
const INPUT: [&str; 9] = [
    "atof",
    "strtod",
    "strtof",
    "strtold",
    "drand48",
    "erand48",
    "difftime",
    "omp_get_wtime",
    "MPI_Wtime",
];

/// Their names, in order.
pub fn outside(processes: &[ProcessRecord]) -> Vec<String> {
    let modules = || processes.iter().flat_map(|process| &process.modules);
    let sites = modules().flat_map(|module| &module.table.sites);
    let compiled: BTreeSet<&str> = sites.map(|site| site.function.as_str()).collect();
    let called: BTreeSet<&str> = modules().flat_map(called).collect();
    called
        .into_iter()
        .filter(|name| !compiled.contains(name) && !is_input(name))
        .map(readable)
        .collect()
}

/// Whether any code ran whose operations the compiler may reassociate, which it does differently in an instrumented program.
pub fn reassociates(processes: &[ProcessRecord]) -> bool {
    let modules = processes.iter().flat_map(|process| &process.modules);
    modules
        .flat_map(ModuleRecord::rows)
        .any(|(site, executions, _)| executions > 0 && site.what == What::Lost(Lost::Reassociated))
}

/// Functions of Fortran's library by the name that a program has for them: `_FortranANorm2_8` is `norm2`.
fn readable(name: &str) -> String {
    let Some(intrinsic) = name.strip_prefix("_FortranA") else {
        return crate::demangle::demangle(name);
    };
    let end = ["Real", "Complex", "Integer", "Dim", "_"]
        .into_iter()
        .filter_map(|format| intrinsic.find(format))
        .min();
    intrinsic[..end.unwrap_or(intrinsic.len())].to_lowercase()
}

/// Functions that returned a number, or wrote one into memory.
fn called(module: &ModuleRecord) -> impl Iterator<Item = &str> {
    module
        .rows()
        .filter(|(site, executions, totals)| {
            *executions > 0 && !site.callee.is_empty() && computes(site, totals)
        })
        .map(|(site, _, _)| site.callee.as_str())
}

/// Whether the functions to which shadows are lost for this reason are among those.
pub fn is_named(reason: Lost) -> bool {
    matches!(reason, Lost::FortranLibrary | Lost::Uninstrumented)
}

fn computes(site: &Site, totals: &SiteTotals) -> bool {
    match site.what {
        What::Return | What::Lost(Lost::FortranLibrary) => true,
        What::Lost(Lost::Uninstrumented) => {
            let LentTotals {
                writing_calls,
                too_large,
            } = totals.lent();
            writing_calls > 0 || too_large > 0
        }
        _ => false,
    }
}

/// Whether a function reads numbers; Rust's `parse` does.
fn is_input(name: &str) -> bool {
    let name = name.trim_start_matches("__isoc23_");
    // `std::stod` and the like, which libc++ does not have in its headers.
    let is_cpp_reader = ["4stodE", "4stofE", "5stoldE"].iter().any(|reader| {
        name.strip_prefix("_ZNSt3__1")
            .is_some_and(|rest| rest.starts_with(reader))
    });
    INPUT.contains(&name)
        || is_cpp_reader
        || (name.starts_with("_R") && name.contains("7FromStr8from_str"))
}
