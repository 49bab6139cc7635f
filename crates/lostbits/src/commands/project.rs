//! `lostbits build`, `test`, `check` and `baseline`: projects with any build system and any launcher.

use std::{
    ffi::OsString,
    path::PathBuf,
    process::{Command, ExitCode, ExitStatus},
};

use clap::Args;
use lostbits_abi::{judge::Judged, mode::Mode};

use super::{
    exit::{Conclusion, exit_code},
    explain,
};
use crate::{
    arguments::{
        ExitArguments, JudgeArguments, RecordArguments, ReportArguments, TimeoutArguments,
    },
    build::{Instrumentation, Prepared},
    compile::log,
    config::{self, Config},
    destination::Destination,
    explain::{ExplainFormat, Saved, Verdict, decode_analyses},
    failure::Failure,
    output::{self, Stream},
    printable::{printable, quoted},
    project::{Baseline, Judgement, Known, Merged, Ran, name_tests},
    report::{self, explain::Context, words::count},
    run::{self, Plan},
    sources::source_line,
};

pub const BUILD_HELP: &str = "\
The command runs with lostbits as its C, C++, Fortran and Rust compilers: CC, CXX, FC and RUSTC_WRAPPER are set, `make` gets
them on its command line, and cargo builds into target/lostbits. Its exit code is returned.

  lostbits build -- cmake -S . -B build-lostbits
  lostbits build -- cmake --build build-lostbits
  lostbits build -- make
  lostbits build -- cargo build";

pub const TEST_HELP: &str = "\
Every process that the command starts and that lostbits built is analysed; findings are merged by source location. Code that the
command compiles is instrumented as by `lostbits build`.

Exit codes: 0 nothing new was found and the command succeeded, 1 new findings, 2 nothing was
analysed, 3 nothing was found but not everything could be judged; without new findings, the command's own exit code if it
failed.

  lostbits test -- ctest --test-dir build-lostbits
  lostbits test -- make check
  lostbits test -- cargo test";

#[derive(Args)]
pub struct BuildArguments {
    /// Mode to compile for: explain, watch, …
    #[arg(long, value_name = "MODE", default_value = "explain", value_parser = mode)]
    mode: Mode,
    #[command(flatten)]
    judge: JudgeArguments,
    /// The build's command
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn mode(name: &str) -> Result<Mode, String> {
    let names = || Mode::ALL.map(Mode::name).join(", ");
    Mode::from_name(name).ok_or_else(|| format!("choose from {}", names()))
}

#[derive(Args)]
pub struct AnalysisArguments {
    #[command(flatten)]
    report: ReportArguments<ExplainFormat>,
    #[command(flatten)]
    record: RecordArguments,
    #[command(flatten)]
    exit: ExitArguments,
    #[command(flatten)]
    timeout: TimeoutArguments,
    #[command(flatten)]
    judge: JudgeArguments,
    /// The baseline [default: that of lostbits.toml, or lostbits-baseline.toml in the project's root]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Report everything: every finding with all that is known of it, every function
    #[arg(long)]
    all: bool,
}

#[derive(Args)]
pub struct TestArguments {
    #[command(flatten)]
    analysis: AnalysisArguments,
    /// The command that runs the tests
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// For `check` and `baseline`.
#[derive(Args)]
pub struct ConfiguredArguments {
    #[command(flatten)]
    analysis: AnalysisArguments,
    /// The command that runs the tests [default: `build` and `test` of [check] in lostbits.toml]
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn instrumentation(arguments: &JudgeArguments, mode: Mode) -> Instrumentation {
    Instrumentation {
        mode,
        judge: arguments.judged().unwrap_or(Judged::ALL.to_vec()),
    }
}

pub fn build(arguments: BuildArguments) -> Result<ExitCode, Failure> {
    let instrumentation = instrumentation(&arguments.judge, arguments.mode);
    build_with(&instrumentation, &arguments.command)
}

fn build_with(
    instrumentation: &Instrumentation,
    command: &[OsString],
) -> Result<ExitCode, Failure> {
    let folder = run::temporary_folder()?;
    let path = folder.path().join("log");
    let status = instrumentation.prepare(command)?.run(&path)?;
    let log = log::read(&path);
    let code = run::exit_code(status);
    output::note(match code != 0 && !log.iter().any(|entry| entry.compiles) {
        // What it printed says why.
        true => format!(
            "`{}` failed with exit code {code} before it compiled anything",
            printable(&typed(command))
        ),
        false => instrumented(&log),
    });
    Ok(ExitCode::from(code))
}

/// A command as a shell reads it.
fn typed(command: &[OsString]) -> String {
    let words = command.iter().map(|word| quoted(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// What a build instrumented, in one line.
fn instrumented(log: &[log::Entry]) -> String {
    let compiled = log.iter().filter(|entry| entry.compiles);
    let languages = [
        ("cc", "C"),
        ("c++", "C++"),
        ("fc", "Fortran"),
        ("rustc", "Rust"),
    ];
    let counts = languages.map(|(compiler, language)| {
        let own = compiled.clone().filter(|entry| entry.compiler == compiler);
        (own.count() as u64, language)
    });
    let parts: Vec<String> = counts
        .iter()
        .filter(|(found, _)| *found > 0)
        .map(|(found, language)| match *language {
            "Rust" => count(*found, "Rust crate", "Rust crates"),
            _ => count(
                *found,
                &format!("{language} file"),
                &format!("{language} files"),
            ),
        })
        .collect();
    let linked = log.iter().filter(|entry| entry.links).count() as u64;
    match (parts.is_empty(), log.first()) {
        (true, _) => "nothing was compiled: the tree is up to date, or the build calls compilers by other names than CC, CXX \
                      and FC (make clean, and check how it names them)"
            .to_owned(),
        (false, first) => format!(
            "instrumented {} for mode {}, linked {}",
            parts.join(", "),
            first.map_or("explain", |entry| &entry.mode),
            count(linked, "program or library", "programs and libraries")
        ),
    }
}

pub fn test(arguments: TestArguments) -> Result<ExitCode, Failure> {
    let config = config::current()?;
    analyse(&arguments.analysis, config, &arguments.command)
}

pub fn check(arguments: ConfiguredArguments) -> Result<ExitCode, Failure> {
    let config = config::current()?;
    let command = configured(&arguments, config, "check")?;
    analyse(&arguments.analysis, config, &command)
}

pub fn baseline(arguments: ConfiguredArguments) -> Result<ExitCode, Failure> {
    let config = config::current()?;
    let command = configured(&arguments, config, "baseline")?;
    let path = baseline_path(&arguments.analysis, config);
    let mut merged = run_tests(&arguments.analysis, &command)?;
    let files = std::mem::take(&mut merged.files);
    merged.judge(Judgement::of_suppressions(config, files));
    if let Some(ran) = merged.ran.as_ref().filter(|ran| !ran.status.success()) {
        output::note(format_args!(
            "`{}` failed with exit code {}: the baseline holds what it showed until then",
            printable(&ran.command.join(" ")),
            run::exit_code(ran.status)
        ));
    }
    let accepted = Baseline::of(&merged);
    accepted.write(&path)?;
    output::note(format_args!(
        "{}: {} accepted",
        printable(&path.to_string_lossy()),
        count(accepted.len() as u64, "finding", "findings")
    ));
    Ok(ExitCode::SUCCESS)
}

/// The command to analyse; builds first, if `lostbits.toml` says how.
fn configured(
    arguments: &ConfiguredArguments,
    config: &Config,
    command: &'static str,
) -> Result<Vec<OsString>, Failure> {
    if !arguments.command.is_empty() {
        return Ok(arguments.command.clone());
    }
    let Some(test) = &config.check.test else {
        return Err(Failure::NothingConfigured { command });
    };
    if let Some(build) = &config.check.build {
        let instrumentation = instrumentation(&arguments.analysis.judge, Mode::Explain);
        let code = build_with(&instrumentation, &words(build))?;
        if code != ExitCode::SUCCESS {
            return Err(Failure::BuildFailed {
                command: build.clone(),
            });
        }
    }
    Ok(words(test))
}

/// A command of `lostbits.toml`: plain words are called as they are, so that build systems are recognised; anything else is the
/// shell's.
fn words(command: &str) -> Vec<OsString> {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,+@% ".contains(c);
    match command.chars().all(is_plain) {
        true => command.split_whitespace().map(OsString::from).collect(),
        false => ["sh", "-c", command].map(OsString::from).to_vec(),
    }
}

fn baseline_path(arguments: &AnalysisArguments, config: &Config) -> PathBuf {
    const FILE: &str = "lostbits-baseline.toml";
    let configured = || config.check.baseline.clone().unwrap_or(FILE.into());
    match &arguments.baseline {
        Some(path) => path.clone(),
        None => config::root().join(configured()),
    }
}

fn analyse(
    arguments: &AnalysisArguments,
    config: &Config,
    command: &[OsString],
) -> Result<ExitCode, Failure> {
    let destination = arguments.report.destination(Destination::Errors);
    destination.check()?;
    let baseline = Baseline::read(&baseline_path(arguments, config))?;
    let mut merged = run_tests(arguments, command)?;
    let files = std::mem::take(&mut merged.files);
    merged.judge(Judgement::new(config, files, baseline));
    let verdict = merged.verdict();
    let has_new = merged.counted().next().is_some();
    let text = render(&mut merged, arguments);
    destination.write(&text)?;
    let conclusion = match verdict {
        Verdict::Findings if has_new => Conclusion::Findings,
        Verdict::Clean | Verdict::Findings => Conclusion::Clean,
        Verdict::Undecided | Verdict::NothingJudged(_) => Conclusion::Undecided,
    };
    let status = merged.ran.as_ref().map(|ran| ran.status);
    Ok(exit_code(conclusion, status, arguments.exit))
}

fn render(merged: &mut Merged, arguments: &AnalysisArguments) -> String {
    match arguments.report.format {
        ExplainFormat::Json => report::project::json(merged),
        ExplainFormat::Terminal => {
            merged.keep_counted();
            report::project::terminal(merged, arguments.all, &source_line)
        }
        format => {
            let context = Context {
                base: merged.root.clone(),
                ..Context::default()
            };
            explain::render(merged, &context, format, &source_line)
        }
    }
}

/// Runs the command and joins what its processes left.
fn run_tests(arguments: &AnalysisArguments, command: &[OsString]) -> Result<Merged, Failure> {
    let instrumentation = instrumentation(&arguments.judge, Mode::Explain);
    let Prepared {
        program,
        arguments: words,
        variables,
    } = instrumentation.prepare(command)?;
    let tests = tests_of(command);
    let folder = run::temporary_folder_within(run::Reach::AllMachines)?;
    let record = arguments.record.record.clone();
    let record = record.unwrap_or_else(|| folder.path().join("record"));
    let mut plan =
        Plan::new(program, words, Some(record))?.with_timeout(arguments.timeout.duration());
    for (name, value) in variables {
        plan = plan.with_variable(name, value.to_string_lossy().into_owned());
    }
    let nothing = |status: ExitStatus, advice: &'static str| {
        let code = Some(run::exit_code(status)).filter(|code| *code != 0);
        Failure::NothingAnalysed {
            command: typed(command),
            failed: code.map_or(String::new(), |code| {
                format!(", which failed with exit code {code}")
            }),
            advice,
        }
    };
    const NOT_BUILT: &str = "nothing that it ran was built by lostbits; build with `lostbits build -- COMMAND` first, and run what that built";
    let outcome = match plan.run() {
        Err(Failure::NothingInstrumented { status, .. }) => {
            return Err(nothing(status, NOT_BUILT));
        }
        outcome => outcome?,
    };
    let (analyses, unreadable) = decode_analyses(&outcome.analyses);
    let saved = Saved {
        processes: outcome.processes,
        analyses,
    };
    let mut merged = Merged::of(&saved, config::root(), &source_line);
    merged.files = Merged::files(&saved);
    merged.unreadable = outcome.unreadable + unreadable;
    let words = command
        .iter()
        .map(|word| word.to_string_lossy().into_owned());
    merged.ran = Some(Ran {
        command: words.collect(),
        status: outcome.status,
    });
    name_tests(&mut merged, &tests);
    if merged.run.has_no_analysis() || !merged.run.summary.has_sites {
        output::print(Stream::Errors, &report::words::ending(outcome.status));
        return Err(nothing(
            outcome.status,
            "its processes computed nothing that was compiled for mode explain; build with `lostbits build -- COMMAND`",
        ));
    }
    Ok(merged)
}

/// The tests that CTest is to run.
fn tests_of(command: &[OsString]) -> Vec<Known> {
    let is_ctest = std::path::Path::new(&command[0])
        .file_name()
        .is_some_and(|name| name == "ctest");
    if !is_ctest {
        return Vec::new();
    }
    let listed = Command::new(&command[0])
        .args(&command[1..])
        .arg("--show-only=json-v1")
        .output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    Known::read(&String::from_utf8_lossy(&listed))
}
