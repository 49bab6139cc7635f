//! Magnitudes and signs where the real value and the program's lie on different sides of zero.

use crate::built::in_every_way;

#[test]
fn of_real_values_with_another_sign() {
    for program in in_every_way("magnitudes.c", "") {
        let program = program.judging_zeros();
        for (way, cause, expected) in [
            ("fabs", "CAUSE double", 3.0 * 9.99e-18),
            ("single", "CAUSE float", 9.99e-18),
            ("size", "CAUSE double", 9.99e-18),
            ("sign", "CAUSE double", -1e-17),
        ] {
            let reached = format!("REACHED {way}");
            let finding = program.is_found(&format!("{way} 1e-17"), cause, &reached);
            let real = finding["outputs"][0]["exact"][0].as_f64();
            let distance = real.expect("a number") / expected - 1.0;
            assert!(distance.abs() < 1e-6, "{way}: {finding:#}");
        }
    }
}
