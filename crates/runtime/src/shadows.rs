//! Shadows follow memory that the program copies or fills as a whole.
//!
//! A load checks a shadow against the value beside it, so an outdated shadow is never believed, only ignored. Addresses
//! without shadows can therefore be skipped.

use core::{
    mem, ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use crate::{
    planes,
    sys::{self, PAGE},
    tagged_memory,
};

/// From this size on, clearing gives pages back to the kernel instead of touching them.
const LARGE: usize = 32 * PAGE;

/// How cells that own something are copied and cleared.
pub struct Owning {
    /// `(destination, source, bytes)`, which may overlap.
    pub copy: unsafe fn(usize, usize, usize),
    /// `(destination, bytes)`.
    pub clear: unsafe fn(usize, usize),
}

/// The address of an [`Owning`], where there are such cells.
static OWNING: AtomicUsize = AtomicUsize::new(0);

/// From now on, owning cells are copied and cleared by these functions.
pub fn own(owning: &'static Owning) {
    OWNING.store(ptr::from_ref(owning) as usize, Relaxed);
}

fn owning() -> Option<&'static Owning> {
    // SAFETY: `own` stores the address of a static, and 0 is `None`.
    unsafe { mem::transmute::<usize, Option<&'static Owning>>(OWNING.load(Relaxed)) }
}

/// Shadows follow `bytes` from `source` to `destination`.
///
/// # Safety
///
/// The program has just copied these bytes: nothing else changes them or their shadows meanwhile.
pub unsafe fn copy(destination: usize, source: usize, bytes: usize) {
    if bytes == 0 || destination == source || !planes::is_mirrored(destination, bytes) {
        return;
    }
    if !planes::is_mirrored(source, bytes) {
        // SAFETY: the caller's promise.
        return unsafe { clear(destination, bytes) };
    }
    planes::for_each_in_use(|distance| {
        let from = planes::mirror(source, distance) as *const u8;
        let to = planes::mirror(destination, distance) as *mut u8;
        // SAFETY: planes cover all mirrored addresses; the ranges may overlap.
        unsafe { ptr::copy(from, to, bytes) };
    });
    tagged_memory::copied(destination, bytes);
    if let Some(owning) = owning() {
        // SAFETY: both ranges are mirrored; the rest is the caller's promise.
        unsafe { (owning.copy)(destination, source, bytes) };
    }
}

/// A byte or two of a number are copied. The owner of a shadow is copied with the last byte of its cell; if other bytes of
/// the number follow later, the shadow fits only then.
///
/// # Safety
///
/// As for [`copy`].
pub unsafe fn copy_piece(destination: usize, source: usize, bytes: usize) {
    const CELL: usize = 4;
    let (to, from) = (destination & !(CELL - 1), source & !(CELL - 1));
    let is_last = (source + bytes).is_multiple_of(CELL);
    let fits = destination % CELL == source % CELL
        && planes::is_mirrored(to, CELL)
        && planes::is_mirrored(from, CELL);
    if !is_last || !fits {
        return;
    }
    if let Some(owning) = owning() {
        // SAFETY: both cells are mirrored; the rest is the caller's promise.
        unsafe { (owning.copy)(to, from, CELL) };
    }
}

/// Whether any cell of these bytes holds something, in a plane whose cells are plain bytes or in the owning one.
///
/// # Safety
///
/// The range is mirrored.
pub unsafe fn has_any(start: usize, bytes: usize) -> bool {
    let mut found = false;
    planes::for_each_with_cells(|distance| {
        // SAFETY: planes cover all mirrored addresses.
        let cells = unsafe {
            core::slice::from_raw_parts(planes::mirror(start, distance) as *const u8, bytes)
        };
        found |= cells.iter().any(|byte| *byte != 0);
    });
    found
}

/// Whether the cells of two places differ, as far as they are plain bytes.
///
/// # Safety
///
/// Both are mirrored.
pub unsafe fn differ(a: usize, b: usize, bytes: usize) -> bool {
    let mut found = false;
    planes::for_each_in_use(|distance| {
        // SAFETY: planes cover all mirrored addresses.
        let cells = |at: usize| unsafe {
            core::slice::from_raw_parts(planes::mirror(at, distance) as *const u8, bytes)
        };
        found |= cells(a) != cells(b);
    });
    found
}

/// The program filled `bytes` from `destination` on: their shadows are invalid.
///
/// # Safety
///
/// Nothing else changes these bytes or their shadows meanwhile.
pub unsafe fn clear(destination: usize, bytes: usize) {
    if bytes == 0 || !planes::is_mirrored(destination, bytes) {
        return;
    }
    planes::for_each_in_use(|distance| {
        // SAFETY: planes cover all mirrored addresses.
        unsafe { zero(planes::mirror(destination, distance), bytes) };
    });
    if let Some(owning) = owning() {
        // SAFETY: the range is mirrored; the rest is the caller's promise.
        unsafe { (owning.clear)(destination, bytes) };
    }
}

/// # Safety
///
/// The range is within a plane.
unsafe fn zero(start: usize, bytes: usize) {
    let end = start.wrapping_add(bytes);
    let first_page = start.wrapping_add(PAGE - 1) & !(PAGE - 1);
    let last_page = end & !(PAGE - 1);
    // SAFETY: all three ranges are within the given one.
    unsafe {
        if bytes >= LARGE && discard(first_page, last_page) {
            ptr::write_bytes(start as *mut u8, 0, first_page.wrapping_sub(start));
            ptr::write_bytes(last_page as *mut u8, 0, end.wrapping_sub(last_page));
        } else {
            ptr::write_bytes(start as *mut u8, 0, bytes);
        }
    }
}

/// Discarded pages read as zeros. Pages that are locked in memory cannot be discarded.
///
/// # Safety
///
/// The pages are within a plane, and what they hold is no longer needed.
unsafe fn discard(from: usize, to: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { sys::advise(from, to.wrapping_sub(from), libc::MADV_DONTNEED) }.is_ok()
}
