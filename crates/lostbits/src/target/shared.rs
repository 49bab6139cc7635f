//! The memory that a search and its worker process share: inputs in one direction, outcomes in the other.

use std::{
    io,
    os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
};

use crate::inputs::call::MOST_NUMBERS;

/// Inputs that a worker is given at once.
pub const BATCH: usize = 1024;
const ARENA_BYTES: usize = 16 << 20;

/// What one site did in one call. A call's are in the order of their sites, of each the last execution first.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Observation {
    pub site: u32,
    /// Of the operands' condition numbers the largest, as a binary logarithm.
    pub log_condition: f32,
    /// Operations from here to the return.
    pub steps: u32,
    /// How many times the site was executed after this.
    pub turn: u32,
    pub x: f64,
    pub y: f64,
    /// The value that is zero where the condition number is infinite: the result, or a comparison's difference.
    pub distance: f64,
}

/// An output in exact arithmetic.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Verdict {
    pub real: f64,
    /// What was computed minus that, before either was rounded.
    pub difference: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Wanted {
    Observations = 0,
    Trace = 1,
    Stop = 2,
    /// The graph of mode `symbolic`.
    Graph = 3,
    /// The outputs in exact arithmetic (of a library built for mode `reals`).
    Reals = 4,
    /// The same, compared with outputs of another run.
    Against = 5,
}

#[repr(C)]
pub struct Row {
    pub first: u32,
    pub count: u32,
    pub steps: u64,
    pub estimate: f64,
    /// Not 0 if the call depends on the format of numbers.
    pub depends_on_format: u64,
    pub outputs: [f64; MOST_NUMBERS],
}

#[repr(C)]
pub struct Shared {
    /// The call that is being made; with `count`, none.
    pub current: u32,
    pub count: u32,
    pub stub: u32,
    pub wanted: u32,
    pub arena_used: u32,
    pub timed_out: u32,
    pub child: i32,
    /// Processor time that a call may use, in ticks.
    pub ticks: u32,
    /// Numbers in an input.
    pub width: u32,
    /// Bytes of site tables that the worker left in the arena when it started.
    pub table_bytes: u64,
    pub inputs: [[f64; MOST_NUMBERS]; BATCH],
    pub rows: [Row; BATCH],
    pub arena: [u64; ARENA_BYTES / 8],
}

pub struct Mapping {
    pub file: OwnedFd,
    address: *mut Shared,
}

// SAFETY: the two processes take turns, by messages; so do threads that a mapping is handed to.
unsafe impl Send for Mapping {}

impl Mapping {
    pub fn new() -> io::Result<Mapping> {
        // SAFETY: the name is a C string, and the descriptor is ours if it is one.
        let file = unsafe {
            let raw = libc::memfd_create(c"lostbits-search".as_ptr(), 0);
            if raw < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(raw)
        };
        // SAFETY: the descriptor is open.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size_of::<Shared>() as i64) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Mapping::of(file)
    }

    /// Maps what another process made.
    pub fn inherited(raw: RawFd) -> io::Result<Mapping> {
        // SAFETY: the process that started us left this descriptor to us.
        Mapping::of(unsafe { OwnedFd::from_raw_fd(raw) })
    }

    fn of(file: OwnedFd) -> io::Result<Mapping> {
        // SAFETY: a fresh mapping of the whole file.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<Shared>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping {
            file,
            address: address.cast(),
        })
    }

    pub fn get(&mut self) -> &mut Shared {
        // SAFETY: the mapping lives as long as we, zeros are a value, and the processes take turns.
        unsafe { &mut *self.address }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: nobody has a reference any more.
        unsafe { libc::munmap(self.address.cast(), size_of::<Shared>()) };
    }
}

impl Shared {
    pub fn room(&self) -> usize {
        ARENA_BYTES - self.arena_used as usize
    }

    /// Where the next bytes of the arena are.
    pub fn free(&mut self) -> *mut u8 {
        let used = self.arena_used as usize;
        // SAFETY: `used` is at most the arena's size.
        unsafe { self.arena.as_mut_ptr().cast::<u8>().add(used) }
    }

    pub fn arena_bytes(&self) -> &[u8] {
        // SAFETY: plain bytes.
        unsafe { std::slice::from_raw_parts(self.arena.as_ptr().cast(), ARENA_BYTES) }
    }
}
