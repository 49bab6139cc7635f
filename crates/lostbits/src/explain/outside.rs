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

/// Functions of MPI that the layer for messages does not cover: what arrives by them counts as exact. One-sided communication
/// changes memory after its call, so comparing memory before and after shows nothing. `MPI_Accumulate` is covered for MPI_REPLACE only.
const UNTRACKED_MESSAGES: [&str; 13] = [
    "accumulate",
    "get_accumulate",
    "fetch_and_op",
    "compare_and_swap",
    "rput",
    "rget",
    "raccumulate",
    "rget_accumulate",
    "win_allocate_shared",
    "win_shared_query",
    "win_create_dynamic",
    "ialltoallw",
    "reduce_local",
];

/// The same for Fortran: under Open MPI its functions do not call C's, and the layer has these for C only.
const UNTRACKED_IN_FORTRAN: [&str; 27] = [
    "put",
    "get",
    "mrecv",
    "imrecv",
    "alltoallw",
    "exscan",
    "reduce_scatter",
    "reduce_scatter_block",
    "ibcast",
    "igather",
    "igatherv",
    "iscatter",
    "iscatterv",
    "iallgather",
    "iallgatherv",
    "ialltoall",
    "ialltoallv",
    "ireduce",
    "iallreduce",
    "ireduce_scatter",
    "ireduce_scatter_block",
    "iscan",
    "iexscan",
    "op_create",
    "win_create",
    "win_allocate",
    "mprobe",
];

/// The functions of MPI that were called and whose messages are untracked, by their names in C.
pub fn untracked_messages(processes: &[ProcessRecord]) -> Vec<String> {
    let modules = processes.iter().flat_map(|process| &process.modules);
    let called = modules
        .flat_map(ModuleRecord::rows)
        .filter(|(_, executions, _)| *executions > 0);
    let names: BTreeSet<String> = called
        .filter_map(|(site, _, _)| untracked_message(&site.callee))
        .collect();
    names.into_iter().collect()
}

/// `MPI_Put` for `MPI_Put` and for Fortran's `mpi_put_`.
fn untracked_message(callee: &str) -> Option<String> {
    let of_c = callee.strip_prefix("MPI_");
    let name = of_c
        .or_else(|| callee.strip_prefix("mpi_")?.strip_suffix('_'))?
        .to_lowercase();
    let is_untracked = UNTRACKED_MESSAGES.contains(&name.as_str())
        || of_c.is_none() && UNTRACKED_IN_FORTRAN.contains(&name.as_str())
        || name.starts_with("neighbor_")
        || name.starts_with("ineighbor_")
        || is_persistent_collective(&name);
    is_untracked.then(|| format!("MPI_{}{}", name[..1].to_uppercase(), &name[1..]))
}

/// `bcast_init` and the like, of MPI 4.
fn is_persistent_collective(name: &str) -> bool {
    let of_messages = ["send", "ssend", "bsend", "rsend", "recv", "psend", "precv"];
    name.strip_suffix("_init")
        .is_some_and(|name| !of_messages.contains(&name))
}

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
    has_executed(processes, Lost::Reassociated)
}

/// Whether any code ran of which the compiler had computed a part.
pub fn is_partly_folded(processes: &[ProcessRecord]) -> bool {
    has_executed(processes, Lost::Folded)
}

fn has_executed(processes: &[ProcessRecord], note: Lost) -> bool {
    let modules = processes.iter().flat_map(|process| &process.modules);
    modules
        .flat_map(ModuleRecord::rows)
        .any(|(site, executions, _)| executions > 0 && site.what == What::Lost(note))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_outside_the_layer_have_one_name_in_all_languages() {
        for (callee, name) in [
            ("MPI_Rput", Some("MPI_Rput")),
            ("mpi_rput_", Some("MPI_Rput")),
            ("MPI_Get_accumulate", Some("MPI_Get_accumulate")),
            ("MPI_Neighbor_alltoall", Some("MPI_Neighbor_alltoall")),
            ("MPI_Iallreduce", None),
            ("MPI_Bcast_init", Some("MPI_Bcast_init")),
            ("MPI_Send_init", None),
            ("MPI_Send", None),
            ("MPI_Get_count", None),
            ("mpi_send_", None),
            ("mpi_put_", Some("MPI_Put")),
            ("get", None),
            ("MPI_", None),
        ] {
            assert_eq!(untracked_message(callee).as_deref(), name, "{callee}");
        }
    }
}
