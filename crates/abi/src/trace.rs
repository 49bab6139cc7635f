//! Mode `search`: the trace that instrumented code leaves of its latest operations.
//!
//! An event names its site by the address of the site's row in the module's table (so that the reader
//! finds the operation without a search), and holds operands and result as doubles. The trace is a ring: of a long run it keeps
//! the end, which is nearest to the result.

/// How many events a trace keeps; a power of two.
pub const EVENTS: usize = 1 << 16;

/// An operation that was executed.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Event {
    /// The address of the site's row, with [`X_IS_CONSTANT`] and [`Y_IS_CONSTANT`].
    pub row: u64,
    pub x: f64,
    /// 0 where there is no second operand.
    pub y: f64,
    /// 0 for a comparison and a conversion to an integer.
    pub result: f64,
}

/// Rows are aligned to four bytes, which leaves two bits of their addresses.
pub const X_IS_CONSTANT: u64 = 1;
pub const Y_IS_CONSTANT: u64 = 2;
pub const FLAGS: u64 = 3;

#[repr(C)]
pub struct Trace {
    /// How many events there were; the latest is at `length - 1` modulo [`EVENTS`].
    pub length: u64,
    /// Not 0 if something was executed whose meaning depends on the format of numbers: their bits as integers, a
    /// neighbouring number, the parts of a number. Exact arithmetic on the events is then another function.
    pub depends_on_format: u64,
    pub padding: [u64; 6],
    pub events: [Event; EVENTS],
}

impl Event {
    pub const NONE: Event = Event {
        row: 0,
        x: 0.0,
        y: 0.0,
        result: 0.0,
    };
}
