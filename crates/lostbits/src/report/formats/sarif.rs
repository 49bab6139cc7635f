//! SARIF 2.1.0, the format of code scanning (GitHub, GitLab, editors): rules with help, and for each finding its location, a code
//! flow from the cause to the output, and a fingerprint that survives moved lines.

use lostbits_abi::VERSION;
use serde_json::{Value, json};

use crate::report::{
    document::{Document, Finding, Place, Standing, State, Step},
    rules::{RULES, Rule, rule},
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Paths are relative to the folder in which lostbits ran: the root of the project.
const ROOT: &str = "%SRCROOT%";

pub fn sarif(document: &Document) -> String {
    let results: Vec<Value> = document.findings.iter().map(result).collect();
    let notifications: Vec<Value> = document
        .undecided_because
        .iter()
        .map(|why| json!({ "level": "warning", "message": { "text": why } }))
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lostbits",
                "version": VERSION,
                "semanticVersion": VERSION,
                "rules": RULES.iter().map(descriptor).collect::<Vec<_>>(),
            }},
            "invocations": [{
                "executionSuccessful": document.state != State::Undecided,
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).expect("plain data") + "\n"
}

fn descriptor(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": format!("{}.", rule.summary) },
        "help": { "text": rule.help, "markdown": rule.help },
        "defaultConfiguration": { "level": "warning" },
        "properties": { "tags": ["floating-point", "accuracy"] },
    })
}

fn result(finding: &Finding) -> Value {
    let index = RULES.iter().position(|one| one.id == rule(finding.kind).id);
    let mut result = json!({
        "ruleId": rule(finding.kind).id,
        "ruleIndex": index,
        "level": if finding.is_proved { "error" } else { "warning" },
        "message": { "text": message(finding) },
        "partialFingerprints": { "lostbits/v1": finding.fingerprint },
    });
    if let Some(location) = location(&finding.place, None) {
        result["locations"] = json!([location]);
    }
    match &finding.standing {
        Standing::New | Standing::Worse => {}
        Standing::Known => result["baselineState"] = "unchanged".into(),
        Standing::Ignored(reason) => {
            result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
        }
    }
    let flow: Vec<Value> = finding.path.iter().filter_map(step).collect();
    if !flow.is_empty() {
        result["codeFlows"] = json!([{
            "message": { "text": "from the cause to the result" },
            "threadFlows": [{ "locations": flow }],
        }]);
    }
    result
}

/// The title, what happens, the facts and the fix, a line each.
fn message(finding: &Finding) -> String {
    let mut lines = vec![finding.title.clone(), finding.label.clone()];
    let facts = finding.facts.iter();
    lines.extend(facts.map(|fact| format!("{}: {}", fact.name, fact.text)));
    lines.extend(finding.fix.iter().map(|fix| format!("help: {fix}")));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

fn step(step: &Step) -> Option<Value> {
    Some(json!({ "location": location(&step.place, Some(&step.text))? }))
}

/// None if the file is unknown: SARIF has no location without one.
fn location(place: &Place, text: Option<&str>) -> Option<Value> {
    if place.file.is_empty() {
        return None;
    }
    let artifact = match place.file.starts_with('/') {
        true => json!({ "uri": format!("file://{}", uri(&place.file)) }),
        false => json!({ "uri": uri(&place.file), "uriBaseId": ROOT }),
    };
    let mut physical = json!({ "artifactLocation": artifact });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
    }
    if place.line > 0 && place.column > 0 {
        physical["region"]["startColumn"] = place.column.into();
    }
    let mut location = json!({ "physicalLocation": physical });
    if !place.function.is_empty() {
        location["logicalLocations"] =
            json!([{ "fullyQualifiedName": place.function, "kind": "function" }]);
    }
    if let Some(text) = text {
        location["message"] = json!({ "text": text });
    }
    Some(location)
}

/// A path as a URI: everything but unreserved characters and `/` is percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            other => uri += &format!("%{other:02X}"),
        }
    }
    uri
}
