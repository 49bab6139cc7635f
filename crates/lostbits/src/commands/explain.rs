//! `lostbits explain`: arguments → options → [`crate::explain`] → report.

use std::process::ExitCode;

use super::{
    exit::{Conclusion, exit_code},
    record::RecordReport,
};
use crate::{
    explain::{self, ExplainArguments, ExplainFormat, Findings, Options, Saved, Verdict},
    failure::Failure,
    output::{self, Stream},
    report::{
        SourceLine,
        explain::{self as report, Context},
        words::ending,
    },
    sources::{current_folder, source_line},
};

pub fn explain(arguments: ExplainArguments) -> Result<ExitCode, Failure> {
    let exit = arguments.exit;
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
        passes: explanation.passes,
        all: options.all,
    };
    let findings = explanation.findings;
    if let Err(failure) = check_analysed(&findings) {
        output::print(Stream::Errors, &ending(explanation.status));
        return Err(failure);
    }
    let text = render(&findings, &context, options.format, &|file, line| {
        options.subject.source_line(file, line)
    });
    options.report_to.write(&text)?;
    let conclusion = conclusion(context.verdict(&findings));
    Ok(exit_code(conclusion, Some(explanation.status), exit))
}

pub fn report_of(saved: &Saved, format: ExplainFormat) -> Result<RecordReport, Failure> {
    let findings = Findings::of(&saved.processes, &saved.analyses);
    check_analysed(&findings)?;
    let context = Context {
        base: current_folder(),
        ..Context::default()
    };
    Ok(RecordReport {
        text: render(&findings, &context, format, &source_line),
        conclusion: conclusion(context.verdict(&findings)),
    })
}

/// A run about which there is nothing to say is refused.
fn check_analysed(findings: &Findings) -> Result<(), Failure> {
    if !findings.summary.has_sites {
        return Err(Failure::NothingCompiled);
    }
    match findings.has_no_analysis() {
        true => Err(Failure::NoAnalysis),
        false => Ok(()),
    }
}

fn conclusion(verdict: Verdict) -> Conclusion {
    match verdict {
        Verdict::Clean => Conclusion::Clean,
        Verdict::Findings => Conclusion::Findings,
        Verdict::Undecided | Verdict::NothingJudged(_) => Conclusion::Undecided,
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
