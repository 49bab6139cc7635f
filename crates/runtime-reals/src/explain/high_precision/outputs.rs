//! Outputs of mode `explain-reals`.

use lostbits_abi::{conversion::Conversion, kind::FpKind, numbers::Operand};

use super::{
    super::{
        formatted::{self, List},
        state::if_recording,
        trace::ThreadTrace,
    },
    events::put,
};
use crate::{
    environment::in_default_environment, memory, number::Shadow, number::Slot, operate::Shadowed,
    value::Value,
};

pub fn output(site: u32, trace: ThreadTrace, operand: &Operand) {
    if let Some(value) = Value::of_operand(operand) {
        report(site, trace, (Shadow::of_operand(operand), value));
    }
}

fn report(site: u32, trace: ThreadTrace, (shadow, value): Shadowed) {
    if trace.is_blind() {
        return;
    }
    in_default_environment(|| {
        let event = trace.begin_event(site, 0, value.kind);
        event.operands = 1;
        put(event, 1, (shadow, value));
        if_recording(|state| state.output(event, 1));
    });
}

/// The arguments of `vprintf` and similar functions.
///
/// # Safety
///
/// The list holds what the format says.
pub unsafe fn output_formatted(format: &[u8], list: &List, site: u32, trace: ThreadTrace) {
    let mut slot = Slot::new();
    let report_double = |at: usize, conversion: Conversion| {
        // SAFETY: the format says that a double is at this address.
        let ((shadow, value), was_float) = unsafe {
            let was_float = memory::was_float(at);
            (memory::load_any(&mut slot, at, FpKind::Double), was_float)
        };
        let value = match was_float {
            true => Value::of_float(f64::from_bits(value.bits) as f32),
            false => value,
        };
        trace.set_conversion(conversion);
        report(site, trace, (shadow, value));
    };
    // SAFETY: the caller's promise.
    unsafe { formatted::doubles(format, list, report_double) };
}

/// Every computed value in a range of memory.
///
/// # Safety
///
/// The program reads all of the range.
pub unsafe fn output_memory(start: usize, bytes: usize, site: u32, trace: ThreadTrace) {
    let mut slot = Slot::new();
    let end = start + bytes;
    let mut at = start.next_multiple_of(4);
    while at + 4 <= end {
        // SAFETY: `at` is within the range.
        let kind = unsafe { memory::kind_at(at) };
        let size = match kind {
            Some(FpKind::Double) => 8,
            Some(FpKind::X87) => 16,
            _ => 4,
        };
        let mut step = 4;
        if let Some(kind) = kind.filter(|_| at + size <= end) {
            // SAFETY: the whole value is within the range.
            let (shadow, value) = unsafe { memory::load_any(&mut slot, at, kind) };
            if !shadow.is_none() {
                report(site, trace, (shadow, value));
                step = size;
            }
        }
        at += step;
    }
}
