//! The command line: arguments → validated options → command → output.

#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::{env, ffi::OsString, path::Path, process::ExitCode};

use clap::{CommandFactory, Parser};
use lostbits::{
    build,
    cli::{Command, Line},
    commands,
    compile::compile,
    failure::{self, Failure},
    output::{self, Stream},
    run::guardian,
    subject, target,
    toolchain::Compiler,
};

fn main() -> ExitCode {
    let mut words: Vec<OsString> = env::args_os().collect();
    if is_cargo_subcommand(&words) {
        words = build::cargo::subcommand(&words);
    }
    if guardian::is_called(&words) {
        guardian::main();
    }
    if let Some(arguments) = target::worker::called(&words) {
        target::worker::main(&arguments);
    }
    let done = match compiler_call(&words) {
        Some((compiler, arguments)) => compile(compiler, arguments).map(|never| match never {}),
        None => sorted(words).and_then(|words| match Line::try_parse_from(words) {
            Ok(line) => execute(line.command),
            Err(answer) => Ok(help_or_complaint(&answer)),
        }),
    };
    let failed = |failure: Failure| {
        output::note(failure.message());
        ExitCode::from(failure::EXIT_CODE)
    };
    let code = done.unwrap_or_else(failed);
    output::lost().map_or(code, failed)
}

/// Whether cargo calls the tool, as `cargo-lostbits`.
fn is_cargo_subcommand(words: &[OsString]) -> bool {
    let name = words.first().and_then(|word| Path::new(word).file_name());
    name.is_some_and(|name| name == "cargo-lostbits")
}

/// What `--help` asks for, or what is wrong with the arguments.
fn help_or_complaint(answer: &clap::Error) -> ExitCode {
    let stream = match answer.use_stderr() {
        true => Stream::Errors,
        false => Stream::Output,
    };
    output::print(stream, &answer.render().ansi().to_string());
    ExitCode::from(answer.exit_code() as u8)
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

/// The command line with the options of its command first, where clap looks for them.
fn sorted(mut words: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    let mut line = Line::command();
    line.build();
    let name = words
        .get(1)
        .and_then(|word| word.to_str())
        .unwrap_or_default();
    let analyses = ["explain", "watch", "search", "fix"].contains(&name);
    let command = line.find_subcommand(name).filter(|_| analyses);
    if let Some(command) = command {
        let own = words.split_off(2);
        words.extend(subject::sort(own, command)?.joined());
    }
    Ok(words)
}

fn execute(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Run(arguments) => commands::run(arguments),
        Command::Watch(arguments) => commands::watch(arguments),
        Command::Explain(arguments) => commands::explain(*arguments),
        Command::Search(arguments) => commands::search(*arguments),
        Command::Campaign(arguments) => commands::campaign(arguments),
        Command::Merge(arguments) => commands::merge(arguments),
        Command::Fix(arguments) => commands::fix(*arguments),
        Command::Build(arguments) => commands::build(arguments),
        Command::Test(arguments) => commands::test(arguments),
        Command::Check(arguments) => commands::check(arguments),
        Command::Baseline(arguments) => commands::baseline(arguments),
        Command::Sites(arguments) => commands::sites(arguments),
        Command::Report(arguments) => commands::report(arguments),
        Command::Generate(arguments) => commands::generate(arguments, Line::command()),
        Command::Doctor => commands::doctor(),
    }
}
