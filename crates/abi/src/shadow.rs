//! Where shadows are: in planes of memory at constant distances from the program's own, and in slots in thread-local
//! storage for values that cross a call.
//!
//! # Planes
//!
//! A plane mirrors the program's memory byte for byte: the shadow of the byte at `p` is at
//! `p - distance(plane)`, one subtraction folded into the addressing mode. Linux x86-64 programs
//! use three ranges of the 47-bit address space ([`APP_REGIONS`]); the distances put five planes
//! into the gaps between them.
//!
//! Low addresses ([`LOW_END`]: fixed-position executables such as Debian's `python3` with their heap, `MAP_32BIT`, Go's heap) are
//! too low to subtract from. They are mirrored as if they were at [`LOW_ALIAS`], see [`alias`]. That costs a comparison, so the
//! pass adds it only to code that may meet such addresses.
//!
//! Distances are not multiples of a page: with mirrored addresses equal modulo 4096 the processor
//! takes shadow accesses for aliases of the program's own and stalls (up to 7x was measured).

use crate::mode::Mode;

/// The ranges of the address space where a position-independent program lives, as
/// `(start, end)`: mappings under the legacy layout (`ulimit -s unlimited`), the executable with its
/// heap, and mappings with the stack.
pub const APP_REGIONS: [(u64, u64); 3] = [
    (0x2a00_0000_0000, 0x2e00_0000_0000),
    (0x5500_0000_0000, 0x5800_0000_0000),
    (0x7a00_0000_0000, 0x8000_0000_0000),
];

/// Where low addresses end.
pub const LOW_END: u64 = 1 << 40;

/// What low addresses are moved by before a distance is subtracted. Nothing is mapped there. The gap keeps mirrors apart that do
/// not begin and end with a page.
pub const LOW_ALIAS: u64 = (0x58 << 40) + (1 << 30);

/// The address whose mirrors are those of `address`.
pub const fn alias(address: u64) -> u64 {
    if address < LOW_END {
        address + LOW_ALIAS
    } else {
        address
    }
}

/// The ranges of which every plane has a mirror: those of the program, and the alias of low addresses.
pub const MIRRORED_REGIONS: [(u64, u64); 4] = {
    let [legacy, executable, mappings] = APP_REGIONS;
    let low = (LOW_ALIAS, LOW_ALIAS + LOW_END);
    [legacy, executable, low, mappings]
};

pub const PLANES: usize = 5;

/// The plane of modes `reals` and `explain-reals`. Its cells own numbers elsewhere, so they are not copied like bytes.
pub const OWNING_PLANE: usize = 4;

/// How far below the program's memory a plane is.
pub const fn distance(plane: usize) -> u64 {
    // The size of the largest range, so that its mirrors are one below the other.
    const STEP: u64 = 6 << 40;
    // Multiples of 64 keep vectors aligned; the part beyond whole pages differs from plane to plane,
    // and the pages keep mirrors apart that do not begin and end with one.
    const SKEW: u64 = 1344 + 2 * 4096;
    (plane as u64 + 1) * (STEP + SKEW)
}

/// The planes of a mode's shadows. Modules of different modes may be in one process; what one mode finds in a plane of another
/// does not fit the values beside it.
pub const fn planes(mode: Mode) -> &'static [usize] {
    match mode {
        Mode::Same | Mode::Symbolic => &[0, 1],
        Mode::Carry => &[2],
        Mode::Watch => &[3],
        Mode::Explain => &[0, 1, 2, 3],
        Mode::Reals | Mode::ExplainReals => &[OWNING_PLANE],
        Mode::Off | Mode::Search => &[],
    }
}

/// Bytes of argument shadows a call can pass, in each plane; further arguments arrive without shadows.
pub const ARGUMENT_BYTES: u64 = 1024;
/// Bytes of return-value shadow, in each plane.
pub const RETURN_BYTES: u64 = 256;
/// Bytes of variadic-argument shadows, in each plane: the x86-64 register save area (176 bytes),
/// then what is passed on the stack.
pub const VARIADIC_BYTES: u64 = 1024;
/// Where the vector registers begin in the register save area, its whole size, and one register's.
pub const SAVE_AREA_VECTORS: u64 = 48;
pub const SAVE_AREA_BYTES: u64 = 176;
pub const SAVE_AREA_VECTOR_BYTES: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_overlap_neither_the_program_nor_each_other() {
        let mut ranges: Vec<(u64, u64)> = MIRRORED_REGIONS.to_vec();
        ranges.push((0, LOW_END));
        for plane in 0..PLANES {
            for (start, end) in MIRRORED_REGIONS {
                ranges.push((start - distance(plane), end - distance(plane)));
            }
        }
        ranges.sort();
        for pair in ranges.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{pair:x?}");
        }
    }

    #[test]
    fn low_addresses_have_mirrors_within_the_planes() {
        let (start, end) = MIRRORED_REGIONS[2];
        assert_eq!((alias(0), alias(LOW_END - 1)), (start, end - 1));
        for (start, end) in APP_REGIONS {
            assert_eq!((alias(start), alias(end)), (start, end));
        }
    }

    #[test]
    fn distances_are_aligned_but_not_to_pages() {
        for plane in 0..PLANES {
            assert_eq!(distance(plane) % 64, 0);
            assert_ne!(distance(plane) % 4096, 0);
        }
    }
}
