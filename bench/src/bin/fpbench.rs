//! FPBench: for every core, whether its program has significant error (more than 5 bits in an output, by an
//! evaluation in exact arithmetic that shares nothing with the instrumentation), whether `lostbits explain` finds it,
//! reports what is not there, and whether the root cause it names loses the bits by itself.
//!
//! Prints a table and a summary, and writes the table as TSV. Asserts nothing.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use clap::Parser;
use lostbits_bench::{
    fpbench::{
        FLAGS, Subject, cause,
        error::SIGNIFICANT,
        explained::{self, Explained},
        price, subjects,
        truth::{LONGEST, Truth, never_ends, truth},
    },
    table, tools,
};

#[derive(Parser)]
#[command(about = "Compares the true errors of FPBench's cores with what `lostbits explain` finds")]
struct Arguments {
    /// The folder with the cores
    #[arg(long, default_value = "../shared/fpbench")]
    cores: PathBuf,
    /// Inputs for each core; fewer where a core runs long
    #[arg(long, default_value_t = 256)]
    samples: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only cores whose file or name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Only the truth, without explain
    #[arg(long)]
    truth: bool,
    /// What explain costs instead: the CPU time of the cores, instrumented against plain
    #[arg(long, conflicts_with_all = ["truth", "against"])]
    overhead: bool,
    /// Where programs, inputs and the table (results.tsv) go; two runs at a time need two
    #[arg(long, default_value = "build/fpbench")]
    folder: PathBuf,
    /// Explain everything a second time with this precision throughout, and compare the verdicts
    #[arg(long, value_name = "BITS")]
    against: Option<u32>,
    /// Further options for `lostbits explain`
    #[arg(last = true)]
    options: Vec<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let measured = match arguments.overhead {
        true => measure_overhead(&arguments),
        false => measure(&arguments),
    };
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("fpbench: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let folder = tools::repository().join(&arguments.folder);
    let lostbits = match arguments.truth {
        true => None,
        false => Some(tools::lostbits()?).filter(|lostbits| explained::is_built(lostbits)),
    };
    if lostbits.is_none() && !arguments.truth {
        println!("lostbits explain is not built in this version: only the truth is shown");
    }
    let mut rows = Vec::new();
    for subject in wanted(arguments, &folder)? {
        let row = Row::of(&subject, lostbits.as_deref(), arguments);
        eprintln!(
            "{}: {} ({})",
            subject.file,
            subject.name(),
            row.verdict.word()
        );
        rows.push(row);
    }
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    print!("{}", table::render(&HEADER, &cells));
    let output = folder.join("results.tsv");
    let lines = [HEADER.map(str::to_owned).to_vec()]
        .into_iter()
        .chain(cells);
    let tsv: String = lines.map(|cells| cells.join("\t") + "\n").collect();
    fs::write(&output, tsv).map_err(|error| format!("{}: {error}", output.display()))?;
    print!("{}", summary(&rows));
    Ok(())
}

/// The cores that are asked for, their programs in the folder.
fn wanted(arguments: &Arguments, folder: &Path) -> Result<Vec<Subject>, String> {
    let is_wanted = |subject: &Subject| {
        subject.file.contains(&arguments.only) || subject.name().contains(&arguments.only)
    };
    let cores = tools::repository().join(&arguments.cores);
    let subjects = subjects(&cores, folder)?.into_iter();
    Ok(subjects.filter(is_wanted).collect())
}

/// Prints a line for each file, and writes one for each core.
fn measure_overhead(arguments: &Arguments) -> Result<(), String> {
    let folder = tools::repository().join(&arguments.folder);
    let effort = price::Effort {
        samples: arguments.samples,
        seed: arguments.seed,
        turns: TURNS,
    };
    let subjects = wanted(arguments, &folder)?;
    let prices = price::prices(&tools::lostbits()?, &subjects, &effort)?;
    let output = folder.join("overhead.tsv");
    fs::write(&output, price::lines(&prices))
        .map_err(|error| format!("{}: {error}", output.display()))?;
    print!("{}", price::table(&prices));
    Ok(())
}

/// Runs of each program that `--overhead` measures; the fastest counts.
const TURNS: u32 = 3;

const HEADER: [&str; 10] = [
    "core",
    "file",
    "inputs",
    "left out",
    "worst bits",
    "significant",
    "explain",
    "findings",
    "cause",
    "with many bits",
];

enum Verdict {
    Found,
    Missed,
    FalseReport,
    /// An infinity or NaN is reported that the program prints, and that is right in exact arithmetic.
    Exceptional,
    Clean,
    /// The reason.
    NotJudged(String),
    NotAsked,
}

impl Verdict {
    fn word(&self) -> String {
        match self {
            Verdict::Found => "found".to_owned(),
            Verdict::Missed => "MISSED".to_owned(),
            Verdict::FalseReport => "FALSE".to_owned(),
            Verdict::Exceptional => "exceptional".to_owned(),
            Verdict::Clean => "clean".to_owned(),
            Verdict::NotJudged(reason) => format!("not judged: {reason}"),
            Verdict::NotAsked => "-".to_owned(),
        }
    }
}

/// The adaptive verdicts compared with those in high precision.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    Same,
    /// Many bits were not enough for everything; what they did decide is the same.
    Further,
    Different,
}

impl Agreement {
    fn of(adaptive: &Explained, precise: &Explained) -> Agreement {
        let (here, there) = (adaptive.verdicts(), precise.verdicts());
        let is_part = there.iter().all(|claim| here.contains(claim));
        match here == there {
            true => Agreement::Same,
            false if is_part && precise.undecided > adaptive.undecided => Agreement::Further,
            false => Agreement::Different,
        }
    }
}

/// Of the causes with an expression, how many there are.
#[derive(Clone, Copy, Default)]
struct Causes {
    all: usize,
    /// They lose the bits by themselves.
    confirmed: usize,
    /// They do not, and explain does not report it: errors of many executions had accumulated in the variables.
    added_up: usize,
}

impl Causes {
    fn cell(self) -> String {
        match self {
            Causes { all: 0, .. } => "-".to_owned(),
            Causes { added_up: 0, .. } => format!("{}/{}", self.confirmed, self.all),
            _ => format!("{}/{}, {} add up", self.confirmed, self.all, self.added_up),
        }
    }
}

struct Row {
    name: String,
    file: String,
    truth: Option<Truth>,
    verdict: Verdict,
    findings: usize,
    causes: Causes,
    is_transparent: bool,
    same: Option<Agreement>,
}

impl Row {
    fn of(subject: &Subject, lostbits: Option<&Path>, arguments: &Arguments) -> Row {
        let mut row = Row {
            name: subject.name(),
            file: subject.file.clone(),
            truth: None,
            verdict: Verdict::NotAsked,
            findings: 0,
            causes: Causes::default(),
            is_transparent: true,
            same: None,
        };
        let inputs = subject.source.with_extension("in");
        let known = compiled(subject).and_then(|program| {
            truth(
                subject,
                &program,
                &inputs,
                arguments.samples,
                arguments.seed,
            )
        });
        match known {
            Err(reason) => row.verdict = Verdict::NotJudged(reason),
            Ok(truth) if truth.samples.is_empty() => {
                row.verdict = Verdict::NotJudged(left_out(subject, &truth));
                row.truth = Some(truth);
            }
            Ok(truth) => {
                if let Some(lostbits) = lostbits {
                    match explained::explain(lostbits, &subject.source, &inputs, &arguments.options)
                    {
                        Ok(explained) => {
                            row.judge(&truth, &explained);
                            row.compare(lostbits, subject, arguments);
                        }
                        Err(reason) => row.verdict = Verdict::NotJudged(reason),
                    }
                }
                row.truth = Some(truth);
            }
        }
        row
    }

    /// A finding that reaches no output claims nothing about outputs.
    fn judge(&mut self, truth: &Truth, explained: &Explained) {
        let claims: Vec<_> = explained
            .findings
            .iter()
            .filter(|finding| finding.outputs > 0)
            .collect();
        self.verdict = match (truth.worst_bits > SIGNIFICANT, claims.is_empty()) {
            (true, false) => Verdict::Found,
            (true, true) => Verdict::Missed,
            (false, false) if truth.is_exceptional && claims.iter().all(|c| c.is_exceptional()) => {
                Verdict::Exceptional
            }
            (false, false) => Verdict::FalseReport,
            (false, true) => Verdict::Clean,
        };
        self.findings = claims.len();
        self.is_transparent = truth.output == explained.output;
        for finding in claims.iter().filter(|finding| finding.expression.is_some()) {
            self.causes.all += 1;
            match cause::is_confirmed(finding) {
                Ok(true) => self.causes.confirmed += 1,
                Ok(false) if finding.kind == "accumulation" => self.causes.added_up += 1,
                Ok(false) => eprintln!(
                    "  the cause in line {} does not lose the bits by itself",
                    finding.line
                ),
                Err(reason) => eprintln!(
                    "  the cause in line {} cannot be tested: {reason}",
                    finding.line
                ),
            }
        }
    }

    /// The same with many bits throughout. Runs with interventions follow residues, so both sides go without them.
    fn compare(&mut self, lostbits: &Path, subject: &Subject, arguments: &Arguments) {
        let Some(bits) = arguments.against else {
            return;
        };
        let inputs = subject.source.with_extension("in");
        let explained = |more: &[String]| {
            let options = [&arguments.options, more].concat();
            explained::explain(lostbits, &subject.source, &inputs, &options)
        };
        let adaptive = explained(&["--prove=0".to_owned()]);
        let precise = explained(&["--precision".to_owned(), bits.to_string()]);
        match adaptive.and_then(|adaptive| Ok((adaptive, precise?))) {
            Ok((adaptive, precise)) => {
                let agreement = Agreement::of(&adaptive, &precise);
                self.same = Some(agreement);
                self.is_transparent &= adaptive.output == precise.output;
                if agreement != Agreement::Same {
                    let (here, there) = (adaptive.verdicts(), precise.verdicts());
                    eprintln!("  adaptive: {here:?}\n  with {bits} bits: {there:?}");
                }
            }
            Err(reason) => {
                self.same = Some(Agreement::Different);
                eprintln!("  without interventions, or with {bits} bits: {reason}");
            }
        }
    }

    fn is_significant(&self) -> bool {
        self.truth
            .as_ref()
            .is_some_and(|truth| truth.worst_bits > SIGNIFICANT)
    }

    fn is_judged(&self) -> bool {
        self.truth
            .as_ref()
            .is_some_and(|truth| !truth.samples.is_empty())
    }

    fn cells(&self) -> Vec<String> {
        let (inputs, out, worst) = match &self.truth {
            Some(truth) => (
                truth.samples.len().to_string(),
                (truth.endless + truth.undecided).to_string(),
                format!("{:.1}", truth.worst_bits.get()),
            ),
            None => ("0".to_owned(), "-".to_owned(), "-".to_owned()),
        };
        let significant = match (self.is_judged(), self.is_significant()) {
            (false, _) => "?",
            (true, true) => "yes",
            (true, false) => "no",
        };
        let cells = [
            inputs,
            out,
            worst,
            significant.to_owned(),
            self.verdict.word(),
            self.findings.to_string(),
            self.causes.cell(),
            match self.same {
                None => "-",
                Some(Agreement::Same) => "the same",
                Some(Agreement::Further) => "the same, but some withheld",
                Some(Agreement::Different) => "DIFFERENT",
            }
            .to_owned(),
        ];
        [vec![self.name.clone(), self.file.clone()], cells.to_vec()].concat()
    }
}

fn left_out(subject: &Subject, truth: &Truth) -> String {
    match truth.endless {
        0 => "undecided by 4096 bits".to_owned(),
        _ if never_ends(&subject.core.body) => "never ends, being `while TRUE`".to_owned(),
        _ => format!("over {LONGEST} operations, too many for exact arithmetic"),
    }
}

/// The plain program.
fn compiled(subject: &Subject) -> Result<PathBuf, String> {
    let program = subject.source.with_extension("plain");
    let compiler = std::env::var("LOSTBITS_CLANG").unwrap_or("clang-22".to_owned());
    let output = Command::new(&compiler)
        .arg("-o")
        .args([&program, &subject.source])
        .args(FLAGS)
        .output()
        .map_err(|error| format!("{compiler} cannot be run: {error}"))?;
    match output.status.success() {
        true => Ok(program),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn summary(rows: &[Row]) -> String {
    let count = |condition: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| condition(row)).count();
    let judged = count(&Row::is_judged);
    let significant = count(&Row::is_significant);
    let mut text = format!(
        "{} cores, {judged} judged; {significant} with significant error (> {SIGNIFICANT})\n",
        rows.len()
    );
    if rows
        .iter()
        .any(|row| !matches!(row.verdict, Verdict::NotAsked | Verdict::NotJudged(_)))
    {
        let sum =
            |part: fn(&Causes) -> usize| rows.iter().map(|row| part(&row.causes)).sum::<usize>();
        let (causes, confirmed) = (sum(|causes| causes.all), sum(|causes| causes.confirmed));
        let added_up = sum(|causes| causes.added_up);
        text += &format!(
            "explain: {} found, {} missed, {} false reports, {} with an infinity or NaN only, {} clean; {confirmed} of {causes} root causes lose the \
             bits by themselves, {added_up} are reported as accumulations of many small errors, {} are neither; {} programs printed something else under it\n",
            count(&|row| matches!(row.verdict, Verdict::Found)),
            count(&|row| matches!(row.verdict, Verdict::Missed)),
            count(&|row| matches!(row.verdict, Verdict::FalseReport)),
            count(&|row| matches!(row.verdict, Verdict::Exceptional)),
            count(&|row| matches!(row.verdict, Verdict::Clean)),
            causes - confirmed - added_up,
            count(&|row| !row.is_transparent),
        );
    }
    let compared = count(&|row| row.same.is_some());
    if compared > 0 {
        text += &format!(
            "with many bits throughout: the same verdicts for {} of {compared} cores; for {} more many bits are too few for some \
             outputs (\"not decided\") and the same for the rest; contradictions for {}\n",
            count(&|row| row.same == Some(Agreement::Same)),
            count(&|row| row.same == Some(Agreement::Further)),
            count(&|row| row.same == Some(Agreement::Different))
        );
    }
    text
}
