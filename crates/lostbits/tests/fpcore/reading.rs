//! Everything is read, and what cannot be read is refused with its location.

use lostbits::fpcore::{
    c,
    evaluate::{Budget, Literals, Value, evaluate_machine, evaluate_real},
    infix::read_infix,
    read_cores, write,
};

use crate::collection::{cores, sources};

#[test]
fn every_core_is_read() {
    let cores = cores();
    assert!(cores.len() >= 18);
    let has_fpbench = sources().iter().any(|path| path.ends_with("rump.fpcore"));
    assert!(!has_fpbench || cores.len() >= 136 + 18);
}

#[test]
fn refusals_name_the_place_and_the_reason() {
    let cases = [
        (
            "(FPCore (x)\n  (+ x (foo x)))",
            2,
            9,
            "unknown operator `foo`",
        ),
        ("(FPCore (x) (+ x", 1, 13, "never closed"),
        ("(FPCore (x) x))", 1, 15, "closes nothing"),
        ("(FPCore (x) [+ x 1))", 1, 19, "cannot close"),
        ("(FPCore (x) :name \"a", 1, 19, "string never ends"),
        ("(FPCore (x) (sqrt x x))", 1, 14, "takes 1 operand, 2 given"),
        (
            "(FPCore (x) (- x x x))",
            1,
            14,
            "takes 1 or 2 operands, 3 given",
        ),
        ("(FPCore (x) (+ x y))", 1, 18, "`y` is not bound"),
        (
            "(FPCore (x) (let ([y 1]) (+ x y)) y)",
            1,
            1,
            "this is not an FPCore",
        ),
        (
            "(FPCore (x) (let ([y 1 2]) y))",
            1,
            19,
            "this is not a binding",
        ),
        (
            "(FPCore (x) (while (< x 1) ([x x]) x))",
            1,
            29,
            "this is not a loop variable",
        ),
        (
            "(FPCore (x) (if x 1 2))",
            1,
            17,
            "a condition is expected here",
        ),
        (
            "(FPCore (x) (+ 1 (< x 1)))",
            1,
            18,
            "a number is expected here",
        ),
        ("(FPCore (x) (+ x 1.2.3))", 1, 18, "is not a number"),
        ("(FPCore (x) (+ x 1e999999))", 1, 18, "out of range"),
        (
            "(FPCore (x) :precision binary17 x)",
            1,
            24,
            "unknown precision `binary17`",
        ),
        (
            "(FPCore (x) (! :round toZero (+ x 1)))",
            1,
            23,
            "only rounding to nearest",
        ),
        (
            "(FPCore (x) :pre (frobs x) x)",
            1,
            19,
            "unknown operator `frobs`",
        ),
        ("(FPCore (1) 1)", 1, 10, "this is not a variable"),
        ("(core (x) x)", 1, 2, "an FPCore is expected"),
        ("; nothing", 1, 1, "contains no FPCore"),
        ("(FPCore (x) :name)", 1, 13, "a property needs a value"),
    ];
    for (source, line, column, words) in cases {
        let error = read_cores(source).expect_err(source);
        assert_eq!(
            (error.at.line, error.at.column),
            (line, column),
            "{source}: {error}"
        );
        assert!(error.to_string().contains(words), "{source}: {error}");
    }
}

#[test]
fn hostile_nesting_is_refused() {
    let deep = format!(
        "(FPCore (x) {}x{})",
        "(sqrt ".repeat(100_000),
        ")".repeat(100_000)
    );
    assert!(
        read_cores(&deep)
            .unwrap_err()
            .to_string()
            .contains("more than 400 levels deep")
    );
}

/// A sum of many terms is a tree as deep as it is long.
#[test]
fn sums_of_many_terms_overflow_no_stack() {
    const TERMS: usize = 30_000;
    let one = [Value::Number(1.0)];
    let budget = Budget(1_000_000);
    let list = vec!["x"; TERMS].join(" ");
    for (core, expected) in [
        (read_infix(&vec!["x"; TERMS].join(" + ")).unwrap(), 30_000.0),
        (read_infix(&vec!["x"; TERMS].join(" * ")).unwrap(), 1.0),
        (
            read_infix("x - x + ".repeat(TERMS / 2).trim_end_matches(" + ")).unwrap(),
            0.0,
        ),
        (read_infix(&format!("{}x", "-".repeat(TERMS))).unwrap(), 1.0),
        (
            read_cores(&format!("(FPCore (x) (+ {list}))"))
                .unwrap()
                .remove(0),
            30_000.0,
        ),
    ] {
        let computed = evaluate_machine(&core, &one, budget).unwrap();
        assert_eq!(computed.number().unwrap().to_f64(), expected);
        let exact = evaluate_real(&core, &one, Literals::Exact, budget).unwrap();
        assert_eq!(exact.number().unwrap(), expected);
        assert_eq!(core.clone(), core);
        let lines = c::function(&core, Some("f")).unwrap().text.lines().count();
        assert!((TERMS..TERMS + 10).contains(&lines), "{lines}");
        assert!(write::core(&core).len() > 2 * TERMS);
    }
    let sum = read_infix(&vec!["x"; TERMS].join(" + ")).unwrap();
    let written = write::core(&sum);
    let again = read_cores(&written).unwrap().remove(0);
    assert_eq!(write::core(&again), written);
}

#[test]
fn an_excerpt_has_its_caret_under_the_place() {
    let source = "1 + foo(x)";
    let error = read_infix(source).unwrap_err();
    assert_eq!(error.excerpt(source), "  1 + foo(x)\n      ^");
}
