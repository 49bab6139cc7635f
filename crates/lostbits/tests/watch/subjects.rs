//! The subject programs of `tests/watch`: what is reported is what their lines are marked with.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Output,
};

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
type Lines = BTreeSet<(String, u64)>;

pub fn subject(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/watch")
        .join(name)
}

impl Run<'_> {
    fn watch(&self, options: &[&str]) -> (Output, Value) {
        let (output, report) = self.report(options);
        let errors = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{self}: {code:?}\n{errors}");
        assert_eq!(report["stable"], code == Some(0), "{self}");
        (output, report)
    }

    fn report(&self, options: &[&str]) -> (Output, Value) {
        let sandbox = Sandbox::new();
        let mut command = sandbox.lostbits(&["watch", "--format", "json", "--report", "report"]);
        command.args(options);
        command.args(self.sources.iter().map(|name| subject(name)));
        command.args(self.options.split_whitespace()).arg("--");
        command.args(self.arguments.split_whitespace());
        let output = command.output().expect("it starts");
        let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
        (output, report)
    }

    fn marked(&self, mark: &str) -> Lines {
        let of_file = |name: &&str| {
            let text = fs::read_to_string(subject(name)).expect(name);
            let lines: Vec<u64> = (1..)
                .zip(text.lines())
                .filter(|(_, line)| line.contains(mark))
                .map(|(number, _)| number)
                .collect();
            lines
                .into_iter()
                .map(|line| ((*name).to_owned(), line))
                .collect::<Lines>()
        };
        self.sources.iter().flat_map(of_file).collect()
    }

    fn is_stable(&self) {
        let (_, report) = self.watch(&[]);
        assert_eq!(
            lines(&report["findings"]),
            Lines::new(),
            "{self}: {report:#}"
        );
    }

    fn is_unstable(&self) {
        let (_, report) = self.watch(&[]);
        assert_eq!(
            lines(&report["findings"]),
            self.marked("UNSTABLE"),
            "{self}: {report:#}"
        );
        let rows = report["findings"].as_array().unwrap();
        let origins: Lines = rows.iter().flat_map(|row| lines(&row["origins"])).collect();
        assert_eq!(origins, self.marked("ORIGIN"), "{self}: {report:#}");
    }
}

impl std::fmt::Display for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Run {
            sources,
            options,
            arguments,
        } = self;
        write!(
            formatter,
            "watch {} {options} -- {arguments}",
            sources.join(" ")
        )
    }
}

/// The places of a list in the report.
fn lines(list: &Value) -> Lines {
    let rows = list.as_array().expect("a list").iter();
    rows.map(|row| {
        let file = Path::new(row["file"].as_str().unwrap());
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        (name.into_owned(), row["line"].as_u64().unwrap())
    })
    .collect()
}

const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// Stable with the first argument lines, unstable with the second, at every level.
fn pair(sources: &[&str], levels: &[&str], stable: &[&str], unstable: &[&str]) {
    let run = |options, arguments| Run {
        sources,
        options,
        arguments,
    };
    for level in levels {
        stable.iter().for_each(|line| run(level, line).is_stable());
        unstable
            .iter()
            .for_each(|line| run(level, line).is_unstable());
    }
}

/// Here the programs decide otherwise than exact arithmetic with the same input does.
const WRONG_IN_FLOAT: &str = "1.8408962488174438";
const WRONG_IN_DOUBLE: &str = "1.8408964152537155";

#[test]
fn poly_in_float() {
    pair(
        &["poly_float.c"],
        &LEVELS,
        &["1.5", "1.001", "0"],
        &[WRONG_IN_FLOAT],
    );
}

#[test]
fn poly_in_double() {
    let unstable = ["1.8408964152537146", WRONG_IN_DOUBLE];
    pair(
        &["poly_double.c"],
        &LEVELS,
        &["1.5", "1.0000001", "1.84089642"],
        &unstable,
    );
}

#[test]
fn poly_factored() {
    pair(
        &["poly_factored.c"],
        &LEVELS,
        &["1.5", "1.0000001"],
        &["1.8408964152537146"],
    );
}

#[test]
fn poly_in_fortran() {
    pair(&["poly.f90"], &LEVELS, &["1.5"], &["1.8408964152537146"]);
}

/// Both executions of the paper's Table 2.
#[test]
fn determinant() {
    pair(&["determinant.c"], &LEVELS, &["1 1"], &["2 1"]);
}

#[test]
fn conversion_to_an_integer() {
    pair(&["cents.c"], &LEVELS, &["0.125"], &["0.29"]);
}

#[test]
fn rounding_to_the_nearest() {
    pair(
        &["halves.c"],
        &LEVELS,
        &["4", "7"],
        &["7.5", "4.4999999999999991"],
    );
}

/// Roundings by a constant, and digits: recognised in optimised code.
#[test]
fn code_written_for_its_precision() {
    pair(&["digits.c"], &["-O2"], &["1", "1048577"], &["6e14"]);
}

/// The first whole number and the first half.
#[test]
fn jumps_up_to_one() {
    pair(
        &["cents.c"],
        &LEVELS,
        &["0.0025"],
        &["0.009999999999999998"],
    );
    pair(&["halves.c"], &LEVELS, &["1"], &["1.4999999999999998"]);
}

#[test]
fn rounding_of_a_cancelled_value() {
    pair(
        &["steps.c"],
        &LEVELS,
        &["0.1 0.7"],
        &["1.0 1.000000000000003"],
    );
}

#[test]
fn conversion_in_rust() {
    let levels = ["-Copt-level=0", "-Copt-level=2"];
    pair(
        &["grid.rs"],
        &levels,
        &["2.6 1 0.5"],
        &["1.000000000000002 1 1e-15"],
    );
}

#[test]
fn functions_that_are_intrinsics() {
    let levels = ["-O0 -fno-math-errno -lm", "-O2 -fno-math-errno -lm"];
    pair(&["phase.c"], &levels, &["3"], &["1e300"]);
}

#[test]
fn a_sign_in_cpp() {
    pair(
        &["roots.cpp"],
        &LEVELS,
        &["1 2 0.3", "1 2 3"],
        &["1 2.2 1.21"],
    );
}

#[test]
fn comparisons_in_vectors() {
    pair(
        &["votes.c"],
        &["-O0", "-O2", "-O3 -mavx2"],
        &["0.5"],
        &["4e-16"],
    );
}

#[test]
fn from_one_module_to_another() {
    let sources = ["parts_difference.c", "parts_decision.c"];
    pair(&sources, &LEVELS, &["1.5 1.25"], &["1.0000000000000002 1"]);
}

#[test]
fn sums_decide_nothing() {
    for options in LEVELS {
        let run = Run {
            sources: &["sums.c"],
            options,
            arguments: "0.1",
        };
        let (output, report) = run.report(&[]);
        assert_eq!(output.status.code(), Some(3), "{run}");
        assert_eq!(report["verdict"], "nothing judged", "{run}");
    }
}

/// Picking one of two nearly equal values is no finding, but it is counted.
fn is_suppressed(options: &str) {
    let run = Run {
        sources: &["largest.c"],
        options,
        arguments: "2 2.0000000000000004 1",
    };
    let (_, report) = run.watch(&[]);
    assert_eq!(
        lines(&report["findings"]),
        Lines::new(),
        "{run}: {report:#}"
    );
    let suppressed = report["suppressed"].as_array().unwrap();
    assert_eq!(suppressed.len(), 1, "{run}: {report:#}");
    assert_eq!(suppressed[0]["executions"], 1, "{run}: {report:#}");
}

#[test]
fn picking_a_value_is_suppressed() {
    is_suppressed("-O0");
    is_suppressed("-O2");
}

/// Between 1.84089641525 and the root about 37 bits of the comparison cancel.
#[test]
fn thresholds_take_effect_without_compiling_again() {
    let sandbox = Sandbox::new();
    let source = subject("poly_double.c").display().to_string();
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "--lostbits-mode=watch", &source, "-o", "poly"]));
    let exits = |options: &[&str]| {
        let mut command = sandbox.lostbits(&["watch", "--report", "report"]);
        let status = command
            .args(options)
            .args(["./poly", "1.84089641525"])
            .output();
        status.unwrap().status.code()
    };
    assert_eq!(exits(&[]), Some(0));
    assert_eq!(exits(&["--tau-c", "40"]), Some(0));
    assert_eq!(exits(&["--tau-c", "32"]), Some(1));
}

#[test]
fn the_programs_output_and_exit_are_its_own() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <stdio.h>\nint main(int argc, char **argv) {\n    double x = argc;\n    \
         fputs(\"to errors\\n\", stderr);\n    puts(argv[1]);\n    return x > 1 ? 3 : 4;\n}\n",
    );
    let shown = sandbox.show(&mut sandbox.lostbits(&["watch", "x.c", "--", "-o"]));
    insta::assert_snapshot!(shown);
    let json = sandbox
        .lostbits(&["watch", "--format", "json", "x.c", "--", "-o"])
        .output();
    let errors = String::from_utf8(json.unwrap().stderr).unwrap();
    let last: Value = serde_json::from_str(errors.lines().last().unwrap()).expect("JSON");
    assert_eq!(last["program"]["exit_code"], 3);
    assert_eq!(last["thresholds"]["double"]["tau_c"], 48);
}

#[test]
fn compilers_speak_for_themselves() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", "int main(void) { return y; }\n");
    let shown = sandbox.show(&mut sandbox.lostbits(&["watch", "x.c"]));
    assert!(shown.starts_with("exit 2\n"), "{shown}");
    assert!(
        shown.contains("x.c:1:25: error: use of undeclared identifier 'y'"),
        "{shown}"
    );
    assert!(shown.contains("clang-22 failed"), "{shown}");
    let shown = sandbox.show(&mut sandbox.lostbits(&["watch", "x.c", "-fsyntax-only", "-Dy=0"]));
    assert!(shown.contains("clang-22 produced no program"), "{shown}");
}

/// The record can be kept; its report is the same again.
#[test]
fn records_can_be_saved() {
    let sandbox = Sandbox::new();
    let source = subject("poly_factored.c").display().to_string();
    let x = "1.8408964152537146";
    let watched = sandbox
        .lostbits(&["watch", "-o", "kept", &source, "--", x])
        .output()
        .unwrap();
    let again = sandbox.lostbits(&["report", "kept"]).output().unwrap();
    assert_eq!(
        (watched.status.code(), again.status.code()),
        (Some(1), Some(1))
    );
    let report = String::from_utf8(again.stdout).unwrap();
    assert_eq!(String::from_utf8(watched.stderr).unwrap(), report);
    assert!(report.contains("poly_factored.c:8:11"), "{report}");
}

/// The way of an error, from the line that inflated it to the line that decides.
#[test]
fn through_memory_and_functions() {
    for options in ["-O0", "-O2"] {
        let run = Run {
            sources: &["through.c"],
            options,
            arguments: "0.1",
        };
        let (_, report) = run.watch(&["--way"]);
        let unstable = report["findings"].as_array().unwrap();
        assert_eq!(unstable.len(), 1, "{run}: {report:#}");
        let way = lines(&unstable[0]["error_path"]);
        let marks = ["ORIGIN", "WAY", "UNSTABLE"];
        let expected: Lines = marks.iter().flat_map(|mark| run.marked(mark)).collect();
        assert_eq!(way, expected, "{run}: {report:#}");
    }
}

/// The runtime looks whether memory still holds tags, many times before these values decide.
#[test]
fn tags_in_memory_outlast_harmless_work() {
    for place in ["static", "heap", "packed", "copied", "float", "stack"] {
        let run = Run {
            sources: &["remembered.c"],
            options: "-O2",
            arguments: place,
        };
        let (_, report) = run.watch(&[]);
        assert_eq!(report["stable"], false, "{run}");
    }
}
