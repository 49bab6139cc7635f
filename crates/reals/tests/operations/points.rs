//! Where the rows are tested: operands of all magnitudes, and close to where functions are in danger.

use lostbits_abi::ops::{Op, Operand};

/// ±0, infinities, NaN, subnormals, the ends of the range, neighbours of 1, and everyday numbers.
pub fn special_values() -> Vec<f64> {
    let positive = [
        0.0,
        f64::from_bits(1),
        f64::from_bits(0x000f_ffff_ffff_ffff),
        f64::MIN_POSITIVE,
        1e-300,
        1e-20,
        0.1,
        0.5,
        1.0_f64.next_down(),
        1.0,
        1.0_f64.next_up(),
        1.5,
        2.0,
        2.5,
        3.0,
        10.0,
        22.5,
        700.0,
        4_503_599_627_370_497.5,
        9_007_199_254_740_993.0,
        1e22,
        1e300,
        f64::MAX,
        f64::INFINITY,
    ];
    let mut values: Vec<f64> = positive.iter().flat_map(|x| [*x, -*x]).collect();
    values.push(f64::NAN);
    values
}

const INTEGERS: [f64; 12] = [
    0.0, 1.0, 2.0, 3.0, 7.0, 10.0, 40.0, 64.0, -1.0, -2.0, -3.0, -40.0,
];

/// All combinations of special values.
pub fn special_operands(op: Op) -> Vec<Vec<f64>> {
    combinations(op, &special_values(), &thinned(&special_values(), 3))
}

/// Finite operands for the condition numbers, the row's own example of danger among them.
pub fn sampled_operands(op: Op) -> Vec<Vec<f64>> {
    let reals = sampled_reals();
    if op.info().folds.is_some() {
        return lanes(&reals);
    }
    let chosen = match op.info().arity() {
        1 => reals.clone(),
        _ => thinned(&reals, 5), // odd, so that both signs stay
    };
    let mut operands = combinations(op, &chosen, &thinned(&chosen, 5));
    if matches!(op, Op::Jn | Op::Yn) {
        // Higher orders and larger operands take MPFR seconds each.
        operands.retain(|operands| operands[0].abs() <= 3.0 && operands[1].abs() < 100.0);
    }
    operands.extend(cancelling(op, &reals));
    operands.retain(|operands| !is_beyond_structure(op, operands));
    operands.extend(
        op.info()
            .stability
            .danger()
            .map(|danger| danger.witness.to_vec()),
    );
    operands
}

/// Where periods, jumps or multiples lie closer together than doubles: no derivative describes the
/// operation on doubles there, and rounding to whole numbers leaves them as they are.
fn is_beyond_structure(op: Op, operands: &[f64]) -> bool {
    use Op::*;
    const DENSE: f64 = (1u64 << 52) as f64;
    match op {
        Sin | Cos | Tan | Sincos | SinPi | CosPi | TanPi | SincosPi | Tgamma | Lgamma | Modf
        | Floor | Ceil | Trunc | Round | RoundEven | Rint | Nearbyint | Lround | Llround
        | Lrint | Llrint | ToSigned | ToUnsigned => operands[0].abs() >= DENSE,
        Rem | Remainder | Modulo => (operands[0] / operands[1]).abs() >= DENSE,
        _ => false,
    }
}

fn thinned(values: &[f64], step: usize) -> Vec<f64> {
    values.iter().copied().step_by(step).collect()
}

/// Every choice of operands: of all values for one or two operands, of a few for three.
fn combinations(op: Op, values: &[f64], few: &[f64]) -> Vec<Vec<f64>> {
    let kinds = op.info().operands;
    let values = match kinds.len() {
        3 => few,
        _ => values,
    };
    let mut all = vec![vec![]];
    for kind in kinds {
        // A conversion's integer may be any; counts and orders are kept small enough to compute.
        let choice = match kind {
            Operand::Integer => &INTEGERS[..],
            Operand::Real => values,
        };
        all = all
            .iter()
            .flat_map(|head: &Vec<f64>| {
                choice
                    .iter()
                    .map(move |x| head.iter().copied().chain([*x]).collect())
            })
            .collect();
    }
    all
}

/// Magnitudes from 2^-1000 to 2^1000, denser around 1, and points at distances from 2^-2 down to
/// one ulp of whole numbers, halves, and multiples of π/2.
fn sampled_reals() -> Vec<f64> {
    let mut fraction = 0.0;
    let mut reals = vec![26.0, 26.4, 5.25, 5000.0, 709.0, 1e5];
    for exponent in [
        -1000, -300, -60, -30, -12, -6, -3, -2, -1, 0, 1, 2, 3, 4, 5, 8, 12, 25, 60, 1000,
    ] {
        // The golden ratio spreads the significands evenly.
        fraction = (fraction + 0.618_033_988_749_894_9_f64).fract();
        reals.push((1.0 + fraction) * 2.0_f64.powi(exponent));
    }
    let quarter = std::f64::consts::FRAC_PI_2;
    for centre in [
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        17.0,
        quarter,
        2.0 * quarter,
        5.0 * quarter,
        301.0 * quarter,
    ] {
        reals.push(centre);
        for distance in [-2, -9, -20, -35, -52] {
            reals.push(centre * (1.0 + 2.0_f64.powi(distance)));
            reals.push(centre * (1.0 - 2.0_f64.powi(distance)));
        }
    }
    reals.iter().flat_map(|x| [*x, -*x]).collect()
}

/// Pairs and triples where a sum or a remainder nearly cancels.
fn cancelling(op: Op, reals: &[f64]) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    if op.info().operands.contains(&Operand::Integer) {
        return all;
    }
    for x in reals {
        for distance in [-3, -20, -40, -51] {
            let near = x * (1.0 + 2.0_f64.powi(distance));
            match op.info().arity() {
                2 => all.extend([vec![*x, near], vec![*x, -near], vec![near * 5.0, *x]]),
                3 => all.extend([vec![*x, 1.5, -near * 1.5], vec![0.1, *x, near * -0.1]]),
                _ => {}
            }
        }
    }
    all
}

/// Start value and lanes, of like and of cancelling signs.
fn lanes(reals: &[f64]) -> Vec<Vec<f64>> {
    let positive = thinned(reals, 2);
    reals
        .windows(5)
        .chain(positive.windows(5))
        .map(<[f64]>::to_vec)
        .chain(
            reals
                .iter()
                .map(|x| vec![0.25 * x, *x, -x, x * 1e-3, x * -0.2500001]),
        )
        .collect()
}
