//! What the benches compare with: a program that tracks approximate errors in the place of tags decides as it did, and
//! says so where these errors could change a decision.

use crate::{sandbox::Sandbox, subjects::subject};

const APPROXIMATE_ENV: &str = "LOSTBITS_WATCH_APPROXIMATE";

/// The exit code of watching `source` with the baseline in the place of mode `watch`.
fn exit_code(source: &str, level: &str, arguments: &str) -> Option<i32> {
    let sandbox = Sandbox::new();
    let mut command = sandbox.lostbits(&["watch", "--report", "report"]);
    command.env(APPROXIMATE_ENV, "1").arg(subject(source));
    command
        .arg(level)
        .arg("--")
        .args(arguments.split_whitespace());
    command.output().expect("it starts").status.code()
}

/// Each with an input on which nothing can change, and one on which something can: in double and float, of sums,
/// products and quotients, through memory and calls, in vectors, by comparisons and by conversions.
#[test]
fn approximate_errors_reach_decisions() {
    let subjects = [
        ("poly_double.c", "1.5", "1.8408964152537155"),
        ("poly_float.c", "1.5", "1.8408962488174438"),
        ("cents.c", "0.125", "0.29"),
        // Inputs are taken for exact; so the small difference is far from every jump, and the large one next to one.
        ("steps.c", "1.0 1.000000000000003", "0.1 0.7"),
        ("votes.c", "0.5", "4e-16"),
    ];
    for (source, stable, unstable) in subjects {
        for level in ["-O0", "-O2"] {
            let codes = [stable, unstable].map(|input| exit_code(source, level, input));
            assert_eq!(codes, [Some(0), Some(1)], "{source} {level}");
        }
    }
}
