//! The table by function: how wrong the results of the user's functions are, where `--judge results` made them outputs.

use std::collections::BTreeMap;

use lostbits_abi::judge;

use crate::{
    demangle::demangle,
    explain::{Findings, Spot},
};

/// The results of one function.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionRow {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub calls: u64,
    /// Calls that returned a wrong number.
    pub wrong: u64,
    pub undecided: u64,
    /// The most bits that a result lost, with the result and what exact arithmetic returns.
    pub worst_bits: f64,
    pub returned: f64,
    pub exact: f64,
}

/// Worst first; functions with equal errors by name.
pub fn functions(findings: &Findings) -> Vec<FunctionRow> {
    let mut rows: BTreeMap<(String, String), FunctionRow> = BTreeMap::new();
    let results = findings.spots.iter().filter(|spot| is_result(spot));
    for spot in results {
        let function = demangle(&spot.site.function);
        let key = (spot.site.file.clone(), function.clone());
        let row = rows.entry(key).or_insert_with(|| FunctionRow {
            function,
            file: spot.site.file.clone(),
            line: spot.site.line,
            calls: 0,
            wrong: 0,
            undecided: 0,
            worst_bits: 0.0,
            returned: spot.values[0],
            exact: spot.reals[0].nearest,
        });
        row.calls = row.calls.saturating_add(spot.executions);
        row.wrong = row.wrong.saturating_add(spot.erroneous);
        row.undecided = row.undecided.saturating_add(spot.undecided);
        if spot.worst_bits > row.worst_bits {
            row.worst_bits = spot.worst_bits;
            row.line = spot.site.line;
            row.returned = spot.values[0];
            row.exact = spot.reals[0].nearest;
        }
    }
    let mut rows: Vec<FunctionRow> = rows.into_values().collect();
    rows.sort_by(|a, b| {
        let by_error = b.worst_bits.total_cmp(&a.worst_bits);
        by_error.then_with(|| a.function.cmp(&b.function))
    });
    rows
}

fn is_result(spot: &Spot) -> bool {
    spot.site.callee == judge::RESULT
}
