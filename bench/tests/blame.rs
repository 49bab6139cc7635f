//! The truth of `make bench-blame` where it can be derived by hand, for each language.

use std::path::PathBuf;

use lostbits_bench::{
    blame::{
        program::programs,
        truth::{self, Truth},
    },
    tools,
};

fn truth_of(file: &str) -> Truth {
    let all = programs(&tools::repository().join("bench/blame/programs")).unwrap();
    let program = all
        .iter()
        .find(|program| program.file_name() == file)
        .unwrap();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(file);
    // Established anew, not read.
    let _ = std::fs::remove_file(folder.join("truth.json"));
    truth::of(program, &folder).unwrap_or_else(|reason| panic!("{file}: {reason}"))
}

/// Lines that make at least 20 % by their own rounding errors.
fn firm(truth: &Truth) -> Vec<u64> {
    let firm = truth.sources().filter(|line| line.is_firm_source());
    firm.map(|line| line.number).collect()
}

#[test]
fn a_square_root_makes_the_error_and_a_difference_passes_it_on() {
    // b * b - 4ac is an integer below 2^53, hence exact; -b - root subtracts two doubles within a factor of two, hence exactly.
    let truth = truth_of("quadratic.c");
    assert_eq!((truth.wrong.as_slice(), truth.outputs), ([1].as_slice(), 3));
    assert_eq!(firm(&truth), [13]);
    let difference = truth.line(15);
    assert!(
        difference.passes_error_on() && difference.share() < 1e-9,
        "{difference:?}"
    );
    assert!(truth.line(12).is_irrelevant() && truth.line(16).is_irrelevant());
}

#[test]
fn a_compensated_sum_is_right() {
    let truth = truth_of("compensated.cpp");
    assert_eq!((truth.wrong.len(), truth.outputs), (0, 1));
}

#[test]
fn an_accumulation_makes_the_error_of_a_sum() {
    let truth = truth_of("euler_constant.f90");
    assert_eq!((truth.wrong.as_slice(), truth.outputs), ([0].as_slice(), 2));
    assert_eq!(firm(&truth), [13]);
    assert!((truth.line(13).own_share() - 1.0).abs() < 0.01);
}

#[test]
fn a_logarithm_that_is_added_to_something_large_loses_its_digits() {
    let truth = truth_of("log_sum_exp.rs");
    assert_eq!((truth.wrong.as_slice(), truth.outputs), ([1].as_slice(), 2));
    assert_eq!(firm(&truth), [9]);
    assert!(truth.line(20).passes_error_on());
}
