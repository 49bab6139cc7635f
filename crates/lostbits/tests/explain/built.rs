//! A subject program that is built once and explained for several arguments.

use std::path::Path;

use serde_json::Value;

use crate::{
    sandbox::Sandbox,
    subjects::{LEVELS, Lines, RUST_LEVELS, causes, marked, reached, subject},
};

pub struct Built<'a> {
    sandbox: Sandbox,
    source: &'a str,
    options: String,
    precision: &'static [&'static str],
    /// When an output is wrong: by default if it lost more than 5 bits, whatever is printed.
    criteria: &'static [&'static str],
}

const BY_BITS: &[&str] = &["--min-output-bits=5"];
const ADAPTIVE: &[&str] = &[];
const MANY_BITS: &[&str] = &["--precision", "1000"];

/// At every level of optimisation, with these options besides.
pub fn at_every_level<'a>(source: &'a str, options: &str) -> Vec<Built<'a>> {
    with_precision(source, options, ADAPTIVE)
}

/// The same, and measured with 1000 bits besides, which must say the same.
pub fn in_every_way<'a>(source: &'a str, options: &str) -> Vec<Built<'a>> {
    let mut programs = at_every_level(source, options);
    programs.extend(with_precision(source, options, MANY_BITS));
    programs
}

fn with_precision<'a>(
    source: &'a str,
    options: &str,
    precision: &'static [&'static str],
) -> Vec<Built<'a>> {
    let levels = if source.ends_with(".rs") {
        RUST_LEVELS
    } else {
        LEVELS
    };
    levels
        .iter()
        .map(|level| Built::new(source, format!("{level} {options}"), precision))
        .collect()
}

impl Built<'_> {
    /// With these options alone.
    pub fn at_level<'a>(source: &'a str, options: &str) -> Built<'a> {
        Built::new(source, options.to_owned(), ADAPTIVE)
    }

    fn new<'a>(source: &'a str, options: String, precision: &'static [&'static str]) -> Built<'a> {
        let sandbox = Sandbox::new();
        let wraps = std::fs::read(subject("lostbits.toml")).expect("it is there");
        sandbox.write("lostbits.toml", wraps);
        let (compiler, library) = match Path::new(source).extension().and_then(|end| end.to_str()) {
            Some("rs") => ("rustc", ""),
            Some("cpp") => ("c++", "-lm"),
            Some("f90") => ("fc", ""),
            _ => ("cc", "-lm"),
        };
        let mode = match precision {
            [] => "--lostbits-mode=explain",
            _ => "--lostbits-mode=explain-reals",
        };
        let mut command = sandbox.lostbits(&[compiler, mode]);
        command.arg(subject(source)).args(["-o", "program"]);
        command.args(options.split_whitespace());
        command.args(library.split_whitespace());
        let output = command.output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{source} {options}: {errors}");
        Built {
            sandbox,
            source,
            options,
            precision,
            criteria: BY_BITS,
        }
    }

    pub fn explain(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.explain_as("json", arguments)).expect("JSON")
    }

    /// Outputs that are consistent with 0 are judged like others.
    pub fn judging_zeros(self) -> Self {
        Built {
            criteria: &["--min-output-bits=5", "--zeros"],
            ..self
        }
    }

    /// Outputs are judged by their printed digits, not by their bits.
    pub fn judged_as_printed(self) -> Self {
        Built {
            criteria: &[],
            ..self
        }
    }

    pub fn explain_as(&self, format: &str, arguments: &str) -> String {
        let mut command = self.sandbox.lostbits(&[
            "explain",
            "--prove=0",
            "--format",
            format,
            "--report",
            "report",
        ]);
        command
            .args(self.criteria)
            .args(self.precision)
            .args(["./program", "--"]);
        command.args(arguments.split_whitespace());
        let output = command.output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 1 | 3)),
            "{} {arguments}: {code:?}\n{errors}",
            self.source
        );
        self.sandbox.read("report")
    }

    pub fn is_clean(&self, arguments: &str) {
        let report = self.explain(arguments);
        assert_eq!(
            causes(&report),
            Lines::new(),
            "{} {} {arguments} {:?}: {report:#}",
            self.source,
            self.options,
            self.precision
        );
    }

    /// The causes are the lines with the one mark, and reach those with the other; gives the worst.
    pub fn is_found(&self, arguments: &str, cause: &str, reach: &str) -> Value {
        let report = self.explain(arguments);
        let lines = |mark| marked(&[self.source], mark);
        let what = format!(
            "{} {} {arguments} {:?}: {report:#}",
            self.source, self.options, self.precision
        );
        assert_eq!(causes(&report), lines(cause), "{what}");
        assert_eq!(reached(&report), lines(reach), "{what}");
        report["findings"][0].clone()
    }
}
