//! Does `lostbits explain` blame the lines that make the error? Programs in four languages, judged by interventions.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    sync::{Mutex, PoisonError},
    thread,
};

use clap::Parser;
use lostbits_bench::{
    blame::{
        explained::{self, Blame, Explained},
        judged::{Judged, Totals, Verdict},
        program::{Program, programs},
        truth::{self, Line, Truth},
    },
    command, geometric_mean, table, tools,
};

/// Judges the causes that explain reports by interventions of the bench's own.
#[derive(Parser)]
struct Options {
    /// Only programs whose name contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Programs of another folder instead of bench/blame/programs.
    #[arg(long)]
    keep_aside: Option<PathBuf>,
    /// The truth alone: each line's shares, without running lostbits.
    #[arg(long)]
    truth: bool,
    /// Programs judged at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

/// The floors, in percent.
const TOP_TRUE: f64 = 95.0;
const INNOCENT: f64 = 2.0;
const MISSING: f64 = 5.0;

const DEFINITIONS: &str = "\
Which lines explain blames, and which make the error.
An output is wrong if it lost more than 5 bits and a printed digit other than the last is wrong. The truth is established by
interventions in binary128 on the program's own operations, for each source line, as shares of an output's whole error:
  forget  the line's rounding errors vanish, all others stay what they are in the program: how much the output changes
  keep    only the line's rounding errors are left: the error that remains
  exact   only the line does not round, other lines round what then reaches them: how much the output changes
  only    only the line rounds: the error that remains
  inputs  a line that cancels 4 bits or more (a decimal digit) gets exact operands: how much of the error vanishes
A cause is true if one of the first four is at least 20 %; or if `inputs` is at least 50 % and the report says that the error passes
through the line (passes_on, or the kind cancellation). It is innocent if the first four are below 1 % for all wrong outputs and
`inputs` is below 50 %. All causes of a program without wrong outputs are innocent. A firm source, which must not be missing, has at
least 20 % by both forget and keep; sources a/b: a are firm, b are sources by any of the first four (under exact and only, other lines
round different numbers, so that lines without any error of their own may count).
share off: the most by which a reported share differs from the smaller of forget and keep. CPU: explain with its compilation; ratio:
to native compilation and run.";

struct Row {
    truth: Truth,
    /// Proved causes, then those by influence; none with --truth.
    blamed: Option<[Blamed; 2]>,
    /// CPU seconds of compiling and running the program without analysis.
    native: f64,
}

struct Blamed {
    judged: Judged,
    seconds: f64,
}

fn main() -> ExitCode {
    match bench(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("bench-blame: {reason}");
            ExitCode::from(2)
        }
    }
}

/// Whether every program could be judged.
fn bench(options: &Options) -> Result<bool, String> {
    let own = tools::repository().join("bench/blame/programs");
    let folder = options.keep_aside.as_ref().unwrap_or(&own);
    let mut subjects = programs(folder)?;
    subjects.retain(|program| program.name.contains(&options.only));
    let lostbits = match options.truth {
        true => None,
        false => Some(tools::lostbits()?),
    };
    let rows = measured(&subjects, lostbits.as_deref(), options.jobs);
    let mut judged = Vec::new();
    let mut failed = Vec::new();
    for (program, row) in subjects.iter().zip(rows) {
        match row {
            Ok(row) => judged.push((program, row)),
            Err(reason) => failed.push(format!("{}: {reason}", program.file_name())),
        }
    }
    if !options.truth {
        println!("{}\n", header());
        println!("{}", compared(&judged));
        println!("{}", verdict(&judged));
    }
    for (program, row) in &judged {
        print!("{}", details(program, row, options.truth));
    }
    for reason in &failed {
        println!("not judged: {reason}");
    }
    Ok(failed.is_empty())
}

fn measured(
    subjects: &[Program],
    lostbits: Option<&Path>,
    jobs: usize,
) -> Vec<Result<Row, String>> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = subjects.get(index) else {
                        return;
                    };
                    let row = measure(program, lostbits);
                    eprintln!("bench-blame: {}", program.file_name());
                    let mut rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
                    rows.push((index, row));
                }
            });
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_by_key(|(index, _)| *index);
    rows.into_iter().map(|(_, row)| row).collect()
}

fn measure(program: &Program, lostbits: Option<&Path>) -> Result<Row, String> {
    let folder = tools::repository()
        .join("build/blame")
        .join(program.file_name());
    let truth = truth::of(program, &folder)?;
    let executable = folder.join("native");
    let compiled = command::run_well(
        program
            .compiler()
            .arg("-o")
            .arg(&executable)
            .current_dir(&folder),
    )?;
    let native = command::run_well(Command::new(&executable).args(&program.arguments))?;
    if native.stdout != truth.text {
        return Err("its model prints another text than the program itself".to_owned());
    }
    let blamed = |lostbits: &Path, blame: Blame| {
        let options = explained::options(lostbits, blame)?;
        let Explained { causes, cost, text } =
            explained::explain(lostbits, program, &folder, &options, blame)?;
        if text != truth.text {
            return Err("prints another text under explain than by itself".to_owned());
        }
        Ok(Blamed {
            judged: Judged::new(&truth, &causes),
            seconds: cost.cpu.as_secs_f64(),
        })
    };
    let blamed = match lostbits {
        Some(lostbits) => Some([
            blamed(lostbits, Blame::Proved)?,
            blamed(lostbits, Blame::Influence)?,
        ]),
        None => None,
    };
    for name in [
        "plain.ll",
        "inlined.ll",
        "changed.ll",
        "changed.o",
        "interventions.o",
    ] {
        let _ = fs::remove_file(folder.join(name)); // Large, and of no further use.
    }
    Ok(Row {
        truth,
        blamed,
        native: (compiled.cost.cpu + native.cost.cpu).as_secs_f64(),
    })
}

fn header() -> String {
    format!("{DEFINITIONS}\n{}", verrou())
}

/// Whether Verrou, a tool of Valgrind, can be compared.
fn verrou() -> String {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=verrou", "--help"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.status() {
        Ok(status) if status.success() => {
            "Verrou is installed here, but the bench does not run its dd_line yet".to_owned()
        }
        _ => "Verrou's dd_line is not in the table: neither Debian nor PyPI has a package of it, and this machine has no Valgrind with Verrou"
            .to_owned(),
    }
}

fn compared(rows: &[(&Program, Row)]) -> String {
    let header = [
        "program",
        "language",
        "wrong",
        "sources",
        "top true",
        "causes",
        "innocent",
        "missing",
        "share off",
        "CPU s",
        "ratio",
        "0.1: top true",
        "causes",
        "innocent",
        "missing",
        "CPU s",
    ];
    let mut cells: Vec<Vec<String>> = Vec::new();
    for (program, row) in rows {
        let truth = &row.truth;
        let mut line = vec![
            program.name.clone(),
            program.language.name().to_owned(),
            format!("{} of {}", truth.wrong.len(), truth.outputs),
            sources(truth),
        ];
        for (index, blamed) in row.blamed.iter().flatten().enumerate() {
            let judged = &blamed.judged;
            let top = match judged.top() {
                None => "-",
                Some(true) => "yes",
                Some(false) if judged.verdicts.is_empty() => "none",
                Some(false) => "no",
            };
            line.push(top.to_owned());
            let counts = [
                judged.verdicts.len(),
                judged.innocent(),
                judged.missing.len(),
            ];
            line.extend(counts.map(|count| count.to_string()));
            if index == 0 {
                let off = |share: f64| format!("{:.0} %", share * 100.0);
                line.push(judged.share_off.map_or("-".to_owned(), off));
            }
            line.push(format!("{:.1}", blamed.seconds));
            if index == 0 {
                line.push(format!("{:.1}", blamed.seconds / row.native));
            }
        }
        cells.push(line);
    }
    table::render(&header, &cells)
}

/// Firm sources, and those that are sources by any intervention.
fn sources(truth: &Truth) -> String {
    let firm = truth.sources().filter(|line| line.is_firm_source()).count();
    format!("{firm}/{}", truth.sources().count())
}

fn verdict(rows: &[(&Program, Row)]) -> String {
    let blamed = |which: usize| {
        rows.iter()
            .filter_map(move |(_, row)| Some(&row.blamed.as_ref()?[which]))
    };
    let mut text = format!("{} programs\n", rows.len());
    for (which, name) in ["proved", "0.1"].into_iter().enumerate() {
        let totals = Totals::of(blamed(which).map(|blamed| &blamed.judged));
        let seconds: f64 = blamed(which).map(|blamed| blamed.seconds).sum();
        text += &format!("{name:>6}: {}, {seconds:.0} s of CPU\n", sentence(&totals));
    }
    let ratios: Vec<f64> = rows
        .iter()
        .filter_map(|(_, row)| Some(row.blamed.as_ref()?[0].seconds / row.native))
        .collect();
    if let Some(mean) = geometric_mean(&ratios) {
        text += &format!("CPU ratio, geometric mean: {mean:.1}\n");
    }
    text
}

fn sentence(totals: &Totals) -> String {
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let Totals {
        wrong_programs,
        top_true,
        top_makes,
        causes,
        innocent,
        firm,
        missing,
        programs_with_missing,
        sources,
        missing_of_any,
    } = totals;
    let top = percent(*top_true, *wrong_programs);
    let guiltless = percent(*innocent, *causes);
    let absent = percent(*programs_with_missing, *wrong_programs);
    let floor = |is_met: bool| if is_met { "met" } else { "missed" };
    format!(
        "top cause true {top_true} of {wrong_programs} = {top:.0} % (floor {TOP_TRUE} %: {}), a firm source {top_makes}; innocent causes {innocent} of {causes} = \
         {guiltless:.0} % (at most {INNOCENT} %: {});\n        programs that miss a source {programs_with_missing} of {wrong_programs} = \
         {absent:.0} % (at most {MISSING} %: {}), sources missing {missing} of {firm} (by any intervention \
         {missing_of_any} of {sources})",
        floor(top >= TOP_TRUE),
        floor(guiltless <= INNOCENT),
        floor(absent <= MISSING)
    )
}

/// What is wrong in the report of a program, with the truth beside; with `everything`, all of the truth.
fn details(program: &Program, row: &Row, everything: bool) -> String {
    let file = program.file_name();
    let source = fs::read_to_string(&program.source).unwrap_or_default();
    let code = |number: u64| match number {
        0 => "(line not known)",
        number => source.lines().nth(number as usize - 1).unwrap_or("").trim(),
    };
    let described = |line: &Line| {
        let passes = line.passes.map_or(String::new(), |share| {
            format!(", passes {:.1} %", share * 100.0)
        });
        format!(
            "{file}:{} {:.1} % (without {:.1}, alone {:.1}, redrawn {:.1} and {:.1}){passes}: {}",
            line.number,
            line.forgotten.min(line.kept) * 100.0,
            line.forgotten * 100.0,
            line.kept * 100.0,
            line.removed * 100.0,
            line.made * 100.0,
            code(line.number)
        )
    };
    let mut text = String::new();
    if everything {
        text += &format!(
            "{file}: {} of {} outputs wrong\n",
            row.truth.wrong.len(),
            row.truth.outputs
        );
        for line in &row.truth.lines {
            let mark = if line.is_firm_source() {
                "SOURCE"
            } else if line.is_source() {
                "source"
            } else if line.is_irrelevant() {
                ""
            } else {
                "minor"
            };
            text += &format!("  {mark:<7} {}\n", described(line));
        }
    }
    for (blamed, name) in row.blamed.iter().flatten().zip(["proved", "0.1"]) {
        let judged = &blamed.judged;
        for (index, (cause, verdict)) in judged.verdicts.iter().enumerate() {
            let line = row.truth.line(cause.line);
            match verdict {
                Verdict::Innocent => {
                    text += &format!("{name:>6}  innocent  {}\n", described(&line))
                }
                Verdict::Minor if index == 0 => {
                    text += &format!("{name:>6}  top       {}\n", described(&line))
                }
                _ => {}
            }
        }
        for line in &judged.missing {
            text += &format!("{name:>6}  missing   {}\n", described(line));
        }
    }
    text
}
