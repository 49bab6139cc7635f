//! Shadows follow what code that is not instrumented moves in memory that it was lent: halo exchanges, own copies of
//! `memcpy`, sorts of other libraries.
//!
//! Before the call all of the memory is copied. Afterwards, a word that changed and has the contents of a word of before gets
//! its shadow. Numbers that other code may well have written itself (0, 1, 0.5, small integers) are recognised
//! only beside others that moved together with them. Everything else that was written is counted: it is the function's
//! own, and its errors are unknown.
//!
//! What it can miss: memory that the function reaches through pointers in memory, or changes after it returned.

use core::{
    ptr,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use lostbits_abi::{lending::Lent, lending::MOST_LENT, site::SiteTotals, totals::SharedTotals};

use crate::{
    extents, planes, shadows,
    sys::{self, Backing, PAGE, Place},
    value_index::ValueIndex,
};

/// More is not compared.
const MOST_BYTES: usize = 64 << 20;
/// In a whole run, no more is: many calls may each get a large array, of which they use little.
const MOST_BYTES_IN_ALL: u64 = 1 << 30;
static ALL_BYTES: AtomicU64 = AtomicU64::new(0);
/// If nothing has a shadow, only this much is compared, to know whether the function writes at all.
const MOST_COMPARED_BYTES: usize = 1 << 20;
const WORD: usize = 8;
const HALF: usize = 4;

#[derive(Clone, Copy, Default)]
struct Block {
    /// Words begin at a multiple of their size.
    start: usize,
    words: usize,
    /// It may be gone when the function returns.
    is_on_heap: bool,
}

/// Memory that is lent at this moment.
pub struct Loan {
    blocks: [Block; MOST_LENT],
    /// Whether the function may write numbers where they cannot be found.
    is_partly_unknown: bool,
    is_too_large: bool,
    words: Option<ValueIndex>,
}

/// What is about to be lent; null if there is nothing to do afterwards.
///
/// # Safety
///
/// Blocks with a size are the program's.
pub unsafe fn lent(blocks: &[Lent]) -> *mut Loan {
    if blocks.is_empty() {
        return ptr::null_mut();
    }
    let mut loan = Loan {
        blocks: [Block::default(); MOST_LENT],
        is_partly_unknown: false,
        is_too_large: false,
        words: None,
    };
    for (block, lent) in loan.blocks.iter_mut().zip(blocks) {
        match extent(lent) {
            Some(found) => *block = found,
            None => loan.is_partly_unknown |= lent.has_numbers != 0,
        }
    }
    loan.leave_out_overlaps();
    let bytes: usize = loan.blocks.iter().map(|block| block.words * WORD).sum();
    let before = ALL_BYTES.fetch_add(bytes as u64, Relaxed);
    loan.is_too_large = bytes > MOST_BYTES || before > MOST_BYTES_IN_ALL;
    // SAFETY: extents are mirrored.
    let has_shadow = |block: &Block| unsafe { shadows::has_any(block.start, block.words * WORD) };
    let writes_numbers = blocks.iter().any(|lent| lent.has_numbers != 0);
    let moves_shadows = !loan.is_too_large && loan.blocks.iter().any(has_shadow);
    if !writes_numbers && !moves_shadows && !loan.is_too_large {
        return ptr::null_mut();
    }
    if moves_shadows || bytes <= MOST_COMPARED_BYTES {
        // SAFETY: extents were checked.
        loan.words = unsafe { ValueIndex::of_units(loan.units(), bytes / WORD, WORD) };
    }
    // SAFETY: nothing is mapped over, and a loan is smaller than a page.
    unsafe {
        let Ok(at) = sys::map(Place::Anywhere, PAGE, Backing::Memory) else {
            return ptr::null_mut();
        };
        ptr::write(at as *mut Loan, loan);
        at as *mut Loan
    }
}

fn extent(lent: &Lent) -> Option<Block> {
    let (address, mut bytes) = (lent.address as usize, lent.bytes as usize);
    let is_on_heap = bytes == 0;
    if is_on_heap {
        bytes = extents::bytes_from(address)?;
        // Blocks that other code freed may be gone.
        if !sys::is_mapped(address, bytes) {
            return None;
        }
    }
    let start = address.next_multiple_of(WORD);
    let words = (address + bytes).saturating_sub(start) / WORD;
    let is_usable = words > 0 && planes::is_mirrored(start, words * WORD);
    is_usable.then_some(Block {
        start,
        words,
        is_on_heap,
    })
}

impl Loan {
    /// The same memory may have been passed twice.
    fn leave_out_overlaps(&mut self) {
        for later in 1..self.blocks.len() {
            let Block { start, words, .. } = self.blocks[later];
            let overlaps = |block: &Block| {
                start < block.start + block.words * WORD && block.start < start + words * WORD
            };
            if self.blocks[..later].iter().any(overlaps) {
                self.blocks[later] = Block::default();
            }
        }
    }

    fn units(&self) -> impl Iterator<Item = usize> {
        let blocks = self.blocks;
        blocks
            .into_iter()
            .flat_map(move |block| (0..block.words).map(move |index| block.start + index * WORD))
    }

    /// Gives moved words their shadows; returns whether any number was written that was nowhere before.
    ///
    /// # Safety
    ///
    /// The memory is still the program's.
    unsafe fn follow(&self, words: &ValueIndex) -> bool {
        let mut writes = false;
        let mut halves = None;
        let mut first = 0;
        for block in self.blocks.iter().filter(|block| block.words > 0) {
            let base = first;
            first += block.words;
            // The function may have freed it.
            if block.is_on_heap && !sys::is_mapped(block.start, block.words * WORD) {
                continue;
            }
            let mut before = None;
            for index in 0..block.words {
                let address = block.start + index * WORD;
                // SAFETY: the caller's promise; units are those of the index.
                unsafe {
                    // Or instrumented code wrote it meanwhile, which the function called.
                    if words.is_at(base + index, address)
                        || words.has_other_shadow(base + index, address)
                    {
                        before = None;
                        continue;
                    }
                    let found = before
                        .and_then(|unit| words.is_at(unit + 1, address).then_some(unit + 1))
                        .or_else(|| {
                            let next = (index + 1 < block.words).then_some(address + WORD);
                            let unit = words.first(address)?;
                            let is_sure = is_distinctive(address)
                                || next.is_some_and(|next| {
                                    words.is_at(unit + 1, next) && is_distinctive(next)
                                });
                            is_sure.then_some(unit)
                        });
                    before = found;
                    match found {
                        Some(unit) => words.give(unit, address),
                        None => {
                            let halves = halves.get_or_insert_with(|| words.divided(HALF));
                            let moved = halves
                                .as_ref()
                                .is_some_and(|halves| follow_halves(halves, address));
                            writes |= !moved && is_written_number(address);
                        }
                    }
                }
            }
        }
        writes
    }
}

/// Floats may have moved by half a word. Returns whether both did.
///
/// # Safety
///
/// The program owns the word.
unsafe fn follow_halves(halves: &ValueIndex, address: usize) -> bool {
    let mut all = true;
    for half in [address, address + HALF] {
        // SAFETY: the caller's promise.
        unsafe {
            let bits = (half as *const u32).read();
            let unit = halves.first(half).filter(|_| bits.trailing_zeros() < 17);
            all &= unit.is_some();
            if let Some(unit) = unit {
                halves.give(unit, half);
            }
        }
    }
    all
}

/// Whether a number is hardly written by chance.
///
/// # Safety
///
/// A word can be read there.
unsafe fn is_distinctive(address: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { (address as *const u64).read() }.trailing_zeros() < 42
}

/// Whether a word may be a number that was computed, and not an integer or a pointer.
///
/// # Safety
///
/// A word can be read there.
unsafe fn is_written_number(address: usize) -> bool {
    // SAFETY: the caller's promise.
    let number = f64::from_bits(unsafe { (address as *const u64).read() });
    (1e-100..1e100).contains(&number.abs())
}

/// What was lent came back.
///
/// # Safety
///
/// `loan` is what [`lent`] returned; `totals` are those of the call's site.
pub unsafe fn returned(loan: *mut Loan, totals: *mut SiteTotals) {
    if loan.is_null() {
        return;
    }
    // SAFETY: `lent` wrote the loan, and it is unmapped here only.
    unsafe {
        let own = ptr::read(loan);
        sys::unmap(loan as usize, PAGE);
        let writes = match &own.words {
            Some(words) => own.follow(words) || own.is_partly_unknown,
            None => true,
        };
        if let Some(totals) = SharedTotals::at(totals).filter(|_| writes) {
            totals.count_lent(own.is_too_large);
        }
    }
}
