//! The report as JSON: everything the terminal shows, and all inputs in both forms.

use serde_json::{Value, json};

use crate::{
    report::numbers::hexadecimal,
    search::{
        CallReport, Finding,
        symbolic::{Diagnosis, SymbolicReport},
    },
};

pub fn json(reports: &[CallReport]) -> String {
    let calls: Vec<Value> = reports.iter().map(call).collect();
    let whole = json!({ "version": lostbits_abi::VERSION, "calls": calls });
    format!("{whole:#}\n")
}

fn call(report: &CallReport) -> Value {
    json!({
        "call": report.call,
        "parameters": report.parameters,
        "runs": report.runs,
        "ended": report.ended,
        "outside": report.outside,
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "symbolic": report.symbolic.as_ref().map(symbolic),
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
        "coverage": report.coverage,
        "diagnosis": report.diagnosis.iter().map(event).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let guilty = finding.guilty.as_ref().map(|guilty| {
        json!({
            "operation": guilty.operation,
            "file": guilty.file,
            "function": guilty.function,
            "line": guilty.line,
            "column": guilty.column,
            "operands": [number(guilty.x), number(guilty.y)],
            "condition": real(f64::from(guilty.log_condition).exp2()),
            "steps": guilty.steps,
        })
    });
    json!({
        "input": finding.input.iter().map(|x| number(*x)).collect::<Vec<_>>(),
        "output": finding.output,
        "computed": number(finding.computed),
        "reference": finding.reference,
        "error": real(finding.error),
        "confirmed_by": finding.confirmed_by,
        "floored_error": finding.measured.map(|measured| real(measured.floored)),
        "guilty": guilty,
    })
}

fn number(value: f64) -> Value {
    json!({ "hex": hexadecimal(value), "decimal": format!("{value:?}") })
}

/// JSON has no infinity.
fn real(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        json!("infinite")
    }
}
