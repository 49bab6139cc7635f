//! Functions of the program's own that are one operation, by `lostbits.toml`.

use crate::{built::in_every_way, sandbox::Sandbox, subjects::computes};

/// Nothing inside is blamed; the reference's result is the real one, at whatever precision it is given.
#[test]
fn functions_with_references() {
    for program in in_every_way("wrapped.c", "") {
        let quick = program.is_found("quick 1 2.5 0.1", "CAUSE quick", "REACHED");
        computes(&quick, &["quick_exp(x / 3)"]);
        assert_eq!(quick["operation"], "quick_exp");
        // An error of the argument goes on through the reference.
        let part = program.is_found("part 1 2.5 0.1", "CAUSE part", "REACHED");
        computes(
            &part,
            &["part(1000000000 * x / 3)", "part(x * 1000000000 / 3)"],
        );
        program.is_clean("sinus 1 2.5 0.1");
    }
}

#[test]
fn without_a_reference_the_result_is_exact() {
    for program in in_every_way("wrapped.c", "") {
        program.is_clean("measured 1 2.5 0.1");
    }
}

#[test]
fn in_rust() {
    for program in in_every_way("wrapped.rs", "") {
        let finding = program.is_found("1e-9 1e-7", "CAUSE", "REACHED");
        computes(&finding, &["rough_log1p(x * 3)"]);
    }
}

#[test]
fn in_fortran() {
    for program in in_every_way("wrapped.f90", "") {
        let finding = program.is_found("1 2.5 0.1", "CAUSE", "REACHED");
        computes(&finding, &["rough_exp(x / 3)"]);
    }
}

/// A function that is never called is reported, since its name may be wrong; a reference that is not there is a failure.
#[test]
fn misspelt_names() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "f.c",
        "#include <stdio.h>\n\
         __attribute__((noinline)) double f(double x) { return (x + 1e16) - 1e16; }\n\
         int main(int n, char **v) { printf(\"%g\\n\", f(n / 3.0)); }\n",
    );
    sandbox.write("lostbits.toml", "[[wrap]]\nfunction = 'ff'\n");
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "f.c"]));
    assert!(shown.starts_with("exit 1"), "{shown}");
    assert!(
        shown.contains("`ff` from lostbits.toml, which no instrumented code calls"),
        "{shown}"
    );
    sandbox.write("lostbits.toml", "[[wrap]]\nfunction = 'f'\n");
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "f.c"]));
    assert!(shown.starts_with("exit 0"), "{shown}");
    assert!(!shown.contains("lostbits.toml"), "{shown}");
    sandbox.write(
        "lostbits.toml",
        "[[wrap]]\nfunction = 'f'\nreference = 'g'\n",
    );
    let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "f.c"]));
    assert!(shown.starts_with("exit 2"), "{shown}");
    assert!(
        shown.contains("must be a function of the program: `g`"),
        "{shown}"
    );
}

#[test]
fn mistakes_in_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "f.c",
        "double f(double x) { return x; } double g(double x, double y) { return x + y; }\n\
         int main(int n, char **v) { return f(n) > 2; }\n",
    );
    for (text, problem) in [
        (
            "[[wrap]]\nfunction = 'f'\nreference = 'g'\n",
            "must have the same parameters and result",
        ),
        (
            "[[wrap]]\nfunction = 'a::f'\n",
            "is not the name of a function",
        ),
        ("[[wrap]]\nreference = 'g'\n", "function"),
    ] {
        sandbox.write("lostbits.toml", text);
        let shown = sandbox.show(&mut sandbox.lostbits(&["explain", "f.c"]));
        assert!(shown.starts_with("exit 2"), "{shown}");
        assert!(shown.contains(problem), "{shown}");
    }
}
