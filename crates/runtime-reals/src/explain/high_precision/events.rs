//! Events from numbers: computes residues and bounds, which mode `explain` computes inline, when an event needs them.
//!
//! Most operations need no event. The checks that find this out come first, cheapest first: [`needs_no_event_inline`],
//! [`needs_no_event`], [`check_and_report`].

use core::{
    mem::MaybeUninit,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use lostbits_abi::{
    explain::{CANCELLATION_BITS, CANCELLATION_FACTOR, Event, Exact, is_inline, meta, set},
    kind::FpKind,
    ops::Op,
};

use super::{
    super::{
        measure,
        operations::{exceeds_limit, report_if_needed},
        precision_specific,
        state::if_recording,
        underflow,
    },
    errors,
    operations::{Context, Inputs},
};
use crate::{
    arithmetic,
    environment::in_default_environment,
    number::{LIMB_BITS, Number, Shadow, Short, Slot},
    operate::{self, Shadowed},
    own_error::OwnError,
    value::Value,
};

/// The double nearest to a value of the program.
#[inline(always)]
pub fn as_double(value: Value) -> f64 {
    match value.kind {
        FpKind::Double => f64::from_bits(value.bits),
        FpKind::Float => f64::from(f32::from_bits(value.bits as u32)),
        _ => f64::from_bits(Value::nearest(FpKind::Double, Short::new().set(value)).bits),
    }
}

// ---- residues ----

/// Limbs that are enough for most differences, and how many of their bits may cancel.
const TOP_LIMBS: i64 = 4;
const ENOUGH_CANCELLED: i64 = (TOP_LIMBS - 2) * LIMB_BITS;

/// x − y as a double, and whether that is exact.
fn difference(x: &Number, y: &Number) -> (f64, bool) {
    let top = x.cut_off(TOP_LIMBS as usize);
    let mut memory = MaybeUninit::<Slot>::uninit();
    let to = Slot::uninit(&mut memory);
    let mut inexact = arithmetic::sub(to, &top, y) || top.len() != x.len();
    let is_enough = |left: &Number| left.is_regular() && left.size > x.size - ENOUGH_CANCELLED;
    if inexact && !is_enough(&to.number) {
        inexact = arithmetic::sub(to, x, y);
    }
    let nearest = Value::nearest(FpKind::Double, &to.number);
    let is_exact = !inexact && operate::is_exactly(&to.number, nearest);
    (f64::from_bits(nearest.bits), is_exact)
}

/// A number minus a value, as [`difference`]; mostly the number's leading bits suffice.
#[inline(always)]
fn residue(number: &Number, value: Value) -> (f64, bool) {
    if let Some((_, magnitude)) = value.against(number) {
        let (leading, more) = number.leading_128();
        let (is_less, left) = match u128::from(magnitude) << 64 {
            value if value > leading => (true, value - leading),
            value => (false, leading - value),
        };
        let zeros = left.leading_zeros();
        // The difference has more bits than a double, whatever follows.
        if left != 0 && (!more || zeros < 64) {
            let is_negative = is_less != (number.sign < 0);
            let left = left << zeros;
            let size = number.size - i64::from(zeros);
            let nearest = Value::rounded(FpKind::Double, is_negative, left, more, size);
            let is_exact = !more && left << 53 == 0;
            return (f64::from_bits(nearest.bits), is_exact);
        }
    }
    difference(number, Short::new().set(value))
}

/// A number minus a value.
pub fn residue_of(slot: &Slot, value: Value) -> f64 {
    residue(&slot.number, value).0
}

/// The part of a value that its nearest double lacks.
fn tail(value: Value, nearest: f64) -> f64 {
    let (mut whole, mut part) = (Short::new(), Short::new());
    difference(whole.set(value), part.set(Value::of_double(nearest))).0
}

/// A bound on the relative error of rounding a residue to a double.
const ROUNDING: f64 = 1.2e-16;

// ---- filling in events ----

/// Writes a value and its shadow into an event.
pub fn put(event: &mut Event, index: usize, (shadow, value): Shadowed) {
    // The compiler specialises the code for a known format.
    let kind = FpKind::Double;
    match value.kind == kind {
        true => put_as(event, index, (shadow, Value { kind, ..value })),
        false => put_as(event, index, (shadow, value)),
    }
}

#[inline(always)]
fn put_as(event: &mut Event, index: usize, (shadow, value): Shadowed) {
    event.values[index] = as_double(value);
    event.residues[index] = 0.0;
    event.bounds[index] = 0.0;
    event.metas[index] = 0;
    event.exact[index] = Exact::NONE;
    if value.kind == FpKind::X87 {
        event.tails[index] = tail(value, event.values[index]);
    }
    let Some(slot) = shadow.slot() else {
        return;
    };
    if value.is_finite() && is_nonfinite(&slot.number) {
        // Exact arithmetic has no number here: it divided by zero, or took the root of a negative number.
        event.residues[index] = f64::NAN;
        event.bounds[index] = errors::bound(slot.own_error);
        event.metas[index] = slot.meta;
        put_exact(event, index, &slot.number);
        return;
    }
    let is_zero = errors::is_noise_zero()
        && value.is_finite()
        && value.kind != FpKind::X87
        && errors::is_noise(&slot.number, slot.own_error);
    let (residue, is_exact) = match is_zero {
        // Nothing is left above the number's own error: it is taken for zero, and escalation requires that the next
        // precision finds the same.
        true => (-event.values[index], true),
        false => residue(&slot.number, value),
    };
    // A number beyond the range of doubles is known nevertheless.
    let residue = match residue.is_infinite() && slot.number.is_regular() {
        true => f64::MAX.copysign(residue),
        false => residue,
    };
    event.residues[index] = residue;
    if !is_zero {
        event.bounds[index] = errors::bound(slot.own_error);
    }
    if !is_exact {
        event.bounds[index] += residue.abs() * ROUNDING;
    }
    event.metas[index] = slot.meta;
    if !value.is_finite() || (!is_zero && is_out_of_range(&slot.number, value.kind)) {
        put_exact(event, index, &slot.number);
    } else if !is_zero && is_mostly_error(&(shadow, value)) {
        // The residue is the value's opposite, to the last bit: it does not say what the exact value is.
        let nearest = Value::nearest(FpKind::Double, &slot.number);
        event.exact[index] = Exact::of(f64::from_bits(nearest.bits));
    }
}

/// Too large for a double, or too small for a normal number of the format.
#[inline(always)]
fn is_out_of_range(number: &Number, kind: FpKind) -> bool {
    let least = match kind {
        FpKind::Float => f32::MIN_EXP,
        _ => f64::MIN_EXP,
    };
    let is_in_range = (i64::from(least)..=i64::from(f64::MAX_EXP)).contains(&number.size);
    !is_in_range && number.is_regular()
}

#[inline(always)]
fn is_nonfinite(number: &Number) -> bool {
    !number.is_regular() && !number.is_zero()
}

/// Writes a number that value and residue cannot represent.
#[cold]
fn put_exact(event: &mut Event, index: usize, number: &Number) {
    if !event.values[index].is_finite() {
        event.residues[index] = f64::NAN;
    }
    if number.is_regular() {
        let fraction = number.leading_64() as f64 * measure::power_of_two(-64);
        event.exact[index] = Exact {
            nearest: f64::from_bits(Value::nearest(FpKind::Double, number).bits),
            fraction: fraction * f64::from(number.sign),
            exponent: number.size,
        };
    } else if !number.is_zero() {
        event.exact[index] = Exact::of(match number.is_nan() {
            true => f64::NAN,
            false => f64::INFINITY.copysign(f64::from(number.sign)),
        });
    }
}

// ---- whether an operation needs an event ----

/// The threshold of local errors in whole bits.
static LOCAL_BITS: AtomicU32 = AtomicU32::new(0);

/// Call when the settings are known.
pub fn set_limit(bits: f64) {
    LOCAL_BITS.store(bits as u32, Relaxed);
}

/// Whether an error is at most four ulps of a value; both in units of [`Value::against`]. As [`is_accurate`].
#[inline(always)]
fn is_small(error: u64, value: u64, kind: FpKind) -> bool {
    error <= value >> (kind.precision() - 3)
}

/// Whether an error exceeds 2^`bits` ulps of a value.
#[inline(always)]
fn exceeds_bits(error: u64, value: u64, kind: FpKind, bits: u32) -> bool {
    error > value >> (kind.precision() - 1 - bits)
}

#[inline(always)]
fn local_bits(kind: FpKind) -> u32 {
    LOCAL_BITS.load(Relaxed).min(kind.precision() - 1)
}

/// Whether an operation surely needs no event, as most do not; by the leading bits. Also sets the result's influences then.
#[inline(always)]
pub fn needs_no_event_inline<const ROOM: usize>(
    context: Context,
    op: Op,
    inputs: Inputs<ROOM>,
    result: Value,
) -> bool {
    let slot = context.slot;
    let Some((error, value)) = result.against(&slot.number) else {
        return false;
    };
    if !is_inline(op) {
        return false;
    }
    if is_small(error, value, result.kind) {
        return true;
    }
    let is_over = exceeds_bits(error, value, result.kind, local_bits(result.kind));
    let operands = inputs.operands();
    let Some(influences) = united_by_bits(operands) else {
        return false;
    };
    if is_over && (influences == set::EMPTY || cancels_by_bits(result, op, operands)) {
        return false;
    }
    set_influences(slot, influences);
    true
}

/// The same for more operations: also where influences must be looked up, or where value and number have different exponents.
#[inline(always)]
pub fn needs_no_event<const ROOM: usize>(
    context: Context,
    op: Op,
    inputs: Inputs<ROOM>,
    result: Value,
) -> bool {
    let slot = context.slot;
    if !is_inline(op) || !result.is_finite() {
        return false;
    }
    let Some((error, value)) = result.against(&slot.number) else {
        let copy = inputs;
        return needs_no_event_by_ulps(slot, op, copy.operands(), result);
    };
    let operands = inputs.operands();
    if is_small(error, value, result.kind) {
        return true;
    }
    let limit = local_bits(result.kind);
    let is_over = exceeds_bits(error, value, result.kind, limit);
    let influences = united_by_bits(operands);
    let may_cancel = influences.is_none() || is_over;
    if may_cancel && cancels_by_bits(result, op, operands) {
        return false;
    }
    let influences = match influences {
        Some(set::EMPTY) if is_over => return false,
        Some(all) => all,
        None if limit < HARMLESS_BITS => return false,
        None => {
            let copy = inputs;
            match united(op, copy.operands()) {
                Some(all) => all,
                None => return false,
            }
        }
    };
    set_influences(slot, influences);
    true
}

/// A sum that does not cancel loses at most this many bits by itself.
const HARMLESS_BITS: u32 = 5;

/// Two bits for certain, see [`is_accurate`]; ulps count twice where exponents change.
const SURELY_INACCURATE_ULPS: u64 = 17;

/// The same where value and number have different exponents.
#[inline(never)]
fn needs_no_event_by_ulps(slot: &mut Slot, op: Op, operands: &[Shadowed], result: Value) -> bool {
    let is_supported = matches!(result.kind, FpKind::Double | FpKind::Float);
    let distance = Value::nearest(result.kind, &slot.number).distance(result);
    if !is_supported || distance <= SURELY_INACCURATE_ULPS {
        return false;
    }
    let Some(influences) = united_by_bits(operands) else {
        return false;
    };
    let limit = 1u64 << LOCAL_BITS.load(Relaxed).min(60);
    let is_explained = || influences != set::EMPTY && !cancels_by_bits(result, op, operands);
    let needs_none = distance < limit || (distance > 4 * limit && is_explained());
    if needs_none {
        set_influences(slot, influences);
    }
    needs_none
}

#[inline(always)]
fn set_influences(slot: &mut Slot, influences: u32) {
    slot.meta = meta::new(meta::node(slot.meta), influences);
}

#[inline(always)]
fn influences_of((shadow, _): &Shadowed) -> u32 {
    meta::influences(shadow.meta())
}

/// The union of all influences, if it is a union of bits; otherwise the state must compute it.
#[inline(always)]
fn united_by_bits(operands: &[Shadowed]) -> Option<u32> {
    let mut all = set::EMPTY;
    for influences in operands.iter().map(influences_of) {
        if !set::are_united_by_bits(all, influences) {
            return None;
        }
        all |= influences;
    }
    Some(all)
}

/// The union of all influences, unless one may belong to a term that only compensates.
#[inline(never)]
fn united(op: Op, operands: &[Shadowed]) -> Option<u32> {
    let is_sum = matches!(op, Op::Add | Op::Sub);
    if is_sum && operands.iter().any(is_mostly_error) {
        return None;
    }
    let mut all = 0;
    if_recording(|state| {
        for operand in operands {
            all = state.sets.union(all, influences_of(operand));
        }
    });
    Some(all)
}

/// Whether a value is much larger than its exact value.
fn is_mostly_error((shadow, value): &Shadowed) -> bool {
    const BITS: i64 = 28;
    shadow
        .slot()
        .is_some_and(|slot| !slot.number.is_regular() || slot.number.size < value.exponent() - BITS)
}

/// An inaccurate or sampled operation: computes its influences, and reports it where mode `explain` would. `operands` come
/// first, then those that the event reports.
#[cold]
pub fn check_and_report(
    context: Context,
    op: Op,
    [operands, reported]: [&[Shadowed]; 2],
    result: Value,
    sampled: bool,
) {
    let Context { slot, site, trace } = context;
    in_default_environment(|| {
        let event = trace.begin_event(site, op as u16, result.kind);
        event.operands = reported.len() as u8;
        event.node = meta::node(slot.meta);
        put(event, 0, (Shadow::of(slot), result));
        let has_underflowed = underflow::has_underflowed(event);
        let inaccurate = has_underflowed || !is_accurate(event, result.kind);
        let influences = match inaccurate {
            true => united_by_bits(operands),
            false => Some(set::EMPTY),
        };
        slot.meta = meta::new(event.node, influences.unwrap_or(set::EMPTY));
        let is_reported = sampled
            || has_underflowed
            || (inaccurate && must_report(event, op, operands, influences));
        if !is_reported || trace.is_blind() {
            return;
        }
        for (index, operand) in (1..).zip(reported) {
            put(event, index, *operand);
        }
        event.metas[0] = slot.meta;
        if precision_specific::apply(event) {
            // The result has the program's format, so a double holds it.
            slot.set_value(Value::of_double(event.values[0] + event.residues[0]));
            slot.own_error = match event.bounds[0] {
                0.0 => OwnError::EXACT,
                _ => OwnError::UNKNOWN,
            };
        }
        if_recording(|state| {
            if has_underflowed || !state.try_fast_path(event) {
                state.operation(event);
            }
        });
        slot.meta = event.metas[0];
    });
}

/// Reports a function that counts as one operation; its own error is known.
pub fn report_call(context: Context, op: Op, operands: &[Shadowed], result: Value, own_error: f64) {
    let Context { slot, site, trace } = context;
    if trace.is_blind() {
        return;
    }
    in_default_environment(|| {
        let event = trace.begin_event(site, op as u16, result.kind);
        event.operands = operands.len() as u8;
        event.node = meta::node(slot.meta);
        put(event, 0, (Shadow::of(slot), result));
        for (index, operand) in (1..).zip(operands) {
            put(event, index, *operand);
        }
        event.tails[0] = own_error;
        report_if_needed(event);
        slot.meta = event.metas[0];
    });
}

/// Whether the error is at most four ulps, or slightly more.
fn is_accurate(event: &Event, kind: FpKind) -> bool {
    let factor = measure::power_of_two(kind.precision() as i32 - 3);
    event.values[0].is_finite() && event.residues[0].abs() * factor <= event.values[0].abs()
}

/// `influences` is none where the state must unite them.
fn must_report(event: &Event, op: Op, operands: &[Shadowed], influences: Option<u32>) -> bool {
    let Some(influences) = influences else {
        return true;
    };
    let is_inline = is_inline(op);
    let is_unexplained =
        influences == set::EMPTY || !is_inline || cancels(event.values[0], op, operands);
    (exceeds_limit(event) && is_unexplained) || (!is_inline && influences != set::EMPTY)
}

/// As [`cancels`], for doubles and floats, without touching the floating-point environment.
#[inline(always)]
fn cancels_by_bits(result: Value, op: Op, operands: &[Shadowed]) -> bool {
    let sign = 1u64 << (result.kind.storage_bits() - 1);
    let size =
        (result.bits & !sign) + (u64::from(CANCELLATION_BITS) << (result.kind.precision() - 1));
    cancelling_operands(op)
        .iter()
        .any(|index| size < operands[*index].1.bits & !sign)
}

/// Whether a sum is much smaller than its terms.
fn cancels(result: f64, op: Op, operands: &[Shadowed]) -> bool {
    let size = result.abs() * CANCELLATION_FACTOR;
    cancelling_operands(op)
        .iter()
        .any(|index| size < as_double(operands[*index].1).abs())
}

/// The operands that a result must not be much smaller than. For a product and a sum the third suffices: if it cancels with
/// the product, both are about equal.
#[inline(always)]
fn cancelling_operands(op: Op) -> &'static [usize] {
    match op {
        Op::Add | Op::Sub => &[0, 1],
        Op::Fma | Op::MulAdd => &[2],
        _ => &[],
    }
}
