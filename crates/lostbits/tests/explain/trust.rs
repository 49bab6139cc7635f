//! Reports of small programs as a user gets them: the cause that matters comes first, a decision that differs from exact arithmetic
//! is the finding instead of what follows it, and no report is longer than a screen.

use crate::sandbox::Sandbox;

/// The most lines of a report without `--all`.
const MOST_LINES: usize = 40;

/// What `lostbits explain` prints about a program in C; the program's own output is left out.
pub fn explained(text: &str, options: &[&str], arguments: &[&str]) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("prog.c", text);
    let mut command = sandbox.lostbits(&["explain", "prog.c", "-lm"]);
    command.args(options).arg("--").args(arguments);
    sandbox.show(&mut command)
}

/// The line of the program with this mark.
pub fn marked(text: &str, mark: &str) -> String {
    let at = text.lines().position(|line| line.contains(mark));
    format!("prog.c:{}", at.expect(mark) + 1)
}

/// The first cause is the marked line, in every optimisation.
fn is_first(text: &str, arguments: &[&str]) {
    for level in ["-O0", "-O2"] {
        let shown = explained(text, &[level], arguments);
        let first = shown.lines().find(|line| line.contains("--> "));
        let first = first.unwrap_or_else(|| panic!("{level}: {shown}"));
        assert!(
            first.contains(&(marked(text, "CAUSE") + ":")),
            "{level}: {shown}"
        );
        assert!(shown.contains("= proof: "), "{level}: {shown}");
    }
}

const SUM_OF_INFLUENCED: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double tenth = atof(words[1]), s = 0;
    for (int i = 0; i < 1000000; i++) {
        s += ((tenth + i) - i) * 1e-9;
        s += tenth; // CAUSE
    }
    printf(\"%.17g\\n\", s);
    return count > 9;
}
";

const STEPS_OF_INFLUENCED: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]), u = 1;
    for (int i = 0; i < 200000; i++) {
        double slope = ((x + 1e3) - 1e3) - x;
        double step = 1e-6 * slope + 1e-5 * x;
        u = u + step; // CAUSE
    }
    printf(\"%.17g\\n\", u);
    return count > 9;
}
";

const PRODUCT_OF_INFLUENCED: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]), noise = 0, p = 1;
    for (int i = 1; i < 300000; i++) {
        noise = (x + i) - i - x;
        p = p * (1 + x * 0x1p-20) + noise * 1e-25; // CAUSE
    }
    printf(\"%.17g\\n\", p);
    return count > 9;
}
";

/// What a value's errors passed through before does not hide what its own sums make.
#[test]
fn accumulation_is_blamed_however_much_influenced_its_terms_are() {
    is_first(SUM_OF_INFLUENCED, &["0.1"]);
    is_first(STEPS_OF_INFLUENCED, &["0.3"]);
    is_first(PRODUCT_OF_INFLUENCED, &["0.1"]);
}

const CLAMPED: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double a = atof(words[1]), b = atof(words[2]), e = atof(words[3]);
    double q = ((a + b) - e) - 4e-17;
    if (q < 0) { // DECIDES
        puts(\"negative\");
        q = 0;
    }
    printf(\"%g\\n\", 1 + sqrt(q));
    return count > 9;
}
";

const STEPS_TO_AN_END: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double dt = atof(words[1]), t = 0;
    int n = 0;
    while (t < 1) { // DECIDES
        t += dt;
        n++;
    }
    printf(\"steps: %d\\n\", n);
    return count > 9;
}
";

const PIXELS: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]), y = atof(words[2]), a = 0, b = 0;
    long i = 0;
    while (a * a + b * b < 4 && i < 100000) { // DECIDES
        double next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
        i++;
    }
    printf(\"iters: %ld\\n\", i);
    return count > 9;
}
";

/// What is computed after a different branch is not judged by shadows of a path that exact arithmetic does not take.
#[test]
fn after_a_different_branch_the_decision_is_the_finding() {
    for level in ["-O0", "-O2"] {
        let shown = explained(CLAMPED, &[level], &["0.1", "0.2", "0.3"]);
        assert!(
            shown.contains(&marked(CLAMPED, "DECIDES")),
            "{level}: {shown}"
        );
        let output = marked(CLAMPED, "printf") + " ";
        assert!(!shown.contains(&output), "{level}: {shown}");
        let shown = explained(STEPS_TO_AN_END, &[level], &["0.1"]);
        assert!(
            shown.contains(&marked(STEPS_TO_AN_END, "DECIDES")),
            "{level}: {shown}"
        );
        assert!(
            shown.contains("printed: steps: 11\n")
                && shown.contains("with exact decisions: steps: 10\n"),
            "{level}: {shown}"
        );
    }
}

const LARGEST: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double larger(double a, double b) { return a < b ? b : a; }
int main(int count, char **words) {
    double x = atof(words[1]), most = 0, least = 1;
    for (int i = 1; i < 1000; i++) {
        double one = x * i / i, other = x + i - i;
        most = larger(most, larger(one * 1e-3, other * 1e-3));
        least = one < least ? one : least;
    }
    double nothing = larger(x * 3 - 0.3, 0);
    printf(\"%.9f %.9f %.9f\\n\", most, least, nothing);
    return count > 9;
}
";

/// The larger of two nearly equal numbers is nearly the same in exact arithmetic, whichever the program takes: no decision.
#[test]
fn a_maximum_is_no_decision() {
    for precision in [&["-O2"][..], &["-O2", "--precision", "256"]] {
        let shown = explained(LARGEST, precision, &["0.1"]);
        assert!(shown.contains("no output is wrong"), "{shown}");
        assert!(!shown.contains("comparison"), "{shown}");
    }
    // Exact arithmetic takes the other number, which is 0.
    let clamped = CLAMPED
        .replace(
            "if (q < 0) { // DECIDES",
            "q = q < 0 ? 0 : q;\n    if (count > 9) {",
        )
        .replace("%g", "%.9g")
        .replace("1 + sqrt", "sqrt");
    let shown = explained(&clamped, &["-O2"], &["0.1", "0.2", "0.3"]);
    assert!(shown.contains("1 output is consistent with 0"), "{shown}");
    assert!(!shown.contains("comparison"), "{shown}");
}

/// What is different in every run says nothing about decisions.
#[test]
fn lines_that_vary_by_themselves_are_not_compared() {
    let varying = STEPS_TO_AN_END
        .replace("<stdlib.h>", "<stdlib.h>\n#include <unistd.h>")
        .replace(
            "    printf",
            "    printf(\"process %d\\n\", getpid());\n    printf",
        );
    let shown = explained(&varying, &["-O1"], &["0.1"]);
    assert!(
        shown.contains("with exact decisions: steps: 10\n"),
        "{shown}"
    );
    assert!(!shown.contains("printed: process"), "{shown}");
    assert!(!shown.contains("lines differ"), "{shown}");
}

const NEAREST: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double x = atof(words[1]), least = 1e300;
    int which = 0;
    for (int i = 1; i <= 1000; i++) {
        double distance = sqrt(x * i) / sqrt(i) + 1e-17 * i;
        if (distance < least) { // DECIDES
            least = distance;
            which = WHICH;
        }
    }
    printf(\"%.12f %d\\n\", least, which);
    return count > 9;
}
";

/// Of several numbers that are nearly equal one is the least: the decisions differ, and what is printed does not.
#[test]
fn decisions_that_change_nothing_printed_are_no_findings() {
    let harmless = NEAREST.replace("WHICH", "1");
    for level in ["-O0", "-O2"] {
        let shown = explained(&harmless, &[level], &["0.1"]);
        assert!(shown.starts_with("exit 0\n"), "{level}: {shown}");
        let note = "with exact decisions the program prints the same";
        assert!(shown.contains(note), "{level}: {shown}");
        // If it matters which one it is, they are.
        let shown = explained(&NEAREST.replace("WHICH", "i"), &[level], &["0.1"]);
        assert!(shown.starts_with("exit 1\n"), "{level}: {shown}");
        assert!(
            shown.contains(&marked(NEAREST, "DECIDES")),
            "{level}: {shown}"
        );
    }
}

const CONVERGES: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double far = atof(words[1]), x = 1, step;
    int n = 0;
    do {
        step = (x * x - 2) / (2 * x);
        x -= step;
    } while (fabs(step) > 1e-16 && ++n < 20);
    double near = (far + 0.3) - far; // CAUSE
    printf(\"%.12f %.12f\\n\", x, near);
    return count > 9;
}
";

/// A wrong output that no decision made wrong is not said to be different \"with exact decisions\".
#[test]
fn wrong_outputs_are_not_blamed_on_decisions_that_change_nothing() {
    let shown = explained(CONVERGES, &["-O2"], &["1e8"]);
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert!(!shown.contains("with exact decisions:"), "{shown}");
    assert!(!shown.contains("different branch"), "{shown}");
}

/// A program that prints integers alone is judged by its decisions.
#[test]
fn right_decisions_are_a_verdict() {
    let shown = explained(PIXELS, &["-O1"], &["0.3", "0.5"]);
    assert!(
        shown.contains("no decision is another in exact arithmetic"),
        "{shown}"
    );
    assert!(shown.starts_with("exit 0\n"), "{shown}");
}

#[test]
fn counts_are_compared_with_those_of_exact_decisions() {
    // Near the edge of the set rounding decides when the point escapes: after 3086 steps, in exact arithmetic after 3085.
    let shown = explained(
        PIXELS,
        &["-O1"],
        &["-0.743643887037151", "0.131825904205330"],
    );
    assert!(shown.contains(&marked(PIXELS, "DECIDES")), "{shown}");
    assert!(shown.contains("with exact decisions"), "{shown}");
}

/// A program with many wrong results and many causes.
fn many(results: usize) -> String {
    let mut text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int count, char **words) {\n    double x = atof(words[1]);\n".to_owned();
    for at in 0..results {
        text +=
            &format!("    double sum{at} = x + {at}e9;\n    double part{at} = sum{at} - {at}e9;\n");
        text += &format!("    printf(\"%.15g\\n\", part{at} * (x + {at}));\n");
    }
    text + "    return count > 9;\n}\n"
}

const TABLE: &str = "\
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static double f(double x, int way) {
    switch (way) {
        case 0: return (1 - cos(x)) / (x * x);
        case 1: return (exp(x) - 1) / x;
        case 2: return sqrt(1 + x) - 1;
        case 3: return log(1 + x) / x;
        case 4: return sin(x) - x;
        default: return 1 / (1 + x) - 1;
    }
}
int main(int count, char **words) {
    for (int i = 1; i < 200; i++)
        for (int way = 0; way < 6; way++)
            printf(\"%d %d %.15g\\n\", i, way, f(atof(words[1]) * i, way));
    return count > 9;
}
";

#[test]
fn no_report_is_longer_than_a_screen() {
    let texts = [
        (many(60), vec!["0.1"]),
        (many(7), vec!["0.1"]),
        (TABLE.to_owned(), vec!["1e-9"]),
    ];
    for (text, arguments) in texts {
        let shown = explained(&text, &["-O1"], &arguments);
        let (_, report) = shown.split_once("stderr").unwrap_or(("", &shown));
        let lines = report.trim().lines().count();
        assert!(lines <= MOST_LINES + 2, "{lines} lines: {shown}");
        assert!(report.contains("= proof: "), "{shown}");
        assert!(report.contains("--all"), "{shown}");
    }
}
