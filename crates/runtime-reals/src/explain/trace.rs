//! Each thread's ring of executed operations.

use core::{
    mem::offset_of,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use lostbits_abi::{
    explain::{
        CONTINUED, Event, Lanes, MOST_BLOCK_NODES, Node, RING_NODES, SAMPLE_SHIFT, SAMPLED_NODES,
        TRACED_NODES, Thread, node_site,
    },
    symbols,
};
use lostbits_runtime::sys::{self, Backing, Place};

use super::state;

/// Threads number their nodes from different starts, so that a node of another thread's is not taken for
/// one's own.
const APART: u64 = 1 << 27;
/// A run's first nodes are all looked at; later, [`SAMPLED_NODES`] of a [`period`].
const ALL_LOOKED_AT: u64 = 1 << 14;
/// So many nodes are all written; later, [`TRACED_NODES`] of a [`period`], and as many more where an
/// expression is asked for that is not there.
const ALL_TRACED: u64 = 1 << 20;
/// A trace that has just begun lacks what went before: expressions would end too soon.
const WARM: u64 = TRACED_NODES / 4;
/// Traces that are asked for are at least so far apart.
const APART_ASKED: u64 = 4 * TRACED_NODES;

/// Threads that have ever begun. As long as there is but one, instrumented code counts without atomic additions; that it
/// sees the second a moment late may cost a count.
#[unsafe(export_name = "__lostbits_explain_threads")]
pub static THREADS: AtomicU64 = AtomicU64::new(0);

const _: () = assert!(lostbits_runtime::equal(
    symbols::EXPLAIN_THREADS,
    "__lostbits_explain_threads"
));

/// Whether no second thread has ever computed anything.
#[inline]
pub fn is_only_thread() -> bool {
    THREADS.load(Relaxed) <= 1
}

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

/// The thread that lanes belong to.
pub fn thread_of_lanes(lanes: *mut Lanes) -> *mut Thread {
    lanes
        .cast::<u8>()
        .wrapping_sub(offset_of!(Thread, lanes))
        .cast()
}

/// Whether the thread is within a function that is one operation.
pub fn is_blind(event: *const Event) -> bool {
    // SAFETY: threads are never unmapped.
    unsafe { (*thread_of(event)).blind != 0 }
}

/// Whether this part of the run is looked at closely; slows down as it goes on.
#[inline]
pub fn is_sampled(thread: *mut Thread) -> bool {
    // SAFETY: threads are never unmapped.
    let thread = unsafe { &mut *thread };
    let counter = thread.counter;
    if thread.sample_mask == 0 && counter % APART > ALL_LOOKED_AT {
        thread.sample_mask = period(counter) - 1;
    }
    if thread.trace_mask == 0 && is_enough(thread) {
        thread.trace_mask = thread.sample_mask;
        thread.asked_at = 0;
    }
    let is_sampled = counter.wrapping_add(SAMPLE_SHIFT) & thread.sample_mask < SAMPLED_NODES;
    if is_sampled && thread.trace_mask != 0 {
        // Never shorter again: masks of all ones are united to the longer.
        thread.sample_mask |= period(counter) - 1;
        thread.trace_mask = thread.sample_mask;
    }
    is_sampled
}

/// Of so many nodes a part is traced, and the last of these sampled: about eight times while a run grows to twice its
/// length, later at a steady rate that costs next to nothing.
fn period(counter: u64) -> u64 {
    const SHORTEST: u64 = 1 << 21;
    ((counter % APART) / 8).next_power_of_two().max(SHORTEST)
}

/// Whether all was traced that was to be without a pause.
fn is_enough(thread: &Thread) -> bool {
    match thread.asked_at {
        0 => thread.counter % APART > ALL_TRACED,
        asked_at => thread.counter - asked_at > TRACED_NODES,
    }
}

/// Whether what led to values that are computed now is in the trace.
pub fn is_warm(thread: *const Thread) -> bool {
    // SAFETY: as above.
    let thread = unsafe { &*thread };
    match (thread.trace_mask, thread.asked_at) {
        (0, 0) => true,
        (0, asked_at) => thread.counter - asked_at > WARM,
        (mask, _) => (WARM..TRACED_NODES).contains(&(thread.counter & mask)),
    }
}

/// What follows is to be traced, if that was not asked for just before.
pub fn ask(thread: *mut Thread) {
    // SAFETY: as above.
    let thread = unsafe { &mut *thread };
    if thread.trace_mask != 0 && thread.counter >= thread.ask_again_at {
        thread.trace_mask = 0;
        thread.asked_at = thread.counter;
        thread.ask_again_at = thread.counter + APART_ASKED;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The windows of a run of so many nodes, its blocks having 100 each, that are sampled; as instrumented code and
    /// `is_sampled` find them.
    fn samples(nodes: u64) -> u64 {
        // SAFETY: zeros are a valid thread.
        let mut thread: Thread = unsafe { core::mem::zeroed() };
        let mut sampled = 0;
        while thread.counter < nodes {
            if thread.counter.wrapping_add(SAMPLE_SHIFT) & thread.sample_mask < SAMPLED_NODES {
                sampled += u64::from(is_sampled(&raw mut thread));
                assert!(
                    thread.counter & thread.trace_mask < TRACED_NODES || thread.trace_mask == 0
                );
            }
            thread.counter += 100;
        }
        sampled * 100 / SAMPLED_NODES
    }

    #[test]
    fn long_runs_are_sampled_ever_less() {
        let first = samples(1 << 25);
        let later = samples(1 << 26) - samples(1 << 25);
        let much_later = samples(1 << 28) - samples(1 << 27);
        assert!((16..=32).contains(&first), "{first}");
        assert!((4..=16).contains(&later), "{later}");
        assert!((7..=9).contains(&much_later), "{much_later}");
    }
}
