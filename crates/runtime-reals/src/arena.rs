//! Memory for GMP and MPFR that is not the program's.
//!
//! Blocks come from a stretch of addresses of our own, in sizes that are powers of two; freed blocks of a
//! size are kept in a list. Nothing here waits: a signal handler or another thread may come between at
//! any moment.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::shared::{self, ARENA, ARENA_BYTES, block};

/// The smallest block, and what every block is a multiple of.
const GRAIN_BITS: u32 = 5;
const GRAIN: usize = 1 << GRAIN_BITS;

/// # Safety
///
/// After [`shared::reserve`].
pub unsafe fn allocate(bytes: usize) -> *mut u8 {
    let size = size_of_block(bytes);
    let freed = block()
        .free_blocks
        .get(size)
        .and_then(|list| list.take(|grain| unsafe { next_of(address(grain)) }.load(Relaxed)));
    address(freed.unwrap_or_else(|| take_untouched(size)))
}

/// # Safety
///
/// `freed` came from [`allocate`] with as many bytes.
pub unsafe fn free(freed: *mut u8, bytes: usize) {
    if let Some(list) = block().free_blocks.get(size_of_block(bytes)) {
        let grain = (freed as usize - ARENA) / GRAIN;
        list.give(grain as u32, |next| {
            unsafe { next_of(freed) }.store(next, Relaxed);
        });
    }
}

/// # Safety
///
/// As [`free`].
pub unsafe fn reallocate(old: *mut u8, bytes: usize, wanted: usize) -> *mut u8 {
    if size_of_block(bytes) == size_of_block(wanted) {
        return old;
    }
    unsafe {
        let new = allocate(wanted);
        core::ptr::copy_nonoverlapping(old, new, bytes.min(wanted));
        free(old, bytes);
        new
    }
}

/// A block is `GRAIN << size` bytes.
fn size_of_block(bytes: usize) -> usize {
    (bytes.max(GRAIN).next_power_of_two().trailing_zeros() - GRAIN_BITS) as usize
}

fn take_untouched(size: usize) -> u32 {
    let grains = 1usize.checked_shl(size as u32).unwrap_or(usize::MAX / 2);
    let grain = block().grains.fetch_add(grains, Relaxed);
    if grain.saturating_add(grains) > ARENA_BYTES / GRAIN {
        shared::give_up_for_memory();
    }
    grain as u32
}

fn address(grain: u32) -> *mut u8 {
    (ARENA + grain as usize * GRAIN) as *mut u8
}

unsafe fn next_of(block: *mut u8) -> &'static AtomicU32 {
    unsafe { AtomicU32::from_ptr(block.cast()) }
}
