//! `lostbits fix` on FPBench's cores and on expressions kept aside (bench/fix): errors before and after, judged by code
//! that shares nothing with the search.
//!
//! Herbie's figures beside ours are those of an independent judge on 140 expressions (Herbie 2.3, C platform, defaults);
//! they are for orientation, not for the same set. Prints a table and a summary, and writes the table as TSV.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use lostbits::{
    fix::{repair_core, search::Effort},
    fpcore::{Core, read_cores},
};
use lostbits_bench::{
    fix::{Judged, cpu_seconds, judge, mean, worst},
    table, tools,
};

#[derive(Parser)]
#[command(about = "Judges the repairs of `lostbits fix` on FPBench's cores")]
struct Arguments {
    /// A folder with cores (repeatable)
    #[arg(long, default_values = ["../shared/fpbench", "bench/fix"])]
    cores: Vec<PathBuf>,
    /// Inputs of each kind for each core
    #[arg(long, default_value_t = 500)]
    samples: usize,
    /// The judge's seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The search's seed
    #[arg(long, default_value_t = 1)]
    search_seed: u64,
    /// Only cores whose file or name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Where the table goes
    #[arg(long, default_value = "build/fix")]
    folder: PathBuf,
    /// Cores with a mean error of more than this on wide inputs are cases
    #[arg(long, default_value_t = 5.0)]
    significant: f64,
}

fn main() -> ExitCode {
    match measure(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("fix: {sentence}");
            ExitCode::from(2)
        }
    }
}

struct Row {
    /// The last part of its folder's name.
    set: String,
    name: String,
    judged: Judged,
    seconds: f64,
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let folder = tools::repository().join(&arguments.folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let effort = Effort {
        seed: arguments.search_seed,
        with_branches: true,
        seconds: None,
    };
    let mut rows = Vec::new();
    let mut refused = Vec::new();
    for cores_folder in &arguments.cores {
        let set = cores_folder.file_name().unwrap_or_default();
        for (file, core) in cores(&tools::repository().join(cores_folder))? {
            let name = core.name().unwrap_or_else(|| "?".to_owned());
            if !(file.contains(&arguments.only) || name.contains(&arguments.only)) {
                continue;
            }
            match row(&set.to_string_lossy(), name, &core, effort, arguments)? {
                Ok(row) => rows.push(row),
                Err(reason) => refused.push(reason),
            }
        }
    }
    let (cases, rest): (Vec<Row>, Vec<Row>) = rows
        .into_iter()
        .partition(|row| mean(&row.judged.wide.before) > arguments.significant);
    let cells: Vec<Vec<String>> = cases.iter().chain(&rest).map(cells).collect();
    print!("{}", table::render(&HEADER, &cells));
    write_tsv(&folder.join("results.tsv"), &cells)?;
    println!("{} cores were refused:", refused.len());
    refused.iter().for_each(|reason| println!("  {reason}"));
    for set in &arguments.cores {
        let set = set.file_name().unwrap_or_default().to_string_lossy();
        let of_set = |rows: &'_ [Row]| -> Vec<usize> {
            let is_of = |index: &usize| rows[*index].set == set;
            (0..rows.len()).filter(is_of).collect()
        };
        let chosen: Vec<&Row> = of_set(&cases).iter().map(|index| &cases[*index]).collect();
        let title = format!(
            "{set}, cases (mean error above {} bits)",
            arguments.significant
        );
        print!("{}", summary(&title, &chosen));
        let others: Vec<&Row> = of_set(&rest).iter().map(|index| &rest[*index]).collect();
        print!("{}", summary(&format!("{set}, the other cores"), &others));
    }
    let all: Vec<&Row> = cases.iter().collect();
    print!("{}", summary("all cases", &all));
    print!("{}", floors(&all));
    Ok(())
}

fn row(
    set: &str,
    name: String,
    core: &Core,
    effort: Effort,
    arguments: &Arguments,
) -> Result<Result<Row, String>, String> {
    let start = cpu_seconds();
    let repair = match repair_core(core, effort) {
        Err(reason) => return Ok(Err(format!("{name}: {reason}"))),
        Ok(repair) => repair,
    };
    let seconds = cpu_seconds() - start;
    let judged = judge(core, &repair, arguments.samples, arguments.seed)
        .map_err(|error| format!("{name}: {error}"))?;
    eprintln!(
        "{name}: {:.2} → {:.2} wide, {:.2} → {:.2} everyday, {seconds:.2} s",
        mean(&judged.wide.before),
        mean(&judged.wide.after),
        mean(&judged.everyday.before),
        mean(&judged.everyday.after)
    );
    for (input, before, after) in judged.harmed.iter().take(3) {
        eprintln!("  worse at {input:?}: {before:.1} → {after:.1} bits");
    }
    Ok(Ok(Row {
        set: set.to_owned(),
        name,
        judged,
        seconds,
    }))
}

/// What a release must reach.
fn floors(rows: &[&Row]) -> String {
    let figures = Figures::new(rows);
    let nmse: Vec<&&Row> = rows
        .iter()
        .filter(|row| row.name.starts_with("NMSE"))
        .collect();
    let good = nmse.iter().filter(|row| mean(&row.judged.wide.after) < 2.0);
    let good = good.count();
    let share = 100.0 * figures.below_two as f64 / rows.len().max(1) as f64;
    let rows = [
        (
            "mean bits, wide inputs, at most 4.5",
            figures.wide.1 <= 4.5,
            format!("{:.2}", figures.wide.1),
        ),
        (
            "mean bits, everyday inputs, below the original's",
            figures.everyday.1 < figures.everyday.0,
            format!("{:.2}", figures.everyday.1),
        ),
        (
            "no case with a point worse by more than 4 bits",
            figures.worse_by_four == 0,
            figures.worse_by_four.to_string(),
        ),
        (
            "at least 65 % of cases below 2 bits",
            share >= 65.0,
            format!("{share:.0} %"),
        ),
        (
            "at most 20 operations (originals below 20)",
            figures.operations <= 20.0,
            format!("{:.1}", figures.operations),
        ),
        (
            "median below 1 CPU-second",
            figures.median < 1.0,
            format!("{:.2}", figures.median),
        ),
        (
            "NMSE: at least 25 of 28 below 2 bits",
            good >= 25,
            format!("{good} of {}", nmse.len()),
        ),
    ];
    let line = |(what, is_met, figure): &(&str, bool, String)| {
        let met = if *is_met { "met   " } else { "MISSED" };
        format!("  {met} {what}: {figure}\n")
    };
    "floors:\n".to_owned() + &rows.iter().map(line).collect::<String>()
}

struct Figures {
    /// Before and after.
    wide: (f64, f64),
    everyday: (f64, f64),
    below_two: usize,
    worse_by_one: usize,
    worse_by_four: usize,
    operations: f64,
    branches: f64,
    median: f64,
    most: f64,
}

impl Figures {
    fn new(rows: &[&Row]) -> Figures {
        let all = rows.len().max(1) as f64;
        let average =
            |of: &dyn Fn(&Judged) -> f64| rows.iter().map(|row| of(&row.judged)).sum::<f64>() / all;
        let count =
            |is: &dyn Fn(&Judged) -> bool| rows.iter().filter(|row| is(&row.judged)).count();
        let small: Vec<f64> = rows
            .iter()
            .filter(|row| row.judged.operations_before < 20)
            .map(|row| row.judged.operations as f64)
            .collect();
        let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        Figures {
            wide: (
                average(&|j| mean(&j.wide.before)),
                average(&|j| mean(&j.wide.after)),
            ),
            everyday: (
                average(&|j| mean(&j.everyday.before)),
                average(&|j| mean(&j.everyday.after)),
            ),
            below_two: count(&|j| mean(&j.wide.after) < 2.0),
            worse_by_one: count(&|j| j.worse_by(1.0) > 0),
            worse_by_four: count(&|j| j.worse_by(4.0) > 0),
            operations: small.iter().sum::<f64>() / small.len().max(1) as f64,
            branches: average(&|j| j.branches as f64),
            median: seconds.get(seconds.len() / 2).copied().unwrap_or(0.0),
            most: seconds.last().copied().unwrap_or(0.0),
        }
    }
}

fn cores(folder: &Path) -> Result<Vec<(String, Core)>, String> {
    let unreadable = |error| {
        format!(
            "{} cannot be read ({error}): give the folder of cores with --cores",
            folder.display()
        )
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "fpcore")
        })
        .collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let file = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let source = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let cores = read_cores(&source).map_err(|error| format!("{file}: {error}"))?;
        all.extend(cores.into_iter().map(|core| (file.clone(), core)));
    }
    Ok(all)
}

const HEADER: [&str; 13] = [
    "core",
    "wide",
    "→",
    "worst",
    "→",
    "everyday",
    "→",
    "worst",
    "worse > 1",
    "> 4",
    "operations",
    "branches",
    "CPU s",
];

fn cells(row: &Row) -> Vec<String> {
    let judged = &row.judged;
    let number = |x: f64| format!("{x:.2}");
    vec![
        row.name.clone(),
        number(mean(&judged.wide.before)),
        number(mean(&judged.wide.after)),
        number(worst(&judged.wide.before)),
        number(worst(&judged.wide.after)),
        number(mean(&judged.everyday.before)),
        number(mean(&judged.everyday.after)),
        number(worst(&judged.everyday.after)),
        judged.worse_by(1.0).to_string(),
        judged.worse_by(4.0).to_string(),
        format!("{} → {}", judged.operations_before, judged.operations),
        judged.branches.to_string(),
        format!("{:.2}", row.seconds),
    ]
}

fn write_tsv(path: &Path, cells: &[Vec<String>]) -> Result<(), String> {
    let lines = [HEADER.map(str::to_owned).to_vec()]
        .into_iter()
        .chain(cells.iter().cloned());
    let text: String = lines.map(|cells| cells.join("\t") + "\n").collect();
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn summary(title: &str, rows: &[&Row]) -> String {
    if rows.is_empty() {
        return format!("{title}: none\n");
    }
    let figures = Figures::new(rows);
    format!(
        "{title}: {} cores\n\
         \x20                                    original   lostbits fix   Herbie 2.3 (140 others)\n\
         \x20 mean bits, wide inputs             {:>8.2}   {:>12.2}            5.4 (of 29.6)\n\
         \x20 mean bits, everyday inputs         {:>8.2}   {:>12.2}            9.5 (of 5.9)\n\
         \x20 cases below 2 bits                        -   {:>5} ({:>3.0} %)             61 %\n\
         \x20 cases with a point worse by > 1           -   {:>12}\n\
         \x20 cases with a point worse by > 4           -   {:>12}            96 of 140\n\
         \x20 operations (originals below 20)           -   {:>12.1}           19.5\n\
         \x20 branches                                  -   {:>12.2}            1.0\n\
         \x20 CPU seconds, median and most              -   {:>6.2} {:>5.2}            4.1 62\n",
        rows.len(),
        figures.wide.0,
        figures.wide.1,
        figures.everyday.0,
        figures.everyday.1,
        figures.below_two,
        100.0 * figures.below_two as f64 / rows.len() as f64,
        figures.worse_by_one,
        figures.worse_by_four,
        figures.operations,
        figures.branches,
        figures.median,
        figures.most,
    )
}
