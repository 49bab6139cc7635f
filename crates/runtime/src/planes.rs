//! The shadow planes: reserved once in a process, whichever copy of the runtime comes first.
//!
//! Reserving takes addresses, not memory: pages come into being when they are touched. A marker at a
//! fixed address tells later copies of the runtime that the planes are there; so a plane's addresses
//! that are taken without the marker belong to a stranger, which is an error and said to be one.

use core::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use lostbits_abi::{
    ABI_VERSION,
    mode::Mode,
    shadow::{self, APP_REGIONS, OWNING_PLANE, PLANES},
};

use crate::sys::{self, Backing, Errno, PAGE, Place};

const DISTANCES: [usize; PLANES] = {
    let mut distances = [0; PLANES];
    let mut plane = 0;
    while plane < PLANES {
        distances[plane] = shadow::distance(plane) as usize;
        plane += 1;
    }
    distances
};

/// In a gap between program and planes.
const MARKER: usize = 0x3000_0000_0000;
/// Carries the ABI version: planes of another layout are a stranger's.
const MARK: u64 = u64::from_le_bytes(*b"LBplane\0") | (ABI_VERSION as u64) << 56;

const NO_ADDRESSES: &str = "lostbits: the address space for shadow memory cannot be reserved: lift \
    the limits on it (`ulimit -v unlimited -d unlimited`), and let vm.overcommit_memory be 0 or 1.\n";
const ADDRESSES_TAKEN: &str = "lostbits: the addresses of shadow memory are in use by something \
    else: build the program without other sanitizers, and all its parts with the same lostbits.\n";
const NOT_MIRRORED: &str = "lostbits: this program is not position-independent, so its memory \
    cannot have shadows: build it with -fPIE and link it with -pie (not -no-pie or -static; \
    -static-pie works). Where only a library is instrumented, the program that loads it counts.\n";

/// One bit for each plane that some module of this runtime uses.
static IN_USE: AtomicU32 = AtomicU32::new(0);

/// Does `action` with the distance of each plane in use whose cells are plain bytes.
pub fn for_each_in_use(mut action: impl FnMut(usize)) {
    let in_use = IN_USE.load(Relaxed);
    for (plane, distance) in DISTANCES.iter().enumerate() {
        if in_use & (1 << plane) != 0 && plane != OWNING_PLANE {
            action(*distance);
        }
    }
}

pub fn use_for(mode: Mode) {
    for plane in shadow::planes(mode) {
        IN_USE.fetch_or(1 << plane, Relaxed);
    }
}

/// Whether these bytes have shadows.
pub fn is_mirrored(address: usize, bytes: usize) -> bool {
    address.checked_add(bytes).is_some_and(|end| {
        APP_REGIONS
            .iter()
            .any(|(from, to)| *from as usize <= address && end <= *to as usize)
    })
}

/// Ends a program whose code or heap lies where there are no shadows, before it crashes.
pub fn require_mirrored(module: usize) {
    if !is_mirrored(module, 1) || !is_mirrored(sys::heap_end(), 0) {
        sys::give_up(NOT_MIRRORED);
    }
}

/// Reserves the planes, unless another copy of the runtime did.
pub fn reserve() {
    let outcome = match unsafe { sys::map(Place::Free(MARKER), PAGE, Backing::Memory) } {
        Ok(_) => reserve_all().map(|()| marker().store(MARK, Release)),
        Err(libc::EEXIST) if is_marked() => Ok(()),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => {}
        Err(libc::EEXIST) => sys::give_up(ADDRESSES_TAKEN),
        Err(_) => sys::give_up(NO_ADDRESSES),
    }
}

fn marker() -> &'static AtomicU64 {
    // SAFETY: called only when the page is mapped; nobody unmaps it.
    unsafe { AtomicU64::from_ptr(MARKER as *mut u64) }
}

/// Another thread may be loading another copy of the runtime at this moment: gives it time.
fn is_marked() -> bool {
    const PATIENCE: usize = 100_000;
    (0..PATIENCE).any(|_| {
        let marked = marker().load(Acquire) == MARK;
        if !marked {
            sys::yield_processor();
        }
        marked
    })
}

fn reserve_all() -> Result<(), Errno> {
    for distance in DISTANCES {
        for (from, to) in APP_REGIONS {
            let (from, to) = pages_around(from as usize - distance, to as usize - distance);
            unsafe { sys::map(Place::Free(from), to - from, Backing::Memory) }?;
            // Terabytes of zeros do not belong into a core dump. If that cannot be had, no harm.
            let _ = unsafe { sys::advise(from, to - from, libc::MADV_DONTDUMP) };
        }
    }
    Ok(())
}

/// Distances are not multiples of a page, so planes begin and end within pages.
fn pages_around(from: usize, to: usize) -> (usize, usize) {
    (from & !(PAGE - 1), (to + PAGE - 1) & !(PAGE - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn all_stretches() -> Vec<(usize, usize)> {
        let planes = DISTANCES.iter().flat_map(|distance| {
            APP_REGIONS
                .map(|(from, to)| pages_around(from as usize - distance, to as usize - distance))
        });
        let program = APP_REGIONS.map(|(from, to)| (from as usize, to as usize));
        let records = crate::record_file::ADDRESSES;
        planes
            .chain(program)
            .chain([(MARKER, MARKER + PAGE), records])
            .collect()
    }

    #[test]
    fn nothing_that_is_reserved_overlaps() {
        let mut stretches = all_stretches();
        stretches.sort();
        for pair in stretches.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{pair:x?}");
        }
    }

    #[test]
    fn ranges_are_mirrored_as_a_whole_or_not() {
        let (from, to) = APP_REGIONS[1];
        let (from, to) = (from as usize, to as usize);
        assert!(is_mirrored(from, to - from));
        assert!(!is_mirrored(from - 1, 2));
        assert!(!is_mirrored(to - 1, 2));
        assert!(!is_mirrored(0x40_0000, 8));
        assert!(!is_mirrored(usize::MAX, 8));
    }

    #[test]
    fn every_mode_with_shadows_has_planes_and_most_their_own() {
        let shares = |mode: Mode| mode.explains() || mode == Mode::Symbolic;
        let mut seen = [false; PLANES];
        for mode in Mode::ALL {
            let has_shadows = !matches!(mode, Mode::Off | Mode::Search);
            assert_eq!(shadow::planes(mode).is_empty(), !has_shadows, "{mode:?}");
            for plane in shadow::planes(mode).iter().filter(|_| !shares(mode)) {
                assert!(!seen[*plane], "{mode:?}");
                seen[*plane] = true;
            }
        }
    }
}
