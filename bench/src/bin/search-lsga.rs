//! LSGA's evaluation (ICSE 2015, Tables IV and V) again: which strategy finds the largest error in GSL's functions of
//! several parameters, with the same number of runs? The sign test shows whether that was chance.
//!
//! Errors are those of the shadow oracle, as in the paper. The text of the paper at hand lost its digits: what
//! is left of its tables is printed next to ours.

use std::{collections::BTreeMap, process::ExitCode};

use clap::Parser;
use lostbits_bench::{searched, searched::Report};

#[derive(Parser)]
struct Options {
    /// Runs of each function and strategy.
    #[arg(long, default_value_t = 2000)]
    runs: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parallel jobs of make and of the search.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

const CALLS: &str = include_str!("../../calls/gsl-several.txt");
const STRATEGIES: [&str; 4] = ["random", "genetic", "lsga", "roots"];

fn main() -> ExitCode {
    match bench(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench-lsga: {reason}");
            ExitCode::from(2)
        }
    }
}

fn bench(options: &Options) -> Result<(), String> {
    let library = searched::library(options.jobs)?;
    let calls: Vec<String> = CALLS.lines().map(str::to_owned).collect();
    let mut errors: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for strategy in STRATEGIES {
        let (runs, seed, jobs) = (
            options.runs.to_string(),
            options.seed.to_string(),
            options.jobs.to_string(),
        );
        let flags = [
            "--strategy",
            strategy,
            "--runs",
            &runs,
            "--seed",
            &seed,
            "-j",
            &jobs,
            // Everything counts here, however small.
            "--significant",
            "1e-17",
            "--top",
            "1",
            // Some of these functions loop almost for ever on random inputs.
            "--patience",
            "0.02",
        ];
        let (report, cost) = searched::search(&library, &calls, &flags)?;
        eprintln!(
            "{strategy}: {:.1} s of processor time",
            cost.cpu.as_secs_f64()
        );
        errors.insert(strategy, largest(&report));
    }
    println!(
        "{:<52} {:>9} {:>9} {:>9} {:>9}",
        "largest relative error found", "random", "genetic", "lsga", "roots"
    );
    for (index, call) in calls.iter().enumerate() {
        print!("{call:<52}");
        for strategy in STRATEGIES {
            print!(" {:>9.2e}", errors[strategy][index]);
        }
        println!();
    }
    println!("\nlargest of all four, alone: {}", winners(&errors));
    println!("  (paper, of its three: lsga in the majority, then genetic, then random)");
    println!(
        "\n{:<20} {:>7} {:>7} {:>5} {:>10}  {:<20} {:<28}",
        "sign test", "better", "worse", "tied", "p", "ours", "paper"
    );
    for (a, b, paper) in [
        ("lsga", "random", "significant, p = ?.14e-??"),
        ("lsga", "genetic", "significant, p = ?.46e-??"),
        ("genetic", "random", "significant, p = ?.52e-??"),
        ("roots", "random", ""),
        ("roots", "genetic", ""),
        ("roots", "lsga", ""),
    ] {
        let (better, worse, tied) = compared(&errors[a], &errors[b]);
        let chance = sign_test(better, worse);
        println!(
            "{:<20} {better:>7} {worse:>7} {tied:>5} {chance:>10.2e}  {:<20} {paper}",
            format!("{a} vs. {b}"),
            if chance < SIGNIFICANT {
                "significant"
            } else {
                "may be chance"
            },
        );
    }
    Ok(())
}

/// The usual threshold, the paper's too.
const SIGNIFICANT: f64 = 0.05;

fn largest(report: &Report) -> Vec<f64> {
    let of = |call: &searched::Call| {
        let errors = call.findings.iter().map(|finding| finding.error());
        errors.fold(0.0, f64::max)
    };
    report.calls.iter().map(of).collect()
}

/// Errors this close are the same.
fn is_tie(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.max(b)
}

fn winners(errors: &BTreeMap<&str, Vec<f64>>) -> String {
    let count = errors.values().next().map_or(0, Vec::len);
    let mut wins: BTreeMap<&str, usize> = STRATEGIES.iter().map(|name| (*name, 0)).collect();
    let mut ties = 0;
    let row = |index: usize| STRATEGIES.map(|name| (name, errors[name][index]));
    for errors in (0..count).map(row) {
        let best = errors.iter().map(|(_, error)| *error).fold(0.0, f64::max);
        let mut leaders = errors.iter().filter(|(_, error)| is_tie(*error, best));
        match (leaders.next(), leaders.next()) {
            (Some((alone, _)), None) => *wins.entry(*alone).or_default() += 1,
            _ => ties += 1,
        }
    }
    let words: Vec<String> = STRATEGIES
        .iter()
        .map(|name| format!("{name} {}", wins[name]))
        .collect();
    format!("{}, tied {ties}", words.join(", "))
}

fn compared(a: &[f64], b: &[f64]) -> (u32, u32, u32) {
    let mut counts = (0, 0, 0);
    for (a, b) in a.iter().zip(b) {
        if is_tie(*a, *b) {
            counts.2 += 1;
        } else if a > b {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
    }
    counts
}

/// The two-sided probability of a split at least this uneven by chance.
fn sign_test(better: u32, worse: u32) -> f64 {
    let all = better + worse;
    let (mut term, mut sum) = (0.5f64.powi(all as i32), 0.0);
    for k in 0..=better.min(worse) {
        sum += term;
        term *= f64::from(all - k) / f64::from(k + 1);
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_test_is_the_binomials() {
        assert_eq!(sign_test(5, 5), 1.0);
        assert!((sign_test(10, 0) - 2.0 / 1024.0).abs() < 1e-12);
        assert!((sign_test(8, 2) - 2.0 * 56.0 / 1024.0).abs() < 1e-12);
    }

    #[test]
    fn ties_are_not_wins() {
        assert_eq!(compared(&[1.0, 2.0, 0.0], &[1.0, 1.0, 3.0]), (1, 1, 1));
    }
}
