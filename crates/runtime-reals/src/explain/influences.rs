//! Sets of candidates.
//!
//! The first candidates have a bit each, and a set of such ones is its bits: instrumented code unites them by itself
//! ([`set`]). Later ones make sets that are known by a number, each kept once as a sorted list of sites.

use lostbits_abi::explain::set;
use lostbits_runtime::sys::{self, Backing, Place};

const MOST_SETS: usize = 1 << 16;
const MOST_MEMBERS: usize = 1 << 22;
const BUCKETS: usize = MOST_SETS * 2;
const REMEMBERED: usize = 1 << 16;
/// Larger sets are cut: nobody reads so many causes.
pub(super) const LARGEST: usize = 64;

pub struct Sets {
    /// The sites that have bits.
    with_bit: [u32; set::BITS],
    bits: usize,
    memory: *mut Memory,
    /// Numbered sets; number 0 is not used.
    sets: usize,
    members: usize,
    pub lost: u64,
}

/// Fresh zeros are the empty state.
#[repr(C)]
struct Memory {
    /// Where each set's members start, and how many they are.
    places: [(u32, u32); MOST_SETS],
    members: [u32; MOST_MEMBERS],
    buckets: [u32; BUCKETS],
    unions: [(u32, u32, u32); REMEMBERED],
    /// One more than a site, and the set of it alone.
    singles: [(u32, u32); REMEMBERED],
}

impl Sets {
    pub const fn new() -> Sets {
        Sets {
            with_bit: [0; set::BITS],
            bits: 0,
            memory: core::ptr::null_mut(),
            sets: 1,
            members: 0,
            lost: 0,
        }
    }

    fn memory(&mut self) -> Option<&'static mut Memory> {
        if self.memory.is_null() {
            // SAFETY: new memory, which starts as zeros.
            let place = unsafe { sys::map(Place::Anywhere, size_of::<Memory>(), Backing::Memory) };
            self.memory = place.ok()? as *mut Memory;
        }
        // SAFETY: the state's lock is held.
        Some(unsafe { &mut *self.memory })
    }

    /// The members of a set, in order.
    pub fn members<'a>(&'a self, set: u32, room: &'a mut [u32; set::BITS]) -> &'a [u32] {
        if set::is_number(set) {
            return self.list(set::number(set));
        }
        let mut count = 0;
        for bit in set::bits(set) {
            room[count] = self.with_bit[bit];
            count += 1;
        }
        room[..count].sort_unstable();
        &room[..count]
    }

    fn list(&self, number: usize) -> &[u32] {
        if self.memory.is_null() || number >= self.sets {
            return &[];
        }
        // SAFETY: as above; `places` of known sets are inside `members`.
        let memory = unsafe { &*self.memory };
        let (start, count) = memory.places[number];
        &memory.members[start as usize..(start + count) as usize]
    }

    #[inline]
    pub fn only(&mut self, site: u32) -> u32 {
        let Some(memory) = self.memory() else {
            return set::EMPTY;
        };
        let place = site as usize % REMEMBERED;
        let (known, alone) = memory.singles[place];
        if known == site + 1 {
            return alone;
        }
        let alone = self.first_only(site);
        memory.singles[place] = (site + 1, alone);
        alone
    }

    #[cold]
    fn first_only(&mut self, site: u32) -> u32 {
        let bit = self.with_bit[..self.bits]
            .iter()
            .position(|with| *with == site);
        match bit {
            Some(bit) => set::of_bit(bit),
            None if self.bits < set::BITS => {
                self.with_bit[self.bits] = site;
                self.bits += 1;
                set::of_bit(self.bits - 1)
            }
            None => self.intern(&[site]),
        }
    }

    #[inline]
    pub fn union(&mut self, x: u32, y: u32) -> u32 {
        match set::are_united_by_bits(x, y) {
            true => x | y,
            false => self.union_by_number(x, y),
        }
    }

    #[cold]
    fn union_by_number(&mut self, x: u32, y: u32) -> u32 {
        self.remembered((x.min(y), x.max(y)), |sets| {
            let mut rooms = [[0; set::BITS]; 2];
            let [of_x, of_y] = &mut rooms;
            let mut list = [0u32; 2 * LARGEST];
            let count = merge(sets.members(x, of_x), sets.members(y, of_y), &mut list);
            if count > LARGEST {
                sets.lost += 1;
            }
            sets.intern(&list[..count.min(LARGEST)])
        })
    }

    /// The same set, known by a number: instrumented code tells wherever it meets another.
    pub fn as_number(&mut self, set: u32) -> u32 {
        if set == set::EMPTY || set::is_number(set) {
            return set;
        }
        self.remembered((set::EMPTY, set), |sets| {
            let mut room = [0; set::BITS];
            let count = sets.members(set, &mut room).len();
            sets.intern(&room[..count])
        })
    }

    /// The same set as bits, if all its members have one.
    #[inline]
    pub fn as_bits(&mut self, set: u32) -> u32 {
        match set::is_number(set) {
            true => self.with_bits(set),
            false => set,
        }
    }

    #[cold]
    fn with_bits(&mut self, set: u32) -> u32 {
        self.remembered((set, set::EMPTY), |sets| {
            let bit_of = |site: &u32| {
                sets.with_bit[..sets.bits]
                    .iter()
                    .position(|with| with == site)
            };
            let bits = sets
                .list(set::number(set))
                .iter()
                .map(|site| bit_of(site).map(set::of_bit));
            bits.reduce(|x, y| Some(x? | y?)).flatten().unwrap_or(set)
        })
    }

    /// What was found for two words before, or is found now.
    fn remembered(&mut self, (x, y): (u32, u32), find: impl FnOnce(&mut Sets) -> u32) -> u32 {
        let Some(memory) = self.memory() else {
            return x;
        };
        let mixed = (u64::from(x) << 32 | u64::from(y)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = &mut memory.unions[(mixed >> 40) as usize % REMEMBERED];
        let (a, b, known) = *place;
        if (a, b) == (x, y) {
            return known;
        }
        let found = find(self);
        *place = (x, y, found);
        found
    }

    fn intern(&mut self, list: &[u32]) -> u32 {
        let Some(memory) = self.memory() else {
            return set::EMPTY;
        };
        let mut hash = 0x811c_9dc5u32;
        for site in list {
            hash = (hash ^ site).wrapping_mul(0x0100_0193).rotate_left(5);
        }
        let mut bucket = hash as usize % BUCKETS;
        loop {
            match memory.buckets[bucket] {
                0 => break,
                number if self.list(number as usize) == list => return set::numbered(number),
                _ => bucket = (bucket + 1) % BUCKETS,
            }
        }
        if self.sets == MOST_SETS || self.members + list.len() > MOST_MEMBERS {
            self.lost += 1;
            return set::EMPTY;
        }
        let number = self.sets as u32;
        memory.places[self.sets] = (self.members as u32, list.len() as u32);
        memory.members[self.members..self.members + list.len()].copy_from_slice(list);
        self.sets += 1;
        self.members += list.len();
        memory.buckets[bucket] = number;
        set::numbered(number)
    }
}

/// Merges two sorted lists; gives the number of members, of which as many as fit are written.
fn merge(mut x: &[u32], mut y: &[u32], into: &mut [u32]) -> usize {
    let mut count = 0;
    loop {
        let next = match (x, y) {
            ([a, ..], [b, ..]) => *a.min(b),
            ([a, ..], []) => *a,
            ([], [b, ..]) => *b,
            ([], []) => return count,
        };
        if x.first() == Some(&next) {
            x = &x[1..];
        }
        if y.first() == Some(&next) {
            y = &y[1..];
        }
        if let Some(place) = into.get_mut(count) {
            *place = next;
        }
        count += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn members(sets: &Sets, set: u32) -> Vec<u32> {
        sets.members(set, &mut [0; set::BITS]).to_vec()
    }

    fn with_candidates(count: u32) -> Sets {
        let mut sets = Sets::new();
        for site in 1000..1000 + count {
            sets.only(site);
        }
        sets
    }

    #[test]
    fn equal_sets_are_one() {
        // With bits, with numbers, and with both.
        for others in [0, 40, set::BITS as u32 - 2] {
            let mut sets = with_candidates(others);
            let (a, b, c) = (sets.only(7), sets.only(3), sets.only(5));
            let ab = sets.union(a, b);
            assert_eq!(members(&sets, ab), [3, 7]);
            assert_eq!(sets.union(b, a), ab);
            assert_eq!(sets.union(ab, a), ab);
            let all = sets.union(ab, c);
            assert_eq!(members(&sets, all), [3, 5, 7]);
            let bc = sets.union(b, c);
            assert_eq!(sets.union(bc, a), all);
            assert_eq!(sets.union(set::EMPTY, a), a);
            assert_eq!(sets.union(a, set::EMPTY), a);
            assert_eq!(sets.only(7), a);
            assert!(members(&sets, set::EMPTY).is_empty());
        }
    }

    #[test]
    fn a_set_is_the_same_by_bits_and_by_number() {
        let mut sets = with_candidates(3);
        let (a, b) = (sets.only(7), sets.only(3));
        let ab = sets.union(a, b);
        let number = sets.as_number(ab);
        assert!(set::is_number(number) && !set::is_number(ab));
        assert_eq!(members(&sets, number), [3, 7]);
        assert_eq!(sets.as_bits(number), ab);
        assert_eq!(sets.as_number(set::EMPTY), set::EMPTY);
        let a_by_number = sets.as_number(a);
        let united = sets.union(a_by_number, b);
        assert_eq!(sets.as_bits(united), ab);
        // One without a bit.
        let mut sets = with_candidates(set::BITS as u32);
        let late = sets.only(7);
        assert_eq!(sets.as_bits(late), late);
    }

    #[test]
    fn large_sets_are_cut_and_counted() {
        let mut sets = Sets::new();
        let mut set = 0;
        for site in 0..100 {
            let one = sets.only(site);
            set = sets.union(set, one);
        }
        assert_eq!(members(&sets, set).len(), LARGEST);
        assert!(sets.lost > 0);
    }
}
