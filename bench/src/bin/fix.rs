//! `lostbits fix` on FPBench's cores: errors before and after, judged by code that shares nothing with the search.
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
    /// The folder with the cores
    #[arg(long, default_value = "../shared/fpbench")]
    cores: PathBuf,
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
    for (file, core) in cores(&tools::repository().join(&arguments.cores))? {
        let name = core.name().unwrap_or_else(|| "?".to_owned());
        if !(file.contains(&arguments.only) || name.contains(&arguments.only)) {
            continue;
        }
        let start = cpu_seconds();
        match repair_core(&core, effort) {
            Err(reason) => refused.push(format!("{name}: {reason}")),
            Ok(repair) => {
                let seconds = cpu_seconds() - start;
                let judged = judge(&core, &repair, arguments.samples, arguments.seed)
                    .map_err(|error| format!("{name}: {error}"))?;
                eprintln!(
                    "{name}: {:.2} → {:.2} wide, {:.2} → {:.2} everyday, {seconds:.2} s",
                    mean(&judged.wide.before),
                    mean(&judged.wide.after),
                    mean(&judged.everyday.before),
                    mean(&judged.everyday.after)
                );
                rows.push(Row {
                    name,
                    judged,
                    seconds,
                });
            }
        }
    }
    let (cases, rest): (Vec<Row>, Vec<Row>) = rows
        .into_iter()
        .partition(|row| mean(&row.judged.wide.before) > arguments.significant);
    let cells: Vec<Vec<String>> = cases.iter().chain(&rest).map(cells).collect();
    print!("{}", table::render(&HEADER, &cells));
    write_tsv(&folder.join("results.tsv"), &cells)?;
    println!(
        "{} cores are not straight-line expressions in binary64 or binary32",
        refused.len()
    );
    print!(
        "{}",
        summary("cases (mean error above the threshold)", &cases)
    );
    let nmse: Vec<&Row> = cases
        .iter()
        .chain(&rest)
        .filter(|row| row.name.starts_with("NMSE"))
        .collect();
    let good = nmse
        .iter()
        .filter(|row| mean(&row.judged.wide.after) < 2.0)
        .count();
    println!("NMSE: {good} of {} below 2 bits", nmse.len());
    print!("{}", summary("the other cores", &rest));
    Ok(())
}

fn cores(folder: &Path) -> Result<Vec<(String, Core)>, String> {
    let unreadable = |error| {
        format!(
            "{} cannot be read ({error}): give the folder of FPBench's cores with --cores",
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

fn summary(title: &str, rows: &[Row]) -> String {
    if rows.is_empty() {
        return format!("{title}: none\n");
    }
    let count = |condition: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| condition(row)).count();
    let average = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
    let small: Vec<&Row> = rows
        .iter()
        .filter(|row| row.judged.operations_before < 20)
        .collect();
    let operations: f64 = small.iter().map(|row| row.judged.operations as f64).sum();
    let mut seconds: Vec<f64> = rows.iter().map(|row| row.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    format!(
        "{title}: {} cores\n\
         \x20                                    original   lostbits fix   Herbie 2.3 (140 others)\n\
         \x20 mean bits, wide inputs             {:>8.2}   {:>12.2}            5.4 (of 29.6)\n\
         \x20 mean bits, everyday inputs         {:>8.2}   {:>12.2}            9.5 (of 5.9)\n\
         \x20 cases below 2 bits                 {:>8}   {:>5} ({:>3.0} %)             61 %\n\
         \x20 cases with a point worse by > 1           -   {:>12}\n\
         \x20 cases with a point worse by > 4           -   {:>12}            96 of 140\n\
         \x20 operations (originals below 20)           -   {:>12.1}           19.5\n\
         \x20 branches                                  -   {:>12.2}            1.0\n\
         \x20 CPU seconds, median and most              -   {:>6.2} {:>5.2}            4.1 62\n",
        rows.len(),
        average(&|row| mean(&row.judged.wide.before)),
        average(&|row| mean(&row.judged.wide.after)),
        average(&|row| mean(&row.judged.everyday.before)),
        average(&|row| mean(&row.judged.everyday.after)),
        count(&|row| mean(&row.judged.wide.before) < 2.0),
        count(&|row| mean(&row.judged.wide.after) < 2.0),
        100.0 * count(&|row| mean(&row.judged.wide.after) < 2.0) as f64 / rows.len() as f64,
        count(&|row| row.judged.worse_by(1.0) > 0),
        count(&|row| row.judged.worse_by(4.0) > 0),
        operations / small.len().max(1) as f64,
        average(&|row| row.judged.branches as f64),
        seconds[seconds.len() / 2],
        seconds[seconds.len() - 1],
    )
}
