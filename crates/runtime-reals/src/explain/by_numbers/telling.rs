//! Events from numbers: what mode `explain` computes in line, residue and bound, is found here when it is wanted.

use core::{
    mem::MaybeUninit,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use lostbits_abi::{
    explain::{Event, Exact, Thread, meta, set},
    kind::FpKind,
    ops::Op,
};

use super::{
    super::{measure, operations::judge, state::if_looking, tricks, underflow},
    errors,
    operations::{Place, Seen},
};
use crate::{
    arithmetic,
    environment::undisturbed,
    number::{LIMB_BITS, Number, Short, Slot},
    operate::{self, Shadowed},
    value::Value,
};

/// A value of the program's, as near as a double comes.
#[inline(always)]
pub fn as_double(value: Value) -> f64 {
    match value.kind {
        FpKind::Double => f64::from_bits(value.bits),
        FpKind::Float => f64::from(f32::from_bits(value.bits as u32)),
        _ => f64::from_bits(Value::nearest(FpKind::Double, Short::new().set(value)).bits),
    }
}

/// x − y as a double, and whether it is exactly that.
unsafe fn difference(x: &Number, y: &Number) -> (f64, bool) {
    let top = x.cut_off(TOP_LIMBS as usize);
    let mut place = MaybeUninit::<Slot>::uninit();
    let to = Slot::of_nothing(&mut place);
    unsafe {
        let mut inexact = arithmetic::sub(to, &top, y) || top.len() != x.len();
        let is_enough = |left: &Number| left.is_regular() && left.size > x.size - ENOUGH_CANCELLED;
        if inexact && !is_enough(&to.number) {
            inexact = arithmetic::sub(to, x, y);
        }
        let near = Value::nearest(FpKind::Double, &to.number);
        let is_exact = !inexact && operate::is_exactly(&to.number, near);
        (f64::from_bits(near.bits), is_exact)
    }
}

/// Limbs that are enough for most differences, and bits of them that may cancel.
const TOP_LIMBS: i64 = 4;
const ENOUGH_CANCELLED: i64 = (TOP_LIMBS - 2) * LIMB_BITS;

/// A number minus a value, as [`difference`]; most often what the number begins with is enough.
#[inline(always)]
unsafe fn residue(number: &Number, value: Value) -> (f64, bool) {
    if let Some((_, own)) = value.against(number) {
        let (beginning, more) = number.long_beginning();
        let (is_less, left) = match u128::from(own) << 64 {
            own if own > beginning => (true, own - beginning),
            own => (false, beginning - own),
        };
        let zeros = left.leading_zeros();
        // What is left has more bits than a double, whatever lies below.
        if left != 0 && (!more || zeros < 64) {
            let is_negative = is_less != (number.sign < 0);
            let left = left << zeros;
            let size = number.size - i64::from(zeros);
            let near = Value::rounded(FpKind::Double, is_negative, left, more, size);
            let is_exact = !more && left << 53 == 0;
            return (f64::from_bits(near.bits), is_exact);
        }
    }
    unsafe { difference(number, Short::new().set(value)) }
}

/// What is left of a value that does not fit into a double.
unsafe fn tail(value: Value, near: f64) -> f64 {
    let (mut whole, mut part) = (Short::new(), Short::new());
    unsafe { difference(whole.set(value), part.set(Value::of_double(near))).0 }
}

/// Rounding a residue to a double loses less than this part of it.
const ROUNDED: f64 = 1.2e-16;

/// Writes a value and its shadow into an event.
pub unsafe fn put(event: &mut Event, index: usize, (slot, value): Shadowed) {
    // Where the format is known, much of it is.
    let kind = FpKind::Double;
    unsafe {
        match value.kind == kind {
            true => put_as(event, index, (slot, Value { kind, ..value })),
            false => put_as(event, index, (slot, value)),
        }
    }
}

#[inline(always)]
unsafe fn put_as(event: &mut Event, index: usize, (slot, value): Shadowed) {
    event.values[index] = as_double(value);
    event.residues[index] = 0.0;
    event.bounds[index] = 0.0;
    event.metas[index] = 0;
    event.exact[index] = Exact::UNTOLD;
    if value.kind == FpKind::X87 {
        event.tails[index] = unsafe { tail(value, event.values[index]) };
    }
    if slot != 0 {
        let slot = unsafe { &*(slot as *const Slot) };
        let (residue, is_exact) = unsafe { residue(&slot.number, value) };
        // A number beyond the doubles is known all the same.
        let residue = match residue.is_infinite() && slot.number.is_regular() {
            true => f64::MAX.copysign(residue),
            false => residue,
        };
        event.residues[index] = residue;
        event.bounds[index] = errors::bound(slot.order);
        if !is_exact {
            event.bounds[index] += residue.abs() * ROUNDED;
        }
        event.metas[index] = slot.meta;
        if !value.is_finite() || is_no_double(&slot.number, value.kind) {
            tell_exactly(event, index, &slot.number);
        }
    }
}

/// Too large for a double, or too small for a normal number of the format.
#[inline(always)]
fn is_no_double(number: &Number, kind: FpKind) -> bool {
    let least = match kind {
        FpKind::Float => f32::MIN_EXP,
        _ => f64::MIN_EXP,
    };
    let is_one = (i64::from(least)..=i64::from(f64::MAX_EXP)).contains(&number.size);
    !is_one && number.is_regular()
}

/// A number of which value and residue cannot tell.
#[cold]
fn tell_exactly(event: &mut Event, index: usize, number: &Number) {
    if !event.values[index].is_finite() {
        event.residues[index] = f64::NAN;
    }
    if number.is_regular() {
        let fraction = number.beginning() as f64 * measure::power_of_two(-64);
        event.exact[index] = Exact {
            nearest: f64::from_bits(Value::nearest(FpKind::Double, number).bits),
            fraction: fraction * f64::from(number.sign),
            exponent: number.size,
        };
    } else if !number.is_zero() {
        event.exact[index] = Exact::of(match number.is_not_a_number() {
            true => f64::NAN,
            false => f64::INFINITY.copysign(f64::from(number.sign)),
        });
    }
}

/// The thread's event, begun.
pub unsafe fn begin<'a>(
    thread: *mut Thread,
    site: u32,
    number: u16,
    kind: FpKind,
) -> &'a mut Event {
    let event = unsafe { &mut (*thread).event };
    event.site = site;
    event.op = number;
    event.kind = kind as u8;
    event.operands = 0;
    event.node = 0;
    event.told = 1;
    event
}

/// Whether it is clear at first sight that nothing has to be told of an operation, as it is of most; the result's
/// influences are then known too.
#[inline(always)]
pub unsafe fn is_settled_at_once<const ROOM: usize>(
    place: Place,
    op: Op,
    seen: Seen<ROOM>,
    result: Value,
) -> bool {
    unsafe {
        let slot = &mut *place.slot;
        let Some((off, size)) = result.against(&slot.number) else {
            return false;
        };
        // As in `is_settled`.
        if !is_plain(op) {
            return false;
        }
        if off <= size >> (result.kind.precision() - 3) {
            return true;
        }
        let limit = LOCAL_BITS.load(Relaxed).min(result.kind.precision() - 1);
        let is_over = off > size >> (result.kind.precision() - 1 - limit);
        let operands = seen.operands();
        let Some(all) = united_by_bits(operands) else {
            return false;
        };
        if is_over && (all == set::EMPTY || cancels_by_bits(result, op, operands)) {
            return false;
        }
        slot.meta = meta::new(meta::node(slot.meta), all);
        true
    }
}

/// Whether it is clear from the highest limb that nothing has to be told of an operation; the result's influences are
/// then known too. So it is with most inaccurate results.
#[inline(always)]
pub unsafe fn is_settled<const ROOM: usize>(
    place: Place,
    op: Op,
    seen: Seen<ROOM>,
    result: Value,
) -> bool {
    unsafe {
        let slot = &mut *place.slot;
        if !is_plain(op) || !result.is_finite() {
            return false;
        }
        let Some((off, size)) = result.against(&slot.number) else {
            let copy = seen;
            return is_settled_by_steps(slot, op, copy.operands(), result);
        };
        let operands = seen.operands();
        // As in `is_accurate`.
        if off <= size >> (result.kind.precision() - 3) {
            return true;
        }
        let limit = LOCAL_BITS.load(Relaxed).min(result.kind.precision() - 1);
        let is_over = off > size >> (result.kind.precision() - 1 - limit);
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
                let copy = seen;
                match united(op, copy.operands()) {
                    Some(all) => all,
                    None => return false,
                }
            }
        };
        slot.meta = meta::new(meta::node(slot.meta), influences);
        true
    }
}

/// A sum that does not cancel loses no more by itself.
const HARMLESS_BITS: u32 = 5;

/// All influences, where their bits tell them; else the state unites them.
#[inline(always)]
unsafe fn united_by_bits(operands: &[Shadowed]) -> Option<u32> {
    let sets = operands
        .iter()
        .map(|operand| unsafe { influences_of(operand) });
    let mut all = set::EMPTY;
    for influences in sets {
        if !set::are_united_by_bits(all, influences) {
            return None;
        }
        all |= influences;
    }
    Some(all)
}

/// All influences, unless one of them may be of a term that only compensates.
#[inline(never)]
unsafe fn united(op: Op, operands: &[Shadowed]) -> Option<u32> {
    unsafe {
        let is_sum = matches!(op, Op::Add | Op::Sub);
        if is_sum && operands.iter().any(|operand| is_nearly_nothing(operand)) {
            return None;
        }
        let mut all = 0;
        if_looking(|state| {
            for operand in operands {
                all = state.sets.union(all, influences_of(operand));
            }
        });
        Some(all)
    }
}

/// Whether a value is much larger than what it stands for.
unsafe fn is_nearly_nothing((slot, value): &Shadowed) -> bool {
    const BITS: i64 = 28;
    match *slot {
        0 => false,
        slot => {
            let number = unsafe { &(*(slot as *const Slot)).number };
            !number.is_regular() || number.size < value.exponent() - BITS
        }
    }
}

/// Steps from a value to its real one of which it is sure that they are more than two bits, see [`is_accurate`]; where
/// exponents change, steps count twice.
const SURELY_INACCURATE: u64 = 17;

/// The same where value and number have different exponents.
#[inline(never)]
unsafe fn is_settled_by_steps(
    slot: &mut Slot,
    op: Op,
    operands: &[Shadowed],
    result: Value,
) -> bool {
    let has_steps = matches!(result.kind, FpKind::Double | FpKind::Float);
    let distance = Value::nearest(result.kind, &slot.number).distance(result);
    if !has_steps || distance <= SURELY_INACCURATE {
        return false;
    }
    unsafe {
        let Some(influences) = united_by_bits(operands) else {
            return false;
        };
        let steps = 1u64 << LOCAL_BITS.load(Relaxed).min(60);
        let settled = distance < steps
            || (distance > 4 * steps
                && influences != set::EMPTY
                && !cancels_by_bits(result, op, operands));
        if settled {
            slot.meta = meta::new(meta::node(slot.meta), influences);
        }
        settled
    }
}

/// The threshold of local errors in whole bits.
static LOCAL_BITS: AtomicU32 = AtomicU32::new(0);

/// To be told when the settings are known.
pub fn set_limit(bits: f64) {
    LOCAL_BITS.store(bits as u32, Relaxed);
}

/// An operation that is not near its real result, or of a stretch that is looked at closely: finds its influences, and
/// tells of it where mode `explain` would. Of the operands, those that are shown come second.
#[cold]
pub unsafe fn look(
    place: Place,
    op: Op,
    [operands, shown]: [&[Shadowed]; 2],
    result: Value,
    sampled: bool,
) {
    undisturbed(|| unsafe {
        let slot = &mut *place.slot;
        let event = begin(place.thread, place.site, op as u16, result.kind);
        event.operands = shown.len() as u8;
        event.node = meta::node(slot.meta);
        put(event, 0, (place.slot as u64, result));
        let is_too_small = underflow::is_too_small(event);
        let inaccurate = is_too_small || !is_accurate(event, result.kind);
        let influences = match inaccurate {
            true => united_by_bits(operands),
            false => Some(set::EMPTY),
        };
        slot.meta = meta::new(event.node, influences.unwrap_or(set::EMPTY));
        let is_told =
            sampled || is_too_small || (inaccurate && is_wanted(event, op, operands, influences));
        if !is_told || (*place.thread).blind != 0 {
            return;
        }
        for (index, operand) in (1..).zip(shown) {
            put(event, index, *operand);
        }
        event.metas[0] = slot.meta;
        if tricks::settle(event) {
            // In the program's format, so a double holds it.
            slot.set_value(Value::of_double(event.values[0] + event.residues[0]));
            slot.order = match event.bounds[0] {
                0.0 => errors::EXACT,
                _ => errors::UNKNOWN,
            };
        }
        if_looking(|state| {
            if is_too_small || !state.settles(event) {
                state.operation(event);
            }
        });
        slot.meta = event.metas[0];
    });
}

/// A number minus a value.
pub unsafe fn residue_of(slot: &Slot, value: Value) -> f64 {
    unsafe { residue(&slot.number, value).0 }
}

/// A function that is one operation has returned; its own error is known.
pub unsafe fn tell_call(place: Place, op: Op, operands: &[Shadowed], result: Value, own: f64) {
    undisturbed(|| unsafe {
        let slot = &mut *place.slot;
        if (*place.thread).blind != 0 {
            return;
        }
        let event = begin(place.thread, place.site, op as u16, result.kind);
        event.operands = operands.len() as u8;
        event.node = meta::node(slot.meta);
        put(event, 0, (place.slot as u64, result));
        for (index, operand) in (1..).zip(operands) {
            put(event, index, *operand);
        }
        event.tails[0] = own;
        judge(event);
        slot.meta = event.metas[0];
    });
}

/// Off by at most four units in the last place, or a little more.
fn is_accurate(event: &Event, kind: FpKind) -> bool {
    let factor = measure::power_of_two(kind.precision() as i32 - 3);
    event.values[0].is_finite() && event.residues[0].abs() * factor <= event.values[0].abs()
}

#[inline(always)]
unsafe fn influences_of((slot, _): &Shadowed) -> u32 {
    match *slot {
        0 => 0,
        slot => meta::influences(unsafe { (*(slot as *const Slot)).meta }),
    }
}

/// `influences` are none where the state must unite them.
unsafe fn is_wanted(event: &Event, op: Op, operands: &[Shadowed], influences: Option<u32>) -> bool {
    let limit = unsafe {
        (&raw const super::super::LIMITS)
            .cast::<f64>()
            .add(usize::from(event.kind))
            .read()
    };
    let is_over = !(event.residues[0].abs() * limit <= event.values[0].abs());
    let Some(influences) = influences else {
        return true;
    };
    let unexplained =
        influences == set::EMPTY || !is_plain(op) || cancels(event.values[0], op, operands);
    (is_over && unexplained) || (!is_plain(op) && influences != set::EMPTY)
}

/// Operations whose influences mode `explain` carries in line.
#[inline(always)]
fn is_plain(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Sub
            | Mul
            | Div
            | Neg
            | Fma
            | MulAdd
            | Sqrt
            | Abs
            | CopySign
            | Fmin
            | Fmax
            | Minimum
            | Maximum
            | MinimumNum
            | MaximumNum
    )
}

/// As [`cancels`], of doubles or floats, and without touching the floating-point environment.
#[inline(always)]
fn cancels_by_bits(result: Value, op: Op, operands: &[Shadowed]) -> bool {
    let sign = 1u64 << (result.kind.storage_bits() - 1);
    let size = (result.bits & !sign) + (3 << (result.kind.precision() - 1));
    let less = |index: usize| size < operands[index].1.bits & !sign;
    match op {
        Op::Add | Op::Sub => less(0) || less(1),
        Op::Fma | Op::MulAdd => less(2),
        _ => false,
    }
}

/// Whether a sum is much smaller than its terms.
fn cancels(result: f64, op: Op, operands: &[Shadowed]) -> bool {
    let size = result.abs() * 8.0;
    let less = |index: usize| size < as_double(operands[index].1).abs();
    match op {
        Op::Add | Op::Sub => less(0) || less(1),
        // As large as the product: if they cancel, they are alike.
        Op::Fma | Op::MulAdd => less(2),
        _ => false,
    }
}
