//! Atomu's evaluation (POPL 2020, Tables 4 and 5) again: GSL's functions of one parameter, searched by
//! `lostbits search` and judged by mpmath.

use std::{process::ExitCode, time::Duration};

use clap::Parser;
use lostbits_bench::{
    atomu::{INSIGNIFICANT, Row, SIGNIFICANT},
    searched::{self, Call, Finding, Judge},
};

/// Finds inputs on which GSL's results are wrong, and compares them with the paper's.
#[derive(Parser)]
struct Options {
    /// How `lostbits search` chooses inputs
    #[arg(long, default_value = "auto")]
    strategy: String,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parallel jobs of make.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// Larger errors are significant, as in the paper.
const BOUND: f64 = 1e-3;

const CALLS: &str = include_str!("../../calls/gsl-one.txt");

fn main() -> ExitCode {
    match bench(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench-gsl: {reason}");
            ExitCode::from(2)
        }
    }
}

/// The oracle's verdicts on a function's findings, in their order.
struct Judged<'r> {
    call: &'r Call,
    errors: Vec<Option<f64>>,
}

impl Judged<'_> {
    fn is_real(error: &Option<f64>) -> bool {
        error.is_some_and(|error| error > BOUND)
    }

    fn real(&self) -> usize {
        self.errors
            .iter()
            .filter(|error| Self::is_real(error))
            .count()
    }

    /// Whether one of the first `ranks` findings is real.
    fn within(&self, ranks: usize) -> bool {
        self.errors.iter().take(ranks).any(Self::is_real)
    }

    /// The worst finding with its true error.
    fn worst(&self) -> Option<(&Finding, f64)> {
        let known = self.call.findings.iter().zip(&self.errors);
        let known = known.filter_map(|(finding, error)| Some((finding, (*error)?)));
        known.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn bench(options: &Options) -> Result<(), String> {
    let library = searched::library(options.jobs)?;
    let calls: Vec<String> = CALLS.lines().map(str::to_owned).collect();
    let seed = options.seed.to_string();
    let flags = ["--strategy", &options.strategy, "--seed", &seed];
    let (report, cost) = searched::search(&library, &calls, &flags)?;
    let mut judge = Judge::start("gsl.py")?;
    let rows = || SIGNIFICANT.iter().chain(&INSIGNIFICANT);
    let mut judged = Vec::new();
    for row in rows() {
        let call = report
            .calls
            .iter()
            .find(|call| call.function() == row.function);
        let call = call.ok_or_else(|| format!("{} was not searched", row.function))?;
        let errors = call
            .findings
            .iter()
            .map(|finding| judge.error(row.function, finding));
        let errors = errors.collect::<Result<_, _>>()?;
        judged.push(Judged { call, errors });
    }
    println!("Atomu's Table 4: functions with significant errors in the paper\n");
    table(&SIGNIFICANT, &judged[..SIGNIFICANT.len()]);
    println!("\nAtomu's Table 5: functions without\n");
    table(&INSIGNIFICANT, &judged[SIGNIFICANT.len()..]);
    summary(&judged, calls.len(), cost.cpu);
    Ok(())
}

fn table(rows: &[Row], judged: &[Judged]) {
    println!(
        "{:<22} {:>9} {:>6}   {:>9} {:>6} {:>26} {:>8} {:>9}  guilty",
        "function", "paper", "s", "ours", "s", "input", "runs", "real"
    );
    for (row, judged) in rows.iter().zip(judged) {
        let worst = judged.worst();
        let input = worst.map_or("-".to_owned(), |(finding, _)| {
            finding.input[0].decimal.clone()
        });
        let error = worst.map_or("-".to_owned(), |(_, error)| format!("{error:.2e}"));
        let guilty = worst.and_then(|(finding, _)| finding.guilty.as_ref());
        let place = guilty.map_or(String::new(), |guilty| {
            let file = guilty.file.rsplit('/').next().unwrap_or_default();
            format!("{file}:{}", guilty.line)
        });
        let real = format!("{} of {}", judged.real(), judged.errors.len());
        println!(
            "{:<22} {:>9.2e} {:>6.2}   {error:>9} {:>6.3} {input:>26} {:>8} {real:>9}  {place}",
            row.function, row.error, row.seconds, judged.call.seconds, judged.call.runs
        );
    }
}

fn summary(judged: &[Judged], searched: usize, cpu: Duration) {
    let found: Vec<&Judged> = judged.iter().filter(|judged| judged.real() > 0).collect();
    let of_paper = judged[..SIGNIFICANT.len()]
        .iter()
        .filter(|judged| judged.real() > 0)
        .count();
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let within = |ranks| {
        share(
            found.iter().filter(|judged| judged.within(ranks)).count(),
            found.len(),
        )
    };
    let reported: usize = judged.iter().map(|judged| judged.errors.len()).sum();
    let real: usize = judged.iter().map(Judged::real).sum();
    let unknown = judged
        .iter()
        .flat_map(|judged| &judged.errors)
        .filter(|error| error.is_none())
        .count();
    println!(
        "\n{:<44} {:>10} {:>14} {:>10}",
        "", "paper", "later work", "ours"
    );
    let line = |what: &str, paper: &str, later: &str, ours: String| {
        println!("{what:<44} {paper:>10} {later:>14} {ours:>10}");
    };
    line(
        "functions with significant errors, of 88",
        "42",
        "44",
        found.len().to_string(),
    );
    line("  of the paper's 42", "42", "", of_paper.to_string());
    line(
        "found by the input ranked first",
        "74 %",
        "",
        format!("{:.1} %", within(1)),
    );
    line(
        "found by the first four",
        "95 %",
        "",
        format!("{:.1} %", within(4)),
    );
    line(
        "reported inputs that are real",
        "",
        "99.6 %",
        format!("{:.1} %", share(real, reported)),
    );
    let seconds = cpu.as_secs_f64() / searched as f64;
    line(
        "seconds a function, confirmation included",
        "0.34",
        "0.14",
        format!("{seconds:.3}"),
    );
    println!(
        "\n{reported} inputs reported, {real} real, {unknown} at which mpmath knows no value (poles, or too slow; \
         counted as not real); {searched} functions searched in {:.1} s of processor time",
        cpu.as_secs_f64()
    );
}
