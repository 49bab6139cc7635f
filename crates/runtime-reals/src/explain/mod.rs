//! Mode `explain`: root causes, after Herbgrind (PLDI 2018). What instrumented code computes in line is told
//! here where it may matter; see `lostbits_abi::explain`.
//!
//! - [`trace`]: each thread's ring of executed operations;
//! - [`functions`]: operations over the reals;
//! - [`measure`]: bits of error, verdicts and their doubts;
//! - [`influences`]: sets of candidates;
//! - [`expression`]: what led to a value, generalised over executions (anti-unification);
//! - [`analysis`]: the file in which all that is left behind;
//! - [`tricks`]: operations that mean something else in the program's format than in the reals;
//! - [`underflow`]: what is lost because a result is too small;
//! - [`operations`] and [`spots`]: what happens when something is told; [`usual`]: the same where little does;
//! - [`state`]: what all of them share;
//! - [`by_numbers`]: the same with numbers of many bits.
//!
//! The state is one for the process, behind a lock that nobody waits for long: what cannot be noted because
//! a signal handler or another thread is in the way is counted as lost.

mod analysis;
mod by_numbers;
mod classes;
mod event;
mod expression;
mod formatted;
mod functions;
mod influences;
mod measure;
mod operations;
mod real;
mod spots;
mod state;
mod stored;
mod trace;
mod tricks;
mod underflow;
mod usual;

use core::ffi::{CStr, c_char, c_void};

use lostbits_abi::{
    explain::{Event, Lanes, Thread, cause},
    kind::FpKind,
    symbols,
};
use lostbits_runtime::export;

use self::state::if_looking;
use crate::environment::{self, undisturbed};

/// By format; see [`symbols::EXPLAIN_LIMITS`]. Written when the first thread asks for its ring.
#[unsafe(export_name = "__lostbits_explain_limits")]
pub static mut LIMITS: [f64; 6] = [0.0; 6];

const _: () = assert!(lostbits_runtime::equal(
    symbols::EXPLAIN_LIMITS,
    "__lostbits_explain_limits"
));

/// Errors over `bits` count.
fn set_limits(bits: f64) {
    by_numbers::set_limit(bits);
    for kind in FpKind::ALL {
        let whole = bits as i32;
        let power = measure::power_of_two(kind.precision() as i32 - 1 - whole);
        // SAFETY: written once, before any instrumented code of this mode reads it.
        unsafe {
            (&raw mut LIMITS)
                .cast::<f64>()
                .add(kind as usize)
                .write(power)
        };
    }
}

export! {
    /// This thread's part of the trace.
    EXPLAIN_THREAD = "__lostbits_explain_thread"
    fn explain_thread(slot: *mut *mut Thread) -> *mut Thread {
        unsafe { trace::of_slot(slot) }
    }

    /// An operation that may matter.
    EXPLAIN_TELL = "__lostbits_explain_tell"
    fn explain_tell(event: *mut Event) {
        let event = unsafe { &mut *event };
        if event.told != 0 && !trace::is_blind(event) {
            if_looking(|state| state.told(event));
        }
    }

    /// A vector with lanes that may matter.
    EXPLAIN_TELL_LANES = "__lostbits_explain_tell_lanes"
    fn explain_tell_lanes(lanes: *mut Lanes) {
        // SAFETY: the lanes are a thread's, and no other's.
        let thread = unsafe { &mut *trace::thread_of_lanes(lanes) };
        if thread.blind == 0 {
            if_looking(|state| state.told_lanes(thread));
        }
    }

    /// An operation that is evaluated here.
    EXPLAIN_EVALUATE = "__lostbits_explain_evaluate"
    fn explain_evaluate(event: *mut Event) {
        let event = unsafe { &mut *event };
        if !trace::is_blind(event) {
            operations::evaluate(event);
        }
    }

    /// A function that is one operation has returned; its residue is known.
    EXPLAIN_CALLED = "__lostbits_explain_called"
    fn explain_called(event: *mut Event) {
        let event = unsafe { &mut *event };
        if !trace::is_blind(event) {
            operations::judge(event);
        }
    }

    /// A decision that may be another in the reals.
    EXPLAIN_DECIDED = "__lostbits_explain_decided"
    fn explain_decided(event: *mut Event) {
        let event = unsafe { &mut *event };
        if event.told != 0 && !trace::is_blind(event) {
            undisturbed(|| if_looking(|state| state.decision(event)));
        }
    }

    /// What is told counts from now on, or no longer.
    EXPLAIN_LOOK = "__lostbits_explain_look"
    fn explain_look(looks: u64) {
        state::start();
        state::look(looks != 0);
    }

    /// The program is about to look at its floating-point flags.
    EXPLAIN_STOPS = "__lostbits_explain_stops"
    fn explain_stops() {
        state::with_state(|state| {
            let made = |kind| state.first_causes & kind != 0;
            environment::take_back(made(cause::NOT_A_NUMBER), made(cause::INFINITY));
        });
    }

    /// A value leaves the program.
    EXPLAIN_OUTPUT = "__lostbits_explain_output"
    fn explain_output(event: *mut Event) {
        let event = unsafe { &mut *event };
        if !trace::is_blind(event) {
            undisturbed(|| if_looking(|state| state.output(event, 1)));
        }
    }

    /// Memory leaves the program.
    EXPLAIN_OUTPUT_MEMORY = "__lostbits_explain_output_memory"
    fn explain_output_memory(start: *const c_void, bytes: u64, site: u64, thread: *mut Thread) {
        if unsafe { (*thread).blind } != 0 {
            return;
        }
        undisturbed(|| {
            if_looking(|state| unsafe {
                state.output_memory(start as usize, bytes as usize, site as u32, thread)
            });
        });
    }

    /// The arguments of a format leave the program.
    EXPLAIN_OUTPUT_FORMATTED = "__lostbits_explain_output_formatted"
    fn explain_output_formatted(
        format: *const c_char,
        list: *const formatted::List,
        site: u64,
        thread: *mut Thread
    ) {
        if unsafe { (*thread).blind } != 0 {
            return;
        }
        undisturbed(|| {
            if_looking(|state| unsafe {
                let format = CStr::from_ptr(format).to_bytes();
                state.output_formatted(format, &*list, site as u32, thread)
            });
        });
    }
}
