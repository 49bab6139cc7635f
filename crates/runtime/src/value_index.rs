//! A copy of memory with its shadows, in which equal contents are found again.
//!
//! Code that is not instrumented moves values and leaves their shadows behind. A copy taken before it runs knows which
//! shadow each value had; whatever holds the same bits afterwards gets that shadow. Values of equal bits may have different
//! shadows: where each is needed once, they are handed out in their order, else the first one serves for all.
//!
//! The memory is mapped for each copy, because the runtime never allocates from the program's heap.

use core::{ptr, slice};

use crate::{
    planes, shadows,
    sys::{self, Backing, PAGE, Place},
};

/// Copies are not made of more than this.
const MOST_BYTES: usize = 1 << 30;
const NONE: u32 = u32::MAX;

/// Units of equal size: elements of an array, or words of memory.
pub struct ValueIndex {
    /// The mapping that holds all of it.
    mapped: (usize, usize),
    /// Bytes of a unit.
    unit: usize,
    count: usize,
    /// The address of the copy. It has the alignment of the original, because cells depend on it.
    copy: usize,
    /// Buckets with the first unit of each content.
    buckets: (*mut u32, usize),
    /// The next unit of the same content, by unit.
    next: *mut u32,
    /// For the first unit of each content: the one whose shadow is handed out next.
    cursor: *mut u32,
}

impl ValueIndex {
    /// Of `count` units one after another.
    ///
    /// # Safety
    ///
    /// As for [`Self::of_units`].
    pub unsafe fn of(base: usize, count: usize, unit: usize) -> Option<ValueIndex> {
        let bytes = count.checked_mul(unit)?;
        // SAFETY: the caller's promise; what is looked at is mirrored.
        unsafe {
            let has_any = planes::is_mirrored(base, bytes) && shadows::has_any(base, bytes);
            let units = (0..count).map(|index| base + index * unit);
            has_any
                .then(|| Self::of_units(units, count, unit))
                .flatten()
        }
    }

    /// Of the units at these addresses, at most `count`; none if that is too much, or if there is no memory for a copy.
    ///
    /// # Safety
    ///
    /// The program owns the units, and nothing changes them meanwhile.
    pub unsafe fn of_units(
        units: impl Iterator<Item = usize>,
        count: usize,
        unit: usize,
    ) -> Option<ValueIndex> {
        let bytes = count
            .checked_mul(unit)
            .filter(|bytes| (1..=MOST_BYTES).contains(bytes))?;
        if count >= NONE as usize / 4 {
            return None;
        }
        let mut units = units.take(count).peekable();
        let first = *units.peek()?;
        let bucket_count = (count * 2).next_power_of_two();
        let words = (bucket_count + 2 * count) * size_of::<u32>();
        let length = words.next_multiple_of(PAGE) + PAGE + bytes.next_multiple_of(PAGE);
        // SAFETY: nothing is mapped over.
        let start = unsafe { sys::map(Place::Anywhere, length, Backing::Memory) }.ok()?;
        let buckets = start as *mut u32;
        let mut index = ValueIndex {
            mapped: (start, length),
            unit,
            count: 0,
            copy: start + words.next_multiple_of(PAGE) + first % PAGE,
            buckets: (buckets, bucket_count),
            next: buckets.wrapping_add(bucket_count),
            cursor: buckets.wrapping_add(bucket_count + count),
        };
        // SAFETY: the mapping has room for the three tables and, behind them, for `count` units; the originals are the
        // caller's promise.
        unsafe {
            slice::from_raw_parts_mut(buckets, bucket_count).fill(NONE);
            for from in units {
                let to = index.address(index.count as u32);
                ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, unit);
                shadows::copy(to, from, unit);
                index.insert(index.count as u32);
                index.count += 1;
            }
        }
        Some(index)
    }

    /// # Safety
    ///
    /// The unit was copied and is not in the table yet.
    unsafe fn insert(&mut self, unit: u32) {
        let at = self.address(unit);
        // SAFETY: `find` gives a bucket of the table, and units are below `count`.
        unsafe {
            let (bucket, found) = self.find(at);
            match found {
                None => {
                    *self.buckets.0.add(bucket) = unit;
                    *self.cursor.add(unit as usize) = unit;
                    *self.next.add(unit as usize) = NONE;
                }
                Some(first) => {
                    // The cursor of the first is at the last of the list until the list is complete.
                    let last = *self.cursor.add(first as usize);
                    *self.next.add(last as usize) = unit;
                    *self.next.add(unit as usize) = NONE;
                    *self.cursor.add(first as usize) = unit;
                }
            }
        }
    }

    fn address(&self, unit: u32) -> usize {
        self.copy + unit as usize * self.unit
    }

    /// The bucket of what is at an address, and the first unit with that content.
    ///
    /// # Safety
    ///
    /// A unit can be read there.
    unsafe fn find(&self, address: usize) -> (usize, Option<u32>) {
        // SAFETY: the caller's promise.
        let wanted = unsafe { slice::from_raw_parts(address as *const u8, self.unit) };
        let mask = self.buckets.1 - 1;
        let mut bucket = hash(wanted) as usize & mask;
        loop {
            // SAFETY: the mask keeps the bucket within the table, and what it holds is a unit of the copy. There are
            // more buckets than units, so an empty one ends the search.
            unsafe {
                let unit = *self.buckets.0.add(bucket);
                if unit == NONE {
                    return (bucket, None);
                }
                let content = slice::from_raw_parts(self.address(unit) as *const u8, self.unit);
                if content == wanted {
                    return (bucket, Some(unit));
                }
            }
            bucket = (bucket + 1) & mask;
        }
    }

    /// The same memory in smaller units.
    pub fn divided(&self, unit: usize) -> Option<ValueIndex> {
        // A division that could panic would need what Rust prints panics with.
        let count = (self.count * self.unit).checked_div(unit)?;
        let units = (0..count).map(|index| self.copy + index * unit);
        // SAFETY: the copy is ours.
        unsafe { Self::of_units(units, count, unit) }
    }

    /// The first unit with the contents of an address.
    ///
    /// # Safety
    ///
    /// A unit can be read there.
    pub unsafe fn first(&self, address: usize) -> Option<usize> {
        // SAFETY: the caller's promise.
        let (_, unit) = unsafe { self.find(address) };
        unit.map(|unit| unit as usize)
    }

    /// Whether a unit has the contents of an address.
    ///
    /// # Safety
    ///
    /// A unit can be read there.
    pub unsafe fn is_at(&self, unit: usize, address: usize) -> bool {
        // SAFETY: the caller's promise, and a unit of the copy.
        unit < self.count
            && unsafe {
                let content = |at: usize| slice::from_raw_parts(at as *const u8, self.unit);
                content(self.address(unit as u32)) == content(address)
            }
    }

    /// Whether cells at an address differ from a unit's, as far as they are plain bytes.
    ///
    /// # Safety
    ///
    /// The address is mirrored, and the unit is one of the copy.
    pub unsafe fn has_other_shadow(&self, unit: usize, address: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { shadows::differ(address, self.address(unit as u32), self.unit) }
    }

    /// Gives what is at an address a unit's shadow.
    ///
    /// # Safety
    ///
    /// The program owns what is there, and nothing changes it meanwhile.
    pub unsafe fn give(&self, unit: usize, address: usize) {
        // SAFETY: the caller's promise.
        unsafe { shadows::copy(address, self.address(unit as u32), self.unit) };
    }

    /// Gives the unit at an address the shadow of one with the same content.
    ///
    /// # Safety
    ///
    /// The program owns the unit there, and nothing changes it meanwhile.
    pub unsafe fn restore(&self, address: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            if let (_, Some(unit)) = self.find(address) {
                shadows::copy(address, self.address(unit), self.unit);
            }
        }
    }

    /// Gives as many units as the copy has, from `base` on, the shadows of units with the same content, each one once.
    ///
    /// # Safety
    ///
    /// The program owns these units, and nothing changes them meanwhile.
    pub unsafe fn restore_all(&self, base: usize) {
        for unit in 0..self.count {
            let address = base + unit * self.unit;
            // SAFETY: the caller's promise; units in the tables are below `count`.
            unsafe {
                let (_, Some(first)) = self.find(address) else {
                    continue;
                };
                let cursor = self.cursor.add(first as usize);
                let next = *self.next.add(*cursor as usize);
                *cursor = if next == NONE { first } else { next };
                shadows::copy(address, self.address(*cursor), self.unit);
            }
        }
    }
}

impl Drop for ValueIndex {
    fn drop(&mut self) {
        let (start, length) = self.mapped;
        // SAFETY: nothing else knows of the mapping.
        unsafe {
            shadows::clear(self.copy, self.count * self.unit);
            sys::unmap(start, length);
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut words = bytes.chunks_exact(8);
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    };
    for word in &mut words {
        mix(u64::from_le_bytes(word.try_into().unwrap_or([0; 8])));
    }
    for byte in words.remainder() {
        mix(u64::from(*byte));
    }
    hash
}
