//! `lostbits search`: arguments → options → [`crate::search`] → report.

use std::process::ExitCode;

use super::exit::FINDINGS;
use crate::{
    failure::Failure,
    output,
    report::search as report,
    search::{self, Campaign, Options, SearchArguments, SearchFormat, Wanted},
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
    let text = match options.format {
        SearchFormat::Terminal if matches!(options.wanted, Wanted::All) => {
            report::table(&reports, &skipped)
        }
        SearchFormat::Terminal => report::terminal(&reports, options.unconfirmed, &|file, line| {
            let own = options.formula.as_ref();
            own.and_then(|own| own.formula.line(file, line))
                .or_else(|| source_line(file, line))
        }),
        SearchFormat::Json => report::json(&reports, &skipped),
        SearchFormat::Tsv => report::tsv(&reports),
        SearchFormat::Csv => report::csv(&reports),
        SearchFormat::C => report::c(&reports, options.significant.get()),
        SearchFormat::Cpp => report::cpp(&reports, options.significant.get()),
        SearchFormat::Rust => report::rust(&reports, options.significant.get()),
        SearchFormat::Fortran => report::fortran(&reports, options.significant.get()),
        SearchFormat::Pytest => report::pytest(&reports, options.significant.get()),
    };
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
    let has_findings = reports.iter().any(|report| !report.findings.is_empty());
    Ok(ExitCode::from(if has_findings { FINDINGS } else { 0 }))
}
