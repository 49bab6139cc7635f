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

#[cfg(test)]
mod tests {
    use std::{thread, vec::Vec};

    use super::*;

    /// Threads take, write, check and give back blocks of many sizes at once.
    #[test]
    fn no_two_have_the_same_block() {
        shared::reserve();
        let work = |thread: usize| {
            let mut held: Vec<(*mut u8, usize)> = Vec::new();
            for round in 0..20_000usize {
                let bytes = 8 + (round * 37 + thread * 11) % 900;
                let block = unsafe { allocate(bytes) };
                unsafe { core::ptr::write_bytes(block, thread as u8, bytes) };
                held.push((block, bytes));
                if held.len() > 20 {
                    let (block, bytes) = held.swap_remove(round % 20);
                    let all = unsafe { core::slice::from_raw_parts(block, bytes) };
                    assert!(all.iter().all(|byte| *byte == thread as u8));
                    unsafe { free(block, bytes) };
                }
            }
        };
        let threads: Vec<_> = (1..5).map(|id| thread::spawn(move || work(id))).collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        let first = unsafe { allocate(100) };
        unsafe { free(first, 100) };
        assert_eq!(unsafe { allocate(100) }, first);
    }

    #[test]
    fn a_block_that_grows_keeps_what_it_holds() {
        shared::reserve();
        unsafe {
            let block = allocate(20);
            block.write_bytes(7, 20);
            let same = reallocate(block, 20, 30);
            assert_eq!(same, block);
            let larger = reallocate(same, 30, 3000);
            assert_ne!(larger, block);
            assert!((0..20).all(|at| *larger.add(at) == 7));
        }
    }
}
