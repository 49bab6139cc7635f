//! Shadows follow the program's memory where instrumented code copies or fills it wholesale.
//!
//! A load checks a shadow against the value beside it, so a shadow that was left behind is never
//! believed, only missed. What lies outside the mirrored addresses is therefore simply skipped.

use core::{
    mem, ptr,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use crate::{
    planes,
    sys::{self, PAGE},
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

/// From now on, owning cells are copied and cleared so.
pub fn own(owning: &'static Owning) {
    OWNING.store(ptr::from_ref(owning) as usize, Relaxed);
}

fn owning() -> Option<&'static Owning> {
    // SAFETY: null, or from a reference.
    unsafe { mem::transmute::<usize, Option<&'static Owning>>(OWNING.load(Relaxed)) }
}

pub unsafe fn copy(destination: usize, source: usize, bytes: usize) {
    if bytes == 0 || destination == source || !planes::is_mirrored(destination, bytes) {
        return;
    }
    if !planes::is_mirrored(source, bytes) {
        return unsafe { clear(destination, bytes) };
    }
    planes::for_each_in_use(|distance| {
        let from = source.wrapping_sub(distance) as *const u8;
        let to = destination.wrapping_sub(distance) as *mut u8;
        // SAFETY: planes cover all mirrored addresses; the ranges may overlap.
        unsafe { ptr::copy(from, to, bytes) };
    });
    if let Some(owning) = owning() {
        unsafe { (owning.copy)(destination, source, bytes) };
    }
}

pub unsafe fn clear(destination: usize, bytes: usize) {
    if bytes == 0 || !planes::is_mirrored(destination, bytes) {
        return;
    }
    planes::for_each_in_use(|distance| {
        // SAFETY: planes cover all mirrored addresses.
        unsafe { zero(destination.wrapping_sub(distance), bytes) };
    });
    if let Some(owning) = owning() {
        unsafe { (owning.clear)(destination, bytes) };
    }
}

unsafe fn zero(start: usize, bytes: usize) {
    let end = start.wrapping_add(bytes);
    let first_page = start.wrapping_add(PAGE - 1) & !(PAGE - 1);
    let last_page = end & !(PAGE - 1);
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
unsafe fn discard(from: usize, to: usize) -> bool {
    unsafe { sys::advise(from, to.wrapping_sub(from), libc::MADV_DONTNEED) }.is_ok()
}
