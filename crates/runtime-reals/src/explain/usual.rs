//! Operations that are told again and again: once a site is known for a cause, most of its further
//! executions only have to be counted. Here that is done without the generality of
//! [`State::operation`], and only where the verdict is clear; whatever is not is left to it.

use lostbits_abi::{
    explain::{Event, cause, meta, set},
    kind::FpKind,
    ops::Op,
};

use super::{
    measure::{ALLOWANCE, Value, power_of_two},
    operations::{ACCURATE_STEPS, compensates, is_looked_at, is_nothing, round_to},
    state::State,
    trace, tricks,
};

/// Whether an error is so many steps, if that is clear: a step more or less is not.
#[inline(always)]
fn is_over(limit: f64, precision: u64, value: f64, residue: f64, doubt: f64) -> Option<bool> {
    let exponent = |x: f64| (x.to_bits() >> 52) & 0x7ff;
    let of_value = exponent(value);
    let error = residue.abs();
    if exponent(value + residue) == of_value && of_value > precision {
        // All numbers in between are a step apart.
        let step = f64::from_bits((of_value - (precision - 1)) << 52);
        if error - doubt > step * (limit + 1.0) {
            return Some(true);
        }
        if error + doubt < step * (limit - 1.0) {
            return Some(false);
        }
        return None;
    }
    // Steps vary: one is between 2^-p and 2^(1-p) of its value, twice as large beyond the next power of two,
    // half as large below the last.
    let size = value.abs();
    if error - doubt > size * (2.0 * limit + 4.0) * power_of_two(1 - precision as i32) {
        Some(true)
    } else if error + doubt < size * limit * power_of_two(-1 - precision as i32) {
        Some(false)
    } else {
        None
    }
}

/// The binary logarithm of an error in steps of its value, times 2⁵², if all steps in between are of one size. The bits
/// of a number are its logarithm, nearly.
#[inline(always)]
fn steps_logarithm(value: f64, error: f64) -> Option<i64> {
    const EXPONENT: u64 = 0x7ff << 52;
    let (real, error) = ((value + error).to_bits(), error.abs().to_bits());
    let exponent = value.to_bits() & EXPONENT;
    let step = exponent.checked_sub(52 << 52)?;
    let is_one_size = real & EXPONENT == exponent && exponent < EXPONENT;
    (is_one_size && error > step).then(|| (error - step) as i64)
}

/// What an operation would make of exact operands, rounded.
struct Local {
    value: f64,
    error: f64,
}

impl State {
    /// Whether the event needed no more than this.
    #[inline]
    pub fn settles(&mut self, event: &mut Event) -> bool {
        self.count_again(event).is_some() || self.settle(event).is_some()
    }

    /// A sum of doubles that surely lost bits, as it did before; by far the most frequent of all, in programs that
    /// cancel in their inner loops.
    #[inline(always)]
    fn count_again(&mut self, event: &mut Event) -> Option<()> {
        let is_sum = event.op == Op::Add as u16 || event.op == Op::Sub as u16;
        let influences = meta::influences(event.metas[1] | event.metas[2]);
        let is_small = |index: usize| event.values[index].abs() < tricks::LEAST_SHIFT;
        let is_plain = is_sum && event.kind == FpKind::Double as u8 && is_small(1) && is_small(2);
        if !is_plain || set::is_number(influences) {
            return None;
        }
        let local = local_of_sum(event, FpKind::Double);
        let above = steps_logarithm(local.value, local.error)?;
        let doubt = ALLOWANCE * event.bounds[0] + event.residues[0].abs() * power_of_two(-50);
        // An eighth more than the threshold, for the doubt.
        let surely = above >= self.local_steps_logarithm + (1 << 49)
            && doubt <= local.error.abs() * power_of_two(-4);
        if !surely || is_nothing(event, 0) || trace::is_sampled(trace::thread_of(event)) {
            return None;
        }
        let bits = above as f64 * power_of_two(-52);
        let entry = self.analysis.known_operation(event.site)?;
        let is_known = entry.causes & cause::LOCAL != 0 && bits <= entry.worst_bits;
        if !is_known || is_looked_at(entry.erroneous + 1) {
            return None;
        }
        let own = self.sets.only(event.site);
        if set::is_number(own) {
            return None;
        }
        entry.erroneous += 1;
        entry.sum_bits += bits;
        event.metas[0] = meta::new(event.node, influences | own);
        Some(())
    }

    #[inline]
    fn settle(&mut self, event: &mut Event) -> Option<()> {
        // Each with its own constants: this is the busiest place of all.
        match event.kind {
            kind if kind == FpKind::Double as u8 => self.settle_as::<53>(event),
            kind if kind == FpKind::Float as u8 => self.settle_as::<24>(event),
            _ => None,
        }
    }

    #[inline(always)]
    fn settle_as<const PRECISION: u64>(&mut self, event: &mut Event) -> Option<()> {
        let (kind, least_normal) = match PRECISION {
            53 => (FpKind::Double, f64::MIN_POSITIVE),
            _ => (FpKind::Float, f64::from(f32::MIN_POSITIVE)),
        };
        let is_sum = event.op == Op::Add as u16 || event.op == Op::Sub as u16;
        let shifts = |index: usize| tricks::shifts(kind, event.values[index]);
        if is_sum && (shifts(1) || shifts(2)) {
            return None;
        }
        let is_usual = |value: f64| value >= least_normal && value <= f64::MAX;
        let size = event.values[0].abs();
        if !is_usual(size) || trace::is_sampled(trace::thread_of(event)) {
            return None;
        }
        let (value, residue) = (event.values[0], event.residues[0]);
        let doubt = ALLOWANCE * event.bounds[0];
        let over = |limit: f64, value: f64, residue: f64, doubt: f64| {
            is_over(limit, PRECISION, value, residue, doubt)
        };
        let limit = self.local_steps;
        let local = match is_sum {
            true => Some(local_of_sum(event, kind)),
            false if is_harmless(event.op) => None,
            false => return None,
        };
        let local = match local {
            Some(local) if !is_usual(local.value.abs()) => return None,
            // What computing it may have lost.
            Some(local) => {
                let doubt = doubt + residue.abs() * power_of_two(-50);
                over(limit, local.value, local.error, doubt)?.then_some(local)
            }
            None => None,
        };
        if local.is_none() && !over(ACCURATE_STEPS, value, residue, doubt)? {
            event.metas[0] = meta::new(event.node, 0);
            return Some(());
        }
        let mut influences = self.inherited(event, is_sum);
        let cause = match local {
            Some(local) => {
                let measured = Value {
                    kind,
                    value: local.value,
                    residue: local.error,
                    bound: 0.0,
                };
                Some((cause::LOCAL, measured.about_bits()))
            }
            None if influences == 0 && over(limit, value, residue, doubt)? => {
                let measured = Value {
                    kind,
                    value,
                    residue,
                    bound: 0.0,
                };
                Some((cause::ACCUMULATED, measured.about_bits()))
            }
            None => None,
        };
        if let Some((cause, bits)) = cause {
            let entry = self.analysis.known_operation(event.site)?;
            let is_known = entry.causes & cause != 0 && bits <= entry.worst_bits;
            if !is_known || is_looked_at(entry.erroneous + 1) {
                return None;
            }
            entry.erroneous += 1;
            entry.sum_bits += bits;
            let own = self.sets.only(event.site);
            influences = self.sets.union(influences, own);
        }
        event.metas[0] = meta::new(event.node, self.kept(event, influences));
        Some(())
    }

    /// The operands' influences, without those of a term that only compensates: one that is nothing in the
    /// reals, and makes the result better than the other operand (the paper's section 5.3).
    #[inline]
    pub(super) fn inherited(&mut self, event: &Event, is_sum: bool) -> u32 {
        let mut all = 0;
        for index in 1..=usize::from(event.operands).min(3) {
            let influences = meta::influences(event.metas[index]);
            // Only what is nothing in the reals compensates, and its set has a number.
            let may_compensate = is_sum && set::is_number(influences);
            if influences == 0 || (may_compensate && compensates(event, index)) {
                continue;
            }
            all = self.sets.union(all, influences);
        }
        all
    }
}

/// Operations that cannot make much of a small error, of those that are frequent.
#[inline]
fn is_harmless(op: u16) -> bool {
    [Op::Mul, Op::Div, Op::Sqrt, Op::Neg, Op::Abs]
        .iter()
        .any(|harmless| *harmless as u16 == op)
}

#[inline(always)]
fn local_of_sum(event: &Event, kind: FpKind) -> Local {
    let x = round_to(kind, event.values[1] + event.residues[1]);
    let y = round_to(kind, event.values[2] + event.residues[2]);
    let sum = match event.op == Op::Sub as u16 {
        true => x - y,
        false => x + y,
    };
    let value = round_to(kind, sum);
    Local {
        value,
        error: (event.values[0] - value) + event.residues[0],
    }
}
