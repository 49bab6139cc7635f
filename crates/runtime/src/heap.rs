//! Shadows follow reallocated heap blocks.
//!
//! The allocator's `malloc_usable_size` says, before the program reallocates a block, how much of its shadow has to move. A
//! program's own allocator may lack that function. The C library's must then not be called with blocks that it did not
//! make, and the size is unknown.

use core::{
    arch::asm,
    ffi::c_void,
    mem,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use crate::{shadows, versions};

/// An unknown size: as much as the new block holds is moved. That moves what comes after the old block, too; loads ignore it,
/// because they check shadows against values.
const UNKNOWN: usize = usize::MAX;

type UsableSize = unsafe extern "C" fn(*mut c_void) -> usize;

/// The allocator's `malloc_usable_size`, or 0.
static USABLE_SIZE: AtomicUsize = AtomicUsize::new(0);

/// Finds the allocator's function; called once.
pub fn find_allocator() {
    // Weak references: a strong one would pull the C library's allocator into a statically linked
    // program that has its own, and clash with it.
    let (allocate, usable_size): (usize, usize);
    // SAFETY: only two words of the global offset table are read.
    unsafe {
        asm!(
            ".weak malloc",
            ".weak malloc_usable_size",
            "mov {0}, qword ptr [rip + malloc@GOTPCREL]",
            "mov {1}, qword ptr [rip + malloc_usable_size@GOTPCREL]",
            out(reg) allocate,
            out(reg) usable_size,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    if usable_size != 0 && start_of_file(allocate) == start_of_file(usable_size) {
        USABLE_SIZE.store(usable_size, Relaxed);
    }
}

fn start_of_file(address: usize) -> *mut c_void {
    versions::file_of(address).dli_fbase
}

/// # Safety
///
/// `block` is null or a block that the program is about to reallocate.
pub unsafe fn size(block: *mut c_void) -> usize {
    if block.is_null() {
        return 0;
    }
    match USABLE_SIZE.load(Relaxed) {
        0 => UNKNOWN,
        // SAFETY: the address was that of `malloc_usable_size`, and the program is about to pass
        // `block` to the same allocator's `realloc`.
        function => unsafe { mem::transmute::<usize, UsableSize>(function)(block) },
    }
}

/// # Safety
///
/// `realloc` moved the block `old` to `new`, or failed and returned 0.
pub unsafe fn moved(new: usize, old: usize, old_bytes: usize, new_bytes: usize) {
    if new != 0 && old != 0 {
        // SAFETY: `realloc` has just copied these bytes; the caller's promise.
        unsafe { shadows::copy(new, old, old_bytes.min(new_bytes)) };
    }
}
