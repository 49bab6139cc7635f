//! Causes of wrong decisions: who makes the error of what decides, however many sources it takes to decide wrongly.

use crate::{
    sandbox::Sandbox,
    trust::{explained, marked},
};

/// What scales the samples is a variance that is all rounding errors. Two sums make these; neither alone decides anything wrongly.
const SCALED: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int n = atoi(words[1]), bins[4] = {0};
    double *x = malloc(n * sizeof *x), s = 0, q = 0;
    for (int i = 0; i < n; i++)
        x[i] = 1e8 + sin(i * 0.37);
    for (int i = 0; i < n; i++)
        s += x[i];
    for (int i = 0; i < n; i++)
        q += x[i] * x[i]; // CAUSE
    double mean = s / n, variance = q / n - mean * mean; // AMPLIFIES
    double deviation = sqrt(fabs(variance));
    for (int i = 0; i < n; i++)
        bins[(int)((x[i] - mean) / deviation + 2) & 3]++;
    printf(\"%d %d %d %d\\n\", bins[0], bins[1], bins[2], bins[3]);
    return count > 9;
}
";

#[test]
fn the_larger_source_of_a_wrong_decision_is_its_cause() {
    for level in ["-O0", "-O2"] {
        let shown = explained(SCALED, &[level], &["100000"]);
        let first = shown.lines().find(|line| line.contains("--> "));
        let cause = marked(SCALED, "CAUSE") + ":";
        assert!(
            first.is_some_and(|line| line.contains(&cause)),
            "{level}: {shown}"
        );
        let amplifier = format!("nearly equal numbers at {} (", marked(SCALED, "AMPLIFIES"));
        assert!(shown.contains(&amplifier), "{level}: {shown}");
        assert!(
            !shown.contains("statements in `main` together"),
            "{level}: {shown}"
        );
    }
}

/// A sum of tenths passes its end by rounding alone: its own errors decide.
const PASSES_ITS_END: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double step = atof(words[1]) / 10, t = 0, u = 0;
    int n = 0;
    while (t < 1) {
        t += step; // CAUSE
        u += 1e-9 * ((t + 7) - 7);
        n++;
    }
    printf(\"%d\\n\", n);
    return u > 1e9;
}
";

#[test]
fn a_sum_that_decides_wrongly_is_the_cause() {
    let shown = explained(PASSES_ITS_END, &["-O1"], &["1"]);
    let first = shown.lines().find(|line| line.contains("--> "));
    let cause = marked(PASSES_ITS_END, "CAUSE") + ":";
    assert!(first.is_some_and(|line| line.contains(&cause)), "{shown}");
    assert!(
        shown.contains("= proof: with this statement computed exactly"),
        "{shown}"
    );
}

/// Rust prints from memory, so the text of a run with exact decisions shows the program's own numbers.
const PRINTED_FROM_MEMORY: &str = "\
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let x: Vec<f64> = (0..n).map(|i| 1e8 + (i as f64 * 0.37).sin()).collect();
    let mean = x.iter().sum::<f64>() / n as f64;
    let variance = x.iter().map(|x| x * x).sum::<f64>() / n as f64 - mean * mean;
    println!(\"variance {variance:.6}\");
    let mut bins = [0; 4];
    for x in &x {
        bins[((x - mean) / variance.abs().sqrt() + 2.0).clamp(0.0, 3.9) as usize] += 1;
    }
    println!(\"{bins:?}\");
}
";

#[test]
fn an_output_that_no_steered_run_shows_is_judged_by_its_error() {
    let sandbox = Sandbox::new();
    sandbox.write("prog.rs", PRINTED_FROM_MEMORY);
    let mut command = sandbox.lostbits(&["explain", "prog.rs", "-O", "--", "100000"]);
    let shown = sandbox.show(&mut command);
    assert!(
        shown.contains("prog.rs:6") && shown.contains("0.499994"),
        "{shown}"
    );
    assert!(shown.contains("with exact decisions: [24994, "), "{shown}");
}

/// The operation that loses all digits is named, not another of its statement that loses some.
const PAYMENT: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double rate = atof(words[1]), payment;
    payment = rate / (1 - pow(1 + rate, -360));
    printf(\"%.9g\\n\", payment);
    return count > 9;
}
";

#[test]
fn the_operation_that_cancels_stands_for_its_statement() {
    let shown = explained(PAYMENT, &["-O2"], &["1e-13"]);
    assert!(
        shown.contains("error: subtraction of nearly equal numbers makes all"),
        "{shown}"
    );
    assert!(
        shown.contains("write `-expm1(-360 * log1p(rate))`"),
        "{shown}"
    );
}

#[test]
fn a_decision_without_errors_is_right_in_what_if() {
    let text = PASSES_ITS_END;
    let line = marked(text, "CAUSE") + "=exact";
    let shown = explained(text, &["-O1", "--what-if", &line], &["1"]);
    assert!(shown.contains(": wrong 1 time, then 0"), "{shown}");
}

const CELLS: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double width = atof(words[1]), inverse = 1 / width;
    int cells = atoi(words[2]);
    int above = ceil(cells * width / width); // ABOVE
    int below = floor(cells * width / width); // BELOW
    printf(\"%d %d\\n\", above, below);
    for (int i = 1; count > 3 && i < 60; i++)
        printf(\"%d \", (int)ceil(i * width * inverse) + (int)lrint(i * width * inverse - 0.25));
    return 0;
}
";

/// In exact arithmetic the quotient is the number of cells: a rounding to a whole number is decided on its threshold, too.
#[test]
fn roundings_of_whole_numbers_are_decided() {
    for level in ["-O0", "-O2"] {
        for (cells, mark, exact) in [("5", "ABOVE", "5 5"), ("7", "BELOW", "7 7")] {
            let shown = explained(CELLS, &[level], &["3.615", cells]);
            assert!(shown.starts_with("exit 1\n"), "{level}: {shown}");
            let line = marked(CELLS, mark) + " ";
            let row = shown.lines().find(|row| row.trim().starts_with(&line));
            let integers = row.map(|row| row.split_whitespace().skip(1).take(2));
            let integers: Vec<&str> = integers.expect(&shown).collect();
            assert_eq!(integers, ["6", cells], "{level}: {shown}");
            let decided = format!("with exact decisions: {exact}\n");
            assert!(shown.contains(&decided), "{level}: {shown}");
            assert!(shown.contains("= proof: "), "{level}: {shown}");
        }
        let shown = explained(CELLS, &[level], &["3.615", "6", "more"]);
        assert!(shown.starts_with("exit 0\n"), "{level}: {shown}");
        assert!(!shown.contains("undecided"), "{level}: {shown}");
    }
}

/// What compilers warn of is shown once, however often the program is compiled.
#[test]
fn warnings_are_shown_once() {
    let warned = CELLS.replace("return 0;", "return 0 == 0 ? 0 : \"\" + 1 == \"\";");
    let shown = explained(&warned, &["-O1"], &["3.615", "5"]);
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert_eq!(
        shown.matches(" warning generated").count() + shown.matches(" warnings generated").count(),
        1,
        "{shown}"
    );
}
