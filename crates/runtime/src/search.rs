//! Mode `search`: room for the trace. Instrumented code writes it, the worker process of `lostbits search`
//! reads it; nothing is to be done here. (Threads that trace at once overwrite each other's events; the
//! index is masked, so that they do no harm beyond that.)

use lostbits_abi::{
    trace::{EVENTS, Event, Trace},
    variable_symbol, variables,
};

#[unsafe(export_name = variable_symbol!(SEARCH_TRACE))]
pub static mut TRACE: variables::layout::SEARCH_TRACE = Trace {
    length: 0,
    depends_on_format: 0,
    padding: [0; 6],
    events: [Event::NONE; EVENTS],
};
