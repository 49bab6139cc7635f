//! Constant folding: what the compiler computed itself is explained from a program in which it did not.
//!
//! An optimiser folds a program without inputs to its results, before there is anything to instrument. Where outputs
//! are constants in the compiled program, or it computes nothing at all, explain compiles the sources once more with the
//! constants hidden from the optimiser. Outputs that are constants there, too, are constants of the source (or were
//! computed by the compiler's front end, which cannot be observed). If others are not, that program is run, without its
//! output being shown, and replaces the first if it writes as many outputs at the same source locations.
//!
//! So are programs that use constants which the source does not have (`pass/src/prepare/folded.rs`): the optimiser computed a part of
//! their arithmetic.
//!
//! What it can miss: parts whose results are short numbers; constants among outputs in memory that the pass does not see to be
//! constants, in a program that computes something.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::process::ExitStatusExt,
    path::Path,
};

use lostbits_abi::{
    record::ProcessRecord,
    site::{Site, What},
};

use super::{
    attempt::{Aim, Attempt, Build, Prepared, first_mode},
    clock::{Clock, Purpose},
    escalate,
    options::Options,
};
use crate::{failure::Failure, run::Input, tables};

/// What is known of how constant outputs came about.
#[derive(Default)]
pub enum Folding {
    /// There are none, or they are constants in the source as the compiler's front end reads it.
    None,
    /// The compiler may have computed them; why they were not recomputed, as a sentence.
    Unknown(String),
    /// The compiler had computed these outputs, and the report is that of a program that computes them itself. There
    /// are none where the compiler had computed what is no output.
    Recomputed(Vec<Site>),
    /// A saved record does not hold it.
    #[default]
    NotRecorded,
}

/// What to go on with after a look at constants.
pub struct Unfolded {
    pub attempt: Attempt,
    pub folding: Folding,
    /// Whether further builds must hide constants, too.
    pub hides_constants: bool,
    /// The program that hides them.
    pub prepared: Option<Prepared>,
}

impl Unfolded {
    /// What goes on as it is.
    pub fn not(attempt: Attempt, folding: Folding) -> Unfolded {
        Unfolded {
            attempt,
            folding,
            hides_constants: false,
            prepared: None,
        }
    }
}

/// Whether the compiler may have computed outputs, or parts of the computation.
pub fn may_compute_more(first: &Attempt) -> bool {
    !first.findings.constants.is_empty() || first.findings.is_partly_folded
}

/// Recomputes constant outputs, if there are any and they can be recomputed.
pub fn recompute(
    first: Attempt,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
    trusts_residues: bool,
) -> Result<Unfolded, Failure> {
    let keep = Unfolded::not;
    let computes = first.findings.summary.executions > 0;
    if !may_compute_more(&first) && computes {
        return Ok(keep(first, Folding::None));
    }
    let was_killed = first.outcome.status.code().is_none();
    if let Some(why) = refusal(options).or(was_killed.then_some(WAS_KILLED)) {
        return Ok(keep(first, Folding::Unknown(why.to_owned())));
    }
    // The first run's findings stay, whatever happens to a second.
    let folder = folder.join("unfolded");
    match run_unfolded(&first, options, input, &folder, clock, trusts_residues) {
        Ok(Some((second, folded, prepared))) => Ok(Unfolded {
            attempt: escalate::adopt(second, first, options)?,
            folding: Folding::Recomputed(folded),
            hides_constants: true,
            prepared: Some(prepared),
        }),
        Ok(None) => Ok(keep(first, Folding::None)),
        Err(why) => Ok(keep(first, Folding::Unknown(why))),
    }
}

/// The run of the program that the optimiser did not fold, with the outputs that it had folded; none if it had folded
/// none. The error says why there is no such run.
fn run_unfolded(
    first: &Attempt,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
    trusts_residues: bool,
) -> Result<Option<(Attempt, Vec<Site>, Prepared)>, String> {
    let not_built = |failure: Failure| format!("{NOT_BUILT}: {failure}");
    fs::create_dir(folder).map_err(|error| not_built(Failure::NoTemporaryFolder { error }))?;
    let build = Build {
        mode: first_mode(options),
        hides_constants: true,
        aim: Aim::Explain,
        trusts_residues,
    };
    let prepared = Prepared::again(options, build, folder).map_err(not_built)?;
    let sites = sites_of(&prepared);
    let outputs = sites.iter().filter(|site| site.what == What::Output);
    let computed: BTreeSet<Location> = outputs.map(Location::of).collect();
    let constants = first.findings.constants.iter();
    let folded: Vec<Site> = constants
        .map(|constant| constant.site.clone())
        .filter(|site| computed.contains(&Location::of(site)))
        .collect();
    let may_compute_more =
        first.findings.summary.executions == 0 || first.findings.is_partly_folded;
    if folded.is_empty() && !(may_compute_more && has_more_operations(&sites, first)) {
        return Ok(None);
    }
    let time = (clock, clock.left());
    let second = prepared
        .run_again(options, Purpose::ConstantFolding, None, input, folder, time)
        .map_err(|failure| match failure {
            Failure::OutOfTime => {
                format!("a second run, to see it, took too long; {}", clock.advice())
            }
            other => format!("a second run, to see it, was not possible: {other}"),
        })?;
    if let Some(signal) = second.outcome.status.signal() {
        return Err(format!(
            "a second run, to see it, was ended by signal {signal}"
        ));
    }
    if outputs_of(&second.outcome.processes) != outputs_of(&first.outcome.processes) {
        return Err(WRITES_OTHERS.to_owned());
    }
    Ok((second.findings.summary.executions > 0).then_some((second, folded, prepared)))
}

const WAS_KILLED: &str = "the program was ended by a signal, and is not run again for that";
const NOT_BUILT: &str = "a version of the program in which it computes them could not be built";
const WRITES_OTHERS: &str =
    "a second run, to see it, did not put out as much: explain the program at -O0";

/// Why there is no second run.
pub fn refusal(options: &Options) -> Option<&'static str> {
    if options.once && options.job.is_none() {
        Some("--once was given: without it, a second run would show it")
    } else if escalate::was_built(options) {
        Some("give `lostbits explain` the sources, or a program that was built at -O0")
    } else {
        None
    }
}

fn sites_of(prepared: &Prepared) -> Vec<Site> {
    let tables = tables::of_file(Path::new(&prepared.program)).unwrap_or_default();
    tables.into_iter().flat_map(|table| table.sites).collect()
}

/// Whether something is computed at source locations where the first program computes nothing.
fn has_more_operations(sites: &[Site], first: &Attempt) -> bool {
    let is_operation = |site: &&Site| matches!(site.what, What::Operation(_));
    let processes = first.outcome.processes.iter();
    let tables = processes.flat_map(|process| &process.modules);
    let known: BTreeSet<Location> = tables
        .flat_map(|module| &module.table.sites)
        .filter(is_operation)
        .map(Location::of)
        .collect();
    let mut operations = sites.iter().filter(is_operation);
    operations.any(|site| !known.contains(&Location::of(site)))
}

/// Where something is written or computed: two programs built from one source have it in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    file: String,
    line: u32,
    column: u32,
    callee: String,
}

impl Location {
    fn of(site: &Site) -> Location {
        Location {
            file: site.file.clone(),
            line: site.line,
            column: site.column,
            callee: site.callee.clone(),
        }
    }
}

/// How often each location wrote an output.
pub fn outputs_of(processes: &[ProcessRecord]) -> BTreeMap<Location, u64> {
    let mut all = BTreeMap::new();
    let modules = processes.iter().flat_map(|process| &process.modules);
    for (site, times, _) in modules.flat_map(|module| module.rows()) {
        if matches!(site.what, What::Output | What::Constant) && times > 0 {
            *all.entry(Location::of(site)).or_insert(0) += times;
        }
    }
    all
}
