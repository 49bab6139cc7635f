//! One line for each finding: call, comma-separated hexadecimal inputs, relative error; where the error
//! was measured in high precision, also the relative error by FPGen's formula.

use crate::{printable::printable, report::numbers::hexadecimal, search::CallReport};

pub fn tsv(reports: &[CallReport]) -> String {
    let mut text = String::new();
    for report in reports {
        for finding in &report.findings {
            let inputs: Vec<String> = finding.input.iter().map(|x| hexadecimal(*x)).collect();
            text += &format!(
                "{}\t{}\t{:e}",
                printable(&report.call),
                inputs.join(","),
                finding.error.get()
            );
            if let Some(measured) = finding.measured {
                text += &format!("\t{:e}", measured.floored.get());
            }
            text += "\n";
        }
    }
    text
}
