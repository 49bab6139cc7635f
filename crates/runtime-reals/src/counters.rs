//! The counters of a site in the run record, which is mapped into memory.

use lostbits_abi::totals::{SharedTotals, SiteTotals};

/// The counters of one site. They are used only where the program differs from exact arithmetic.
#[derive(Clone, Copy)]
pub struct Counters(*mut SiteTotals);

impl Counters {
    /// # Safety
    ///
    /// `totals` is null or a row of the record, which all code accesses atomically. The record stays mapped while the module
    /// of the instrumented code is loaded, so it is there throughout a call from that code.
    #[inline(always)]
    pub unsafe fn new(totals: *mut SiteTotals) -> Counters {
        Counters(totals)
    }

    /// Counts a difference between the program and exact arithmetic, and keeps the worst. `distance` is in ulps; decisions
    /// count as 1.
    #[inline]
    pub fn count_difference(self, distance: u64, program: u64, exact: u64) {
        // SAFETY: `new`'s promise.
        if let Some(totals) = unsafe { SharedTotals::at(self.0) } {
            totals.count_inexact(distance, [program, exact]);
        }
    }
}
