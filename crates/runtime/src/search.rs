//! Mode `search`: room for the trace. Instrumented code writes it, the worker process of `lostbits search`
//! reads it; nothing is to be done here. (Threads that trace at once overwrite each other's events; the
//! index is masked, so that they do no harm beyond that.)

use lostbits_abi::trace::{EVENTS, Event, Trace};

#[unsafe(export_name = "__lostbits_search_trace")]
pub static mut TRACE: Trace = Trace {
    length: 0,
    padding: [0; 7],
    events: [Event::NONE; EVENTS],
};
