//! Each thread's stack of slots.
//!
//! A function takes its frame when it is entered and puts the top back when it is left. After `longjmp`
//! or an exception the function that goes on puts its own top back, so nothing has to be unwound.
//!
//! What it can miss: programs that switch stacks within a thread (`swapcontext`) mix up their frames,
//! and so their shadows.

use core::{
    ffi::c_void,
    ptr,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

use gmp_mpfr_sys::mpfr;
use lostbits_abi::numbers::{FRAMES_START, Frames, ROOM_BYTES, SLOT_BYTES};
use lostbits_runtime::sys;

use crate::{start, zone};

const TOO_DEEP: &str = "lostbits: the program's calls are nested more deeply than there is room for \
    their shadow numbers: lower the depth of recursion.\n";

#[inline]
pub unsafe fn enter(frames: *mut Frames, slots: u64) -> u64 {
    unsafe {
        let frame = (*frames).top;
        let top = frame + slots * SLOT_BYTES;
        if top > (*frames).end {
            return enter_first(frames, slots);
        }
        (*frames).top = top;
        frame
    }
}

#[cold]
unsafe fn enter_first(frames: *mut Frames, slots: u64) -> u64 {
    unsafe {
        if (*frames).end != 0 {
            sys::give_up(TOO_DEEP);
        }
        let errno = *libc::__errno_location();
        start::once();
        let room = zone::reserve(zone::FRAMES) as u64;
        // A slot of the number 0 would be no slot; so the first of a room stays empty.
        (*frames).top = room + SLOT_BYTES;
        (*frames).end = room + ROOM_BYTES;
        remember(frames);
        *libc::__errno_location() = errno;
        enter(frames, slots)
    }
}

/// The key whose destructor gives a thread's room back; 0 until it is made, then one more.
static KEY: AtomicU32 = AtomicU32::new(0);

/// To be called once in a process.
pub fn make_key() {
    let mut key = 0;
    if unsafe { libc::pthread_key_create(&mut key, Some(thread_ends)) } == 0 {
        KEY.store(key + 1, Relaxed);
    }
}

fn remember(frames: *mut Frames) {
    if let Some(key) = KEY.load(Relaxed).checked_sub(1) {
        let _ = unsafe { libc::pthread_setspecific(key, frames.cast()) };
    }
}

/// What still runs in the thread after this, other destructors, takes a new room.
unsafe extern "C" fn thread_ends(frames: *mut c_void) {
    let frames = frames.cast::<Frames>();
    unsafe {
        let room = ((*frames).end - ROOM_BYTES) as usize;
        ptr::write(frames, Frames { top: 0, end: 0 });
        mpfr::free_cache();
        sys::unmap(room, ROOM_BYTES as usize);
    }
}

const _: () = assert!(FRAMES_START.is_multiple_of(64));
