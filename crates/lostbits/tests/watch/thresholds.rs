//! The re-run at thresholds: it never makes a right result wrong, at any precision, and what sorts move keeps its number.

use crate::sandbox::Sandbox;

const PRECISIONS: [&str; 8] = ["64", "100", "127", "128", "129", "200", "256", "512"];

/// Builds a program for the re-run, and runs it steered at each precision.
fn steered(name: &str, source: &str, words: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new();
    sandbox.write(name, source);
    let compiler = if name.ends_with(".rs") { "rustc" } else { "cc" };
    let options = ["--lostbits-mode=reals", name, "-O", "-o", "prog", "-lm"];
    let options = &options[..if compiler == "cc" { 6 } else { 5 }];
    let built = sandbox.lostbits(&[&[compiler], options].concat()).output();
    let built = built.expect("it starts");
    let errors = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{errors}");
    let run = |precision: &str| {
        let program = sandbox.path("prog");
        let program = program.to_str().unwrap();
        let run = [&["run", "--record", "record", program], words].concat();
        let output = sandbox
            .lostbits(&run)
            .env("LOSTBITS_STEER", "1")
            .env("LOSTBITS_PRECISION", precision)
            .output()
            .expect("it starts");
        String::from_utf8(output.stdout).unwrap()
    };
    PRECISIONS.map(run).to_vec()
}

fn all_print(name: &str, source: &str, words: &[&str], expected: &str) {
    for (printed, precision) in steered(name, source, words).iter().zip(PRECISIONS) {
        assert_eq!(printed, expected, "{words:?} with {precision} bits");
    }
}

const BINS: &str = r#"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double r = atof(words[1]), cut = atof(words[2]), scale = atof(words[3]), next = atof(words[4]);
    double x = r / cut * scale;
    printf("%d %g %g ", (int)x, floor(x), fmod(x, next));
    printf("%s %s ", x >= next ? "at least" : "less", x > next ? "more" : "at most");
    printf("%g\n", x - next);
}
"#;

/// 1.1875/2.5·40 is 19, and 1/3·3 is 1: truncated quotients are a little less.
#[test]
fn a_number_within_its_error_of_a_threshold_is_at_it() {
    let at = "at least at most 0\n";
    all_print(
        "bins.c",
        BINS,
        &["1.1875", "2.5", "40", "19"],
        &format!("19 19 0 {at}"),
    );
    all_print(
        "bins.c",
        BINS,
        &["1", "3", "3", "1"],
        &format!("1 1 0 {at}"),
    );
    all_print(
        "bins.c",
        BINS,
        &["-1.5", "7", "14", "-3"],
        &format!("-3 -3 0 {at}"),
    );
}

/// 0.7 is less than 7/10 and 0.1 is more than 1/10, by more than the numbers' own errors.
#[test]
fn a_number_beyond_its_error_of_a_threshold_decides() {
    let below = "6 6 7 less at most -4.44089e-16\n";
    all_print("bins.c", BINS, &["0.7", "1", "10", "7"], below);
    let above = "3 3 1.66533e-16 at least more 1.66533e-16\n";
    all_print("bins.c", BINS, &["0.1", "1", "30", "3"], above);
}

/// Both ways to compute three tenths give the same number; sorts move them in different ways.
#[test]
fn what_sorts_move_keeps_its_number() {
    const QSORT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
int main(int count, char **words) {
    double t = atof(words[1]), a[6] = {t * 3, t + t + t, t * 3, 1, t * 3, t + t + t};
    qsort(a, 6, sizeof *a, compare);
    int distinct = 1;
    for (int i = 1; i < 6; i++)
        distinct += a[i] != a[i - 1];
    printf("%d\n", distinct);
}
"#;
    const SORTS: &str = r#"
fn main() {
    let t: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let value = |i: usize| match i % 3 {
        0 => t * (i % 7) as f64,
        _ => (0..i % 7).map(|_| t).sum(),
    };
    let numbers: Vec<f64> = (0..200).map(value).collect();
    let distinct = |numbers: &[f64]| 1 + numbers.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let (mut stable, mut unstable) = (numbers.clone(), numbers);
    stable.sort_by(|x, y| x.partial_cmp(y).unwrap());
    unstable.sort_unstable_by(f64::total_cmp);
    unstable.reverse();
    println!("{} {}", distinct(&stable), distinct(&unstable));
}
"#;
    all_print("qsort.c", QSORT, &["0.1"], "2\n");
    for printed in steered("sorts.rs", SORTS, &["0.1"]) {
        assert_eq!(printed, "7 7\n");
    }
}
