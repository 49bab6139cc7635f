//! Interventions: runs in which some statements count as computed exactly.
//!
//! The program is built once more so that every operation can leave out its own rounding error or what it inherits
//! (`INTERVENTIONS_ENV`); each run reads from a file what to leave out where. The program itself computes the same in
//! every run; only the errors that are followed differ, so the effect of a statement on an output is read off directly.
//!
//! What it can miss: errors of functions of `[[wrap]]` are always counted; runs of several instrumented processes, and
//! runs that need more precision than residues have, are refused.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use lostbits_abi::{
    explain::{INTERVENTIONS_FILE_ENV, SpotKind, intervention},
    mode::Mode,
    record::ProcessRecord,
    site::{Site, What},
};

use super::{
    attempt::{Attempt, Build, Prepared},
    escalate,
    findings::{Findings, RootCause},
    options::{ExplainSubject, Options},
};
use crate::{failure::Failure, run::Input};

/// The operations on one source line.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub file: String,
    pub line: u32,
    /// Of an operation that counts for itself.
    pub column: Option<u32>,
    pub function: String,
    pub executions: u64,
    /// The numbers of its sites in the record.
    sites: Vec<usize>,
}

#[cfg(test)]
impl Statement {
    pub fn for_test(file: &str, line: u32) -> Statement {
        Statement {
            file: file.to_owned(),
            line,
            column: None,
            function: "main".to_owned(),
            executions: 1,
            sites: Vec::new(),
        }
    }
}

/// An output or decision: its site's number in the record, and its kind.
pub type SpotKey = (u32, u32);

/// What an error does to an output or decision.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effect {
    /// Exact minus computed value at the worst execution, relative to the computed value; 0 for decisions.
    pub error: f64,
    /// How often it was wrong.
    pub wrong: u64,
    /// The computed value, and what it is with the errors that are left in removed.
    pub computed: f64,
    pub corrected: f64,
}

pub type Effects = BTreeMap<SpotKey, Effect>;

/// What a run leaves out of a statement's errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeaveOut {
    Nothing,
    /// Its own rounding errors: the statement rounds as the program does.
    OwnErrors,
    /// The errors of its operands: the statement's inputs are exact.
    InheritedErrors,
}

/// A series of runs with interventions on statements.
pub trait Experiment {
    fn statements(&self) -> &[Statement];

    /// The effects of all errors that `leave_out` (one for each statement) leaves in; none if the run failed.
    fn run(&self, leave_out: &[LeaveOut]) -> Option<Effects>;
}

/// The user's program, built for interventions.
pub struct Program<'a> {
    prepared: Prepared,
    options: &'a Options,
    input: &'a Input,
    folder: PathBuf,
    statements: Vec<Statement>,
    /// All sites of the record, in its order.
    sites: Vec<Site>,
    runs: Cell<u32>,
}

impl<'a> Program<'a> {
    /// Builds it and runs it once with all errors; gives their effects, too. An `Err` says why there are no interventions.
    pub fn new(
        options: &'a Options,
        hides_constants: bool,
        input: &'a Input,
        folder: &Path,
    ) -> Result<(Program<'a>, Effects), String> {
        if let Some(why) = refusal(options) {
            return Err(why.to_owned());
        }
        let not_run = |failure: Failure| format!("the program could not be run for it: {failure}");
        let no_folder = |error| not_run(Failure::NoTemporaryFolder { error });
        let folder = folder.join("interventions");
        fs::create_dir(&folder).map_err(no_folder)?;
        let build = Build {
            mode: Mode::Explain,
            hides_constants,
            intervenes: true,
        };
        let prepared = Prepared::new(options, build, &folder).map_err(not_run)?;
        let all = prepared
            .run_again(options, 0, input, &folder)
            .map_err(not_run)?;
        let [process] = &all.outcome.processes[..] else {
            return Err("it works for programs of one process so far".to_owned());
        };
        // An expression is one line: there, every operation counts for itself.
        let by_operation = matches!(options.subject, ExplainSubject::Formula { .. });
        let program = Program {
            prepared,
            options,
            input,
            folder,
            statements: statements(process, by_operation),
            sites: process
                .modules
                .iter()
                .flat_map(|one| one.table.sites.clone())
                .collect(),
            runs: Cell::new(1),
        };
        let effects = effects(&all);
        Ok((program, effects))
    }

    /// The statements of the root causes.
    pub fn suspects(&self, findings: &Findings) -> Vec<usize> {
        let is_of = |statement: &Statement, cause: &RootCause| {
            let column = statement.column.unwrap_or(cause.site.column);
            (&statement.file, statement.line, column)
                == (&cause.site.file, cause.site.line, cause.site.column)
        };
        let found = findings.causes.iter().filter_map(|cause| {
            let mut statements = self.statements.iter();
            statements.position(|statement| is_of(statement, cause))
        });
        let mut suspects = Vec::new();
        for statement in found {
            if !suspects.contains(&statement) {
                suspects.push(statement);
            }
        }
        suspects
    }

    /// The sites of outputs and decisions.
    pub fn spots(&self, effects: &Effects) -> BTreeMap<SpotKey, Site> {
        let keys = effects.keys();
        keys.filter_map(|key| Some((*key, self.sites.get(key.0 as usize)?.clone())))
            .collect()
    }
}

impl Experiment for Program<'_> {
    fn statements(&self) -> &[Statement] {
        &self.statements
    }

    fn run(&self, leave_out: &[LeaveOut]) -> Option<Effects> {
        let mut bytes = vec![0u8; self.sites.len()];
        for (statement, leave_out) in self.statements.iter().zip(leave_out) {
            let byte = match leave_out {
                LeaveOut::Nothing => 0,
                LeaveOut::OwnErrors => intervention::WITHOUT_OWN_ERROR,
                LeaveOut::InheritedErrors => intervention::WITHOUT_INHERITED_ERROR,
            };
            statement.sites.iter().for_each(|site| bytes[*site] = byte);
        }
        let number = self.runs.get();
        self.runs.set(number + 1);
        let folder = self.folder.join(number.to_string());
        fs::create_dir(&folder).ok()?;
        let file = folder.join("interventions");
        fs::write(&file, bytes).ok()?;
        let variable = (INTERVENTIONS_FILE_ENV, file.to_string_lossy().into_owned());
        let attempt = self
            .prepared
            .run_with(self.options, variable, self.input, &folder)
            .ok()?;
        let found = effects(&attempt);
        // Many runs of a large program would fill the disk.
        let _ = fs::remove_dir_all(&folder);
        Some(found)
    }
}

fn refusal(options: &Options) -> Option<&'static str> {
    if options.settings.precision != 0 {
        Some("--precision was given: leave it out")
    } else if options.once {
        Some("--once was given: leave it out")
    } else if escalate::was_built(options) {
        Some("a program that was built before cannot be rebuilt for it: give its sources")
    } else {
        None
    }
}

/// The operations that were executed, line by line or one by one.
fn statements(process: &ProcessRecord, by_operation: bool) -> Vec<Statement> {
    let mut all: BTreeMap<(String, u32, Option<u32>), Statement> = BTreeMap::new();
    let rows = process.modules.iter().flat_map(|module| module.rows());
    for (number, (site, executions, _)) in rows.enumerate() {
        if !matches!(site.what, What::Operation(_)) || executions == 0 {
            continue;
        }
        let column = by_operation.then_some(site.column);
        let statement = all
            .entry((site.file.clone(), site.line, column))
            .or_insert_with(|| Statement {
                file: site.file.clone(),
                line: site.line,
                column,
                function: site.function.clone(),
                executions: 0,
                sites: Vec::new(),
            });
        statement.executions = statement.executions.max(executions);
        statement.sites.push(number);
    }
    all.into_values().collect()
}

fn effects(attempt: &Attempt) -> Effects {
    let mut all = Effects::new();
    for spot in attempt.analyses.iter().flat_map(|one| &one.spots) {
        let computed = spot.worst_values[0];
        let corrected = spot.worst_reals[0].nearest;
        let error = match spot.kind == SpotKind::Output as u32 {
            true => relative(corrected - computed, computed),
            false => 0.0,
        };
        all.insert(
            (spot.site, spot.kind),
            Effect {
                error,
                wrong: spot.erroneous,
                computed,
                corrected,
            },
        );
    }
    all
}

fn relative(difference: f64, value: f64) -> f64 {
    match value == 0.0 || !difference.is_finite() {
        true => difference,
        false => difference / value.abs(),
    }
}
