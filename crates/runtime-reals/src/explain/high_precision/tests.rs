//! Operations and decisions of mode `explain-reals`, with a trace of the test's own.

use lostbits_abi::{explain::meta, ops::Op};

use super::{
    super::{
        state,
        trace::{self, ThreadTrace},
    },
    decisions,
    operations::{Context, operate},
};
use crate::{
    number::{self, Slot},
    testing::Shadowing,
};

/// A new part of the trace, as of a thread that begins.
fn traced() -> ThreadTrace {
    let mut variable = core::ptr::null_mut();
    // SAFETY: the variable is null, so the trace is new, and it belongs to this thread.
    unsafe { ThreadTrace::new(trace::of_variable(&mut variable)) }
}

/// How often exact arithmetic takes the decision at a site differently.
fn differences(site: u32) -> u64 {
    let mut times = 0;
    state::with_state(|state| {
        times = state
            .analysis
            .known_spot(site)
            .map_or(0, |entry| entry.erroneous);
    });
    times
}

/// One test for all: the state is one for the process.
#[test]
fn extremes_and_conversions_use_the_exact_values() {
    state::start();
    let trace = traced();
    extremes_take_the_shadow_of_the_exact_extreme(trace);
    conversions_are_checked_on_both_sides(trace);
}

fn extremes_take_the_shadow_of_the_exact_extreme(trace: ThreadTrace) {
    let extremes = [
        (Op::Fmin, -1),
        (Op::Minimum, -1),
        (Op::Fmax, 1),
        (Op::Maximum, 1),
    ];
    for (op, wanted) in extremes {
        for [x, y] in [[(1.0, 1e-20), (2.0, 1e-20)], [(2.0, 1e-20), (1.0, 1e-20)]] {
            let [x, y] = [x, y].map(|(value, residue)| Shadowing::new(value, residue));
            let program = Shadowing::new(
                match wanted {
                    -1 => x.value().min(y.value()),
                    _ => x.value().max(y.value()),
                },
                0.0,
            );
            let mut slot = Slot::new();
            let context = Context {
                slot: &mut slot,
                site: 1,
                trace,
            };
            let operands = [x.operand(), y.operand()];
            assert_ne!(
                operate(context, op as u32, &operands, &program.operand()),
                0
            );
            let extreme = if program.value() == x.value() { &x } else { &y };
            let same = number::compare(&slot.number, &extreme.slot().number);
            assert_eq!(same, Some(0), "{op:?}");
            let node = trace.find(meta::node(slot.meta)).unwrap();
            assert_eq!(
                (node.op, [node.values[0], node.values[1]]),
                (op as u16, [x.value(), y.value()])
            );
        }
    }
}

fn conversions_are_checked_on_both_sides(trace: ThreadTrace) {
    let cases = [
        (100, 0.125, 0),
        (101, -0.625, 0),
        (102, 0.25, 1),
        (103, 1e-20 - 1.0, 1),
    ];
    for (site, residue, expected) in cases {
        let operand = Shadowing::new(2.75, residue);
        decisions::convert(site, trace, Op::ToSigned as u32, &operand.operand(), 2.0);
        assert_eq!(differences(site), expected, "residue {residue}");
    }
}
