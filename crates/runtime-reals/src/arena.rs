//! An allocator for GMP and MPFR that does not use the program's heap.
//!
//! Blocks have sizes that are powers of two; freed blocks of a size are kept in a list. Nothing blocks: a signal handler or
//! another thread may interrupt at any moment.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::shared::{self, ARENA, ARENA_BYTES, block};

/// The smallest block, of which every block is a multiple.
const GRAIN_BITS: u32 = 5;
const GRAIN: usize = 1 << GRAIN_BITS;

/// # Safety
///
/// [`shared::reserve`] was called.
pub unsafe fn allocate(bytes: usize) -> *mut u8 {
    let size = size_of_block(bytes);
    // SAFETY: grains in a list are those of freed blocks.
    let freed = block()
        .free_blocks
        .get(size)
        .and_then(|list| list.pop(|grain| unsafe { next_of(address(grain)) }.load(Relaxed)));
    address(freed.unwrap_or_else(|| take_untouched(size)))
}

/// # Safety
///
/// `freed` came from [`allocate`] with the same `bytes`.
pub unsafe fn free(freed: *mut u8, bytes: usize) {
    if let Some(list) = block().free_blocks.get(size_of_block(bytes)) {
        let grain = (freed as usize - ARENA) / GRAIN;
        list.push(grain as u32, |next| {
            // SAFETY: the caller gives up the block, which has at least the 4 bytes of a link.
            unsafe { next_of(freed) }.store(next, Relaxed);
        });
    }
}

/// # Safety
///
/// As for [`free`].
pub unsafe fn reallocate(old: *mut u8, bytes: usize, wanted: usize) -> *mut u8 {
    if size_of_block(bytes) == size_of_block(wanted) {
        return old;
    }
    // SAFETY: the caller's promise; both blocks have at least the smaller size.
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
        shared::out_of_memory();
    }
    grain as u32
}

fn address(grain: u32) -> *mut u8 {
    (ARENA + grain as usize * GRAIN) as *mut u8
}

/// The link in a free block.
///
/// # Safety
///
/// `block` is a block of the arena that is free, or is about to be.
unsafe fn next_of(block: *mut u8) -> &'static AtomicU32 {
    // SAFETY: blocks are aligned to GRAIN and never unmapped. A thread that races for a block reads garbage, which
    // `List::pop` discards.
    unsafe { AtomicU32::from_ptr(block.cast()) }
}

#[cfg(test)]
mod tests {
    use std::{thread, vec::Vec};

    use super::*;

    /// Threads allocate, write, check and free blocks of many sizes at once.
    #[test]
    fn no_block_is_handed_out_twice() {
        let work = |thread: usize| {
            let mut held: Vec<(*mut u8, usize)> = Vec::new();
            for round in 0..20_000usize {
                let bytes = 8 + (round * 37 + thread * 11) % 900;
                // SAFETY: the arena is reserved, and a block has `bytes` bytes.
                let block = unsafe {
                    let block = allocate(bytes);
                    core::ptr::write_bytes(block, thread as u8, bytes);
                    block
                };
                held.push((block, bytes));
                if held.len() > 20 {
                    let (block, bytes) = held.swap_remove(round % 20);
                    // SAFETY: this thread holds the block.
                    let all = unsafe { core::slice::from_raw_parts(block, bytes) };
                    assert!(all.iter().all(|byte| *byte == thread as u8));
                    // SAFETY: it came from `allocate` with `bytes`.
                    unsafe { free(block, bytes) };
                }
            }
        };
        let threads: Vec<_> = (1..5).map(|id| thread::spawn(move || work(id))).collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        // Of a size that no other test uses meanwhile.
        const BYTES: usize = 1 << 20;
        // SAFETY: as above.
        unsafe {
            let first = allocate(BYTES);
            free(first, BYTES);
            assert_eq!(allocate(BYTES), first);
        }
    }

    #[test]
    fn reallocation_keeps_the_contents() {
        // SAFETY: each block is used with the size it was allocated with.
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
