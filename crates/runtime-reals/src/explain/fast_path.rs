//! The fast path for events that occur again and again: once a site is a known candidate, most of its further executions
//! only have to be counted.
//!
//! Here that is done without the generality of [`State::operation`], and only where the verdict is clear. Everything else is
//! left to it.

use lostbits_abi::{
    explain::{Event, Lanes, MOST_LANES, Operation, cause, meta, set},
    kind::FpKind,
    ops::Op,
};

use super::{
    measure::{ALLOWANCE, Bits, Measured, Ulps, power_of_two},
    operations::{ACCURATE_ULPS, compensates, exact_is_zero, keeps_expression, round_to, summand},
    precision_specific,
    state::State,
    trace::{Errors, ThreadTrace},
};

/// The lanes whose bits are set.
pub(super) fn lanes_in(mut bits: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (lane < MOST_LANES).then_some(lane)
    })
}

/// Whether an error exceeds `limit`, if that is clear: within one ulp of the limit it is not.
#[inline(always)]
fn is_over(
    Ulps(limit): Ulps,
    precision: u64,
    value: f64,
    residue: f64,
    doubt: f64,
) -> Option<bool> {
    let exponent = |x: f64| (x.to_bits() >> 52) & 0x7ff;
    let of_value = exponent(value);
    let error = residue.abs();
    if exponent(value + residue) == of_value && of_value > precision {
        // All numbers in between are one ulp apart.
        let ulp = f64::from_bits((of_value - (precision - 1)) << 52);
        if error - doubt > ulp * (limit + 1.0) {
            return Some(true);
        }
        if error + doubt < ulp * (limit - 1.0) {
            return Some(false);
        }
        return None;
    }
    // Ulps vary: one is between 2^−p and 2^(1−p) of its value, twice as large above the next power of two, half as large below
    // the previous one.
    let size = value.abs();
    if error - doubt > size * (2.0 * limit + 4.0) * power_of_two(1 - precision as i32) {
        Some(true)
    } else if error + doubt < size * limit * power_of_two(-1 - precision as i32) {
        Some(false)
    } else {
        None
    }
}

/// log₂ of an error in ulps, times 2⁵², if all ulps in between have one size. The bits of a double are nearly its logarithm.
#[inline(always)]
fn ulps_log2<const PRECISION: u64>(value: f64, error: f64) -> Option<i64> {
    const EXPONENT: u64 = 0x7ff << 52;
    let (real, error) = ((value + error).to_bits(), error.abs().to_bits());
    let exponent = value.to_bits() & EXPONENT;
    let ulp = exponent.checked_sub((PRECISION - 1) << 52)?;
    let is_one_size = real & EXPONENT == exponent && exponent < EXPONENT;
    (is_one_size && error > ulp).then(|| (error - ulp) as i64)
}

/// What an operation computes from exact operands, rounded to the format, and its error.
struct Local {
    value: f64,
    error: f64,
}

/// The outcome of a sum without a local error.
enum SumOutcome {
    Accurate,
    /// An error of more than two bits.
    Inaccurate,
    /// An error above the threshold.
    Accumulated(Bits),
}

/// A sum from an event or a lane: the result and the operands.
struct Sum {
    subtracts: bool,
    values: [f64; 3],
    residues: [f64; 3],
    /// Of the result's residue.
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

    /// Whether it may be precision-specific, has subnormal or infinite values, or is zero in exact arithmetic.
    #[inline(always)]
    fn is_special(&self, kind: FpKind, local: &Local) -> bool {
        let is_small = |index: usize| {
            self.values[index].abs() < precision_specific::least_rounding_constant(kind)
        };
        let is_normal = |value: f64| value.abs() >= least_normal(kind) && value.is_finite();
        !(is_small(1) && is_small(2) && is_normal(self.values[0]) && is_normal(local.value))
            || exact_is_zero(self.values[0], self.residues[0], self.bound)
    }

    /// The outcome of a sum that surely has no local error.
    #[inline(always)]
    fn without_local_error<const PRECISION: u64>(&self, threshold: Ulps) -> Option<SumOutcome> {
        let kind = kind_with(PRECISION);
        let local = self.local(kind);
        if self.is_special(kind, &local) {
            return None;
        }
        let (value, residue) = (self.values[0], self.residues[0]);
        let doubt = ALLOWANCE * self.bound;
        // The local error itself is rounded.
        let of_local = doubt + residue.abs() * power_of_two(-50);
        if is_over(threshold, PRECISION, local.value, local.error, of_local)? {
            return None;
        }
        if !is_over(ACCURATE_ULPS, PRECISION, value, residue, doubt)? {
            return Some(SumOutcome::Accurate);
        }
        if !is_over(threshold, PRECISION, value, residue, doubt)? {
            return Some(SumOutcome::Inaccurate);
        }
        Some(SumOutcome::Accumulated(
            measured(kind, value, residue).approximate_bits(),
        ))
    }

    /// The bits lost, if the sum surely lost more than the threshold and is not special.
    #[inline(always)]
    fn surely_lost_bits<const PRECISION: u64>(&self, threshold_log2: i64) -> Option<Bits> {
        let kind = kind_with(PRECISION);
        let local = self.local(kind);
        if self.is_special(kind, &local) {
            return None;
        }
        let above = ulps_log2::<PRECISION>(local.value, local.error)?;
        let doubt = ALLOWANCE * self.bound + self.residues[0].abs() * power_of_two(-50);
        // An eighth of a bit more than the threshold, for the doubt.
        let surely =
            above >= threshold_log2 + (1 << 49) && doubt <= local.error.abs() * power_of_two(-4);
        surely.then_some(Bits(above as f64 * power_of_two(-52)))
    }
}

/// A value whose residue is not in doubt.
#[inline(always)]
fn measured(kind: FpKind, value: f64, residue: f64) -> Measured {
    Measured {
        kind,
        value,
        residue,
        bound: 0.0,
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

/// A site whose sums do what they did before: by far the most frequent events in programs that cancel in their inner loops.
struct KnownSite<'a> {
    entry: &'a mut Operation,
    errors: &'a mut Errors,
    threshold: Ulps,
    /// log₂ of the threshold, times 2⁵².
    threshold_log2: i64,
    /// The set with only this site, as a bit.
    own: u32,
}

impl KnownSite<'_> {
    /// The influences of a sum's result, if there is nothing new about it; counts it if it lost bits.
    #[inline(always)]
    fn try_sum<const PRECISION: u64>(&mut self, sum: &Sum, influences: u32) -> Option<u32> {
        if set::is_number(influences) {
            return None;
        }
        if let Some(bits) = sum.surely_lost_bits::<PRECISION>(self.threshold_log2) {
            return self.count(cause::LOCAL, bits, influences);
        }
        match sum.without_local_error::<PRECISION>(self.threshold)? {
            SumOutcome::Accurate => Some(0),
            SumOutcome::Accumulated(bits) if influences == 0 => {
                self.count(cause::ACCUMULATED, bits, influences)
            }
            SumOutcome::Accumulated(_) | SumOutcome::Inaccurate => Some(influences),
        }
    }

    #[inline(always)]
    fn count(&mut self, cause: u32, bits: Bits, influences: u32) -> Option<u32> {
        count(self.entry, self.errors, cause, bits)?;
        Some(influences | self.own)
    }
}

/// Counts an execution at a site that is a candidate for this cause; none if it is worse than all that this thread had before,
/// or if its expression is to be kept.
#[inline(always)]
fn count(entry: &mut Operation, errors: &mut Errors, cause: u32, bits: Bits) -> Option<()> {
    let times = errors.count + 1;
    let is_known = errors.causes & cause != 0 && bits.0 <= errors.worst_bits;
    if !is_known || keeps_expression(times) {
        return None;
    }
    errors.count = times;
    entry.erroneous += 1;
    entry.sum_bits += summand(bits);
    Some(())
}

impl State {
    /// Handles the event if the fast path can; returns whether it did.
    #[inline]
    pub fn try_fast_path(&mut self, event: &mut Event) -> bool {
        self.try_known_sum(event).is_some() || self.try_general(event).is_some()
    }

    /// The site of an event, if its sums may be counted.
    #[inline(always)]
    fn known_site(&mut self, site: u32, op: u16, trace: ThreadTrace) -> Option<KnownSite<'_>> {
        if !is_sum(op) || trace.is_sampled() {
            return None;
        }
        let errors = trace.errors(site);
        if errors.causes == 0 {
            return None;
        }
        let entry = self.analysis.known_operation(site)?;
        let own = self.sets.singleton(site);
        (!set::is_number(own)).then_some(KnownSite {
            entry,
            errors,
            threshold: self.local_ulps,
            threshold_log2: self.local_ulps_log2,
            own,
        })
    }

    #[inline(always)]
    fn try_known_sum(&mut self, event: &mut Event) -> Option<()> {
        let trace = ThreadTrace::of_event(event);
        let mut known_site = self.known_site(event.site, event.op, trace)?;
        let sum = Sum::of_event(event);
        let influences = meta::influences(event.metas[1] | event.metas[2]);
        let influences = match event.kind {
            kind if kind == FpKind::Double as u8 => known_site.try_sum::<53>(&sum, influences)?,
            kind if kind == FpKind::Float as u8 => known_site.try_sum::<24>(&sum, influences)?,
            _ => return None,
        };
        event.metas[0] = meta::new(event.node, influences);
        Some(())
    }

    /// Counts the lanes for which that suffices, and clears their bits.
    #[inline]
    pub fn count_known_lanes(&mut self, lanes: &mut Lanes, trace: ThreadTrace) {
        match lanes.kind {
            kind if kind == FpKind::Double as u8 => self.count_known_lanes_as::<53>(lanes, trace),
            kind if kind == FpKind::Float as u8 => self.count_known_lanes_as::<24>(lanes, trace),
            _ => {}
        }
    }

    #[inline(always)]
    fn count_known_lanes_as<const PRECISION: u64>(
        &mut self,
        lanes: &mut Lanes,
        trace: ThreadTrace,
    ) {
        let Some(mut known_site) = self.known_site(lanes.site, lanes.op, trace) else {
            return;
        };
        for lane in lanes_in(lanes.reported) {
            let sum = Sum::of_lane(lanes, lane);
            let influences = meta::influences(lanes.metas[1][lane] | lanes.metas[2][lane]);
            if let Some(influences) = known_site.try_sum::<PRECISION>(&sum, influences) {
                let node = lanes.metas[0][lane] as u32;
                lanes.metas[0][lane] = meta::new(node, influences);
                lanes.reported &= !(1 << lane);
            }
        }
    }

    #[inline]
    fn try_general(&mut self, event: &mut Event) -> Option<()> {
        // Specialised for each format: this is the hottest code of all.
        match event.kind {
            kind if kind == FpKind::Double as u8 => self.try_format::<53>(event),
            kind if kind == FpKind::Float as u8 => self.try_format::<24>(event),
            _ => None,
        }
    }

    #[inline(always)]
    fn try_format<const PRECISION: u64>(&mut self, event: &mut Event) -> Option<()> {
        let kind = kind_with(PRECISION);
        let is_sum = is_sum(event.op);
        let shifts =
            |index: usize| precision_specific::is_rounding_constant(kind, event.values[index]);
        if is_sum && (shifts(1) || shifts(2)) {
            return None;
        }
        let is_normal = |value: f64| value >= least_normal(kind) && value <= f64::MAX;
        let size = event.values[0].abs();
        if !is_normal(size) || ThreadTrace::of_event(event).is_sampled() {
            return None;
        }
        let (value, residue) = (event.values[0], event.residues[0]);
        let doubt = ALLOWANCE * event.bounds[0];
        let over = |limit: Ulps, value: f64, residue: f64, doubt: f64| {
            is_over(limit, PRECISION, value, residue, doubt)
        };
        let limit = self.local_ulps;
        let local = match is_sum {
            true => Some(Sum::of_event(event).local(kind)),
            false if is_harmless(event.op) => None,
            false => return None,
        };
        let local = match local {
            Some(local) if !is_normal(local.value.abs()) => return None,
            // The local error itself is rounded.
            Some(local) => {
                let doubt = doubt + residue.abs() * power_of_two(-50);
                over(limit, local.value, local.error, doubt)?.then_some(local)
            }
            None => None,
        };
        if local.is_none() && !over(ACCURATE_ULPS, value, residue, doubt)? {
            event.metas[0] = meta::new(event.node, 0);
            return Some(());
        }
        let mut influences = self.inherited(event, is_sum);
        let cause = match local {
            Some(local) => Some((cause::LOCAL, measured(kind, local.value, local.error))),
            None if influences == 0 && over(limit, value, residue, doubt)? => {
                Some((cause::ACCUMULATED, measured(kind, value, residue)))
            }
            None => None,
        };
        if let Some((cause, measured)) = cause {
            let entry = self.analysis.known_operation(event.site)?;
            let errors = ThreadTrace::of_event(event).errors(event.site);
            count(entry, errors, cause, measured.approximate_bits())?;
            let own = self.sets.singleton(event.site);
            influences = self.sets.union(influences, own);
        }
        event.metas[0] = meta::new(event.node, self.propagated_set(event, influences));
        Some(())
    }

    /// The operands' influences, without those of a term that only compensates: it is zero in exact arithmetic and makes the
    /// result better than the other operand (the paper's section 5.3).
    #[inline]
    pub(super) fn inherited(&mut self, event: &Event, is_sum: bool) -> u32 {
        let mut all = 0;
        for index in 1..=usize::from(event.operands).min(3) {
            let influences = meta::influences(event.metas[index]);
            // Only a term that is zero in exact arithmetic compensates, and its set is numbered.
            let may_compensate = is_sum && set::is_number(influences);
            if influences == 0 || (may_compensate && compensates(event, index)) {
                continue;
            }
            all = self.sets.union(all, influences);
        }
        all
    }
}

/// Frequent operations that cannot amplify a small error.
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

    /// Differences of neighbours whose operands have errors of some ulps, in the format with PRECISION bits.
    fn differences<const PRECISION: u64>() -> impl Iterator<Item = Sum> {
        let kind = kind_with(PRECISION);
        let ulp = power_of_two(-(PRECISION as i32));
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
            let residues = [uniform() * 4.0 * ulp, -uniform() * 4.0 * ulp];
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
            let Some(bits) = sum.surely_lost_bits::<PRECISION>(FIVE_BITS) else {
                continue;
            };
            counted += 1;
            let local = sum.local(kind);
            let measured = measured(kind, local.value, local.error);
            assert_eq!(measured.verdict(Ulps(31.0)), Verdict::Over);
            let Bits(bits) = bits;
            assert!((bits - measured.bits().0).abs() < 0.2, "{bits}");
        }
        assert!((1000..4000).contains(&counted), "{counted}");
    }

    #[test]
    fn only_errors_over_the_threshold_are_counted() {
        counted_sums_are_over::<53>();
        counted_sums_are_over::<24>();
    }

    #[test]
    fn special_or_doubtful_sums_are_not_counted() {
        let lost = |sum: &Sum| sum.surely_lost_bits::<24>(FIVE_BITS).is_some();
        let clear = || Sum {
            subtracts: true,
            values: [0.25, 1.25, 1.0],
            residues: [1e-3, 1e-3, 0.0],
            bound: 0.0,
        };
        // The rounded exact operands have another difference.
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
    fn lanes_follow_their_bits() {
        assert!(lanes_in(0).next().is_none());
        assert!(lanes_in(0b1000_0101).eq([0, 2, 7]));
    }
}
