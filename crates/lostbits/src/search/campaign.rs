//! Many functions, one after another or several at once; each for itself, so that the result is the same.

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io::Write,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use lostbits_abi::{kind::FpKind, mode::Mode};
use serde::{Deserialize, Serialize};

use super::{
    Finding, Options,
    all::{self, Domain, Skipped, Survey},
    arguments::{SearchFormat, Strategy},
    atomic, continuity, exact,
    explanation::explanation_of_first,
    finding::{self, Findings, Limits},
    genetic, guided, lsga,
    map::{self, ErrorMap},
    options::{OracleChoice, SEED, Wanted},
    oracle::{External, NoOracle, Oracle, Shadow},
    progress::Progress,
    roots, saved,
    session::{Budget, INTERRUPTED, Session},
    shard,
    sketch::{Sketch, sketches},
    space::Space,
    symbolic::SymbolicReport,
    tried::{self, Tried},
    truth::{self, MathOracle},
};
use crate::numeric::Random;
use crate::{
    failure::Failure,
    inputs::{NamedRange, RangeOption, assign, is_named},
    mathematics::{Arb, Meaning},
    run::temporary_folder,
    target::{self, CompiledCalls, Ending, Guarded, Parameter, ResolvedCall, Target},
};

/// The report on one call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CallReport {
    pub call: String,
    pub parameters: Vec<String>,
    pub runs: u64,
    /// Runs that ended the process or had to be stopped, by their ending.
    pub ended: BTreeMap<String, u64>,
    /// Runs whose result is not finite.
    pub outside: u64,
    /// Inputs whose result is not finite although the oracle knows a finite one.
    pub undefined: Vec<Undefined>,
    pub findings: Vec<Finding>,
    /// What only the same run in high precision says.
    #[serde(default)]
    pub unconfirmed: Vec<Finding>,
    /// The mathematical function that results were compared with.
    #[serde(default)]
    pub meaning: Option<String>,
    /// The error over the range of the input, with `--map`.
    #[serde(default)]
    pub map: Option<ErrorMap>,
    /// The precision of the result, in bits.
    #[serde(default)]
    pub precision: Option<u32>,
    /// Where the function gives numbers, with `--all`.
    #[serde(default)]
    pub domain: Vec<Domain>,
    /// What was tried, where nothing is found.
    #[serde(default)]
    pub tried: Option<Tried>,
    /// What the reader should know about the reference.
    #[serde(default)]
    pub remark: Option<String>,
    /// Of the first finding.
    pub sketches: Vec<Sketch>,
    /// How a test calls the function for each finding, where it can.
    #[serde(default)]
    pub tests: Vec<Option<target::TestCall>>,
    /// The report of `lostbits explain` on the first finding, in the format of the report.
    #[serde(default)]
    pub explanation: Option<String>,
    /// The result of symbolic execution.
    pub symbolic: Option<SymbolicReport>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Undefined {
    #[serde(with = "exact::many")]
    pub input: Vec<f64>,
    pub reference: String,
}

/// The reports of all calls, and the failure that ended the search early.
pub struct Campaign {
    pub reports: Vec<CallReport>,
    pub calls: usize,
    /// Functions that `--all` does not search.
    pub skipped: Vec<Skipped>,
    pub failure: Option<Failure>,
}

pub fn run(options: &Options) -> Result<Campaign, Failure> {
    let header = shard::Header::new(options)?;
    if matches!(&options.wanted, Wanted::Calls(calls) if calls.is_empty()) {
        return empty(options, header.as_ref());
    }
    let folder = temporary_folder()?;
    let library = target::library(&options.source, folder.path())?;
    let Survey {
        calls: resolved_calls,
        domains,
        skipped,
    } = match options.wanted {
        Wanted::All => all::survey(options, &library, folder.path())?,
        _ => resolved_calls(options, &library)?,
    };
    let must_map = options.map && !matches!(options.wanted, Wanted::All);
    for resolved in resolved_calls.iter().filter(|_| must_map) {
        if resolved.parameters.len() != 1 {
            return Err(Failure::MapOfSeveral {
                call: resolved.call.text.clone(),
                inputs: resolved.parameters.len(),
            });
        }
    }
    let saved = saved::Saved::open(options.resume.as_deref(), header.as_ref())?;
    let compiled = CompiledCalls::new(
        &library,
        resolved_calls,
        &options.init,
        folder.path(),
        options.patience,
    )?;
    let compiled = Arc::new(compiled);
    let reals = over_reals(options, &compiled, folder.path())?;
    let graphs = with_graphs(options, &compiled, folder.path())?;
    listen_for_interrupts();
    let progress = Progress::new(compiled.resolved_calls.len());
    let searchers = Searchers {
        options,
        compiled: &compiled,
        reals: reals.as_ref(),
        graphs: graphs.as_ref(),
        domains,
        saved: &saved,
        progress: &progress,
        arb: Arb::default(),
        next: AtomicUsize::new(0),
        done: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.min(compiled.resolved_calls.len()) {
            scope.spawn(|| searchers.work());
        }
    });
    progress.finish();
    let done = searchers
        .done
        .into_inner()
        .unwrap_or_else(|poison| poison.into_inner());
    let mut campaign = Campaign {
        reports: Vec::new(),
        calls: compiled.resolved_calls.len(),
        skipped,
        failure: None,
    };
    for result in done.into_values() {
        match result {
            Ok(report) => campaign.reports.push(report),
            Err(failure) => campaign.failure = campaign.failure.or(Some(failure)),
        }
    }
    Ok(campaign)
}

/// A shard without calls leaves its file, so that none is missing.
fn empty(options: &Options, header: Option<&shard::Header>) -> Result<Campaign, Failure> {
    saved::Saved::open(options.resume.as_deref(), header)?;
    Ok(Campaign {
        reports: Vec::new(),
        calls: 0,
        skipped: Vec::new(),
        failure: None,
    })
}

/// The same calls compiled for high precision, if any is searched by its true error.
fn over_reals(
    options: &Options,
    compiled: &CompiledCalls,
    folder: &std::path::Path,
) -> Result<Option<CompiledCalls>, Failure> {
    let resolved_calls = &compiled.resolved_calls;
    if !resolved_calls
        .iter()
        .any(|resolved| guided::campaign::takes(options, resolved))
    {
        return Ok(None);
    }
    let library = target::library_for(&options.source, folder, Mode::Reals)?;
    CompiledCalls::new(
        &library,
        resolved_calls.clone(),
        &options.init,
        folder,
        options.patience,
    )
    .map(Some)
}

/// The same calls compiled to record their graphs, if any is searched symbolically.
fn with_graphs(
    options: &Options,
    compiled: &CompiledCalls,
    folder: &std::path::Path,
) -> Result<Option<Arc<CompiledCalls>>, Failure> {
    let resolved_calls = &compiled.resolved_calls;
    if !resolved_calls
        .iter()
        .any(|resolved| guided::campaign::is_symbolic(options, resolved))
    {
        return Ok(None);
    }
    let library = target::library_for(&options.source, folder, Mode::Symbolic)?;
    let (resolved_calls, init) = (resolved_calls.clone(), &options.init);
    let compiled = CompiledCalls::new(&library, resolved_calls, init, folder, options.patience)?;
    Ok(Some(Arc::new(compiled)))
}

/// Ctrl-C ends the search, not the report.
fn listen_for_interrupts() {
    extern "C" fn on_interrupt(_: i32) {
        INTERRUPTED.store(true, Relaxed);
    }
    // SAFETY: the handler only sets a flag.
    unsafe {
        libc::signal(
            libc::SIGINT,
            on_interrupt as *const () as libc::sighandler_t,
        );
    }
}

/// What the user names, over all finite numbers.
fn resolved_calls(options: &Options, library: &target::Library) -> Result<Survey, Failure> {
    let mut resolved_calls = calls(options, library)?;
    if let Some(kind) = options.input_kind {
        resolved_calls
            .iter_mut()
            .for_each(|resolved| resolved.narrow_inputs(kind));
    }
    for resolved in &mut resolved_calls {
        resolved.raise(options.raised)?;
    }
    Ok(Survey {
        domains: vec![Vec::new(); resolved_calls.len()],
        calls: resolved_calls,
        skipped: Vec::new(),
    })
}

fn calls(options: &Options, library: &target::Library) -> Result<Vec<ResolvedCall>, Failure> {
    match &options.wanted {
        Wanted::All => Ok(Vec::new()),
        Wanted::Function(name) => {
            let functions = library.functions(&[name])?;
            Ok(vec![ResolvedCall::whole(
                name,
                functions.by_name[name].clone(),
            )?])
        }
        Wanted::Calls(calls) => {
            let mut names: Vec<&str> = calls.iter().map(|call| call.function.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let functions = library.functions(&names)?;
            calls
                .iter()
                .map(|call| {
                    ResolvedCall::new(call.clone(), functions.by_name[&call.function].clone())
                })
                .collect()
        }
    }
}

/// The threads that search.
struct Searchers<'a> {
    options: &'a Options,
    compiled: &'a Arc<CompiledCalls>,
    reals: Option<&'a CompiledCalls>,
    graphs: Option<&'a Arc<CompiledCalls>>,
    /// As many as there are calls.
    domains: Vec<Vec<Domain>>,
    saved: &'a saved::Saved,
    progress: &'a Progress,
    arb: Arb,
    next: AtomicUsize,
    done: Mutex<BTreeMap<usize, Result<CallReport, Failure>>>,
}

impl Searchers<'_> {
    /// A thread's work: the next call, until there is none or a search failed.
    fn work(&self) {
        let mut worker: Option<Guarded> = None;
        loop {
            let index = self.next.fetch_add(1, Relaxed);
            let Some(resolved) = self.compiled.resolved_calls.get(index) else {
                return;
            };
            if INTERRUPTED.load(Relaxed) {
                return;
            }
            let report = match self.saved.report(&resolved.call.text) {
                Some(report) => Ok(report),
                None => self.search(index, resolved, &mut worker),
            };
            if let Ok(report) = &report {
                self.progress.done(report);
            } else {
                // Finished calls are kept; no other is started.
                self.next.store(usize::MAX / 2, Relaxed);
            }
            if let Ok(mut done) = self.done.lock() {
                done.insert(index, report);
            }
        }
    }

    /// For the benches; the report itself does not depend on time.
    fn time(&self, call: &str, seconds: f64) -> Result<(), Failure> {
        let Some(path) = &self.options.times else {
            return Ok(());
        };
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| writeln!(file, "{call}\t{seconds:.4}"))
            .map_err(|error| Failure::CannotWrite {
                path: path.clone(),
                error,
            })
    }

    fn search(
        &self,
        index: usize,
        resolved: &ResolvedCall,
        worker: &mut Option<Guarded>,
    ) -> Result<CallReport, Failure> {
        let open = match worker {
            Some(open) => open,
            None => worker.insert(self.compiled.open()?),
        };
        open.choose(index);
        let before = processor_time() + open.processor_time();
        let domain = &self.domains[index];
        let space = space(self.options, index, domain, open.parameters())?;
        let (mut report, elsewhere) = match self.reals {
            Some(reals) if guided::campaign::takes(self.options, resolved) => {
                guided::campaign::one(
                    self.options,
                    (index, resolved),
                    space,
                    reals,
                    self.graphs,
                    open,
                )?
            }
            _ => (
                one(self.options, (index, resolved), space, open, &self.arb)?,
                0.0,
            ),
        };
        report.domain = domain.clone();
        report.precision = resolved.outputs.first().map(|one| one.kind.precision());
        let used = processor_time() + open.processor_time() - before;
        self.time(&report.call, used + elsewhere)?;
        // An interrupted search is not saved: it starts again.
        if !INTERRUPTED.load(Relaxed) {
            self.saved.add(&report)?;
        }
        Ok(report)
    }
}

/// The ranges of one call's parameters. If there are several calls, a range applies to those that have its
/// parameter.
fn ranges_of(options: &Options, parameters: &[Parameter]) -> Result<Vec<NamedRange>, Failure> {
    let names: Vec<&str> = parameters.iter().map(|known| known.name.as_str()).collect();
    let is_known = |range: &&RangeOption| match &range.variable {
        Some(name) => !options.has_several_calls || names.iter().any(|known| is_named(known, name)),
        None => true,
    };
    let own: Vec<RangeOption> = options.ranges.iter().filter(is_known).cloned().collect();
    Ok(assign(&own, &names)?)
}

fn space(
    options: &Options,
    index: usize,
    domain: &[Domain],
    parameters: &[Parameter],
) -> Result<Space, Failure> {
    let mut ranges: Vec<NamedRange> = domain.iter().filter_map(Domain::range).collect();
    // The last range of a name counts: the user's.
    ranges.extend(ranges_of(options, parameters)?);
    if let Some(formula) = &options.formula {
        ranges = formula.ranges(index, &ranges)?;
    }
    Ok(Space::new(parameters, &ranges))
}

/// Confirmation takes about as long as the search: more of it in more time.
fn effort(time: Duration) -> usize {
    const SECONDS: u64 = 2;
    const MOST: u64 = 8;
    (time.as_secs() / SECONDS).clamp(1, MOST) as usize
}

/// What this thread has used.
fn processor_time() -> f64 {
    target::clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Operations if the user sets no limit: a few seconds.
const STEPS: u64 = 100_000_000;

/// Inputs whose result should be finite, at most.
const MOST_UNDEFINED: usize = 4;

/// The least normal number of the outputs' formats: smaller results have no full precision to lose.
fn least_normal(resolved: &ResolvedCall) -> f64 {
    let is_float = |output: &Parameter| output.kind == FpKind::Float;
    match resolved.outputs.iter().any(is_float) {
        true => f64::from(f32::MIN_POSITIVE),
        false => f64::MIN_POSITIVE,
    }
}

/// The largest number of the outputs' formats: larger results are rightly infinite.
fn largest(resolved: &ResolvedCall) -> f64 {
    let is_float = |output: &Parameter| output.kind == FpKind::Float;
    match resolved.outputs.iter().any(is_float) {
        true => f64::from(f32::MAX),
        false => f64::MAX,
    }
}

/// The mathematical function of a call, where it is the reference.
fn meaning_of(
    options: &Options,
    index: usize,
    resolved: &ResolvedCall,
) -> Result<Option<Meaning>, Failure> {
    if options.oracle != OracleChoice::Auto || options.formula.is_some() {
        return Ok(None);
    }
    let said = options.meanings.get(index).and_then(Option::as_deref);
    truth::meaning(resolved, said)
}

fn one(
    options: &Options,
    (index, resolved): (usize, &ResolvedCall),
    space: Space,
    target: &mut dyn Target,
    arb: &Arb,
) -> Result<CallReport, Failure> {
    let call = resolved.call.text.clone();
    let parameters = space.axes.iter().map(|axis| axis.name.clone()).collect();
    let budget = Budget {
        runs: options.runs.unwrap_or(u64::MAX),
        steps: match options.runs {
            Some(_) => u64::MAX,
            None => STEPS,
        },
        until: options.time.map(|time| Instant::now() + time),
    };
    let mut rng = Random::named(options.seed, &call);
    let known = meaning_of(options, index, resolved)?;
    let mut session = Session::new(target, space, budget, options.significant);
    session.least = least_normal(resolved);
    session.most = largest(resolved);
    session.phase = (options.seed != SEED).then(|| rng.unit());
    if let Some(formula) = &options.formula
        && let Some(holds) = formula.precondition(index)
    {
        session.admits = Some(Box::new(holds));
    }
    let runs = options.runs.unwrap_or(lsga::RUNS);
    follow(options.strategy, &mut session, &mut rng, runs)?;
    let mut suspects = Vec::new();
    let (mut meaning, mut remark) = (None, None);
    let mut oracle: Box<dyn Oracle> = match (&options.oracle, &options.formula, known) {
        (OracleChoice::None, _, _) => Box::new(NoOracle),
        (OracleChoice::Command(command), _, _) => Box::new(External::start(command, &call)?),
        (_, Some(formula), _) => Box::new(formula.oracle(index)),
        (OracleChoice::Auto, None, Some(known)) => {
            let mathematics = MathOracle::new(known, arb, resolved);
            let is_said = options.meanings.get(index).is_some_and(Option::is_some);
            match mathematics.fits(&mut session, &mut rng)? {
                Some(false) if !is_said => {
                    remark = Some(format!(
                        "its results are not those of {}, which its name suggests: say what it computes with --means",
                        mathematics.text()
                    ));
                    Box::new(Shadow)
                }
                _ => {
                    suspects = mathematics.scan(&mut session, &mut rng, options.significant)?;
                    meaning = Some(mathematics.text().to_owned());
                    Box::new(mathematics)
                }
            }
        }
        (OracleChoice::Auto | OracleChoice::Shadow, None, _) => Box::new(Shadow),
    };
    let outputs: Vec<String> = resolved
        .outputs
        .iter()
        .map(|output| output.name.clone())
        .collect();
    let limits = Limits {
        significant: options.significant,
        top: options.top,
        by_steps: session.accuses_only && options.oracle == OracleChoice::None,
        without_oracle: options.oracle == OracleChoice::None,
        doubts_shadow: options.oracle == OracleChoice::Auto,
        effort: options.time.map_or(1, effort),
    };
    let found = finding::confirm(&mut session, suspects, &outputs, oracle.as_mut(), &limits)?;
    let Findings {
        confirmed: mut findings,
        mut unconfirmed,
    } = found;
    let mut undefined = Vec::new();
    for input in session.outside_inputs() {
        if undefined.len() >= MOST_UNDEFINED {
            break;
        }
        if let Some(defined) = oracle.defined(&mut session, &input)? {
            let mut walk = || {
                let significant = options.significant;
                continuity::confirms(&mut session, &input, 0, significant, &mut 0)
            };
            if limits.doubts_shadow && !defined.is_certain && !walk()? {
                continue;
            }
            let reference = defined.reference;
            undefined.push(Undefined { input, reference });
        }
    }
    // With --all, functions of several inputs have none.
    let is_page = options.format == SearchFormat::Html;
    let map = match (options.map || is_page) && session.space.width() == 1 {
        true => {
            let kind = resolved
                .outputs
                .first()
                .map_or(FpKind::Double, |one| one.kind);
            // The shadow alone is no reference, unless the user says so.
            let mut none = NoOracle;
            let has_reference =
                !limits.doubts_shadow || meaning.is_some() || options.formula.is_some();
            let oracle: &mut dyn Oracle = match has_reference {
                true => oracle.as_mut(),
                false => &mut none,
            };
            let significant = options.significant;
            let map = map::map(&mut session, oracle, &findings, kind, significant, &mut rng)?;
            Some(map)
        }
        false => None,
    };
    let tried = findings.is_empty().then(|| tried::tried(&session));
    let sketches = match findings.first() {
        Some(worst) if options.draws => sketches(&mut session, &worst.input)?,
        // A page has a plot for each function.
        None if is_page && map.as_ref().is_none_or(ErrorMap::is_empty) => {
            match session.best().into_iter().next() {
                Some((_, worst)) => sketches(&mut session, &worst)?,
                None => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    let explanation = explanation_of_first(options, index, resolved, &findings)?;
    if let Some(formula) = &options.formula {
        findings
            .iter_mut()
            .chain(&mut unconfirmed)
            .for_each(|finding| formula.relocate(finding));
    }
    if meaning.is_some() && arb.is_missing() {
        let python = "python-flint is not installed, so some values of this function are unknown";
        remark = Some(format!("{python}: pip install python-flint"));
    }
    Ok(CallReport {
        explanation,
        symbolic: None,
        tests: findings
            .iter()
            .map(|finding| resolved.test(&finding.input, &finding.output))
            .collect(),
        undefined,
        sketches,
        call,
        parameters,
        runs: session.runs,
        ended: session
            .endings
            .iter()
            .filter(|(ending, _)| **ending != Ending::Returned)
            .map(|(ending, count)| (named(*ending), *count))
            .collect(),
        outside: session.outside,
        findings,
        unconfirmed,
        meaning,
        map,
        tried,
        remark,
        precision: None,
        domain: Vec::new(),
    })
}

/// `runs` limits the strategies that have no limit of their own.
fn follow(
    strategy: Strategy,
    session: &mut Session,
    rng: &mut Random,
    runs: u64,
) -> Result<(), Failure> {
    match strategy {
        Strategy::Roots => roots::search(session, rng),
        Strategy::Atomic => atomic::search(session, rng),
        Strategy::Lsga => lsga::search(session, rng, runs),
        Strategy::Genetic => genetic::search(session, rng, runs),
        Strategy::Random => genetic::random(session, rng, runs),
        // What is searched by its true error does not come here.
        Strategy::Auto
        | Strategy::Symbolic
        | Strategy::Paths
        | Strategy::Pool
        | Strategy::Even
        | Strategy::Halving => {
            roots::search(session, rng)?;
            if session.space.width() > 1 {
                lsga::search(session, rng, runs)?;
            }
            Ok(())
        }
    }
}

pub fn named(ending: Ending) -> String {
    match ending {
        Ending::Returned => "returned".to_owned(),
        Ending::Crashed(signal) => format!("signal {signal}"),
        Ending::Exited(code) => format!("exit {code}"),
        Ending::NeverReturned => "never returned".to_owned(),
    }
}
