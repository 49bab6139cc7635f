//! What the compiler computed itself is looked at in a program in which it did not.
//!
//! A program whose inputs stand in its source is folded to its results by an optimiser, before there is anything to
//! instrument. Where outputs are constants in the compiled program, or it computes nothing at all, the sources are
//! compiled once more, with the constants hidden from the optimiser. Outputs that are constants there, too, were written so
//! (or computed by the compiler's front end, of which nothing can be seen). If others are not, that program is run,
//! unheard, and stands for the first if it puts out as much in the same places.
//!
//! What it can miss: what was folded in part; constants among outputs in memory that the pass does not see to be constants,
//! in a program that computes something.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use lostbits_abi::{
    explain::HIDE_ENV,
    record::ProcessRecord,
    site::{Site, What},
};

use super::{
    again,
    attempt::{Attempt, Prepared, first_mode},
    options::Options,
};
use crate::{failure::Failure, report::explain::Folding, run::Input, tables};

/// The run to go on with, and what is known of constants in it.
pub fn look(
    first: Attempt,
    options: &mut Options,
    input: &Input,
    folder: &Path,
) -> Result<(Attempt, Folding), Failure> {
    let computes = first.findings.summary.executions > 0;
    if first.findings.constants.is_empty() && computes {
        return Ok((first, Folding::None));
    }
    let was_killed = first.outcome.status.code().is_none();
    if let Some(why) = is_out_of_question(options).or(was_killed.then_some(WAS_KILLED)) {
        return Ok((first, Folding::Unknown(why)));
    }
    let hiding = options.compiling.len();
    options.compiling.push((HIDE_ENV, "1".to_owned()));
    let (attempt, folding) = look_again(&first, options, input, folder)?;
    match attempt {
        Some(attempt) => Ok((again::adopt(attempt, first, options)?, folding)),
        None => {
            options.compiling.truncate(hiding);
            Ok((first, folding))
        }
    }
}

/// The run of the program that the optimiser did not understand, if there is need of it.
fn look_again(
    first: &Attempt,
    options: &Options,
    input: &Input,
    folder: &Path,
) -> Result<(Option<Attempt>, Folding), Failure> {
    let folder = folder.join("unfolded");
    fs::create_dir(&folder).map_err(|error| Failure::NoTemporaryFolder { error })?;
    // What the first run found is not to be lost because there is no second.
    let Ok(prepared) = Prepared::new(options, first_mode(options), &folder) else {
        return Ok((None, Folding::Unknown(NOT_COMPILED)));
    };
    let sites = sites_of(&prepared);
    let outputs = sites.iter().filter(|site| site.what == What::Output);
    let computed: BTreeSet<Place> = outputs.map(Place::of).collect();
    let constants = first.findings.constants.iter();
    let folded: Vec<Site> = constants
        .map(|constant| constant.site.clone())
        .filter(|site| computed.contains(&Place::of(site)))
        .collect();
    let was_nothing = first.findings.summary.executions == 0;
    if folded.is_empty() && !(was_nothing && has_more_operations(&sites, first)) {
        return Ok((None, Folding::None));
    }
    let bits = options.settings.precision;
    let Ok(attempt) = prepared.run_again(options, bits, input, &folder) else {
        return Ok((None, Folding::Unknown(LEFT_NOTHING)));
    };
    if put_out(&attempt.outcome.processes) != put_out(&first.outcome.processes) {
        return Ok((None, Folding::Unknown(WENT_ANOTHER_WAY)));
    }
    match attempt.findings.summary.executions {
        0 => Ok((None, Folding::None)),
        _ => Ok((Some(attempt), Folding::LookedAt(folded))),
    }
}

const WAS_KILLED: &str = "the program was ended by a signal, and is not run again for that";
const NOT_COMPILED: &str = "a version of the program in which it computes them could not be built";
const LEFT_NOTHING: &str = "a second run, to see it, left nothing that can be read";
const WENT_ANOTHER_WAY: &str =
    "a second run, to see it, did not put out as much: explain the program at -O0";

/// Why there will be no second run.
pub fn is_out_of_question(options: &Options) -> Option<&'static str> {
    if options.once {
        Some("--once was given: without it, a second run would show it")
    } else if again::was_built(options) {
        Some("give `lostbits explain` the sources, or a program that was built at -O0")
    } else {
        None
    }
}

fn sites_of(prepared: &Prepared) -> Vec<Site> {
    let tables = tables::of_file(Path::new(&prepared.program)).unwrap_or_default();
    tables.into_iter().flat_map(|table| table.sites).collect()
}

/// Whether something is computed in places where the first program computes nothing.
fn has_more_operations(sites: &[Site], first: &Attempt) -> bool {
    let is_operation = |site: &&Site| matches!(site.what, What::Operation(_));
    let processes = first.outcome.processes.iter();
    let tables = processes.flat_map(|process| &process.modules);
    let known: BTreeSet<Place> = tables
        .flat_map(|module| &module.table.sites)
        .filter(is_operation)
        .map(Place::of)
        .collect();
    let mut operations = sites.iter().filter(is_operation);
    operations.any(|site| !known.contains(&Place::of(site)))
}

/// Where something is put out or computed: two programs made of one source have it in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: String,
    line: u32,
    column: u32,
    callee: String,
}

impl Place {
    fn of(site: &Site) -> Place {
        Place {
            file: site.file.clone(),
            line: site.line,
            column: site.column,
            callee: site.callee.clone(),
        }
    }
}

/// How often something was put out in each place.
fn put_out(processes: &[ProcessRecord]) -> BTreeMap<Place, u64> {
    let mut all = BTreeMap::new();
    let modules = processes.iter().flat_map(|process| &process.modules);
    for (site, times, _) in modules.flat_map(|module| module.rows()) {
        if matches!(site.what, What::Output | What::Constant) && times > 0 {
            *all.entry(Place::of(site)).or_insert(0) += times;
        }
    }
    all
}
