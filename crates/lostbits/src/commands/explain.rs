//! `lostbits explain`: arguments → options → [`crate::explain`] → report.

use std::{ffi::OsString, path::Path, process::ExitCode};

use super::{
    exit::{Conclusion, exit_code, of_program},
    ignored::Ignored,
    page,
    record::RecordReport,
};
use crate::{
    config,
    explain::{
        self, ExplainArguments, ExplainFormat, ExplainSubject, Findings, Options, Saved, Verdict,
    },
    failure::Failure,
    output::{self, Stream},
    printable::quoted,
    project::Merged,
    report::{
        SourceCommand, SourceLine,
        explain::{self as report, Context},
        formats,
        words::ending,
    },
    run::job::Job,
    sources::{current_folder, source_line},
    subject::Code,
};

pub fn explain(arguments: ExplainArguments) -> Result<ExitCode, Failure> {
    let given = arguments.exit;
    let options = Options::new(arguments)?;
    // A launcher takes another exit code for a failure of the job.
    let exit = match options.job {
        Some(_) => of_program(given),
        None => given,
    };
    // Ranks that check one file at once get in each other's way.
    if options.job.as_ref().is_none_or(Job::leads) {
        options.report_to.check()?;
    }
    let explanation = explain::explain(&options)?;
    let context = Context {
        ended: Some(explanation.status),
        unreadable: explanation.unreadable,
        base: current_folder(),
        escalation: explanation.escalation,
        folding: explanation.folding,
        not_called: explanation.not_called,
        steering: explanation.steering,
        interventions: explanation.interventions,
        variants: explanation.variants,
        passes: explanation.passes,
        all: options.all,
        reproduce: Some(match &options.job {
            Some(job) => job.command().to_owned(),
            None => reproduce(std::env::args()),
        }),
        command: source_command(&options),
        plots: match options.format {
            ExplainFormat::Html => {
                explain::plots(&options.subject, options.settings.min_output_bits)
            }
            _ => Vec::new(),
        },
    };
    let findings = explanation.findings;
    if let Err(failure) = check_analysed(&findings) {
        output::print(Stream::Errors, &ending(explanation.status));
        return Err(failure);
    }
    let source_line = |file: &Path, line| options.subject.source_line(file, line);
    let merged = Merged::of_findings(findings, config::root(), &source_line);
    let (merged, ignored) = match options.subject {
        ExplainSubject::Formula { .. } => (merged, Ignored::default()),
        _ => Ignored::separate(merged)?,
    };
    let text = render(&merged, &context, options.format, &source_line);
    let text = ignored.add_to(text, &merged.run, options.format);
    options.report_to.write(&text)?;
    if options.format == ExplainFormat::Html {
        page::show(&options.report_to, options.open);
    }
    let conclusion = conclusion(context.verdict(&merged.run));
    Ok(exit_code(conclusion, Some(explanation.status), exit))
}

pub fn report_of(saved: &Saved, format: ExplainFormat) -> Result<RecordReport, Failure> {
    let merged = Merged::of(saved, config::root(), &source_line);
    check_analysed(&merged.run)?;
    let context = Context {
        base: current_folder(),
        ..Context::default()
    };
    let (merged, ignored) = Ignored::separate(merged)?;
    let text = render(&merged, &context, format, &source_line);
    Ok(RecordReport {
        text: ignored.add_to(text, &merged.run, format),
        conclusion: conclusion(context.verdict(&merged.run)),
    })
}

/// The sources and how they are compiled and run, if there are any.
fn source_command(options: &Options) -> Option<SourceCommand> {
    let ExplainSubject::Code(Code::Sources { arguments, .. }) = &options.subject else {
        return None;
    };
    let words = |words: &[OsString]| -> Option<Vec<String>> {
        let words = words.iter().map(|word| word.to_str().map(str::to_owned));
        words.collect()
    };
    Some(SourceCommand {
        compiler: words(arguments)?,
        program: words(&options.program_arguments)?,
    })
}

/// The command line without what only says how and where to report.
fn reproduce(words: impl Iterator<Item = String>) -> String {
    let mut shown = vec!["lostbits".to_owned()];
    let mut words = words.skip(1);
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        match name {
            "--" => {
                shown.push(word);
                shown.extend(words.by_ref().map(|word| quoted(&word)));
            }
            "--open" => {}
            "--format" | "--report" | "--record" | "--output" | "-o" => {
                if name == word {
                    words.next();
                }
            }
            _ => shown.push(quoted(&word)),
        }
    }
    shown.join(" ")
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

/// A report in any format.
pub fn render(
    merged: &Merged,
    context: &Context,
    format: ExplainFormat,
    source_line: SourceLine,
) -> String {
    let document = || report::document(merged, context, source_line);
    match format {
        ExplainFormat::Terminal => report::terminal(&merged.run, context, source_line),
        ExplainFormat::Html => formats::html(&document()),
        ExplainFormat::Json => report::json(&merged.run, context),
        ExplainFormat::Sarif => formats::sarif(&document()),
        ExplainFormat::Junit => formats::junit(&document()),
        ExplainFormat::Markdown => formats::markdown(&document()),
        ExplainFormat::Github => formats::github(&document()),
        ExplainFormat::Fpcore => report::fpcore(&merged.run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_repeated_without_their_reports() {
        let words = "lostbits explain --format html p.c -O2 --report=x --open -- --format a";
        let shown = reproduce(words.split(' ').map(str::to_owned));
        assert_eq!(shown, "lostbits explain p.c -O2 -- --format a");
        let formula = ["lostbits", "explain", "x - 1", "--report", "f"].map(str::to_owned);
        assert_eq!(reproduce(formula.into_iter()), "lostbits explain 'x - 1'");
    }
}
