//! `lostbits fix` on a source: from a wrong output to a patch.
//!
//! [`crate::explain`] proves which operations make the error; [`locate`] finds the formula of each in the source
//! ([`read`]: clang's syntax tree, `syn`, or our Fortran reader); [`probe`] records which values its variables have in the run;
//! [`choose`] looks for a better formula with [`crate::fix`]; [`write`] puts it in the author's language; [`sums`] compensates
//! running sums; [`verify`] builds and explains the patched program. A patch that does not stand the checks is withdrawn.
//!
//! What it can miss: for causes in macros and generated code the text is only suggested, and those in included files are
//! refused; a repair that needs another algorithm (a pivot, another recurrence) is not found.

mod advice;
mod arguments;
mod change;
mod choose;
mod edit;
mod formula;
mod functions;
mod generated;
mod locate;
mod options;
mod probe;
mod program;
mod project;
mod read;
mod report;
mod shift;
mod sums;
mod tree;
mod verify;
mod write;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use lostbits_abi::kind::FpKind;

pub use arguments::is_source;
pub use options::Options;
pub use report::{diffs, json, terminal};

use change::{Change, File, change};
use locate::{Place, locate};
use verify::{Checked, reads_back, verify};

use crate::{
    demangle::demangle,
    explain::{Evidence, Explanation, RootCause},
    failure::Failure,
    fix::machine::Width,
    inputs::{NamedRange, RangeProblem, is_named},
    run,
};

/// What became of a program.
pub struct Outcome {
    pub patches: Vec<Patch>,
    /// Causes that could not be repaired, each with the reason.
    pub unrepaired: Vec<Unrepaired>,
    /// Whether nothing was wrong.
    pub is_clean: bool,
    pub checked: Option<Checked>,
}

/// The changed sources.
pub struct Patch {
    pub file: PathBuf,
    pub before: String,
    pub after: String,
    pub changes: Vec<Change>,
}

pub struct Unrepaired {
    pub file: String,
    pub line: u32,
    pub reason: String,
}

/// Repairs the causes of a program's wrong outputs.
pub fn patch(options: &Options) -> Result<Outcome, Failure> {
    if let Some(function) = &options.function {
        return function_alone(options, function);
    }
    let program = &options.program;
    let explanation = program.explain()?;
    if explanation.findings.is_clean() && !explanation.status.success() {
        let status = explanation.status;
        return Err(Failure::CleanButFailed { status });
    }
    let mut outcome = Outcome {
        patches: Vec::new(),
        unrepaired: Vec::new(),
        is_clean: explanation.findings.is_clean(),
        checked: None,
    };
    let mut changes: Vec<Change> = Vec::new();
    let shown = |file: &str| match program.source(Path::new(file)) {
        Some(own) => own.display().to_string(),
        None => file.to_owned(),
    };
    for cause in &explanation.findings.causes {
        let file = shown(&cause.site.file);
        if !options.wants(&file, cause.site.line) {
            continue;
        }
        match repaired(cause, options, &changes) {
            Ok(Some(change)) => changes.push(change),
            Ok(None) => {}
            Err(reason) => outcome.unrepaired.push(Unrepaired {
                file,
                line: cause.site.line,
                reason,
            }),
        }
    }
    if !changes.is_empty() {
        withstand(changes, options, &explanation, &mut outcome)?;
    }
    let outputs = outcome
        .checked
        .iter_mut()
        .flat_map(|checked| &mut checked.outputs);
    for output in outputs {
        output.file = shown(&output.file);
    }
    Ok(outcome)
}

/// Keeps the changes that stand the checks: all of them, or else each that does so alone.
fn withstand(
    changes: Vec<Change>,
    options: &Options,
    explanation: &Explanation,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let mut attempts = vec![changes.clone()];
    if changes.len() > 1 {
        attempts.extend(changes.into_iter().map(|one| vec![one]));
    }
    let mut reasons = Vec::new();
    for attempt in attempts {
        let folder = run::temporary_folder()?;
        let patches = patches(&attempt)?;
        let mut patched = options.program.clone();
        for patch in &patches {
            patched = patched.with_source(&patch.file, &patch.after, folder.path())?;
        }
        match verify(&options.program, &patched, &explanation.findings)? {
            Ok(checked) => {
                outcome.patches = patches;
                outcome.checked = Some(checked);
                return Ok(());
            }
            Err(reason) => reasons.push((attempt[0].clone(), reason)),
        }
    }
    for (change, reason) in reasons.into_iter().take(1) {
        outcome.unrepaired.push(Unrepaired {
            file: change.file.display().to_string(),
            line: change.line,
            reason: format!("a patch was found and withdrawn: {reason}"),
        });
    }
    Ok(())
}

fn patches(changes: &[Change]) -> Result<Vec<Patch>, Failure> {
    let mut files: BTreeMap<PathBuf, Vec<Change>> = BTreeMap::new();
    for change in changes {
        files
            .entry(change.file.clone())
            .or_default()
            .push(change.clone());
    }
    let one = |(file, changes): (PathBuf, Vec<Change>)| {
        let before = fs::read_to_string(&file).map_err(|error| Failure::CannotRead {
            path: file.clone(),
            error,
        })?;
        let mut edits: Vec<edit::Edit> = Vec::new();
        for edit in changes.iter().flat_map(|change| &change.edits) {
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
        Ok(Patch {
            after: edit::applied(&before, &edits),
            before,
            file,
            changes,
        })
    };
    files.into_iter().map(one).collect()
}

/// A range of a name that no formula has is a mistake.
fn known_only(ranges: &[NamedRange], names: BTreeSet<String>) -> Result<(), RangeProblem> {
    let is_known = |range: &&NamedRange| names.iter().any(|name| is_named(name, &range.name));
    match ranges.iter().find(|range| !is_known(range)) {
        None => Ok(()),
        Some(range) => Err(RangeProblem::Unknown {
            name: range.name.clone(),
            known: names.into_iter().collect(),
        }),
    }
}

/// The change for a cause, or for what amplifies its error; none if an earlier change repairs it.
fn repaired(
    cause: &RootCause,
    options: &Options,
    earlier: &[Change],
) -> Result<Option<Change>, String> {
    let mut causes = vec![cause];
    if let Evidence::Proved(proof) = &cause.evidence {
        causes.extend(&proof.amplified_by);
    }
    let mut reasons = Vec::new();
    for one in causes {
        match at_cause(one, options, earlier) {
            Ok(change) => return Ok(change),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.swap_remove(0))
}

fn at_cause(
    cause: &RootCause,
    options: &Options,
    earlier: &[Change],
) -> Result<Option<Change>, String> {
    let named = Path::new(&cause.site.file);
    let own = options
        .program
        .source(named)
        .map(|path| (path, cause.site.line));
    let (path, line) = own
        .or_else(|| generated::origin(&options.program, named, cause.site.line))
        .ok_or(
            "the operation is in a file that is not among the sources given: `lostbits explain` names its formula, and \
             `lostbits fix 'FORMULA'` repairs that",
        )?;
    let function = function_name(&cause.site.function);
    let file = File::open(&path, function.as_deref(), &options.program)?;
    let place = Place {
        line,
        column: cause.site.column,
        op: Some(cause.op),
    };
    if let Some(change) = sums::change(&file, line, &options.program)? {
        let change = generated::unless(&file.text, change)?;
        return Ok(Some(change).filter(|change| !is_known(change, earlier)));
    }
    let (index, node) = locate(&file.source, &file.text, &place).ok_or(
        "no formula was found at this place: it is in a macro, a lambda, or a kind of statement that fix does not read",
    )?;
    if let Some(change) = shift::change(&file, index, &options.program)? {
        let change = generated::unless(&file.text, change)?;
        return Ok(Some(change).filter(|change| !is_known(change, earlier)));
    }
    let width = match cause.site.kind {
        Some(FpKind::Float) => Some(Width::Single),
        Some(FpKind::Double) => Some(Width::Double),
        _ => None,
    };
    let found = change(
        &file,
        index,
        node,
        width,
        Some(&options.program),
        &[],
        options.effort,
    )
    .map_err(|reason| match advice::second_word(&file, index, node) {
        Some(advice) => format!("{reason}; {advice}"),
        None => reason,
    })?;
    if is_known(&found, earlier) {
        return Ok(None);
    }
    reads_back(&file, &found, function.as_deref(), &options.program)?;
    Ok(Some(found))
}

/// Whether an earlier change replaces some of the same text.
fn is_known(change: &Change, earlier: &[Change]) -> bool {
    let own = &change.replacement.span;
    earlier.iter().any(|one| {
        let other = &one.replacement.span;
        one.file == change.file && own.start < other.end && other.start < own.end
    })
}

/// The name by which clang finds a function: without arguments.
fn function_name(symbol: &str) -> Option<String> {
    let readable = demangle(symbol);
    let name = readable.split(['(', '<']).next().unwrap_or_default();
    let name = name.split_whitespace().next_back()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Repairs the formulas of a function that is not run.
fn function_alone(options: &Options, function: &str) -> Result<Outcome, Failure> {
    let mut outcome = Outcome {
        patches: Vec::new(),
        unrepaired: Vec::new(),
        is_clean: true,
        checked: None,
    };
    let mut changes = Vec::new();
    // Of the variables in its formulas.
    let mut names: BTreeSet<String> = BTreeSet::new();
    for path in options.program.sources() {
        let unreadable = |reason| Failure::CannotRepair {
            path: path.clone(),
            reason,
        };
        let file = File::open(&path, Some(function), &options.program).map_err(unreadable)?;
        let procedure = file
            .source
            .procedures
            .iter()
            .find(|one| one.name == function);
        let Some(procedure) = procedure else {
            continue;
        };
        let is_own = |span: &tree::Span| {
            procedure.span.start <= span.start && span.end <= procedure.span.end
        };
        let formulas = file.source.formulas.iter();
        let own = formulas.filter(|formula| is_own(&formula.tree.span));
        let leaves = own.flat_map(|formula| formula.tree.leaves());
        names.extend(leaves.map(|leaf| leaf.text.clone()));
        for (index, formula) in file.source.formulas.iter().enumerate() {
            let span = &formula.tree.span;
            if !is_own(span) {
                continue;
            }
            let (ranges, effort) = (&options.ranges, options.effort);
            match change(&file, index, &formula.tree, None, None, ranges, effort) {
                Ok(change) if !is_known(&change, &changes) => {
                    match reads_back(&file, &change, Some(function), &options.program) {
                        Ok(()) => changes.push(change),
                        Err(reason) => outcome.unrepaired.push(Unrepaired {
                            file: path.display().to_string(),
                            line: change.line,
                            reason,
                        }),
                    }
                }
                Ok(_) => {}
                Err(reason) => outcome.unrepaired.push(Unrepaired {
                    file: path.display().to_string(),
                    line: tree::line_of(&file.text, span.start),
                    reason,
                }),
            }
        }
        outcome.is_clean = false;
    }
    if outcome.is_clean {
        return Err(Failure::NothingInFunction {
            name: function.to_owned(),
        });
    }
    known_only(&options.ranges, names)?;
    outcome.patches = patches(&changes)?;
    Ok(outcome)
}
