//! Error paths of mode `watch`: for every operation on a tagged value, which operations made its operands.
//!
//! An operand is recognised by its bits and its tag, as they were when an operation made it, in a table of the latest
//! results. The operation's totals keep the addresses of the totals of two makers
//! ([`ErrorPathTotals`](lostbits_abi::totals::ErrorPathTotals)).
//!
//! What it can miss: results that were overwritten in the table, and values whose bits were changed on their way. Of
//! equal values with equal tags, the one that was made last counts. Threads share the table.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lostbits_abi::{
    totals::{SharedTotals, SiteTotals},
    watch::PATH_OPERANDS,
};

const ENTRIES: usize = 1 << 15;

/// The key of a result, and the address of the totals of the operation that made it.
static LATEST: [[AtomicU64; 2]; ENTRIES] = [const { [const { AtomicU64::new(0) }; 2] }; ENTRIES];

/// A value's bits and its tag.
pub type Tagged = [u64; 2];

/// Counts an operation on tagged values.
///
/// # Safety
///
/// `totals` are those of a site that records error paths, or null.
pub unsafe fn count(totals: *mut SiteTotals, result: Tagged, operands: [Tagged; PATH_OPERANDS]) {
    // SAFETY: instrumented code and the runtime access totals atomically.
    let Some(totals) = (unsafe { SharedTotals::at(totals) }) else {
        return;
    };
    totals.count_error_path(|| makers(operands));
    let key = key(result);
    if result[1] == 0 {
        return;
    }
    if let Some([entry, maker]) = LATEST.get(index(key)) {
        maker.store(totals.address(), Relaxed);
        entry.store(key, Relaxed);
    }
}

/// The first two different operations that made operands; 0 where there is none.
fn makers(operands: [Tagged; PATH_OPERANDS]) -> [u64; 2] {
    let mut makers = operands.into_iter().map(maker).filter(|maker| *maker != 0);
    let first = makers.next().unwrap_or(0);
    let second = makers.find(|maker| *maker != first).unwrap_or(0);
    [first, second]
}

/// The operation that made a value; 0 if it is unknown, or the value is not tagged.
fn maker(value: Tagged) -> u64 {
    let key = key(value);
    match LATEST.get(index(key)) {
        Some([entry, maker]) if value[1] != 0 && entry.load(Relaxed) == key => maker.load(Relaxed),
        _ => 0,
    }
}

/// Never 0, the key of an empty entry.
fn key([bits, tag]: Tagged) -> u64 {
    let mixed = (bits ^ tag.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29) | 1
}

fn index(key: u64) -> usize {
    (key >> 40) as usize % ENTRIES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makers_are_found_by_bits_and_tag() {
        let [mut made, mut used, mut other] = [SiteTotals::default(); 3];
        let none = [0, 0];
        let value = [77, 5];
        let mut operands = [none; PATH_OPERANDS];
        // SAFETY: the totals are local variables of this thread.
        unsafe {
            count(&mut made, value, operands);
            operands[1] = value;
            count(&mut used, [78, 5], operands);
            operands[1] = [77, 9];
            count(&mut other, none, operands);
        }
        assert_eq!(made.error_path().makers, [0, 0]);
        assert_eq!(used.error_path().makers, [&raw const made as u64, 0]);
        assert_eq!(used.error_path().own, &raw const used as u64);
        assert_eq!(other.error_path().makers, [0, 0]);
        assert_eq!(other.error_path().times, 1);
    }
}
