//! The price of `lostbits explain` on FPBench: CPU time of its cores, instrumented against plain, where the paper
//! measured its 574 times.
//!
//! Two figures, because the paper does not describe its driver. An evaluation in a long run of the [`timed`] program, by
//! the program's own clock: nothing but the cores, at -O2, on inputs in memory. And a whole command, from its start to
//! its report, on 8000 inputs, as the driver in Herbgrind's repository has it; there the plain program is mostly
//! busy with starting. Neither has the further runs that decide what the first cannot.
//!
//! Plain and instrumented runs take turns; the fastest of each counts.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use lostbits::inputs::{Sample, sample};

use super::{
    FLAGS, Subject,
    timed::{self, Timed},
    truth::lengths,
};
use crate::{command, geometric_mean, table};

/// What the paper gives for FPBench. It does not say which mean that is.
const HERBGRIND: f64 = 574.0;
/// Operations of all inputs of a core together, unless those are very few.
const OPERATIONS: u64 = 100_000;
const FEWEST: usize = 4;

/// How a program is built and run.
struct Way {
    title: &'static str,
    mode: &'static str,
    precision: Option<&'static str>,
    /// Nanoseconds that a long run takes at least: the clock's resolution and a cold cache are negligible.
    shortest: u64,
}

const WAYS: [Way; 3] = [
    Way {
        title: "native",
        mode: "off",
        precision: None,
        shortest: 20_000_000,
    },
    Way {
        title: "explain",
        mode: "explain",
        precision: None,
        shortest: 60_000_000,
    },
    Way {
        title: "1000 bits",
        mode: "explain-reals",
        precision: Some("1000"),
        shortest: 100_000_000,
    },
];

/// Evaluations of a whole command, as in Herbgrind's driver; fewer where they would take longer than [`PATIENCE`].
const INPUTS: u64 = 8000;
/// Nanoseconds.
const PATIENCE: f64 = 5e8;

/// One core's nanoseconds, by build.
pub struct Price {
    file: String,
    name: String,
    inputs: usize,
    /// Of an evaluation.
    each: [f64; WAYS.len()],
    /// Of a whole command.
    whole: [f64; WAYS.len()],
}

/// The figure by which two prices are compared.
type Figure = fn(&Price) -> [f64; WAYS.len()];

fn each(price: &Price) -> [f64; WAYS.len()] {
    price.each
}

fn whole(price: &Price) -> [f64; WAYS.len()] {
    price.whole
}

impl Price {
    fn slowdown(&self, figure: Figure, way: usize) -> f64 {
        let nanoseconds = figure(self);
        nanoseconds[way] / nanoseconds[0]
    }
}

/// How many inputs are drawn and how often each is measured.
pub struct Effort {
    pub samples: usize,
    pub seed: u64,
    pub turns: u32,
}

/// Prices of all cores that can be measured; the others are named on standard error.
pub fn prices(
    lostbits: &Path,
    subjects: &[Subject],
    effort: &Effort,
) -> Result<Vec<Price>, String> {
    let mut prices = Vec::new();
    for of_file in subjects.chunk_by(|one, other| one.file == other.file) {
        let cores: Vec<Timed> = of_file
            .iter()
            .filter_map(|subject| timed(subject, effort))
            .collect();
        let Some(first) = cores.first() else {
            continue;
        };
        let programs = programs(lostbits, &cores, &first.subject.source)?;
        for (number, core) in cores.iter().enumerate() {
            let price = price(lostbits, core, number, &programs, effort.turns)?;
            eprintln!(
                "{}: {} ({:.1}, {:.1})",
                price.file,
                price.name,
                price.slowdown(each, 1),
                price.slowdown(each, 2)
            );
            prices.push(price);
        }
    }
    match prices.is_empty() {
        true => Err("no core can be measured".to_owned()),
        false => Ok(prices),
    }
}

/// A core with inputs for which it ends soon.
fn timed<'a>(subject: &'a Subject, effort: &Effort) -> Option<Timed<'a>> {
    match inputs(subject, effort) {
        Ok(samples) => Some(Timed { subject, samples }),
        Err(reason) => {
            eprintln!(
                "{}: {} is not measured: {reason}",
                subject.file,
                subject.name()
            );
            None
        }
    }
}

fn inputs(subject: &Subject, effort: &Effort) -> Result<Vec<Sample>, String> {
    if !timed::is_timeable(&subject.function) {
        return Err("its arguments are arrays, or none".to_owned());
    }
    let drawn = sample(&subject.core, &[], effort.samples, effort.seed)
        .map_err(|problem| problem.to_string())?;
    let lengths = lengths(subject, &drawn);
    let mut operations = 0;
    let mut inputs = Vec::new();
    for (sample, length) in drawn.into_iter().zip(lengths) {
        let Some(length) = length else {
            continue;
        };
        operations += length;
        if operations > OPERATIONS && inputs.len() >= FEWEST {
            break;
        }
        inputs.push(sample);
    }
    match inputs.is_empty() {
        true => Err("it does not end soon".to_owned()),
        false => Ok(inputs),
    }
}

/// The file's program in every build.
fn programs(
    lostbits: &Path,
    cores: &[Timed],
    beside: &Path,
) -> Result<[PathBuf; WAYS.len()], String> {
    let source = beside.with_file_name(format!("{}-timed.c", cores[0].subject.file));
    fs::write(&source, timed::program(cores)?)
        .map_err(|error| format!("{}: {error}", source.display()))?;
    let mut programs = WAYS.map(|way| source.with_extension(way.mode));
    for (way, program) in WAYS.iter().zip(&mut programs) {
        let mut compiler = Command::new(lostbits);
        compiler
            .arg("cc")
            .arg(format!("--lostbits-mode={}", way.mode))
            .env_remove("LOSTBITS_MODE")
            .arg("-o")
            .args([&*program, &source])
            .args(FLAGS);
        let finished = command::run_well(&mut compiler)?;
        if !finished.status.success() {
            return Err(format!(
                "{} does not build in mode {}:\n{}",
                source.display(),
                way.mode,
                String::from_utf8_lossy(&finished.stderr).trim_end()
            ));
        }
    }
    Ok(programs)
}

fn price(
    lostbits: &Path,
    core: &Timed,
    number: usize,
    programs: &[PathBuf],
    turns: u32,
) -> Result<Price, String> {
    let samples = core.samples.len() as f64;
    let mut rounds = [0; WAYS.len()];
    for (index, (way, program)) in WAYS.iter().zip(programs).enumerate() {
        rounds[index] = enough(way, program, number)?;
    }
    let each = fastest(turns, |index| {
        let spent = spent(&WAYS[index], &programs[index], number, rounds[index])?;
        Ok(spent as f64 / (rounds[index] as f64 * samples))
    })?;
    let slowest = each.iter().copied().fold(0.0, f64::max);
    let evaluations = (PATIENCE / slowest).min(INPUTS as f64);
    let rounds = (evaluations / samples).ceil().max(1.0) as u64;
    let whole = fastest(turns, |index| {
        spent_in_all(lostbits, &WAYS[index], &programs[index], number, rounds)
    })?;
    Ok(Price {
        file: core.subject.file.clone(),
        name: core.subject.name(),
        inputs: core.samples.len(),
        each,
        whole,
    })
}

/// All builds in turn; the fastest run of each counts.
fn fastest(
    turns: u32,
    measure: impl Fn(usize) -> Result<f64, String>,
) -> Result<[f64; WAYS.len()], String> {
    let mut fastest = [f64::INFINITY; WAYS.len()];
    for _ in 0..turns {
        for (index, fastest) in fastest.iter_mut().enumerate() {
            *fastest = fastest.min(measure(index)?);
        }
    }
    Ok(fastest)
}

/// The number of rounds that makes a run long enough.
fn enough(way: &Way, program: &Path, number: usize) -> Result<u64, String> {
    let mut rounds = 1;
    loop {
        let spent = spent(way, program, number, rounds)?;
        if spent >= way.shortest {
            return Ok(rounds);
        }
        // A short run predicts a long one poorly, so the number grows in several steps.
        rounds = (rounds * way.shortest * 5 / 4 / spent.max(1)).clamp(rounds + 1, rounds * 50);
    }
}

/// Nanoseconds of a number of rounds of a core.
fn spent(way: &Way, program: &Path, number: usize, rounds: u64) -> Result<u64, String> {
    let mut command = Command::new(program);
    command
        .args([number.to_string(), rounds.to_string()])
        .env_remove("LOSTBITS_OUT")
        .env_remove("LOSTBITS_PRECISION");
    if let Some(bits) = way.precision {
        command.env("LOSTBITS_PRECISION", bits);
    }
    let finished = command::run(&mut command)?;
    let text = String::from_utf8_lossy(&finished.stdout);
    text.trim()
        .parse()
        .map_err(|_| format!("{} printed `{}`", program.display(), text.trim()))
}

/// Nanoseconds of the whole command that an analysis is.
fn spent_in_all(
    lostbits: &Path,
    way: &Way,
    program: &Path,
    number: usize,
    rounds: u64,
) -> Result<f64, String> {
    let mut command = match way.mode {
        "off" => Command::new(program),
        _ => Command::new(lostbits),
    };
    if way.mode != "off" {
        command.arg("explain");
        command.args(way.precision.iter().flat_map(|bits| ["--precision", bits]));
        command.arg(program).arg("--");
    }
    let finished = command::run(command.args([number.to_string(), rounds.to_string()]))?;
    // With or without findings, decided or not.
    if !matches!(finished.status.code(), Some(0 | 1 | 3)) {
        return Err(format!(
            "explaining {} ended with {}: {}",
            program.display(),
            finished.status,
            String::from_utf8_lossy(&finished.stderr).trim_end()
        ));
    }
    Ok(finished.cost.cpu.as_nanos() as f64)
}

/// One line for each file, then means over all cores, compared with the paper.
pub fn table(prices: &[Price]) -> String {
    let header = [
        "file",
        "cores",
        "native ns",
        "explain",
        "worst",
        "1000 bits",
        "worst",
        "explain, whole",
        "1000 bits, whole",
    ];
    let mut rows: Vec<Vec<String>> = prices
        .chunk_by(|one, other| one.file == other.file)
        .map(|of_file| row(&of_file[0].file, of_file))
        .collect();
    rows.push(row("all cores", prices));
    let mut text = table::render(&header, &rows);
    text += "Nanoseconds of an evaluation in a long run, and how many times as many it takes explained (geometric means, and the \
worst core);\nwhole: CPU time of a whole command on 8000 inputs, from its start to its report.\n";
    let figures: [(&str, Figure); 2] = [("long run", each), ("whole command", whole)];
    for (title, figure) in figures {
        for (index, way) in WAYS.iter().enumerate().skip(1) {
            let sum: f64 = prices.iter().map(|one| one.slowdown(figure, index)).sum();
            let worst = worst(prices, figure, index);
            text += &format!(
                "{}, {title}: geometric mean {:.1}, arithmetic {:.1}, worst {:.1} ({}); Herbgrind {HERBGRIND:.0}\n",
                way.title,
                mean(prices, figure, index),
                sum / prices.len() as f64,
                worst.slowdown(figure, index),
                worst.name
            );
        }
    }
    text
}

fn row(title: &str, prices: &[Price]) -> Vec<String> {
    let native: Vec<f64> = prices.iter().map(|price| price.each[0]).collect();
    let native = geometric_mean(&native).expect("a core at least");
    let mut figures = vec![native];
    for way in 1..WAYS.len() {
        figures.push(mean(prices, each, way));
        figures.push(worst(prices, each, way).slowdown(each, way));
    }
    figures.extend((1..WAYS.len()).map(|way| mean(prices, whole, way)));
    let cells = figures.iter().map(|figure| format!("{figure:.1}"));
    [title.to_owned(), prices.len().to_string()]
        .into_iter()
        .chain(cells)
        .collect()
}

fn mean(prices: &[Price], figure: Figure, way: usize) -> f64 {
    let slowdowns = prices.iter().map(|price| price.slowdown(figure, way));
    geometric_mean(&slowdowns.collect::<Vec<f64>>()).expect("a core at least")
}

fn worst(prices: &[Price], figure: Figure, way: usize) -> &Price {
    let slowdown = |price: &&Price| price.slowdown(figure, way);
    let slower = |one: &&Price, other: &&Price| slowdown(one).total_cmp(&slowdown(other));
    prices.iter().max_by(slower).expect("a core at least")
}

/// Every core, as tab-separated values.
pub fn lines(prices: &[Price]) -> String {
    let mut text = "file\tcore\tinputs".to_owned();
    for unit in ["each", "whole"] {
        for way in &WAYS {
            text += &format!("\t{} ns {unit}", way.title);
        }
    }
    text += "\n";
    for price in prices {
        text += &format!("{}\t{}\t{}", price.file, price.name, price.inputs);
        for nanoseconds in price.each.iter().chain(&price.whole) {
            text += &format!("\t{nanoseconds:.2}");
        }
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(name: &str, each: [f64; WAYS.len()]) -> Price {
        Price {
            file: "some".to_owned(),
            name: name.to_owned(),
            inputs: 1,
            each,
            whole: [1e6, 2e6, 3e6],
        }
    }

    #[test]
    fn slowdowns_are_averaged_by_core() {
        let prices = [
            price("slow", [10.0, 80.0, 1000.0]),
            price("fast", [1000.0, 2000.0, 4000.0]),
        ];
        assert_eq!(worst(&prices, each, 1).name, "slow");
        let text = table(&prices);
        let row = "some           2      100.0      4.0    8.0       20.0  100.0             2.0               3.0";
        assert!(text.lines().any(|line| line == row), "{text}");
        assert!(
            text.contains("explain, long run: geometric mean 4.0, arithmetic 5.0, worst 8.0 (slow); Herbgrind 574\n"),
            "{text}"
        );
    }
}
