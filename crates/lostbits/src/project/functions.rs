//! The table by function: how wrong the results of the user's functions are, where `--judge results` made them outputs.

use std::collections::BTreeMap;

use lostbits_abi::{explain::Call, judge};

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
    pub arguments: Arguments,
    /// The error that the function makes itself: that of its calls with exact arguments.
    pub own: Option<OwnRow>,
}

/// The worst of the calls with exact arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnRow {
    pub calls: u64,
    pub worst_bits: f64,
    pub returned: f64,
    pub exact: f64,
    pub arguments: Arguments,
}

/// What a function was called with.
#[derive(Clone, PartialEq, Debug)]
pub struct Arguments {
    pub numbers: Vec<Argument>,
    /// Whether the function was given more: pointers, references, structures.
    pub has_others: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// Empty where unknown.
    pub name: String,
    pub value: f64,
    /// The exact value minus this.
    pub error: f64,
}

impl Arguments {
    fn new(call: &Call, names: &[String]) -> Arguments {
        let count = (call.count as usize).min(call.values.len());
        let numbers = (0..count).map(|at| Argument {
            name: names.get(at).cloned().unwrap_or_default(),
            value: call.values[at],
            error: call.residues[at],
        });
        Arguments {
            numbers: numbers.collect(),
            has_others: call.has_others != 0,
        }
    }
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
            arguments: Arguments::new(&spot.worst_call, &spot.argument_names),
            own: None,
        });
        row.calls = row.calls.saturating_add(spot.executions);
        row.wrong = row.wrong.saturating_add(spot.erroneous);
        row.undecided = row.undecided.saturating_add(spot.undecided);
        if spot.worst_bits > row.worst_bits {
            row.worst_bits = spot.worst_bits;
            row.line = spot.site.line;
            row.returned = spot.values[0];
            row.exact = spot.reals[0].nearest;
            row.arguments = Arguments::new(&spot.worst_call, &spot.argument_names);
        }
        row.own = joined(row.own.take(), own(spot));
    }
    let mut rows: Vec<FunctionRow> = rows.into_values().collect();
    rows.sort_by(|a, b| {
        // NaNs travel through many functions; the first one is a finding of its own.
        let by_knowledge = a.exact.is_nan().cmp(&b.exact.is_nan());
        let by_error = by_knowledge.then_with(|| b.worst_bits.total_cmp(&a.worst_bits));
        by_error.then_with(|| a.function.cmp(&b.function))
    });
    rows
}

fn own(spot: &Spot) -> Option<OwnRow> {
    (spot.own.calls > 0).then(|| OwnRow {
        calls: spot.own.calls,
        worst_bits: spot.own.worst_bits,
        returned: spot.own.value,
        exact: spot.own.exact.nearest,
        arguments: Arguments::new(&spot.own.call, &spot.argument_names),
    })
}

/// Of two places where a function returns.
fn joined(one: Option<OwnRow>, other: Option<OwnRow>) -> Option<OwnRow> {
    let calls = [&one, &other].into_iter().flatten().map(|row| row.calls);
    let calls = calls.fold(0, u64::saturating_add);
    let rows = one.into_iter().chain(other);
    let worst = rows.max_by(|a, b| a.worst_bits.total_cmp(&b.worst_bits));
    worst.map(|row| OwnRow { calls, ..row })
}

fn is_result(spot: &Spot) -> bool {
    spot.site.callee == judge::RESULT
}
