//! The command line: arguments → validated options → command → output.

use std::{env, ffi::OsString, io::Write, path::Path, process::ExitCode};

use clap::{CommandFactory, Parser};
use lostbits::{
    cli::{
        Command, ExplainArguments, Format, Line, ReportArguments, RunArguments, SearchArguments,
        SitesArguments, WatchArguments,
    },
    compile::compile,
    doctor, explain,
    failure::{self, Failure},
    report,
    run::{self, Outcome, Plan},
    search,
    summary::Summary,
    tables, target,
    toolchain::Compiler,
    watch::{self, findings::Findings},
};
use lostbits_abi::record::ProcessRecord;

/// The exit code for findings.
const FINDINGS: u8 = 1;

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().collect();
    if let Some(arguments) = target::worker::called(&words) {
        target::worker::main(&arguments);
    }
    let done = match compiler_call(&words) {
        Some((compiler, arguments)) => compile(compiler, arguments).map(|never| match never {}),
        None => execute(Line::parse_from(options_first(words)).command),
    };
    done.unwrap_or_else(|failure| {
        anstream::eprintln!("lostbits: {failure}");
        ExitCode::from(failure::EXIT_CODE)
    })
}

/// A call of a compiler, as `lostbits cc …` or by a name like `lostbits-cc`. Its arguments are the
/// compiler's own.
fn compiler_call(words: &[OsString]) -> Option<(Compiler, Vec<OsString>)> {
    let name = Path::new(words.first()?).file_name()?.to_str()?;
    if let Some(command) = name.strip_prefix("lostbits-") {
        return Some((Compiler::from_command(command)?, words[1..].to_vec()));
    }
    Some((
        Compiler::from_command(words.get(1)?.to_str()?)?,
        words[2..].to_vec(),
    ))
}

/// `explain` takes its options among sources and compiler options too.
fn options_first(mut words: Vec<OsString>) -> Vec<OsString> {
    let line = Line::command();
    match line.find_subcommand("explain") {
        Some(options) if words.get(1).is_some_and(|word| word == "explain") => {
            let own = words.split_off(2);
            words.extend(explain::gather(own, options));
            words
        }
        _ => words,
    }
}

fn execute(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(arguments) => run_program(arguments),
        Command::Watch(arguments) => watch_program(arguments),
        Command::Explain(arguments) => explain_program(arguments),
        Command::Search(arguments) => search_inputs(*arguments),
        Command::Sites(arguments) => list_sites(&arguments),
        Command::Report(arguments) => report_record(&arguments),
        Command::Doctor => Ok(examine()),
    }
}

fn run_program(arguments: RunArguments) -> Result<ExitCode, Failure> {
    let mut words = arguments.program.into_iter();
    let program = words.next().unwrap_or_default();
    let plan = Plan::new(program, words.collect(), arguments.output)?;
    if !plan.is_instrumented() && !arguments.quiet {
        let program = plan.program().display();
        anstream::eprintln!(
            "lostbits: {program} was not built by lostbits: only what it loads or starts can be watched"
        );
    }
    let outcome = plan.run()?;
    if !arguments.quiet {
        anstream::eprint!("{}", run_summary(&outcome));
    }
    Ok(ExitCode::from(run::exit_code(outcome.status)))
}

fn watch_program(arguments: WatchArguments) -> Result<ExitCode, Failure> {
    let stable = watch::watch(arguments)?;
    Ok(ExitCode::from(if stable { 0 } else { FINDINGS }))
}

/// A crash is passed on; otherwise the findings count.
fn explain_program(arguments: ExplainArguments) -> Result<ExitCode, Failure> {
    let verdict = explain::explain(arguments)?;
    let code = match verdict.status.code() {
        None => run::exit_code(verdict.status),
        Some(_) if verdict.clean => 0,
        Some(_) => FINDINGS,
    };
    Ok(ExitCode::from(code))
}

fn search_inputs(arguments: SearchArguments) -> Result<ExitCode, Failure> {
    let found = search::search(arguments, print)?;
    Ok(ExitCode::from(if found { FINDINGS } else { 0 }))
}

fn run_summary(outcome: &Outcome) -> String {
    let mut text = report::words::ending(outcome.status);
    if !outcome.processes.is_empty() {
        text += &summary_text(&outcome.processes);
        text += &format!("record: {}\n", outcome.record.display());
    }
    if outcome.unreadable > 0 {
        text += &format!(
            "{} of the run's processes left a record that cannot be read\n",
            outcome.unreadable
        );
    }
    text
}

fn summary_text(processes: &[ProcessRecord]) -> String {
    if Findings::speaks_of(processes) {
        watch::report_of(processes, Format::Terminal).0
    } else {
        report::terminal::summary(&Summary::of(processes))
    }
}

fn list_sites(arguments: &SitesArguments) -> Result<ExitCode, Failure> {
    let path = &arguments.file;
    let tables = tables::of_file(path).map_err(|error| error.about(path))?;
    if tables.is_empty() {
        return Err(Failure::NotInstrumented { path: path.clone() });
    }
    print(&report::sites::table(&tables, arguments.all));
    Ok(ExitCode::SUCCESS)
}

fn report_record(arguments: &ReportArguments) -> Result<ExitCode, Failure> {
    let saved = explain::read(&arguments.record)?;
    let found = if explain::Findings::speaks_of(&saved.processes) {
        let (text, clean) = explain::report_of(&saved, arguments.format);
        print(&text);
        !clean
    } else if Findings::speaks_of(&saved.processes) {
        let format = arguments.format.for_watch();
        let format = format.ok_or(Failure::NoFpcoreOfDecisions)?;
        let (text, stable) = watch::report_of(&saved.processes, format);
        print(&text);
        !stable
    } else {
        let summary = Summary::of(&saved.processes);
        print(&report::terminal::summary(&summary));
        !summary.differences.is_empty()
    };
    Ok(ExitCode::from(if found { FINDINGS } else { 0 }))
}

fn examine() -> ExitCode {
    let checks = doctor::examine();
    print(&doctor::table(&checks));
    ExitCode::from(if doctor::is_healthy(&checks) {
        0
    } else {
        failure::EXIT_CODE
    })
}

/// A reader that went away (`lostbits sites prog | head`) is no error.
fn print(text: &str) {
    let _ = anstream::stdout().write_all(text.as_bytes());
}
