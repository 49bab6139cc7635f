//! What all copies of the runtime in a process share.
//!
//! An executable, and libraries loaded with `RTLD_LOCAL`, may each contain a copy; libraries come and go. Numbers outlive
//! that: the arena, the objects and the threads' rooms lie at fixed addresses below the shadow planes. The first copy
//! reserves them, and one block at a fixed address describes them. Reserving takes addresses, not memory.

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

/// The address of [`Block`].
const BLOCK: usize = TIB;
const BLOCK_BYTES: usize = 1 << 14;
/// Memory of GMP and MPFR; 32 bits address it in grains.
pub const ARENA: usize = 2 * TIB;
pub const ARENA_BYTES: usize = 64 * GIB;
/// Numbers of values in memory; 32 bits address them.
pub const OBJECTS: usize = 3 * TIB;
pub const OBJECTS_BYTES: usize = 2 * TIB;

const MARK: u64 = u64::from_le_bytes(*b"LBreals\0") | (ABI_VERSION as u64) << 56;
const SIZES: usize = 32;

#[repr(C)]
pub struct Block {
    /// Set when everything else is ready.
    mark: AtomicU64,
    /// The process that reserved the memory; a forked child has another.
    process: AtomicU32,
    /// In bits; 0 until it is set.
    pub precision: AtomicU32,
    /// Arena: the first grain never handed out, and lists of freed blocks by size.
    pub grains: AtomicUsize,
    pub free_blocks: [List; SIZES],
    /// Objects: the first never used, and the list of freed ones.
    pub objects: AtomicU32,
    pub free_objects: List,
    /// The thread that owns each room; 0 if it was never taken.
    owners: [AtomicU32; ROOMS as usize],
}

const _: () = assert!(size_of::<Block>() <= BLOCK_BYTES);
const _: () = assert!(OBJECTS + OBJECTS_BYTES <= FRAMES_START as usize);

/// A lock-free stack of indices: the index of the first element, and above it a counter that detects an element that was
/// popped and pushed again meanwhile (ABA). Index 0 means empty.
#[repr(transparent)]
pub struct List(AtomicU64);

impl List {
    /// Pops the first element; `next` returns the one after it.
    pub fn pop(&self, next: impl Fn(u32) -> u32) -> Option<u32> {
        let mut head = self.0.load(Acquire);
        while head as u32 != 0 {
            // Another thread may have popped it and write to it; then the counter differs.
            let after = next_head(head, next(head as u32));
            match self.0.compare_exchange_weak(head, after, AcqRel, Acquire) {
                Ok(_) => return Some(head as u32),
                Err(now) => head = now,
            }
        }
        None
    }

    /// Pushes `index`; `link` stores the element after it.
    pub fn push(&self, index: u32, link: impl Fn(u32)) {
        let mut head = self.0.load(Relaxed);
        loop {
            link(head as u32);
            match self
                .0
                .compare_exchange_weak(head, next_head(head, index), AcqRel, Relaxed)
            {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

fn next_head(head: u64, index: u32) -> u64 {
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
    // SAFETY: `reserve` comes before all other functions and maps the block for good. All fields are atomics, for which
    // zeros are valid.
    unsafe { &*(BLOCK as *const Block) }
}

/// Reserves everything, unless another copy has.
pub fn reserve() {
    // SAFETY: new memory at a free address; nothing else is mapped over.
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
        // SAFETY: new memory at free addresses, as above.
        unsafe {
            sys::map(Place::Free(start), bytes, Backing::Memory)?;
            // It does not belong into a core dump; failure does no harm.
            let _ = sys::advise(start, bytes, libc::MADV_DONTDUMP);
        }
    }
    // Objects are many and close together: huge pages save TLB misses. Failure does no harm.
    // SAFETY: just mapped; the advice does not change its contents.
    let _ = unsafe { sys::advise(OBJECTS, OBJECTS_BYTES, libc::MADV_HUGEPAGE) };
    let block = block();
    block.process.store(sys::process_id(), Relaxed);
    block.grains.store(1, Relaxed);
    block.objects.store(1, Relaxed);
    block.mark.store(MARK, Release);
    Ok(())
}

/// Waits a while: another thread may be loading another copy of the runtime at this moment.
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

/// The address of the calling thread's room, and whether the thread has just got it.
pub fn take_room() -> (u64, bool) {
    let block = block();
    let thread = sys::thread_id();
    let address = |index: usize| FRAMES_START + index as u64 * ROOM_BYTES;
    // The threads of a forking process do not exist in its child, and their ids mean nothing there.
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

pub fn out_of_memory() -> ! {
    sys::give_up(NO_MEMORY)
}
