//! What the benches compare with: programs that track approximate errors in the place of tags, and say where these could
//! change a decision; and programs that only report cancellation.

use serde_json::Value;

use crate::{sandbox::Sandbox, subjects::subject};

const APPROXIMATE_ENV: &str = "LOSTBITS_WATCH_APPROXIMATE";
const CANCELLATION_ENV: &str = "LOSTBITS_WATCH_CANCELLATION_ONLY";

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

/// Where nothing is carried no decision is judged, but what cancels is counted as ever.
#[test]
fn cancellation_alone_is_counted() {
    for level in ["-O0", "-O2"] {
        let [watched, alone] = [None, Some(CANCELLATION_ENV)].map(|baseline| {
            let sandbox = Sandbox::new();
            let mut command =
                sandbox.lostbits(&["watch", "--format", "json", "--report", "report"]);
            command.envs(baseline.map(|variable| (variable, "1")));
            command
                .arg(subject("determinant.c"))
                .args([level, "--", "2", "1"]);
            let code = command.output().expect("it starts").status.code();
            let report: Value = serde_json::from_str(&sandbox.read("report")).expect("JSON");
            (code, report["amplifying_sites"].as_u64())
        });
        assert_eq!(watched, (Some(1), alone.1), "{level}");
        assert_eq!(alone.0, Some(0), "{level}");
        assert!(alone.1 > Some(0), "{level}");
    }
}
