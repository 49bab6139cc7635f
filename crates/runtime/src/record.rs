//! The run record of this process, as laid out in `abi::record`.
//!
//! Totals are counted in the record itself. It can be read at every moment, by the tool when the process
//! was killed, by a child when another thread forks: a chunk is complete before the header's length takes
//! it in, and the header is complete before its magic is there. No other note of the length is kept.

use core::{
    ptr, slice,
    sync::atomic::{
        AtomicPtr, AtomicU32, AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
    },
};

use lostbits_abi::{
    ABI_VERSION,
    record::{CHUNK_ALIGNMENT, ChunkHeader, Header, MAGIC, state},
};

use crate::{
    path::Path,
    record_file::{RecordFile, Refused},
    sys::{self, File},
};

const HEADER_BYTES: usize = size_of::<Header>().next_multiple_of(CHUNK_ALIGNMENT);

/// The header of the open record, or null. Apart from [`Record`], so that the end of the process can be
/// noted without a lock.
static OPEN: AtomicPtr<Header> = AtomicPtr::new(ptr::null_mut());

pub struct Record {
    /// The absolute path with its `%p`.
    template: Path,
    /// Where the name of a new file is put together; not on the stack, which may be a small one.
    name: Path,
    file: RecordFile,
}

impl Record {
    pub const fn none() -> Record {
        Record {
            template: Path::new(),
            name: Path::new(),
            file: RecordFile::none(),
        }
    }

    pub fn is_open(&self) -> bool {
        self.file.start() != 0
    }

    /// Starts the record that `template` names, if it can be had.
    pub fn open(&mut self, template: &[u8]) {
        let process = sys::process_id();
        if self.template.append_absolute(template).is_err() || self.create(process).is_err() {
            return;
        }
        let header = self.header();
        unsafe {
            read_command(&mut (*header).command);
            complete(header, process, sys::parent_id(), HEADER_BYTES);
        }
        OPEN.store(header, Release);
    }

    fn create(&mut self, process: u32) -> Result<(), Refused> {
        self.name.clear();
        self.name
            .append_expanded(self.template.as_bytes(), process)?;
        self.file.create(&mut self.name)
    }

    /// Appends a module; gives the place of its totals, set to `totals`.
    pub fn append(&mut self, table: &[u8], totals: &[u8]) -> Result<*mut u8, Refused> {
        let layout = ChunkLayout::of(table.len(), totals.len()).ok_or(Refused)?;
        let used = self.used();
        let end = used.checked_add(layout.length).ok_or(Refused)?;
        self.file.ensure(end)?;
        let chunk = Chunk(self.file.start().wrapping_add(used));
        unsafe {
            let header = ChunkHeader {
                length: layout.length as u64,
                table_bytes: table.len() as u64,
                totals_bytes: totals.len() as u64,
            };
            (chunk.0 as *mut ChunkHeader).write(header);
            ptr::copy_nonoverlapping(table.as_ptr(), chunk.table(), table.len());
            ptr::copy_nonoverlapping(totals.as_ptr(), chunk.totals(), totals.len());
        }
        self.length().store(end as u64, Release);
        Ok(unsafe { chunk.totals() })
    }

    /// The totals of a module with this very table, among those that `is_idle`.
    pub fn find(&self, table: &[u8], is_idle: impl Fn(*mut u8) -> bool) -> Option<*mut u8> {
        let matching = |chunk: &Chunk| unsafe {
            let header = chunk.header();
            let its_table = slice::from_raw_parts(chunk.table(), header.table_bytes as usize);
            its_table == table && is_idle(chunk.totals())
        };
        self.chunks()
            .find(matching)
            .map(|chunk| unsafe { chunk.totals() })
    }

    /// How many sites the modules have whose totals come before these.
    pub fn sites_before(&self, totals: *mut u8) -> u64 {
        let is_earlier = |chunk: &Chunk| unsafe { chunk.totals() } != totals;
        self.chunks()
            .take_while(is_earlier)
            .map(|chunk| unsafe { site_count(chunk.table()) })
            .sum()
    }

    /// Notes that a module's totals are not in the record.
    pub fn count_lost_module(&mut self) {
        if self.is_open() {
            let lost = unsafe { AtomicU64::from_ptr(&raw mut (*self.header()).modules_lost) };
            lost.fetch_add(1, Relaxed);
        }
    }

    /// In the child of a fork: a record of its own, with the same modules and nothing counted yet.
    pub fn follow_fork(&mut self) {
        if self.is_open() && self.replace(sys::process_id()).is_err() {
            OPEN.store(ptr::null_mut(), Release);
            self.file.abandon();
        }
    }

    fn replace(&mut self, process: u32) -> Result<(), Refused> {
        self.name.clear();
        self.name
            .append_expanded(self.template.as_bytes(), process)?;
        let (header, chunks, used) = (self.header(), self.chunks(), self.used());
        self.file.replace(&mut self.name, used, |draft| unsafe {
            let new_header = draft as *mut Header;
            let (from, to) = (&raw const (*header).command, &raw mut (*new_header).command);
            ptr::copy_nonoverlapping(from, to, 1);
            (*new_header).modules_lost = (*header).modules_lost;
            for chunk in chunks {
                // Up to the totals, which the draft has as zeros.
                let to = chunk.0.wrapping_sub(header as usize).wrapping_add(draft);
                ptr::copy_nonoverlapping(chunk.0 as *const u8, to as *mut u8, chunk.totals_at());
            }
            complete(new_header, process, (*header).process, used);
        })
    }

    fn header(&self) -> *mut Header {
        self.file.start() as *mut Header
    }

    fn length(&self) -> &AtomicU64 {
        // SAFETY: called only while the record is open; the mapping stays for good.
        unsafe { AtomicU64::from_ptr(&raw mut (*self.header()).length) }
    }

    /// Bytes of the process record so far.
    fn used(&self) -> usize {
        self.length().load(Acquire) as usize
    }

    fn chunks(&self) -> Chunks {
        let start = self.file.start();
        Chunks {
            at: start.wrapping_add(HEADER_BYTES),
            end: start.wrapping_add(self.used()),
        }
    }
}

/// Notes that the process runs its exit handlers. A child of `vfork` or `clone` that gets here shares
/// its parent's record and says nothing.
pub fn mark_exited() {
    let header = OPEN.load(Acquire);
    if !header.is_null() && unsafe { (*header).process } == sys::process_id() {
        unsafe { AtomicU32::from_ptr(&raw mut (*header).state) }.store(state::EXITED, Relaxed);
    }
}

/// Fills in a header, all but the command; the magic last.
unsafe fn complete(header: *mut Header, process: u32, parent: u32, length: usize) {
    unsafe {
        (*header).abi_version = ABI_VERSION;
        (*header).state = state::RUNNING;
        (*header).length = length as u64;
        (*header).process = process;
        (*header).parent = parent;
        let magic = (&raw mut (*header).magic).cast::<u64>();
        AtomicU64::from_ptr(magic).store(u64::from_ne_bytes(MAGIC), Release);
    }
}

fn read_command(mut buffer: &mut [u8]) {
    let Ok(file) = File::open(b"/proc/self/cmdline\0", libc::O_RDONLY) else {
        return;
    };
    while let Ok(bytes @ 1..) = file.read(buffer) {
        buffer = buffer.get_mut(bytes..).unwrap_or_default();
    }
}

/// The number of sites that an encoded table has.
unsafe fn site_count(table: *const u8) -> u64 {
    let at = lostbits_abi::site::COUNT_OFFSET;
    u64::from(unsafe { table.add(at).cast::<u32>().read_unaligned() })
}

/// Where the parts of a chunk lie.
struct ChunkLayout {
    totals_at: usize,
    length: usize,
}

impl ChunkLayout {
    fn of(table_bytes: usize, totals_bytes: usize) -> Option<ChunkLayout> {
        let table_end = size_of::<ChunkHeader>().checked_add(table_bytes)?;
        let totals_at = table_end.checked_next_multiple_of(align_of::<u64>())?;
        let end = totals_at.checked_add(totals_bytes)?;
        Some(ChunkLayout {
            totals_at,
            length: end.checked_next_multiple_of(CHUNK_ALIGNMENT)?,
        })
    }
}

/// The address of a chunk in the mapped record.
struct Chunk(usize);

impl Chunk {
    unsafe fn header(&self) -> &ChunkHeader {
        unsafe { &*(self.0 as *const ChunkHeader) }
    }

    unsafe fn table(&self) -> *mut u8 {
        self.0.wrapping_add(size_of::<ChunkHeader>()) as *mut u8
    }

    unsafe fn totals(&self) -> *mut u8 {
        self.0.wrapping_add(unsafe { self.totals_at() }) as *mut u8
    }

    unsafe fn totals_at(&self) -> usize {
        let header = unsafe { self.header() };
        let layout = ChunkLayout::of(header.table_bytes as usize, header.totals_bytes as usize);
        layout.map_or(0, |layout| layout.totals_at)
    }
}

struct Chunks {
    at: usize,
    end: usize,
}

impl Iterator for Chunks {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.at >= self.end {
            return None;
        }
        let chunk = Chunk(self.at);
        self.at = self
            .at
            .saturating_add(unsafe { chunk.header() }.length as usize);
        Some(chunk)
    }
}
