//! The report as JSON: everything the terminal shows, with all inputs in decimal and hexadecimal. Its
//! schema is docs/search.schema.json.

use lostbits_abi::VERSION;
use serde_json::{Value, json};

use crate::{
    report::{json::SCHEMA_VERSION, numbers::hexadecimal},
    search::{
        CallReport, Domain, ErrorMap, FarOperation, Finding, Guilty, Interval, Skipped, Stretch,
        Tried, Undefined,
        symbolic::{Coverage, Diagnosis, SiteCoverage, SymbolicReport},
    },
};

pub fn json(reports: &[CallReport], skipped: &[Skipped]) -> String {
    let calls: Vec<Value> = reports.iter().map(call).collect();
    let whole = json!({
        "schema_version": SCHEMA_VERSION,
        "lostbits_version": VERSION,
        "calls": calls,
        "skipped": skipped.iter().map(skip).collect::<Vec<_>>(),
    });
    format!("{whole:#}\n")
}

fn skip(skipped: &Skipped) -> Value {
    json!({ "function": skipped.function, "reason": skipped.reason })
}

fn domain(domain: &Domain) -> Value {
    json!({
        "parameter": domain.parameter,
        "low": number(domain.low),
        "high": number(domain.high),
    })
}

fn call(report: &CallReport) -> Value {
    json!({
        "call": report.call,
        "parameters": report.parameters,
        "runs": report.runs,
        "abnormal_ends": report.ended,
        "runs_without_number": report.outside,
        "missing_results": report.undefined.iter().map(missing_result).collect::<Vec<_>>(),
        "explanation": report.explanation.as_deref().map(explanation),
        "meaning": report.meaning,
        "map": report.map.as_ref().map(map),
        "remark": report.remark,
        "tried": report.tried.as_ref().map(tried),
        "domain": report.domain.iter().map(domain).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "unconfirmed": report.unconfirmed.iter().map(finding).collect::<Vec<_>>(),
        "symbolic": report.symbolic.as_ref().map(symbolic),
    })
}

fn tried(tried: &Tried) -> Value {
    let far = |one: &FarOperation| {
        json!({
            "operation": one.operation,
            "file": one.file,
            "function": one.function,
            "line": one.line,
            "column": one.column,
            "amplified": real(one.amplified),
        })
    };
    json!({
        "operations": tried.operations,
        "far": tried.far.iter().map(far).collect::<Vec<_>>(),
    })
}

fn map(map: &ErrorMap) -> Value {
    let stretch = |one: &Stretch| {
        json!({
            "low": real(one.low),
            "high": real(one.high),
            "inputs": one.judged,
            "worst_ulps": real(one.worst),
            "typical_ulps": real(one.typical),
            "worst_input": number(one.worst_input),
            "worst_relative_error": real(one.relative.get()),
        })
    };
    let interval = |one: &Interval| {
        json!({
            "low": real(one.low),
            "high": real(one.high),
            "worst_relative_error": real(one.relative.get()),
        })
    };
    json!({
        "parameter": map.parameter,
        "stretches": map.stretches.iter().map(stretch).collect::<Vec<_>>(),
        "wrong": map.wrong.iter().map(interval).collect::<Vec<_>>(),
    })
}

fn symbolic(report: &SymbolicReport) -> Value {
    let event = |event: &Diagnosis| {
        json!({
            "file": event.file,
            "line": event.line,
            "execution": event.execution,
            "verdict": event.verdict,
            "bits": event.bits,
            "operation": event.operation,
            "operands": [number(event.x), number(event.y)],
            "result": number(event.result),
        })
    };
    json!({
        "coverage": coverage(&report.coverage),
        "diagnosis": report.diagnosis.iter().map(event).collect::<Vec<_>>(),
    })
}

fn coverage(coverage: &Coverage) -> Value {
    let by = &coverage.tallies;
    json!({
        "sites": coverage.sites.iter().map(site).collect::<Vec<_>>(),
        "branches": coverage.turns,
        "patterns": coverage.patterns,
        "goals": {
            "by_mutation": by.goals_by_mutation,
            "by_inversion": by.goals_by_inversion,
            "by_solver": by.goals_by_smt,
        },
        "solver": {
            "queries": by.questions,
            "sat": by.sat,
            "unsat": by.unsat,
            "unknown": by.unknown,
            "not_confirmed": by.refuted,
            "problem": coverage.trouble,
        },
        "runs": by.runs,
        "concretised_values": coverage.concretised,
        "dropped_operations": coverage.dropped,
        "untracked_operands": coverage.strays,
    })
}

fn site(site: &SiteCoverage) -> Value {
    json!({
        "file": site.file,
        "line": site.line,
        "column": site.column,
        "function": site.function,
        "operation": site.operation,
        "checked_executions": site.reached,
        "loss": site.lost,
        "cancellation": site.cancelled,
        "accurate": site.accurate,
    })
}

/// The report of `lostbits explain`, or why there is none.
fn explanation(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text.trim()))
}

/// The result is not a number although there is an exact one.
fn missing_result(undefined: &Undefined) -> Value {
    json!({
        "input": numbers(&undefined.input),
        "exact": undefined.reference,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "input": numbers(&finding.input),
        "output": finding.output,
        "computed": number(finding.computed),
        "exact": finding.reference,
        "relative_error": real(finding.error.get()),
        "floored_error": finding.measured.map(|measured| real(measured.floored.get())),
        "confirmed_by": finding.confirmed_by,
        "neighbour_scatter": finding.scatter.map(|scatter| real(scatter.get())),
        "exact_result_jumps": finding.jumps,
        "cause": finding.guilty.as_ref().map(cause),
    })
}

/// The operation that amplified the error most.
fn cause(guilty: &Guilty) -> Value {
    json!({
        "operation": guilty.operation,
        "file": guilty.file,
        "function": guilty.function,
        "line": guilty.line,
        "column": guilty.column,
        "operands": [number(guilty.x), number(guilty.y)],
        "condition_number": real(f64::from(guilty.log_condition).exp2()),
        "operations_to_result": guilty.steps,
    })
}

fn numbers(values: &[f64]) -> Vec<Value> {
    values.iter().map(|value| number(*value)).collect()
}

fn number(value: f64) -> Value {
    json!({ "hexadecimal": hexadecimal(value), "decimal": format!("{value:?}") })
}

/// JSON has no infinity.
fn real(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        json!("infinite")
    }
}
