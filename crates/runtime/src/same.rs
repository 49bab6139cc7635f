//! Mode `same`: the shadow at the program's own precision must equal the program's value; here the
//! places where it did not are counted.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lostbits_abi::site::SiteTotals;

/// Counts a difference. The first at a site is kept as the example; threads that tie for the first
/// may mix their examples, never their counts.
pub unsafe fn count_difference(totals: *mut SiteTotals, program_bits: u64, shadow_bits: u64) {
    if totals.is_null() {
        return;
    }
    let at = |field: *mut u64| unsafe { AtomicU64::from_ptr(field) };
    unsafe {
        if at(&raw mut (*totals).differences).fetch_add(1, Relaxed) == 0 {
            at(&raw mut (*totals).program_bits).store(program_bits, Relaxed);
            at(&raw mut (*totals).shadow_bits).store(shadow_bits, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_the_example_and_all_are_counted() {
        let mut totals = SiteTotals::default();
        unsafe {
            count_difference(&mut totals, 1, 2);
            count_difference(&mut totals, 3, 4);
        }
        let expected = SiteTotals {
            differences: 2,
            fresh: 0,
            program_bits: 1,
            shadow_bits: 2,
        };
        assert_eq!(totals, expected);
    }
}
