//! The paper's Table 4 for `lostbits watch`: for each subject and threshold the inputs that are called unstable,
//! compared with the truth, the approximate method, cancellation alone, and the paper's own figures.
//!
//! A decision that is missed at the default threshold is an error; false alarms are counted and printed.

use std::{
    fs,
    path::PathBuf,
    process::{Command, ExitCode},
};

use clap::Parser;
use lostbits::watch::findings::Findings;
use lostbits_abi::{
    environment::WATCH_THRESHOLDS,
    record::{self, OUT_ENV},
};
use lostbits_bench::{
    command, table, tools,
    watch::{
        ranges::{self, Range},
        subjects::{self, Subject, THRESHOLDS},
    },
};

/// The threshold at which nothing may be missed.
const DEFAULT: u32 = 48;

/// Makes the compiler track errors instead of tags; see the pass's `domain/approximate`.
const APPROXIMATE_ENV: &str = "LOSTBITS_WATCH_APPROXIMATE";

/// Inputs on either side of the change for which the decision is compared with the truth.
const COMPARED: i64 = 100;

/// Redoes the paper's Table 4.
#[derive(Parser)]
struct Options {
    /// Only subjects whose name contains this.
    #[arg(long, default_value = "")]
    subject: String,
    /// The compiler's level.
    #[arg(long, default_value = "-O2", allow_hyphen_values = true)]
    level: String,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match measure(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("watch: {problem}");
            ExitCode::from(2)
        }
    }
}

/// Gives how many unstable decisions were missed at the default threshold.
fn measure(options: &Options) -> Result<u64, String> {
    let mut missed = 0;
    for subject in subjects::all() {
        if subject.name.contains(&options.subject) {
            missed += measure_subject(&subject, &options.level)?;
        }
    }
    show_absorption(&options.level)?;
    println!("missed at τc = {DEFAULT} over all subjects: {missed}");
    Ok(missed)
}

fn measure_subject(subject: &Subject, level: &str) -> Result<u64, String> {
    let watched = Watched::build(subject.source, level, None)?;
    let tracked = Watched::build(subject.source, level, Some(APPROXIMATE_ENV))?;
    let change = ranges::change(subject.between, &mut |x| (subject.truth)(x));
    println!(
        "{} (the shape of {}), takes the other branch from x = {change:?} on",
        subject.name, subject.shape
    );
    let mut rows = Vec::new();
    let compared = Comparison::around(subject, &watched, change)?;
    let paper = subject.paper.as_ref();
    // The paper counts samples in decimal steps, of which several may be one double.
    let figure = |count: Option<u64>| match (count, paper) {
        (Some(count), Some(paper)) => format!("{count} ({:.1})", paper.in_doubles(count)),
        _ => "-".to_owned(),
    };
    rows.push(vec![
        "high precision".to_owned(),
        compared.wrong.to_string(),
        compared.range.map_or("-".to_owned(), shown),
        figure(paper.map(|row| row.truth)),
        String::new(),
    ]);
    let approximate = ranges::around(change, subject.between, &mut |x| (subject.approximate)(x));
    rows.push(row(
        "approximate",
        approximate,
        figure(paper.map(|row| row.approximate)),
    ));
    let compiled = tracked.range(change, subject.between, DEFAULT, |findings| {
        !findings.is_stable()
    })?;
    rows.push(row("approximate, compiled", compiled, "-".to_owned()));
    let cancelling = watched.range(change, subject.between, DEFAULT, |findings| {
        findings.inflations > 0 || !findings.is_stable()
    })?;
    rows.push(row(
        "cancellation alone, τc = 48",
        cancelling,
        "all".to_owned(),
    ));
    for (index, threshold) in THRESHOLDS.into_iter().enumerate() {
        let range = watched.range(change, subject.between, threshold, |findings| {
            !findings.is_stable()
        })?;
        rows.push(row(
            &format!("watch, τc = {threshold}"),
            range,
            figure(paper.map(|row| row.at[index])),
        ));
    }
    let header = [
        "method",
        "unstable inputs",
        "range",
        "paper (in doubles)",
        "unstable of those checked",
    ];
    print!("{}", table::render(&header, &rows));
    println!(
        "of the {} inputs next to the change, {} decide wrongly; at τc = {DEFAULT} {} of these are missed, and {} of \
         the others are false alarms\n",
        2 * COMPARED + 1,
        compared.wrong,
        compared.missed,
        compared.false_alarms
    );
    Ok(compared.missed)
}

fn row(method: &str, range: Option<Range>, paper: String) -> Vec<String> {
    let (count, shown, sampled) = match range {
        Some(range) => (
            match range.is_whole() {
                true => range.unstable.to_string(),
                false => format!("≤ {}", range.inputs()),
            },
            shown((range.first, range.last)),
            format!("{} of {}", range.unstable, range.sampled),
        ),
        None => ("0".to_owned(), "-".to_owned(), String::new()),
    };
    vec![method.to_owned(), count, shown, paper, sampled]
}

fn shown((first, last): (f64, f64)) -> String {
    format!("[{first:?}, {last:?}]")
}

/// The program's decisions next to the change, held against the truth.
struct Comparison {
    wrong: u64,
    missed: u64,
    false_alarms: u64,
    range: Option<(f64, f64)>,
}

impl Comparison {
    fn around(subject: &Subject, watched: &Watched, change: f64) -> Result<Comparison, String> {
        let mut comparison = Comparison {
            wrong: 0,
            missed: 0,
            false_alarms: 0,
            range: None,
        };
        for step in -COMPARED..=COMPARED {
            let x = f64::from_bits((change.to_bits() as i64 + step) as u64);
            let seen = watched.run(x, DEFAULT)?;
            let is_wrong = seen.output != (subject.truth)(x);
            let is_flagged = !seen.findings.is_stable();
            comparison.wrong += u64::from(is_wrong);
            comparison.missed += u64::from(is_wrong && !is_flagged);
            comparison.false_alarms += u64::from(is_flagged && !is_wrong);
            if is_wrong {
                let first = comparison.range.map_or(x, |(first, _)| first);
                comparison.range = Some((first, x));
            }
        }
        Ok(comparison)
    }
}

/// The paper's Figure 8, which its rules (and so ours) miss.
fn show_absorption(level: &str) -> Result<(), String> {
    let watched = Watched::build("absorbed.c", level, None)?;
    let seen = watched.run(1.0, DEFAULT)?;
    let verdict = if seen.findings.is_stable() {
        "missed, as in the paper"
    } else {
        "found"
    };
    println!(
        "Figure 8 (an error much larger than its value is taken for suppressed): the program says `{}`, exact \
         arithmetic `positive`: {verdict}",
        seen.output
    );
    Ok(())
}

/// A subject that was built for mode watch.
struct Watched {
    program: PathBuf,
    record: PathBuf,
}

struct Seen {
    output: String,
    findings: Findings,
}

impl Watched {
    /// `baseline` is a variable that has the compiler build something else than mode `watch`.
    fn build(source: &str, level: &str, baseline: Option<&str>) -> Result<Watched, String> {
        let folder = tools::repository().join("build/watch");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let extension = baseline.map_or("", |_| "baseline");
        let program = folder.join(source).with_extension(extension);
        let mut compiler = Command::new(tools::lostbits()?);
        compiler.envs(baseline.map(|variable| (variable, "1")));
        compiler
            .args(["cc", "--lostbits-mode=watch", "-g"])
            .args(level.split_whitespace());
        compiler.arg(tools::repository().join("bench/watch").join(source));
        compiler.arg("-o").arg(&program).arg("-lm");
        let finished = command::run(&mut compiler)?;
        if !finished.status.success() {
            return Err(format!(
                "{source} does not build:\n{}",
                String::from_utf8_lossy(&finished.stderr)
            ));
        }
        let mut record = program.clone().into_os_string();
        record.push(".record");
        let record = PathBuf::from(record);
        Ok(Watched { program, record })
    }

    fn run(&self, x: f64, threshold: u32) -> Result<Seen, String> {
        let mut program = Command::new(&self.program);
        program
            .arg(format!("{x:?}"))
            .env(OUT_ENV, &self.record)
            .env(WATCH_THRESHOLDS, format!("{threshold},4,19,4"));
        let finished = command::run(&mut program)?;
        let problem = |error: String| format!("{}: {error}", self.record.display());
        let bytes = fs::read(&self.record).map_err(|error| problem(error.to_string()))?;
        fs::remove_file(&self.record).map_err(|error| problem(error.to_string()))?;
        let processes = record::decode(&bytes).map_err(|error| problem(format!("{error:?}")))?;
        Ok(Seen {
            output: String::from_utf8_lossy(&finished.stdout).trim().to_owned(),
            findings: Findings::of(&processes),
        })
    }

    fn range(
        &self,
        change: f64,
        between: [f64; 2],
        threshold: u32,
        is_unstable: fn(&Findings) -> bool,
    ) -> Result<Option<Range>, String> {
        let mut problem = None;
        let range = ranges::around(change, between, &mut |x| match self.run(x, threshold) {
            Ok(seen) => is_unstable(&seen.findings),
            Err(error) => {
                problem = Some(error);
                false
            }
        });
        problem.map_or(Ok(range), Err)
    }
}
