//! A judge without a process: a sum of many numbers, computed and exact.

use lostbits_abi::kind::FpKind;
use rug::Float;

use super::{
    Confirmed, GuidedSearch, baselines,
    judge::{Judge, Judged},
    search,
};
use crate::inputs::NamedRange;
use crate::numeric::{Random, Range};
use crate::{
    failure::Failure,
    search::{session::Budget, space::Space},
    target::{Ending, Parameter, Verdict},
};

const WIDTH: usize = 8;

/// With `doubt`, a second measurement disagrees with the first.
struct Sum {
    doubt: bool,
}

fn judged(input: &[f64], factor: f64) -> Judged {
    let computed: f64 = input.iter().sum();
    let mut real = Float::new(1024);
    input.iter().for_each(|value| real += value);
    let difference = Float::with_val(1024, computed - &real).to_f64() * factor;
    let verdict = Verdict {
        real: real.to_f64(),
        difference,
    };
    Judged::new(Ending::Returned, vec![computed], &[verdict])
}

impl Judge for Sum {
    fn judge(&mut self, inputs: &[f64]) -> Result<Vec<Judged>, Failure> {
        Ok(inputs
            .chunks(WIDTH)
            .map(|input| judged(input, 1.0))
            .collect())
    }

    fn against(&mut self, inputs: &[f64], _: &[&Judged]) -> Result<Vec<Judged>, Failure> {
        self.judge(inputs)
    }

    fn again(&mut self, input: &[f64], _: &Judged) -> Result<Judged, Failure> {
        Ok(judged(input, if self.doubt { 2.0 } else { 1.0 }))
    }
}

type Strategy = fn(&mut GuidedSearch, &mut Random) -> Result<(), Failure>;

fn hunted(strategy: Strategy, runs: u64, doubt: bool) -> Vec<Confirmed> {
    let parameter = |at| Parameter {
        name: format!("x[{at}]"),
        kind: FpKind::Float,
    };
    let parameters: Vec<Parameter> = (0..WIDTH).map(parameter).collect();
    let space = Space::new(
        &parameters,
        &[NamedRange {
            name: "x".to_owned(),
            range: Range {
                low: -100.0,
                high: 100.0,
            },
        }],
    );
    let budget = Budget {
        runs,
        steps: u64::MAX,
        until: None,
    };
    let mut judge = Sum { doubt };
    let mut guided = GuidedSearch::new(&mut judge, space, budget);
    strategy(&mut guided, &mut Random::named(1, "mock")).unwrap();
    guided.confirmed(1).unwrap()
}

/// Sums of floats of one size are exact in double: chance finds nothing, and halving ranges neither.
#[test]
fn only_the_pool_finds_a_wrong_sum() {
    assert!(hunted(baselines::random, 20_000, false).is_empty());
    assert!(hunted(baselines::halving, 20_000, false).is_empty());
    let found = &hunted(search, 20_000, false)[0];
    // Nothing of the result is right.
    assert!(found.judged.errors.strict.get() >= 1.0, "{found:?}");
    assert!(found.judged.errors.floored.get() > 1e10, "{found:?}");
    for value in &found.input {
        assert_eq!(f64::from(*value as f32), *value);
        assert!(value.abs() <= 100.0);
    }
}

#[test]
fn the_same_seed_finds_the_same() {
    assert_eq!(hunted(search, 5000, false), hunted(search, 5000, false));
}

#[test]
fn what_a_second_measurement_denies_is_not_reported() {
    assert!(hunted(search, 5000, true).is_empty());
}
