//! The subject programs of `tests/explain`: what is reported is what their lines are marked with, adaptively and with 1000
//! bits throughout.

use std::{collections::BTreeSet, fmt, fs, path::Path};

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A program with an argument line.
struct Run<'a> {
    sources: &'a [&'a str],
    /// The compiler's options.
    options: &'a str,
    arguments: &'a str,
}

/// Line numbers with the file's name.
pub type Lines = BTreeSet<(String, u64)>;

pub const LEVELS: [&str; 2] = ["-O0", "-O2"];
pub const RUST_LEVELS: [&str; 2] = ["-Copt-level=0", "-Copt-level=2"];

pub fn subject(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/explain")
        .join(name)
}

impl Run<'_> {
    /// The report; 1000 bits throughout must say the same.
    fn explain(&self) -> Value {
        let (adaptive, printed) = self.explain_with(&[]);
        let (precise, printed_then) = self.explain_with(&["--precision", "1000"]);
        assert_eq!(precise["settings"]["precision"], 1000, "{self}");
        assert_eq!(verdicts(&adaptive), verdicts(&precise), "{self}");
        assert_eq!(printed, printed_then, "{self}");
        adaptive
    }

    /// The report, and what the program printed.
    fn explain_with(&self, words: &[&str]) -> (Value, Vec<u8>) {
        let sandbox = Sandbox::new();
        let mut command = sandbox.lostbits(&[
            "explain",
            "--prove=0",
            "--min-output-bits=5",
            "--format",
            "json",
            "--report",
            "report",
        ]);
        command.args(words);
        command.args(self.sources.iter().map(|name| subject(name)));
        command.args(self.options.split_whitespace()).arg("--");
        command.args(self.arguments.split_whitespace());
        let output = command.output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let code = output.status.code();
        assert!(
            matches!(code, Some(0 | 1 | 3)),
            "{self}: {code:?}\n{errors}"
        );
        let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
        assert_eq!(report["clean"], code == Some(0), "{self}");
        (report, output.stdout)
    }

    fn marked(&self, mark: &str) -> Lines {
        marked(self.sources, mark)
    }

    fn is_clean(&self) {
        let report = self.explain();
        assert_eq!(causes(&report), Lines::new(), "{self}: {report:#}");
    }

    /// The causes and what they reach are the marked lines; gives the worst cause.
    fn is_found(&self) -> Value {
        let report = self.explain();
        assert_eq!(causes(&report), self.marked("CAUSE"), "{self}: {report:#}");
        assert_eq!(
            reached(&report),
            self.marked("REACHED"),
            "{self}: {report:#}"
        );
        report["findings"][0].clone()
    }
}

impl fmt::Display for Run<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Run {
            sources,
            options,
            arguments,
        } = self;
        write!(
            formatter,
            "explain {} {options} -- {arguments}",
            sources.join(" ")
        )
    }
}

/// The lines of sources that have a mark.
pub fn marked(sources: &[&str], mark: &str) -> Lines {
    let of_file = |name: &&str| {
        let text = fs::read_to_string(subject(name)).expect(name);
        let lines = (1..).zip(text.lines());
        lines
            .filter(|(_, line)| line.contains(mark))
            .map(|(number, _)| ((*name).to_owned(), number))
            .collect::<Lines>()
    };
    sources.iter().flat_map(of_file).collect()
}

pub fn line(place: &Value) -> (String, u64) {
    let file = Path::new(place["file"].as_str().unwrap());
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    (name.into_owned(), place["line"].as_u64().unwrap())
}

pub fn rows(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().expect("a list").iter()
}

pub fn causes(report: &Value) -> Lines {
    rows(&report["findings"])
        .map(|finding| line(&finding["location"]))
        .collect()
}

pub fn reached(report: &Value) -> Lines {
    rows(&report["findings"])
        .flat_map(|finding| rows(&finding["outputs"]).chain(rows(&finding["branches"])))
        .map(line)
        .collect()
}

/// What is blamed for what, how often and for how much, and what was not decided.
pub fn verdicts(report: &Value) -> Vec<String> {
    let place = |site: &Value| format!("{} {} {}", site["file"], site["line"], site["column"]);
    let spot = |spot: &Value| {
        let [kind, executions, times] =
            ["kind", "executions", "influenced_executions"].map(|name| &spot[name]);
        format!(" {kind} {}: {times} of {executions};", place(spot))
    };
    let finding = |finding: &Value| {
        let spots = rows(&finding["outputs"]).chain(rows(&finding["branches"]));
        let facts = [
            "kind",
            "expression",
            "erroneous_executions",
            "executions",
            "max_error_bits",
        ];
        let facts = facts.map(|name| finding[name].to_string()).join(" ");
        let spots: String = spots.map(spot).collect();
        format!("{} {facts}:{spots}", place(&finding["location"]))
    };
    let mut verdicts: Vec<String> = rows(&report["findings"]).map(finding).collect();
    verdicts.sort();
    for kind in ["outputs", "comparisons", "conversions"] {
        let undecided = &report["checked"][kind]["undecided_executions"];
        verdicts.push(format!("{kind} not decided: {undecided}"));
    }
    verdicts
}

/// At every level the marked lines are found; gives the worst cause at each.
fn found(sources: &[&str], levels: &[&str], arguments: &str) -> Vec<Value> {
    let run = |options| Run {
        sources,
        options,
        arguments,
    };
    levels.iter().map(|level| run(level).is_found()).collect()
}

fn clean(sources: &[&str], levels: &[&str], arguments: &str) {
    for options in levels {
        Run {
            sources,
            options,
            arguments,
        }
        .is_clean();
    }
}

/// Expressions differ with the optimiser only in how the same thing is written.
pub fn computes(finding: &Value, expressions: &[&str]) {
    let expression = finding["expression"].as_str().expect("an expression");
    assert!(
        expressions.contains(&expression),
        "{expression}: {finding:#}"
    );
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// The paper's first example; the worst is on its line, whatever the language.
#[test]
fn plotter() {
    let arguments = "8 0.25";
    let c = found(&["plotter.c"], &LEVELS, arguments);
    let cpp = found(&["plotter.cpp"], &LEVELS, arguments);
    for finding in c.iter().chain(&cpp) {
        assert_eq!(finding["kind"], "cancellation");
        computes(finding, &["sqrt(z.re * z.re + z.im * z.im) - z.re"]);
        let x = &finding["variables"][0];
        assert!(number(&x["erroneous_min"]) > 0.0, "{finding:#}");
        assert!(number(&finding["max_error_bits"]) > 10.0, "{finding:#}");
    }
}

#[test]
fn plotter_in_rust() {
    for finding in found(&["plotter.rs"], &RUST_LEVELS, "8 0.25") {
        computes(&finding, &["sqrt(z.re * z.re + z.im * z.im) - z.re"]);
    }
}

/// Through structs, the heap and functions.
#[test]
fn foo_and_bar() {
    for finding in found(&["foobar.c"], &LEVELS, "1e16 1 0 1e15 3 2 5 1 2") {
        computes(&finding, &["a->x + a->y - (a->x + b->y)"]);
        assert_eq!(finding["executions"], 3);
        assert_eq!(finding["erroneous_executions"], 1);
        assert_eq!(finding["worst_input"]["a->x"], 1e16);
        assert_eq!(finding["outputs"][0]["exact"][0], 1e16);
        assert_eq!(finding["outputs"][0]["computed"][0], 0.0);
    }
    clean(&["foobar.c"], &LEVELS, "5 1 2 3 4 8");
}

/// Erroneous only near 113, and the ranges say so.
#[test]
fn baz() {
    let arguments = "1 2 100 113.0000001 112.99999999 113.000000001 500";
    let findings = [
        found(&["baz.c"], &LEVELS, arguments),
        found(&["baz.cpp"], &LEVELS, arguments),
    ];
    for finding in findings.iter().flatten() {
        is_baz(finding);
    }
    clean(&["baz.c"], &LEVELS, "1 2 100 500");
}

fn is_baz(finding: &Value) {
    computes(
        finding,
        &["1 / (x - 113) + 3.141592653589793 - 1 / (x - 113)"],
    );
    let x = &finding["variables"][0];
    assert_eq!(number(&x["min"]), 1.0);
    assert_eq!(number(&x["max"]), 500.0);
    assert_eq!(number(&x["erroneous_min"]), 112.99999999);
    assert_eq!(number(&x["erroneous_max"]), 113.0000001);
    assert_eq!(finding["erroneous_executions"], 3);
}

#[test]
fn baz_in_rust() {
    let arguments = "1 2 100 113.0000001 112.99999999 113.000000001 500";
    found(&["baz.rs"], &RUST_LEVELS, arguments)
        .iter()
        .for_each(is_baz);
}

/// A dependent vector: the division that made the first NaN, with its operands.
#[test]
fn gram_schmidt() {
    let arguments = "1 0 0 0 1 0 1 1 0";
    let findings = [
        found(&["gramschmidt.c"], &LEVELS, arguments),
        found(&["gramschmidt.cpp"], &LEVELS, arguments),
    ];
    for finding in findings.iter().flatten() {
        assert_eq!(finding["kind"], "nan");
        assert_eq!(finding["erroneous_executions"], 3);
        for operand in rows(&finding["worst_operands"]) {
            assert_eq!(operand, 0.0, "{finding:#}");
        }
    }
    clean(&["gramschmidt.c"], &LEVELS, "1 0 0 0 1 0 1 1 1");
}

/// One step too many: the comparison is wrong once, through the step.
#[test]
fn pid_controller() {
    let findings = [
        found(&["pid.c"], &LEVELS, "10"),
        found(&["pid.cpp"], &LEVELS, "10"),
        found(&["pid.rs"], &RUST_LEVELS, "10"),
    ];
    for finding in findings.iter().flatten() {
        assert_eq!(finding["kind"], "accumulation");
        computes(finding, &["t + 0.2", "clock.t + 0.2"]);
        assert_eq!(finding["executions"], 51);
        let branch = &finding["branches"][0];
        assert_eq!(
            (&branch["kind"], &branch["influenced_executions"]),
            (&"comparison".into(), &1.into())
        );
        assert_eq!(branch["executions"], 52);
    }
    clean(&["pid.c"], &LEVELS, "4.1");
}

/// Split over C and Fortran. The optimiser makes one vector operation of the first two lines.
#[test]
fn dihedral_angle() {
    let arguments = "0 0 0 1.1 1.2 1.3 2.2 2.4 2.6000001 3.3 3.6000001 3.9";
    for options in LEVELS {
        let run = Run {
            sources: &["dihedral.c", "vectors.f90"],
            options,
            arguments,
        };
        let report = run.explain();
        let (found, marked) = (causes(&report), run.marked("CAUSE"));
        assert!(
            found.is_subset(&marked) && found.len() >= 2,
            "{run}: {report:#}"
        );
        assert_eq!(reached(&report), run.marked("REACHED"), "{run}: {report:#}");
        for finding in rows(&report["findings"]) {
            let expression = finding["expression"].as_str().unwrap();
            let begins = [
                "(atoms[i + 1][k] - atoms[i][k]) * (atoms[i + 1][k]' - atoms[i][k]') - (",
                "(x - y) * (z - u) - (",
            ];
            assert!(
                begins.iter().any(|begin| expression.starts_with(begin)),
                "{expression}"
            );
        }
    }
}

#[test]
fn triangle_predicates_are_clean() {
    clean(&["orientation.c"], &LEVELS, "0.5 0.5 12 12 24 24");
}

#[test]
fn naive_sums_are_flagged() {
    let findings = [
        found(&["sums.c"], &LEVELS, "naive 20000 0.1"),
        found(&["sums.rs"], &RUST_LEVELS, "naive 20000 0.1"),
    ];
    for finding in findings.iter().flatten() {
        assert_eq!(finding["kind"], "accumulation");
        computes(finding, &["sum + 0.1"]);
    }
}

#[test]
fn compensated_sums_are_clean() {
    for how in [
        "kahan",
        "neumaier",
        "two_sum",
        "fast_two_sum",
        "double_double",
    ] {
        clean(&["sums.c"], &LEVELS, &format!("{how} 20000 0.1"));
    }
    clean(&["sums.rs"], &RUST_LEVELS, "kahan 20000 0.1");
}

#[test]
fn compensated_products_are_clean() {
    let numbers = "1.000000001 0.999999999 1 0.99999999999999";
    for finding in found(&["products.c"], &LEVELS, &format!("naive {numbers}")) {
        assert_eq!(finding["kind"], "cancellation");
    }
    for how in ["dekker", "fused"] {
        clean(&["products.c"], &LEVELS, &format!("{how} {numbers}"));
    }
}
