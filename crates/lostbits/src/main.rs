//! The command line: arguments → validated options → command → output.

use std::{
    env,
    ffi::OsString,
    io::Write,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{ExitCode, ExitStatus},
};

use clap::Parser;
use lostbits::{
    cli::{Command, Line, ReportArguments, RunArguments, SitesArguments},
    compile::compile,
    doctor,
    failure::{self, Failure},
    record, report,
    run::{self, Outcome, Plan},
    summary::Summary,
    tables,
    toolchain::Compiler,
};

/// The exit code for findings.
const FINDINGS: u8 = 1;

fn main() -> ExitCode {
    let words: Vec<OsString> = env::args_os().collect();
    let done = match compiler_call(&words) {
        Some((compiler, arguments)) => compile(compiler, arguments).map(|never| match never {}),
        None => execute(Line::parse_from(words).command),
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

fn execute(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(arguments) => run_program(arguments),
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

fn run_summary(outcome: &Outcome) -> String {
    let mut text = ending(outcome.status);
    if !outcome.processes.is_empty() {
        text += &report::terminal::summary(&Summary::of(&outcome.processes));
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

/// Says how the program ended, unless it ended well.
fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("the program was ended by signal {signal}\n"),
        (None, Some(0)) => String::new(),
        (None, code) => format!(
            "the program ended with exit code {}\n",
            code.unwrap_or_default()
        ),
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
    let summary = Summary::of(&record::read(&arguments.record)?);
    print(&report::terminal::summary(&summary));
    let found = !summary.differences.is_empty();
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
