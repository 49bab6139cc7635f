//! One line for each finding: call, comma-separated hex inputs, relative error; where it was measured over
//! the reals, the relative error by FPGen's formula, too.

use crate::{report::numbers::hexadecimal, search::CallReport};

pub fn tsv(reports: &[CallReport]) -> String {
    let mut text = String::new();
    for report in reports {
        for finding in &report.findings {
            let inputs: Vec<String> = finding.input.iter().map(|x| hexadecimal(*x)).collect();
            text += &format!("{}\t{}\t{:e}", report.call, inputs.join(","), finding.error);
            if let Some(measured) = finding.measured {
                text += &format!("\t{:e}", measured.floored);
            }
            text += "\n";
        }
    }
    text
}
