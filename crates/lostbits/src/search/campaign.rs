//! Many functions, one after another or several at once; each for itself, so that the result is the same.

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io::Write,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};

use lostbits_abi::mode::Mode;
use serde::{Deserialize, Serialize};

use super::{
    Finding, Options, atomic, exact,
    explanation::explanation_of_first,
    finding::{self, Limits},
    genetic, guided, lsga,
    options::{Wanted, WhichOracle},
    oracle::{External, Nobody, Oracle, Shadow},
    progress::Progress,
    rng::Rng,
    roots, saved,
    session::{Budget, INTERRUPTED, Session},
    sketch::{Sketch, sketches},
    space::{Space, is_named},
    symbolic::SymbolicReport,
};
use crate::{
    cli::{SearchFormat, Strategy},
    failure::Failure,
    run::temporary_folder,
    target::{self, Bound, Ending, Guarded, Parameter, Target, Workshop},
};

/// What a search says of one call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CallReport {
    pub call: String,
    pub parameters: Vec<String>,
    pub runs: u64,
    /// Runs that ended the process or had to be ended, by how.
    pub ended: BTreeMap<String, u64>,
    /// Runs without a number for a result.
    pub outside: u64,
    /// Inputs without a number for a result, although the oracle knows one.
    pub undefined: Vec<Undefined>,
    pub findings: Vec<Finding>,
    /// Of the first finding.
    pub sketches: Vec<Sketch>,
    /// How C declares the function, and how a test calls it for each finding.
    pub declaration: String,
    pub test_calls: Vec<String>,
    /// What `lostbits explain` says of the first finding, in the format of the report.
    #[serde(default)]
    pub explanation: Option<String>,
    /// What symbolic execution came to.
    pub symbolic: Option<SymbolicReport>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Undefined {
    #[serde(with = "exact::many")]
    pub input: Vec<f64>,
    pub reference: String,
}

/// What was searched, and what ended it early.
pub struct Campaign {
    pub reports: Vec<CallReport>,
    pub calls: usize,
    pub failure: Option<Failure>,
}

pub fn run(options: &Options) -> Result<Campaign, Failure> {
    let folder = temporary_folder()?;
    let library = target::library(&options.source, folder.path())?;
    let mut bounds = bounds(options, &library)?;
    for bound in &mut bounds {
        bound.raise(options.raised)?;
    }
    let saved = saved::Saved::open(options.resume.as_deref())?;
    let workshop = Workshop::new(
        &library,
        bounds,
        &options.init,
        folder.path(),
        options.patience,
    )?;
    let workshop = Arc::new(workshop);
    let reals = over_reals(options, &workshop, folder.path())?;
    let graphs = with_graphs(options, &workshop, folder.path())?;
    listen_for_interrupts();
    let progress = Progress::new(workshop.bounds.len());
    let crew = Crew {
        options,
        workshop: &workshop,
        reals: reals.as_ref(),
        graphs: graphs.as_ref(),
        saved: &saved,
        progress: &progress,
        next: AtomicUsize::new(0),
        done: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.min(workshop.bounds.len()) {
            scope.spawn(|| crew.work());
        }
    });
    progress.finish();
    let done = crew
        .done
        .into_inner()
        .unwrap_or_else(|poison| poison.into_inner());
    let mut campaign = Campaign {
        reports: Vec::new(),
        calls: workshop.bounds.len(),
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

/// The same calls over the reals, where any is searched by its true error.
fn over_reals(
    options: &Options,
    workshop: &Workshop,
    folder: &std::path::Path,
) -> Result<Option<Workshop>, Failure> {
    let bounds = &workshop.bounds;
    if !bounds
        .iter()
        .any(|bound| guided::campaign::takes(options, bound))
    {
        return Ok(None);
    }
    let library = target::library_for(&options.source, folder, Mode::Reals)?;
    Workshop::new(
        &library,
        bounds.clone(),
        &options.init,
        folder,
        options.patience,
    )
    .map(Some)
}

/// The same calls with their graphs recorded, where any is searched symbolically.
fn with_graphs(
    options: &Options,
    workshop: &Workshop,
    folder: &std::path::Path,
) -> Result<Option<Arc<Workshop>>, Failure> {
    let bounds = &workshop.bounds;
    if !bounds
        .iter()
        .any(|bound| guided::campaign::is_symbolic(options, bound))
    {
        return Ok(None);
    }
    let library = target::library_for(&options.source, folder, Mode::Symbolic)?;
    let (bounds, init) = (bounds.clone(), &options.init);
    let workshop = Workshop::new(&library, bounds, init, folder, options.patience)?;
    Ok(Some(Arc::new(workshop)))
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

fn bounds(options: &Options, library: &target::Library) -> Result<Vec<Bound>, Failure> {
    let mut bounds = calls(options, library)?;
    if let Some(kind) = options.input_kind {
        bounds
            .iter_mut()
            .for_each(|bound| bound.narrow_inputs(kind));
    }
    Ok(bounds)
}

fn calls(options: &Options, library: &target::Library) -> Result<Vec<Bound>, Failure> {
    match &options.wanted {
        Wanted::Function(name) => {
            let functions = library.functions(&[name])?;
            Ok(vec![Bound::whole(name, functions.by_name[name].clone())?])
        }
        Wanted::Calls(calls) => {
            let mut names: Vec<&str> = calls.iter().map(|call| call.function.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let functions = library.functions(&names)?;
            calls
                .iter()
                .map(|call| Bound::new(call.clone(), functions.by_name[&call.function].clone()))
                .collect()
        }
    }
}

/// The threads that search.
struct Crew<'a> {
    options: &'a Options,
    workshop: &'a Arc<Workshop>,
    reals: Option<&'a Workshop>,
    graphs: Option<&'a Arc<Workshop>>,
    saved: &'a saved::Saved,
    progress: &'a Progress,
    next: AtomicUsize,
    done: Mutex<BTreeMap<usize, Result<CallReport, Failure>>>,
}

impl Crew<'_> {
    /// A thread's work: the next call, until there is none or something went wrong.
    fn work(&self) {
        let mut worker: Option<Guarded> = None;
        loop {
            let index = self.next.fetch_add(1, Relaxed);
            let Some(bound) = self.workshop.bounds.get(index) else {
                return;
            };
            if INTERRUPTED.load(Relaxed) {
                return;
            }
            let report = match self.saved.report(&bound.call.text) {
                Some(report) => Ok(report),
                None => self.search(index, bound, &mut worker),
            };
            if let Ok(report) = &report {
                self.progress.done(report);
            } else {
                // What is done is kept; nothing more is begun.
                self.next.store(usize::MAX / 2, Relaxed);
            }
            if let Ok(mut done) = self.done.lock() {
                done.insert(index, report);
            }
        }
    }

    /// For whoever measures us; the report itself does not depend on time.
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
        bound: &Bound,
        worker: &mut Option<Guarded>,
    ) -> Result<CallReport, Failure> {
        let open = match worker {
            Some(open) => open,
            None => worker.insert(self.workshop.open()?),
        };
        open.choose(index);
        let before = processor_time() + open.processor_time();
        let (report, elsewhere) = match self.reals {
            Some(reals) if guided::campaign::takes(self.options, bound) => {
                let space = space(self.options, index, open.parameters())?;
                guided::campaign::one(
                    self.options,
                    (index, bound),
                    space,
                    reals,
                    self.graphs,
                    open,
                )?
            }
            _ => (one(self.options, index, bound, open)?, 0.0),
        };
        let used = processor_time() + open.processor_time() - before;
        self.time(&report.call, used + elsewhere)?;
        // Half a search is none: it is done again.
        if !INTERRUPTED.load(Relaxed) {
            self.saved.add(&report)?;
        }
        Ok(report)
    }
}

/// Among several calls, a range is for those that have its parameter.
fn ranges_of(options: &Options, parameters: &[Parameter]) -> Vec<(String, f64, f64)> {
    let is_one = !matches!(&options.wanted, Wanted::Calls(calls) if calls.len() > 1);
    let is_known = |name: &str| {
        let mut names = parameters.iter().map(|known| &known.name);
        names.any(|known| is_named(known, name))
    };
    let ranges = options.ranges.iter();
    ranges
        .filter(|(name, ..)| is_one || is_known(name))
        .cloned()
        .collect()
}

fn space(options: &Options, index: usize, parameters: &[Parameter]) -> Result<Space, Failure> {
    let mut ranges = ranges_of(options, parameters);
    if let Some(formula) = &options.formula {
        ranges = formula.ranges(index, &ranges)?;
    }
    Space::new(parameters, &ranges)
}

/// What this thread has used.
fn processor_time() -> f64 {
    target::clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Where the user sets no limit: seconds, on the machine this was written on.
const STEPS: u64 = 100_000_000;

/// Inputs that should have a number for a result, at most.
const MOST_UNDEFINED: usize = 4;

fn one(
    options: &Options,
    index: usize,
    bound: &Bound,
    target: &mut dyn Target,
) -> Result<CallReport, Failure> {
    let call = bound.call.text.clone();
    let space = space(options, index, target.parameters())?;
    let parameters = space.axes.iter().map(|axis| axis.name.clone()).collect();
    let budget = Budget {
        runs: options.runs.unwrap_or(u64::MAX),
        steps: match options.runs {
            Some(_) => u64::MAX,
            None => STEPS,
        },
        until: options.time.map(|time| Instant::now() + time),
    };
    let mut rng = Rng::new(options.seed, &call);
    let mut session = Session::new(target, space, budget, options.significant);
    if let Some(formula) = &options.formula
        && let Some(holds) = formula.precondition(index)
    {
        session.admits = Some(Box::new(holds));
    }
    let runs = options.runs.unwrap_or(lsga::RUNS);
    follow(options.strategy, &mut session, &mut rng, runs)?;
    let mut oracle: Box<dyn Oracle> = match &options.oracle {
        WhichOracle::Nobody => Box::new(Nobody),
        WhichOracle::Shadow => match &options.formula {
            Some(formula) => Box::new(formula.oracle(index)),
            None => Box::new(Shadow),
        },
        WhichOracle::Command(command) => Box::new(External::start(command, &call)?),
    };
    let outputs: Vec<String> = bound
        .outputs
        .iter()
        .map(|output| output.name.clone())
        .collect();
    let limits = Limits {
        significant: options.significant,
        top: options.top,
        by_steps: session.accuses_only && options.oracle == WhichOracle::Nobody,
        without_oracle: options.oracle == WhichOracle::Nobody,
    };
    let mut findings = finding::confirm(&mut session, &outputs, oracle.as_mut(), &limits)?;
    let mut undefined = Vec::new();
    for input in session.outside_inputs() {
        if undefined.len() >= MOST_UNDEFINED {
            break;
        }
        if let Some(reference) = oracle.defined(&mut session, &input)? {
            undefined.push(Undefined { input, reference });
        }
    }
    let sketches = match findings.first() {
        Some(worst) if options.format == SearchFormat::Terminal => {
            sketches(&mut session, &worst.input)?
        }
        _ => Vec::new(),
    };
    let explanation = explanation_of_first(options, index, bound, &findings)?;
    if let Some(formula) = &options.formula {
        findings
            .iter_mut()
            .for_each(|finding| formula.relocate(finding));
    }
    Ok(CallReport {
        explanation,
        symbolic: None,
        test_calls: findings
            .iter()
            .map(|finding| bound.test_call(&finding.input, &finding.output))
            .collect(),
        declaration: bound.declaration(),
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
    })
}

/// `runs` is how many the strategies make that have no measure of their own.
fn follow(
    strategy: Strategy,
    session: &mut Session,
    rng: &mut Rng,
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
