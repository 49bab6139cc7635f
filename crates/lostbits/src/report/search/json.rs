//! The report as JSON: everything the terminal shows, and all inputs in both forms.

use serde_json::{Value, json};

use crate::{
    report::numbers::hexadecimal,
    search::{
        CallReport, Finding, Undefined,
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
        "undefined": report.undefined.iter().map(undefined).collect::<Vec<_>>(),
        "explanation": report.explanation.as_deref().map(explanation),
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

/// The report of `lostbits explain`, or why there is none.
fn explanation(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text.trim()))
}

fn undefined(undefined: &Undefined) -> Value {
    json!({
        "input": undefined.input.iter().map(|x| number(*x)).collect::<Vec<_>>(),
        "reference": undefined.reference,
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
        "scatter": finding.scatter.map(real),
        "jumps": finding.jumps,
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
