//! Each thread's ring of executed operations.
//!
//! Instrumented code writes a node for each operation into the ring; expressions are read back from it. The first nodes of a
//! run are all written and all sampled; later only windows are, ever fewer of them.
//!
//! What it can miss: expressions end where the ring has been overwritten or where a window begins.

use core::{
    mem::offset_of,
    ptr::NonNull,
    sync::atomic::{
        AtomicU64,
        Ordering::{Relaxed, SeqCst},
    },
};

use lostbits_abi::{
    conversion::Conversion,
    environment,
    explain::{
        CONTINUED, Call, Event, Lanes, MOST_BLOCK_NODES, Node, RING_NODES, SAMPLE_SHIFT,
        SAMPLED_NODES, TRACED_NODES, Thread, node_site,
    },
    kind::FpKind,
    variable_symbol, variables,
};
use lostbits_runtime::sys::{self, Backing, Place};

use super::{intervening, state};

/// Threads number their nodes from starts this far apart, so that no thread takes another's node for its own.
const THREAD_STRIDE: u64 = 1 << 27;
/// All of a run's first nodes are sampled; later [`SAMPLED_NODES`] of each [`period`].
const ALL_SAMPLED: u64 = 1 << 14;
/// All of a run's first nodes are written; later [`TRACED_NODES`] of each [`period`], and as many more where an expression
/// is missing ([`ThreadTrace::request`]).
const ALL_TRACED: u64 = 1 << 20;
/// From this node on, all nodes of a thread are written.
static TRACE_FROM: AtomicU64 = AtomicU64::new(u64::MAX);

/// Called once, before the first event.
pub fn start() {
    if let Some(text) = lostbits_runtime::environment(environment::c::TRACE_FROM) {
        TRACE_FROM.store(environment::number(text), Relaxed);
    }
}

/// Expressions are taken only this long after a window begins: earlier ones would lack their history.
const WARM: u64 = TRACED_NODES / 4;
/// The least distance of two requested windows.
const REQUEST_INTERVAL: u64 = 4 * TRACED_NODES;

/// Threads ever started. While there is only one, instrumented code counts without atomic additions, and the state is taken
/// without them. The second thread counts itself before it maps its memory, so that the first has long seen it when it computes.
#[unsafe(export_name = variable_symbol!(EXPLAIN_THREADS))]
pub static THREADS: variables::layout::EXPLAIN_THREADS = AtomicU64::new(0);

/// Whether no second thread has ever computed anything.
#[inline]
pub fn is_only_thread() -> bool {
    THREADS.load(Relaxed) <= 1
}

/// Sites that have their own [`Errors`] in each thread; later ones share them.
const SITES_WITH_ERRORS: usize = 1 << 16;

/// A thread's errors at a site. Which executions are kept depends on these alone, so that it does not depend on the order in
/// which threads run.
pub struct Errors {
    pub count: u64,
    /// Executions that were generalised.
    pub seen: u64,
    /// The kinds of causes for which the site is a candidate.
    pub causes: u32,
    pub worst_bits: f64,
}

impl Errors {
    /// Counts an error; whether it is worse than all that this thread had at the site.
    pub fn add(&mut self, causes: u32, bits: f64) -> bool {
        self.count += 1;
        self.causes |= causes;
        let is_worst = self.count == 1 || bits > self.worst_bits;
        if is_worst {
            self.worst_bits = bits;
        }
        is_worst
    }
}

/// A thread's part of the trace.
///
/// Invariant: it points to a [`Thread`] that [`begin`] mapped. That memory is never unmapped, because the thread's last
/// destructors may still write to it. Only that thread and its signal handlers use it.
#[derive(Clone, Copy)]
pub struct ThreadTrace(NonNull<Thread>);

impl ThreadTrace {
    /// # Safety
    ///
    /// `thread` came from [`of_variable`] in this thread.
    #[inline(always)]
    pub unsafe fn new(thread: *mut Thread) -> ThreadTrace {
        // SAFETY: `of_variable` never returns null.
        ThreadTrace(unsafe { NonNull::new_unchecked(thread) })
    }

    /// The thread whose event this is. Every event lies in its thread: instrumented code writes it there, and so does
    /// [`begin_event`](ThreadTrace::begin_event).
    #[inline(always)]
    pub fn of_event(event: &Event) -> ThreadTrace {
        let event = (&raw const *event).cast_mut().cast::<u8>();
        // SAFETY: the event is a field of a `Thread`.
        unsafe { ThreadTrace::new(event.sub(offset_of!(Thread, event)).cast()) }
    }

    /// The thread whose lanes these are.
    ///
    /// # Safety
    ///
    /// `lanes` points to the lanes of a `Thread`.
    #[inline(always)]
    pub unsafe fn of_lanes(lanes: *mut Lanes) -> ThreadTrace {
        // SAFETY: the caller's promise.
        unsafe { ThreadTrace::new(lanes.byte_sub(offset_of!(Thread, lanes)).cast()) }
    }

    #[inline(always)]
    pub fn of(thread: &mut Thread) -> ThreadTrace {
        ThreadTrace(NonNull::from(thread))
    }

    #[inline(always)]
    pub fn as_ptr(self) -> *mut Thread {
        self.0.as_ptr()
    }

    /// Whether the thread is within a function that counts as one operation; nothing there is reported.
    #[inline(always)]
    pub fn is_blind(self) -> bool {
        // SAFETY: the invariant.
        unsafe { (*self.as_ptr()).blind != 0 }
    }

    /// How the next output is printed.
    pub fn conversion(self) -> Conversion {
        // SAFETY: the invariant.
        unsafe { (*self.as_ptr()).conversion }
    }

    /// What the function was called with that reports its result.
    pub fn call(self) -> Call {
        // SAFETY: the invariant.
        unsafe { (*self.as_ptr()).call }
    }

    pub fn set_conversion(self, conversion: Conversion) {
        // SAFETY: the invariant.
        unsafe { (*self.as_ptr()).conversion = conversion };
    }

    /// The thread's event, ready for operands and result.
    pub fn begin_event<'a>(self, site: u32, op: u16, kind: FpKind) -> &'a mut Event {
        // SAFETY: the invariant. A thread reports one event at a time: the exports take it once for each call.
        let event = unsafe { &mut (*self.as_ptr()).event };
        event.site = site;
        event.op = op;
        event.kind = kind as u8;
        event.operands = 0;
        event.node = 0;
        event.reported = 1;
        event
    }

    /// Whether this part of the run is sampled: all its operations are checked. Also moves on to longer periods.
    #[inline]
    pub fn is_sampled(self) -> bool {
        // SAFETY: the invariant; no other reference to these fields exists.
        let thread = unsafe { &mut *self.as_ptr() };
        let counter = thread.counter;
        if thread.sample_mask == 0 && counter % THREAD_STRIDE > ALL_SAMPLED {
            thread.sample_mask = period(counter) - 1;
        }
        if counter >= TRACE_FROM.load(Relaxed) {
            if thread.trace_mask != 0 {
                thread.trace_mask = 0;
                thread.asked_at = counter;
            }
        } else if thread.trace_mask == 0 && is_window_over(thread) {
            thread.trace_mask = thread.sample_mask;
            thread.asked_at = 0;
        }
        let is_sampled = counter.wrapping_add(SAMPLE_SHIFT) & thread.sample_mask < SAMPLED_NODES;
        if is_sampled && thread.trace_mask != 0 {
            // Periods never get shorter: the union of two masks of ones is the longer one.
            thread.sample_mask |= period(counter) - 1;
            thread.trace_mask = thread.sample_mask;
        }
        is_sampled
    }

    /// The thread's errors at a site.
    #[inline]
    pub fn errors<'a>(self, site: u32) -> &'a mut Errors {
        let place = self.as_ptr() as usize + ERRORS_AT;
        // SAFETY: the invariant; `begin` mapped this many zeros there, which are valid. The exports handle one event of a thread at
        // a time, and take one site's errors for it.
        unsafe { &mut *(place as *mut Errors).add(site as usize % SITES_WITH_ERRORS) }
    }

    /// Whether the trace holds the history of values that are computed now.
    pub fn is_warm(self) -> bool {
        // SAFETY: the invariant.
        let thread = unsafe { &*self.as_ptr() };
        match (thread.trace_mask, thread.asked_at) {
            (0, 0) => true,
            (0, asked_at) => thread.counter - asked_at > WARM,
            (mask, _) => (WARM..TRACED_NODES).contains(&(thread.counter & mask)),
        }
    }

    /// Starts a window here, unless one was requested just before.
    pub fn request(self) {
        // SAFETY: the invariant; no other reference to these fields exists.
        let thread = unsafe { &mut *self.as_ptr() };
        if thread.trace_mask != 0 && thread.counter >= thread.ask_again_at {
            thread.trace_mask = 0;
            thread.asked_at = thread.counter;
            thread.ask_again_at = thread.counter + REQUEST_INTERVAL;
        }
    }

    /// The node with this number, if the ring still holds it.
    pub fn find(self, number: u32) -> Option<Executed> {
        if number == 0 {
            return None;
        }
        let index = number as usize % RING_NODES;
        // SAFETY: the ring has RING_NODES + MOST_BLOCK_NODES nodes and one more. The nodes of a block are not wrapped: up to
        // MOST_BLOCK_NODES may lie beyond RING_NODES.
        unsafe {
            let mut node = (*self.as_ptr()).ring.add(index);
            if (*node).number != number {
                if index >= MOST_BLOCK_NODES {
                    return None;
                }
                node = node.add(RING_NODES);
                if (*node).number != number {
                    return None;
                }
            }
            let (site, op) = node_site::split((*node).site);
            let more = node.add(1);
            let third = if (*more).number == number.wrapping_add(1) && (*more).site == CONTINUED {
                ((*more).operands[0], (*more).from[0])
            } else {
                (0.0, 0)
            };
            Some(Executed {
                site,
                op,
                values: [(*node).operands[0], (*node).operands[1], third.0],
                from: [(*node).from[0], (*node).from[1], third.1],
            })
        }
    }
}

/// The calling thread's part of the trace; `variable` is its thread-local variable, null before the first call.
///
/// # Safety
///
/// Only this function writes the variable.
pub unsafe fn of_variable(variable: *mut *mut Thread) -> *mut Thread {
    // SAFETY: the caller's promise.
    unsafe {
        if (*variable).is_null() {
            *variable = begin();
        }
        *variable
    }
}

const RING_AT: usize = size_of::<Thread>().next_multiple_of(64);
/// `find` reads the node after the one it finds.
const NODES: usize = RING_NODES + MOST_BLOCK_NODES + 1;
const ERRORS_AT: usize = (RING_AT + NODES * size_of::<Node>()).next_multiple_of(64);

/// Maps a ring, and room for errors behind it. It stays when the thread ends, so a program that starts threads without end runs out of memory.
#[cold]
fn begin() -> *mut Thread {
    let before = THREADS.fetch_add(1, SeqCst);
    state::start();
    let bytes = ERRORS_AT + SITES_WITH_ERRORS * size_of::<Errors>();
    // SAFETY: new memory.
    let Ok(place) = (unsafe { sys::map(Place::Anywhere, bytes, Backing::Memory) }) else {
        sys::give_up(
            "lostbits: there is no memory for the trace of a thread: run a smaller case.\n",
        );
    };
    let thread = place as *mut Thread;
    // SAFETY: the mapping has room for the thread and its nodes; zeros are a valid state for all other fields.
    unsafe {
        (*thread).counter = 1 + before * THREAD_STRIDE;
        (*thread).ring = (place + RING_AT) as *mut Node;
        (*thread).interventions = intervening::bytes();
    }
    thread
}

/// Each period has one window that is traced, the end of which is sampled: about eight periods while a run doubles its
/// length, later a steady rate that costs next to nothing.
fn period(counter: u64) -> u64 {
    const SHORTEST: u64 = 1 << 21;
    ((counter % THREAD_STRIDE) / 8)
        .next_power_of_two()
        .max(SHORTEST)
}

/// Whether the window that is traced without a pause, the first or a requested one, is over.
fn is_window_over(thread: &Thread) -> bool {
    match thread.asked_at {
        0 => thread.counter % THREAD_STRIDE > ALL_TRACED,
        asked_at => thread.counter - asked_at > TRACED_NODES,
    }
}

/// An operation in the trace.
#[derive(Clone, Copy)]
pub struct Executed {
    pub site: u32,
    pub op: u16,
    pub values: [f64; 3],
    pub from: [u32; 3],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many windows of a run of `nodes` nodes, in blocks of 100, are sampled; as instrumented code and `is_sampled` find
    /// them.
    fn samples(nodes: u64) -> u64 {
        // SAFETY: zeros are a valid `Thread`.
        let mut thread: Thread = unsafe { core::mem::zeroed() };
        let mut sampled = 0;
        while thread.counter < nodes {
            if thread.counter.wrapping_add(SAMPLE_SHIFT) & thread.sample_mask < SAMPLED_NODES {
                sampled += u64::from(ThreadTrace::of(&mut thread).is_sampled());
                assert!(
                    thread.counter & thread.trace_mask < TRACED_NODES || thread.trace_mask == 0
                );
            }
            thread.counter += 100;
        }
        sampled * 100 / SAMPLED_NODES
    }

    #[test]
    fn sampling_gets_rarer_as_a_run_goes_on() {
        let first = samples(1 << 25);
        let later = samples(1 << 26) - samples(1 << 25);
        let much_later = samples(1 << 28) - samples(1 << 27);
        assert!((16..=32).contains(&first), "{first}");
        assert!((4..=16).contains(&later), "{later}");
        assert!((7..=9).contains(&much_later), "{much_later}");
    }
}
