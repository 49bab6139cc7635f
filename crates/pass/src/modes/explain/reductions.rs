//! Reductions of MPI are operations with rounding errors of their own: their calls have sites.
//!
//! Before such a call, instrumented code passes its site to the runtime. The layer for MPI (`lostbits/src/compile/mpi`) computes what exact arithmetic
//! makes of the contributions of all ranks, and the runtime blames the call.
//!
//! # What it can miss
//!
//! Reductions that are called by libraries which lostbits did not compile, or through pointers.

use lostbits_abi::{functions, ops::Op, site::What};

use super::outputs;
use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{self, Value},
};

/// Their names in C, behind `MPI_`; in Fortran, these are in lower case between `mpi_` and `_`.
const REDUCTIONS: [&str; 12] = [
    "Reduce",
    "Allreduce",
    "Scan",
    "Exscan",
    "Reduce_scatter",
    "Reduce_scatter_block",
    "Ireduce",
    "Iallreduce",
    "Iscan",
    "Iexscan",
    "Ireduce_scatter",
    "Ireduce_scatter_block",
];

pub fn observe_call(cx: &mut FunctionInstrumenter, call: Value, name: &str) {
    let Some(name) = name_in_c(name) else { return };
    let (site, _) = outputs::global_site(cx, call, (What::Operation(Op::Call2), &name));
    let b = cx.builder;
    let one = builder::integer(b.types.i64, 1);
    let word = b.binary(ir::Opcode::LLVMAdd, site, one);
    b.call_runtime(functions::EXPLAIN_REDUCTION, &[word]);
}

fn name_in_c(name: &str) -> Option<String> {
    let of_c = name.strip_prefix("MPI_");
    let of_fortran = || name.strip_prefix("mpi_")?.strip_suffix('_');
    let known = REDUCTIONS.into_iter().find(|known| match of_c {
        Some(name) => name == *known,
        None => of_fortran().is_some_and(|name| name == known.to_lowercase()),
    });
    Some(format!("MPI_{}", known?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_and_fortran_have_one_name() {
        for (name, found) in [
            ("MPI_Allreduce", Some("MPI_Allreduce")),
            ("mpi_allreduce_", Some("MPI_Allreduce")),
            (
                "mpi_reduce_scatter_block_",
                Some("MPI_Reduce_scatter_block"),
            ),
            ("MPI_Reduce_local", None),
            ("MPI_Bcast", None),
            ("mpi_reduce", None),
        ] {
            assert_eq!(name_in_c(name).as_deref(), found, "{name}");
        }
    }
}
