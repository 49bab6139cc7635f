//! Instrumentation changes nothing that programs compute, and loses track of nothing it follows.
//!
//! Each subject program in `tests/programs` is built plainly and instrumented with the same flags and
//! run; the two runs must be equal byte for byte, the end included (*transparency*). In mode `same` the
//! run records must be free of differences (*same-precision shadow*), and so they must be in mode `reals`
//! where its numbers are rounded to the program's formats. One test for each program, level
//! and mode, named `c/varargs::O2::same`; the plain build is shared between modes.
//!
//! What this can miss: a change that both builds share (both use the driver's own compiler), and
//! anything no program does.

mod checks_of_the_checks;
#[path = "../common/mod.rs"]
mod common;
mod program;
mod records;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::{Arc, OnceLock},
    time::Duration,
};

use common::{Ending, Outcome, difference};
use libtest_mimic::{Arguments, Failed, Trial};
use lostbits_abi::{mode::Mode, record::OUT_ENV};
use program::{Level, Program, Step, Tool};

const BUILD_LIMIT: Duration = Duration::from_secs(120);
const RUN_LIMIT: Duration = Duration::from_secs(60);
/// All that instrument.
const MODES: [Mode; Mode::ALL.len() - 1] = {
    let [Mode::Off, modes @ ..] = Mode::ALL else {
        panic!("mode off comes first");
    };
    modes
};
/// Bits of the numbers of mode `reals`.
const PRECISION: &str = "LOSTBITS_PRECISION";
/// The programs on which `make test` checks the modes that take long, at -O2. `make corpus-all` does the rest, and the other
/// levels of modes `carry`, `explain` and `search`.
const SAMPLE: [&str; 8] = [
    "c/conversions",
    "c/memory_moves",
    "c/setjmp_longjmp",
    "c/structs_by_value",
    "c/varargs",
    "c/vector_loops",
    "cpp/exceptions",
    "mixed/dlopen_instrumented",
];
/// Where numbers that are rounded to the program's formats need not equal its values: other rounding
/// modes; and a timer that leaves no time for the numbers.
const NOT_EMULATED: [&str; 2] = ["c/rounding_mode", "c/signal_handlers"];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let programs = match program::all(&root) {
        Ok(programs) => programs,
        Err(problem) => {
            eprintln!("the corpus cannot be read: {problem}");
            return ExitCode::from(2);
        }
    };
    let mut trials = checks_of_the_checks::trials(&programs);
    for program in programs.into_iter().map(Arc::new) {
        for level in program.about.levels.clone() {
            let subject = Arc::new(Subject::new(program.clone(), level));
            trials.extend(MODES.map(|mode| trial(subject.clone(), mode)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial(subject: Arc<Subject>, mode: Mode) -> Trial {
    let name = format!(
        "{}::{}::{}",
        subject.program.name,
        subject.level.name(),
        mode.name()
    );
    let is_sampled = subject.level == Level::O2 && SAMPLE.contains(&subject.program.name.as_str());
    let is_left_out = match mode {
        Mode::Reals | Mode::ExplainReals | Mode::Symbolic => !is_sampled,
        Mode::Carry | Mode::Explain | Mode::Search => subject.level != Level::O2,
        Mode::Off | Mode::Same | Mode::Watch => false,
    };
    Trial::test(name, move || subject.examine(mode).map_err(Failed::from))
        .with_ignored_flag(is_left_out)
}

/// A program at a level, with what its plain build does.
struct Subject {
    program: Arc<Program>,
    level: Level,
    plain: OnceLock<Result<Outcome, String>>,
}

impl Subject {
    fn new(program: Arc<Program>, level: Level) -> Subject {
        Subject {
            program,
            level,
            plain: OnceLock::new(),
        }
    }

    fn examine(&self, mode: Mode) -> Result<(), String> {
        let plain = self
            .plain
            .get_or_init(|| self.plain_outcome())
            .as_ref()
            .map_err(|problem| format!("the plain build, before any instrumentation: {problem}"))?;
        let folder = self.build(mode)?;
        self.judge(plain, &folder, mode)
            .map_err(|problem| format!("{problem}\n{}", self.how_to_repeat(&folder, mode)))?;
        discard(&folder)
    }

    /// Builds and runs plainly, twice, to be sure that a difference is not the program's own.
    fn plain_outcome(&self) -> Result<Outcome, String> {
        let folder = self.build(Mode::Off)?;
        let outcome = self.run(&folder, &[])?;
        if let Some(text) = difference(&outcome, &self.run(&folder, &[])?) {
            return Err(format!("two runs of it differ: {text}"));
        }
        if outcome.ending != self.program.about.ending {
            let expected = self.program.about.ending;
            return Err(format!(
                "it ended by {:?}, not by {expected:?}",
                outcome.ending
            ));
        }
        discard(&folder)?;
        Ok(outcome)
    }

    fn judge(&self, plain: &Outcome, folder: &Path, mode: Mode) -> Result<(), String> {
        let mut complaints = Vec::new();
        if mode == Mode::Reals {
            let outcome = self.run(folder, &[(PRECISION, "200")])?;
            complaints.extend(difference(plain, &outcome));
        }
        if !(mode == Mode::Reals && NOT_EMULATED.contains(&self.program.name.as_str())) {
            complaints.extend(self.check(plain, folder, mode)?);
        }
        if complaints.is_empty() {
            Ok(())
        } else {
            Err(complaints.join("\n"))
        }
    }

    /// Runs it, with a record where shadows must equal the program's values.
    fn check(&self, plain: &Outcome, folder: &Path, mode: Mode) -> Result<Vec<String>, String> {
        let records = folder.join("records");
        fs::create_dir(&records).map_err(in_words)?;
        let out = records.join("%p").to_string_lossy().into_owned();
        // Mode `carry` runs without a record, so that both ways are covered.
        let is_checked = matches!(mode, Mode::Same | Mode::Reals);
        let mut variables = vec![match mode {
            Mode::ExplainReals => (PRECISION, "128"),
            // At a double's precision, numbers are rounded to the program's formats.
            _ => (PRECISION, "53"),
        }];
        if is_checked || mode.explains() {
            variables.push((OUT_ENV, &out));
        }
        let outcome = self.run(folder, &variables)?;
        let mut complaints: Vec<String> = difference(plain, &outcome).into_iter().collect();
        if is_checked {
            complaints.extend(match records::read_all(&records) {
                Ok(processes) => records::complaints(&processes, &self.program.about, mode),
                Err(problem) => vec![problem],
            });
        }
        if mode.explains() {
            complaints.extend(records::missing_analyses(&records, &self.program.about));
        }
        Ok(complaints)
    }

    /// A folder with a copy of the sources and, built from them, `program`.
    fn build(&self, mode: Mode) -> Result<PathBuf, String> {
        let name = format!(
            "corpus/{}/{}/{}",
            self.program.name,
            self.level.name(),
            mode.name()
        );
        let folder = common::empty_folder(&name).map_err(in_words)?;
        for file in &self.program.files {
            let name = file.file_name().unwrap_or_default();
            fs::copy(file, folder.join(name)).map_err(in_words)?;
        }
        for step in &self.program.steps {
            let mut command = self.command(step, mode);
            let outcome = common::run(command.current_dir(&folder), &folder, "", BUILD_LIMIT)
                .map_err(in_words)?;
            if outcome.ending != Ending::Status(0) {
                let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
                return Err(format!(
                    "it cannot be built, {:?}: {said}\n{}",
                    outcome.ending,
                    self.how_to_repeat(&folder, mode),
                ));
            }
        }
        Ok(folder)
    }

    fn command(&self, step: &Step, mode: Mode) -> Command {
        if step.tool == Tool::Archiver {
            let mut command = Command::new("ar");
            command.args(&step.words);
            return command;
        }
        let mode = if step.instrumented { mode } else { Mode::Off };
        let mut command = common::lostbits();
        command.args([
            step.tool.name(),
            &format!("--lostbits-mode={}", mode.name()),
            "-g",
        ]);
        command.args(self.level.flags(step.tool)).args(&step.words);
        command
    }

    fn run(&self, folder: &Path, variables: &[(&str, &str)]) -> Result<Outcome, String> {
        let about = &self.program.about;
        // The same name and folder-relative path on both sides: programs may print them.
        let mut command = Command::new("./program");
        command.args(&about.args).current_dir(folder).env_clear();
        command.env("LC_ALL", "C").envs(about.env.iter().cloned());
        command.envs(variables.iter().copied());
        common::run(&mut command, folder, &about.stdin, RUN_LIMIT).map_err(in_words)
    }

    fn how_to_repeat(&self, folder: &Path, mode: Mode) -> String {
        let steps = self.program.steps.iter().map(|step| {
            let command = self.command(step, mode);
            let words: Vec<_> = std::iter::once(command.get_program())
                .chain(command.get_args())
                .map(|word| word.to_string_lossy())
                .collect();
            format!("  {}", words.join(" "))
        });
        let steps: Vec<String> = steps.collect();
        format!("to repeat: cd {}\n{}", folder.display(), steps.join("\n"))
    }
}

fn discard(folder: &Path) -> Result<(), String> {
    fs::remove_dir_all(folder).map_err(in_words)
}

fn in_words(problem: io::Error) -> String {
    problem.to_string()
}
