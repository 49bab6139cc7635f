//! What the user of `lostbits explain` waits for: CPU time of the whole command, compilers included, against the program's
//! own, with every pass that the command made and why.
//!
//! The thirteen kernels that the instrumentation was tuned on, and the programs of `bench/time`, which it was not. Each
//! is compiled with `-O2`; the fastest of some native runs counts. What cannot be compared is shown with its reason; missed
//! targets are shown and are no error. A second table has what the compiler takes for one object, and the object's size.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use clap::Parser;
use lostbits_abi::environment;
use lostbits_bench::{
    command::{self, Cost},
    geometric_mean, table, tools,
};
use serde::Deserialize;

/// Files with the argument that makes a program run for about a second, and one that makes it run a tenth of that.
const KERNELS: [(&str, u64, u64); 13] = [
    ("kernels/dense.c", 60, 6),
    ("kernels/sparse.c", 12, 1),
    ("kernels/fft.c", 1800, 180),
    ("kernels/nbody.c", 2_000_000, 200_000),
    ("kernels/stencil.c", 3000, 300),
    ("kernels/mandelbrot.c", 640, 200),
    ("kernels/ode.c", 4_000_000, 400_000),
    ("kernels/montecarlo.c", 500_000, 50_000),
    ("kernels/branches.c", 20, 2),
    ("kernels/structs.c", 2000, 600),
    ("kernels/floats.c", 650, 65),
    ("kernels/arrays.f90", 36_000, 3600),
    ("kernels/particles.rs", 1900, 190),
];

const OTHERS: [(&str, u64, u64); 20] = [
    ("time/lu.c", 1000, 100),
    ("time/cg.c", 200, 20),
    ("time/jacobi.c", 60_000, 6000),
    ("time/iir.c", 500_000_000, 50_000_000),
    ("time/verlet.c", 750_000_000, 75_000_000),
    ("time/gram_schmidt.c", 600, 60),
    ("time/fft.c", 350, 35),
    ("time/newton.c", 120_000_000, 12_000_000),
    ("time/cholesky.c", 1400, 140),
    ("time/heat.c", 120_000, 12_000),
    ("time/lorenz.c", 48_000_000, 4_800_000),
    ("time/kmeans.c", 7500, 750),
    ("time/simpson.c", 22_000_000, 2_200_000),
    ("time/legendre.c", 9500, 3000),
    ("time/power.c", 4500, 450),
    ("time/options.c", 1_300_000, 130_000),
    ("time/kalman.c", 90_000_000, 9_000_000),
    ("time/variance.c", 1_000_000_000, 100_000_000),
    ("time/wave.f90", 25_000, 2500),
    ("time/spheres.rs", 4100, 1300),
];

/// For whole commands: without findings, with findings and their proofs, and for any.
const TARGETS: [(&str, f64); 3] = [("clean", 6.0), ("findings", 30.0), ("worst", 100.0)];
/// For the first run.
const FIRST_TARGETS: [f64; 2] = [10.0, 40.0];
/// For compiling: time, and the size of the object.
const COMPILE_TARGETS: [f64; 2] = [3.0, 5.0];
/// The builds that are compared with the plain one, and the setting of each.
const BUILDS: [(&str, Option<&str>); 3] = [
    ("detects", Some(environment::DETECT)),
    ("explains", None),
    ("measures", Some(environment::MEASURE)),
];
/// Times the program's own memory, besides [`MEMORY_BASE`] kilobytes.
const MEMORY_TARGET: f64 = 4.0;
const MEMORY_BASE: u64 = 128 * 1024;
/// What version 0.1 took, as others measured it on programs of their own.
const EARLIER: &str = "0.1: first run 14x to 64x, mean 21; whole command 600x to 7,000x whenever something stayed undecided \
(8 of 11 programs)";

/// Measures whole commands.
#[derive(Parser)]
struct Options {
    /// Only programs whose path contains this (repeatable).
    #[arg(long)]
    only: Vec<String>,
    /// Runs of a tenth of the length: compiling and the fixed part of the time budget weigh more.
    #[arg(long)]
    quick: bool,
    /// Native runs; the fastest counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    reps: u32,
    /// `lostbits watch`, too.
    #[arg(long)]
    watch: bool,
    /// Options of `lostbits explain`, separated by blanks.
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    explain: String,
}

fn main() -> ExitCode {
    match measure(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("time: {problem}");
            ExitCode::from(2)
        }
    }
}

/// What is read of a report.
#[derive(Deserialize)]
struct Report {
    verdict: String,
    passes: Vec<Pass>,
}

#[derive(Deserialize)]
struct Pass {
    purpose: String,
    bits: Option<u32>,
    compile_seconds: f64,
    processor_seconds: f64,
    cut_off: bool,
}

struct Measured {
    native: Cost,
    whole: Cost,
    waited: Duration,
    /// The whole command `lostbits watch` against native, where it is asked for.
    watch: Option<f64>,
    report: Report,
    compiled: Compiled,
}

/// One object: CPU seconds and bytes of the plain build and of those in [`BUILDS`].
struct Compiled {
    plain: (f64, u64),
    builds: [(f64, u64); BUILDS.len()],
}

impl Compiled {
    fn time_ratio(&self, build: usize) -> f64 {
        self.builds[build].0 / self.plain.0
    }

    fn size_ratio(&self, build: usize) -> f64 {
        self.builds[build].1 as f64 / self.plain.1 as f64
    }

    fn row(&self, file: &str) -> Vec<String> {
        let mut row = vec![
            file.to_owned(),
            format!("{:.2}", self.plain.0),
            format!("{:.0}", self.plain.1 as f64 / 1024.0),
        ];
        for build in 0..BUILDS.len() {
            row.push(format!("{:.1}", self.time_ratio(build)));
            row.push(format!("{:.1}", self.size_ratio(build)));
        }
        row
    }
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.whole.cpu.as_secs_f64() / self.native.cpu.as_secs_f64()
    }

    /// The user's run, which may only detect.
    fn first_ratio(&self) -> f64 {
        self.report.passes[0].processor_seconds / self.native.cpu.as_secs_f64()
    }

    /// The run that explains, if one did and was not cut off.
    fn explaining_ratio(&self) -> Option<f64> {
        let mut passes = self.report.passes.iter();
        let pass = passes.find(|pass| {
            ["first run", "explanation"].contains(&pass.purpose.as_str()) && !pass.cut_off
        })?;
        Some(pass.processor_seconds / self.native.cpu.as_secs_f64())
    }

    fn memory_above_base(&self) -> f64 {
        let above = self.whole.resident_kilobytes.saturating_sub(MEMORY_BASE);
        above as f64 / self.native.resident_kilobytes as f64
    }

    fn row(&self, file: &str) -> Vec<String> {
        let passes = &self.report.passes;
        let compiling: f64 = passes.iter().map(|pass| pass.compile_seconds).sum();
        let memory = self.whole.resident_kilobytes as f64 / self.native.resident_kilobytes as f64;
        vec![
            file.to_owned(),
            format!("{:.2}", self.native.cpu.as_secs_f64()),
            format!("{:.2}", self.whole.cpu.as_secs_f64()),
            format!("{:.1}", self.waited.as_secs_f64()),
            format!("{:.1}", self.ratio()),
            format!("{:.1}", self.first_ratio()),
            self.explaining_ratio()
                .map_or("-".to_owned(), |ratio| format!("{ratio:.1}")),
            self.watch
                .map_or("-".to_owned(), |ratio| format!("{ratio:.1}")),
            format!("{compiling:.1}"),
            format!("{memory:.1}"),
            self.report.verdict.clone(),
            describe(passes),
        ]
    }
}

/// The passes in the order of their first occurrence, with how many there were.
fn describe(passes: &[Pass]) -> String {
    let name = |pass: &Pass| {
        let bits = pass.bits.map_or(String::new(), |bits| format!(" {bits}"));
        let cut_off = if pass.cut_off { " (cut off)" } else { "" };
        format!("{}{bits}{cut_off}", pass.purpose)
    };
    let mut names: Vec<String> = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in passes.iter().map(name) {
        let count = counts.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            names.push(name);
        }
    }
    let shown = names.iter().map(|name| match counts[name] {
        1 => name.clone(),
        count => format!("{count} x {name}"),
    });
    shown.collect::<Vec<String>>().join(", ")
}

fn measure(options: &Options) -> Result<(), String> {
    for (title, programs) in [
        (
            "kernels that the instrumentation was tuned on",
            &KERNELS[..],
        ),
        ("other programs", &OTHERS[..]),
    ] {
        let is_chosen = |file: &str| {
            options.only.is_empty() || options.only.iter().any(|part| file.contains(part))
        };
        let chosen: Vec<_> = programs
            .iter()
            .filter(|(file, ..)| is_chosen(file))
            .collect();
        if chosen.is_empty() {
            continue;
        }
        let mut all = Vec::new();
        for (file, full, quick) in chosen {
            let size = if options.quick { quick } else { full };
            let measured = measure_one(file, *size, options)?;
            eprintln!("{}", measured.row(file).join("  "));
            all.push((*file, measured));
        }
        summarise(title, &all);
    }
    println!("{EARLIER}");
    Ok(())
}

fn summarise(title: &str, all: &[(&str, Measured)]) {
    println!("{title}, CPU time, -O2");
    let header = [
        "program",
        "native s",
        "whole s",
        "waited s",
        "ratio",
        "first run",
        "explaining",
        "watch",
        "compile s",
        "memory",
        "verdict",
        "passes",
    ];
    let rows: Vec<Vec<String>> = all.iter().map(|(file, one)| one.row(file)).collect();
    print!("{}", table::render(&header, &rows));
    let compare = |name: &str, ratios: &[f64], target: f64| {
        let Some(mean) = geometric_mean(ratios) else {
            return;
        };
        let verdict = if mean <= target { "met" } else { "missed" };
        println!(
            "{name}: {mean:.1} over {} (target {target}: {verdict})",
            ratios.len()
        );
    };
    for (verdict, target) in &TARGETS[..2] {
        let of = all.iter().filter(|(_, one)| one.report.verdict == *verdict);
        let ratios: Vec<f64> = of.map(|(_, one)| one.ratio()).collect();
        compare(
            &format!("whole command, {verdict}, geometric mean"),
            &ratios,
            *target,
        );
    }
    let largest = |ratios: &[f64]| ratios.iter().copied().fold(0.0, f64::max);
    let whole: Vec<f64> = all.iter().map(|(_, one)| one.ratio()).collect();
    compare("whole command, worst", &[largest(&whole)], TARGETS[2].1);
    let first: Vec<f64> = all.iter().map(|(_, one)| one.first_ratio()).collect();
    compare("first run, geometric mean", &first, FIRST_TARGETS[0]);
    compare("first run, worst", &[largest(&first)], FIRST_TARGETS[1]);
    let explaining: Vec<f64> = all
        .iter()
        .filter_map(|(_, one)| one.explaining_ratio())
        .collect();
    compare(
        "run that explains, geometric mean",
        &explaining,
        FIRST_TARGETS[0],
    );
    let memory: Vec<f64> = all.iter().map(|(_, one)| one.memory_above_base()).collect();
    compare(
        "memory without the fixed 128 MiB, worst",
        &[largest(&memory)],
        MEMORY_TARGET,
    );
    let undecided = all
        .iter()
        .filter(|(_, one)| one.report.verdict == "undecided")
        .count();
    println!("undecided: {undecided} of {}\n", all.len());
    summarise_compiling(all);
}

fn summarise_compiling(all: &[(&str, Measured)]) {
    println!("compiling one object with -g, CPU time and size against the plain build");
    let mut header = vec!["program".to_owned(), "plain s".into(), "plain KiB".into()];
    for (name, _) in BUILDS {
        header.extend([format!("{name}: time"), "size".into()]);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(file, one)| one.compiled.row(file))
        .collect();
    print!("{}", table::render(&header, &rows));
    for (build, (name, _)) in BUILDS.iter().enumerate() {
        let means = [Compiled::time_ratio, Compiled::size_ratio].map(|ratio| {
            let ratios: Vec<f64> = all
                .iter()
                .map(|(_, one)| ratio(&one.compiled, build))
                .collect();
            geometric_mean(&ratios).unwrap_or(f64::NAN)
        });
        let is_met = means
            .iter()
            .zip(COMPILE_TARGETS)
            .all(|(of, most)| *of <= most);
        println!(
            "{name}, geometric mean: time {:.1}, size {:.1} (targets {} and {}: {})",
            means[0],
            means[1],
            COMPILE_TARGETS[0],
            COMPILE_TARGETS[1],
            if is_met { "met" } else { "missed" }
        );
    }
    println!();
}

fn measure_one(file: &str, size: u64, options: &Options) -> Result<Measured, String> {
    let source = tools::repository().join("bench").join(file);
    let folder = tools::repository().join("build/time");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let native = compile(&source, &folder)?;
    let mut best: Option<Cost> = None;
    for _ in 0..options.reps {
        let cost = command::run_well(Command::new(&native).arg(size.to_string()))?.cost;
        if best.is_none_or(|best| cost.cpu < best.cpu) {
            best = Some(cost);
        }
    }
    let path = folder.join("report.json");
    let mut command = Command::new(tools::lostbits()?);
    command
        .args(["explain", "--format", "json", "--report"])
        .arg(&path)
        .args(options.explain.split_whitespace())
        .arg(&source)
        .args(flags(&source))
        .args(["--", &size.to_string()])
        .env_remove("LOSTBITS_OUT");
    let start = Instant::now();
    let finished = command::run(&mut command)?;
    let waited = start.elapsed();
    let text = fs::read_to_string(&path).map_err(|error| {
        let said = String::from_utf8_lossy(&finished.stderr);
        format!("{file}: no report ({error}): {said}")
    })?;
    let _ = fs::remove_file(&path);
    let report: Report = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    if report.passes.is_empty() {
        return Err(format!("{file}: the report lists no passes"));
    }
    let native = best.expect("at least one run");
    let watch = options
        .watch
        .then(|| measure_watch(&source, size, native))
        .transpose()?;
    Ok(Measured {
        native,
        whole: finished.cost,
        waited,
        watch,
        report,
        compiled: compile_objects(&source, &folder)?,
    })
}

fn measure_watch(source: &Path, size: u64, native: Cost) -> Result<f64, String> {
    let mut command = Command::new(tools::lostbits()?);
    command
        .arg("watch")
        .arg(source)
        .args(flags(source))
        .args(["--", &size.to_string()])
        .env_remove("LOSTBITS_OUT");
    let cost = command::run(&mut command)?.cost;
    Ok(cost.cpu.as_secs_f64() / native.cpu.as_secs_f64())
}

/// The fastest of three compilations for each build, by turns.
fn compile_objects(source: &Path, folder: &Path) -> Result<Compiled, String> {
    let object = folder.join("object.o");
    let compile = |mode: &str, setting: Option<&str>| -> Result<(f64, u64), String> {
        let mut compiler = compiler_of(source, mode)?;
        let stop = match verb(source) {
            "rustc" => "--emit=obj",
            _ => "-c",
        };
        compiler.arg(stop).arg("-o").arg(&object);
        compiler.envs(setting.map(|name| (name, "1")));
        let finished = command::run_well(&mut compiler)?;
        let size =
            fs::metadata(&object).map_err(|error| format!("{}: {error}", object.display()))?;
        Ok((finished.cost.cpu.as_secs_f64(), size.len()))
    };
    let mut plain = (f64::INFINITY, 0);
    let mut builds = [(f64::INFINITY, 0); BUILDS.len()];
    let keep = |best: &mut (f64, u64), one: (f64, u64)| *best = (best.0.min(one.0), one.1);
    for _ in 0..3 {
        keep(&mut plain, compile("off", None)?);
        for (best, (_, setting)) in builds.iter_mut().zip(BUILDS) {
            keep(best, compile("explain", setting)?);
        }
    }
    Ok(Compiled { plain, builds })
}

fn verb(source: &Path) -> &'static str {
    match source.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => "rustc",
        Some("f90") => "fc",
        _ => "cc",
    }
}

/// A command that compiles a program, without the output.
fn compiler_of(source: &Path, mode: &str) -> Result<Command, String> {
    let mut compiler = Command::new(tools::lostbits()?);
    compiler
        .args([verb(source), &format!("--lostbits-mode={mode}")])
        .arg(source)
        .args(flags(source));
    Ok(compiler)
}

fn flags(source: &Path) -> &'static [&'static str] {
    match source.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => &["-Copt-level=2", "-g"],
        Some("f90") => &["-O2", "-g"],
        _ => &["-O2", "-g", "-lm"],
    }
}

/// Compiles without instrumentation, by the compilers that lostbits uses.
fn compile(source: &Path, folder: &Path) -> Result<PathBuf, String> {
    let program = folder.join(source.with_extension("").file_name().unwrap_or_default());
    let mut compiler = compiler_of(source, "off")?;
    compiler.arg("-o").arg(&program);
    let finished = command::run(&mut compiler)?;
    match finished.status.success() {
        true => Ok(program),
        false => Err(format!(
            "{} does not compile: {}",
            source.display(),
            String::from_utf8_lossy(&finished.stderr)
        )),
    }
}
