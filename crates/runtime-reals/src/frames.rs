//! Each thread's stack of slots.
//!
//! A function reserves its frame on entry and restores the top on exit. After `longjmp` or an exception, the function that
//! continues restores its own top; nothing has to be unwound.
//!
//! What it can miss: programs that switch stacks within a thread (`swapcontext`) mix up their frames, and so their shadows.

use lostbits_abi::numbers::{Frames, ROOM_BYTES, SLOT_BYTES};
use lostbits_runtime::sys;

use crate::{shared, start};

const TOO_DEEP: &str = "lostbits: the program's calls are nested more deeply than there is room for \
    their shadow numbers: lower the depth of recursion.\n";

/// Reserves a frame; `thread` is the thread's pointer to its frames, null before the first call.
///
/// # Safety
///
/// `thread` is the thread-local variable of that name, which only this function writes.
#[inline]
pub unsafe fn enter(thread: *mut *mut Frames, slots: u64) -> u64 {
    // SAFETY: the thread's room is reserved and never unmapped, and only this thread uses it.
    unsafe {
        let frames = *thread;
        if frames.is_null() {
            return enter_first(thread, slots);
        }
        let frame = (*frames).top;
        let top = frame + slots * SLOT_BYTES;
        if top > (*frames).end {
            sys::give_up(TOO_DEEP);
        }
        (*frames).top = top;
        frame
    }
}

/// # Safety
///
/// As for [`enter`].
#[cold]
unsafe fn enter_first(thread: *mut *mut Frames, slots: u64) -> u64 {
    start::ensure_started();
    // SAFETY: `take_room` gives a room to this thread alone; rooms are reserved. Their first slot holds `Frames`.
    unsafe {
        let (room, is_new) = shared::take_room();
        let frames = room as *mut Frames;
        if is_new {
            // The first slot of a room holds its `Frames`.
            (*frames).top = room + SLOT_BYTES;
            (*frames).end = room + ROOM_BYTES;
        }
        *thread = frames;
        enter(thread, slots)
    }
}
