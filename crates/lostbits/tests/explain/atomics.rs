//! Numbers that threads share in atomic variables, as OpenMP's reductions do.

use crate::built::at_every_level;

/// The real sum is 4 * 4950 * 1e-5; if shadows got lost on the way, it would be less.
const REAL: f64 = 0.198;

#[test]
fn sums_of_several_threads() {
    for program in at_every_level("atomics.c", "-pthread") {
        for way in ["fetch", "exchange"] {
            let reached = format!("REACHED {way}");
            let finding = program.is_found(&format!("{way} 1e-5"), "CAUSE", &reached);
            let real = finding["outputs"][0]["exact"][0]
                .as_f64()
                .expect("a number");
            assert!((real / REAL - 1.0).abs() < 1e-9, "{finding:#}");
        }
    }
}
