//! Suppressions in the reports of `explain` and `report`: ignored findings are listed with their reasons, and do not count.

use std::{collections::BTreeSet, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    config,
    explain::{ExplainFormat, Findings},
    failure::Failure,
    printable::printable,
    project::{Judgement, Merged, State},
    report::words::count,
};

#[derive(Default)]
pub struct Ignored(Vec<IgnoredFinding>);

struct IgnoredFinding {
    file: String,
    line: u32,
    kind: &'static str,
    reason: String,
}

impl Ignored {
    /// The findings that count, and the others.
    pub fn separate(mut merged: Merged) -> Result<(Merged, Ignored), Failure> {
        let config = config::current()?;
        if merged.run.is_clean() {
            return Ok((merged, Ignored::default()));
        }
        let causes = merged.run.causes.iter().map(|cause| &cause.site);
        let sites = causes.chain(merged.run.spots.iter().map(|spot| &spot.site));
        let files: BTreeSet<PathBuf> = sites.map(|site| PathBuf::from(&site.file)).collect();
        merged.judge(Judgement::of_suppressions(config, files));
        let ignored = merged.findings.iter().filter_map(|one| match &one.state {
            State::Ignored { reason } => Some(IgnoredFinding {
                file: merged.shown_path(&one.site().file).to_owned(),
                line: one.site().line,
                kind: one.kind(),
                reason: reason.clone(),
            }),
            _ => None,
        });
        let ignored = Ignored(ignored.collect());
        merged.keep_counted();
        Ok((merged, ignored))
    }

    /// The report with what is ignored. `findings` are those that count.
    pub fn add_to(&self, text: String, findings: &Findings, format: ExplainFormat) -> String {
        match format {
            _ if self.0.is_empty() => text,
            ExplainFormat::Json => self.in_json(&text),
            // A run whose findings are all ignored is not called clean.
            ExplainFormat::Terminal if findings.is_clean() => self.list(),
            ExplainFormat::Terminal => format!("{text}\n{}", self.list()),
            _ => text,
        }
    }

    fn list(&self) -> String {
        let number = count(self.0.len() as u64, "finding is", "findings are");
        let lines = self.0.iter().map(|one| {
            let (file, reason) = (printable(&one.file), printable(&one.reason));
            format!("  {file}:{} {}: {reason}\n", one.line, one.kind)
        });
        format!("{number} ignored:\n") + &lines.collect::<String>()
    }

    fn in_json(&self, text: &str) -> String {
        let mut report: Value = serde_json::from_str(text).expect("our own JSON");
        let ignored = self.0.iter().map(|one| {
            json!({ "file": one.file, "line": one.line, "kind": one.kind, "reason": one.reason })
        });
        report["ignored"] = ignored.collect();
        report["clean"] = false.into();
        report.to_string() + "\n"
    }
}
