//! The analysis file: entries for operations and spots, found by their global sites.
//!
//! Without a file (no `LOSTBITS_EXPLAIN`) entries lie in plain memory, and nobody will read them.

use core::ptr;

use lostbits_abi::{
    ABI_VERSION,
    explain::{
        EntryHeader, EntryKind, Exact, Header, Influence, MAGIC, MOST_INFLUENCES, Operation,
        Settings, Spot, SpotKind,
    },
};
use lostbits_runtime::{
    path::Path,
    record_file::RecordFile,
    sys::{self, Backing, Place},
};

use super::expression::NO_EXPRESSION;

/// Sites that can have entries; a node has room for no more.
const MOST_SITES: usize = 1 << 24;
const MEMORY_BYTES: usize = 1 << 28;

pub struct Analysis {
    /// For each site, where its operation or spot lies, from the start; 0: nowhere.
    index: *mut u32,
    template: Path,
    name: Path,
    file: RecordFile,
    /// Where entries lie; the header is at the start.
    start: usize,
    is_file: bool,
}

impl Analysis {
    pub const fn new() -> Analysis {
        Analysis {
            index: ptr::null_mut(),
            template: Path::new(),
            name: Path::new(),
            file: RecordFile::none(),
            start: 0,
            is_file: false,
        }
    }

    /// Starts the file that `template` names, or memory without one.
    pub fn open(&mut self, template: Option<&[u8]>, settings: Settings) {
        let index = unsafe { sys::map(Place::Anywhere, MOST_SITES * 4, Backing::Memory) };
        self.index = index.unwrap_or(0) as *mut u32;
        self.is_file = template.is_some_and(|template| self.create(template));
        self.start = match self.is_file {
            true => self.file.start(),
            false => {
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
        };
        unsafe { (self.start as *mut Header).write(header) };
    }

    fn create(&mut self, template: &[u8]) -> bool {
        self.template.append_absolute(template).is_ok()
            && self
                .name
                .append_expanded(self.template.as_bytes(), sys::process_id())
                .is_ok()
            && self.file.create(&mut self.name).is_ok()
    }

    /// In the child of a fork: a file of its own with what its parent had found; and no file at all if
    /// it cannot have one.
    pub fn follow_fork(&mut self) {
        if !self.is_file {
            return;
        }
        let Some(header) = self.header() else { return };
        let (used, start) = (header.length as usize, self.start);
        self.name.clear();
        let expanded = self
            .name
            .append_expanded(self.template.as_bytes(), sys::process_id());
        let copied = expanded.is_ok()
            && self
                .file
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
        Some(unsafe { &mut *(self.start as *mut Header) })
    }

    /// The entry of an operation, made if there is none.
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
            worst_real: Exact::UNTOLD,
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

    /// The entry of a spot, if there is one.
    pub fn known_spot(&mut self, site: u32) -> Option<&mut Spot> {
        self.known(site, EntryKind::Spot)
    }

    /// The entry of a spot, made if there is none.
    pub fn spot(&mut self, site: u32, kind: SpotKind) -> Option<&mut Spot> {
        let nobody = Influence {
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
            worst_bits: 0.0,
            sum_bits: 0.0,
            worst_values: [0.0; 2],
            worst_reals: [Exact::UNTOLD; 2],
            influences: [nobody; MOST_INFLUENCES],
            influences_lost: 0,
            unexplained: 0,
        })
    }

    #[inline]
    fn known<T>(&mut self, site: u32, kind: EntryKind) -> Option<&mut T> {
        if self.start == 0 || self.index.is_null() || site as usize >= MOST_SITES {
            return None;
        }
        let at = unsafe { *self.index.add(site as usize) } as usize;
        let entry = self.start + at;
        let is_of_kind = || unsafe { &*(entry as *const EntryHeader) }.kind == kind as u32;
        (at != 0 && is_of_kind()).then(|| unsafe { &mut *(entry as *mut T) })
    }

    fn entry<T>(
        &mut self,
        site: u32,
        kind: EntryKind,
        make: impl FnOnce(EntryHeader) -> T,
    ) -> Option<&mut T> {
        if self.start == 0 || self.index.is_null() || site as usize >= MOST_SITES {
            return None;
        }
        if unsafe { *self.index.add(site as usize) } != 0 {
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
        unsafe {
            ((self.start + at) as *mut T).write(make(header));
            *self.index.add(site as usize) = at as u32;
        }
        // Complete before it is taken in: the process may end at any moment.
        self.header()?.length = (at + length) as u64;
        Some(unsafe { &mut *((self.start + at) as *mut T) })
    }
}
