//! Where tags went: for every operation on a tagged value, from which operations it had its operands.
//!
//! An operand is recognised by its bits and its tag, as they were when an operation made it, in a table of the
//! latest results. What is found is kept in the operation's totals, once: its own address, so that others can be
//! told to have had something from it, and those of two that it had operands from.
//!
//! What it can miss: results that were overwritten in the table, and values whose bits were changed on their
//! way. Equal values with equal tags are taken for the one that was made last. Threads share the table.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use lostbits_abi::{site::SiteTotals, symbols::WAY_OPERANDS};

const ENTRIES: usize = 1 << 15;

/// The key of a result, and the address of the totals of the operation that made it.
static LATEST: [[AtomicU64; 2]; ENTRIES] = [const { [const { AtomicU64::new(0) }; 2] }; ENTRIES];

/// A value's bits and its tag.
pub type Tagged = [u64; 2];

pub unsafe fn told(totals: *mut SiteTotals, result: Tagged, operands: [Tagged; WAY_OPERANDS]) {
    let at = |field: *mut u64| unsafe { AtomicU64::from_ptr(field) };
    let own = totals as u64;
    unsafe {
        at(&raw mut (*totals).differences).fetch_add(1, Relaxed);
        at(&raw mut (*totals).fresh).store(own, Relaxed);
        if at(&raw mut (*totals).program_bits).load(Relaxed) == 0 {
            let mut makers = operands.into_iter().map(maker).filter(|maker| *maker != 0);
            let first = makers.next().unwrap_or(0);
            let second = makers.find(|maker| *maker != first).unwrap_or(0);
            at(&raw mut (*totals).shadow_bits).store(second, Relaxed);
            at(&raw mut (*totals).program_bits).store(first, Relaxed);
        }
    }
    if result[1] != 0 {
        let key = key(result);
        if let Some([place, maker]) = LATEST.get(index(key)) {
            maker.store(own, Relaxed);
            place.store(key, Relaxed);
        }
    }
}

/// Who made a value; 0 if that is not known, or it is not tagged.
fn maker(value: Tagged) -> u64 {
    let key = key(value);
    match LATEST.get(index(key)) {
        Some([place, maker]) if value[1] != 0 && place.load(Relaxed) == key => maker.load(Relaxed),
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
        unsafe {
            told(&mut made, value, [none; WAY_OPERANDS]);
            let mut operands = [none; WAY_OPERANDS];
            operands[1] = value;
            told(&mut used, [78, 5], operands);
            operands[1] = [77, 9];
            told(&mut other, none, operands);
        }
        assert_eq!(made.program_bits, 0);
        assert_eq!(used.program_bits, &raw const made as u64);
        assert_eq!(used.fresh, &raw const used as u64);
        assert_eq!((other.program_bits, other.differences), (0, 1));
    }
}
