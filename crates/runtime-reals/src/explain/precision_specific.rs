//! Precision-specific operations (Wang and others, FSE 2015): operations that mean something else in the program's format
//! than in exact arithmetic. They are recognised by their values, so it does not matter how they were compiled.
//!
//! - x + M − M, for M = 1.5·2⁵² or similar: rounds x to a whole number, or to a multiple of a power of two;
//! - c − (c − a), for c = (2²⁷ + 1)·a: the upper half of a (Veltkamp);
//! - comparisons of a value with a bound of its own error, after which a program computes more carefully or not (Shewchuk's
//!   filters): either decision is right;
//! - comparisons of a sum with one of its terms: machine epsilons, and series that are summed until nothing changes.
//!
//! Comparisons of the last two kinds are counted.
//!
//! # What it can miss
//!
//! Roundings with unusual constants, and those in the x87 format. A sum x + M − M that was meant to be x is taken for a rounding
//! if M is one of these constants. Where the trace has been overwritten, a comparison of noise with something that covers it is
//! taken for a filter, if it was never seen to be none.

use lostbits_abi::{
    explain::{Event, meta},
    kind::FpKind,
    ops::Op,
};

use super::{
    event::{kind_of, real},
    measure::{ALLOWANCE, exponent, power_of_two},
    operations::{is_never_blamed, round_to},
    trace::{Executed, ThreadTrace},
    zeros,
};

/// Gives the result of a precision-specific rounding its intended value as exact value; returns whether it is one.
pub fn apply(event: &mut Event) -> bool {
    let Some((residue, bound)) = rounding_by_shift(event) else {
        return false;
    };
    event.residues[0] = residue;
    event.bounds[0] = bound;
    true
}

fn is_exact(event: &Event, index: usize) -> bool {
    event.residues[index] == 0.0 && event.bounds[index] == 0.0
}

/// The terms of a sum, with their signs.
fn terms(event: &Event) -> Option<[f64; 2]> {
    let [x, y] = [event.values[1], event.values[2]];
    match Op::from_u16(event.op)? {
        Op::Add => Some([x, y]),
        Op::Sub => Some([x, -y]),
        _ => None,
    }
}

/// The most fraction bits that adding a constant may keep: 12 for double, 5 for float. Smaller constants are ordinary numbers.
#[inline(always)]
fn max_fraction_bits(kind: FpKind) -> Option<i32> {
    match kind {
        FpKind::Double => Some(12),
        FpKind::Float => Some(5),
        _ => None,
    }
}

/// Adding a smaller constant does not round.
#[inline(always)]
pub(super) fn least_rounding_constant(kind: FpKind) -> f64 {
    max_fraction_bits(kind).map_or(f64::INFINITY, |left| {
        power_of_two(kind.precision() as i32 - 1 - left)
    })
}

/// Whether adding a constant rounds: 1.5·2ᵏ, and 2ᵏ where that leaves whole numbers.
#[inline(always)]
pub(super) fn is_rounding_constant(kind: FpKind, constant: f64) -> bool {
    let size = constant.abs();
    if !(size >= least_rounding_constant(kind)) {
        return false;
    }
    let whole = kind.precision() as i32 - 1;
    let power = exponent(size);
    let in_range = power <= whole;
    in_range
        && (size == 1.5 * power_of_two(power) || (power == whole && size == power_of_two(whole)))
}

/// (x + M) − M: residue and bound for the exact value of x + M, rounded to the program's format, minus M.
fn rounding_by_shift(event: &Event) -> Option<(f64, f64)> {
    let kind = kind_of(event);
    let terms = terms(event)?;
    let constant = [1, 2].into_iter().find(|index| {
        is_rounding_constant(kind, event.values[*index]) && is_exact(event, *index)
    })?;
    let other = 3 - constant;
    let (constant, sum) = (terms[constant - 1], terms[other - 1]);
    // x must leave the sum about as large as M: otherwise it was not a sum with M.
    let alike = (exponent(sum) - exponent(constant)).abs() <= 1;
    if !alike || sum.is_sign_negative() == constant.is_sign_negative() {
        return None;
    }
    let sign = if sum == event.values[other] {
        1.0
    } else {
        -1.0
    };
    let residue = sign * event.residues[other];
    let rounded = |residue: f64| round_to(kind, sum + residue) + constant;
    let result = rounded(residue);
    let doubt = ALLOWANCE * event.bounds[other];
    let sure = rounded(residue - doubt) == result && rounded(residue + doubt) == result;
    let bound = if sure { 0.0 } else { f64::INFINITY };
    Some((result - event.values[0], bound))
}

/// Powers s for which numbers are split with a factor 2ˢ + 1.
fn splits(kind: FpKind) -> &'static [i32] {
    match kind {
        FpKind::Double => &[27, 26],
        FpKind::Float => &[12, 13],
        _ => &[],
    }
}

/// Whether an operation is c − (c − a). Its exact value is a, and computations with both halves are right with it. So it keeps
/// that value, but it is not a candidate.
pub fn is_split(event: &Event) -> bool {
    let [scaled, _] = match terms(event) {
        Some(terms) => terms,
        None => return false,
    };
    is_veltkamp_high_part(kind_of(event), scaled, event.values[0], real(event, 0).high)
}

/// Whether such an operation made a value.
pub fn is_veltkamp_half(event: &Event, index: usize) -> bool {
    let node = meta::node(event.metas[index]);
    let made_by = ThreadTrace::of_event(event)
        .find(node)
        .filter(|made_by| made_by.op == Op::Sub as u16);
    made_by.is_some_and(|made_by| {
        let exact = real(event, index).high;
        is_veltkamp_high_part(
            kind_of(event),
            made_by.values[0],
            event.values[index],
            exact,
        )
    })
}

fn is_veltkamp_high_part(kind: FpKind, scaled: f64, half: f64, whole: f64) -> bool {
    let is_split = |power: &i32| {
        let factor = power_of_two(*power) + 1.0;
        let off = (scaled - factor * whole).abs();
        let near = off <= scaled.abs() * power_of_two(3 - kind.precision() as i32);
        near && fits_in(half, kind.precision() as i32 - power + 1)
    };
    splits(kind).iter().any(is_split)
}

/// Whether a number has at most `bits` bits.
fn fits_in(value: f64, bits: i32) -> bool {
    let cut = (53 - bits).clamp(0, 52);
    value != 0.0 && value.to_bits() & ((1 << cut) - 1) == 0
}

/// The operation that computed a value, its node and its result: signs, copies and selections are passed over.
pub fn computed_by(
    trace: ThreadTrace,
    mut node: u32,
    mut value: f64,
) -> Option<(u32, Executed, f64)> {
    for _ in 0..MOST_PASSED_OVER {
        let executed = trace.find(node)?;
        if !is_never_blamed(executed.op) {
            return Some((node, executed, value));
        }
        let [x, y, _] = executed.values;
        let is_second = executed.from[1] != 0 && y.abs() == value.abs() && x.abs() != value.abs();
        (node, value) = match is_second {
            true => (executed.from[1], y),
            false => (executed.from[0], x),
        };
    }
    None
}

/// The length of a running maximum.
const MOST_PASSED_OVER: u32 = 1 << 12;

// ---- comparisons that ask about rounding ----

/// Whether a comparison asks if a term is too small to change a sum: `1 + eps != 1`, or a series that is summed until nothing
/// changes. In exact arithmetic every term changes it.
pub fn tests_absorption(event: &Event) -> bool {
    let value = event.values[1];
    if value != event.values[2] || value == 0.0 {
        return false;
    }
    let apart = (event.residues[1] - event.residues[2]).abs();
    let ulp = power_of_two(exponent(value) - kind_of(event).precision() as i32 + 1);
    let absorbs = |index| absorbs_a_term(event, index);
    apart <= ulp && (absorbs(1) || absorbs(2))
}

/// Whether a value is a sum that equals one of its terms although the other is not zero.
fn absorbs_a_term(event: &Event, index: usize) -> bool {
    let node = meta::node(event.metas[index]);
    let made_by = computed_by(ThreadTrace::of_event(event), node, event.values[index]);
    let Some((_, executed, value)) = made_by else {
        return false;
    };
    let [x, y, z] = executed.values;
    let terms = match Op::from_u16(executed.op) {
        Some(Op::Add | Op::Sub) => [x, y],
        Some(Op::Fma | Op::MulAdd) => [x * y, z],
        _ => return false,
    };
    let is_kept = |term: f64| term.abs() == value.abs();
    terms.iter().all(|term| *term != 0.0) && is_kept(terms[0]) != is_kept(terms[1])
}

/// Whether a comparison asks if a value exceeds a bound of its own error; none if the trace is gone. A bound is a few ulps
/// of something that is as large as what cancelled in the value and was computed from the same numbers, and the error is
/// within it. A tolerance that merely became small is no bound.
pub fn tests_own_error_bound(event: &Event) -> Option<bool> {
    let is_tested = |bound: usize| match is_covered(event, bound) {
        true => is_bound(event, bound),
        false => Some(false),
    };
    match (is_tested(1), is_tested(2)) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (None, _) | (_, None) => None,
        _ => Some(false),
    }
}

/// The same by the values alone, where the trace is gone: the value is hardly larger than its error, and something computed
/// covers that.
pub fn may_test_own_error_bound(event: &Event) -> bool {
    (1..=2).any(|bound| {
        let other = 3 - bound;
        let known = meta::node(event.metas[bound]) != 0;
        let is_noise =
            event.residues[other].abs() >= real(event, other).high.abs() * NEARLY_NOTHING;
        known && is_noise && is_covered(event, bound)
    })
}

/// The most of a value that may be known where it is compared with its error.
const NEARLY_NOTHING: f64 = 1.0 / 1024.0;

fn is_covered(event: &Event, bound: usize) -> bool {
    let size = event.values[bound].abs();
    size > 0.0 && event.residues[3 - bound].abs() <= size
}

/// A bound is made of something at least this part as large as what cancelled.
const LEAST_PART: f64 = 1.0 / 16.0;

fn is_bound(event: &Event, bound: usize) -> Option<bool> {
    let trace = ThreadTrace::of_event(event);
    let node = meta::node(event.metas[bound]);
    if node == 0 {
        return Some(false);
    }
    let Some(size) = size_in_ulps(trace, node, kind_of(event), DEEPEST)? else {
        return Some(false);
    };
    let (tested, value) = (meta::node(event.metas[3 - bound]), event.values[3 - bound]);
    trace.find(tested)?;
    let scale = zeros::scale(trace, tested, value, zeros::NEAR)
        .size
        .unwrap_or(value.abs());
    Some(size >= scale * LEAST_PART && have_a_number_in_common(trace, node, tested))
}

const DEEPEST: u32 = 4;

/// What a node multiplies by a few ulps, or the largest of such products that it adds; none if the node is gone.
fn size_in_ulps(trace: ThreadTrace, node: u32, kind: FpKind, depth: u32) -> Option<Option<f64>> {
    let executed = trace.find(node)?;
    let unit = power_of_two(9 - kind.precision() as i32);
    let is_small = |value: f64| value != 0.0 && value.abs() <= unit;
    let below = |index: usize| match depth {
        0 => None,
        _ => size_in_ulps(trace, executed.from[index], kind, depth - 1).flatten(),
    };
    let [x, y, _] = executed.values;
    let of_product = || match (is_small(x), is_small(y)) {
        (true, false) => Some(y.abs()),
        (false, true) => Some(x.abs()),
        // Ulps of ulps, as in the later stages of a filter.
        (true, true) => below(0).or_else(|| below(1)),
        (false, false) => {
            (below(0).map(|size| size * y.abs())).or_else(|| below(1).map(|size| size * x.abs()))
        }
    };
    let larger = |x: Option<f64>, y: Option<f64>| Some(x?.max(y?));
    Some(match Op::from_u16(executed.op)? {
        Op::Mul => of_product(),
        Op::Fma | Op::MulAdd => larger(of_product(), below(2)),
        Op::Add => larger(below(0), below(1)),
        Op::Neg | Op::Abs => below(0),
        _ => None,
    })
}

/// Numbers of an expression that are compared with those of another.
const COMPARED: usize = 64;

/// Whether two expressions contain the same number, signs aside; numbers such as 1 and 0.5, which are in many, do not count.
fn have_a_number_in_common(trace: ThreadTrace, x: u32, y: u32) -> bool {
    let (mut of_x, mut of_y) = ([0.0; COMPARED], [0.0; COMPARED]);
    let (x, y) = (
        numbers_in(trace, x, &mut of_x),
        numbers_in(trace, y, &mut of_y),
    );
    x.iter()
        .any(|number| !is_power_of_two(*number) && y.contains(number))
}

fn is_power_of_two(size: f64) -> bool {
    size == 0.0 || size == power_of_two(exponent(size))
}

/// The magnitudes of the operands of an expression, the nearest first.
fn numbers_in(trace: ThreadTrace, node: u32, room: &mut [f64; COMPARED]) -> &[f64] {
    let mut nodes = [0; COMPARED];
    nodes[0] = node;
    let (mut next, mut known, mut count) = (0, 1, 0);
    while next < known {
        let executed = trace.find(nodes[next]);
        next += 1;
        let Some(executed) = executed else { continue };
        for (value, from) in executed.values.into_iter().zip(executed.from) {
            if count < COMPARED && value != 0.0 {
                room[count] = value.abs();
                count += 1;
            }
            if known < COMPARED && from != 0 {
                nodes[known] = from;
                known += 1;
            }
        }
    }
    &room[..count]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(kind: FpKind, op: Op, values: [f64; 3], residues: [f64; 3]) -> Event {
        let mut event = super::super::event::EMPTY;
        event.op = op as u16;
        event.kind = kind as u8;
        event.operands = 2;
        event.values[..3].copy_from_slice(&values);
        event.residues[..3].copy_from_slice(&residues);
        event
    }

    const MAGIC: f64 = 6_755_399_441_055_744.0;

    #[test]
    fn adding_a_constant_rounds() {
        let settled = |op, kind, x: f64, magic: f64, residue| {
            let shift = round_to(kind, x + magic);
            let minus = if op == Op::Add { -magic } else { magic };
            let mut event = sum(
                kind,
                op,
                [shift - magic, shift, minus],
                [x - (shift - magic), residue, 0.0],
            );
            apply(&mut event);
            event.residues[0]
        };
        for kind in [FpKind::Double, FpKind::Float] {
            let magic = 1.5 * power_of_two(kind.precision() as i32 - 1);
            for op in [Op::Add, Op::Sub] {
                assert_eq!(settled(op, kind, 2.25, magic, 0.25), 0.0);
                // The exact value is on the other side of a half.
                assert_eq!(settled(op, kind, 2.25, magic, 0.75), 1.0);
            }
        }
        assert_eq!(settled(Op::Sub, FpKind::Double, 2.25, 1e16, 0.25), 0.25);
    }

    #[test]
    fn splitting_is_recognised() {
        let a = 0.1;
        let scaled = a * 134_217_729.0;
        let rest = scaled - a;
        let half = scaled - rest;
        let off = [a - half, 0.0, 0.0];
        let of = |scaled, rest| is_split(&sum(FpKind::Double, Op::Sub, [half, scaled, rest], off));
        assert!(of(scaled, rest));
        assert!(!of(scaled + 1.0, rest + 1.0));
    }

    #[test]
    fn only_certain_constants_round() {
        for constant in [MAGIC, -MAGIC, 4_503_599_627_370_496.0, MAGIC / 128.0] {
            assert!(is_rounding_constant(FpKind::Double, constant), "{constant}");
        }
        for constant in [6.0, 1e16, MAGIC * 2.0, 2_251_799_813_685_248.0, 0.0] {
            assert!(
                !is_rounding_constant(FpKind::Double, constant),
                "{constant}"
            );
        }
        assert!(is_rounding_constant(FpKind::Float, 12_582_912.0));
        assert!(!is_rounding_constant(FpKind::Half, 1536.0));
    }
}
