//! Everything is read, and what cannot be read is refused at its place.

use lostbits::fpcore::{infix::read_infix, read_cores};

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
            "an FPCore reads",
        ),
        ("(FPCore (x) (let ([y 1 2]) y))", 1, 19, "a binding reads"),
        (
            "(FPCore (x) (while (< x 1) ([x x]) x))",
            1,
            29,
            "a loop variable reads",
        ),
        ("(FPCore (x) (if x 1 2))", 1, 17, "should be a truth value"),
        ("(FPCore (x) (+ 1 (< x 1)))", 1, 18, "should be a number"),
        ("(FPCore (x) (+ x 1.2.3))", 1, 18, "is no number"),
        ("(FPCore (x) (+ x 1e999999))", 1, 18, "out of reach"),
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
        ("(FPCore (1) 1)", 1, 10, "a variable reads"),
        ("(core (x) x)", 1, 2, "an FPCore is expected"),
        ("; nothing", 1, 1, "no FPCore"),
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
            .contains("deeply")
    );
}

#[test]
fn an_excerpt_has_its_caret_under_the_place() {
    let source = "1 + foo(x)";
    let error = read_infix(source).unwrap_err();
    assert_eq!(error.excerpt(source), "  1 + foo(x)\n      ^");
}
