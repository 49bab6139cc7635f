//! Results without an exact value: divisions by a number that is zero in exact arithmetic, and what makes NaNs and infinities.

use crate::trust::{explained, marked};

/// Three columns, of which the third depends on the others: in exact arithmetic nothing is left of it.
const DEPENDENT_COLUMNS: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]), a[3][3];
    for (int i = 0; i < 3; i++) {
        a[0][i] = sqrt(x + i);
        a[1][i] = sqrt(x + 2 * i);
        a[2][i] = FACTOR * a[0][i] + 2 * a[1][i] + REST;
    }
    for (int k = 0; k < 3; k++) {
        double norm = 0;
        for (int i = 0; i < 3; i++)
            norm += a[k][i] * a[k][i];
        norm = sqrt(norm);
        for (int i = 0; i < 3; i++)
            a[k][i] = a[k][i] / norm; // CAUSE
        for (int j = k + 1; j < 3; j++) {
            double product = 0;
            for (int i = 0; i < 3; i++)
                product += a[k][i] * a[j][i];
            for (int i = 0; i < 3; i++)
                a[j][i] -= product * a[k][i];
        }
    }
    printf(\"%.6f\\n\", a[2][0]);
    return count > 9;
}
";

#[test]
fn divisions_by_rounding_noise_are_findings() {
    let text = DEPENDENT_COLUMNS
        .replace("FACTOR", "3")
        .replace("REST", "0");
    for level in ["-O0", "-O2"] {
        let shown = explained(&text, &[level], &["0.1"]);
        assert!(shown.starts_with("exit 1\n"), "{level}: {shown}");
        assert!(shown.contains("undefined"), "{level}: {shown}");
        let cause = "error: this division in `main` divides by rounding noise";
        assert!(shown.contains(cause), "{level}: {shown}");
        let place = format!("--> {}:", marked(DEPENDENT_COLUMNS, "CAUSE"));
        assert!(shown.contains(&place), "{level}: {shown}");
        assert!(shown.contains("exact 0\n"), "{level}: {shown}");
    }
}

/// A small divisor with right digits is none of these, and neither is one that the program computes as zero, too.
#[test]
fn divisions_by_numbers_are_not() {
    let text = DEPENDENT_COLUMNS
        .replace("FACTOR", "3")
        .replace("REST", "1e-5 * i * i");
    let shown = explained(&text, &["-O2"], &["0.1"]);
    assert!(!shown.contains("rounding noise"), "{shown}");
    let zero = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    printf(\"%g\\n\", 1 / (2 * x - (x + x)));
    return count > 9;
}
";
    let shown = explained(zero, &["-O2"], &["0.1"]);
    assert!(!shown.contains("rounding noise"), "{shown}");
}

/// In exact arithmetic the sum is ten times the number.
const DIFFERENCE_OF_SUMS: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]), sum = 0;
    for (int i = 0; i < 10; i++)
        sum += x;
    double difference = sum - 10 * x;
    printf(\"%.6g\\n\", 2 / difference); // CAUSE
    return count > 9;
}
";

#[test]
fn a_divisor_may_be_exactly_zero_in_exact_arithmetic() {
    let shown = explained(DIFFERENCE_OF_SUMS, &["-O1"], &["0.1"]);
    assert!(shown.contains("divides by rounding noise"), "{shown}");
    assert!(
        shown.contains(&format!("--> {}:", marked(DIFFERENCE_OF_SUMS, "CAUSE"))),
        "{shown}"
    );
}

/// The sum is too large by rounding alone, and so the difference negative.
const ROOT_OF_A_DIFFERENCE: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]), limit = atof(words[2]), sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += x; // CAUSE
    printf(\"%.6g\\n\", sqrt(limit - sum));
    printf(\"%.6g\\n\", exp(1e3 * x) / exp(1e3 * x - 1)); // OVERFLOWS
    return count > 9;
}
";

/// High-precision numbers say what makes a NaN or an infinity: the statement without whose errors there is a number.
#[test]
fn what_makes_nans_is_proved() {
    let text = ROOT_OF_A_DIFFERENCE;
    let shown = explained(text, &["-O2"], &["5.3", "5300.00000000005"]);
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert!(!shown.contains("suspected"), "{shown}");
    assert!(shown.contains("instead of NaN"), "{shown}");
    for mark in ["CAUSE", "OVERFLOWS"] {
        let place = format!("--> {}:", marked(text, mark));
        assert!(shown.contains(&place), "{mark}: {shown}");
    }
    // Each explains its own output.
    let overflow = "makes all of the error of prog.c:9\n";
    assert!(shown.contains(overflow), "{shown}");
}

/// The compiler computes what it can of two fixed vectors, and not the angle between them.
const FIXED_VECTORS: &str = "\
#include <math.h>
#include <stdio.h>
static double angle(const double *a, const double *b) {
    double dot = 0, of_a = 0, of_b = 0;
    for (int i = 0; i < 3; i++) {
        dot += a[i] * b[i];
        of_a += a[i] * a[i];
        of_b += b[i] * b[i];
    }
    return acos(dot / (sqrt(of_a) * sqrt(of_b))); // CAUSE
}
int main(void) {
    double a[3] = {1e-9, 2, 3}, b[3] = {0, 2, 3};
    printf(\"%.10g\\n\", angle(a, b));
}
";

#[test]
fn partly_folded_programs_are_computed_again() {
    let shown = explained(FIXED_VECTORS, &["-O2"], &[]);
    assert!(shown.contains("2.773500981e-10"), "{shown}");
    assert!(shown.contains("had folded parts of"), "{shown}");
    assert!(
        shown.contains(&format!("--> {}:", marked(FIXED_VECTORS, "CAUSE"))),
        "{shown}"
    );
}
