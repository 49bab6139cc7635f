//! Shadows follow what the C library sorts.
//!
//! `qsort` moves elements itself and calls the program's comparison in between, also with elements that it keeps in memory
//! of its own. So each comparison first gives its two elements their shadows, by their contents, and the end of the sort
//! gives them to the whole array. The library's own function runs, in its own order.
//!
//! What it can miss: elements that a comparison changes.

use core::ptr;

use crate::{
    sys::{self, Backing, PAGE, Place},
    value_index::ValueIndex,
};

/// A sort that is under way in a thread.
pub struct Sort {
    /// The sort that this one was started from.
    outer: *mut Sort,
    comparison: usize,
    base: usize,
    /// None if no element has a shadow.
    index: Option<ValueIndex>,
}

/// `qsort` is about to be called.
///
/// # Safety
///
/// `current` is this thread's; the rest are arguments of `qsort`.
pub unsafe fn begin(
    current: *mut *mut Sort,
    base: usize,
    count: usize,
    size: usize,
    comparison: usize,
) {
    // SAFETY: the caller's promise; nothing is mapped over.
    unsafe {
        let sort = Sort {
            outer: *current,
            comparison,
            base,
            index: ValueIndex::of(base, count, size),
        };
        // Without memory the program could not go on.
        let Ok(at) = sys::map(Place::Anywhere, PAGE, Backing::Memory) else {
            sys::give_up("lostbits: there is no memory left to follow a sort.\n");
        };
        ptr::write(at as *mut Sort, sort);
        *current = at as *mut Sort;
    }
}

/// Two elements are about to be compared; returns the program's comparison.
///
/// # Safety
///
/// `current` is this thread's, and a sort is under way; the elements are those that the library passed.
pub unsafe fn compared(current: *mut *mut Sort, a: usize, b: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        let sort = &**current;
        if let Some(index) = &sort.index {
            index.restore(a);
            index.restore(b);
        }
        sort.comparison
    }
}

/// `qsort` returned.
///
/// # Safety
///
/// `current` is this thread's. Sorts that a jump or an exception left are still on the stack of sorts.
pub unsafe fn end(current: *mut *mut Sort, base: usize) {
    // SAFETY: the caller's promise; sorts are written by `begin` and unmapped here only.
    unsafe {
        loop {
            let at = *current;
            if at.is_null() {
                return;
            }
            let sort = ptr::read(at);
            *current = sort.outer;
            sys::unmap(at as usize, PAGE);
            if sort.base == base {
                if let Some(index) = &sort.index {
                    index.restore_all(base);
                }
                return;
            }
        }
    }
}
