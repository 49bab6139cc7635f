pub const EMPTY: u32 = 0;
/// How many candidates have bits.
pub const BITS: usize = 31;
const NUMBERED: u32 = 1 << BITS;

#[inline]
pub const fn of_bit(bit: usize) -> u32 {
    1 << bit
}

#[inline]
pub const fn numbered(number: u32) -> u32 {
    number | NUMBERED
}

#[inline]
pub const fn is_number(set: u32) -> bool {
    set & NUMBERED != 0
}

/// Set in words that name one or two sites: all processes understand them, so one-sided communication of MPI stores them
/// (`lostbits/src/compile/mpi/one_sided.c`). No list has such a number.
const NAMES_SITES: u32 = NUMBERED | 1 << 30;
const SITE_BITS: u32 = 15;

/// The set of two sites, or of one if they are equal; below 2^15.
#[inline]
pub const fn of_sites(first: u32, second: u32) -> u32 {
    NAMES_SITES | first << SITE_BITS | second
}

/// The sites that a word names.
#[inline]
pub const fn sites(set: u32) -> Option<[u32; 2]> {
    let mask = (1 << SITE_BITS) - 1;
    match set & NAMES_SITES == NAMES_SITES {
        true => Some([set >> SITE_BITS & mask, set & mask]),
        false => None,
    }
}

#[inline]
pub const fn number(set: u32) -> usize {
    (set & !NUMBERED) as usize
}

pub fn bits(set: u32) -> impl Iterator<Item = usize> {
    (0..BITS).filter(move |bit| set & of_bit(*bit) != 0)
}

/// Whether `x | y` is the union.
#[inline]
pub const fn are_united_by_bits(x: u32, y: u32) -> bool {
    !is_number(x | y) || x == EMPTY || y == EMPTY || x == y
}
