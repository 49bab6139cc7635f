//! What experts write: roundings by large constants, bits changed as integers, errors caught and added back. Clean,
//! each beside a twin that is not.

use crate::subjects::{LEVELS, Run, clean, found};

/// At every level, and with one more option of the compiler's.
fn each(options: &str, judge: impl Fn(&str)) {
    for level in LEVELS {
        judge(&format!("{level} -lm {options}"));
    }
}

#[test]
fn rounding_by_a_large_constant() {
    let numbers = "1 2.5 7.3 100";
    for how in ["nearest", "positive", "float", "part", "bits", "reduced"] {
        clean(&["rounding.c"], &LEVELS, &format!("{how} {numbers}"));
    }
    found(&["rounding.c"], &LEVELS, &format!("naive {numbers}"));
}

/// Through signs and exponents that are changed as integers, errors are followed.
#[test]
fn bits_of_numbers() {
    for how in ["negated", "magnitude", "scaled", "factor", "fraction"] {
        clean(&["bits.c"], &LEVELS, &format!("{how} 2 1"));
        found(&["bits.c"], &LEVELS, &format!("{how} 2.0000000001 2"));
    }
    for how in ["float", "float-root", "squares"] {
        clean(&["bits.c"], &LEVELS, &format!("{how} 2 1"));
    }
}

#[test]
fn double_double_arithmetic() {
    let numbers = "3.1 123456.7 0.3";
    for how in ["dekker", "fused", "both", "parts"] {
        clean(&["twofold.c"], &LEVELS, &format!("{how} {numbers}"));
    }
    found(&["twofold.c"], &LEVELS, &format!("naive {numbers}"));
}

/// All stages are reached; comparisons with bounds of errors are not blamed.
#[test]
fn adaptive_predicates() {
    let near = "0.5 0.5 12 12 24 24";
    clean(&["adaptive.c"], &LEVELS, &format!("adaptive {near}"));
    found(&["adaptive.c"], &LEVELS, &format!("naive {near}"));
    let nearer =
        "0.5 0.5 17.300000000000001 17.300000000000001 24.00000000000005 24.0000000000000517765";
    clean(&["adaptive.c"], &LEVELS, &format!("adaptive {nearer}"));
}

#[test]
fn accurate_sums_products_and_polynomials() {
    for real in ["", "-DREAL=float"] {
        for how in [
            "dot 1000 0",
            "pairwise 1000 0",
            "slices 1000 0",
            "polynomial 10 1.2",
        ] {
            each(real, |options| subject(how, options).is_clean());
        }
        for (how, mark) in [
            ("dot 1000 0", "CAUSE dot"),
            ("polynomial 10 1.2", "CAUSE polynomial"),
        ] {
            let arguments = format!("naive-{how}");
            each(real, |options| {
                subject(&arguments, options).is_found_as(mark);
            });
        }
    }
}

fn subject<'a>(arguments: &'a str, options: &'a str) -> Run<'a> {
    Run {
        sources: &["accurate.c"],
        options,
        arguments,
    }
}
