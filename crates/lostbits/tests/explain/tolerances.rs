//! Comparisons that ask about rounding itself are excused and counted; tolerances that only became small are not.

use crate::built::{Built, in_every_way};

fn is_excused(program: &Built, arguments: &str, times: u64) {
    program.is_clean(arguments);
    let report = program.explain(arguments);
    assert_eq!(report["excused_decisions"], times, "{arguments} {report:#}");
}

#[test]
fn machine_epsilons_and_series() {
    for program in in_every_way("tolerances.c", "") {
        for way in ["epsilon 0.5", "epsilon-of 0.5", "series 1.5"] {
            is_excused(&program, way, 1);
        }
    }
}

#[test]
fn bounds_of_errors_are_made_of_what_they_bound() {
    for program in in_every_way("tolerances.c", "") {
        let numbers = "4 3 1.3333333333333335";
        is_excused(&program, &format!("filtered {numbers}"), 1);
        program.is_found(&format!("tolerance {numbers}"), "TOLERANCE", "TOLERANCE");
        program.is_found(&format!("scaled {numbers}"), "SCALED", "SCALED");
    }
}
