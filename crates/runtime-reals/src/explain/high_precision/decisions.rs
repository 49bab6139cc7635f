//! Decisions of mode `explain-reals`: comparisons and conversions to integers.
//!
//! What cannot be told from a threshold at this precision, nor at another that confirms it, lies on it: ten tenths are 1.

use lostbits_abi::{explain::Event, numbers::Operand};

use super::{
    super::{
        decisions::by_signs, intervening, measure::Verdict, state::if_recording, trace::ThreadTrace,
    },
    errors,
    events::put,
};
use crate::{
    environment::in_default_environment,
    number::{self, Number, Shadow, Short},
    own_error::OwnError,
    thresholds::{ALLOWANCE_BITS, are_within},
    value::Value,
};

/// The bit of LLVM's predicates for operands that are not ordered.
const UNORDERED: u16 = 8;

pub fn compare(site: u32, trace: ThreadTrace, predicate: u32, [a, b]: &[Operand; 2], decided: u32) {
    if a.slot | b.slot == 0 || trace.is_blind() {
        return;
    }
    let (Some(x), Some(y)) = (Value::of_operand(a), Value::of_operand(b)) else {
        return;
    };
    let [a, b] = [a, b].map(Shadow::of_operand);
    let (mut short_a, mut short_b) = (Short::new(), Short::new());
    let numbers = [a.number(x, &mut short_a), b.number(y, &mut short_b)];
    let error = a.own_error().plus(-b.own_error());
    let verdict = verdict(predicate as u16, numbers, error, decided != 0);
    let is_recorded = intervening::records(site);
    if verdict == Verdict::Within && !is_recorded {
        return;
    }
    in_default_environment(|| {
        let event = trace.begin_event(site, predicate as u16, x.kind);
        event.operands = 2;
        put(event, 0, (Shadow::NONE, Value::of_double(decided.into())));
        put(event, 1, (a, x));
        put(event, 2, (b, y));
        if_recording(|state| {
            if is_recorded {
                state.record_execution(event);
            }
            state.record_decision(event, verdict);
        });
    });
}

fn verdict(predicate: u16, [x, y]: [&Number; 2], error: OwnError, decided: bool) -> Verdict {
    let Some(sign) = number::compare(x, y) else {
        // NaN in exact arithmetic: no order holds.
        return match decided == (predicate & UNORDERED != 0) {
            true => Verdict::Within,
            false => Verdict::Over,
        };
    };
    let power = errors::sure_power(error) + ALLOWANCE_BITS;
    match !error.is_exact() && are_within(x, y, power) {
        true if errors::is_confirmed(error) => by_signs(predicate, decided, 0, [0, 0]),
        true => by_signs(predicate, decided, sign, [-1, 1]),
        false => by_signs(predicate, decided, sign, [sign, sign]),
    }
}

/// Moves an operand onto the threshold within its error: integers are thresholds, and halves for functions that round.
fn move_onto_threshold(event: &mut Event) {
    let (value, bound) = (event.values[1], event.bounds[1]);
    let threshold = (2.0 * (value + event.residues[1])).round_ties_even() / 2.0;
    // Exact: both are near each other.
    let residue = threshold - value;
    if bound > 0.0 && (event.residues[1] - residue).abs() <= bound {
        (event.residues[1], event.bounds[1]) = (residue, 0.0);
    }
}

/// A conversion to an integer; `result` is the program's.
pub fn convert(site: u32, trace: ThreadTrace, op: u32, operand: &Operand, result: f64) {
    let Some(value) = Value::of_operand(operand).filter(|_| operand.slot != 0) else {
        return;
    };
    if trace.is_blind() {
        return;
    }
    in_default_environment(|| {
        let event = trace.begin_event(site, op as u16, value.kind);
        event.operands = 1;
        put(event, 0, (Shadow::NONE, Value::of_double(result)));
        let shadow = Shadow::of_operand(operand);
        let error = shadow.own_error();
        put(event, 1, (shadow, value));
        if errors::is_confirmed(error) {
            move_onto_threshold(event);
        }
        if_recording(|state| state.decision(event));
    });
}

#[cfg(test)]
mod tests {
    use super::{super::super::event::EMPTY, *};

    #[test]
    fn operands_within_their_error_of_a_threshold_lie_on_it() {
        let moved = |value: f64, residue: f64, bound: f64| {
            let mut event = EMPTY;
            event.values[1] = value;
            event.residues[1] = residue;
            event.bounds[1] = bound;
            move_onto_threshold(&mut event);
            (event.residues[1], event.bounds[1])
        };
        let below = 19f64.next_down();
        let step = 19.0 - below;
        assert_eq!(moved(below, step, 1e-30), (step, 0.0));
        assert_eq!(moved(below, step * 0.75, step * 0.25), (step, 0.0));
        assert_eq!(
            moved(below, step * 0.75, step * 0.125),
            (step * 0.75, step * 0.125)
        );
        // Functions that round have thresholds at halves.
        assert_eq!(moved(2.5, -1e-40, 1e-39), (0.0, 0.0));
        // An exact number stays where it is.
        assert_eq!(moved(2.5, -1e-40, 0.0), (-1e-40, 0.0));
    }
}
