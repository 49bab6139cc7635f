//! Further runs that decide what the first left undecided.
//!
//! The fast shadows know how far they may be off, and where that is too far for a verdict, nobody is blamed. Then the
//! program is built for numbers of many bits and run again, with 128 bits, 256 and so on, until two precisions say the
//! same of everything or there are 4096 bits. The report is that of the last of these runs, if it executed the same
//! operations as often as the first did.
//!
//! What is printed by further runs is not shown, and they read the same input ([`crate::run::Input`]). What else a program does
//! to the world it does again; `--once` forbids that.

use std::{collections::BTreeMap, fs, path::Path};

use lostbits_abi::{
    explain::SpotKind,
    mode::Mode,
    record::ProcessRecord,
    site::{Site, What},
};

use super::{
    attempt::{Attempt, Prepared},
    findings::Findings,
    options::{Given, Options},
};
use crate::{
    failure::Failure, report::explain::Again, run::Input, subject::Subject, summary::identity,
};

const FIRST_BITS: u32 = 128;
const MOST_BITS: u32 = 4096;

/// The run to report, and how it came to be that.
pub fn decide(
    first: Attempt,
    options: &Options,
    input: &Input,
    folder: &Path,
) -> Result<(Attempt, Again), Failure> {
    if !is_in_doubt(&first.findings) {
        return Ok((first, Again::NotNeeded));
    }
    let was_killed = first.outcome.status.code().is_none();
    if let Some(why) = is_out_of_question(options).or(was_killed.then_some(WAS_KILLED)) {
        return Ok((first, Again::No(why)));
    }
    let folder = folder.join("again");
    fs::create_dir(&folder).map_err(|error| Failure::NoTemporaryFolder { error })?;
    // What the first run found is not to be lost because there is no second.
    let Ok(prepared) = Prepared::new(options, Mode::ExplainReals, &folder) else {
        return Ok((first, Again::No(PARTS_WERE_BUILT)));
    };
    let executions = executions(&first.outcome.processes);
    let mut before: Option<Attempt> = None;
    let mut bits = FIRST_BITS;
    while bits <= MOST_BITS {
        let Ok(attempt) = prepared.run_again(options, bits, input, &folder) else {
            return Ok((first, Again::No(LEFT_NOTHING)));
        };
        if attempt.findings.modules_of_other_modes > first.findings.modules_of_other_modes {
            return Ok((first, Again::No(PARTS_WERE_BUILT)));
        }
        if self::executions(&attempt.outcome.processes) != executions {
            return Ok((first, Again::No(WENT_ANOTHER_WAY)));
        }
        let agree = before.is_some_and(|before| agree(&before.findings, &attempt.findings));
        before = Some(attempt);
        if agree {
            break;
        }
        bits *= 2;
    }
    let last = before.expect("there is a first precision");
    Ok((adopt(last, first, options)?, Again::Decided))
}

const WENT_ANOTHER_WAY: &str = "a second run, to decide them, did not execute the same operations";

const LEFT_NOTHING: &str = "a second run, to decide them, left nothing that can be read";
const PARTS_WERE_BUILT: &str = "the program, or parts of it that were built before, cannot be built for more bits: give \
     `lostbits explain` their sources, too, or build them with --lostbits-mode=explain-reals and give --precision";

/// Whether what is not decided could change the report: an operation in doubt has no say where nothing is wrong.
fn is_in_doubt(findings: &Findings) -> bool {
    let (_, operations) = findings.totals.undecided_operations;
    let spots = findings.totals.undecided() - operations;
    spots > 0 || (operations > 0 && !findings.is_clean())
}

const WAS_KILLED: &str = "the program was ended by a signal, and is not run again to decide them";

/// Why there will be no second run, whatever the first leaves undecided.
fn is_out_of_question(options: &Options) -> Option<&'static str> {
    if options.settings.precision != 0 {
        Some("--precision was given: more bits may decide them")
    } else if options.once {
        Some("--once was given: without it, further runs with more bits may decide them")
    } else if was_built(options) {
        Some(
            "what was built before cannot be run with more bits: give `lostbits explain` the sources, or \
             build with --lostbits-mode=explain-reals and give --precision",
        )
    } else {
        None
    }
}

/// Whether what runs was not built here.
pub fn was_built(options: &Options) -> bool {
    matches!(
        options.given,
        Given::Code(Subject::Program(_)) | Given::Call { .. }
    )
}

/// How often each operation was executed: two runs that agree in that went the same way.
fn executions(processes: &[ProcessRecord]) -> BTreeMap<Site, u64> {
    let mut all = BTreeMap::new();
    let modules = processes.iter().flat_map(|process| &process.modules);
    for (site, times, _) in modules.flat_map(|module| module.rows()) {
        if matches!(site.what, What::Operation(_)) && times > 0 {
            *all.entry(identity(site)).or_insert(0) += times;
        }
    }
    all
}

/// Who is blamed for what, and what is wrong without anybody to blame.
type Verdicts = (Vec<(Site, Vec<Site>)>, Vec<(Site, u32)>);

fn verdicts(findings: &Findings) -> Verdicts {
    let mut causes: Vec<(Site, Vec<Site>)> = findings
        .causes
        .iter()
        .map(|cause| {
            let spots = cause.outputs.iter().chain(&cause.decisions);
            let mut spots: Vec<Site> = spots.map(|reached| reached.spot.site.clone()).collect();
            spots.sort();
            (cause.site.clone(), spots)
        })
        .collect();
    causes.sort();
    let kind = |kind: SpotKind| kind as u32;
    let untraced = findings.untraced.iter();
    let mut untraced: Vec<(Site, u32)> = untraced
        .map(|spot| (spot.site.clone(), kind(spot.kind)))
        .collect();
    untraced.sort();
    (causes, untraced)
}

fn agree(before: &Findings, after: &Findings) -> bool {
    !is_in_doubt(after) && verdicts(before) == verdicts(after)
}

/// The last run stands for the first, whose end is the program's.
pub fn adopt(mut last: Attempt, first: Attempt, options: &Options) -> Result<Attempt, Failure> {
    if let Some(path) = &options.record {
        fs::copy(&last.outcome.record, path).map_err(|error| Failure::CannotWrite {
            path: path.clone(),
            error,
        })?;
    }
    last.outcome.status = first.outcome.status;
    Ok(last)
}
