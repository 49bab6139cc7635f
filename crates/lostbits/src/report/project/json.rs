//! The report on a project as JSON: that of `explain`, with what only many processes have.

use serde_json::{Value, json};

use crate::{
    project::{Arguments, Finding, Merged, State, functions},
    report::explain::{self, Context},
    run,
};

/// One object on one line. Every finding is in it, each with its state.
pub fn json(merged: &Merged) -> String {
    let context = Context {
        unreadable: merged.unreadable,
        base: merged.root.clone(),
        ..Context::default()
    };
    let mut report: Value =
        serde_json::from_str(&explain::json(&merged.run, &context)).expect("our own JSON");
    if let Some(findings) = report["findings"].as_array_mut() {
        for (value, finding) in findings.iter_mut().zip(&merged.findings) {
            add(value, merged, finding);
        }
    }
    relative(&mut report, merged);
    report["command"] = match &merged.ran {
        Some(ran) => json!({ "words": ran.command, "exit_code": run::exit_code(ran.status) }),
        None => Value::Null,
    };
    report["counted_findings"] = merged.counted().count().into();
    report["processes"] = merged
        .processes
        .iter()
        .map(|process| {
            json!({
                "process": process.number,
                "command": process.command,
                "test": process.test,
                "folder": process.folder,
                "exited": process.exited,
            })
        })
        .collect();
    report["functions"] = functions(&merged.run)
        .iter()
        .map(|row| {
            json!({
                "function": row.function,
                "file": merged.shown_path(&row.file),
                "line": row.line,
                "calls": row.calls,
                "wrong": row.wrong,
                "undecided": row.undecided,
                "max_error_bits": row.worst_bits,
                "returned": row.returned,
                "exact": row.exact,
                "arguments": arguments(&row.arguments),
                "has_other_arguments": row.arguments.has_others,
                "made_itself": row.own.as_ref().map(|own| json!({
                    "calls": own.calls,
                    "max_error_bits": own.worst_bits,
                    "returned": own.returned,
                    "exact": own.exact,
                    "arguments": arguments(&own.arguments),
                })),
            })
        })
        .collect();
    report["unused_suppressions"] = merged
        .suppressions
        .iter()
        .map(|one| {
            json!({ "file": one.file, "line": one.line, "text": one.text, "expired": one.has_expired })
        })
        .collect();
    report.to_string() + "\n"
}

fn arguments(arguments: &Arguments) -> Value {
    let numbers = arguments
        .numbers
        .iter()
        .map(|one| json!({ "name": one.name, "value": one.value, "error": one.error }));
    numbers.collect()
}

fn add(value: &mut Value, merged: &Merged, finding: &Finding) {
    value["fingerprint"] = finding.fingerprint.0.clone().into();
    value["state"] = finding.state.name().into();
    if let State::Ignored { reason } = &finding.state {
        value["reason"] = reason.clone().into();
    }
    value["seen_in"] = finding.seen_in.clone().into();
    value["reproduce"] = merged.reproduce(finding).into();
}

/// Every `file` in the report, relative to the project's root.
fn relative(value: &mut Value, merged: &Merged) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                match field {
                    Value::String(path) if name == "file" => {
                        *path = merged.shown_path(path).to_owned()
                    }
                    field => relative(field, merged),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|one| relative(one, merged)),
        _ => {}
    }
}
