//! What the runtime counts for a site, and what the four words mean in each mode.
//!
//! Instrumented code and the runtime share one layout for all modes, [`SiteTotals`]; its field names are those of mode `same`.
//! Other modes give the words other meanings. Both sides of each meaning are here: the runtime writes through
//! [`SharedTotals`], the tool reads through [`WatchTotals`], [`ErrorPathTotals`] and [`HighPrecisionTotals`].

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The totals of a site, as mode `same` means them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct SiteTotals {
    /// How often the shadow differed from the program's value.
    pub differences: u64,
    /// How often a value arrived without a shadow and got a fresh one. Instrumented code counts this in line.
    pub fresh: u64,
    /// The first difference: the program's bits and the shadow's.
    pub program_bits: u64,
    pub shadow_bits: u64,
}

/// The totals of an operation or a decision in mode `watch`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchTotals {
    /// How often an error was amplified, or a decision depended on an amplified error.
    pub times: u64,
    /// The union of the tags that led here.
    pub tags: u64,
    /// The bits of the operands when that happened first.
    pub operands: [u64; 2],
}

/// The totals of a site that records error paths in mode `watch` ([`Note::ErrorPath`](crate::site::Note)). A path is known by the
/// addresses of such totals in the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorPathTotals {
    /// How often the operation computed with a tagged value.
    pub times: u64,
    /// The address of these totals.
    pub own: u64,
    /// The addresses of up to two operations that made its operands; 0 for none.
    pub makers: [u64; 2],
}

/// The totals of an operation or a decision in mode `reals`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HighPrecisionTotals {
    /// How often the result was not the exact one, rounded; or the decision was a different one in exact arithmetic.
    pub times: u64,
    /// The largest distance of the two, in values of the format; 1 for a decision.
    pub distance: u64,
    /// The program's bits and those of the rounded exact result at that distance. Of a comparison, the operands' bits when it
    /// happened first; of a conversion, the operand and the exact integer.
    pub bits: [u64; 2],
}

/// The totals of a call that lends memory to a function that is not instrumented
/// ([`Lost::Uninstrumented`](crate::site::Lost)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LentTotals {
    /// How many calls wrote numbers that were nowhere before, or wrote into memory of unknown extent.
    pub writing_calls: u64,
    /// How many calls got more memory than is compared.
    pub too_large: u64,
}

impl SiteTotals {
    pub const fn lent(self) -> LentTotals {
        LentTotals {
            writing_calls: self.program_bits,
            too_large: self.shadow_bits,
        }
    }

    pub const fn watch(self) -> WatchTotals {
        WatchTotals {
            times: self.differences,
            tags: self.fresh,
            operands: [self.program_bits, self.shadow_bits],
        }
    }

    pub const fn error_path(self) -> ErrorPathTotals {
        ErrorPathTotals {
            times: self.differences,
            own: self.fresh,
            makers: [self.program_bits, self.shadow_bits],
        }
    }

    pub const fn high_precision(self) -> HighPrecisionTotals {
        HighPrecisionTotals {
            times: self.differences,
            distance: self.fresh,
            bits: [self.program_bits, self.shadow_bits],
        }
    }
}

/// [`SiteTotals`] that threads count in. Counts are exact; threads that tie for the first or the worst example may mix
/// their bits.
#[repr(transparent)]
pub struct SharedTotals {
    words: [AtomicU64; 4],
}

const TIMES: usize = 0;
const DETAIL: usize = 1;
const FIRST: usize = 2;
const SECOND: usize = 3;

impl SharedTotals {
    /// # Safety
    ///
    /// `totals` are a site's, or null; while the reference is used, all accesses to them are atomic.
    #[inline]
    pub unsafe fn at<'totals>(totals: *mut SiteTotals) -> Option<&'totals SharedTotals> {
        // SAFETY: the same size and alignment; the rest is the caller's promise.
        unsafe { totals.cast::<SharedTotals>().as_ref() }
    }

    /// Mode `same`: a difference; the first is the example.
    #[inline]
    pub fn count_difference(&self, program_bits: u64, shadow_bits: u64) {
        if self.words[TIMES].fetch_add(1, Relaxed) == 0 {
            self.set_bits([program_bits, shadow_bits]);
        }
    }

    /// Mode `watch`: an amplified error, or a decision that depends on one, with these tags.
    #[inline]
    pub fn count_amplified(&self, operands: [u64; 2], tags: u64) {
        if self.words[TIMES].fetch_add(1, Relaxed) == 0 {
            self.set_bits(operands);
        }
        // Seldom anything new, and reading is cheaper.
        if self.words[DETAIL].load(Relaxed) & tags != tags {
            self.words[DETAIL].fetch_or(tags, Relaxed);
        }
    }

    /// Mode `watch`: an operation on tagged values. `makers` finds the operations that made them; it is called until it finds
    /// one.
    #[inline]
    pub fn count_error_path(&self, makers: impl FnOnce() -> [u64; 2]) {
        self.words[TIMES].fetch_add(1, Relaxed);
        self.words[DETAIL].store(self.address(), Relaxed);
        if self.words[FIRST].load(Relaxed) == 0 {
            self.set_bits(makers());
        }
    }

    /// Mode `reals`: a result or decision that differs from the exact one; the most distant is the example.
    #[inline]
    pub fn count_inexact(&self, distance: u64, bits: [u64; 2]) {
        self.words[TIMES].fetch_add(1, Relaxed);
        if distance > self.words[DETAIL].load(Relaxed) {
            self.words[DETAIL].store(distance, Relaxed);
            self.set_bits(bits);
        }
    }

    /// A call of a function that is not instrumented wrote numbers, or could not be followed.
    #[inline]
    pub fn count_lent(&self, is_too_large: bool) {
        let word = if is_too_large { SECOND } else { FIRST };
        self.words[word].fetch_add(1, Relaxed);
    }

    /// By which [`ErrorPathTotals`] know these totals.
    #[inline]
    pub fn address(&self) -> u64 {
        &raw const *self as u64
    }

    /// The second first: whoever sees the first sees both.
    #[inline]
    fn set_bits(&self, [first, second]: [u64; 2]) {
        self.words[SECOND].store(second, Relaxed);
        self.words[FIRST].store(first, Relaxed);
    }
}

const _: () = {
    assert!(size_of::<SharedTotals>() == size_of::<SiteTotals>());
    assert!(core::mem::offset_of!(SiteTotals, differences) == 8 * TIMES);
    assert!(core::mem::offset_of!(SiteTotals, fresh) == 8 * DETAIL);
    assert!(core::mem::offset_of!(SiteTotals, program_bits) == 8 * FIRST);
    assert!(core::mem::offset_of!(SiteTotals, shadow_bits) == 8 * SECOND);
};

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(count: impl Fn(&SharedTotals)) -> SiteTotals {
        let mut totals = SiteTotals::default();
        // SAFETY: the totals are a local variable of this thread.
        count(unsafe { SharedTotals::at(&mut totals) }.unwrap());
        totals
    }

    #[test]
    fn the_first_difference_is_the_example_and_all_are_counted() {
        let totals = counted(|shared| {
            shared.count_difference(1, 2);
            shared.count_difference(3, 4);
        });
        let expected = SiteTotals {
            differences: 2,
            fresh: 0,
            program_bits: 1,
            shadow_bits: 2,
        };
        assert_eq!(totals, expected);
    }

    #[test]
    fn watch_unites_tags_and_keeps_the_first_operands() {
        let totals = counted(|shared| {
            shared.count_amplified([5, 6], 1);
            shared.count_amplified([7, 8], 4);
        });
        let expected = WatchTotals {
            times: 2,
            tags: 5,
            operands: [5, 6],
        };
        assert_eq!(totals.watch(), expected);
    }

    #[test]
    fn an_error_path_keeps_the_first_makers_that_are_found() {
        let mut totals = SiteTotals::default();
        // SAFETY: the totals are a local variable of this thread.
        let shared = unsafe { SharedTotals::at(&mut totals) }.unwrap();
        shared.count_error_path(|| [0, 0]);
        shared.count_error_path(|| [8, 9]);
        shared.count_error_path(|| unreachable!("makers are known"));
        let own = shared.address();
        let expected = ErrorPathTotals {
            times: 3,
            own,
            makers: [8, 9],
        };
        assert_eq!(totals.error_path(), expected);
        assert_eq!(own, &raw const totals as u64);
    }

    #[test]
    fn high_precision_keeps_the_most_distant_result() {
        let totals = counted(|shared| {
            shared.count_inexact(2, [1, 3]);
            shared.count_inexact(5, [10, 15]);
            shared.count_inexact(3, [4, 7]);
        });
        let expected = HighPrecisionTotals {
            times: 3,
            distance: 5,
            bits: [10, 15],
        };
        assert_eq!(totals.high_precision(), expected);
    }

    #[test]
    fn nothing_is_counted_without_totals() {
        // SAFETY: null is allowed.
        assert!(unsafe { SharedTotals::at(core::ptr::null_mut()) }.is_none());
    }

    #[test]
    fn the_most_distant_result_is_the_example_and_the_first_of_equals() {
        let totals = counted(|shared| {
            shared.count_inexact(2, [1, 2]);
            shared.count_inexact(2, [3, 4]);
            shared.count_inexact(1, [5, 6]);
        });
        assert_eq!((totals.program_bits, totals.shadow_bits), (1, 2));
    }

    #[test]
    fn lent_numbers_that_are_too_large_are_counted_apart() {
        let totals = counted(|shared| {
            shared.count_lent(true);
            shared.count_lent(false);
            shared.count_lent(false);
        });
        assert_eq!((totals.program_bits, totals.shadow_bits), (2, 1));
    }
}
