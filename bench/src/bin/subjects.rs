//! Builds real libraries plain and instrumented, runs their own tests in both, and reports what changed.

use std::{num::NonZeroUsize, process::ExitCode};

use clap::Parser;
use lostbits_bench::{
    command::Cost,
    records::Totals,
    subject::{Build, Outcome, Subject, Verdict, workplace},
    subjects, table,
};

/// Real libraries under instrumentation.
#[derive(Parser)]
struct Options {
    /// The mode of the instrumented build.
    #[arg(long, default_value = "same", value_parser = ["same", "carry", "watch"])]
    mode: String,
    /// Only this library (meschach, gsl, lapack); may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Only tests whose name contains this.
    #[arg(long, default_value = "")]
    test: String,
    /// Build and test the plain halves only.
    #[arg(long)]
    plain: bool,
    /// Parallel jobs of make; all cores unless given.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let chosen: Vec<Subject> = subjects()
        .into_iter()
        .filter(|subject| {
            options.only.is_empty() || options.only.iter().any(|name| name == subject.name)
        })
        .collect();
    if chosen.is_empty() {
        eprintln!("subjects: no such library; there are meschach, gsl and lapack");
        return ExitCode::from(2);
    }
    let results: Vec<(&Subject, Result<Report, String>)> = chosen
        .iter()
        .map(|subject| (subject, examine(subject, &options)))
        .collect();
    print(&results, &options);
    let kept = results.iter().all(|(_, result)| {
        result
            .as_ref()
            .is_ok_and(|report| report.is_clean(&options.mode))
    });
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What both builds of a library did.
#[derive(Default)]
struct Report {
    plain: Half,
    instrumented: Half,
    totals: Totals,
    /// Tests whose outcome changed, with the first line that did.
    changed: Vec<String>,
    tests: usize,
    watched: Vec<Watched>,
}

/// A test in mode `watch`.
struct Watched {
    name: String,
    plain: Half,
    instrumented: Half,
    flagged: usize,
    suppressed: usize,
}

impl Watched {
    const HEADER: [&str; 7] = [
        "test",
        "checks passed plain",
        "watched",
        "plain s",
        "slowdown",
        "places flagged",
        "suppressed",
    ];

    fn row(&self) -> Vec<String> {
        let [plain, watched] =
            [&self.plain, &self.instrumented].map(|half| half.run.cpu.as_secs_f64());
        vec![
            self.name.clone(),
            checks(&self.plain),
            checks(&self.instrumented),
            format!("{plain:.2}"),
            format!("{:.2}", watched / plain),
            self.flagged.to_string(),
            self.suppressed.to_string(),
        ]
    }
}

#[derive(Default)]
struct Half {
    build: Cost,
    run: Cost,
    verdict: Verdict,
}

impl Half {
    fn of(outcome: &Outcome) -> Half {
        let mut half = Half::default();
        half.add(outcome);
        half
    }

    fn add(&mut self, outcome: &Outcome) {
        self.run.add(outcome.cost);
        self.verdict.passed += outcome.verdict.passed;
        self.verdict.failed += outcome.verdict.failed;
    }
}

impl Report {
    /// In mode `watch` differences are what was found, not a fault.
    fn is_clean(&self, mode: &str) -> bool {
        let agrees = mode == "watch" || self.totals.differences == 0;
        self.changed.is_empty() && agrees && self.totals.modules_lost == 0
    }
}

fn examine(subject: &Subject, options: &Options) -> Result<Report, String> {
    let jobs = options
        .jobs
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, usize::from);
    let plain = Build::new(subject, "off", jobs)?;
    let instrumented = Build::new(subject, &options.mode, jobs)?;
    let mut report = Report::default();
    say(subject, "building plain");
    report.plain.build = plain.build()?;
    if !options.plain {
        say(subject, &format!("building in mode {}", options.mode));
        report.instrumented.build = instrumented.build()?;
    }
    for test in subject
        .tests
        .iter()
        .filter(|test| test.name.contains(&options.test))
    {
        say(subject, &format!("testing {}", test.name));
        report.tests += 1;
        let expected = plain.test(test)?;
        report.plain.add(&expected);
        if options.plain {
            continue;
        }
        let seen = instrumented.test(test)?;
        report.instrumented.add(&seen);
        if !seen.agrees_with(&expected) {
            keep_outputs(subject, &test.name, &expected, &seen);
            report
                .changed
                .push(format!("{}: {}", test.name, first_change(&expected, &seen)));
        }
        // Mode carry is the bare machinery: it counts nothing.
        if options.mode == "same" && seen.totals.operations == 0 {
            report
                .changed
                .push(format!("{}: no operation was counted", test.name));
        }
        if options.mode == "watch" {
            report.watched.push(Watched {
                name: format!("{} {}", subject.name, test.name),
                plain: Half::of(&expected),
                instrumented: Half::of(&seen),
                flagged: seen.totals.flagged.len(),
                suppressed: seen.totals.suppressed.len(),
            });
        }
        report.totals.add(seen.totals);
    }
    Ok(report)
}

fn say(subject: &Subject, what: &str) {
    eprintln!("{}: {what}", subject.name);
}

fn first_change(expected: &Outcome, seen: &Outcome) -> String {
    if expected.exit != seen.exit {
        return format!(
            "plain ended with {}, instrumented with {}",
            expected.exit, seen.exit
        );
    }
    let mut lines = expected.output.lines().zip(seen.output.lines()).enumerate();
    match lines.find(|(_, (left, right))| left != right) {
        Some((at, (left, right))) => {
            format!(
                "line {} of the output: plain '{left}', instrumented '{right}'",
                at + 1
            )
        }
        None => "one output goes on where the other ends".to_owned(),
    }
}

/// Saves both outputs for comparison.
fn keep_outputs(subject: &Subject, test: &str, expected: &Outcome, seen: &Outcome) {
    for (half, outcome) in [("plain", expected), ("instrumented", seen)] {
        let name = format!(
            "{}-{}-{half}.out",
            subject.name,
            test.replace([' ', '/'], "-")
        );
        let path = workplace().join(name);
        if let Err(error) = std::fs::write(&path, &outcome.output) {
            eprintln!("subjects: {} cannot be written: {error}", path.display());
        }
    }
}

fn print(results: &[(&Subject, Result<Report, String>)], options: &Options) {
    let header = [
        "library",
        "programs",
        "checks passed plain",
        "instrumented",
        "operations",
        "differences",
        "fresh",
        "lost",
        "build CPU",
        "run CPU",
    ];
    let reports = || {
        results
            .iter()
            .filter_map(|(subject, result)| Some((subject, result.as_ref().ok()?)))
    };
    let rows: Vec<Vec<String>> = reports()
        .map(|(subject, report)| row(subject, report))
        .collect();
    println!("mode {}\n{}", options.mode, table::render(&header, &rows));
    let watched: Vec<Vec<String>> = reports()
        .flat_map(|(_, report)| report.watched.iter().map(Watched::row))
        .collect();
    if !watched.is_empty() {
        println!("{}", table::render(&Watched::HEADER, &watched));
    }
    for (subject, report) in reports() {
        for change in &report.changed {
            println!("{}: CHANGED {change}", subject.name);
        }
        if options.mode == "watch" {
            print_flagged(subject, report);
            continue;
        }
        for (site, totals) in &report.totals.differing {
            println!(
                "{}: shadow differs {} times at {site} (first: program {:016x}, shadow {:016x})",
                subject.name, totals.differences, totals.program_bits, totals.shadow_bits
            );
        }
        if report.totals.modules_lost > 0 {
            println!(
                "{}: the totals of {} modules were lost",
                subject.name, report.totals.modules_lost
            );
        }
    }
    for (subject, result) in results {
        if let Err(problem) = result {
            println!("{}: FAILED {problem}", subject.name);
        }
    }
}

/// What mode `watch` found: the number of sites, and the sites themselves.
fn print_flagged(subject: &Subject, report: &Report) {
    let Totals {
        flagged,
        suppressed,
        ..
    } = &report.totals;
    println!(
        "{}: {} comparisons may take the wrong branch, {} more are suppressed",
        subject.name,
        flagged.len(),
        suppressed.len()
    );
    for site in flagged {
        println!("{}: flagged {site}", subject.name);
    }
}

fn checks(half: &Half) -> String {
    match half.verdict {
        Verdict { passed, failed: 0 } => passed.to_string(),
        Verdict { passed, failed } => format!("{passed} ({failed} failed)"),
    }
}

fn row(subject: &Subject, report: &Report) -> Vec<String> {
    let ratio = |plain: Cost, instrumented: Cost| {
        let [plain, instrumented] = [plain, instrumented].map(|cost| cost.cpu.as_secs_f64());
        if instrumented == 0.0 {
            format!("{plain:.1} s")
        } else {
            format!("{plain:.1} s x{:.2}", instrumented / plain)
        }
    };
    vec![
        subject.name.to_owned(),
        report.tests.to_string(),
        checks(&report.plain),
        checks(&report.instrumented),
        report.totals.operations.to_string(),
        report.totals.differences.to_string(),
        report.totals.fresh.to_string(),
        report.totals.lost.to_string(),
        ratio(report.plain.build, report.instrumented.build),
        ratio(report.plain.run, report.instrumented.run),
    ]
}
