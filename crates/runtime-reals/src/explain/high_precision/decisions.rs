//! Decisions of mode `explain-reals`: comparisons and conversions to integers.

use lostbits_abi::numbers::Operand;

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
        true => by_signs(predicate, decided, sign, [-1, 1]),
        false => by_signs(predicate, decided, sign, [sign, sign]),
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
        put(event, 1, (Shadow::of_operand(operand), value));
        if_recording(|state| state.decision(event));
    });
}
