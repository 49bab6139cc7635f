//! Mode `explain`: root causes of errors, after Herbgrind (Sanchez-Stern, Panchekha, Lerner, Tatlock, PLDI 2018). Instrumented
//! code computes residues inline and reports events that may matter; see `lostbits_abi::explain`.
//!
//! - [`trace`]: each thread's ring of executed operations;
//! - [`functions`]: operations in exact arithmetic;
//! - [`measure`]: bits of error and verdicts;
//! - [`messages`]: sets of candidates that go to another process;
//! - [`influences`]: sets of candidates; [`copies`]: of several copies of the runtime in one process;
//! - [`expression`]: what led to a value, generalised over executions (anti-unification);
//! - [`analysis`]: the file with the results;
//! - [`precision_specific`]: operations that mean something else in the program's format than in exact arithmetic;
//! - [`underflow`]: what is lost because a result is too small;
//! - [`conversions`], [`printed`]: how outputs are printed, and whether the printed digits are right;
//! - [`python`]: the lines of Python that called;
//! - [`zeros`]: outputs that are zero in exact arithmetic, by design;
//! - [`detection`]: a run that only detects whether anything may be wrong;
//! - [`operations`], [`decisions`], [`outputs`]: how events are handled; [`fast_path`]: the same for frequent ones;
//! - [`reductions`]: reductions of MPI;
//! - [`state`]: what all of them share;
//! - [`high_precision`]: the same with high-precision numbers.
//!
//! The state is one for the process, behind a lock. Events of a signal handler that interrupted the same thread there are counted as
//! lost, and so are those of a thread that has waited about a second.

mod analysis;
mod classes;
mod confirmation;
mod conversions;
#[cfg_attr(test, expect(dead_code))]
mod copies;
mod decisions;
mod detection;
mod double_double;
mod event;
mod expression;
mod fast_path;
mod formatted;
mod fortran_format;
mod functions;
mod high_precision;
mod influences;
mod intervening;
mod measure;
mod messages;
mod operations;
mod outputs;
mod precision_specific;
mod printed;
mod python;
mod reductions;
mod state;
mod stored;
mod trace;
mod underflow;
mod zeros;

use core::ffi::{CStr, c_char, c_void};

use lostbits_abi::{
    explain::{Event, Lanes, Thread, cause},
    kind::FpKind,
    variable_symbol, variables,
};
use lostbits_runtime::export;

use self::{
    state::{State, if_recording},
    trace::ThreadTrace,
};
use crate::environment::{self, in_default_environment};

/// By format; see [`variables::EXPLAIN_LIMITS`]. Written when the first thread asks for its ring.
#[unsafe(export_name = variable_symbol!(EXPLAIN_LIMITS))]
pub static mut LIMITS: variables::layout::EXPLAIN_LIMITS = [0.0; FpKind::TABLE_LENGTH];

/// Sets the threshold of local errors.
fn set_limits(bits: f64) {
    high_precision::set_limit(bits);
    for kind in FpKind::ALL {
        let power = measure::power_of_two(kind.precision() as i32 - 1 - bits as i32);
        // SAFETY: written once, before any instrumented code of this mode reads it; a format is an index of the table.
        unsafe { LIMITS[kind as usize] = power };
    }
}

/// A residue times this factor is above the value if the error exceeds the threshold.
fn limit(kind: u8) -> f64 {
    // SAFETY: `set_limits` wrote it before the first event.
    unsafe { LIMITS[usize::from(kind)] }
}

/// An event that instrumented code reports.
///
/// # Safety
///
/// `event` points to the event of the calling thread's [`Thread`], which instrumented code has filled in and does not use
/// during the call.
unsafe fn event_at<'a>(event: *mut Event) -> &'a mut Event {
    // SAFETY: the caller's promise.
    unsafe { &mut *event }
}

fn is_blind(event: &Event) -> bool {
    ThreadTrace::of_event(event).is_blind()
}

export! {
    /// This thread's part of the trace.
    EXPLAIN_THREAD
    fn explain_thread(slot: *mut *mut Thread) -> *mut Thread {
        // SAFETY: `slot` is the thread-local variable that instrumented code keeps for this.
        unsafe { trace::of_variable(slot) }
    }

    /// An operation that may matter.
    EXPLAIN_REPORT
    fn explain_report(event: *mut Event) {
        // SAFETY: instrumented code passes its thread's event.
        let event = unsafe { event_at(event) };
        if event.reported != 0 && !is_blind(event) {
            if_recording(|state| state.handle(event));
        }
    }

    /// The sites of a set that is sent to another process.
    EXPLAIN_SENT_SET
    fn explain_sent_set(set: u32, sites: *mut u32) -> u32 {
        // SAFETY: there is room for as many sites as a set can have.
        unsafe { messages::sent_set(set, sites) }
    }

    /// A set of another process.
    EXPLAIN_RECEIVED_SET
    fn explain_received_set(sites: *const u32, count: u32) -> u32 {
        // SAFETY: there are as many sites.
        unsafe { messages::received_set(core::slice::from_raw_parts(sites, count as usize)) }
    }

    /// Where the tables of sets are.
    EXPLAIN_TABLES
    fn explain_tables(at: *mut *const c_void, bytes: *mut u64) {
        // SAFETY: there is room for three of each.
        unsafe { messages::tables(at, bytes) }
    }

    /// The site of the reduction that is called next.
    EXPLAIN_REDUCTION
    fn explain_reduction(site: u64) -> u64 {
        reductions::exchange_site(site)
    }

    /// A number of a reduction's result.
    EXPLAIN_REDUCED
    fn explain_reduced(
        site: u64,
        value: *const f64,
        own: *const f64,
        residue: *mut f64,
        set: u32,
        is_float: u32
    ) -> u32 {
        // SAFETY: the layer passes its own variables.
        let one = unsafe {
            reductions::Reduced {
                site: site as u32,
                kind: if is_float != 0 { FpKind::Float } else { FpKind::Double },
                value: *value,
                own: *own,
                residue: *residue,
                influences: set,
            }
        };
        let (left, influences) = in_default_environment(|| reductions::reduced(&one));
        // SAFETY: as above.
        unsafe { *residue = left };
        influences
    }

    /// A vector with lanes that may matter.
    EXPLAIN_REPORT_LANES
    fn explain_report_lanes(lanes: *mut Lanes) {
        // SAFETY: instrumented code passes its thread's lanes, and no other reference to the thread exists.
        let thread = unsafe { &mut *ThreadTrace::of_lanes(lanes).as_ptr() };
        if thread.blind == 0 {
            if_recording(|state| state.handle_lanes(thread));
        }
    }

    /// An operation that the runtime evaluates.
    EXPLAIN_EVALUATE
    fn explain_evaluate(event: *mut Event) {
        // SAFETY: instrumented code passes its thread's event.
        let event = unsafe { event_at(event) };
        if !is_blind(event) {
            operations::evaluate(event);
        }
    }

    /// A function that counts as one operation has returned; its residue is known.
    EXPLAIN_CALLED
    fn explain_called(event: *mut Event) {
        // SAFETY: instrumented code passes its thread's event.
        let event = unsafe { event_at(event) };
        if !is_blind(event) {
            operations::report_if_needed(event);
        }
    }

    /// A decision that exact arithmetic may take differently.
    EXPLAIN_DECISION
    fn explain_decision(event: *mut Event) {
        // SAFETY: instrumented code passes its thread's event.
        let event = unsafe { event_at(event) };
        if event.reported != 0 && !is_blind(event) {
            in_default_environment(|| if_recording(|state| state.decision(event)));
        }
    }

    /// A result underflowed in a module that only detects errors.
    EXPLAIN_UNDERFLOW
    fn explain_underflow() {
        if_recording(State::note_underflow);
    }

    /// Events are recorded from now on, or no longer.
    EXPLAIN_SWITCH
    fn explain_switch(records: u64) {
        state::start();
        state::set_recording(records != 0);
    }

    /// The program is about to read its floating-point flags.
    EXPLAIN_CLEAR_FLAGS
    fn explain_clear_flags() {
        state::with_state(|state| {
            let made = |kind| state.first_causes & kind != 0;
            environment::clear_flags_of_shadow_code(made(cause::NOT_A_NUMBER), made(cause::INFINITY));
        });
    }

    /// A value leaves the program.
    EXPLAIN_OUTPUT
    fn explain_output(event: *mut Event) {
        // SAFETY: instrumented code passes its thread's event.
        let event = unsafe { event_at(event) };
        if !is_blind(event) {
            in_default_environment(|| if_recording(|state| state.output(event, 1)));
        }
    }

    /// A function returns a number to its caller.
    EXPLAIN_RESULT
    fn explain_result(event: *mut Event) {
        // SAFETY: instrumented code passes its thread's event.
        let event = unsafe { event_at(event) };
        if !is_blind(event) {
            in_default_environment(|| if_recording(|state| state.result(event)));
        }
    }

    /// Memory leaves the program.
    EXPLAIN_OUTPUT_MEMORY
    fn explain_output_memory(start: *const c_void, bytes: u64, site: u64, thread: *mut Thread) {
        // SAFETY: instrumented code passes its thread.
        let trace = unsafe { ThreadTrace::new(thread) };
        if trace.is_blind() {
            return;
        }
        in_default_environment(|| {
            // SAFETY: the program passes this memory to an output function.
            if_recording(|state| unsafe {
                state.output_memory(start as usize, bytes as usize, site as u32, trace)
            });
        });
    }

    /// The arguments of a format string leave the program.
    EXPLAIN_OUTPUT_FORMATTED
    fn explain_output_formatted(
        format: *const c_char,
        arguments: *const c_void,
        site: u64,
        thread: *mut Thread
    ) {
        // SAFETY: instrumented code passes its thread.
        let trace = unsafe { ThreadTrace::new(thread) };
        if trace.is_blind() {
            return;
        }
        in_default_environment(|| {
            // SAFETY: the program passes this format string and this `va_list` to an output function.
            if_recording(|state| unsafe {
                let format = CStr::from_ptr(format).to_bytes();
                state.output_formatted(format, &*arguments.cast(), site as u32, trace)
            });
        });
    }
}
