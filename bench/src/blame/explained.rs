//! Which causes `lostbits explain` reports.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use super::program::Program;
use crate::command::{self, Cost};

/// A contribution of at least this share, or a root cause that passes on this share, is a cause where the report has a budget
/// instead of a list of proved causes.
const SHARE: f64 = 0.2;
const PASSES: f64 = 0.5;
const PATIENCE: &str = "120";

/// Which of the report's verdicts counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// Causes that runs with interventions confirmed.
    Proved,
    /// Root causes by local error and influence, as Herbgrind and lostbits 0.1 find them.
    Influence,
}

pub struct Explained {
    pub causes: Vec<Cause>,
    pub cost: Cost,
    /// Standard output of the program under it.
    pub text: Vec<u8>,
}

/// One reported line.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// In the program's source; 0 if the report names none there.
    pub line: u64,
    pub share: Option<f64>,
    /// The report says that the error passes through this line.
    pub says_passes: bool,
}

/// The options that choose the kind of blame, for this version of lostbits.
pub fn options(lostbits: &Path, blame: Blame) -> Result<Vec<String>, String> {
    let help = Command::new(lostbits)
        .args(["explain", "--help"])
        .stderr(Stdio::null())
        .output();
    let help = help.map_err(|error| format!("{}: {error}", lostbits.display()))?;
    Ok(chosen(&String::from_utf8_lossy(&help.stdout), blame))
}

fn chosen(help: &str, blame: Blame) -> Vec<String> {
    let described = help.split_once("--prove").map(|(_, rest)| rest);
    let described = described.map(|rest| rest.split("\n      --").next().unwrap_or(rest));
    let option = match (described, blame) {
        (None, _) => None,
        (Some(_), Blame::Proved) => Some("--prove"),
        (Some(text), Blame::Influence) if text.contains("default: off") => None,
        (Some(_), Blame::Influence) => Some("--prove=0"),
    };
    option.map(str::to_owned).into_iter().collect()
}

pub fn explain(
    lostbits: &Path,
    program: &Program,
    folder: &Path,
    options: &[String],
    blame: Blame,
) -> Result<Explained, String> {
    let report = folder.join(format!("{blame:?}.json"));
    let mut command = Command::new("timeout");
    command
        .arg(PATIENCE)
        .arg(lostbits)
        .args(["explain", "--format", "json", "--report"])
        .arg(&report)
        .args(options)
        .arg(&program.source)
        .args(program.language.flags())
        .args(program.language.libraries())
        .arg("--")
        .args(&program.arguments)
        .current_dir(folder);
    let finished = command::run(&mut command)?;
    // 0: clean, 1: findings, 3: undecided.
    if !matches!(finished.status.code(), Some(0 | 1 | 3)) {
        let errors = String::from_utf8_lossy(&finished.stderr);
        return Err(format!(
            "explain ended with {}: {}",
            finished.status,
            errors.trim()
        ));
    }
    let text =
        fs::read_to_string(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    let json =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", report.display()))?;
    Ok(Explained {
        causes: causes(&json, &program.file_name(), blame),
        cost: finished.cost,
        text: finished.stdout,
    })
}

/// The only code here that knows the schema: the reported lines, in the report's order, each once.
pub fn causes(report: &Value, source: &str, blame: Blame) -> Vec<Cause> {
    let listed = match blame {
        Blame::Influence => None,
        Blame::Proved => proved(report),
    };
    let listed = listed.unwrap_or_else(|| {
        let is_cause = |finding: &&Value| finding["kind"] != "unknown-cause";
        items(&report["findings"]).iter().filter(is_cause).collect()
    });
    let mut causes: Vec<Cause> = Vec::new();
    for value in listed.into_iter().filter(|value| reaches_outputs(value)) {
        let proof = match value["proof"].is_object() {
            true => &value["proof"],
            false => value,
        };
        let passes = proof["passes_on"]
            .as_f64()
            .is_some_and(|share| share >= PASSES);
        let cause = Cause {
            line: line(value, source),
            share: proof["share"].as_f64(),
            // A cancellation is reported as one that amplifies the error of its operands.
            says_passes: passes || value["kind"] == "cancellation" || value["role"] == "passes",
        };
        match causes.iter_mut().find(|other| other.line == cause.line) {
            Some(other) => other.says_passes |= cause.says_passes,
            None => causes.push(cause),
        }
    }
    causes
}

/// Proved causes; none if the report has no such list.
fn proved(report: &Value) -> Option<Vec<&Value>> {
    let findings = items(&report["findings"]);
    if report["budget"].is_object() && findings.iter().any(|one| one["proof"].is_object()) {
        let is_proved = |finding: &&Value| finding["proof"].is_object();
        return Some(findings.iter().filter(is_proved).collect());
    }
    let contributions = report["budget"]["contributions"].as_array()?;
    let at_least = |value: &Value, limit| value.as_f64().is_some_and(|share| share >= limit);
    let is_cause = |value: &&Value| {
        let root = value["is_root_cause"] == true;
        at_least(&value["share"], SHARE) || (root && at_least(&value["passes_on"], PASSES))
    };
    Some(contributions.iter().filter(is_cause).collect())
}

/// A cause of wrong decisions alone is not judged here.
fn reaches_outputs(value: &Value) -> bool {
    items(&value["branches"]).is_empty() || !items(&value["outputs"]).is_empty()
}

fn line(value: &Value, source: &str) -> u64 {
    let location = match value["location"].is_object() {
        true => &value["location"],
        false => value,
    };
    let callers = items(&value["inlined_from"]);
    let is_here = |place: &&Value| {
        let file = place["file"].as_str().unwrap_or("");
        file.rsplit('/').next() == Some(source)
    };
    let place = std::iter::once(location).chain(callers).find(is_here);
    place.and_then(|place| place["line"].as_u64()).unwrap_or(0)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cause(line: u64, share: Option<f64>, says_passes: bool) -> Cause {
        Cause {
            line,
            share,
            says_passes,
        }
    }

    #[test]
    fn findings_are_causes_by_influence() {
        let report = json!({"budget": null, "findings": [
            {"kind": "cancellation", "location": {"file": "/x/a.c", "line": 7}, "outputs": [{"line": 9}]},
            {"kind": "accumulation", "location": {"file": "/inc/numeric", "line": 111},
             "inlined_from": [{"file": "a.c", "line": 12}], "outputs": [{"line": 9}]},
            {"kind": "loss", "location": {"file": "a.c", "line": 12}, "outputs": [{"line": 9}]},
            {"kind": "loss", "location": {"file": "a.c", "line": 13}, "outputs": [], "branches": [{"line": 9}]},
            {"kind": "unknown-cause", "location": {"file": "a.c", "line": 9}, "outputs": [{"line": 9}]}
        ]});
        let expected = [cause(7, None, true), cause(12, None, false)];
        assert_eq!(causes(&report, "a.c", Blame::Influence), expected);
        assert_eq!(causes(&report, "a.c", Blame::Proved), expected);
    }

    #[test]
    fn a_budget_and_a_list_of_proved_causes_are_read() {
        let contribution = |line, share, passes, root| json!({"file": "a.c", "line": line, "share": share, "passes_on": passes, "is_root_cause": root});
        let budget = json!({"findings": [], "budget": {"contributions": [
            contribution(4, 0.9, Value::Null, false),
            contribution(7, 0.01, json!(0.97), true),
            contribution(8, 0.02, json!(0.1), true)
        ]}});
        let expected = [cause(4, Some(0.9), false), cause(7, Some(0.01), true)];
        assert_eq!(causes(&budget, "a.c", Blame::Proved), expected);
        let list = json!({"budget": {}, "findings": [
            {"location": {"file": "a.c", "line": 4}, "proof": {"share": 0.5}},
            {"location": {"file": "a.c", "line": 9}, "proof": null}
        ]});
        assert_eq!(
            causes(&list, "a.c", Blame::Proved),
            [cause(4, Some(0.5), false)]
        );
    }

    #[test]
    fn the_option_depends_on_the_default() {
        let off = "      --prove[=<RUNS>]\n          Shares [default: off]\n      --what-if <X>\n          no";
        let on = "      --prove[=<RUNS>]\n          Shares [default: 40]\n      --what-if <X>\n          default: off";
        assert_eq!(chosen(off, Blame::Proved), ["--prove"]);
        assert!(chosen(off, Blame::Influence).is_empty());
        assert_eq!(chosen(on, Blame::Influence), ["--prove=0"]);
        assert!(chosen("", Blame::Proved).is_empty());
    }
}
