//! Influences of values that are sent to another process of the same program (MPI).
//!
//! A set is a word that means something in its process only, so sets travel as lists of sites. These are numbered alike in all
//! processes of a program. The layer for MPI carries the lists (`lostbits/src/compile/mpi`).

use core::ffi::c_void;

use lostbits_abi::explain::set;

use super::{influences::LARGEST, state::with_state};

/// Writes the members of a set to `sites`; returns their number.
///
/// # Safety
///
/// There is room for [`LARGEST`] sites.
pub unsafe fn sent_set(set: u32, sites: *mut u32) -> u32 {
    let mut count = 0;
    with_state(|state| {
        let mut room = [0; set::BITS];
        let members = state.sets.members(set, &mut room);
        count = members.len().min(LARGEST);
        // SAFETY: the caller's promise.
        unsafe { core::ptr::copy_nonoverlapping(members.as_ptr(), sites, count) };
    });
    count as u32
}

/// The set with these members.
pub fn received_set(sites: &[u32]) -> u32 {
    let mut received = set::EMPTY;
    with_state(|state| {
        for site in sites {
            let one = state.sets.singleton(*site);
            received = state.sets.union(received, one);
        }
    });
    received
}

/// Where the tables of sets are, with their sizes in bytes.
///
/// # Safety
///
/// There is room for three of each.
pub unsafe fn tables(at: *mut *const c_void, bytes: *mut u64) {
    let mut tables = [(core::ptr::null(), 0); 3];
    with_state(|state| tables = state.sets.tables());
    for (index, (start, size)) in tables.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe {
            at.add(index).write(start);
            bytes.add(index).write(size as u64);
        }
    }
}
