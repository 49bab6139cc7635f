//! A target without a process: a subtraction that cancels at a known input. What each strategy finds in a
//! given number of runs is known.

use lostbits_abi::{
    kind::FpKind,
    ops::Op,
    site::{Site, What},
};

use super::{
    atomic, genetic, lsga, roots,
    session::{Budget, Session},
    space::Space,
};
use crate::numeric::{Random, Relative, ordinal};
use crate::{
    failure::Failure,
    target::{Batch, Ending, Observation, Outcome, Parameter, Step, Target},
};

/// Where all digits cancel.
const WORST: f64 = -2.457_024_738_220_797;

struct Mock {
    parameters: Vec<Parameter>,
    sites: Vec<Site>,
}

impl Mock {
    fn new(parameters: usize) -> Mock {
        let parameter = |index| Parameter {
            name: format!("x{index}"),
            kind: FpKind::Double,
        };
        let site = Site {
            file: String::new(),
            function: "mock".to_owned(),
            line: 1,
            column: 1,
            ordinal: 0,
            what: What::Operation(Op::Sub),
            kind: Some(FpKind::Double),
            lanes: 1,
            copies: 1,
            callee: String::new(),
            note: None,
            operands: Vec::new(),
            inlined_from: Vec::new(),
        };
        Mock {
            parameters: (0..parameters).map(parameter).collect(),
            sites: vec![site],
        }
    }
}

impl Target for Mock {
    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// x - WORST for one parameter, x + y - WORST for two.
    fn run(&mut self, inputs: &[f64]) -> Result<Batch, Failure> {
        let mut batch = Batch::default();
        for (index, input) in inputs.chunks(self.parameters.len()).enumerate() {
            let sum: f64 = input.iter().sum();
            let distance = sum - WORST;
            let condition = (sum / distance).abs();
            batch.observations.push(Observation {
                site: 0,
                log_condition: condition.log2().min(1100.0) as f32,
                steps: 1,
                turn: 0,
                x: sum,
                y: WORST,
                distance,
            });
            batch.outcomes.push(Outcome {
                ending: Ending::Returned,
                outputs: vec![distance],
                estimate: Relative::new((condition * f64::EPSILON).min(1.0)),
                steps: 1,
                depends_on_format: false,
                observations: index..index + 1,
            });
        }
        Ok(batch)
    }

    fn trace(&mut self, input: &[f64]) -> Result<(Outcome, Vec<Step>), Failure> {
        let mut batch = self.run(input)?;
        Ok((batch.outcomes.remove(0), Vec::new()))
    }
}

type Strategy = fn(&mut Session, &mut Random) -> Result<(), Failure>;

/// The worst estimate that a strategy finds in `runs` runs, with its input.
fn worst(strategy: Strategy, parameters: usize, runs: u64) -> (f64, Vec<f64>) {
    let mut mock = Mock::new(parameters);
    let space = Space::new(mock.parameters(), &[]);
    let budget = Budget {
        runs,
        steps: u64::MAX,
        until: None,
    };
    let mut session = Session::new(&mut mock, space, budget, Relative::new(1e-17));
    strategy(&mut session, &mut Random::named(1, "mock")).unwrap();
    assert!(session.runs <= runs, "{} runs", session.runs);
    let suspects = session.suspects(1);
    suspects.first().map_or((0.0, Vec::new()), |suspect| {
        (suspect.estimate.get(), suspect.input.clone())
    })
}

#[test]
fn roots_hit_the_very_number() {
    let (error, input) = worst(roots::search, 1, 12_000);
    assert_eq!(error, 1.0);
    assert!(ordinal(input[0]).abs_diff(ordinal(WORST)) <= 1, "{input:?}");
    // With a tenth of the runs, too.
    assert_eq!(worst(roots::search, 1, 1200).0, 1.0);
}

#[test]
fn roots_of_two_parameters_are_on_lines() {
    let (error, input) = worst(roots::search, 2, 30_000);
    assert!(error > 0.1, "{error} at {input:?}");
}

#[test]
fn atomic_comes_close() {
    let (error, _) = worst(atomic::search, 1, 112_000);
    assert!(error > 1e-4, "{error}");
}

#[test]
fn evolution_beats_chance() {
    const RUNS: u64 = 4000;
    let (lsga, _) = worst(|session, rng| lsga::search(session, rng, RUNS), 1, RUNS);
    let (random, _) = worst(|session, rng| genetic::random(session, rng, RUNS), 1, RUNS);
    let (genetic, _) = worst(|session, rng| genetic::search(session, rng, RUNS), 1, RUNS);
    assert!(lsga > 1e-15, "{lsga}");
    assert!(lsga > random, "{lsga} {random}");
    assert!(genetic > 0.0);
}
