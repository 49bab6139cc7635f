//! Interventions: runs in which some statements count as computed exactly.
//!
//! Every operation can leave out its own rounding error or what it inherits; each run reads from a file what to leave out
//! where. The program itself computes the same in every run; only the errors that are followed differ, so the effect of a
//! statement on an output is read off directly.
//!
//! What it can miss: errors of functions of `[[wrap]]` are always counted. Runs of processes of different programs, and
//! runs that need more precision than residues have, are refused.

use std::{
    cell::Cell,
    collections::{BTreeMap, btree_map::Entry},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use lostbits_abi::{
    explain::{
        INTERVENTIONS_FILE_ENV, RecordedExecution, SpotKind, cause, intervention, is_inline,
    },
    record::ProcessRecord,
    site::{Site, What},
};

use super::{
    analysis::Analysis,
    attempt::{Attempt, Prepared},
    blame,
    clock::{Clock, Purpose},
    findings::{Findings, RootCause, Spot},
    line_parts::Parts,
    measuring::{self, Explained},
    options::{ExplainSubject, Options},
};
use crate::{failure::Failure, run::Input, summary::identity};

/// The operations of one statement: of a source line, or of a part of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub file: String,
    pub line: u32,
    /// The first and the last of its columns, where others of the line are not its own.
    pub columns: Option<[u32; 2]>,
    /// Of a library function that counts for itself.
    function_called: Option<What>,
    pub function: String,
    pub executions: u64,
    /// Its operation that was executed most often; the last of these, which the others feed.
    pub site: Site,
    /// The numbers of its sites in the record.
    sites: Vec<usize>,
}

impl Statement {
    /// Whether an operation belongs to it.
    pub fn has(&self, site: &Site) -> bool {
        let has_column = |[first, last]: [u32; 2]| (first..=last).contains(&site.column);
        (self.file.as_str(), self.line) == (&site.file, site.line)
            && self.columns.is_none_or(has_column)
            && self.function_called == called_through_a_pointer(site)
    }

    /// Tells it from others of its line.
    pub fn column(&self) -> Option<u32> {
        self.columns.map(|_| self.site.column)
    }

    pub fn has_several_operations(&self) -> bool {
        self.sites.len() > 1
    }
}

#[cfg(test)]
impl Statement {
    pub fn for_test(file: &str, line: u32) -> Statement {
        Statement {
            file: file.to_owned(),
            line,
            columns: None,
            function_called: None,
            function: "main".to_owned(),
            executions: 1,
            site: Site {
                file: file.to_owned(),
                function: "main".to_owned(),
                line,
                column: 1,
                ordinal: 0,
                what: What::Operation(lostbits_abi::ops::Op::Add),
                kind: None,
                lanes: 1,
                copies: 1,
                callee: String::new(),
                note: None,
                operands: Vec::new(),
                inlined_from: Vec::new(),
            },
            // Two copies of it.
            sites: vec![0, 0],
        }
    }
}

/// An output or decision: its site's number in the record, and its kind.
pub type SpotKey = (u32, u32);

/// What an error does to an output or decision.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effect {
    /// How often it was wrong.
    pub wrong: u64,
    /// At the recorded execution: the computed value, and what it is with the errors that are left in removed. Of a decision
    /// it is the distance of its operands from the point where it changes.
    pub computed: f64,
    pub corrected: f64,
    /// Which execution that is, from 1 on.
    pub execution: u64,
    /// Of how many.
    pub seen: u64,
    /// Whether runs with residues leave it undecided how often a decision is wrong; high precision counted it.
    pub is_undecided: bool,
}

impl Effect {
    /// Exact minus computed value at the recorded execution.
    pub fn error(&self) -> f64 {
        self.corrected - self.computed
    }
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
    /// Both: its results are exact.
    AllErrors,
    /// Its own rounding errors, and its results are rounded to `float`. Only programs that are built for it do that
    /// ([`lostbits_abi::explain::ROUND_TO_FLOAT_ENV`]).
    OwnErrorsButFloats,
}

impl LeaveOut {
    fn to_byte(self) -> u8 {
        match self {
            LeaveOut::Nothing => 0,
            LeaveOut::OwnErrors => intervention::WITHOUT_OWN_ERROR,
            LeaveOut::InheritedErrors => intervention::WITHOUT_INHERITED_ERROR,
            LeaveOut::AllErrors => {
                intervention::WITHOUT_OWN_ERROR | intervention::WITHOUT_INHERITED_ERROR
            }
            LeaveOut::OwnErrorsButFloats => {
                intervention::WITHOUT_OWN_ERROR | intervention::ROUNDED_TO_FLOAT
            }
        }
    }
}

/// A statement with operations that the first run suspects, the one to be shown first.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    pub statement: usize,
    pub operations: Vec<Site>,
    /// Whether one of them makes errors larger, by itself.
    pub amplifies: bool,
}

/// A series of runs with interventions on statements.
pub trait Experiment {
    fn statements(&self) -> &[Statement];

    /// The effects of all errors that `leave_out` (one for each statement) leaves in, and of no error of `operation`, where
    /// one is given; none if the run failed.
    fn run(&self, leave_out: &[LeaveOut], operation: Option<&Site>) -> Option<Effects>;
}

/// The user's program.
pub struct Program<'a> {
    prepared: &'a Prepared,
    /// The cheaper program, and what it finds with all errors.
    measuring: Option<(Prepared, Effects)>,
    options: &'a Options,
    input: &'a Input,
    folder: PathBuf,
    statements: Vec<Statement>,
    /// All sites of the record, in its order.
    sites: Vec<Site>,
    /// What all runs record: the worst execution of each output with all errors.
    recorded: Vec<RecordedExecution>,
    /// The value of each wrong output in the report, which tells the process that it speaks of.
    reported: BTreeMap<SpotKey, f64>,
    clock: &'a Clock,
    runs: Cell<u32>,
}

impl<'a> Program<'a> {
    /// With the effects of all errors. All runs record the execution of each output that `wrong` has as its worst. An `Err` says why there
    /// are no interventions.
    pub fn new(
        (prepared, explained): (&'a Prepared, &Explained),
        options: &'a Options,
        wrong: &[Spot],
        input: &'a Input,
        folder: &Path,
        clock: &'a Clock,
    ) -> Result<(Program<'a>, Effects), String> {
        if let Some(why) = refusal(options) {
            return Err(why.to_owned());
        }
        if options.prove.is_none() && clock.is_used_up() {
            return Err(clock.advice());
        }
        let folder = folder.join("interventions");
        fs::create_dir(&folder).map_err(|error| {
            let failure = Failure::NoTemporaryFolder { error };
            format!("the program could not be run for it: {failure}")
        })?;
        let processes = &explained.processes[..];
        let sites = sites_of_all(processes)
            .ok_or_else(|| "it works for processes of one program so far".to_owned())?;
        let reported = reported_values(&sites, wrong);
        // An expression is one line: there, every operation counts for itself.
        let by_operation = matches!(options.subject, ExplainSubject::Formula { .. });
        // The run that explained left nothing out, and recorded no decision.
        let effects = effects(&explained.analyses, &reported, &[]);
        let mut program = Program {
            prepared,
            measuring: None,
            options,
            input,
            folder,
            statements: statements(processes, by_operation),
            sites,
            reported,
            recorded: Vec::new(),
            clock,
            runs: Cell::new(1),
        };
        program.recorded = program.executions_to_record(&effects, wrong);
        if let Some(measured) = program.start_measuring(explained, &effects, wrong) {
            return Ok((program, measured));
        }
        if options.prove.is_none() && clock.is_used_up() {
            return Err(clock.advice());
        }
        if program.recorded == recorded_executions(&effects) {
            return Ok((program, effects));
        }
        // Decisions are to be recorded, or only high precision knew which execution is the worst.
        let nothing = vec![LeaveOut::Nothing; program.statements.len()];
        match program.run(&nothing, None) {
            Some(effects) => Ok((program, effects)),
            None if options.prove.is_none() && clock.is_used_up() => Err(clock.advice()),
            None => Err("the program could not be run for it a second time".to_owned()),
        }
    }

    /// Builds the program whose runs are cheaper, and gives the effects of all errors in it; none if it does not find what the
    /// explaining run found.
    fn start_measuring(
        &mut self,
        explained: &Explained,
        effects: &Effects,
        wrong: &[Spot],
    ) -> Option<Effects> {
        if self.prepared.is_high_precision() {
            return None;
        }
        let prepared = measuring::build(explained, self.options, &self.folder, self.clock)?;
        let nothing = vec![LeaveOut::Nothing; self.statements.len()];
        let attempt = self.attempt(&prepared, Purpose::Measurement, &nothing, None)?;
        let measured = self::effects(&attempt.analyses, &self.reported, &self.recorded);
        let has_all = measuring::numbers_sites_alike(&attempt, &self.sites)
            && measuring::agrees(&measured, effects, &self.expected_errors(effects, wrong));
        has_all.then(|| {
            self.measuring = Some((prepared, measured.clone()));
            measured
        })
    }

    /// The wrong results, with the reported error of outputs of which another execution is recorded than the explaining run did.
    fn expected_errors(&self, effects: &Effects, wrong: &[Spot]) -> BTreeMap<SpotKey, Option<f64>> {
        let of_key = |key: &SpotKey| {
            let site = identity(self.sites.get(key.0 as usize)?);
            let mut spots = wrong.iter();
            spots.find(|spot| spot.kind as u32 == key.1 && identity(&spot.site) == site)
        };
        let expected = effects.iter().filter_map(|(key, effect)| {
            let spot = of_key(key)?;
            let mut recorded = self.recorded.iter();
            let is_other = spot.kind == SpotKind::Output
                && recorded
                    .any(|one| one.site == u64::from(key.0) && one.execution != effect.execution);
            let error = is_other.then(|| spot.reals[0].nearest - spot.values[0]);
            Some((*key, error))
        });
        expected.collect()
    }

    /// The executions to record, in the order of their sites: those that the report has, else those of the first run.
    fn executions_to_record(&self, effects: &Effects, wrong: &[Spot]) -> Vec<RecordedExecution> {
        let mut all = self.worst_executions(effects, wrong);
        all.extend(self.decisions_to_record(wrong));
        all.sort_by_key(|one| one.site);
        // Lanes and copies of a decision are one site.
        all.dedup_by_key(|one| one.site);
        all
    }

    /// Wrong decisions are known by their operands: the program computes the same in every run.
    fn decisions_to_record(&self, wrong: &[Spot]) -> Vec<RecordedExecution> {
        let decisions = wrong.iter().filter(|spot| spot.kind != SpotKind::Output);
        let of_spot = |spot: &Spot| {
            let site = identity(&spot.site);
            let number = self.sites.iter().position(|one| identity(one) == site)?;
            let operand = |at: usize| spot.values.get(at).map_or(0, |value| value.to_bits());
            Some(RecordedExecution {
                site: number as u64,
                execution: 0,
                operands: [operand(0), operand(1)],
            })
        };
        decisions.filter_map(of_spot).collect()
    }

    fn worst_executions(&self, effects: &Effects, wrong: &[Spot]) -> Vec<RecordedExecution> {
        let outputs = wrong.iter().filter(|spot| spot.kind == SpotKind::Output);
        let reported = |site: u32| {
            let site = identity(self.sites.get(site as usize)?);
            let spot = outputs.clone().find(|spot| identity(&spot.site) == site)?;
            (spot.worst_execution > 0).then_some(spot.worst_execution)
        };
        let mut effects = effects.clone();
        for ((site, kind), effect) in &mut effects {
            if *kind == SpotKind::Output as u32
                && let Some(execution) = reported(*site)
            {
                effect.execution = execution;
            }
        }
        recorded_executions(&effects)
    }

    /// The statements of the root causes; of each the operations, the one to be shown first.
    pub fn suspects(&self, findings: &Findings) -> Vec<Suspect> {
        let mut suspects: Vec<(usize, Vec<&RootCause>)> = Vec::new();
        for cause in &findings.causes {
            let mut statements = self.statements.iter();
            let Some(statement) = statements.position(|statement| statement.has(&cause.site))
            else {
                continue;
            };
            match suspects.iter_mut().find(|one| one.0 == statement) {
                Some((_, before)) => before.push(cause),
                None => suspects.push((statement, vec![cause])),
            }
        }
        let suspect = |(statement, mut causes): (usize, Vec<&RootCause>)| {
            causes.sort_by(|a, b| blame::by_preference(b, a));
            let operations = causes.iter().map(|cause| identity(&cause.site));
            let accumulates = |cause: &&RootCause| cause.causes == cause::ACCUMULATED;
            Suspect {
                statement,
                operations: operations.collect(),
                amplifies: !causes.iter().all(accumulates),
            }
        };
        suspects.into_iter().map(suspect).collect()
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

    fn run(&self, leave_out: &[LeaveOut], operation: Option<&Site>) -> Option<Effects> {
        if let Some((prepared, all)) = &self.measuring {
            let attempt = self.attempt(prepared, Purpose::Measurement, leave_out, operation)?;
            let found = effects(&attempt.analyses, &self.reported, &self.recorded);
            let reported = all
                .iter()
                .filter(|(key, _)| self.reported.contains_key(key));
            let reported: Effects = reported.map(|(key, effect)| (*key, *effect)).collect();
            if !measuring::has_lost(&found, &reported) {
                return Some(found);
            }
        }
        let attempt = self.attempt(self.prepared, Purpose::Intervention, leave_out, operation)?;
        Some(effects(&attempt.analyses, &self.reported, &self.recorded))
    }
}

impl Program<'_> {
    fn attempt(
        &self,
        prepared: &Prepared,
        purpose: Purpose,
        leave_out: &[LeaveOut],
        operation: Option<&Site>,
    ) -> Option<Attempt> {
        let mut bytes = vec![0u8; self.sites.len()];
        let mut file = executions_file(&self.recorded);
        for (statement, leave_out) in self.statements.iter().zip(leave_out) {
            let byte = leave_out.to_byte();
            statement.sites.iter().for_each(|site| bytes[*site] = byte);
        }
        for decision in self.recorded.iter().filter(|one| one.execution == 0) {
            bytes[decision.site as usize] |= intervention::RECORDED;
        }
        for (byte, site) in bytes.iter_mut().zip(&self.sites) {
            if operation.is_some_and(|operation| identity(site) == *operation) {
                *byte = LeaveOut::AllErrors.to_byte();
            }
        }
        let number = self.runs.get();
        self.runs.set(number + 1);
        let folder = self.folder.join(number.to_string());
        fs::create_dir(&folder).ok()?;
        let path = folder.join("interventions");
        file.extend(bytes);
        fs::write(&path, file).ok()?;
        let variable = Some((INTERVENTIONS_FILE_ENV, path.to_string_lossy().into_owned()));
        let time = (self.clock, limit(self.options, self.clock, purpose));
        let attempt =
            prepared.run_again(self.options, purpose, variable, self.input, &folder, time);
        // Many runs of a large program would fill the disk.
        let _ = fs::remove_dir_all(&folder);
        attempt.ok()
    }
}

/// How long the next run may take; the user who gives a number of runs sets no limit. One that would be cut off is not begun.
fn limit(options: &Options, clock: &Clock, purpose: Purpose) -> Option<Duration> {
    if options.prove.is_some() {
        return None;
    }
    let expected = clock.fastest(purpose).unwrap_or_default();
    clock.left().map(|left| {
        if left < expected {
            Duration::ZERO
        } else {
            left
        }
    })
}

fn refusal(options: &Options) -> Option<&'static str> {
    if options.settings.precision != 0 {
        Some("--precision was given: leave it out")
    } else if options.once {
        Some("--once was given: leave it out")
    } else {
        None
    }
}

/// The functions of a table share the table's line, and nothing else.
fn called_through_a_pointer(site: &Site) -> Option<What> {
    match site.what {
        What::Operation(op) if site.column == 0 && !is_inline(op) => Some(site.what),
        _ => None,
    }
}

/// The operations that were executed, statement by statement or one by one.
fn statements(processes: &[ProcessRecord], by_operation: bool) -> Vec<Statement> {
    let rows = |process: &'_ ProcessRecord| -> Vec<(Site, u64)> {
        let rows = process.modules.iter().flat_map(|module| module.rows());
        rows.map(|(site, executions, _)| (site.clone(), executions))
            .collect()
    };
    let mut executed = processes.first().map(rows).unwrap_or_default();
    for process in processes.iter().skip(1) {
        for ((_, executions), (_, more)) in executed.iter_mut().zip(rows(process)) {
            *executions += more;
        }
    }
    let is_operation = |(site, executions): &(Site, u64)| {
        matches!(site.what, What::Operation(_)) && *executions > 0
    };
    let parts = Parts::of(
        executed
            .iter()
            .filter(|one| is_operation(one))
            .map(|one| &one.0),
    );
    let mut all: BTreeMap<_, Statement> = BTreeMap::new();
    for (number, one) in executed.iter().enumerate() {
        if !is_operation(one) {
            continue;
        }
        let (site, executions) = (&one.0, one.1);
        let columns = match by_operation {
            true => Some([site.column; 2]),
            false => parts.columns(site),
        };
        let function_called = called_through_a_pointer(site);
        let statement = all
            .entry((site.file.clone(), site.line, columns, function_called))
            .or_insert_with(|| Statement {
                file: site.file.clone(),
                line: site.line,
                columns,
                function_called,
                function: site.function.clone(),
                executions: 0,
                site: identity(site),
                sites: Vec::new(),
            });
        if executions >= statement.executions {
            statement.executions = executions;
            statement.site = identity(site);
        }
        statement.sites.push(number);
    }
    all.into_values().collect()
}

/// The sites of a run in the order of its record; none if its processes number them differently.
pub fn sites_of_all(processes: &[ProcessRecord]) -> Option<Vec<Site>> {
    let of = |process: &ProcessRecord| -> Vec<Site> {
        let modules = process.modules.iter();
        modules.flat_map(|one| one.table.sites.clone()).collect()
    };
    let (first, others) = processes.split_first()?;
    let sites = of(first);
    others
        .iter()
        .all(|other| of(other) == sites)
        .then_some(sites)
}

fn reported_values(sites: &[Site], wrong: &[Spot]) -> BTreeMap<SpotKey, f64> {
    let outputs: BTreeMap<Site, f64> = wrong
        .iter()
        .filter(|spot| spot.kind == SpotKind::Output)
        .map(|spot| (identity(&spot.site), spot.values[0]))
        .collect();
    let values = (0u32..).zip(sites).filter_map(|(number, site)| {
        let value = outputs.get(&identity(site))?;
        Some(((number, SpotKind::Output as u32), *value))
    });
    values.collect()
}

/// Of several processes with the same output, the one that computed the reported value counts: all runs compute the same. Of
/// these the one with the largest error. Of a decision that the run did not record only counts how often it is wrong.
pub fn effects(
    analyses: &[Analysis],
    reported: &BTreeMap<SpotKey, f64>,
    recorded: &[RecordedExecution],
) -> Effects {
    let mut all = Effects::new();
    let is_recorded = |site: u32| {
        let found = recorded.binary_search_by_key(&u64::from(site), |one| one.site);
        found.is_ok()
    };
    for spot in analyses.iter().flat_map(|one| &one.spots) {
        let computed = spot.worst_values[0];
        let is_output = spot.kind == SpotKind::Output as u32;
        let corrected = match is_output || is_recorded(spot.site) && spot.worst_execution > 0 {
            true => spot.worst_reals[0].nearest,
            false => computed,
        };
        let key = (spot.site, spot.kind);
        let effect = Effect {
            wrong: spot.erroneous,
            computed,
            corrected,
            execution: spot.worst_execution,
            seen: spot.seen,
            is_undecided: false,
        };
        match all.entry(key) {
            Entry::Vacant(place) => {
                place.insert(effect);
            }
            Entry::Occupied(mut before) if !is_output => {
                let wrong = before.get().wrong + effect.wrong;
                if effect.error().abs() > before.get().error().abs() {
                    before.insert(effect);
                }
                before.get_mut().wrong = wrong;
            }
            Entry::Occupied(mut before) => {
                let is_reported = |one: &Effect| reported.get(&key) == Some(&one.computed);
                let rank = |one: &Effect| (is_reported(one), one.error().abs());
                if rank(&effect) > rank(before.get()) {
                    before.insert(effect);
                }
            }
        }
    }
    all
}

/// Keeps the effects on results whose errors are as the report has them. Where they are not, residues are too short, and only
/// high precision knows the error. Of a NaN or infinity no residue says what made it; numbers do.
pub fn remove_unreliable(
    all: &mut Effects,
    sites: &BTreeMap<SpotKey, Site>,
    wrong: &[Spot],
    by_numbers: bool,
) {
    const TOLERANCE: f64 = 0.1;
    all.retain(|key, effect| {
        let site = sites.get(key).map(identity);
        let reported = wrong
            .iter()
            .find(|spot| spot.kind as u32 == key.1 && Some(identity(&spot.site)) == site);
        let Some(spot) = reported else {
            return false;
        };
        if spot.kind != SpotKind::Output {
            effect.is_undecided = effect.wrong < spot.erroneous && effect.error() != 0.0;
            if effect.is_undecided {
                effect.wrong = spot.erroneous;
            }
            return true;
        }
        if by_numbers && !spot.values[0].is_finite() {
            return effect.wrong > 0 && effect.corrected.is_finite();
        }
        if spot.values[0] != effect.computed {
            return effect.error().is_finite() && spot.values[0].is_finite();
        }
        // Bounds may leave a result undecided whose residue high precision confirms.
        effect.wrong = effect.wrong.max(spot.erroneous);
        let error = spot.reals[0].nearest - spot.values[0];
        error.is_finite() && (effect.error() - error).abs() <= TOLERANCE * error.abs()
    });
}

/// The start of a file of interventions: which executions are recorded. Sites without a byte behind it are left as they are.
pub fn executions_file(recorded: &[RecordedExecution]) -> Vec<u8> {
    let mut file = (recorded.len() as u64).to_ne_bytes().to_vec();
    file.extend(recorded.iter().flat_map(|one| one.to_bytes()));
    file
}

/// The recorded execution of each output, in the order of their sites.
pub fn recorded_executions(effects: &Effects) -> Vec<RecordedExecution> {
    let outputs = effects
        .iter()
        .filter(|((_, kind), effect)| *kind == SpotKind::Output as u32 && effect.execution > 0);
    outputs
        .map(|((site, _), effect)| RecordedExecution {
            site: (*site).into(),
            execution: effect.execution,
            operands: [0; 2],
        })
        .collect()
}
