//! The enclosures hold: whatever point of the operands is taken, the operation's value there lies within.

use lostbits::{
    fpcore::evaluate::enclosure::{Enclosure, operation},
    numeric::{Random, evaluate},
};
use lostbits_abi::ops::{Op, Operand, Outcome};
use rug::Float;

const ROUNDS: usize = 1500;
const PRECISION: u32 = 90;

fn number(random: &mut Random) -> f64 {
    let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
    match random.below(8) {
        0 => sign * random.below(4) as f64,
        1 => sign * (random.below(9) as f64 + 0.5),
        2 | 3 => sign * random.unit(),
        4 => sign * 20.0 * random.unit(),
        5 => sign * (random.unit() * 30.0 - 15.0).exp2(),
        6 => 0.0,
        _ => sign * (1.0 + (random.unit() - 0.5) * 1e-6),
    }
}

/// Two ends, often near to each other, sometimes equal.
fn range(random: &mut Random) -> [f64; 2] {
    let first = number(random);
    let second = match random.below(4) {
        0 => first,
        1 => number(random),
        2 => first * (1.0 + 1e-3 * random.unit()),
        _ => first + 1e-3 * (random.unit() - 0.5),
    };
    [first.min(second), first.max(second)]
}

fn within(range: [f64; 2], random: &mut Random) -> f64 {
    match random.below(4) {
        _ if range[0] == range[1] => range[0], // its sign too, if it is 0
        0 => range[0],
        1 => range[1],
        _ if range[0] < 0.0 && range[1] > 0.0 && random.below(3) == 0 => 0.0,
        _ => (range[0] + (range[1] - range[0]) * random.unit()).clamp(range[0], range[1]),
    }
}

fn is_plain(op: Op) -> bool {
    let info = op.info();
    let real = info.outcome == Outcome::Real && info.operands.iter().all(|o| *o == Operand::Real);
    real && info.folds.is_none()
}

#[test]
fn every_value_lies_within() {
    let mut random = Random::new(5);
    for op in Op::ALL.iter().copied().filter(|op| is_plain(*op)) {
        let mut known = 0;
        for _ in 0..ROUNDS {
            let ranges: Vec<[f64; 2]> =
                (0..op.info().arity()).map(|_| range(&mut random)).collect();
            let float = |x: f64| Float::with_val(PRECISION, x);
            let operands: Vec<Enclosure> = ranges
                .iter()
                .map(|[low, high]| Enclosure::Between(float(*low), float(*high)))
                .collect();
            let enclosed = operation(op, &operands, PRECISION);
            let point: Vec<Float> = ranges
                .iter()
                .map(|range| float(within(*range, &mut random)))
                .collect();
            let Some(value) = evaluate(op, &point, 300) else {
                continue;
            };
            let holds = match &enclosed {
                Enclosure::Unknown => true,
                Enclosure::Nan => value.is_nan(),
                Enclosure::Between(low, high) => *low <= value && value <= *high,
            };
            assert!(
                holds,
                "{} of {ranges:?} at {point:?}: {value} is not in {enclosed:?}",
                op.name()
            );
            known += usize::from(enclosed != Enclosure::Unknown);
        }
        // Most functions are enclosed somewhere, all at exact operands.
        assert!(
            known > 0 || evaluate(op, &vec![Float::with_val(53, 1.5); 3], 53).is_none(),
            "{}",
            op.name()
        );
    }
}
