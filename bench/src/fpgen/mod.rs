//! FPGen's 21 programs (ICSE 2020, Table 3): the subjects, prepared; a search of them; and what it found.

mod paper;

use std::{collections::HashMap, fs, path::Path, process::Command};

use serde_json::Value;

pub use paper::{PROGRAMS, Program};

use crate::{
    command, gsl,
    searched::Judge,
    subject::{Build, Subject, workplace},
    tools,
};

/// The specifications in `bench/fpgen`.
const SPECS: [&str; 3] = ["summations", "meschach", "gsl"];

/// Small errors count too: the paper's smallest is 1e-16.
const ANY_ERROR: &str = "1e-300";

/// What a search builds its subjects for.
const MODES: [&str; 3] = ["search", "reals", "symbolic"];

/// The sources of Meschach that are called, and those that they need.
const MESCHACH: &str = "bdfactor copy err hsehldr init iter0 ivecop lufactor machine matop matrixio meminfo memory \
                        memstat norm pxop qrfactor solve sparse sprow submat vecop zmachine zmemory";

/// Fetches and configures Meschach and GSL. Meschach is built for each mode; of GSL `lostbits search` compiles
/// the few files itself, with accumulators that are double as in the paper (they are long double, and so are
/// hard to get wrong by floats).
pub fn prepare(jobs: usize) -> Result<(), String> {
    let meschach = Subject {
        name: "meschach-fpgen",
        package: "meschach",
        build: vec![
            "CC=\"$CC -std=gnu89 -w\" ./configure --with-all".to_owned(),
            format!(
                "for part in {MESCHACH}; do $CC -O2 -g -w -std=gnu99 -Wno-implicit-function-declaration -fPIC \
                 -fno-vectorize -fno-slp-vectorize -ffp-contract=off -c $part.c || exit 1; done"
            ),
            "ar rcs libmeschach.a *.o".to_owned(),
        ],
        tests: Vec::new(),
    };
    for mode in MODES {
        Build::new(&meschach, mode, jobs)?.build()?;
    }
    let gsl = Subject {
        name: "gsl-fpgen",
        package: "gsl",
        build: vec![
            gsl::CONFIGURE.to_owned(),
            "make -C gsl".to_owned(),
            "sed -i 's/long double/double/g' statistics/w*_source.c".to_owned(),
        ],
        tests: Vec::new(),
    };
    Build::new(&gsl, "off", jobs)?.build()?;
    Ok(())
}

/// What a search found of one program.
#[derive(Clone, Default, Debug)]
pub struct Found {
    /// |r - r0| / max(FLT_MIN, |r0|) and |r - r0| / |r0| of the worst input.
    pub floored: f64,
    pub strict: f64,
    pub runs: u64,
    /// Of processor time.
    pub seconds: f64,
    /// Checked executions that lost bits, that cancelled, and all of either kind that are not proved
    /// impossible.
    pub checks: Option<[u64; 3]>,
    /// The worst input: its output, the inputs, and what was computed, as the oracle is asked.
    worst: Option<[String; 3]>,
}

impl Found {
    /// Whether mpmath measures the same error, within a hundredth; none where nothing was found.
    pub fn is_confirmed(&self, function: &str, judge: &mut Judge) -> Result<Option<bool>, String> {
        let Some([output, inputs, computed]) = &self.worst else {
            return Ok(None);
        };
        let truth = judge.ask(&format!("{function} {output}"), inputs, computed)?;
        Ok(Some(truth.is_some_and(|truth| {
            (truth / self.floored - 1.0).abs() < 0.01
        })))
    }
}

/// The true results by mpmath, which shares nothing with lostbits.
pub fn judge() -> Result<Judge, String> {
    Judge::start("fpgen.py")
}

/// Searches all programs whose name contains `only`; by the names of their functions.
pub fn search(options: &[String], only: &str) -> Result<HashMap<String, Found>, String> {
    let mut found = HashMap::new();
    for name in SPECS {
        let folder = tools::repository().join("bench/fpgen");
        let whole = folder.join(format!("{name}.toml"));
        let cannot = |error| format!("{}: {error}", whole.display());
        let text = fs::read_to_string(&whole).map_err(cannot)?;
        let is_in = |program: &Program| text.contains(&format!("\"{}\"", program.function));
        let programs = || PROGRAMS.iter().filter(|program| is_in(program));
        if programs().all(|program| program.name.contains(only)) {
            found.extend(search_spec(&whole, options)?);
        } else if programs().any(|program| program.name.contains(only)) {
            // In the folder of the sources that it names.
            let part = folder.join(format!(".{name}-{}.toml", std::process::id()));
            fs::write(&part, narrowed(&text, only)).map_err(cannot)?;
            let searched = search_spec(&part, options);
            let _ = fs::remove_file(&part);
            found.extend(searched?);
        }
    }
    Ok(found)
}

/// A specification with only the calls that are wanted.
fn narrowed(text: &str, only: &str) -> String {
    let unwanted = |part: &&str| {
        PROGRAMS.iter().any(|program| {
            part.contains(&format!("\"{}\"", program.function)) && !program.name.contains(only)
        })
    };
    // A call ends with an empty line. Inputs that no call passes are an error, so they are removed.
    let parts: Vec<&str> = text.split("\n\n").filter(|part| !unwanted(part)).collect();
    let calls = parts.iter().filter(|part| part.contains("[[call]]"));
    let calls: String = calls.copied().collect();
    let is_passed = |line: &&str| match line.split_once(" = {") {
        Some((name, _)) => calls.contains(&format!("\"{name}\"")),
        None => true,
    };
    let text = parts.join("\n\n");
    text.lines()
        .filter(is_passed)
        .flat_map(|line| [line, "\n"])
        .collect()
}

fn search_spec(spec: &Path, options: &[String]) -> Result<HashMap<String, Found>, String> {
    let times = workplace().join(format!("times-{}.txt", std::process::id()));
    let _ = fs::remove_file(&times);
    let mut search = Command::new(tools::lostbits()?);
    search
        .current_dir(tools::repository())
        .args([
            "search",
            "--significant",
            ANY_ERROR,
            "--top",
            "1",
            "--format",
            "json",
            "--spec",
        ])
        .arg(spec)
        .arg("--times")
        .arg(&times)
        .args(options);
    let finished = command::run(&mut search)?;
    if finished.status.code().is_none_or(|code| code > 1) {
        return Err(String::from_utf8_lossy(&finished.stderr).into_owned());
    }
    let report: Value = serde_json::from_slice(&finished.stdout)
        .map_err(|error| format!("the report cannot be read: {error}"))?;
    let seconds = fs::read_to_string(&times).unwrap_or_default();
    let _ = fs::remove_file(&times);
    let calls = report["calls"].as_array().into_iter().flatten();
    Ok(calls
        .map(|call| {
            let text = call["call"].as_str().unwrap_or_default();
            let mut used = seconds.lines().filter_map(|line| line.split_once('\t'));
            let used = used.rfind(|(called, _)| *called == text);
            let used = used.and_then(|(_, seconds)| seconds.parse().ok());
            let function = text.split('(').next().unwrap_or_default().to_owned();
            (function, read(call, used.unwrap_or(0.0)))
        })
        .collect())
}

fn read(call: &Value, seconds: f64) -> Found {
    let worst = &call["findings"][0];
    let number = |value: &Value| match value {
        Value::String(_) => f64::INFINITY,
        value => value.as_f64().unwrap_or(0.0),
    };
    Found {
        floored: number(&worst["floored_error"]),
        strict: number(&worst["relative_error"]),
        runs: call["runs"].as_u64().unwrap_or(0),
        seconds,
        checks: checks(&call["symbolic"]["coverage"]),
        worst: question(worst),
    }
}

fn question(worst: &Value) -> Option<[String; 3]> {
    let hex = |number: &Value| {
        number["hexadecimal"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let inputs: Vec<String> = worst["input"].as_array()?.iter().map(hex).collect();
    let output = worst["output"].as_str()?.to_owned();
    Some([output, inputs.join(","), hex(&worst["computed"])])
}

fn checks(coverage: &Value) -> Option<[u64; 3]> {
    let sites = coverage["sites"].as_array()?;
    let sum = |kind: &str, states: &[&str]| -> u64 {
        let of = |site: &Value| -> u64 {
            states
                .iter()
                .filter_map(|state| site[kind][*state].as_u64())
                .sum()
        };
        sites.iter().map(of).sum()
    };
    const POSSIBLE: [&str; 3] = ["covered", "given_up", "open"];
    Some([
        sum("loss", &["covered"]),
        sum("cancellation", &["covered"]),
        sum("loss", &POSSIBLE) + sum("cancellation", &POSSIBLE),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_specification_is_one() {
        let text = include_str!("../../fpgen/meschach.toml");
        let part = narrowed(text, "convolution");
        assert!(part.contains("\"mes_conv\""), "{part}");
        assert!(!part.contains("mes_lu") && !part.contains("LU ="), "{part}");
        assert!(
            part.contains("\nx = {") && !part.contains("\nB = {"),
            "{part}"
        );
    }
}
