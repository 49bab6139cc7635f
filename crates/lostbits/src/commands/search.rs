//! `lostbits search`: arguments → options → [`crate::search`] → report.

use std::process::ExitCode;

use super::exit::FINDINGS;
use crate::{
    failure::Failure,
    output,
    report::{SourceLine, search as report},
    search::{self, CallReport, Campaign, Options, SearchArguments, SearchFormat, Skipped, Wanted},
    sources::source_line,
};

/// What was found before something failed is reported, too.
pub fn search(arguments: SearchArguments) -> Result<ExitCode, Failure> {
    let options = Options::new(arguments)?;
    options.report_to.check()?;
    let Campaign {
        reports,
        calls,
        skipped,
        failure,
    } = search::search(&options)?;
    let style = Style {
        format: options.format,
        is_table: matches!(options.wanted, Wanted::All),
        unconfirmed: options.unconfirmed,
        significant: options.significant.get(),
    };
    let text = style.written(&reports, &skipped, &|file, line| {
        let own = options.formula.as_ref();
        own.and_then(|own| own.formula.line(file, line))
            .or_else(|| source_line(file, line))
    });
    options.report_to.write(&text)?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if reports.len() < calls {
        output::note(format_args!(
            "stopped after {} of {calls} functions",
            reports.len()
        ));
    }
    Ok(exit_code(&reports))
}

pub fn exit_code(reports: &[CallReport]) -> ExitCode {
    let has_findings = reports.iter().any(|report| !report.findings.is_empty());
    ExitCode::from(if has_findings { FINDINGS } else { 0 })
}

/// How a report is written, of one search or of merged shards.
pub struct Style {
    pub format: SearchFormat,
    /// One line a function on the terminal, as there may be hundreds.
    pub is_table: bool,
    pub unconfirmed: bool,
    pub significant: f64,
}

impl Style {
    pub fn written(
        &self,
        reports: &[CallReport],
        skipped: &[Skipped],
        source_line: SourceLine,
    ) -> String {
        match self.format {
            SearchFormat::Terminal if self.is_table => report::table(reports, skipped),
            SearchFormat::Terminal => report::terminal(reports, self.unconfirmed, source_line),
            SearchFormat::Html => report::html(reports, skipped),
            SearchFormat::Json => report::json(reports, skipped),
            SearchFormat::Tsv => report::tsv(reports),
            SearchFormat::Csv => report::csv(reports),
            SearchFormat::C => report::c(reports, self.significant),
            SearchFormat::Cpp => report::cpp(reports, self.significant),
            SearchFormat::Rust => report::rust(reports, self.significant),
            SearchFormat::Fortran => report::fortran(reports, self.significant),
            SearchFormat::Pytest => report::pytest(reports, self.significant),
        }
    }
}
