//! `lostbits watch`: arguments → options → [`crate::watch`] → report.

use std::process::ExitCode;

use lostbits_abi::record::ProcessRecord;

use super::{
    exit::{Conclusion, exit_code, of_program},
    record::RecordReport,
};
use crate::{
    explain::ExplainFormat,
    failure::Failure,
    output::{self, Stream},
    report::{
        formats,
        watch::{self as report, Context, Verdict},
        words::ending,
    },
    run::job::Job,
    sources::{current_folder, source_line},
    watch::{self, Annotations, Options, WatchArguments, WatchFormat, findings::Findings},
};

pub fn watch(arguments: WatchArguments) -> Result<ExitCode, Failure> {
    let given = arguments.exit;
    let options = Options::new(arguments)?;
    let exit = match options.job {
        Some(_) => of_program(given),
        None => given,
    };
    // Ranks that check one file at once get in each other's way.
    if options.job.as_ref().is_none_or(Job::leads) {
        options.report_to.check()?;
    }
    let mut context = Context {
        thresholds: Some(options.thresholds),
        base: current_folder(),
        ..Context::default()
    };
    let snapshot = |findings: &Findings| {
        // A snapshot that cannot be written is no reason to end the program.
        let text = render(findings, &context, options.format);
        let _ = options.report_to.write(&text);
    };
    let watched = watch::watch(&options, &snapshot)?;
    context.ended = Some(watched.status);
    context.unreadable = watched.unreadable;
    let (rerun, problem) = match watched.rerun {
        Ok(rerun) => (rerun, None),
        Err(failure) => (None, Some(failure)),
    };
    context.rerun = rerun;
    if let Err(failure) = check_compiled(&watched.findings) {
        output::print(Stream::Errors, &ending(watched.status));
        return Err(failure);
    }
    options
        .report_to
        .write(&render(&watched.findings, &context, options.format))?;
    if let Some(failure) = problem {
        return Err(failure);
    }
    let conclusion = conclusion(context.verdict(&watched.findings));
    let was_stopped = options.stops && !watched.findings.is_stable();
    let status = Some(watched.status).filter(|_| !was_stopped);
    Ok(exit_code(conclusion, status, exit))
}

pub fn report_of(
    processes: &[ProcessRecord],
    format: ExplainFormat,
) -> Result<RecordReport, Failure> {
    let mut findings = Findings::of(processes);
    Annotations::read()?.apply(&mut findings);
    check_compiled(&findings)?;
    let context = Context {
        base: current_folder(),
        ..Context::default()
    };
    let document = || report::document(&findings, &context, &source_line);
    Ok(RecordReport {
        text: match format {
            ExplainFormat::Terminal => render(&findings, &context, WatchFormat::Terminal),
            ExplainFormat::Html => formats::html(&document()),
            ExplainFormat::Json => render(&findings, &context, WatchFormat::Json),
            ExplainFormat::Sarif => formats::sarif(&document()),
            ExplainFormat::Junit => formats::junit(&document()),
            ExplainFormat::Markdown => formats::markdown(&document()),
            ExplainFormat::Github => formats::github(&document()),
            // Decisions have none.
            ExplainFormat::Fpcore => return Err(Failure::NoFpcoreOfDecisions),
        },
        conclusion: conclusion(context.verdict(&findings)),
    })
}

/// A program without anything to watch is refused.
fn check_compiled(findings: &Findings) -> Result<(), Failure> {
    match findings.summary.has_sites {
        true => Ok(()),
        false => Err(Failure::NothingCompiled),
    }
}

fn conclusion(verdict: Verdict) -> Conclusion {
    match verdict {
        Verdict::Stable => Conclusion::Clean,
        Verdict::Unstable => Conclusion::Findings,
        Verdict::Incomplete | Verdict::NothingJudged => Conclusion::Undecided,
    }
}

fn render(findings: &Findings, context: &Context, format: WatchFormat) -> String {
    match format {
        WatchFormat::Terminal => report::terminal(findings, context, &source_line),
        WatchFormat::Json => report::json(findings, context),
    }
}
