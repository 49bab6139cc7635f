//! Outputs are judged by the digits that are printed: bits that are lost behind the last digit are counted, and no finding.

use serde_json::Value;

use crate::{
    built::{Built, at_every_level, in_every_way},
    sandbox::Sandbox,
    subjects::subject,
};

/// The error is not printed.
fn is_hidden(program: &Built, arguments: &str) {
    program.is_clean(arguments);
    let report = program.explain(arguments);
    assert_eq!(report["clean"], true, "{arguments}: {report:#}");
    assert_eq!(
        report["outputs_with_unprinted_errors"], 1,
        "{arguments}: {report:#}"
    );
    let text = program.explain_as("terminal", arguments);
    assert!(
        text.contains("1 output lost more than 5 bits in its last printed digit or behind it"),
        "{arguments}: {text}"
    );
}

/// The error is printed: how many of the printed digits are right.
fn is_printed(program: &Built, arguments: &str, right: u64, of: u64) -> Value {
    let how = arguments.split(' ').next().expect("a word");
    let finding = program.is_found(arguments, "CAUSE", &format!("REACHED {how}"));
    let printed = finding["outputs"][0]["printed"].clone();
    let digits = (&printed["right_digits"], &printed["digits"]);
    assert_eq!(
        digits,
        (&right.into(), &of.into()),
        "{arguments}: {finding:#}"
    );
    printed
}

fn as_printed<'a>(programs: Vec<Built<'a>>) -> impl Iterator<Item = Built<'a>> {
    programs.into_iter().map(Built::judged_as_printed)
}

/// √(10¹² + 1) − √10¹² is 4.99999999999875e-07; the program computes 5.00003807246685e-07.
#[test]
fn in_c() {
    for program in as_printed(in_every_way("printed.c", "")) {
        for how in [
            "default 1e12",
            "fixed 1e12",
            "scientific 1e12",
            "star 1e12 4",
            "list 1e12 4",
            "variable 1e12 0 %.9f",
            "text 1e12",
        ] {
            is_hidden(&program, how);
        }
        let printed = is_printed(&program, "star 1e12 7", 5, 7);
        assert_eq!(printed["text"], "5.000038e-07");
        assert_eq!(printed["exact"], "5e-07");
        let printed = is_printed(&program, "star 1e12 15", 5, 15);
        assert_eq!(printed["exact"], "4.99999999999875e-07");
        is_printed(&program, "list 1e12 14", 5, 8);
        is_hidden(&program, "variable 1e12 0 %.12f");
        is_printed(&program, "variable 1e12 0 %.13f", 5, 7);
        let finding = program.is_found("hexadecimal 1e12", "CAUSE", "REACHED hexadecimal");
        assert_eq!(finding["outputs"][0]["printed"], Value::Null);
    }
    for program in as_printed(at_every_level("printed.c", "")) {
        is_hidden(&program, "long 1e12 4");
        is_printed(&program, "long 1e12 12", 5, 12);
    }
}

#[test]
fn in_cpp() {
    for program in as_printed(in_every_way("printed.cpp", "")) {
        for how in [
            "default 1e12",
            "precision 1e12 4",
            "fixed 1e12 4",
            "scientific 1e12 3",
            "complex 1e12 4",
            "to_string 1e12",
            "to_chars 1e12 5",
        ] {
            is_hidden(&program, how);
        }
        is_printed(&program, "precision 1e12 12", 5, 12);
        is_printed(&program, "fixed 1e12 14", 5, 8);
        is_printed(&program, "scientific 1e12 8", 5, 9);
        is_printed(&program, "complex 1e12 12", 5, 12);
        is_printed(&program, "to_chars 1e12 15", 5, 9);
        is_printed(&program, "shortest 1e12", 5, 15);
    }
}

#[test]
fn in_fortran() {
    for program in as_printed(in_every_way("printed.f90", "")) {
        for how in [
            "fixed 1e12",
            "general 1e12",
            "array 1e12",
            "loop 1e12",
            "text 1e12",
            "variable 1e12 (F12.3)",
        ] {
            is_hidden(&program, how);
        }
        is_printed(&program, "many 1e12", 5, 7);
        is_printed(&program, "long-array 1e12", 5, 13);
        is_printed(&program, "variable 1e12 (F19.14)", 5, 8);
        let printed = is_printed(&program, "list 1e12", 5, 15);
        assert_eq!(printed["text"], "5.00003807246685e-7");
        // The same number twice in a statement, once with few digits.
        is_printed(&program, "mixed 1e12", 5, 15);
        let report = program.explain("mixed 1e12");
        assert_eq!(report["outputs_with_unprinted_errors"], 1, "{report:#}");
    }
}

#[test]
fn in_rust() {
    for program in as_printed(in_every_way("printed.rs", "")) {
        for how in [
            "fixed 1e12",
            "scientific 1e12",
            "debug 1e12",
            "structure 1e12",
            "vector 1e12",
            "money 1e12",
            "text 1e12",
        ] {
            is_hidden(&program, how);
        }
        is_printed(&program, "many 1e12", 5, 7);
        is_printed(&program, "twice 1e12", 5, 8);
        is_printed(&program, "shortest 1e12", 5, 15);
        is_printed(&program, "shown 1e12", 5, 15);
        program.is_found("argument 1e12 14", "CAUSE", "REACHED argument");
    }
}

/// Without optimisation, the digits are not found, and lost bits decide.
#[test]
fn a_precision_that_an_argument_gives_in_rust() {
    let programs: Vec<Built> = as_printed(at_every_level("printed.rs", "")).collect();
    let optimised = programs.last().expect("there is a level");
    is_hidden(optimised, "argument 1e12 4");
    is_printed(optimised, "argument 1e12 14", 5, 8);
}

/// A program of C, built once.
struct Program(Sandbox);

impl Program {
    fn new(source: &str) -> Program {
        let sandbox = Sandbox::new();
        let mut command =
            sandbox.lostbits(&["cc", "--lostbits-mode=explain", "-O2", "-o", "program"]);
        let output = command.arg(subject(source)).arg("-lm").output();
        assert!(output.expect("it starts").status.success());
        Program(sandbox)
    }

    fn explain(&self, options: &[&str], arguments: &[&str]) -> Value {
        let Program(sandbox) = self;
        let mut command = sandbox.lostbits(&["explain", "--format", "json", "--report", "report"]);
        command
            .args(options)
            .args(["./program", "--"])
            .args(arguments);
        let output = command.output().expect("it starts");
        let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
        let code = if report["clean"] == true { 0 } else { 1 };
        assert_eq!(
            output.status.code(),
            Some(code),
            "{options:?} {arguments:?}"
        );
        report
    }
}

/// The text is that of exact arithmetic, though bits are lost.
#[test]
fn five_bodies_with_nine_places() {
    let program = Program::new("nbody.c");
    let few = program.explain(&[], &["20000", "9"]);
    assert_eq!(few["clean"], true, "{few:#}");
    assert_eq!(few["outputs_with_unprinted_errors"], 1, "{few:#}");
    let many = program.explain(&[], &["20000", "16"]);
    assert_eq!(many["clean"], false, "{many:#}");
    assert_eq!(many["outputs_with_unprinted_errors"], 0, "{many:#}");
}

/// The user's thresholds.
#[test]
fn thresholds() {
    let program = Program::new("printed.c");
    let clean =
        |options: &[&str], how: &str| program.explain(options, &[how, "1e12"])["clean"].clone();
    // Five of six digits are right: the last may be wrong.
    assert_eq!(clean(&[], "default"), true);
    assert_eq!(clean(&["--min-digits", "5"], "default"), true);
    assert_eq!(clean(&["--min-digits", "6"], "default"), false);
    // Lost bits that are not printed.
    assert_eq!(clean(&[], "fixed"), true);
    assert_eq!(clean(&["--min-output-bits", "5"], "fixed"), false);
    assert_eq!(clean(&["--min-output-bits", "50"], "default"), true);
    // Either is enough.
    let both = ["--min-output-bits", "50", "--min-digits", "6"];
    assert_eq!(clean(&both, "default"), false);
    assert_eq!(clean(&both, "fixed"), true);
}
