//! The extents of heap blocks that instrumented code allocated, as far as they fit into a table.
//!
//! Asking the allocator is no alternative: it knows the sizes of blocks only by their first addresses. Blocks that other code
//! frees stay in the table until another one takes their place, so whoever uses an extent has to check that the memory is
//! still mapped.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const ENTRIES: usize = 4096;
/// A block is in one of so many entries.
const WAYS: usize = 8;

struct Entry {
    start: AtomicUsize,
    bytes: AtomicUsize,
}

static TABLE: [Entry; ENTRIES] = [const {
    Entry {
        start: AtomicUsize::new(0),
        bytes: AtomicUsize::new(0),
    }
}; ENTRIES];
/// Which of its entries a block takes if all are in use.
static TURN: AtomicUsize = AtomicUsize::new(0);

fn entries_of(block: usize) -> &'static [Entry] {
    let hash = (block >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let first = hash % (ENTRIES / WAYS) * WAYS;
    &TABLE[first..first + WAYS]
}

pub fn add(block: usize, bytes: usize) {
    if block == 0 || bytes == 0 {
        return;
    }
    let entries = entries_of(block);
    let starts = || entries.iter().map(|entry| entry.start.load(Relaxed));
    let place = starts()
        .position(|start| start == block)
        .or_else(|| starts().position(|start| start == 0))
        .unwrap_or_else(|| TURN.fetch_add(1, Relaxed) % WAYS);
    entries[place].start.store(0, Relaxed);
    entries[place].bytes.store(bytes, Relaxed);
    entries[place].start.store(block, Relaxed);
}

pub fn remove(block: usize) {
    for entry in entries_of(block) {
        let _ = entry.start.compare_exchange(block, 0, Relaxed, Relaxed);
    }
}

/// Bytes from an address to the end of the block that contains it.
pub fn bytes_from(address: usize) -> Option<usize> {
    TABLE.iter().find_map(|entry| {
        let start = entry.start.load(Relaxed);
        let bytes = entry.bytes.load(Relaxed);
        let offset = address.checked_sub(start).filter(|_| start != 0)?;
        bytes.checked_sub(offset).filter(|rest| *rest > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_found_by_any_of_its_addresses() {
        add(0x7000_0000_0010, 64);
        assert_eq!(bytes_from(0x7000_0000_0010), Some(64));
        assert_eq!(bytes_from(0x7000_0000_0030), Some(32));
        assert_eq!(bytes_from(0x7000_0000_0050), None);
        assert_eq!(bytes_from(0x7000_0000_0000), None);
        remove(0x7000_0000_0010);
        assert_eq!(bytes_from(0x7000_0000_0010), None);
    }

    #[test]
    fn the_newest_blocks_are_kept() {
        let block = |index: usize| 0x7100_0000_0000 + index * 4096;
        (0..3 * ENTRIES).for_each(|index| add(block(index), 32));
        assert_eq!(bytes_from(block(3 * ENTRIES - 1)), Some(32));
        (0..3 * ENTRIES).for_each(|index| remove(block(index)));
        assert_eq!(bytes_from(block(3 * ENTRIES - 1)), None);
    }
}
