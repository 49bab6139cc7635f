//! Operations that are told: their residues, local errors, influences and expressions.

use lostbits_abi::{
    explain::{Event, Exact, NOTHING, Thread, cause, meta},
    kind::FpKind,
    ops::Op,
};

use super::{
    event::{self, exact, is_no_real, kind_of, real, tail, value},
    expression, functions,
    measure::{self, ALL_BITS, Value, Verdict},
    real::Real,
    state::{State, if_looking},
    trace, tricks, underflow,
    usual::lanes_in,
};
use crate::environment::undisturbed;

/// Values that are off by no more have no influences.
pub(super) const ACCURATE_STEPS: f64 = 4.0;
/// Executions of an operation whose expressions are all looked at; later ever fewer.
pub(super) const CLOSELY: u64 = 1 << 10;

/// Whether the expression of an operation's `times`th execution that erred is looked at.
pub(super) fn is_looked_at(times: u64) -> bool {
    match times {
        0..CLOSELY => true,
        CLOSELY..65_536 => times.is_multiple_of(64),
        _ => times.is_multiple_of(1024),
    }
}

/// Residue and bound where nothing is known of a real value: nobody is blamed before numbers with more room have told.
const UNKNOWN: (f64, f64) = (0.0, f64::INFINITY);

/// Finds the real result of an operation, and tells of it where that is called for.
pub fn evaluate(event: &mut Event) {
    undisturbed(|| find_residue(event));
    judge(event);
}

/// Tells of an operation whose residue is known, where that is called for.
pub fn judge(event: &mut Event) {
    let kind = kind_of(event);
    let value = event.values[0];
    let accurate =
        event.residues[0].abs() * measure::power_of_two(kind.precision() as i32 - 3) <= value.abs();
    let influences = (1..=usize::from(event.operands).min(3))
        .map(|index| meta::influences(event.metas[index]))
        .find(|influences| *influences != 0);
    event.metas[0] = meta::new(event.node, 0);
    let sampled = trace::is_sampled(trace::thread_of(event));
    if sampled || (!accurate && (influences.is_some() || is_over(event))) {
        if_looking(|state| state.operation(event));
    }
}

fn is_over(event: &Event) -> bool {
    let limit = unsafe {
        (&raw const super::LIMITS)
            .cast::<f64>()
            .add(usize::from(event.kind))
            .read()
    };
    !(event.residues[0].abs() * limit <= event.values[0].abs())
}

/// Finds the residue of the result from the operands' reals.
fn find_residue(event: &mut Event) {
    let count = usize::from(event.operands).min(3);
    let mut operands = [Real::ZERO; 3];
    for (index, operand) in operands.iter_mut().enumerate().take(count) {
        *operand = real(event, index + 1);
    }
    let bounds = &event.bounds[1..=count];
    if bounds.iter().any(|bound| !(*bound <= f64::MAX)) && event.values[0].is_finite() {
        (event.residues[0], event.bounds[0]) = UNKNOWN;
        return;
    }
    let Some((result, bound)) = functions::evaluate(event.op, &operands[..count], bounds) else {
        // Nothing is known of such an operation in the reals: the program's word is taken.
        event.residues[0] = 0.0;
        event.bounds[0] = 0.0;
        return;
    };
    let bound = bound + underflow::lost_by_function(event);
    let residue = result.minus(Real::sum(event.values[0], tail(event, 0)));
    let residue = residue.high + residue.low;
    (event.residues[0], event.bounds[0]) = match event.values[0].is_finite() {
        false => (f64::NAN, bound),
        true if residue.is_finite() => (residue, bound),
        // The root of what is perhaps below zero, or beyond the doubles.
        true => UNKNOWN,
    };
}

impl State {
    pub fn told(&mut self, event: &mut Event) {
        if !self.settles(event) {
            self.operation(event);
        }
    }

    /// Lanes with something to tell; most often it has been told before.
    pub fn told_lanes(&mut self, thread: &mut Thread) {
        let this = &raw mut *thread;
        self.count_lanes_again(&mut thread.lanes, this);
        for lane in lanes_in(thread.lanes.told) {
            event::take_lane(&mut thread.event, &thread.lanes, lane);
            self.told(&mut thread.event);
            event::give_lane(&thread.event, &mut thread.lanes, lane);
        }
    }

    /// An operation with a result that is far off, where influences meet, or that is looked at by chance.
    pub fn operation(&mut self, event: &mut Event) {
        let thread = trace::thread_of(event);
        let sampled = trace::is_sampled(thread);
        let kind = kind_of(event);
        if !event.residues[0].is_finite() && event.values[0].is_finite() {
            // The fast way overflowed or divided by zero.
            undisturbed(|| find_residue(event));
        }
        tricks::settle(event);
        if self.settings.precision == 0 {
            underflow::tell_of_floats(event);
        }
        let total = value(event, 0);
        let lost_by_underflow = underflow::bits_lost(event, self.local_steps);
        let accurate =
            lost_by_underflow.is_none() && total.verdict(ACCURATE_STEPS) == Verdict::Within;
        let is_sum = matches!(Op::from_u16(event.op), Some(Op::Add | Op::Sub));
        let mut influences = match accurate {
            true => 0,
            false if is_no_real(event, 0) => self.inherited_without_number(event),
            false => self.inherited(event, is_sum),
        };
        let mut causes = 0;
        let mut bits = 0.0;
        let mut undecided = false;
        if !event.values[0].is_finite() {
            causes = self.first_without_number(event);
            self.first_causes |= causes;
            bits = ALL_BITS;
        } else if let Some(lost) = lost_by_underflow {
            // Sums that are so small are exact.
            if !is_sum && underflow::begins_here(event) {
                causes = cause::UNDERFLOW;
            }
            bits = lost;
        } else if !accurate && !tricks::is_split(event) {
            let local = self.local_error(event, kind);
            match local.map_or(Verdict::Within, |local| local.verdict(self.local_steps)) {
                Verdict::Over => {
                    causes = cause::LOCAL;
                    bits = local.map_or(0.0, |local| local.about_bits());
                }
                Verdict::Undecided => undecided = true,
                Verdict::Within
                    if influences == 0 && total.verdict(self.local_steps) == Verdict::Over =>
                {
                    causes = cause::ACCUMULATED;
                    bits = total.about_bits();
                }
                Verdict::Within => {}
            }
        }
        if causes != 0 {
            let own = self.sets.only(event.site);
            influences = self.sets.union(influences, own);
        }
        event.metas[0] = meta::new(event.node, self.kept(event, influences));
        if sampled || causes != 0 || undecided {
            self.note(event, thread, causes, bits, undecided, sampled);
        }
        // Instrumented code does not write them.
        event.exact = [Exact::UNTOLD; 4];
    }

    /// A result's influences as they go on with it. What is nothing in the reals perhaps compensates for something: its
    /// set has a number, so that a sum with it is told, see [`compensates`].
    #[inline]
    pub(super) fn kept(&mut self, event: &Event, influences: u32) -> u32 {
        match is_nothing(event.values[0], event.residues[0], event.bounds[0]) {
            true => self.sets.as_number(influences),
            false => self.sets.as_bits(influences),
        }
    }

    /// The influences on operands that are no numbers. Where the reals have no number either, what is off in others did
    /// not make it so.
    #[cold]
    fn inherited_without_number(&mut self, event: &Event) -> u32 {
        let mut all = 0;
        for index in 1..=usize::from(event.operands).min(3) {
            if !event.values[index].is_finite() {
                all = self.sets.union(all, meta::influences(event.metas[index]));
            }
        }
        all
    }

    /// Whether the operation made an infinity or not-a-number of numbers.
    fn first_without_number(&self, event: &Event) -> u32 {
        let operands = &event.values[1..=usize::from(event.operands).min(3)];
        let made_here = |holds: fn(f64) -> bool| operands.iter().all(|value| !holds(*value));
        if event.values[0].is_nan() && made_here(f64::is_nan) {
            cause::NOT_A_NUMBER
        } else if event.values[0].is_infinite() && made_here(|value| !value.is_finite()) {
            cause::INFINITY
        } else {
            0
        }
    }

    /// What the operation would make of exact operands, rounded; none where that is always good.
    fn local_error(&self, event: &Event, kind: FpKind) -> Option<Value> {
        let count = usize::from(event.operands).min(3);
        if Op::from_u16(event.op).is_some_and(Op::is_call) {
            return Some(Value {
                residue: event.tails[0],
                ..value(event, 0)
            });
        }
        if !can_amplify(event.op) {
            return None;
        }
        if kind == FpKind::X87 {
            return local_error_of_x87(event, count);
        }
        let mut rounded = [Real::ZERO; 3];
        for (index, rounded) in (1..=count).zip(&mut rounded) {
            let exact = event.values[index] + event.residues[index];
            rounded.high = round_to(kind, exact);
        }
        let here = native(event.op, kind, &rounded[..count])?;
        let residue = Real::sum(event.values[0], -here).plus(event.residues[0]);
        Some(Value {
            kind,
            value: here,
            residue: residue.high + residue.low,
            bound: event.bounds[0],
        })
    }

    /// Keeps an execution with the operation's entry.
    fn note(
        &mut self,
        event: &Event,
        thread: *mut Thread,
        causes: u32,
        bits: f64,
        undecided: bool,
        sampled: bool,
    ) {
        let settings = self.settings;
        let Some(entry) = self.analysis.operation(event.site) else {
            return;
        };
        entry.causes |= causes;
        entry.undecided += u64::from(undecided);
        let mut worst = false;
        if causes != 0 {
            entry.erroneous += 1;
            entry.sum_bits += bits;
            if bits > entry.worst_bits || entry.erroneous == 1 {
                worst = true;
                entry.worst_bits = bits;
                entry.worst_values = event.values;
                entry.worst_real = exact(event, 0);
            }
        }
        if sampled || (causes != 0 && (worst || is_looked_at(entry.erroneous))) {
            let lost = (causes != 0).then_some(bits);
            expression::see(entry, thread, event.node, event.values[0], lost, &settings);
        }
    }
}

/// Whether a term is nothing in the reals and brings the sum nearer to what the other term stands for. One that
/// underflowed does not.
pub(super) fn compensates(event: &Event, index: usize) -> bool {
    let (value, residue) = (event.values[index], event.residues[index]);
    let underflowed = value == 0.0 && event.exact[index].fraction != 0.0;
    !underflowed
        && is_nothing(value, residue, event.bounds[index])
        && event.residues[0].abs() <= event.residues[3 - index].abs()
}

/// Whether a value is nothing in the reals.
#[inline]
pub(super) fn is_nothing(value: f64, residue: f64, bound: f64) -> bool {
    (value + residue).abs() <= value.abs() * NOTHING + bound
}

/// Whether an operation can make much of a small error: those that cannot have no local error worth looking at.
fn can_amplify(op: u16) -> bool {
    Op::from_u16(op).is_some_and(|op| op.info().stability.can_be_unstable())
}

/// x87 values do not fit into doubles: the operation is done in the reals, on operands that are rounded.
fn local_error_of_x87(event: &Event, count: usize) -> Option<Value> {
    let mut rounded = [Real::ZERO; 3];
    for (index, rounded) in (1..=count).zip(&mut rounded) {
        *rounded = rounded_to_x87(real(event, index));
    }
    let (here, _) = undisturbed(|| functions::evaluate(event.op, &rounded[..count], &[]))?;
    let residue = real(event, 0).minus(here);
    Some(Value {
        residue: residue.high + residue.low,
        ..value(event, 0)
    })
}

/// To 64 bits, of which a double has 53.
fn rounded_to_x87(real: Real) -> Real {
    let unit = measure::power_of_two(measure::exponent(real.high) - 63);
    let coarse = 1.5 * measure::power_of_two(52) * unit;
    Real {
        high: real.high,
        low: (real.low + coarse) - coarse,
    }
}

/// The program's own operation, on operands that fit its format.
fn native(op: u16, kind: FpKind, operands: &[Real]) -> Option<f64> {
    let exact = match (Op::from_u16(op)?, operands) {
        (Op::Add, [x, y]) => x.high + y.high,
        (Op::Sub, [x, y]) => x.high - y.high,
        // Where the processor could fuse them, the pass has made a true `fma` of it.
        (Op::MulAdd, [x, y, z]) => round_to(kind, x.high * y.high) + z.high,
        _ => {
            undisturbed(|| functions::evaluate(op, operands, &[]))?
                .0
                .high
        }
    };
    Some(round_to(kind, exact))
}

/// A double in a narrower format; x87 is not.
#[inline]
pub(super) fn round_to(kind: FpKind, value: f64) -> f64 {
    match kind {
        FpKind::Double | FpKind::X87 => value,
        FpKind::Float => f64::from(value as f32),
        FpKind::Half | FpKind::BFloat => {
            let lost = 53 - kind.precision();
            let half = 1u64 << (lost - 1);
            let bits = value.to_bits();
            let even = (bits >> lost) & 1;
            f64::from_bits((bits + half - 1 + even) & !((1u64 << lost) - 1))
        }
    }
}
