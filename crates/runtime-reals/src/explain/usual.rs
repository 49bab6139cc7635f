//! Operations that are told again and again: once a site is known for a cause, most of its further
//! executions only have to be counted. Here that is done without the generality of
//! [`State::operation`], and only where the verdict is clear; whatever is not is left to it.

use lostbits_abi::{
    explain::{Event, Lanes, MOST_LANES, Operation, Thread, cause, meta, set},
    kind::FpKind,
    ops::Op,
};

use super::{
    measure::{ALLOWANCE, Value, power_of_two},
    operations::{ACCURATE_STEPS, compensates, is_looked_at, is_nothing, round_to},
    state::State,
    trace, tricks,
};

/// The lanes whose bits are set.
pub(super) fn lanes_in(mut bits: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < MOST_LANES).then_some(lane)
    })
}

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
fn steps_logarithm<const PRECISION: u64>(value: f64, error: f64) -> Option<i64> {
    const EXPONENT: u64 = 0x7ff << 52;
    let (real, error) = ((value + error).to_bits(), error.abs().to_bits());
    let exponent = value.to_bits() & EXPONENT;
    let step = exponent.checked_sub((PRECISION - 1) << 52)?;
    let is_one_size = real & EXPONENT == exponent && exponent < EXPONENT;
    (is_one_size && error > step).then(|| (error - step) as i64)
}

/// What an operation would make of exact operands, rounded.
struct Local {
    value: f64,
    error: f64,
}

/// What became of a sum that lost nothing by itself.
enum Fate {
    Accurate,
    /// Off by more than two bits.
    Inaccurate,
    /// Off by so many bits, more than the threshold.
    Accumulated(f64),
}

/// A sum as an event or a lane tells of it: the result, and what was added or subtracted.
struct Sum {
    subtracts: bool,
    values: [f64; 3],
    residues: [f64; 3],
    /// The result's.
    bound: f64,
}

impl Sum {
    fn of_event(event: &Event) -> Sum {
        let first = |of: &[f64; 4]| [of[0], of[1], of[2]];
        Sum {
            subtracts: event.op == Op::Sub as u16,
            values: first(&event.values),
            residues: first(&event.residues),
            bound: event.bounds[0],
        }
    }

    fn of_lane(lanes: &Lanes, lane: usize) -> Sum {
        let first = |of: &[[f64; MOST_LANES]; 4]| [of[0][lane], of[1][lane], of[2][lane]];
        Sum {
            subtracts: lanes.op == Op::Sub as u16,
            values: first(&lanes.values),
            residues: first(&lanes.residues),
            bound: lanes.bounds[0][lane],
        }
    }

    #[inline(always)]
    fn local(&self, kind: FpKind) -> Local {
        let x = round_to(kind, self.values[1] + self.residues[1]);
        let y = round_to(kind, self.values[2] + self.residues[2]);
        let sum = if self.subtracts { x - y } else { x + y };
        let value = round_to(kind, sum);
        Local {
            value,
            error: (self.values[0] - value) + self.residues[0],
        }
    }

    /// Whether it may mean something else than a sum, or has no steps of the usual size, or is nothing in the reals.
    #[inline(always)]
    fn is_special(&self, kind: FpKind, local: &Local) -> bool {
        let is_small = |index: usize| self.values[index].abs() < tricks::least_shift(kind);
        let is_normal = |value: f64| value.abs() >= least_normal(kind) && value.is_finite();
        !(is_small(1) && is_small(2) && is_normal(self.values[0]) && is_normal(local.value))
            || is_nothing(self.values[0], self.residues[0], self.bound)
    }

    /// What became of a sum that surely lost nothing by itself.
    #[inline(always)]
    fn without_local_error<const PRECISION: u64>(&self, threshold: f64) -> Option<Fate> {
        let kind = kind_with(PRECISION);
        let local = self.local(kind);
        if self.is_special(kind, &local) {
            return None;
        }
        let (value, residue) = (self.values[0], self.residues[0]);
        let doubt = ALLOWANCE * self.bound;
        // What computing it may have lost.
        let of_local = doubt + residue.abs() * power_of_two(-50);
        if is_over(threshold, PRECISION, local.value, local.error, of_local)? {
            return None;
        }
        if !is_over(ACCURATE_STEPS, PRECISION, value, residue, doubt)? {
            return Some(Fate::Accurate);
        }
        if !is_over(threshold, PRECISION, value, residue, doubt)? {
            return Some(Fate::Inaccurate);
        }
        let measured = Value {
            kind,
            value,
            residue,
            bound: 0.0,
        };
        Some(Fate::Accumulated(measured.about_bits()))
    }

    /// The bits it lost, if it surely lost more than the threshold, means nothing else, and is something in the reals.
    #[inline(always)]
    fn surely_lost<const PRECISION: u64>(&self, threshold_logarithm: i64) -> Option<f64> {
        let kind = kind_with(PRECISION);
        let local = self.local(kind);
        if self.is_special(kind, &local) {
            return None;
        }
        let above = steps_logarithm::<PRECISION>(local.value, local.error)?;
        let doubt = ALLOWANCE * self.bound + self.residues[0].abs() * power_of_two(-50);
        // An eighth more than the threshold, for the doubt.
        let surely = above >= threshold_logarithm + (1 << 49)
            && doubt <= local.error.abs() * power_of_two(-4);
        surely.then_some(above as f64 * power_of_two(-52))
    }
}

const fn kind_with(precision: u64) -> FpKind {
    match precision {
        24 => FpKind::Float,
        _ => FpKind::Double,
    }
}

const fn least_normal(kind: FpKind) -> f64 {
    match kind {
        FpKind::Float => f32::MIN_POSITIVE as f64,
        _ => f64::MIN_POSITIVE,
    }
}

fn is_sum(op: u16) -> bool {
    op == Op::Add as u16 || op == Op::Sub as u16
}

/// The site of sums that do what they did before: by far the most frequent of all that is told, in programs that cancel in
/// their inner loops.
struct Again<'a> {
    entry: &'a mut Operation,
    threshold: f64,
    threshold_logarithm: i64,
    /// The site's bit.
    own: u32,
}

impl Again<'_> {
    /// The influences of a sum's result, if it has nothing new to tell; it is counted if it lost bits.
    #[inline(always)]
    fn settle<const PRECISION: u64>(&mut self, sum: &Sum, influences: u32) -> Option<u32> {
        if set::is_number(influences) {
            return None;
        }
        if let Some(bits) = sum.surely_lost::<PRECISION>(self.threshold_logarithm) {
            return self.count(cause::LOCAL, bits, influences);
        }
        match sum.without_local_error::<PRECISION>(self.threshold)? {
            Fate::Accurate => Some(0),
            Fate::Accumulated(bits) if influences == 0 => {
                self.count(cause::ACCUMULATED, bits, influences)
            }
            Fate::Accumulated(_) | Fate::Inaccurate => Some(influences),
        }
    }

    #[inline(always)]
    fn count(&mut self, cause: u32, bits: f64, influences: u32) -> Option<u32> {
        let times = self.entry.erroneous + 1;
        let is_known = self.entry.causes & cause != 0 && bits <= self.entry.worst_bits;
        if !is_known || is_looked_at(times) {
            return None;
        }
        self.entry.erroneous = times;
        self.entry.sum_bits += bits;
        Some(influences | self.own)
    }
}

impl State {
    /// Whether the event needed no more than this.
    #[inline]
    pub fn settles(&mut self, event: &mut Event) -> bool {
        self.count_again(event).is_some() || self.settle(event).is_some()
    }

    /// If what is told of a site may be counted without looking.
    #[inline(always)]
    fn again(&mut self, site: u32, op: u16, thread: *mut Thread) -> Option<Again<'_>> {
        if !is_sum(op) || trace::is_sampled(thread) {
            return None;
        }
        let entry = self.analysis.known_operation(site)?;
        if entry.causes == 0 {
            return None;
        }
        let own = self.sets.only(site);
        (!set::is_number(own)).then_some(Again {
            entry,
            threshold: self.local_steps,
            threshold_logarithm: self.local_steps_logarithm,
            own,
        })
    }

    #[inline(always)]
    fn count_again(&mut self, event: &mut Event) -> Option<()> {
        let mut again = self.again(event.site, event.op, trace::thread_of(event))?;
        let sum = Sum::of_event(event);
        let influences = meta::influences(event.metas[1] | event.metas[2]);
        let influences = match event.kind {
            kind if kind == FpKind::Double as u8 => again.settle::<53>(&sum, influences)?,
            kind if kind == FpKind::Float as u8 => again.settle::<24>(&sum, influences)?,
            _ => return None,
        };
        event.metas[0] = meta::new(event.node, influences);
        Some(())
    }

    /// Counts the lanes of which that is enough, and no longer tells of them.
    #[inline]
    pub fn count_lanes_again(&mut self, lanes: &mut Lanes, thread: *mut Thread) {
        match lanes.kind {
            kind if kind == FpKind::Double as u8 => self.count_lanes_as::<53>(lanes, thread),
            kind if kind == FpKind::Float as u8 => self.count_lanes_as::<24>(lanes, thread),
            _ => {}
        }
    }

    #[inline(always)]
    fn count_lanes_as<const PRECISION: u64>(&mut self, lanes: &mut Lanes, thread: *mut Thread) {
        let Some(mut again) = self.again(lanes.site, lanes.op, thread) else {
            return;
        };
        for lane in lanes_in(lanes.told) {
            let sum = Sum::of_lane(lanes, lane);
            let influences = meta::influences(lanes.metas[1][lane] | lanes.metas[2][lane]);
            if let Some(influences) = again.settle::<PRECISION>(&sum, influences) {
                let node = lanes.metas[0][lane] as u32;
                lanes.metas[0][lane] = meta::new(node, influences);
                lanes.told &= !(1 << lane);
            }
        }
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
        let kind = kind_with(PRECISION);
        let is_sum = is_sum(event.op);
        let shifts = |index: usize| tricks::shifts(kind, event.values[index]);
        if is_sum && (shifts(1) || shifts(2)) {
            return None;
        }
        let is_usual = |value: f64| value >= least_normal(kind) && value <= f64::MAX;
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
            true => Some(Sum::of_event(event).local(kind)),
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

#[cfg(test)]
mod tests {
    use super::{super::measure::Verdict, *};

    const FIVE_BITS: i64 = 5 << 52;

    /// Differences of neighbours whose operands are off by some steps, in the format with so many bits.
    fn differences<const PRECISION: u64>() -> impl Iterator<Item = Sum> {
        let kind = kind_with(PRECISION);
        let step = power_of_two(-(PRECISION as i32));
        let mut random = 1u64;
        let mut uniform = move || {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 11) as f64 * power_of_two(-53)
        };
        (0..4000).map(move |_| {
            let x = round_to(kind, 1.0 + uniform());
            let y = round_to(kind, x * (1.0 - uniform() * power_of_two(-12)));
            let residues = [uniform() * 4.0 * step, -uniform() * 4.0 * step];
            Sum {
                subtracts: true,
                values: [x - y, x, y],
                residues: [residues[0] - residues[1], residues[0], residues[1]],
                bound: 0.0,
            }
        })
    }

    fn counted_sums_are_over<const PRECISION: u64>() {
        let kind = kind_with(PRECISION);
        let mut counted = 0;
        for sum in differences::<PRECISION>() {
            let Some(bits) = sum.surely_lost::<PRECISION>(FIVE_BITS) else {
                continue;
            };
            counted += 1;
            let local = sum.local(kind);
            let measured = Value {
                kind,
                value: local.value,
                residue: local.error,
                bound: 0.0,
            };
            assert_eq!(measured.verdict(31.0), Verdict::Over);
            assert!((bits - measured.bits()).abs() < 0.2, "{bits}");
        }
        assert!((1000..4000).contains(&counted), "{counted}");
    }

    #[test]
    fn what_is_counted_is_over_the_threshold() {
        counted_sums_are_over::<53>();
        counted_sums_are_over::<24>();
    }

    #[test]
    fn what_may_mean_something_else_is_not_counted() {
        let lost = |sum: &Sum| sum.surely_lost::<24>(FIVE_BITS).is_some();
        let clear = || Sum {
            subtracts: true,
            values: [0.25, 1.25, 1.0],
            residues: [1e-3, 1e-3, 0.0],
            bound: 0.0,
        };
        // Exact operands, rounded, give another difference.
        assert!(!lost(&clear()));
        let wrong = Sum {
            residues: [1e-3, 0.0, 0.0],
            ..clear()
        };
        assert!(lost(&wrong));
        let in_doubt = Sum {
            bound: 1e-3,
            ..wrong
        };
        assert!(!lost(&in_doubt));
        let shift = 1.5 * power_of_two(23);
        let shifted = Sum {
            values: [1.0, shift + 1.0, shift],
            residues: [0.5, 0.5, 0.0],
            ..clear()
        };
        assert!(!lost(&shifted));
        let nothing = Sum {
            values: [0.25, 1.25, 1.0],
            residues: [-0.25, 0.0, 0.0],
            ..clear()
        };
        assert!(!lost(&nothing));
    }

    #[test]
    fn lanes_are_those_of_the_bits() {
        assert!(lanes_in(0).next().is_none());
        assert!(lanes_in(0b1000_0101).eq([0, 2, 7]));
    }
}
