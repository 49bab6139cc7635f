//! Mode `watch`: whether any memory still holds a tag.
//!
//! While the word [`WATCH_ALIVE`](lostbits_abi::variables::WATCH_ALIVE) says that memory may hold tags, instrumented code reads and
//! writes shadow memory, which costs more than all quick tests. Most tags die soon: a residual is compared and forgotten. So
//! instrumented code reports the *stretches* of shadow memory to which it writes tags, regions without tags count down,
//! and in the end [`scan`] reads the stretches. If no cell in them has a tag that fits the value beside it, the word is cleared,
//! and the cells with it: an old cell must not fit a later value by chance.
//!
//! Tags in registers do not matter: instrumented code tests them directly. Those in slots are taken by the next region.
//!
//! Only processes with one thread are scanned, because another thread might be writing a tag at that moment; only as long as the
//! stretches fit their table; and not where half precision is tagged, whose signature is too short to find. Where the
//! allocator or the stack keeps what was freed, its tags count as alive until it is overwritten.

use core::{
    arch::asm,
    cell::UnsafeCell,
    sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use lostbits_abi::{
    mode::Mode,
    shadow::{self, LOW_ALIAS, LOW_END, MIRRORED_REGIONS},
    tag, variable_symbol, variables,
    watch::{self, COUNTS_DOWN, STRETCH_ROWS, STRETCH_SHIFT},
};

use crate::{
    sys::{self, Errno, PAGE},
    watch::ALIVE,
};

const STRETCH: usize = 1 << STRETCH_SHIFT;
/// A vector may begin in one stretch and end in the next.
const BEYOND: usize = 64;
const MOST_STRETCHES: usize = STRETCH_ROWS / 2;

/// Regions between two scans, for each stretch: reading a stretch takes about a tenth of their time.
const REGIONS: u32 = 1 << 15;
/// Scans that find a tag become as rare as this power of two says.
const RAREST: u32 = 8;

/// Memory this far below the stack pointer is dead, unless a function with a larger frame returned immediately before the scan.
const DEAD_STACK: usize = 1 << 20;

const DISTANCE: usize = shadow::distance(shadow::planes(Mode::Watch)[0]) as usize;

/// See [`variables::WATCH_COUNTDOWN`].
#[unsafe(export_name = variable_symbol!(WATCH_COUNTDOWN))]
pub static COUNTDOWN: variables::layout::WATCH_COUNTDOWN = AtomicU32::new(REGIONS);

/// See [`variables::WATCH_STRETCHES`].
#[unsafe(export_name = variable_symbol!(WATCH_STRETCHES))]
pub static ROWS: variables::layout::WATCH_STRETCHES = [const { AtomicU64::new(0) }; STRETCH_ROWS];

/// The stretches of [`ROWS`] one after the other.
static STRETCHES: [AtomicU64; MOST_STRETCHES] = [const { AtomicU64::new(0) }; MOST_STRETCHES];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Set for good once tags may be where no scan would find them.
static IS_HOPELESS: AtomicBool = AtomicBool::new(false);
/// The power of two by which scans are rarer than at first.
static RARENESS: AtomicU32 = AtomicU32::new(0);
static IS_LOOKING: AtomicBool = AtomicBool::new(false);

/// Tags may have been written to `bytes` of cells, to a slot (no bytes), or to an unknown place (0).
pub fn stored(cells: usize, bytes: usize) {
    if cells == 0 {
        stop_scanning();
    } else if bytes > 0 {
        mark(cells, bytes);
    }
    if ALIVE.load(Relaxed) & watch::ALIVE == 0 {
        COUNTDOWN.store(regions_until_scan(1), Relaxed);
        let counts_down = match IS_HOPELESS.load(Relaxed) {
            true => 0,
            false => COUNTS_DOWN,
        };
        ALIVE.fetch_or(watch::ALIVE | counts_down, Relaxed);
    }
}

/// The shadows of `bytes` of the program's memory were copied from elsewhere.
pub fn copied(destination: usize, bytes: usize) {
    if ALIVE.load(Relaxed) & watch::ALIVE != 0 {
        mark(crate::planes::mirror(destination, DISTANCE), bytes);
    }
}

fn mark(cells: usize, bytes: usize) {
    let last = cells.saturating_add(bytes.saturating_sub(1));
    if bytes == 0 || IS_HOPELESS.load(Relaxed) {
        return;
    }
    if !has_values(cells) || !has_values(last) || bytes > MOST_STRETCHES * STRETCH {
        return stop_scanning();
    }
    let (first, last) = (watch::stretch(cells as u64), watch::stretch(last as u64));
    (first..=last).for_each(insert);
}

fn insert(stretch: u64) {
    let mut row = stretch as usize % STRETCH_ROWS;
    // The table is never more than half full, so there is a free row.
    loop {
        match ROWS[row].compare_exchange(0, stretch, Relaxed, Relaxed) {
            Ok(_) => break,
            Err(known) if known == stretch => return,
            Err(_) => row = (row + 1) % STRETCH_ROWS,
        }
    }
    let index = COUNT.fetch_add(1, Relaxed);
    match STRETCHES.get(index) {
        Some(place) => place.store(stretch, Relaxed),
        None => stop_scanning(),
    }
    if index + 1 >= MOST_STRETCHES {
        stop_scanning();
    }
}

/// From now on tags count as alive for ever.
fn stop_scanning() {
    IS_HOPELESS.store(true, Relaxed);
    ALIVE.fetch_and(!COUNTS_DOWN, Relaxed);
}

fn regions_until_scan(stretches: usize) -> u32 {
    let stretches = u32::try_from(stretches.max(1)).unwrap_or(u32::MAX);
    REGIONS
        .saturating_mul(stretches)
        .saturating_mul(1 << RARENESS.load(Relaxed))
}

/// Clears the word if no memory holds a tag.
pub fn scan() {
    if !has_one_thread() {
        stop_scanning();
    }
    // A signal may have interrupted another scan.
    if IS_HOPELESS.load(Relaxed) || IS_LOOKING.swap(true, Relaxed) {
        return;
    }
    let count = COUNT.load(Relaxed);
    let stretches = || {
        let known = STRETCHES.iter().take(count);
        known.map(|stretch| (stretch.load(Relaxed) as usize) << STRETCH_SHIFT)
    };
    let here = 0u8;
    let stack_pointer = &raw const here as usize;
    // SAFETY: `IS_LOOKING` admits one user of the buffer at a time.
    let buffer = unsafe { &mut *BUFFER.0.get() };
    let mut is_tagged = false;
    for cells in stretches() {
        match has_tag(cells, stack_pointer, buffer) {
            Ok(has_tag) => is_tagged |= has_tag,
            Err(_) => {
                stop_scanning();
                is_tagged = true;
            }
        }
        if is_tagged {
            break;
        }
    }
    let rareness = RARENESS.load(Relaxed);
    if is_tagged {
        RARENESS.store((rareness + 1).min(RAREST), Relaxed);
        COUNTDOWN.store(regions_until_scan(count), Relaxed);
    } else {
        RARENESS.store(rareness.saturating_sub(1), Relaxed);
        for cells in stretches() {
            // SAFETY: planes cover the mirrors of all stretches and what is a little beyond them; nothing else runs.
            unsafe { core::ptr::write_bytes(cells as *mut u8, 0, STRETCH + BEYOND) };
        }
        ROWS.iter().for_each(|row| row.store(0, Relaxed));
        COUNT.store(0, Relaxed);
        ALIVE.fetch_and(!(watch::ALIVE | COUNTS_DOWN), Relaxed);
    }
    IS_LOOKING.store(false, Relaxed);
}

struct Buffer(UnsafeCell<[u8; STRETCH + BEYOND]>);

// SAFETY: `IS_LOOKING` admits one user at a time.
unsafe impl Sync for Buffer {}

static BUFFER: Buffer = Buffer(UnsafeCell::new([0; STRETCH + BEYOND]));

/// Whether one of the cells from `cells` on has a tag that fits the value beside it; not known if the kernel does not let us read.
/// Values that are not mapped any more have no tags, nor has what is dead on the stack.
fn has_tag(
    cells: usize,
    stack_pointer: usize,
    buffer: &mut [u8; STRETCH + BEYOND],
) -> Result<bool, Errno> {
    let values = values_of(cells);
    // SAFETY: planes cover the mirrors of all stretches; only this thread runs.
    let shadow = unsafe { core::slice::from_raw_parts(cells as *const u8, buffer.len()) };
    let mut at = 0;
    while at < buffer.len() {
        at += sys::read_own_memory(values + at, &mut buffer[at..])?;
        // Where nothing is mapped, cells count as those of untagged values.
        let page_end = buffer.len().min(at + PAGE - (values + at) % PAGE);
        if at < buffer.len() {
            buffer[at..page_end].copy_from_slice(&shadow[at..page_end]);
            at = page_end;
        }
    }
    let dead = stack_pointer.saturating_sub(DEAD_STACK)..stack_pointer;
    Ok((0..buffer.len() / 8).any(|index| {
        let at = index * 8;
        let (cell, value) = (word(shadow, at), word(buffer, at));
        cell != value
            && cell != 0
            && !dead.contains(&(values + at))
            && is_tagged_around(shadow, buffer, at)
    }))
}

/// Whether a tagged value begins in one of the eight bytes from `at` on, or before and reaches into them.
fn is_tagged_around(shadow: &[u8], values: &[u8], at: usize) -> bool {
    let fits = |from: usize, bytes: usize| {
        let range = from..from + bytes;
        let (Some(shadow), Some(values)) = (shadow.get(range.clone()), values.get(range)) else {
            return false;
        };
        let bits = shadow.iter().zip(values).rev();
        let word = bits.fold(0, |word, (a, b)| word << 8 | u64::from(a ^ b));
        let width = bytes as u32 * 8;
        word & !tag::set_mask(width) == tag::signature(width)
    };
    (at.saturating_sub(7)..at + 8).any(|from| fits(from, 8) || fits(from, 4))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Whether an address is in the mirror of the program's memory.
fn has_values(cells: usize) -> bool {
    let mirrored = cells.wrapping_add(DISTANCE) as u64;
    MIRRORED_REGIONS
        .iter()
        .any(|(from, to)| (*from..*to).contains(&mirrored))
}

/// The address of the value of which a cell is the shadow.
fn values_of(cells: usize) -> usize {
    let mirrored = cells.wrapping_add(DISTANCE);
    let low = mirrored.wrapping_sub(LOW_ALIAS as usize);
    if low < LOW_END as usize {
        low
    } else {
        mirrored
    }
}

/// Whether the C library has started no other thread; false where it does not say.
fn has_one_thread() -> bool {
    let flag: *const u8;
    // SAFETY: only a word of the global offset table is read.
    unsafe {
        asm!(
            ".weak __libc_single_threaded",
            "mov {0}, qword ptr [rip + __libc_single_threaded@GOTPCREL]",
            out(reg) flag,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    // SAFETY: the C library's variable is a `char` that exists as long as the process.
    !flag.is_null() && unsafe { flag.read_volatile() } != 0
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn is_found(value: &[u8], cell: &[u8]) -> bool {
        (0..value.len() / 8).any(|index| {
            let at = index * 8;
            let (c, v) = (word(cell, at), word(value, at));
            c != v && c != 0 && is_tagged_around(cell, value, at)
        })
    }

    /// Tagged doubles and floats are found at every offset; plain and strange cells are not taken for tagged.
    #[test]
    fn tags_are_found_wherever_values_lie() {
        let values: Vec<u8> = (0..64).map(|at| (at * 37 + 11) as u8).collect();
        assert!(!is_found(&values, &values));
        assert!(!is_found(&values, &[0; 64]));
        let strange: Vec<u8> = (0..64).map(|at| (at * 91 + 5) as u8).collect();
        assert!(!is_found(&values, &strange));
        for bytes in [8, 4] {
            let width = bytes as u32 * 8;
            let tag = (tag::signature(width) | tag::set_of_site(3, width)).to_le_bytes();
            for at in 0..=64 - bytes {
                let mut cells = values.clone();
                for (cell, bits) in cells[at..at + bytes].iter_mut().zip(tag) {
                    *cell ^= bits;
                }
                assert!(is_found(&values, &cells), "{bytes} bytes at {at}");
            }
        }
    }

    #[test]
    fn cells_lead_back_to_values() {
        for value in [
            0x5555_5555_0000usize,
            0x7fff_0000_1000,
            0x2a00_0000_0000,
            0x40_0000,
        ] {
            let cells = crate::planes::mirror(value, DISTANCE);
            assert!(has_values(cells));
            assert_eq!(values_of(cells), value);
        }
        assert!(!has_values(0x1000));
    }
}
