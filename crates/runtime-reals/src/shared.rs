//! What all copies of the runtime in a process share.
//!
//! An executable and libraries loaded with `RTLD_LOCAL` may each hold a copy, and libraries come and go.
//! Numbers outlive that: the arena, the objects and the threads' rooms lie at fixed addresses below the
//! shadow planes, reserved by whichever copy comes first, and what is known of them in one block there.
//! Reserving takes addresses, not memory.

use core::sync::atomic::{
    AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use lostbits_abi::{
    ABI_VERSION,
    numbers::{FRAMES_START, ROOM_BYTES, ROOMS},
};
use lostbits_runtime::sys::{self, Backing, Errno, Place};

const GIB: usize = 1 << 30;
const TIB: usize = 1 << 40;

/// Where [`Block`] lies.
const BLOCK: usize = TIB;
const BLOCK_BYTES: usize = 1 << 14;
/// GMP's and MPFR's own memory; 32 bits say where in it.
pub const ARENA: usize = 2 * TIB;
pub const ARENA_BYTES: usize = 64 * GIB;
/// The numbers of values that lie in memory; 32 bits say which.
pub const OBJECTS: usize = 3 * TIB;
pub const OBJECTS_BYTES: usize = 2 * TIB;

const MARK: u64 = u64::from_le_bytes(*b"LBreals\0") | (ABI_VERSION as u64) << 56;
const SIZES: usize = 32;

#[repr(C)]
pub struct Block {
    /// Set when all the rest is ready.
    mark: AtomicU64,
    /// The process that reserved all this; its child is another.
    process: AtomicU32,
    /// In bits; 0 until it is known.
    pub precision: AtomicU32,
    /// Arena: the first grain that was never handed out, and lists of freed blocks by size.
    pub grains: AtomicUsize,
    pub free_blocks: [List; SIZES],
    /// Objects: the first that was never used, and the list of those that were freed.
    pub objects: AtomicU32,
    pub free_objects: List,
    /// The thread that each room belongs to; 0 if it was never taken.
    owners: [AtomicU32; ROOMS as usize],
}

const _: () = assert!(size_of::<Block>() <= BLOCK_BYTES);
const _: () = assert!(OBJECTS + OBJECTS_BYTES <= FRAMES_START as usize);

/// A list that nobody waits for: the index of the first element, and above it a counter, so that an
/// element that was taken and given back meanwhile is noticed. Index 0 is none.
#[repr(transparent)]
pub struct List(AtomicU64);

impl List {
    /// Takes the first; `next` is asked what follows it.
    pub fn take(&self, next: impl Fn(u32) -> u32) -> Option<u32> {
        let mut head = self.0.load(Acquire);
        while head as u32 != 0 {
            // Another may have taken it by now and write to it; the counter will tell.
            let after = follow(head, next(head as u32));
            match self.0.compare_exchange_weak(head, after, AcqRel, Acquire) {
                Ok(_) => return Some(head as u32),
                Err(now) => head = now,
            }
        }
        None
    }

    /// Puts `index` first; `link` is told what follows it.
    pub fn give(&self, index: u32, link: impl Fn(u32)) {
        let mut head = self.0.load(Relaxed);
        loop {
            link(head as u32);
            match self
                .0
                .compare_exchange_weak(head, follow(head, index), AcqRel, Relaxed)
            {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

fn follow(head: u64, index: u32) -> u64 {
    ((head >> 32) + 1) << 32 | u64::from(index)
}

const NO_ADDRESSES: &str = "lostbits: the address space for shadow numbers cannot be reserved: lift the \
    limits on it (`ulimit -v unlimited -d unlimited`), let vm.overcommit_memory be 0 or 1, and build all \
    parts of the program with the same lostbits.\n";
const NO_MEMORY: &str = "lostbits: the shadow numbers of this program need more memory than there is room for: lower \
    LOSTBITS_PRECISION, or run a smaller case.\n";
const TOO_MANY_THREADS: &str = "lostbits: there is room for the shadow numbers of 1024 threads at a time \
    only: run the program with fewer.\n";

#[inline(always)]
pub fn block() -> &'static Block {
    // SAFETY: mapped for ever by `reserve`, which comes first; zeros are fine for all fields.
    unsafe { &*(BLOCK as *const Block) }
}

/// Reserves everything, unless another copy did.
pub fn reserve() {
    let outcome = match unsafe { sys::map(Place::Free(BLOCK), BLOCK_BYTES, Backing::Memory) } {
        Ok(_) => reserve_all(),
        Err(libc::EEXIST) if is_marked() => Ok(()),
        Err(error) => Err(error),
    };
    if outcome.is_err() {
        sys::give_up(NO_ADDRESSES);
    }
}

fn reserve_all() -> Result<(), Errno> {
    let frames = (ROOM_BYTES * ROOMS) as usize;
    for (start, bytes) in [
        (ARENA, ARENA_BYTES),
        (OBJECTS, OBJECTS_BYTES),
        (FRAMES_START as usize, frames),
    ] {
        unsafe {
            sys::map(Place::Free(start), bytes, Backing::Memory)?;
            // It does not belong into a core dump; if that cannot be had, no harm.
            let _ = sys::advise(start, bytes, libc::MADV_DONTDUMP);
        }
    }
    // These are many and lie close together: larger pages save the processor much searching, if they can be had.
    let _ = unsafe { sys::advise(OBJECTS, OBJECTS_BYTES, libc::MADV_HUGEPAGE) };
    let block = block();
    block.process.store(sys::process_id(), Relaxed);
    block.grains.store(1, Relaxed);
    block.objects.store(1, Relaxed);
    block.mark.store(MARK, Release);
    Ok(())
}

/// Another thread may be loading another copy of the runtime at this moment: gives it time.
fn is_marked() -> bool {
    const PATIENCE: usize = 100_000;
    (0..PATIENCE).any(|_| {
        let marked = block().mark.load(Acquire) == MARK;
        if !marked {
            sys::yield_processor();
        }
        marked
    })
}

/// The room of the calling thread, and whether it is new to it.
pub fn take_room() -> (u64, bool) {
    let block = block();
    let thread = sys::thread_id();
    let address = |index: usize| FRAMES_START + index as u64 * ROOM_BYTES;
    // Threads of the process that forked do not exist in its child, and their numbers mean nothing.
    let is_child = block.process.load(Relaxed) != sys::process_id();
    let is_mine = |owner: &AtomicU32| !is_child && owner.load(Relaxed) == thread;
    if let Some(index) = block.owners.iter().position(is_mine) {
        return (address(index), false);
    }
    let take = |owner: &AtomicU32, before: u32| {
        owner
            .compare_exchange(before, thread, AcqRel, Relaxed)
            .is_ok()
    };
    let is_dead = |owner: &AtomicU32| {
        let thread = owner.load(Relaxed);
        !is_child && !sys::thread_is_alive(thread) && take(owner, thread)
    };
    let free = block.owners.iter().position(|owner| take(owner, 0));
    match free.or_else(|| block.owners.iter().position(is_dead)) {
        Some(index) => (address(index), true),
        None => sys::give_up(TOO_MANY_THREADS),
    }
}

pub fn give_up_for_memory() -> ! {
    sys::give_up(NO_MEMORY)
}
