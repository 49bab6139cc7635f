//! The price of instrumentation: CPU time and memory of kernels against native at the same flags, and
//! CPU time of compiling against the plain compiler.
//!
//! Native and instrumented runs take turns, so that a machine that slows down slows both; the fastest of
//! each counts, because everything else that happens only adds time. Targets are printed next to the
//! figures; a missed one is shown and is not an error.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use clap::Parser;
use lostbits_bench::{
    command::{self, Cost},
    compiling, geometric_mean, table, tools,
};

const CARRY_TARGET: f64 = 2.5;
const COMPILE_TARGET: f64 = 3.0;
/// Of mode `watch`: the mean over the kernels, the mean over other programs, and of no program.
const WATCH_TARGETS: [f64; 3] = [1.6, 2.0, 4.0];
/// The mean where most values are tagged.
const TAGGED_TARGET: f64 = 6.0;
/// Thresholds under which most values are: a sum in which 8 bits cancel sets a tag, and nothing suppresses one.
const TAGGED_THRESHOLDS: &str = "8,2000,8,2000";

/// Without this the table would be read as more than it is.
const WHAT_CARRY_CARRIES: &str = "In mode carry sums take a word of the runtime's as their tag, which is zero but opaque, and decisions look \
at tags; nothing else is computed. Masks that reach neither memory nor a decision are not computed either.";

/// What mode `watch` is compared with, and the setting that selects it.
const BASELINES: [(&str, &str); 2] = [
    ("cancellation", "LOSTBITS_WATCH_CANCELLATION_ONLY"),
    ("approximate", "LOSTBITS_WATCH_APPROXIMATE"),
];

/// Every kernel with the verb of `lostbits` that compiles it.
const KERNELS: [(&str, &str); 13] = [
    ("dense.c", "cc"),
    ("sparse.c", "cc"),
    ("fft.c", "cc"),
    ("nbody.c", "cc"),
    ("stencil.c", "cc"),
    ("mandelbrot.c", "cc"),
    ("ode.c", "cc"),
    ("montecarlo.c", "cc"),
    ("branches.c", "cc"),
    ("structs.c", "cc"),
    ("floats.c", "cc"),
    ("arrays.f90", "fc"),
    ("particles.rs", "rustc"),
];

/// Programs on which the instrumentation was not tuned, with arguments that make them run about a tenth of a second.
const OTHERS: [(&str, &str, u32); 10] = [
    ("lu.c", "cc", 100),
    ("gram_schmidt.c", "cc", 60),
    ("cholesky.c", "cc", 140),
    ("complex_roots.c", "cc", 6_000_000),
    ("fft.c", "cc", 35),
    ("kmeans.c", "cc", 750),
    ("interpreter.c", "cc", 100_000),
    ("cg.c", "cc", 20),
    ("wave.f90", "fc", 2500),
    ("iterators.rs", "rustc", 1500),
];

/// How large a kernel's argument is, and two small ones, for [`Options::estimate`]. The work grows with the
/// argument, or with its square.
struct Sizes {
    kernel: &'static str,
    full: u32,
    small: [u32; 2],
    is_side: bool,
}

const fn sizes(kernel: &'static str, full: u32, small: [u32; 2]) -> Sizes {
    Sizes {
        kernel,
        full,
        small,
        is_side: false,
    }
}

const fn sides(kernel: &'static str, full: u32, small: [u32; 2]) -> Sizes {
    Sizes {
        kernel,
        full,
        small,
        is_side: true,
    }
}

const SIZES: [Sizes; 13] = [
    sizes("dense.c", 60, [1, 2]),
    sizes("sparse.c", 12, [1, 2]),
    sizes("fft.c", 1800, [2, 5]),
    sizes("nbody.c", 2_000_000, [1000, 3000]),
    sizes("stencil.c", 3000, [3, 23]),
    sides("mandelbrot.c", 640, [32, 64]),
    sizes("ode.c", 4_000_000, [6000, 18_000]),
    sizes("montecarlo.c", 500_000, [1000, 3000]),
    sizes("branches.c", 20, [1, 3]),
    sides("structs.c", 2000, [60, 120]),
    sizes("floats.c", 650, [1, 6]),
    sizes("arrays.f90", 36_000, [20, 60]),
    sizes("particles.rs", 1900, [2, 5]),
];

/// Measures what instrumentation costs.
#[derive(Parser)]
struct Options {
    /// Modes, separated by commas. Those that watch is compared with: `cancellation` (no propagation), `approximate`
    /// (an estimated error for each value), and `reals`, which is calculated from small runs, at 128 bits
    /// unless LOSTBITS_PRECISION is set.
    #[arg(
        long,
        default_value = "carry,watch,cancellation,approximate,reals",
        value_delimiter = ','
    )]
    modes: Vec<String>,
    /// Flags of both builds, separated by blanks.
    #[arg(long, default_value = "-O2", allow_hyphen_values = true)]
    level: String,
    /// Runs of each build; the fastest counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    reps: u32,
    /// Only kernels and programs whose name contains this.
    #[arg(long, default_value = "")]
    kernel: String,
    /// Programs that were not tuned on instead of the kernels; for watch also with most values tagged.
    #[arg(long)]
    others: bool,
    /// For modes that are hundreds of times slower: instrumented programs run twice with small arguments, and
    /// the time of the whole is calculated from that.
    #[arg(long)]
    estimate: bool,
    /// Measure memory instead: of a short run, and of one ten times as long.
    #[arg(long)]
    memory: bool,
    /// Measure compiling GSL's specfunc and linalg instead.
    #[arg(long)]
    compile_time: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match measure_modes(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("overhead: {problem}");
            ExitCode::from(2)
        }
    }
}

fn measure_modes(options: &Options) -> Result<(), String> {
    let mut slowdowns = Vec::new();
    for mode in &options.modes {
        if options.compile_time {
            let measured = compiling::measure(mode)?;
            print!("{measured}");
            println!(
                "{}\n",
                compared_with_target(measured.ratio(), COMPILE_TARGET)
            );
        } else if options.memory {
            measure_memory(mode, options)?;
        } else if options.others {
            measure_others(mode, options)?;
        } else {
            slowdowns.push(measure_kernels(mode, options)?);
        }
    }
    if slowdowns.len() > 1 {
        print_side_by_side(options, &slowdowns);
    }
    Ok(())
}

/// The slowdowns of all modes, one column each.
fn print_side_by_side(options: &Options, slowdowns: &[Vec<f64>]) {
    let figures = |of: &dyn Fn(&Vec<f64>) -> f64| {
        let figure = |column| format!("{:.2}", of(column));
        slowdowns.iter().map(figure).collect::<Vec<String>>()
    };
    let row = |name: &str, figures: Vec<String>| [vec![name.to_owned()], figures].concat();
    let mut rows: Vec<Vec<String>> = (0..)
        .zip(chosen(options))
        .map(|(index, (file, _))| row(file, figures(&|column| column[index])))
        .collect();
    let mean = |column: &Vec<f64>| geometric_mean(column).expect("at least one kernel");
    rows.push(row("geometric mean", figures(&mean)));
    let header: Vec<&str> = ["slowdown"]
        .into_iter()
        .chain(options.modes.iter().map(String::as_str))
        .collect();
    print!("{}", table::render(&header, &rows));
}

fn chosen(options: &Options) -> Vec<(&'static str, &'static str)> {
    KERNELS
        .into_iter()
        .filter(|(file, _)| file.contains(&options.kernel))
        .collect()
}

/// Gives the slowdown of each kernel.
fn measure_kernels(mode: &str, options: &Options) -> Result<Vec<f64>, String> {
    let chosen = chosen(options);
    if chosen.is_empty() {
        return Err(format!("no kernel has '{}' in its name", options.kernel));
    }
    println!(
        "mode {mode} at {}, fastest of {} runs, CPU time{}",
        options.level,
        options.reps,
        if is_estimated(mode, options) {
            ", calculated from small runs"
        } else {
            ""
        }
    );
    let mut rows = Vec::new();
    let mut slowdowns = Vec::new();
    for (file, verb) in chosen {
        let measured = measure(file, verb, mode, options)?;
        rows.push(measured.row(file));
        slowdowns.push(measured.slowdown());
    }
    let header = ["kernel", "native s", "instrumented s", "slowdown", "memory"];
    print!("{}", table::render(&header, &rows));
    let mean = geometric_mean(&slowdowns).expect("at least one kernel was measured");
    let worst = slowdowns.iter().copied().fold(0.0, f64::max);
    println!(
        "geometric mean {mean:.2}, worst {worst:.2} over {} kernels",
        slowdowns.len()
    );
    if mode == "carry" {
        println!("{}", compared_with_target(mean, CARRY_TARGET));
        println!("{WHAT_CARRY_CARRIES}");
    }
    if mode == "watch" {
        let [of_mean, _, of_worst] = WATCH_TARGETS;
        println!("mean: {}", compared_with_target(mean, of_mean));
        println!("worst: {}", compared_with_target(worst, of_worst));
    }
    println!();
    Ok(slowdowns)
}

/// The targets of modes such as `explain`: slowdown against native, and additional kilobytes.
const MEMORY_TARGET: (u64, u64) = (6, 256 * 1024);
/// A run ten times as long may need so much more and still be called flat.
const FLAT: f64 = 1.25;

/// Peak resident memory: native, instrumented, and instrumented in a run ten times as long.
fn measure_memory(mode: &str, options: &Options) -> Result<(), String> {
    println!("mode {mode} at {}, peak resident kilobytes", options.level);
    let mut rows = Vec::new();
    for (file, verb) in KERNELS {
        if !file.contains(&options.kernel) {
            continue;
        }
        let sizes = SIZES.iter().find(|sizes| sizes.kernel == file);
        let sizes = sizes.ok_or_else(|| format!("no sizes of {file} are known"))?;
        let short = sizes.small[1];
        // Three times the side is nine times the work.
        let long = short * if sizes.is_side { 3 } else { 10 };
        let source = Path::new("kernels").join(file);
        let native = build(&source, verb, "off", &options.level)?;
        let instrumented = build(&source, verb, mode, &options.level)?;
        let plain = resident(&native, short)?;
        let [once, longer] = [
            resident(&instrumented, short)?,
            resident(&instrumented, long)?,
        ];
        let (times, besides) = MEMORY_TARGET;
        let verdict = match (
            once <= times * plain + besides,
            longer as f64 <= once as f64 * FLAT,
        ) {
            (true, true) => "met",
            (false, _) => "too much",
            (_, false) => "grows",
        };
        rows.push(vec![
            file.to_owned(),
            plain.to_string(),
            once.to_string(),
            longer.to_string(),
            verdict.to_owned(),
        ]);
    }
    let header = [
        "kernel",
        "native",
        "instrumented",
        "ten times as long",
        "6 x + 256 MB, flat",
    ];
    print!("{}", table::render(&header, &rows));
    Ok(())
}

fn resident(program: &Path, size: u32) -> Result<u64, String> {
    let mut command = Command::new(program);
    let finished = command::run_well(command.arg(size.to_string()).env_remove("LOSTBITS_OUT"))?;
    match finished.status.success() {
        true => Ok(finished.cost.resident_kilobytes),
        false => Err(format!(
            "{} ended with {}",
            program.display(),
            finished.status
        )),
    }
}

fn compared_with_target(figure: f64, target: f64) -> String {
    let verdict = if figure <= target { "met" } else { "missed" };
    format!("target {target} x: {verdict}")
}

struct Measured {
    native: Cost,
    instrumented: Cost,
}

impl Measured {
    fn slowdown(&self) -> f64 {
        self.instrumented.cpu.as_secs_f64() / self.native.cpu.as_secs_f64()
    }

    fn row(&self, file: &str) -> Vec<String> {
        let seconds = |cost: Cost| format!("{:.3}", cost.cpu.as_secs_f64());
        let memory =
            self.instrumented.resident_kilobytes as f64 / self.native.resident_kilobytes as f64;
        vec![
            file.to_owned(),
            seconds(self.native),
            seconds(self.instrumented),
            format!("{:.2}", self.slowdown()),
            format!("{memory:.2}"),
        ]
    }
}

/// Hundreds of times slower than the program.
fn is_estimated(mode: &str, options: &Options) -> bool {
    options.estimate || mode == "reals"
}

fn measure(file: &str, verb: &str, mode: &str, options: &Options) -> Result<Measured, String> {
    let source = Path::new("kernels").join(file);
    let native = build(&source, verb, "off", &options.level)?;
    let instrumented = build(&source, verb, mode, &options.level)?;
    if is_estimated(mode, options) {
        return estimate(file, &native, &instrumented, options.reps);
    }
    let command = |program: &Path| {
        let mut command = Command::new(program);
        command.env_remove("LOSTBITS_OUT");
        command
    };
    let [native, instrumented] =
        take_turns([command(&native), command(&instrumented)], options.reps)
            .map_err(|problem| format!("{file}, mode {mode}: {problem}"))?;
    Ok(Measured {
        native,
        instrumented,
    })
}

/// Runs commands in turn, which must print the same; the fastest run of each counts.
fn take_turns<const N: usize>(mut commands: [Command; N], reps: u32) -> Result<[Cost; N], String> {
    let mut best: [Option<Cost>; N] = [None; N];
    for _ in 0..reps {
        let mut outputs = Vec::new();
        for (command, best) in commands.iter_mut().zip(&mut best) {
            let finished = command::run(command)?;
            if best.is_none_or(|best| finished.cost.cpu < best.cpu) {
                *best = Some(finished.cost);
            }
            outputs.push(finished.stdout);
        }
        if outputs.iter().any(|output| *output != outputs[0]) {
            return Err("it prints something else when instrumented".to_owned());
        }
    }
    Ok(best.map(|cost| cost.expect("at least one run")))
}

/// Programs that were not tuned on: native, instrumented, and for mode `watch` with most values tagged.
fn measure_others(mode: &str, options: &Options) -> Result<(), String> {
    println!(
        "mode {mode} at {} on programs that were not tuned on, fastest of {} runs, CPU time",
        options.level, options.reps
    );
    let mut rows = Vec::new();
    let (mut usual, mut tagged) = (Vec::new(), Vec::new());
    for (file, verb, size) in OTHERS {
        if !file.contains(&options.kernel) {
            continue;
        }
        let source = Path::new("time").join(file);
        let native = build(&source, verb, "off", &options.level)?;
        let instrumented = build(&source, verb, mode, &options.level)?;
        let command = |program: &Path, thresholds: &str| {
            let mut command = Command::new(program);
            command.arg(size.to_string()).env_remove("LOSTBITS_OUT");
            command.env("LOSTBITS_TAU", thresholds);
            command
        };
        let commands = [
            command(&native, ""),
            command(&instrumented, ""),
            command(&instrumented, TAGGED_THRESHOLDS),
        ];
        let [native, run, all_tagged] = take_turns(commands, options.reps)
            .map_err(|problem| format!("{file}, mode {mode}: {problem}"))?
            .map(|cost| cost.cpu.as_secs_f64());
        usual.push(run / native);
        tagged.push(all_tagged / native);
        rows.push(vec![
            file.to_owned(),
            format!("{native:.3}"),
            format!("{:.2}", run / native),
            format!("{:.2}", all_tagged / native),
        ]);
    }
    let header = ["program", "native s", "slowdown", "most values tagged"];
    print!("{}", table::render(&header, &rows));
    let worst = |of: &[f64]| of.iter().copied().fold(0.0, f64::max);
    let (Some(mean), Some(mean_tagged)) = (geometric_mean(&usual), geometric_mean(&tagged)) else {
        return Err(format!("no program has '{}' in its name", options.kernel));
    };
    println!("geometric mean {mean:.2}, worst {:.2}", worst(&usual));
    println!(
        "most values tagged: geometric mean {mean_tagged:.2}, worst {:.2}",
        worst(&tagged)
    );
    if mode == "watch" {
        let [_, of_mean, of_worst] = WATCH_TARGETS;
        println!("mean: {}", compared_with_target(mean, of_mean));
        println!("worst: {}", compared_with_target(worst(&usual), of_worst));
        println!(
            "most values tagged: {}",
            compared_with_target(mean_tagged, TAGGED_TARGET)
        );
    }
    Ok(())
}

/// The instrumented cost of the full size, from two small ones: what both have in common is taken to be spent
/// once. Memory is that of the larger small run.
fn estimate(file: &str, native: &Path, instrumented: &Path, reps: u32) -> Result<Measured, String> {
    let sizes = SIZES.iter().find(|sizes| sizes.kernel == file);
    let sizes = sizes.ok_or_else(|| format!("no sizes of {file} are known"))?;
    let mut costs = Vec::new();
    let runs = [
        (native, sizes.full),
        (instrumented, sizes.small[0]),
        (instrumented, sizes.small[1]),
    ];
    for (program, size) in runs {
        let mut best: Option<Cost> = None;
        for _ in 0..reps {
            let mut command = Command::new(program);
            command.arg(size.to_string()).env_remove("LOSTBITS_OUT");
            if std::env::var_os("LOSTBITS_PRECISION").is_none() {
                command.env("LOSTBITS_PRECISION", "128");
            }
            let finished = command::run_well(&mut command)?;
            if best.is_none_or(|best| finished.cost.cpu < best.cpu) {
                best = Some(finished.cost);
            }
        }
        costs.push(best.expect("at least one run"));
    }
    let work = |size: u32| match sizes.is_side {
        true => f64::from(size).powi(2),
        false => f64::from(size),
    };
    let [small, large] = sizes.small.map(work);
    let [less, more] = [costs[1], costs[2]].map(|cost| cost.cpu.as_secs_f64());
    let each = ((more - less) / (large - small)).max(0.0);
    let once = (less - each * small).max(0.0);
    let cpu = Duration::from_secs_f64(once + each * work(sizes.full));
    Ok(Measured {
        native: costs[0],
        instrumented: Cost { cpu, ..costs[2] },
    })
}

/// `file` is in the folder `bench`.
fn build(file: &Path, verb: &str, mode: &str, level: &str) -> Result<PathBuf, String> {
    let source = tools::repository().join("bench").join(file);
    let folder = tools::repository().join("build/overhead");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = file.with_extension("").display().to_string();
    let program = folder.join(format!("{}-{mode}", name.replace('/', "-")));
    let mut compiler = Command::new(tools::lostbits()?);
    let baseline = BASELINES.iter().find(|(name, _)| *name == mode);
    let mode = baseline.map_or(mode, |_| "watch");
    compiler
        .arg(verb)
        .arg(format!("--lostbits-mode={mode}"))
        .env_remove("LOSTBITS_MODE");
    if let Some((_, variable)) = baseline {
        compiler.env(variable, "1");
    }
    compiler
        .args(flags(verb, level))
        .arg(&source)
        .arg("-o")
        .arg(&program);
    if verb == "cc" {
        compiler.arg("-lm");
    }
    let finished = command::run(&mut compiler)?;
    if finished.status.success() {
        return Ok(program);
    }
    let reason = String::from_utf8_lossy(&finished.stderr);
    Err(format!(
        "{} does not build in mode {mode}:\n{}",
        file.display(),
        reason.trim_end()
    ))
}

/// clang's flags, and what they are called by rustc.
fn flags(verb: &str, level: &str) -> Vec<String> {
    let translated = |flag: &str| match flag {
        _ if verb != "rustc" => flag.to_owned(),
        "-march=native" => "-Ctarget-cpu=native".to_owned(),
        _ => match flag.strip_prefix("-O") {
            Some(level) => format!("-Copt-level={level}"),
            None => flag.to_owned(),
        },
    };
    level
        .split_whitespace()
        .map(translated)
        .chain(["-g".to_owned()])
        .collect()
}
