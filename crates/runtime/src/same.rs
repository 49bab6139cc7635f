//! Mode `same`: the shadow at the program's own precision must equal the program's value. Counts the sites where it did not.

use lostbits_abi::totals::{SharedTotals, SiteTotals};

/// # Safety
///
/// `totals` are those of a site of mode `same`, or null.
pub unsafe fn count_difference(totals: *mut SiteTotals, program_bits: u64, shadow_bits: u64) {
    // SAFETY: instrumented code and the runtime access totals atomically.
    if let Some(totals) = unsafe { SharedTotals::at(totals) } {
        totals.count_difference(program_bits, shadow_bits);
    }
}
