//! One line for each finding: call, comma-separated hex inputs, relative error.

use crate::{report::numbers::hexadecimal, search::CallReport};

pub fn tsv(reports: &[CallReport]) -> String {
    let mut text = String::new();
    for report in reports {
        for finding in &report.findings {
            let inputs: Vec<String> = finding.input.iter().map(|x| hexadecimal(*x)).collect();
            text += &format!(
                "{}\t{}\t{:e}\n",
                report.call,
                inputs.join(","),
                finding.error
            );
        }
    }
    text
}
