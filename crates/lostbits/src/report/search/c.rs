//! A regression test in C that fails as long as the function is wrong on an input that was found.

use std::fmt::Write;

use crate::{printable::printable, search::CallReport};

pub fn c(reports: &[CallReport], significant: f64) -> String {
    let mut text = String::from(
        "/* Inputs on which lostbits search found wrong results. */\n#include <math.h>\n#include <stdio.h>\n\n",
    );
    let mut declared: Vec<&str> = Vec::new();
    let found = reports.iter().filter(|report| !report.findings.is_empty());
    for report in found.clone() {
        if !declared.contains(&report.declaration.as_str()) {
            declared.push(&report.declaration);
            text += &report.declaration;
        }
    }
    text += "\nstatic int wrong;\n\n\
             static void check(const char *call, double computed, double expected) {\n  \
             if (fabs(computed - expected) <= ";
    let _ = write!(text, "{significant:e}");
    text += " * fabs(expected)) return;\n  \
             printf(\"%s: computed %.17g, exact %.17g\\n\", call, computed, expected);\n  wrong = 1;\n}\n\n\
             int main(void) {\n";
    for report in found {
        for (finding, call) in report.findings.iter().zip(&report.test_calls) {
            let expected = match finding.reference.as_str() {
                "" => "NAN /* unknown */",
                reference => reference,
            };
            let inputs: Vec<String> = finding.input.iter().map(|x| format!("{x:?}")).collect();
            let _ = writeln!(
                text,
                "  {{ {call}\n    check(\"{} at {}\", computed, {expected}); }}",
                printable(&report.call.replace('"', "'")).replace('\\', "\\\\"),
                inputs.join(", ")
            );
        }
    }
    text + "  return wrong;\n}\n"
}
