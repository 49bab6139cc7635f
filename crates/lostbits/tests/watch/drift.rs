//! Loops that step towards a limit: those that run too often or too rarely because of rounding are flagged, others are not.

use crate::sandbox::Sandbox;

const LOOPS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double dt = atof(words[2]), limit = atof(words[3]), t;
    int n = 0;
    switch (*words[1]) {
    case '<': for (t = 0; t < limit; t += dt) n++; break;
    case '=': for (t = 0; t <= limit; t += dt) n++; break;
    case '>': for (t = limit; t > 0; t -= dt) n++; break;
    case 'f': { float s = 0, step = dt, end = limit; while (s < end) { s += step; n++; } break; }
    case 'i': n = (int)dt; break;
    }
    printf("%d\n", n);
}
"#;

/// What is printed, and whether a decision is flagged.
fn watched(sandbox: &Sandbox, program: &str, words: &[&str]) -> (String, bool) {
    let path = sandbox.path(program);
    let words = [&["watch", path.to_str().unwrap(), "--"], words].concat();
    let output = sandbox.lostbits(&words).output().expect("it starts");
    let printed = String::from_utf8(output.stdout).unwrap();
    (printed.trim().to_owned(), output.status.code() == Some(1))
}

/// The steps, as exact arithmetic on the doubles of dt and limit counts them, beside those of the program.
#[test]
fn a_loop_is_flagged_if_it_runs_too_often_or_too_rarely() {
    let sandbox = Sandbox::new();
    sandbox.write("loops.c", LOOPS);
    for level in ["-O0", "-O2"] {
        let built = sandbox.lostbits(&[
            "cc",
            "--lostbits-mode=watch",
            "loops.c",
            level,
            "-o",
            "loops",
        ]);
        assert!({ built }.status().unwrap().success());
        let check = |words: &[&str], steps: &str, is_wrong: bool| {
            let (printed, is_flagged) = watched(&sandbox, "loops", words);
            assert_eq!(
                (printed.as_str(), is_flagged),
                (steps, is_wrong),
                "{words:?} {level}"
            );
        };
        // Once too often: the sum of the steps is just below the limit, and would be above.
        check(&["<", "0.1", "1"], "11", true);
        check(&["<", "0.003", "1.5"], "501", true);
        check(&[">", "0.003", "1.5"], "501", true);
        check(&["=", "0.003", "1.5"], "501", true);
        check(&["f", "0.1", "1000"], "10001", true);
        check(&["f", "0.01", "10"], "1000", true);
        // As often as in exact arithmetic, though values come near the limit.
        check(&["<", "0.001", "1"], "1000", false);
        check(&["=", "0.1", "0.3"], "3", false);
        check(&["<", "0.02", "2"], "100", false);
        check(&["<", "0.06", "6"], "101", false);
        check(&["<", "0.125", "1000"], "8000", false);
        check(&[">", "0.25", "3"], "12", false);
        check(&["=", "0.02", "2"], "100", false);
        // Inputs are exact.
        check(&["i", "3", "0"], "3", false);
        check(&["i", "2.9999999999999996", "0"], "2", false);
    }
}
