//! Candidates of several copies of the runtime in one process (an executable, and libraries loaded with `RTLD_LOCAL`, such as
//! Python's extension modules) are distinguished: sets travel through memory from one to another.
//!
//! A bit belongs to one copy, and so does the number of a list. To the others these mean "a candidate elsewhere": nothing is
//! blamed for it, instead of whatever has the same bit there.

use core::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use lostbits_abi::explain::set;
use lostbits_runtime::sys::{self, Backing, PAGE, Place};

/// Above low addresses and the block of `shared.rs`, below the arena.
const BLOCK: usize = (1 << 40) + (1 << 20);

/// Zeros where nothing was taken yet.
#[repr(C)]
struct Block {
    bits: AtomicU32,
    copies: AtomicU32,
}

/// What this copy uses where the block cannot be mapped.
static OWN: Block = Block {
    bits: AtomicU32::new(0),
    copies: AtomicU32::new(0),
};
static IS_SHARED: AtomicBool = AtomicBool::new(false);
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Called with the state's lock.
fn block() -> &'static Block {
    if !IS_ASKED.load(Acquire) {
        // SAFETY: new memory at a free address; nothing else is mapped over.
        let mapped = unsafe { sys::map(Place::Free(BLOCK), PAGE, Backing::Memory) };
        IS_SHARED.store(matches!(mapped, Ok(_) | Err(libc::EEXIST)), Relaxed);
        IS_ASKED.store(true, Release);
    }
    match IS_SHARED.load(Relaxed) {
        // SAFETY: this copy or another mapped it for good; all fields are atomics, for which zeros are valid.
        true => unsafe { &*(BLOCK as *const Block) },
        false => &OWN,
    }
}

/// A bit that no copy has.
pub fn take_bit() -> Option<usize> {
    let taken = &block().bits;
    let next = |bits: u32| ((bits as usize) < set::BITS).then_some(bits + 1);
    taken
        .fetch_update(AcqRel, Acquire, next)
        .ok()
        .map(|bit| bit as usize)
}

/// A number for this copy, from 0 on.
pub fn take_number() -> u32 {
    block().copies.fetch_add(1, Relaxed)
}
