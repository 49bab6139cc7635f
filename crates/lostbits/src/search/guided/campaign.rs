//! The search of one function by its true error, from the library to the report.

use std::{sync::Arc, time::Instant};

use rug::Float;

use super::{
    super::{
        CallReport, Confirmation, Finding, Options,
        arguments::Strategy,
        explanation::explanation_of_first,
        finding::{self, Measured},
        options::OracleChoice,
        oracle::External,
        session::{self, Budget, Suspect},
        space::Space,
        symbolic::{self, Explorer, SymbolicReport},
    },
    Confirmed, GuidedSearch, baselines,
    judge::{Judged, Reals},
    search,
};
use crate::numeric::Random;
use crate::{
    failure::Failure,
    inputs::is_named,
    target::{CompiledCalls, Ending, Guarded, Parameter, ResolvedCall, Source, Target, Verdict},
};

/// Calls if the user sets no limit: a few seconds.
const RUNS: u64 = 300_000;
/// With more inputs than this, other strategies find little.
const MANY: usize = 4;

/// Whether a call is searched by its true error: because the user asks for it, or because it has many inputs.
pub fn takes(options: &Options, resolved: &ResolvedCall) -> bool {
    match options.strategy {
        Strategy::Symbolic
        | Strategy::Paths
        | Strategy::Pool
        | Strategy::Even
        | Strategy::Halving => true,
        Strategy::Auto => resolved.parameters.len() > MANY && can_be_built_again(&options.source),
        _ => false,
    }
}

/// Whether the search uses symbolic execution.
pub fn is_symbolic(options: &Options, resolved: &ResolvedCall) -> bool {
    let is_other = matches!(
        options.strategy,
        Strategy::Pool | Strategy::Even | Strategy::Halving
    );
    takes(options, resolved) && !is_other
}

/// A library that was built for mode `search` only cannot compute in high precision.
fn can_be_built_again(source: &Source) -> bool {
    match source {
        Source::Library(path) => path.to_string_lossy().contains(crate::target::MODE_MARK),
        _ => true,
    }
}

/// Searches one call. `target` is the library of mode `search`, which finds the operation to blame.
pub fn one(
    options: &Options,
    (index, resolved): (usize, &ResolvedCall),
    space: Space,
    reals: &CompiledCalls,
    graphs: Option<&Arc<CompiledCalls>>,
    target: &mut Guarded,
) -> Result<(CallReport, f64), Failure> {
    let mut judge = Reals::open(reals, index)?;
    let budget = Budget {
        runs: match (options.runs, options.time) {
            (Some(runs), _) => runs,
            (None, Some(_)) => u64::MAX,
            (None, None) => RUNS,
        },
        steps: u64::MAX,
        until: options.time.map(|time| Instant::now() + time),
    };
    let parameters = space.axes.iter().map(|axis| axis.name.clone()).collect();
    let mut rng = Random::named(options.seed, &resolved.call.text);
    let mut explorer = match graphs.filter(|_| is_symbolic(options, resolved)) {
        Some(graphs) => Some(explorer(options, (index, resolved), &space, graphs)?),
        None => None,
    };
    let mut guided = GuidedSearch::new(&mut judge, space, budget);
    match options.strategy {
        Strategy::Even => baselines::random(&mut guided, &mut rng)?,
        Strategy::Halving => baselines::halving(&mut guided, &mut rng)?,
        strategy => match &mut explorer {
            Some(explorer) => {
                let with_pool = options.symbolic.uses_pool() && strategy != Strategy::Paths;
                symbolic::search(&mut guided, explorer, with_pool, &mut rng)?;
            }
            None => search(&mut guided, &mut rng)?,
        },
    }
    let mut confirmed = guided.confirmed(options.top)?;
    let mut confirmed_by = Confirmation::Shadow;
    if let OracleChoice::Command(command) = &options.oracle {
        confirmed = asked(
            &mut External::start(command, &resolved.call.text)?,
            confirmed,
        )?;
        confirmed_by = Confirmation::Oracle;
    }
    let findings = confirmed
        .iter()
        .filter(|found| found.judged.errors.floored >= options.significant)
        .map(|found| described(found, confirmed_by, resolved, target))
        .collect::<Result<Vec<Finding>, Failure>>()?;
    let symbolic = match explorer {
        Some(mut explorer) => Some(SymbolicReport {
            coverage: explorer.coverage(),
            diagnosis: match confirmed.first() {
                Some(worst) => explorer.diagnose(&worst.input)?,
                None => Vec::new(),
            },
        }),
        None => None,
    };
    let ended = guided.endings.iter();
    let report = CallReport {
        tests: findings
            .iter()
            .map(|finding| resolved.test(&finding.input, &finding.output))
            .collect(),
        undefined: Vec::new(),
        sketches: Vec::new(),
        explanation: explanation_of_first(options, index, resolved, &findings)?,
        symbolic,
        call: resolved.call.text.clone(),
        parameters,
        runs: guided.runs,
        ended: ended
            .filter(|(ending, _)| **ending != Ending::Returned)
            .map(|(ending, count)| (super::super::campaign::named(*ending), *count))
            .collect(),
        outside: guided.outside,
        findings,
        unconfirmed: Vec::new(),
        meaning: None,
        map: None,
        tried: None,
        remark: None,
        precision: None,
        domain: Vec::new(),
    };
    let seconds = judge.processor_time();
    Ok((report, seconds))
}

/// Questions to the solver, where the user sets no limit.
const QUESTIONS: u64 = 24;

/// The symbolic part, with a worker of its own.
fn explorer(
    options: &Options,
    (index, resolved): (usize, &ResolvedCall),
    space: &Space,
    graphs: &Arc<CompiledCalls>,
) -> Result<Explorer, Failure> {
    let mut settings = options.settings.clone();
    settings.symbolic = options.symbolic.inputs(&resolved.parameters)?;
    settings.groups = groups(&options.groups, &resolved.parameters);
    settings.rungs.checks &= options.strategy != Strategy::Paths;
    if options.time.is_none() && options.runs.is_none() {
        settings.questions = QUESTIONS;
    }
    let mut worker = graphs.open()?;
    worker.choose(index);
    Explorer::new(worker, space.clone(), settings)
}

/// The number of each input's operand group. Where none is declared, an array is one: operands of one
/// operation are mostly elements of two.
fn groups(declared: &[(String, String)], parameters: &[Parameter]) -> Vec<usize> {
    let mut known: Vec<(bool, &str)> = Vec::new();
    parameters
        .iter()
        .map(|parameter| {
            let declared = declared
                .iter()
                .find(|(name, _)| is_named(&parameter.name, name));
            let array = parameter.name.split('[').next().unwrap_or_default();
            let group = (
                declared.is_some(),
                declared.map_or(array, |(_, group)| group),
            );
            known
                .iter()
                .position(|old| *old == group)
                .unwrap_or_else(|| {
                    known.push(group);
                    known.len() - 1
                })
        })
        .collect()
}

/// The same inputs judged by the user's reference, the worst first.
fn asked(oracle: &mut External, found: Vec<Confirmed>) -> Result<Vec<Confirmed>, Failure> {
    let mut all = Vec::new();
    for Confirmed { input, judged } in found {
        let right = oracle.ask(&input)?;
        if right.len() != judged.outputs.len() {
            return Err(oracle.miscounted(right.len(), judged.outputs.len()));
        }
        let verdict = |(computed, right): (&f64, &Float)| Verdict {
            real: right.to_f64(),
            difference: Float::with_val(right.prec(), computed - right).to_f64(),
        };
        let verdicts: Vec<Verdict> = judged.outputs.iter().zip(&right).map(verdict).collect();
        all.push(Confirmed {
            judged: Judged::new(judged.ending, judged.outputs, &verdicts),
            input,
        });
    }
    all.retain(|found| found.judged.is_inside());
    all.sort_by(|a, b| b.judged.score().total_cmp(&a.judged.score()));
    Ok(all)
}

/// A finding, with the operation that amplified most in a traced run.
fn described(
    found: &Confirmed,
    confirmed_by: Confirmation,
    resolved: &ResolvedCall,
    target: &mut Guarded,
) -> Result<Finding, Failure> {
    let batch = target.run(&found.input)?;
    let observations = batch
        .outcomes
        .first()
        .map(|outcome| batch.observations(outcome));
    let suspect = Suspect {
        input: found.input.clone(),
        estimate: found.judged.errors.strict,
        guilty: observations.and_then(session::guilty),
    };
    let at = found.judged.worst;
    Ok(Finding {
        input: found.input.clone(),
        output: resolved.outputs[at].name.clone(),
        computed: found.judged.outputs[at],
        reference: format!("{:e}", found.judged.reals[at]),
        error: found.judged.errors.strict,
        confirmed_by,
        scatter: None,
        jumps: false,
        guilty: finding::guilty(target.sites(), &suspect),
        measured: Some(Measured {
            floored: found.judged.errors.floored,
        }),
        is_ambiguous: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lostbits_abi::kind::FpKind;

    #[test]
    fn groups_are_arrays_or_as_declared() {
        let parameters = ["x[0]", "x[1]", "y[0]", "s"].map(|name| Parameter {
            name: name.to_owned(),
            kind: FpKind::Double,
        });
        assert_eq!(groups(&[], &parameters), [0, 0, 1, 2]);
        let declared = ["x", "s"].map(|name| (name.to_owned(), "y".to_owned()));
        assert_eq!(groups(&declared, &parameters), [0, 0, 1, 0]);
    }
}
