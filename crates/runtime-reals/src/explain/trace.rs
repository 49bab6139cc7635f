//! Each thread's ring of executed operations.

use core::{
    mem::offset_of,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use lostbits_abi::explain::{
    CONTINUED, Event, MOST_BLOCK_NODES, Node, RING_NODES, SAMPLED_NODES, Thread, node_site,
};
use lostbits_runtime::sys::{self, Backing, Place};

use super::state;

/// Threads number their nodes from different starts, so that a node of another thread's is not taken for
/// one's own.
const APART: u64 = 1 << 27;
/// A run's first nodes are all looked at; later, [`SAMPLED_NODES`] of so many.
const ALL_LOOKED_AT: u64 = 1 << 14;
const SAMPLE_PERIOD: u64 = 1 << 20;
/// So many nodes are all written; later, [`TRACED_NODES`] of [`TRACE_PERIOD`], and as many more whenever an expression is
/// wanted that is not there.
const ALL_TRACED: u64 = 1 << 20;
const TRACE_PERIOD: u64 = 1 << 20;

static THREADS: AtomicU64 = AtomicU64::new(0);

/// The thread's part of the trace; `slot` is a variable of the thread's.
pub unsafe fn of_slot(slot: *mut *mut Thread) -> *mut Thread {
    unsafe {
        if (*slot).is_null() {
            *slot = begin();
        }
        *slot
    }
}

/// A thread's ring stays when the thread ends: memory that is gone could still be written to by its last
/// destructors. A program that starts threads without end is not served well.
#[cold]
fn begin() -> *mut Thread {
    state::start();
    let nodes = RING_NODES + MOST_BLOCK_NODES;
    let bytes = size_of::<Thread>().next_multiple_of(64) + nodes * size_of::<Node>();
    // SAFETY: new memory.
    let Ok(place) = (unsafe { sys::map(Place::Anywhere, bytes, Backing::Memory) }) else {
        sys::give_up(
            "lostbits: there is no memory for the trace of a thread: run a smaller case.\n",
        );
    };
    let thread = place as *mut Thread;
    // SAFETY: zeros are a valid state for the rest.
    unsafe {
        (*thread).counter = 1 + THREADS.fetch_add(1, Relaxed) * APART;
        (*thread).ring = (place + size_of::<Thread>().next_multiple_of(64)) as *mut Node;
    }
    thread
}

/// The thread that an event belongs to.
pub fn thread_of(event: *const Event) -> *mut Thread {
    event
        .cast::<u8>()
        .wrapping_sub(offset_of!(Thread, event))
        .cast_mut()
        .cast()
}

/// Whether the thread is within a function that is one operation.
pub fn is_blind(event: *const Event) -> bool {
    // SAFETY: threads are never unmapped.
    unsafe { (*thread_of(event)).blind != 0 }
}

/// Whether this part of the run is looked at closely; slows down as it goes on.
pub fn is_sampled(thread: *mut Thread) -> bool {
    // SAFETY: threads are never unmapped.
    unsafe {
        let counter = (*thread).counter;
        if (*thread).sample_mask == 0 && counter % APART > ALL_LOOKED_AT {
            (*thread).sample_mask = SAMPLE_PERIOD - 1;
        }
        if (*thread).trace_mask == 0 && counter % APART > ALL_TRACED {
            (*thread).trace_mask = TRACE_PERIOD - 1;
        }
        counter & (*thread).sample_mask < SAMPLED_NODES
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

/// The node of this number, if it is still there.
pub fn find(thread: *const Thread, number: u32) -> Option<Executed> {
    if number == 0 {
        return None;
    }
    // SAFETY: the ring has more than RING_NODES nodes.
    unsafe {
        let place = (*thread).ring.add(number as usize % RING_NODES);
        // A block's nodes are not wrapped: they may lie behind the end.
        let beyond = place.add(RING_NODES);
        let node = if (*place).number == number {
            place
        } else if (number as usize % RING_NODES) < MOST_BLOCK_NODES && (*beyond).number == number {
            beyond
        } else {
            return None;
        };
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
