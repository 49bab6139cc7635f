//! `lostbits explain`: arguments → options → [`crate::explain`] → report.

use std::process::ExitCode;

use super::{exit_code, record::RecordReport};
use crate::{
    explain::{self, ExplainArguments, ExplainFormat, Findings, Options, Saved},
    failure::Failure,
    report::{
        SourceLine,
        explain::{self as report, Context},
    },
    sources::{current_folder, source_line},
};

pub fn explain(arguments: ExplainArguments) -> Result<ExitCode, Failure> {
    let options = Options::new(arguments)?;
    options.report_to.check()?;
    let explanation = explain::explain(&options)?;
    let context = Context {
        ended: Some(explanation.status),
        unreadable: explanation.unreadable,
        base: current_folder(),
        escalation: explanation.escalation,
        folding: explanation.folding,
        not_called: explanation.not_called,
        interventions: explanation.interventions,
        all: options.all,
    };
    let findings = explanation.findings;
    let text = render(&findings, &context, options.format, &|file, line| {
        options.subject.source_line(file, line)
    });
    options.report_to.write(&text)?;
    Ok(exit_code(Some(explanation.status), findings.is_clean()))
}

pub fn report_of(saved: &Saved, format: ExplainFormat) -> RecordReport {
    let findings = Findings::of(&saved.processes, &saved.analyses);
    let context = Context {
        base: current_folder(),
        ..Context::default()
    };
    RecordReport {
        text: render(&findings, &context, format, &source_line),
        has_findings: !findings.is_clean(),
    }
}

fn render(
    findings: &Findings,
    context: &Context,
    format: ExplainFormat,
    source_line: SourceLine,
) -> String {
    match format {
        ExplainFormat::Terminal => report::terminal(findings, context, source_line),
        ExplainFormat::Json => report::json(findings, context),
        ExplainFormat::Fpcore => report::fpcore(findings),
    }
}
