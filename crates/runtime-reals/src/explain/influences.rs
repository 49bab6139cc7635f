//! Sets of candidates.
//!
//! The first candidates have a bit each, and a set of them is a word of bits: instrumented code unites such sets inline
//! ([`set`]). Sets with later candidates are numbered; each is stored once as a sorted list of sites.
//!
//! What it can miss: sets of more than [`LARGEST`] sites are truncated, and sets beyond [`MOST_SETS`] are empty; both are
//! counted.

use core::ffi::c_void;

use lostbits_abi::explain::set;
use lostbits_runtime::sys::{self, Backing, Place};

const MOST_SETS: usize = 1 << 16;
const MOST_MEMBERS: usize = 1 << 22;
const BUCKETS: usize = MOST_SETS * 2;
const MEMOISED: usize = 1 << 16;
/// Larger sets are truncated: no report shows more causes.
pub(super) const LARGEST: usize = 64;

/// No site has this number.
const ELSEWHERE: u32 = u32::MAX;
/// Numbers of lists below this are one copy's; its own number comes above.
const COPY_SHIFT: u32 = 20;
const MOST_COPIES: u32 = 1 << 10;

pub struct Sets {
    /// The sites that have bits; [`ELSEWHERE`] where no candidate of this copy of the runtime has it.
    sites_with_bit: [u32; set::BITS],
    /// Which copy this is, plus one; 0 until it is asked for.
    copy: u32,
    memory: *mut Memory,
    pub lost: u64,
}

/// Numbered sets, numbered from 1. Zeros are the empty state.
#[repr(C)]
struct Memory {
    /// How many sets there are, and how many members all of them have.
    sets: usize,
    used: usize,
    /// The start of each set's members, and their number.
    places: [(u32, u32); MOST_SETS],
    members: [u32; MOST_MEMBERS],
    /// A hash table of set numbers.
    buckets: [u32; BUCKETS],
    unions: [(u32, u32, u32); MEMOISED],
    /// A site plus one, and the set with only that site.
    singletons: [(u32, u32); MEMOISED],
}

impl Memory {
    fn list(&self, number: usize) -> &[u32] {
        if number > self.sets {
            return &[];
        }
        let (start, count) = self.places[number];
        &self.members[start as usize..(start + count) as usize]
    }

    /// The number of the set with these members; none if there is no room for it.
    fn intern(&mut self, list: &[u32]) -> Option<u32> {
        let mut hash = 0x811c_9dc5u32;
        for site in list {
            hash = (hash ^ site).wrapping_mul(0x0100_0193).rotate_left(5);
        }
        let mut bucket = hash as usize % BUCKETS;
        loop {
            match self.buckets[bucket] {
                0 => break,
                number if self.list(number as usize) == list => return Some(number),
                _ => bucket = (bucket + 1) % BUCKETS,
            }
        }
        let number = self.sets + 1;
        if number == MOST_SETS || self.used + list.len() > MOST_MEMBERS {
            return None;
        }
        self.places[number] = (self.used as u32, list.len() as u32);
        self.members[self.used..self.used + list.len()].copy_from_slice(list);
        self.sets = number;
        self.used += list.len();
        self.buckets[bucket] = number as u32;
        Some(number as u32)
    }
}

impl Sets {
    pub const fn new() -> Sets {
        Sets {
            sites_with_bit: [ELSEWHERE; set::BITS],
            copy: 0,
            memory: core::ptr::null_mut(),
            lost: 0,
        }
    }

    fn memory(&mut self) -> Option<&mut Memory> {
        if self.memory.is_null() {
            // SAFETY: new memory.
            let place = unsafe { sys::map(Place::Anywhere, size_of::<Memory>(), Backing::Memory) };
            self.memory = place.ok()? as *mut Memory;
        }
        // SAFETY: mapped for good with zeros, which are valid; only `self` refers to it.
        Some(unsafe { &mut *self.memory })
    }

    /// The sites of a set, sorted.
    pub fn members<'a>(&'a self, set: u32, room: &'a mut [u32; set::BITS]) -> &'a [u32] {
        if let Some([first, second]) = set::sites(set) {
            room[0] = first.min(second);
            room[1] = first.max(second);
            return &room[..if first == second { 1 } else { 2 }];
        }
        if set::is_number(set) {
            return self.list(set::number(set));
        }
        let mut count = 0;
        let sites = set::bits(set).map(|bit| self.sites_with_bit[bit]);
        for site in sites.filter(|site| *site != ELSEWHERE) {
            room[count] = site;
            count += 1;
        }
        room[..count].sort_unstable();
        &room[..count]
    }

    /// Where the sites of bits, the places of lists, and the lists are, with their sizes in bytes. They only grow.
    pub fn tables(&mut self) -> [(*const c_void, usize); 3] {
        let bits = (
            self.sites_with_bit.as_ptr().cast(),
            size_of::<[u32; set::BITS]>(),
        );
        match self.memory() {
            Some(memory) => [
                bits,
                (memory.places.as_ptr().cast(), size_of_val(&memory.places)),
                (memory.members.as_ptr().cast(), size_of_val(&memory.members)),
            ],
            None => [bits, (core::ptr::null(), 0), (core::ptr::null(), 0)],
        }
    }

    fn list(&self, number: usize) -> &[u32] {
        if self.copy == 0 || number >> COPY_SHIFT != (self.copy - 1) as usize {
            return &[];
        }
        let number = number & ((1 << COPY_SHIFT) - 1);
        // SAFETY: null, or as in `memory`.
        unsafe { self.memory.as_ref() }.map_or(&[], |memory| memory.list(number))
    }

    /// The set with only this site.
    #[inline]
    pub fn singleton(&mut self, site: u32) -> u32 {
        let place = site as usize % MEMOISED;
        let Some(memory) = self.memory() else {
            return set::EMPTY;
        };
        let (known, alone) = memory.singletons[place];
        if known == site + 1 {
            return alone;
        }
        self.new_singleton(site, place)
    }

    #[cold]
    fn new_singleton(&mut self, site: u32, place: usize) -> u32 {
        let alone = match self.bit_of(site) {
            Some(bit) => set::of_bit(bit),
            None => match self.take_bit() {
                Some(bit) => {
                    self.sites_with_bit[bit] = site;
                    set::of_bit(bit)
                }
                None => self.intern(&[site]),
            },
        };
        if let Some(memory) = self.memory() {
            memory.singletons[place] = (site + 1, alone);
        }
        alone
    }

    #[cfg(not(test))]
    fn take_bit(&self) -> Option<usize> {
        super::copies::take_bit()
    }

    /// Tests have many sets in one process.
    #[cfg(test)]
    fn take_bit(&self) -> Option<usize> {
        self.sites_with_bit
            .iter()
            .position(|site| *site == ELSEWHERE)
    }

    /// What distinguishes this copy's numbers of lists.
    fn prefix(&mut self) -> u32 {
        if self.copy == 0 {
            #[cfg(not(test))]
            let number = super::copies::take_number();
            #[cfg(test)]
            let number = 3;
            self.copy = 1 + number % MOST_COPIES;
        }
        (self.copy - 1) << COPY_SHIFT
    }

    fn bit_of(&self, site: u32) -> Option<usize> {
        self.sites_with_bit.iter().position(|with| *with == site)
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
        self.memoised((x.min(y), x.max(y)), |sets| {
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

    /// The same set, numbered: instrumented code reports an event wherever it meets another.
    pub fn as_number(&mut self, set: u32) -> u32 {
        if set == set::EMPTY || set::is_number(set) {
            return set;
        }
        self.memoised((set::EMPTY, set), |sets| {
            let mut room = [0; set::BITS];
            let count = sets.members(set, &mut room).len();
            sets.intern(&room[..count])
        })
    }

    /// The same set as bits, if all its members have bits.
    #[inline]
    pub fn as_bits(&mut self, set: u32) -> u32 {
        match set::is_number(set) {
            true => self.with_bits(set),
            false => set,
        }
    }

    #[cold]
    fn with_bits(&mut self, set: u32) -> u32 {
        self.memoised((set, set::EMPTY), |sets| {
            let bits = sets
                .list(set::number(set))
                .iter()
                .map(|site| sets.bit_of(*site).map(set::of_bit));
            bits.reduce(|x, y| Some(x? | y?)).flatten().unwrap_or(set)
        })
    }

    /// The memoised result for two words, or that of `find`.
    fn memoised(&mut self, (x, y): (u32, u32), find: impl FnOnce(&mut Sets) -> u32) -> u32 {
        let mixed = (u64::from(x) << 32 | u64::from(y)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> 40) as usize % MEMOISED;
        let Some(memory) = self.memory() else {
            return x;
        };
        let (a, b, known) = memory.unions[place];
        if (a, b) == (x, y) {
            return known;
        }
        let found = find(self);
        if let Some(memory) = self.memory() {
            memory.unions[place] = (x, y, found);
        }
        found
    }

    /// The numbered set with these members; empty, and counted, if there is no room for it.
    fn intern(&mut self, list: &[u32]) -> u32 {
        match self.memory().map(|memory| memory.intern(list)) {
            Some(Some(number)) => set::numbered(number | self.prefix()),
            Some(None) => {
                self.lost += 1;
                set::EMPTY
            }
            None => set::EMPTY,
        }
    }
}

/// Merges two sorted lists; returns the number of members and writes as many as fit.
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
            sets.singleton(site);
        }
        sets
    }

    #[test]
    fn equal_sets_have_equal_words() {
        // With bits, with numbers, and with both.
        for others in [0, 40, set::BITS as u32 - 2] {
            let mut sets = with_candidates(others);
            let (a, b, c) = (sets.singleton(7), sets.singleton(3), sets.singleton(5));
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
            assert_eq!(sets.singleton(7), a);
            assert!(members(&sets, set::EMPTY).is_empty());
        }
    }

    #[test]
    fn a_set_has_the_same_members_as_bits_and_as_number() {
        let mut sets = with_candidates(3);
        let (a, b) = (sets.singleton(7), sets.singleton(3));
        let ab = sets.union(a, b);
        let number = sets.as_number(ab);
        assert!(set::is_number(number) && !set::is_number(ab));
        assert_eq!(members(&sets, number), [3, 7]);
        assert_eq!(sets.as_bits(number), ab);
        assert_eq!(sets.as_number(set::EMPTY), set::EMPTY);
        let a_by_number = sets.as_number(a);
        let united = sets.union(a_by_number, b);
        assert_eq!(sets.as_bits(united), ab);
        // A site without a bit.
        let mut sets = with_candidates(set::BITS as u32);
        let late = sets.singleton(7);
        assert_eq!(sets.as_bits(late), late);
    }

    #[test]
    fn candidates_of_another_copy_of_the_runtime_are_not_blamed() {
        let mut sets = with_candidates(2);
        let own = sets.singleton(1000);
        // A bit that another copy gave to a candidate of its own, and a list of it.
        let elsewhere = set::of_bit(set::BITS - 1);
        let list_elsewhere = set::numbered(1 | 5 << COPY_SHIFT);
        assert_eq!(members(&sets, elsewhere), [0u32; 0]);
        assert_eq!(members(&sets, list_elsewhere), [0u32; 0]);
        let united = sets.union(own, elsewhere);
        assert_eq!(members(&sets, united), [1000]);
        let united = sets.union(own, list_elsewhere);
        assert_eq!(members(&sets, united), [1000]);
    }

    #[test]
    fn words_that_name_sites_are_sets_in_every_process() {
        let mut sets = with_candidates(3);
        assert_eq!(members(&sets, set::of_sites(9, 4)), [4, 9]);
        assert_eq!(members(&sets, set::of_sites(4, 4)), [4]);
        let own = sets.singleton(7);
        let united = sets.union(set::of_sites(9, 4), own);
        assert_eq!(members(&sets, united), [4, 7, 9]);
        assert_eq!(set::sites(united), None);
    }

    #[test]
    fn truncated_sets_are_counted() {
        let mut sets = Sets::new();
        let mut set = 0;
        for site in 0..100 {
            let one = sets.singleton(site);
            set = sets.union(set, one);
        }
        assert_eq!(members(&sets, set).len(), LARGEST);
        assert!(sets.lost > 0);
    }
}
