//! Searches for the benches: GSL built for mode `search`, `lostbits search` run on it, and what it found as
//! judged by a process that knows the true values.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde::Deserialize;

use crate::{
    command::{self, Cost},
    gsl,
    subject::{Build, Subject, workplace},
    tools,
};

/// GSL as a shared library for mode `search`; built once.
pub fn library(jobs: usize) -> Result<PathBuf, String> {
    let subject = Subject {
        name: "gsl",
        package: "gsl",
        build: gsl::shared_build(),
        tests: Vec::new(),
    };
    let build = Build::new(&subject, "search", jobs)?;
    build.build()?;
    Ok(build.tree().join("libgsl-search.so"))
}

#[derive(Deserialize)]
pub struct Report {
    pub calls: Vec<Call>,
}

#[derive(Deserialize)]
pub struct Call {
    pub call: String,
    pub runs: u64,
    /// Of processor time.
    #[serde(default)]
    pub seconds: f64,
    pub findings: Vec<Finding>,
}

#[derive(Deserialize)]
pub struct Finding {
    pub input: Vec<Number>,
    pub computed: Number,
    /// A number, or "infinite".
    relative_error: serde_json::Value,
    #[serde(rename = "cause")]
    pub guilty: Option<Guilty>,
}

#[derive(Deserialize)]
pub struct Number {
    #[serde(rename = "hexadecimal")]
    pub hex: String,
    pub decimal: String,
}

#[derive(Deserialize)]
pub struct Guilty {
    pub file: String,
    pub line: u32,
}

impl Finding {
    /// As `lostbits search` has it.
    pub fn error(&self) -> f64 {
        self.relative_error.as_f64().unwrap_or(f64::INFINITY)
    }
}

impl Call {
    /// The function without `gsl_sf_`.
    pub fn function(&self) -> &str {
        let name = self.call.split('(').next().unwrap_or_default();
        name.strip_prefix("gsl_sf_").unwrap_or(name)
    }
}

/// Runs `lostbits search` on calls; what it found, and what that cost.
pub fn search(
    library: &Path,
    calls: &[String],
    options: &[&str],
) -> Result<(Report, Cost), String> {
    let list = workplace().join("calls.txt");
    fs::write(&list, calls.join("\n")).map_err(|error| format!("{}: {error}", list.display()))?;
    let mut search = Command::new(tools::lostbits()?);
    search
        .arg("search")
        .arg("--library")
        .arg(library)
        .arg("--calls")
        .arg(&list)
        .args(["--init", "gsl_set_error_handler_off", "--format", "json"])
        .args(options);
    let times = workplace().join("times.txt");
    // Times of an earlier run do not belong to this one.
    let _ = fs::remove_file(&times);
    search.arg("--times").arg(&times);
    let finished = command::run(&mut search)?;
    if finished.status.code().is_none_or(|code| code > 1) {
        return Err(String::from_utf8_lossy(&finished.stderr).into_owned());
    }
    let mut report: Report = serde_json::from_slice(&finished.stdout)
        .map_err(|error| format!("the report cannot be read: {error}"))?;
    for line in fs::read_to_string(&times).unwrap_or_default().lines() {
        let (call, seconds) = line.split_once('\t').unwrap_or((line, ""));
        for known in report.calls.iter_mut().filter(|known| known.call == call) {
            known.seconds = seconds.parse().unwrap_or(0.0);
        }
    }
    Ok((report, finished.cost))
}

/// A process that gives the true error of computed values.
pub struct Judge {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Judge {
    pub fn start(script: &str) -> Result<Judge, String> {
        let script = tools::repository().join("bench/oracle").join(script);
        let mut child = Command::new(python()?)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("the oracle cannot be started: {error}"))?;
        let pipes = (child.stdin.take(), child.stdout.take());
        let (Some(to), Some(from)) = pipes else {
            return Err("the oracle has no pipes".to_owned());
        };
        Ok(Judge {
            child,
            to,
            from: BufReader::new(from),
        })
    }

    /// The true relative error of a finding; none where the oracle does not know the value.
    pub fn error(&mut self, function: &str, finding: &Finding) -> Result<Option<f64>, String> {
        let inputs: Vec<&str> = finding.input.iter().map(|x| x.hex.as_str()).collect();
        self.ask(function, &inputs.join(","), &finding.computed.hex)
    }

    /// The same for inputs (separated by commas) and a computed value as hex floats.
    pub fn ask(
        &mut self,
        function: &str,
        inputs: &str,
        computed: &str,
    ) -> Result<Option<f64>, String> {
        let line = format!("{function}\t{inputs}\t{computed}\n");
        let mut answer = String::new();
        self.to
            .write_all(line.as_bytes())
            .and_then(|()| self.from.read_line(&mut answer))
            .map_err(|error| format!("the oracle died: {error}"))?;
        Ok(answer.split('\t').next().and_then(|word| match word {
            "+inf" | "inf" => Some(f64::INFINITY),
            word => word.parse().ok(),
        }))
    }
}

impl Drop for Judge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A Python with mpmath: the system's, or one of our own.
fn python() -> Result<PathBuf, String> {
    let knows = |python: &Path| {
        let mut command = Command::new(python);
        command.args(["-c", "import mpmath"]);
        command::run(&mut command).is_ok_and(|finished| finished.status.success())
    };
    let system = PathBuf::from("python3");
    if knows(&system) {
        return Ok(system);
    }
    let own = workplace().join("oracle");
    let python = own.join("bin/python3");
    if !knows(&python) {
        for step in [
            format!("python3 -m venv '{}'", own.display()),
            format!(
                "'{}' -m pip install --quiet mpmath==1.3.0",
                python.display()
            ),
        ] {
            let finished = command::run(&mut command::shell(&step, &workplace()))?;
            if !finished.status.success() {
                let reason = String::from_utf8_lossy(&finished.stderr).into_owned();
                return Err(format!("mpmath cannot be installed ({step}): {reason}"));
            }
        }
    }
    Ok(python)
}
