//! Results that are too small for their format.
//!
//! A residue is a double like the value, so it does not contain what a product lost when it underflowed. High-precision
//! numbers know it ([`bits_lost`]). Without them it is part of the residue's bound (inline, and [`loss_of_function`]):
//! whatever depends on it is undecided, and further runs decide. Bounds are too coarse for outputs that are tiny themselves;
//! there the trace says how much may be missing ([`max_loss`]).
//!
//! # What it can miss
//!
//! What a fused product loses if its sum is not small, and the rounding error of a quotient of small numbers that is not small
//! itself. Both matter only after a cancellation.

use lostbits_abi::{
    explain::{Event, Exact, LEAST_STEP, TINY},
    kind::FpKind,
    ops::Op,
};

use super::{
    double_double::DoubleDouble,
    event::kind_of,
    expression::Concrete,
    functions,
    measure::{Bits, Ulps, exponent, power_of_two},
    trace::ThreadTrace,
};

/// The distance of numbers near zero.
pub fn least_step(kind: FpKind) -> f64 {
    match kind {
        FpKind::Double | FpKind::X87 => LEAST_STEP,
        FpKind::Float => power_of_two(-149),
        FpKind::Half => power_of_two(-24),
        FpKind::BFloat => power_of_two(-133),
    }
}

/// Whether a result is known to be too small for a normal number of its format.
pub fn has_underflowed(event: &Event) -> bool {
    let exact = event.exact[0];
    exact.fraction != 0.0 && exact.exponent < 0 && event.values[0].is_finite()
}

/// The bits that a result lost by underflow, if they exceed `limit` ulps of a normal number. The result may still be the
/// nearest number; but what is computed from it is wrong.
pub fn bits_lost(event: &Event, limit: Ulps) -> Option<Bits> {
    let exact = event.exact[0];
    let kind = kind_of(event);
    if !has_underflowed(event) || kind == FpKind::X87 {
        return None;
    }
    // In steps of the least number: no double is below one step.
    let step = exponent(least_step(kind));
    let real = exact.fraction * power_of_two((exact.exponent - i64::from(step)).max(-2000) as i32);
    let value = event.values[0] * power_of_two(-step / 2) * power_of_two(-step - -step / 2);
    let lost = match real {
        0.0 => 1.0,
        real => ((value - real) / real).abs().min(1.0),
    };
    let ulps = Ulps(lost * power_of_two(kind.precision() as i32 - 1));
    (ulps > limit).then(|| ulps.bits())
}

/// Fills in exact values that are too small for floats, as high-precision numbers do; residues, which are doubles, hold them.
pub fn set_exact_of_floats(event: &mut Event) {
    if kind_of(event) != FpKind::Float {
        return;
    }
    for index in 0..=usize::from(event.operands).min(3) {
        let real = event.values[index] + event.residues[index];
        if real != 0.0 && real.abs() < f64::from(f32::MIN_POSITIVE) {
            let exponent = exponent(real) + 1;
            // Two factors, because one alone may not be a double.
            let fraction =
                real * power_of_two(-exponent / 2) * power_of_two(-exponent - -exponent / 2);
            event.exact[index] = Exact {
                nearest: real,
                fraction,
                exponent: exponent.into(),
            };
        }
    }
}

/// Whether the operands (of a fused sum, the factors) were nonzero and had not underflowed themselves.
pub fn begins_here(event: &Event) -> bool {
    let mut operands = 1..=usize::from(event.operands).min(2);
    operands.all(|index| event.values[index] != 0.0 && event.exact[index].fraction == 0.0)
}

/// How much a value may lack because results that led to it underflowed, as far as the trace goes.
pub fn max_loss(trace: ThreadTrace, node: u32, value: f64, depth: u32) -> f64 {
    let lost = Concrete::of(trace, node, value, depth).max_loss(0);
    if lost.is_nan() { f64::INFINITY } else { lost }
}

impl Concrete {
    fn max_loss(&self, at: usize) -> f64 {
        let term = &self.terms[at];
        let Some(op) = term.op else { return 0.0 };
        let count = usize::from(term.operands);
        let (mut values, mut lost) = ([0.0; 3], [0.0; 3]);
        for (index, from) in term.from[..count].iter().enumerate() {
            values[index] = self.terms[usize::from(*from)].value;
            lost[index] = self.max_loss(usize::from(*from));
        }
        let propagated = match lost.iter().all(|lost| *lost == 0.0) {
            true => 0.0,
            false => propagated(op, values, lost, term.value),
        };
        propagated + own_loss(op, &values[..count], term.value)
    }
}

/// The loss of a library function's result; operations computed inline have it in their bound.
pub fn loss_of_function(event: &Event) -> f64 {
    let value = event.values[0];
    if value.abs() >= TINY || kind_of(event) != FpKind::Double {
        return 0.0;
    }
    // Others are zero only where they are zero in exact arithmetic.
    let vanishes = Op::from_u16(event.op).is_some_and(|op| {
        use Op::*;
        matches!(
            op,
            Exp | Exp2 | Exp10 | Pow | Powi | Erfc | Tgamma | Ldexp | Scalbn
        )
    });
    let exact_is_zero = event.values[1] == 0.0 && event.bounds[1] == 0.0;
    match value != 0.0 || (vanishes && !exact_is_zero) {
        true => LEAST_STEP,
        false => 0.0,
    }
}

/// The loss of a result that is itself too small.
fn own_loss(op: Op, operands: &[f64], value: f64) -> f64 {
    /// Below this, a residue lacks more than a rounding error.
    const COARSE: f64 = f64::MIN_POSITIVE * 4.0;
    let is_sum = matches!(op, Op::Add | Op::Sub);
    if is_sum || operands.contains(&0.0) || value.abs() >= f64::from(f32::MIN_POSITIVE) {
        return 0.0;
    }
    // Floats underflow where doubles do not.
    let of_floats = match (op, operands) {
        (Op::Mul, [x, y]) => (x * y - value).abs(),
        (Op::Div, [x, y]) => (x / y - value).abs(),
        _ => 0.0,
    };
    let of_doubles = match value.abs() < COARSE {
        true => LEAST_STEP,
        false => 0.0,
    };
    of_floats + of_doubles
}

/// The loss of a result that is due to its operands' losses.
fn propagated(op: Op, values: [f64; 3], lost: [f64; 3], result: f64) -> f64 {
    let [x, y, _] = values.map(f64::abs);
    let [of_x, of_y, of_z] = lost;
    let times = |lost: f64, factor: f64| if lost == 0.0 { 0.0 } else { lost * factor };
    match op {
        Op::Neg | Op::Abs | Op::CopySign | Op::Add | Op::Sub => of_x + of_y,
        Op::Fmin | Op::Fmax | Op::Minimum | Op::Maximum => of_x + of_y,
        Op::Mul => times(of_x, y) + times(of_y, x),
        Op::Fma | Op::MulAdd => times(of_x, y) + times(of_y, x) + of_z,
        Op::Div => times(of_x, 1.0 / y) + times(of_y, result.abs() / y),
        Op::Sqrt if result != 0.0 => of_x / result,
        Op::Sqrt => power_of_two(exponent(of_x) / 2 + 1),
        _ => functions::slope(op, &[DoubleDouble::sum(values[0], 0.0)], result)
            .map_or(f64::INFINITY, |slope| of_x * slope),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(kind: FpKind, value: f64, fraction: f64, exponent: i64) -> Event {
        let mut event = super::super::event::EMPTY;
        event.kind = kind as u8;
        event.values[0] = value;
        event.exact[0] = Exact {
            nearest: value,
            fraction,
            exponent,
        };
        event
    }

    #[test]
    fn a_small_result_loses_what_is_below_the_least_step() {
        let lost = |value, fraction, exponent| {
            bits_lost(
                &result(FpKind::Double, value, fraction, exponent),
                Ulps(31.0),
            )
            .map(|bits| bits.0)
        };
        // 2^-1500, and one and a half times the least number.
        assert!(lost(0.0, 0.5, -1499).unwrap() > 51.0);
        assert!(lost(5e-324, 0.75, -1073).unwrap() > 49.0);
        // Half of the least normal number, plus a quarter of a step.
        let half = f64::MIN_POSITIVE / 2.0;
        let more = 0.5 + power_of_two(-54);
        assert_eq!(lost(half, more, -1022), None);
        // Large numbers that are not doubles have not underflowed.
        assert_eq!(lost(1.0, 0.5, 1500), None);
        let float = |value: f32, fraction, exponent| {
            let result = result(FpKind::Float, value.into(), fraction, exponent);
            bits_lost(&result, Ulps(31.0)).map(|bits| bits.0)
        };
        assert!(float(0.0, 0.5, -200).unwrap() > 22.0);
    }

    #[test]
    fn losses_are_scaled_by_factors() {
        let least = power_of_two(-1074);
        assert_eq!(own_loss(Op::Mul, &[1e-200, 1e-200], 0.0), least);
        assert_eq!(own_loss(Op::Mul, &[0.0, 1e-200], 0.0), 0.0);
        assert_eq!(own_loss(Op::Sub, &[1e-320, 1e-320], 0.0), 0.0);
        assert_eq!(own_loss(Op::Mul, &[1e-30, 1e-30], 1e-30 * 1e-30), 0.0);
        assert_eq!(own_loss(Op::Mul, &[1e-30, 1e-30], 0.0), 1e-30 * 1e-30);
        let of = |op, values, lost, result| propagated(op, values, lost, result);
        assert_eq!(
            of(Op::Mul, [0.0, 8.0, 0.0], [least, 0.0, 0.0], 0.0),
            8.0 * least
        );
        assert_eq!(of(Op::Add, [0.0, 1.0, 0.0], [least, 0.0, 0.0], 1.0), least);
        assert_eq!(
            of(Op::Div, [1.0, 0.0, 0.0], [0.0, least, 0.0], f64::INFINITY),
            f64::INFINITY
        );
        assert!(of(Op::Sqrt, [0.0; 3], [least, 0.0, 0.0], 0.0) >= power_of_two(-537));
        let of_unknown_slope = of(Op::Tgamma, [0.0; 3], [least, 0.0, 0.0], 1.0);
        assert_eq!(of_unknown_slope, f64::INFINITY);
    }
}
