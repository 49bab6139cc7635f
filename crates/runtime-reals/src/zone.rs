//! The addresses where this runtime keeps its own things, below the shadow planes.
//!
//! Reserving takes addresses, not memory. A process may hold several copies of the runtime: each takes
//! the first room that is free.

use lostbits_abi::numbers::{FRAMES_START, ROOM_BYTES, ROOMS};
use lostbits_runtime::sys::{self, Backing, Place};

/// A kind of room: as many of them, one behind the other.
pub struct Rooms {
    first: usize,
    pub bytes: usize,
    count: usize,
}

const GIB: usize = 1 << 30;
const TIB: usize = 1 << 40;

/// For GMP's and MPFR's own memory; a grain is found by 32 bits.
pub const ARENA: Rooms = Rooms {
    first: 2 * TIB,
    bytes: 64 * GIB,
    count: 16,
};

/// For the numbers of values that lie in memory; 32 bits say which.
pub const OBJECTS: Rooms = Rooms {
    first: 3 * TIB,
    bytes: TIB,
    count: 2,
};

/// For the numbers of the functions that a thread is in.
pub const FRAMES: Rooms = Rooms {
    first: FRAMES_START as usize,
    bytes: ROOM_BYTES as usize,
    count: ROOMS as usize,
};

const NO_ADDRESSES: &str = "lostbits: the address space for shadow numbers cannot be reserved: lift the \
    limits on it (`ulimit -v unlimited -d unlimited`), let vm.overcommit_memory be 0 or 1, and run fewer \
    than 1024 threads at a time.\n";
const NO_MEMORY: &str = "lostbits: the shadow numbers of this program need more memory than there is room for: lower \
    LOSTBITS_PRECISION, or run a smaller case.\n";

/// The address of a free room, reserved.
pub fn reserve(rooms: Rooms) -> usize {
    for index in 0..rooms.count {
        let place = rooms.first + index * rooms.bytes;
        // SAFETY: replaces no mapping.
        match unsafe { sys::map(Place::Free(place), rooms.bytes, Backing::Memory) } {
            Ok(address) => {
                // If that cannot be had, no harm.
                let _ = unsafe { sys::advise(address, rooms.bytes, libc::MADV_DONTDUMP) };
                return address;
            }
            Err(libc::EEXIST) => {}
            Err(_) => break,
        }
    }
    sys::give_up(NO_ADDRESSES)
}

pub fn give_up_for_memory() -> ! {
    sys::give_up(NO_MEMORY)
}
