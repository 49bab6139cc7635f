//! Decisions: comparisons and conversions to integers, where an error changes what the program does.

use lostbits_abi::{
    explain::{Event, Exact, Spot, SpotKind, cause, meta},
    ops::Op,
};

use super::{
    detection,
    double_double::DoubleDouble,
    event::{exact, is_exactly_nonfinite, real, tail, value},
    expression, functions, intervening,
    measure::{ALLOWANCE, Bits, Verdict},
    operations::{ALWAYS_KEPT, is_worse, summand},
    outputs::credit,
    precision_specific, python,
    state::State,
    trace::ThreadTrace,
};

impl State {
    /// A comparison or a conversion.
    pub fn decision(&mut self, event: &Event) {
        self.record_execution(event);
        if detection::is_active() {
            return self.detect_decision(event);
        }
        let verdict = match is_finite(event) {
            // Exact arithmetic has no number to decide on.
            true if operands(event).any(|index| is_exactly_nonfinite(event, index)) => {
                Verdict::Over
            }
            true => of_finite(event),
            false => of_nonfinite(event),
        };
        self.record_decision(event, verdict);
    }

    /// Records how far the operands are from the point where the decision changes, if this is the execution of which the run has to
    /// know that: a decision is right or wrong, but the error of what decides is a sum of contributions.
    pub fn record_execution(&mut self, event: &Event) {
        let recorded = intervening::recorded_operands(event.site);
        if recorded.is_none_or(|recorded| recorded != bits_of_operands(event)) {
            return;
        }
        let [computed, exact] = distances(event);
        let Some(entry) = self.analysis.spot(event.site, kind_of_spot(event)) else {
            return;
        };
        let error = |computed: f64, exact: f64| (exact - computed).abs();
        let before = error(entry.worst_values[0], entry.worst_reals[0].nearest);
        // Other executions with the same operands may have other errors.
        if entry.worst_execution == 0 || error(computed, exact) > before {
            entry.worst_execution = 1;
            entry.worst_values[0] = computed;
            entry.worst_reals[0] = Exact::of(exact);
        }
    }

    /// A decision in a run that only detects: right, or undecided; in one that measures, it may be wrong.
    fn detect_decision(&mut self, event: &Event) {
        let verdict = detection::decision(event);
        if verdict == Verdict::Within {
            return;
        }
        if let Some(entry) = self.analysis.spot(event.site, kind_of_spot(event)) {
            entry.seen += 1;
            match verdict {
                Verdict::Over => count_wrong(entry, event),
                _ => entry.undecided += 1,
            }
        }
    }

    /// The same, where it is known whether exact arithmetic decides differently.
    pub fn record_decision(&mut self, event: &Event, verdict: Verdict) {
        if verdict == Verdict::Within || is_harmless(event) {
            return;
        }
        if verdict == Verdict::Undecided && self.is_often_undecided(event.site) {
            return;
        }
        let kind = kind_of_spot(event);
        if self.is_precision_specific(event) {
            if let Some(entry) = self.analysis.spot(event.site, kind) {
                entry.seen += 1;
                entry.excused += 1;
            }
            return;
        }
        let influences = self.influences_of_operands(event, verdict);
        let Some(entry) = self.analysis.spot(event.site, kind) else {
            return;
        };
        entry.seen += 1;
        if verdict == Verdict::Undecided {
            entry.undecided += 1;
            return;
        }
        count_wrong(entry, event);
        python::note_caller(&mut entry.python, 0.0);
        credit(entry, &self.sets, influences, Bits::ZERO);
    }

    /// Whether a decision has been undecided so often that its operands are no longer examined; counts it then.
    fn is_often_undecided(&mut self, site: u32) -> bool {
        let entry = self.analysis.known_spot(site);
        let Some(entry) = entry.filter(|entry| entry.undecided >= ALWAYS_KEPT) else {
            return false;
        };
        entry.seen += 1;
        entry.undecided += 1;
        true
    }

    /// Whether a decision means something else in exact arithmetic: either outcome is right.
    fn is_precision_specific(&mut self, event: &Event) -> bool {
        let is_half = |index| precision_specific::is_veltkamp_half(event, index);
        let compares = event.operands == 2 && is_finite(event);
        if operands(event).any(is_half)
            || compares
                && (tests_rounding_error(event) || precision_specific::tests_absorption(event))
        {
            return true;
        }
        if !compares {
            return false;
        }
        precision_specific::tests_own_error_bound(event).unwrap_or_else(|| {
            // The trace is gone. What was no such test before is none now.
            let entry = self.analysis.known_spot(event.site);
            let was_blamed = entry.is_some_and(|entry| entry.erroneous > 0);
            !was_blamed && precision_specific::may_test_own_error_bound(event)
        })
    }

    fn influences_of_operands(&mut self, event: &Event, verdict: Verdict) -> u32 {
        let mut all = 0;
        for index in operands(event) {
            all = self.sets.union(all, meta::influences(event.metas[index]));
        }
        if all != 0 || verdict != Verdict::Over {
            return all;
        }
        // No candidate: blame the operation that computed the operand with the larger error.
        let second_is_worse =
            event.operands == 2 && event.residues[2].abs() > event.residues[1].abs();
        self.blame(event, if second_is_worse { 2 } else { 1 })
    }

    /// Makes the operation that computed a value a candidate for accumulated error; returns its set.
    pub(super) fn blame(&mut self, event: &Event, index: usize) -> u32 {
        let trace = ThreadTrace::of_event(event);
        let number = meta::node(event.metas[index]);
        let made_by = precision_specific::computed_by(trace, number, event.values[index]);
        let Some((number, executed, value_there)) = made_by else {
            return 0;
        };
        let settings = self.settings;
        let bits = value(event, index).bits();
        let worst_real = match value_there == event.values[index] {
            true => exact(event, index),
            // A sign was changed in between.
            false => exact(event, index).negated(),
        };
        let value = value_there;
        if let Some(entry) = self.analysis.operation(executed.site) {
            entry.causes |= cause::ACCUMULATED;
            entry.erroneous += 1;
            entry.sum_bits += summand(bits);
            let errors = trace.errors(executed.site);
            let worst = errors.add(cause::ACCUMULATED, bits.0);
            let [x, y, z] = executed.values;
            let values = [value, x, y, z];
            if worst && is_worse(entry, bits, &values) {
                entry.worst_bits = bits.0;
                entry.worst_values = values;
                entry.worst_real = worst_real;
            }
            if worst || errors.count <= ALWAYS_KEPT {
                expression::record_execution(entry, trace, number, value, Some(bits), &settings);
            }
        }
        self.sets.singleton(executed.site)
    }
}

/// Counts a wrong decision; the first is the one that is shown, unless the run records another.
fn count_wrong(entry: &mut Spot, event: &Event) {
    entry.erroneous += 1;
    if entry.erroneous == 1 && intervening::recorded_operands(event.site).is_none() {
        entry.worst_execution = entry.seen;
        for index in 0..usize::from(event.operands).min(2) {
            entry.worst_values[index] = event.values[index + 1];
            entry.worst_reals[index] = exact(event, index + 1);
        }
    }
}

fn bits_of_operands(event: &Event) -> [u64; 2] {
    let bits = |index: usize| match operands(event).contains(&index) {
        true => event.values[index].to_bits(),
        false => 0,
    };
    [bits(1), bits(2)]
}

/// The difference of the compared numbers, or how much a number is above the integer that it became: as computed, and exact.
fn distances(event: &Event) -> [f64; 2] {
    let computed = |index| DoubleDouble::sum(event.values[index], tail(event, index));
    let whole = DoubleDouble::sum(event.values[0], 0.0);
    let distance = |of: &dyn Fn(usize) -> DoubleDouble| match event.operands {
        2 => of(1).minus(of(2)),
        _ => of(1).minus(whole),
    };
    [distance(&computed), distance(&|index| real(event, index))].map(|distance| distance.high)
}

fn kind_of_spot(event: &Event) -> SpotKind {
    match event.operands {
        2 => SpotKind::Comparison,
        _ => SpotKind::Conversion,
    }
}

/// The indices of a decision's operands.
fn operands(event: &Event) -> core::ops::RangeInclusive<usize> {
    1..=usize::from(event.operands).min(2)
}

pub(super) fn is_finite(event: &Event) -> bool {
    operands(event).all(|index| event.values[index].is_finite())
}

/// Decisions that are right in either case.
fn is_harmless(event: &Event) -> bool {
    event.operands == 2 && compares_with_itself(event) || compares_with_input_infinity(event)
}

/// Whether one value is compared with itself: its exact value is on both sides.
fn compares_with_itself(event: &Event) -> bool {
    let [x, y] = [1, 2].map(|index| meta::node(event.metas[index]));
    x != 0 && x == y
}

/// Whether an operand is an infinity or NaN that the program did not compute: such a comparison tests for overflow.
fn compares_with_input_infinity(event: &Event) -> bool {
    operands(event).any(|index| !event.values[index].is_finite() && event.metas[index] == 0)
}

/// Whether a rounding error, captured by a compensated sum or product, is compared with zero or with another. The program
/// asks what was lost; in exact arithmetic that is always nothing.
fn tests_rounding_error(event: &Event) -> bool {
    let is_zero = |index: usize| event.values[index] == 0.0 && event.residues[index] == 0.0;
    let [x, y] = [1, 2].map(|index| is_rounding_error(event, index));
    (x || is_zero(1)) && (y || is_zero(2)) && (x || y)
}

/// Whether a value other than zero is zero in exact arithmetic.
fn is_rounding_error(event: &Event, index: usize) -> bool {
    let value = event.values[index];
    value != 0.0
        && value.is_finite()
        && super::operations::exact_is_zero(value, event.residues[index], event.bounds[index])
}

/// A decision about an infinity or NaN, which may be finite in exact arithmetic.
fn of_nonfinite(event: &Event) -> Verdict {
    let is_known = operands(event).all(|index| event.exact[index].fraction != 0.0);
    if !is_known {
        return match operands(event).any(|index| is_division_by_zero(event, index)) {
            true => Verdict::Within,
            false => Verdict::Undecided,
        };
    }
    // Outside the integers' range the program's result is meaningless.
    match event.exact[1].nearest.abs() < LARGEST_INTEGER {
        true => Verdict::Over,
        false => Verdict::Within,
    }
}

/// Whether a value is not finite in exact arithmetic either, because it is a quotient by zero.
fn is_division_by_zero(event: &Event, index: usize) -> bool {
    let made_by = ThreadTrace::of_event(event).find(meta::node(event.metas[index]));
    !event.values[index].is_finite()
        && made_by.is_some_and(|made_by| made_by.op == Op::Div as u16 && made_by.values[1] == 0.0)
}

const LARGEST_INTEGER: f64 = 9e18;

pub(super) fn of_finite(event: &Event) -> Verdict {
    match event.operands {
        2 => compare(event),
        _ => convert(event),
    }
}

fn compare(event: &Event) -> Verdict {
    let difference = real(event, 1).minus(real(event, 2));
    let doubt = ALLOWANCE * (event.bounds[1] + event.bounds[2]);
    if !(doubt <= f64::MAX) {
        return Verdict::Undecided;
    }
    let ends = [
        difference.plus(-doubt).sign(),
        difference.plus(doubt).sign(),
    ];
    by_signs(event.op, event.values[0] != 0.0, difference.sign(), ends)
}

/// Whether a comparison differs in exact arithmetic, by the sign of the exact difference and the signs at the ends of its
/// error interval.
pub fn by_signs(predicate: u16, program: bool, sign: i32, [low, high]: [i32; 2]) -> Verdict {
    let agrees = |sign: i32| holds(predicate, sign) == program;
    match (agrees(sign), agrees(low) && agrees(high) && agrees(sign)) {
        (_, true) => Verdict::Within,
        (false, _) if low == sign && high == sign => Verdict::Over,
        _ => Verdict::Undecided,
    }
}

/// Whether an LLVM predicate holds for operands whose difference has this sign.
fn holds(predicate: u16, sign: i32) -> bool {
    let bits = match sign {
        0 => 1,
        1 => 2,
        _ => 4,
    };
    predicate & bits != 0
}

/// Whether a conversion to an integer differs in exact arithmetic, for any number in the operand's error interval.
fn convert(event: &Event) -> Verdict {
    let whole = |real: DoubleDouble| match Op::from_u16(event.op) {
        Some(Op::ToSigned | Op::ToUnsigned) => Some(real.truncated()),
        Some(op) => functions::evaluate(op as u16, &[real], &[]).map(|(whole, _)| whole),
        None => None,
    };
    // Outside the integers' range the program's result is meaningless.
    if event.values[0].abs() >= LARGEST_INTEGER {
        return Verdict::Within;
    }
    let x = real(event, 1);
    let doubt = ALLOWANCE * event.bounds[1];
    if !(doubt <= f64::MAX) {
        return Verdict::Undecided;
    }
    let program = DoubleDouble::sum(event.values[0], 0.0);
    // Roundings never decrease, so what both ends exceed, everything between them exceeds.
    let against = |x: DoubleDouble| whole(x).map_or(0, |whole| whole.minus(program).sign());
    match [x.plus(-doubt), x, x.plus(doubt)].map(against) {
        [0, 0, 0] => Verdict::Within,
        [1, 1, 1] | [-1, -1, -1] => Verdict::Over,
        _ => Verdict::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::event::EMPTY, *};

    /// A conversion of 2.75 + residue ± bound that gave 2.
    fn conversion(residue: f64, bound: f64) -> Verdict {
        let mut event = EMPTY;
        event.op = Op::ToSigned as u16;
        event.operands = 1;
        event.values[0] = 2.0;
        event.values[1] = 2.75;
        event.residues[1] = residue;
        event.bounds[1] = bound;
        convert(&event)
    }

    #[test]
    fn a_conversion_is_checked_on_both_sides() {
        assert_eq!(conversion(0.0, 0.0), Verdict::Within);
        // 3, 3.5 and 1.75.
        assert_eq!(conversion(0.25, 0.0), Verdict::Over);
        assert_eq!(conversion(0.75, 0.0), Verdict::Over);
        assert_eq!(conversion(-1.0, 0.0), Verdict::Over);
        // Only the upper end is 3 or more; only the lower end is below 2.
        assert_eq!(conversion(0.125, 0.125 / ALLOWANCE), Verdict::Undecided);
        assert_eq!(conversion(-0.625, 0.25 / ALLOWANCE), Verdict::Undecided);
        // Both ends and the middle are other integers, and 2 is among those between.
        assert_eq!(conversion(-1.0, 4.0 / ALLOWANCE), Verdict::Undecided);
    }

    #[test]
    fn exact_values_are_shown_as_far_as_they_are_known() {
        let shown = |value: f64, residue: f64, bound: f64| {
            let mut event = EMPTY;
            event.values[1] = value;
            event.residues[1] = residue;
            event.bounds[1] = bound;
            exact(&event, 1).nearest
        };
        assert_eq!(shown(2.0, 0.5, 1e-9), 2.5);
        // Noise of the residue is no exact value; a computed zero may be one.
        assert_eq!(shown(1e-9, -1e-9, 1e-12), 0.0);
        assert_eq!(shown(0.0, 0.0, 0.0), 0.0);
        // It may be 2, and is not known to be 0.
        assert!(shown(6.0, -1.0, 4.0).is_nan());
    }

    #[test]
    fn a_comparison_is_checked_at_both_ends_of_its_error() {
        /// LLVM's `olt`.
        const LESS: u16 = 4;
        assert_eq!(by_signs(LESS, true, -1, [-1, -1]), Verdict::Within);
        assert_eq!(by_signs(LESS, true, 1, [1, 1]), Verdict::Over);
        assert_eq!(by_signs(LESS, true, -1, [-1, 1]), Verdict::Undecided);
        assert_eq!(by_signs(LESS, false, 1, [-1, 1]), Verdict::Undecided);
        assert_eq!(by_signs(LESS, false, 0, [0, 0]), Verdict::Within);
    }
}
