//! Each thread's stack of slots.
//!
//! A function takes its frame when it is entered and puts the top back when it is left. After `longjmp`
//! or an exception the function that goes on puts its own top back, so nothing has to be unwound.
//!
//! What it can miss: programs that switch stacks within a thread (`swapcontext`) mix up their frames,
//! and so their shadows.

use lostbits_abi::numbers::{Frames, ROOM_BYTES, SLOT_BYTES};
use lostbits_runtime::sys;

use crate::{shared, start};

const TOO_DEEP: &str = "lostbits: the program's calls are nested more deeply than there is room for \
    their shadow numbers: lower the depth of recursion.\n";

/// `thread` is where this thread finds its frames; null until the first are taken.
#[inline]
pub unsafe fn enter(thread: *mut *mut Frames, slots: u64) -> u64 {
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

#[cold]
unsafe fn enter_first(thread: *mut *mut Frames, slots: u64) -> u64 {
    start::once();
    unsafe {
        let (room, is_new) = shared::take_room();
        let frames = room as *mut Frames;
        if is_new {
            // The first slot of a room holds this.
            (*frames).top = room + SLOT_BYTES;
            (*frames).end = room + ROOM_BYTES;
        }
        *thread = frames;
        enter(thread, slots)
    }
}
