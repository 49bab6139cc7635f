//! Memory for GMP and MPFR that is not the program's.
//!
//! Blocks come from a stretch of addresses of our own, in sizes that are powers of two; freed blocks of a
//! size are kept in a list. Nothing here waits: a signal handler or another thread may come between at
//! any moment. A list's head carries a counter beside the block, so that a block that was taken and given
//! back meanwhile is noticed.

use core::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed},
};

use crate::zone;

/// The smallest block, and what every block is a multiple of.
const GRAIN_BITS: u32 = 5;
const GRAIN: usize = 1 << GRAIN_BITS;
const SIZES: usize = 32;

/// Where the arena starts; 0 until it is asked for.
static START: AtomicUsize = AtomicUsize::new(0);
/// The first grain that was never handed out. Grain 0 stands for "none".
static UNTOUCHED: AtomicUsize = AtomicUsize::new(1);
static FREE: [AtomicU64; SIZES] = [const { AtomicU64::new(0) }; SIZES];

/// Reserves the arena; to be called before anything is allocated.
pub fn reserve() {
    START.store(zone::reserve(zone::ARENA), Relaxed);
}

/// # Safety
///
/// After [`reserve`].
pub unsafe fn allocate(bytes: usize) -> *mut u8 {
    let size = size_of_block(bytes);
    let grain = unsafe { take_freed(size) }.unwrap_or_else(|| take_untouched(size));
    address(grain)
}

/// # Safety
///
/// `block` came from [`allocate`] with as many bytes.
pub unsafe fn free(block: *mut u8, bytes: usize) {
    let Some(list) = FREE.get(size_of_block(bytes)) else {
        return;
    };
    let grain = (block as usize - START.load(Relaxed)) / GRAIN;
    let mut head = list.load(Relaxed);
    loop {
        unsafe { next_of(block) }.store(u64::from(grain_of(head)), Relaxed);
        match list.compare_exchange_weak(head, follow(head, grain as u32), AcqRel, Relaxed) {
            Ok(_) => return,
            Err(now) => head = now,
        }
    }
}

/// # Safety
///
/// As [`free`].
pub unsafe fn reallocate(block: *mut u8, bytes: usize, wanted: usize) -> *mut u8 {
    if size_of_block(bytes) == size_of_block(wanted) {
        return block;
    }
    unsafe {
        let new = allocate(wanted);
        core::ptr::copy_nonoverlapping(block, new, bytes.min(wanted));
        free(block, bytes);
        new
    }
}

/// A block is `GRAIN << size` bytes.
fn size_of_block(bytes: usize) -> usize {
    (bytes.max(GRAIN).next_power_of_two().trailing_zeros() - GRAIN_BITS) as usize
}

unsafe fn take_freed(size: usize) -> Option<u32> {
    let list = FREE.get(size)?;
    let mut head = list.load(Acquire);
    loop {
        let grain = grain_of(head);
        if grain == 0 {
            return None;
        }
        // Another may have taken the block by now and write to it; the counter will tell.
        let next = unsafe { next_of(address(grain)) }.load(Relaxed);
        match list.compare_exchange_weak(head, follow(head, next as u32), AcqRel, Acquire) {
            Ok(_) => return Some(grain),
            Err(now) => head = now,
        }
    }
}

fn take_untouched(size: usize) -> u32 {
    let grains = 1usize.checked_shl(size as u32).unwrap_or(usize::MAX / 2);
    let grain = UNTOUCHED.fetch_add(grains, Relaxed);
    if grain.saturating_add(grains) > zone::ARENA.bytes / GRAIN {
        zone::give_up_for_memory();
    }
    grain as u32
}

fn address(grain: u32) -> *mut u8 {
    (START.load(Relaxed) + grain as usize * GRAIN) as *mut u8
}

unsafe fn next_of(block: *mut u8) -> &'static AtomicU64 {
    unsafe { AtomicU64::from_ptr(block.cast()) }
}

fn grain_of(head: u64) -> u32 {
    head as u32
}

/// The head that has `grain` in the place of `head`'s, with the counter moved on.
fn follow(head: u64, grain: u32) -> u64 {
    ((head >> 32) + 1) << 32 | u64::from(grain)
}
