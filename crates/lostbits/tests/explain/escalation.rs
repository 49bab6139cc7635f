//! Second runs that fail: the report keeps the first run's findings and names the cause.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A result that underflowed is undecided after the first run. What happens then is the second argument's.
const UNDERFLOWS: &str = "\
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words) {
    double x = atof(words[1]);
    printf(\"%g\\n\", x * x * 1e300 * 1e200);
    fflush(stdout);
    if (!strcmp(words[2], \"remove\"))
        remove(\"x.c\");
    FILE *ran = fopen(\"ran\", \"r\");
    if (ran && !strcmp(words[2], \"kill\"))
        raise(SIGKILL);
    fclose(fopen(\"ran\", \"w\"));
}
";

/// What the report says of the second run.
fn not_escalated(what: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", UNDERFLOWS);
    let words = [
        "explain", "x.c", "-O1", "--format", "json", "--report", "report",
    ];
    let mut command = sandbox.lostbits(&words);
    let shown = sandbox.show(command.args(["--", "1e-200", what]));
    let report: Value = serde_json::from_str(&sandbox.read("report")).expect(&shown);
    assert_eq!(report["rerun_in_high_precision"], false, "{report:#}");
    report["not_rerun_because"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_version_that_cannot_be_built_keeps_its_cause() {
    let why = not_escalated("remove");
    assert!(why.contains("clang-22 failed"), "{why}");
    assert!(!why.contains("built before"), "{why}");
}

#[test]
fn a_second_run_that_is_killed_is_called_killed() {
    let why = not_escalated("kill");
    assert!(why.contains("signal 9"), "{why}");
    assert!(!why.contains("same operations"), "{why}");
}
