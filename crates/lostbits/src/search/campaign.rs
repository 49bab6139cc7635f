//! Many functions, one after another or several at once; each for itself, so that the result is the same.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};

use serde::{Deserialize, Serialize};

use super::{
    Finding, Options,
    finding::{self, Limits},
    options::{Wanted, WhichOracle},
    oracle::{External, Nobody, Oracle, Shadow},
    rng::Rng,
    roots,
    session::{Budget, INTERRUPTED, Session},
    space::Space,
};
use crate::{
    cli::Strategy,
    failure::Failure,
    run::temporary_folder,
    target::{self, Bound, Ending, Guarded, Target, Workshop},
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
    pub findings: Vec<Finding>,
}

pub fn run(options: &Options) -> Result<Vec<CallReport>, Failure> {
    let folder = temporary_folder()?;
    let library = target::library(&options.source, folder.path())?;
    let bounds = bounds(options, &library)?;
    let workshop = Arc::new(Workshop::new(
        &library,
        bounds,
        &options.init,
        folder.path(),
        options.patience,
    )?);
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Result<CallReport, Failure>>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.min(workshop.bounds.len()) {
            scope.spawn(|| work(options, &workshop, &next, &done));
        }
    });
    let done = done.into_inner().unwrap_or_else(|poison| poison.into_inner());
    done.into_values().collect()
}

fn bounds(options: &Options, library: &target::Library) -> Result<Vec<Bound>, Failure> {
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

/// A thread: takes the next call until there is none.
fn work(
    options: &Options,
    workshop: &Arc<Workshop>,
    next: &AtomicUsize,
    done: &Mutex<BTreeMap<usize, Result<CallReport, Failure>>>,
) {
    let mut worker: Option<Guarded> = None;
    loop {
        let index = next.fetch_add(1, Relaxed);
        if index >= workshop.bounds.len() || INTERRUPTED.load(Relaxed) {
            return;
        }
        let report = match worker.take().map_or_else(|| workshop.open(), Ok) {
            Ok(mut open) => {
                open.choose(index);
                let report = one(options, &workshop.bounds[index], &mut open);
                worker = Some(open);
                report
            }
            Err(failure) => Err(failure),
        };
        if let Ok(mut done) = done.lock() {
            done.insert(index, report);
        }
    }
}

fn one(options: &Options, bound: &Bound, target: &mut dyn Target) -> Result<CallReport, Failure> {
    let call = bound.call.text.clone();
    let space = Space::new(target.parameters(), &options.ranges)?;
    let parameters = space.axes.iter().map(|axis| axis.name.clone()).collect();
    let budget = Budget {
        runs: options.runs.unwrap_or(u64::MAX),
        until: options.time.map(|time| Instant::now() + time),
    };
    let mut rng = Rng::new(options.seed, &call);
    let mut session = Session::new(target, space, budget, options.significant);
    match options.strategy {
        Strategy::Auto | Strategy::Roots => roots::search(&mut session, &mut rng)?,
        _ => roots::search(&mut session, &mut rng)?,
    }
    let mut oracle: Box<dyn Oracle> = match &options.oracle {
        WhichOracle::Nobody => Box::new(Nobody),
        WhichOracle::Shadow => Box::new(Shadow),
        WhichOracle::Command(command) => Box::new(External::start(command, &call)?),
    };
    let outputs: Vec<String> = bound.outputs.iter().map(|output| output.name.clone()).collect();
    let limits = Limits {
        significant: options.significant,
        top: options.top,
    };
    let findings = finding::confirm(&mut session, &outputs, oracle.as_mut(), &limits)?;
    Ok(CallReport {
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

fn named(ending: Ending) -> String {
    match ending {
        Ending::Returned => "returned".to_owned(),
        Ending::Crashed(signal) => format!("signal {signal}"),
        Ending::Exited(code) => format!("exit {code}"),
        Ending::NeverReturned => "never returned".to_owned(),
    }
}
