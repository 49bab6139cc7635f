//! Expressions, FPCore files and calls of library functions, with the real plugin and runtime.

use lostbits::fpcore::read_cores;
use serde_json::Value;

use crate::sandbox::Sandbox;

fn json(sandbox: &Sandbox, words: &[&str]) -> Value {
    let words = [
        &["explain", "--format", "json", "--report", "report"],
        words,
    ]
    .concat();
    let output = sandbox.lostbits(&words).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{errors}");
    serde_json::from_str(&sandbox.read("report")).expect("JSON")
}

/// The report speaks of the expression, not of the C program that was made of it.
#[test]
fn an_expression() {
    let sandbox = Sandbox::new();
    let words = [
        "(1 - cos(x)) / x^2",
        "--range",
        "x=1e-9:1e-3",
        "--samples",
        "100",
    ];
    let report = json(&sandbox, &words);
    let finding = &report["findings"][0];
    assert_eq!(finding["expression"], "1 - cos(x)", "{report:#}");
    assert_eq!(finding["executions"], 100);
    let site = &finding["location"];
    assert_eq!(
        (&site["file"], &site["column"]),
        (&"expression".into(), &4.into())
    );
    assert_eq!(finding["outputs"][0]["file"], "expression");
    let shown = sandbox.show(&mut sandbox.lostbits(&[&["explain"], words.as_slice()].concat()));
    assert!(
        shown.contains("1 | (1 - cos(x)) / x^2\n  |    ^ "),
        "{shown}"
    );
    let clean = json(
        &sandbox,
        &["x * (y + 1)", "--range", "x=1:2", "--range", "y=1:2"],
    );
    assert_eq!(clean["clean"], true, "{clean:#}");
}

/// The user's names, and what rounds is called so.
#[test]
fn names_and_roundings() {
    let sandbox = Sandbox::new();
    let words = [
        "(angle - ((angle + 6755399441055744) - 6755399441055744) + 1e8) - 1e8",
        "--range",
        "angle=1:20",
        "--samples",
        "100",
    ];
    let report = json(&sandbox, &words);
    let finding = &report["findings"][0];
    assert_eq!(
        finding["expression"], "angle - rint(angle) + 100000000 - 100000000",
        "{report:#}"
    );
    assert_eq!(finding["variables"][0]["name"], "angle");
}

const CORES: &str = "\
(FPCore (x)
 :name \"roots\"
 :pre (<= 1 x 1e15)
 (- (sqrt (+ x 1)) (sqrt x)))
(FPCore (a b)
 :name \"fine\"
 :pre (and (<= 1 a 2) (<= 1 b 2))
 (+ (* a b) b))
(FPCore (n)
 :name \"steps\"
 :pre (== n 10)
 (while (< t n) ([t 0 (+ t 0.2)]) t))
";

/// Several cores in one file; places are lines of the file. What is written as FPCore is read again.
#[test]
fn a_file_of_cores() {
    let sandbox = Sandbox::new();
    sandbox.write("cores.fpcore", CORES);
    let report = json(&sandbox, &["cores.fpcore", "--samples", "50"]);
    let findings = report["findings"].as_array().unwrap();
    let places: Vec<(u64, &str)> = findings
        .iter()
        .map(|finding| &finding["location"])
        .map(|site| {
            (
                site["line"].as_u64().unwrap(),
                site["function"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(places, [(12, "steps"), (4, "roots")], "{report:#}");
    assert_eq!(findings[1]["expression"], "sqrt(x + 1) - sqrt(x)");
    assert_eq!(findings[0]["kind"], "accumulation");
    let words = [
        "explain",
        "--format",
        "fpcore",
        "cores.fpcore",
        "--samples",
        "50",
    ];
    let output = sandbox.lostbits(&words).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let cores = read_cores(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(cores.len(), 2, "{text}");
    assert!(cores.iter().all(|core| core.pre.is_some()), "{text}");
}

#[test]
fn a_call_of_a_library() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "m2.c",
        "#include <math.h>\ndouble f(double x, double y) { return sqrt(x * x + y) - x; }\n",
    );
    let build = "cc --lostbits-mode=explain -O2 -shared -fPIC m2.c -o libm2.so -lm";
    let words: Vec<&str> = build.split(' ').collect();
    sandbox.succeed(&mut sandbox.lostbits(&words));
    let report = json(
        &sandbox,
        &["--library", "libm2.so", "--call", "f(2.5, 1e-7)"],
    );
    let finding = &report["findings"][0];
    assert_eq!(finding["expression"], "sqrt(x * x + y) - x", "{report:#}");
    assert_eq!(finding["worst_input"]["x"], 2.5);
    let file = finding["outputs"][0]["file"].as_str().unwrap();
    assert!(file.ends_with("f(2.5, 1e-7)"), "{file}");
}

const LIBRARY: &str = "\
double f(double x, float y, long n) { return (x + 1e12) - 1e12 + y * n; }
double first(const double *list) { return list[0]; }
void nothing(double x) {}
";

/// Debug information says what a function takes; what does not fit is refused, not called.
#[test]
fn calls_that_do_not_fit_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("m2.c", LIBRARY);
    let build = "cc --lostbits-mode=explain -O1 -shared -fPIC m2.c -o libm2.so";
    let words: Vec<&str> = build.split(' ').collect();
    sandbox.succeed(&mut sandbox.lostbits(&words));
    let refusals = [
        ("f(2.5)", "takes 3 arguments, 1 given"),
        ("f(1, 2, 3, 4)", "takes 3 arguments, 4 given"),
        ("f(1, 2, 3.5)", "3.5 is not of type long"),
        ("first(2.5)", "`list` is not a number"),
        ("nothing(1)", "does not return a number"),
        ("firs(1)", "first"),
    ];
    for (call, advice) in refusals {
        let words = ["explain", "--library", "libm2.so", "--call", call];
        let shown = sandbox.show(&mut sandbox.lostbits(&words));
        assert!(
            shown.contains(advice) && shown.starts_with("exit 2"),
            "{call}: {shown}"
        );
    }
    let report = json(
        &sandbox,
        &["--library", "libm2.so", "--call", "f(0.3, 1, 0)"],
    );
    assert_eq!(report["findings"][0]["location"]["line"], 1, "{report:#}");
}

const TWO_PARTS: &str = "\
#include <math.h>
#include <stdlib.h>
#include \"lostbits.h\"
__attribute__((noinline)) void roots(double x) { lostbits_output(sqrt(x + 1) - sqrt(x)); }
__attribute__((noinline)) void cosine(double x) { lostbits_output(cos(x) - 1); }
int main(int argc, char **argv) {
    double x = atof(argv[1]);
    roots(x);
    cosine(1 / x);
}
";

/// Only a part of a run is analysed; and results can be marked with the header.
#[test]
fn parts_of_a_run() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", TWO_PARTS);
    let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../include");
    let lines = |options: &[&str]| -> Vec<u64> {
        let words = [options, &["x.c", include, "--", "1e8"]].concat();
        let report = json(&sandbox, &words);
        let rows = report["findings"].as_array().unwrap().iter();
        rows.map(|row| row["location"]["line"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(lines(&[]), [5, 4]);
    assert_eq!(lines(&["--start-at", "cosine"]), [5]);
    assert_eq!(lines(&["--stop-at", "cosine"]), [4]);
    assert_eq!(lines(&["--function", "roots"]), [4]);
    let words = ["explain", "--start-at", "sine", "x.c", include, "--", "1e8"];
    let shown = sandbox.show(&mut sandbox.lostbits(&words));
    assert!(shown.contains("was never entered"), "{shown}");
}
