//! The analysis file: entries for operations, and for outputs and decisions (`Spot`), found by their global sites.
//!
//! The file is beside the process's record and named after it, so that whoever reads the record finds it. Without a record
//! entries are in anonymous memory and are never read.

use core::ptr;

use lostbits_abi::{
    ABI_VERSION,
    conversion::Conversion,
    explain::{
        ANALYSIS_SUFFIX, Call, EntryHeader, EntryKind, Exact, Header, Influence, MAGIC,
        MOST_INFLUENCES, Operation, OwnError, Settings, Spot, SpotKind, python,
    },
};
use lostbits_runtime::{
    append_record_name,
    path::Path,
    record_file::RecordFile,
    sys::{self, Backing, File, Place},
};

use super::expression::NO_EXPRESSION;

/// The most sites with entries; a node has no bits for more.
const MOST_SITES: usize = 1 << 24;
const MEMORY_BYTES: usize = 1 << 28;

pub struct Analysis {
    /// For each site, the offset of its entry from the start; 0 if it has none.
    index: *mut u32,
    /// Where the name of a new file is composed; not on the stack, which may be small.
    name: Path,
    file: RecordFile,
    /// Where entries lie; the header comes first. 0 if there is no memory.
    start: usize,
    is_file: bool,
}

impl Analysis {
    pub const fn new() -> Analysis {
        Analysis {
            index: ptr::null_mut(),
            name: Path::new(),
            file: RecordFile::none(),
            start: 0,
            is_file: false,
        }
    }

    /// Creates the file beside the record, or maps memory if there is no record.
    pub fn open(&mut self, settings: Settings) {
        // SAFETY: new memory.
        let index = unsafe { sys::map(Place::Anywhere, MOST_SITES * 4, Backing::Memory) };
        self.index = index.unwrap_or(0) as *mut u32;
        self.is_file = self.name_after_record() && self.file.create(&mut self.name).is_ok();
        self.start = match self.is_file {
            true => self.file.start(),
            false => {
                // SAFETY: new memory.
                unsafe { sys::map(Place::Anywhere, MEMORY_BYTES, Backing::Memory) }.unwrap_or(0)
            }
        };
        if self.start == 0 {
            return;
        }
        let header = Header {
            magic: MAGIC,
            abi_version: ABI_VERSION,
            process: sys::process_id(),
            length: size_of::<Header>().next_multiple_of(64) as u64,
            settings,
            sets_lost: 0,
            entries_lost: 0,
            events_lost: 0,
            after_underflow: 0,
            reinterpreted: 0,
            in_doubt_by_bounds: 0,
        };
        // SAFETY: the file or memory begins with room for a header.
        unsafe { (self.start as *mut Header).write(header) };
    }

    /// Composes the name of the file; whether there can be one. The record is new, so an analysis of this name is of an earlier
    /// record and must not be taken for this one's.
    fn name_after_record(&mut self) -> bool {
        self.name.clear();
        let has_record =
            append_record_name(&mut self.name).is_ok() && !self.name.as_bytes().is_empty();
        has_record
            && self.name.append(ANALYSIS_SUFFIX.as_bytes()).is_ok()
            && remove_earlier(&self.name)
    }

    /// In the child of a fork: gives it a file of its own with what its parent had found, or no file if that fails.
    pub fn follow_fork(&mut self) {
        if !self.is_file {
            return;
        }
        let Some(header) = self.header() else { return };
        let (used, start) = (header.length as usize, self.start);
        let copied = self.name_after_record()
            && self
                .file
                // SAFETY: the parent's file is mapped with `used` bytes, and the draft has as many.
                .replace(&mut self.name, used, |draft| unsafe {
                    ptr::copy_nonoverlapping(start as *const u8, draft as *mut u8, used);
                    (*(draft as *mut Header)).process = sys::process_id();
                })
                .is_ok();
        if !copied {
            self.file.abandon();
            self.start = 0;
        }
    }

    pub fn header(&mut self) -> Option<&mut Header> {
        if self.start == 0 {
            return None;
        }
        // SAFETY: `open` wrote a header at `start`, and the state's lock is held.
        Some(unsafe { &mut *(self.start as *mut Header) })
    }

    /// The entry of an operation; creates it if there is none.
    pub fn operation(&mut self, site: u32) -> Option<&mut Operation> {
        self.entry(site, EntryKind::Operation, |header| Operation {
            header,
            site,
            causes: 0,
            seen: 0,
            erroneous: 0,
            erroneous_seen: 0,
            undecided: 0,
            worst_bits: 0.0,
            sum_bits: 0.0,
            worst_values: [0.0; 4],
            worst_real: Exact::NONE,
            positions: 0,
            worst_seen: 0.0,
            expression: NO_EXPRESSION,
        })
    }

    /// The entry of an operation, if there is one.
    #[inline]
    pub fn known_operation(&mut self, site: u32) -> Option<&mut Operation> {
        self.known(site, EntryKind::Operation)
    }

    /// The entry of an output or decision, if there is one.
    pub fn known_spot(&mut self, site: u32) -> Option<&mut Spot> {
        self.known(site, EntryKind::Spot)
    }

    /// The entry of an output or decision; creates it if there is none.
    pub fn spot(&mut self, site: u32, kind: SpotKind) -> Option<&mut Spot> {
        let unused = Influence {
            site: 0,
            used: 0,
            times: 0,
            worst_bits: 0.0,
        };
        self.entry(site, EntryKind::Spot, |header| Spot {
            header,
            site,
            kind: kind as u32,
            seen: 0,
            erroneous: 0,
            undecided: 0,
            hidden: 0,
            worst_bits: 0.0,
            sum_bits: 0.0,
            worst_execution: 0,
            worst_values: [0.0; 2],
            worst_reals: [Exact::NONE; 2],
            worst_tails: [0.0; 2],
            worst_conversion: Conversion::UNKNOWN,
            influences: [unused; MOST_INFLUENCES],
            influences_lost: 0,
            unexplained: 0,
            zeros: 0,
            largest_zero: [0.0; 2],
            excused: 0,
            unknown_exact: 0,
            python: [python::Call::NONE; python::CALLS],
            worst_call: Call::NONE,
            own: OwnError::NONE,
        })
    }

    /// The index of a site, if it can have an entry.
    #[inline]
    fn slot(&mut self, site: u32) -> Option<&mut u32> {
        if self.start == 0 || self.index.is_null() || site as usize >= MOST_SITES {
            return None;
        }
        // SAFETY: `open` mapped MOST_SITES words, and the state's lock is held.
        Some(unsafe { &mut *self.index.add(site as usize) })
    }

    #[inline]
    fn known<T>(&mut self, site: u32, kind: EntryKind) -> Option<&mut T> {
        let at = *self.slot(site)? as usize;
        let entry = self.start + at;
        // SAFETY: an index other than 0 is that of an entry, which begins with its header.
        let is_of_kind = || unsafe { &*(entry as *const EntryHeader) }.kind == kind as u32;
        // SAFETY: `entry` wrote a T for this kind, and the state's lock is held.
        (at != 0 && is_of_kind()).then(|| unsafe { &mut *(entry as *mut T) })
    }

    fn entry<T>(
        &mut self,
        site: u32,
        kind: EntryKind,
        make: impl FnOnce(EntryHeader) -> T,
    ) -> Option<&mut T> {
        if *self.slot(site)? != 0 {
            return self.known(site, kind);
        }
        let length = size_of::<T>().next_multiple_of(64);
        let at = self.header()?.length as usize;
        let fits = match self.is_file {
            true => self.file.ensure(at + length).is_ok(),
            false => at + length <= MEMORY_BYTES,
        };
        if !fits {
            self.header()?.entries_lost += 1;
            return None;
        }
        let header = EntryHeader {
            kind: kind as u32,
            length: length as u32,
        };
        let entry = (self.start + at) as *mut T;
        // SAFETY: `at` and `length` are multiples of 64, and the file or memory has room for as many bytes.
        unsafe { entry.write(make(header)) };
        *self.slot(site)? = at as u32;
        // The entry is complete before the length includes it: the process may end at any moment.
        self.header()?.length = (at + length) as u64;
        // SAFETY: just written, and the state's lock is held.
        Some(unsafe { &mut *entry })
    }
}

/// Removes an analysis of an earlier run; whether the name is free now. A file that is something else stays.
fn remove_earlier(name: &Path) -> bool {
    const FLAGS: i32 = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = match File::open(name.with_nul(), FLAGS) {
        Ok(file) => file,
        Err(error) => return error == libc::ENOENT,
    };
    let mut magic = [0; size_of::<u64>()];
    let is_analysis =
        file.read(&mut magic) == Ok(magic.len()) && u64::from_le_bytes(magic) == MAGIC;
    if is_analysis {
        sys::unlink(name.with_nul());
    }
    is_analysis
}
