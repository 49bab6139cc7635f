//! The shadow planes, reserved once in a process by whichever copy of the runtime comes first.
//!
//! Reserving takes addresses, not memory: the kernel allocates pages when they are touched. A marker at a fixed address
//! says that a runtime reserved the planes. If the addresses are in use without a marker, something else uses them, and
//! the process ends with a sentence.

use core::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use lostbits_abi::{
    ABI_VERSION,
    mode::Mode,
    shadow::{self, APP_REGIONS, LOW_END, MIRRORED_REGIONS, OWNING_PLANE, PLANES},
};

use crate::{
    layout,
    sys::{self, Backing, Errno, PAGE, Place},
    versions::{self, Part},
};

const DISTANCES: [usize; PLANES] = {
    let mut distances = [0; PLANES];
    let mut plane = 0;
    while plane < PLANES {
        distances[plane] = shadow::distance(plane) as usize;
        plane += 1;
    }
    distances
};

/// In a gap between program and planes. Runtimes of all versions keep it here, and its layout ([`Marker`]).
const MARKER: usize = 0x3000_0000_0000;
/// The upper byte of the mark is the ABI version, because planes of another version have another layout.
const MARK: u64 = MARK_OF_ALL | (ABI_VERSION as u64) << MARK_VERSION_SHIFT;
const MARK_OF_ALL: u64 = u64::from_le_bytes(*b"LBplane\0");
const MARK_VERSION_SHIFT: u32 = 56;

/// What the first runtime of a process leaves for those that are loaded later.
#[repr(C)]
struct Marker {
    /// [`MARK`] once the planes are reserved, 0 before.
    mark: AtomicU64,
    /// The address of the module that was registered first; 0 up to ABI 5.
    module: AtomicU64,
}

const NO_ADDRESSES: &str = "lostbits: the address space for shadow memory cannot be reserved: lift \
    the limits on it (`ulimit -v unlimited -d unlimited`), and let vm.overcommit_memory be 0 or 1.\n";
const ADDRESSES_TAKEN: &str = "lostbits: the addresses of shadow memory are in use by something \
    else: build the program without other sanitizers, and all its parts with the same lostbits. If vm.mmap_rnd_bits is above \
    28, run it with `setarch -R`.\n";
const NOT_MIRRORED: &str = "lostbits: this program is not position-independent, so its memory \
    cannot have shadows: build it with -fPIE and link it with -pie (not -no-pie or -static; \
    -static-pie works).\n";

const UNDER_VALGRIND: &str = "lostbits: this program runs under Valgrind, which places it where there can be no \
    shadow memory: run it without Valgrind, or give Valgrind a program that was built without lostbits.\n";
const STACK_UNLIMITED: &str = "lostbits: the stack has no limit, so Linux places libraries where shadow memory must be: \
    give it a limit (`ulimit -s 1000000` allows nearly 1 GB), or run the program with `lostbits run`.\n";

/// One bit for each plane that some module of this runtime uses.
static IN_USE: AtomicU32 = AtomicU32::new(0);

/// A bit for each plane in use.
pub fn in_use() -> u32 {
    IN_USE.load(Relaxed)
}

/// Calls `action` with the distance of each plane in use whose cells are plain bytes.
pub fn for_each_in_use(mut action: impl FnMut(usize)) {
    let in_use = IN_USE.load(Relaxed);
    for (plane, distance) in DISTANCES.iter().enumerate() {
        if in_use & (1 << plane) != 0 && plane != OWNING_PLANE {
            action(*distance);
        }
    }
}

/// Calls `action` with the distance of each plane in use, the owning one included.
pub fn for_each_with_cells(mut action: impl FnMut(usize)) {
    let in_use = IN_USE.load(Relaxed);
    for (plane, distance) in DISTANCES.iter().enumerate() {
        if in_use & (1 << plane) != 0 {
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
    let has = |(from, to): (u64, u64), end: usize| from as usize <= address && end <= to as usize;
    address
        .checked_add(bytes)
        .is_some_and(|end| has((0, LOW_END), end) || APP_REGIONS.iter().any(|one| has(*one, end)))
}

/// The shadow of a mirrored address in the plane at this distance.
#[inline]
pub fn mirror(address: usize, distance: usize) -> usize {
    (shadow::alias(address as u64) as usize).wrapping_sub(distance)
}

/// Which address of the program this address is a shadow of, for each plane in use. Code that does not expect low addresses subtracts
/// from them as from others.
pub fn shadowed(cell: usize) -> impl Iterator<Item = usize> {
    let in_use = IN_USE.load(Relaxed);
    let planes = DISTANCES.iter().enumerate();
    planes
        .filter(move |(plane, _)| in_use & (1 << plane) != 0)
        .map(move |(_, distance)| cell.wrapping_add(*distance))
}

/// Whether an address is in a plane.
pub fn is_shadow(address: usize) -> bool {
    DISTANCES.iter().any(|distance| {
        MIRRORED_REGIONS.iter().any(|(from, to)| {
            (*from as usize..*to as usize).contains(&address.wrapping_add(*distance))
        })
    })
}

/// Ends a program whose instrumented code is at addresses without shadows, before it crashes. Code for executables does not expect
/// low addresses, so its own must not be low.
pub fn require_mirrored(module: usize) {
    if !is_mirrored(module, 1) || module < LOW_END as usize || !is_mirrored(sys::heap_end(), 0) {
        layout::execute_again(module);
        sys::give_up(match sys::is_under_valgrind() {
            true => UNDER_VALGRIND,
            false => NOT_MIRRORED,
        });
    }
}

/// Reserves the planes for a process whose first module is `module`, unless another copy of the runtime did.
pub fn reserve(module: usize) {
    // SAFETY: nothing is mapped over; the address was free.
    let outcome = match unsafe { sys::map(Place::Free(MARKER), PAGE, Backing::Memory) } {
        Ok(_) => reserve_all().map(|()| {
            marker().module.store(module as u64, Relaxed);
            marker().mark.store(MARK, Release);
        }),
        Err(libc::EEXIST) => match wait_for_mark() {
            MARK => Ok(()),
            other if is_of_another_version(other) => refuse_version(other, module),
            _ => Err(libc::EEXIST),
        },
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => {}
        Err(libc::EEXIST) => {
            let is_stack_unlimited = sys::is_stack_unlimited();
            layout::execute_again(module);
            sys::give_up(match is_stack_unlimited {
                true => STACK_UNLIMITED,
                false => ADDRESSES_TAKEN,
            })
        }
        Err(_) => sys::give_up(NO_ADDRESSES),
    }
}

fn marker() -> &'static Marker {
    // SAFETY: called only when the page is mapped; nothing unmaps it, and it is only accessed atomically.
    unsafe { &*(MARKER as *const Marker) }
}

/// The mark of the runtime that came first. That one may be running in another thread at this moment, so it gets time.
fn wait_for_mark() -> u64 {
    const ATTEMPTS: usize = 100_000;
    for _ in 0..ATTEMPTS {
        let mark = marker().mark.load(Acquire);
        if mark != 0 {
            return mark;
        }
        sys::yield_processor();
    }
    0
}

fn is_of_another_version(mark: u64) -> bool {
    mark & !(0xff << MARK_VERSION_SHIFT) == MARK_OF_ALL
}

fn refuse_version(mark: u64, module: usize) -> ! {
    let theirs = Part {
        abi: (mark >> MARK_VERSION_SHIFT) as u32,
        address: marker().module.load(Relaxed) as usize,
    };
    let ours = Part {
        abi: ABI_VERSION,
        address: module,
    };
    versions::refuse_mixture(theirs, ours)
}

fn reserve_all() -> Result<(), Errno> {
    for distance in DISTANCES {
        for (from, to) in MIRRORED_REGIONS {
            let (from, to) = pages_around(from as usize - distance, to as usize - distance);
            // SAFETY: nothing is mapped over; the addresses were free.
            unsafe { sys::map(Place::Free(from), to - from, Backing::Memory) }?;
            // Terabytes of zeros do not belong into a core dump. If the kernel refuses, no harm is done.
            // SAFETY: the advice discards nothing.
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

    fn all_ranges() -> Vec<(usize, usize)> {
        let planes = DISTANCES.iter().flat_map(|distance| {
            MIRRORED_REGIONS
                .map(|(from, to)| pages_around(from as usize - distance, to as usize - distance))
        });
        let low = (0, LOW_END as usize);
        let program = MIRRORED_REGIONS.map(|(from, to)| (from as usize, to as usize));
        let records = crate::record_file::ADDRESSES;
        planes
            .chain(program)
            .chain([low, (MARKER, MARKER + PAGE), records])
            .collect()
    }

    #[test]
    fn nothing_that_is_reserved_overlaps() {
        let mut ranges = all_ranges();
        ranges.sort();
        for pair in ranges.windows(2) {
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
        assert!(is_mirrored(0x40_0000, 8));
        assert!(is_mirrored(0xc0_0000_0000, 8));
        assert!(!is_mirrored(LOW_END as usize - 4, 8));
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
