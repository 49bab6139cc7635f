//! The report of `lostbits explain` on a program.

use std::{
    fs::File,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

/// The part of a report that the bench uses.
pub struct Explained {
    pub findings: Vec<Finding>,
    /// Outputs, comparisons and conversions that could not be decided, and how often.
    pub undecided: u64,
    /// What the program printed under it.
    pub output: Vec<u8>,
}

/// One finding as far as it is a verdict: its kind, its line, and the lines of what it reaches.
pub type Claim = (String, u64, Vec<u64>);

impl Explained {
    /// The root causes.
    pub fn verdicts(&self) -> Vec<Claim> {
        let claim =
            |finding: &Finding| (finding.kind.clone(), finding.line, finding.reaches.clone());
        let mut all: Vec<Claim> = self.findings.iter().map(claim).collect();
        all.sort();
        all
    }
}

pub struct Finding {
    pub kind: String,
    pub line: u64,
    /// FPCore or infix; none where the cause was not traced.
    pub expression: Option<String>,
    /// The format of the operation, as C names it.
    pub format: Option<String>,
    pub worst_bits: f64,
    pub variables: Vec<Variable>,
    /// How many outputs it made wrong.
    pub outputs: usize,
    /// The lines of outputs and branches.
    pub reaches: Vec<u64>,
}

impl Finding {
    /// It is about an infinity or NaN, which may be right, and does not claim that bits are lost.
    pub fn is_exceptional(&self) -> bool {
        matches!(self.kind.as_str(), "infinity" | "nan")
    }
}

pub struct Variable {
    pub name: String,
    /// Over the erroneous executions, else over all.
    pub range: Option<(f64, f64)>,
    pub worst: Option<f64>,
}

/// Whether this `lostbits` has the command.
pub fn is_built(lostbits: &Path) -> bool {
    let help = Command::new(lostbits).args(["explain", "--help"]).output();
    help.is_ok_and(|help| help.status.success())
}

/// Compiles and runs the program on the inputs.
pub fn explain(
    lostbits: &Path,
    source: &Path,
    inputs: &Path,
    options: &[String],
) -> Result<Explained, String> {
    let input = File::open(inputs).map_err(|error| format!("{}: {error}", inputs.display()))?;
    let report = source.with_extension("json");
    let output = Command::new("timeout")
        .arg("120")
        .arg(lostbits)
        .args(["explain", "--format", "json", "--report"])
        .arg(&report)
        .args(options)
        .arg(source)
        .args(super::FLAGS)
        .stdin(Stdio::from(input))
        .output()
        .map_err(|error| format!("{}: {error}", lostbits.display()))?;
    if !matches!(output.status.code(), Some(0 | 1 | 3)) {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "explain ended with {}: {}",
            output.status,
            errors.trim()
        ));
    }
    let text = std::fs::read_to_string(&report)
        .map_err(|error| format!("{}: {error}", report.display()))?;
    let json: Value =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", report.display()))?;
    Ok(Explained {
        findings: findings(&json),
        undecided: undecided(&json),
        output: output.stdout,
    })
}

fn undecided(report: &Value) -> u64 {
    ["outputs", "comparisons", "conversions"]
        .iter()
        .filter_map(|kind| report["checked"][kind]["undecided_executions"].as_u64())
        .sum()
}

/// The only code here that knows the schema.
fn findings(report: &Value) -> Vec<Finding> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let end = |variable: &Value, name: &str| {
        let erroneous = variable[format!("erroneous_{name}")].as_f64();
        erroneous.or_else(|| variable[name].as_f64())
    };
    list(&report["findings"])
        .iter()
        .map(|finding| Finding {
            kind: text(&finding["kind"]).unwrap_or_default(),
            line: finding["location"]["line"].as_u64().unwrap_or(0),
            expression: text(&finding["expression"]),
            format: text(&finding["location"]["type"]),
            worst_bits: finding["max_error_bits"].as_f64().unwrap_or(0.0),
            variables: list(&finding["variables"])
                .iter()
                .map(|variable| {
                    let name = text(&variable["name"]).unwrap_or_default();
                    Variable {
                        range: end(variable, "min").zip(end(variable, "max")),
                        worst: finding["worst_input"][&name].as_f64(),
                        name,
                    }
                })
                .collect(),
            outputs: list(&finding["outputs"]).len(),
            reaches: ["outputs", "branches"]
                .iter()
                .flat_map(|kind| list(&finding[kind]))
                .map(|spot| spot["line"].as_u64().unwrap_or(0))
                .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_finding_are_found() {
        let json = serde_json::json!({"findings": [{
            "kind": "error", "location": {"file": "a.c", "line": 7, "column": 3, "type": "double"},
            "expression": "1 - cos(x)", "max_error_bits": 30.5, "mean_error_bits": 20.0,
            "variables": [{"name": "x", "min": 0.0, "max": 1.0, "erroneous_min": 1e-9, "erroneous_max": 1e-3}],
            "worst_input": {"x": 1e-8}, "outputs": [{"line": 9}]
        }]});
        let found = &findings(&json)[0];
        assert_eq!((found.line, found.outputs, found.worst_bits), (7, 1, 30.5));
        assert_eq!(found.expression.as_deref(), Some("1 - cos(x)"));
        assert_eq!(found.variables[0].range, Some((1e-9, 1e-3)));
        assert_eq!(found.variables[0].worst, Some(1e-8));
    }
}
