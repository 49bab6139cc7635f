//! The run record of this process, as laid out in `abi::record`.
//!
//! Totals are counted in the record itself. It can be read at every moment, by the tool after the process was killed, and
//! by a child when another thread forks: a chunk is complete before the header's length includes it, and the header is
//! complete before it has its magic. The header's length is the only one that is kept.

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

/// The header of the open record, or null. Separate from [`Record`], so that the end of the process can be noted without a
/// lock.
static OPEN: AtomicPtr<Header> = AtomicPtr::new(ptr::null_mut());

pub struct Record {
    /// The absolute path with its `%p`.
    template: Path,
    /// Where the name of a new file is composed; not on the stack, which may be small.
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

    /// The file that the record is in; empty if there is none.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Starts the record that `template` names, if it can be created.
    pub fn open(&mut self, template: &[u8]) {
        let process = sys::process_id();
        if self.template.append_absolute(template).is_err() || self.create(process).is_err() {
            return;
        }
        let header = self.header();
        // SAFETY: the file was mapped just now, large enough for a header, and no other code has its address yet.
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

    /// Appends a module; returns the address of its totals, set to `totals`.
    pub fn append(&mut self, table: &[u8], totals: &[u8]) -> Result<*mut u8, Refused> {
        let layout = ChunkLayout::of(table.len(), totals.len()).ok_or(Refused)?;
        let used = self.used();
        let end = used.checked_add(layout.length).ok_or(Refused)?;
        self.file.ensure(end)?;
        let at = self.file.start().wrapping_add(used);
        let header = ChunkHeader {
            length: layout.length as u64,
            table_bytes: table.len() as u64,
            totals_bytes: totals.len() as u64,
        };
        // SAFETY: `ensure` mapped all bytes up to `end`, and no other code has addresses from `used` on.
        let chunk = unsafe {
            (at as *mut ChunkHeader).write(header);
            Chunk::at(at)
        };
        // SAFETY: the layout has room for both, and no other code has the chunk's address yet.
        unsafe {
            ptr::copy_nonoverlapping(table.as_ptr(), chunk.table_start(), table.len());
            ptr::copy_nonoverlapping(totals.as_ptr(), chunk.totals(), totals.len());
        }
        self.length().store(end as u64, Release);
        Ok(chunk.totals())
    }

    /// The totals of a module with this very table, among those that `is_idle`.
    pub fn find(&self, table: &[u8], is_idle: impl Fn(*mut u8) -> bool) -> Option<*mut u8> {
        let matching = |chunk: &Chunk| chunk.table() == table && is_idle(chunk.totals());
        self.chunks().find(matching).map(|chunk| chunk.totals())
    }

    /// How many sites the modules have whose totals come before these.
    pub fn sites_before(&self, totals: *mut u8) -> u64 {
        self.chunks()
            .take_while(|chunk| chunk.totals() != totals)
            .map(|chunk| site_count(chunk.table()))
            .sum()
    }

    /// Notes that a module's totals are not in the record.
    pub fn count_lost_module(&mut self) {
        if self.is_open() {
            // SAFETY: the record is open; the field is only accessed atomically.
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
        // SAFETY: the draft has as many bytes as are used of the record. The child has one thread, so nothing changes
        // the record meanwhile.
        self.file.replace(&mut self.name, used, |draft| unsafe {
            let new_header = draft as *mut Header;
            let (from, to) = (&raw const (*header).command, &raw mut (*new_header).command);
            ptr::copy_nonoverlapping(from, to, 1);
            (*new_header).modules_lost = (*header).modules_lost;
            for chunk in chunks {
                // Up to the totals, which the draft has as zeros.
                let from = chunk.address();
                let to = from.wrapping_sub(header as usize).wrapping_add(draft);
                ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, chunk.totals_at());
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

/// Notes that the process runs its exit handlers. A child of `vfork` or `clone` that gets here shares its parent's record and
/// changes nothing.
pub fn mark_exited() {
    let header = OPEN.load(Acquire);
    // SAFETY: the header of an open record stays mapped for good, and `process` never changes.
    if !header.is_null() && unsafe { (*header).process } == sys::process_id() {
        // SAFETY: likewise; the field is only accessed atomically from now on.
        unsafe { AtomicU32::from_ptr(&raw mut (*header).state) }.store(state::EXITED, Relaxed);
    }
}

/// Fills in a header, all but the command; the magic last.
///
/// # Safety
///
/// The header is mapped, and nothing else uses it yet.
unsafe fn complete(header: *mut Header, process: u32, parent: u32, length: usize) {
    // SAFETY: the caller's promise.
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
fn site_count(table: &[u8]) -> u64 {
    let count = table
        .get(lostbits_abi::site::COUNT_OFFSET..)
        .and_then(|rest| rest.first_chunk());
    count.map_or(0, |count| u64::from(u32::from_le_bytes(*count)))
}

/// Where the parts of a chunk are.
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

/// A complete chunk of the mapped record. The header and the table never change, and stay mapped for good.
struct Chunk(&'static ChunkHeader);

impl Chunk {
    /// # Safety
    ///
    /// A chunk with its header begins at `address`, in a record that stays mapped.
    unsafe fn at(address: usize) -> Chunk {
        // SAFETY: the caller's promise.
        Chunk(unsafe { &*(address as *const ChunkHeader) })
    }

    fn address(&self) -> usize {
        &raw const *self.0 as usize
    }

    fn table_start(&self) -> *mut u8 {
        self.address().wrapping_add(size_of::<ChunkHeader>()) as *mut u8
    }

    fn table(&self) -> &[u8] {
        // SAFETY: the header of a complete chunk states the size of its table.
        unsafe { slice::from_raw_parts(self.table_start(), self.0.table_bytes as usize) }
    }

    fn totals(&self) -> *mut u8 {
        self.address().wrapping_add(self.totals_at()) as *mut u8
    }

    fn totals_at(&self) -> usize {
        let layout = ChunkLayout::of(self.0.table_bytes as usize, self.0.totals_bytes as usize);
        layout.map_or(0, |layout| layout.totals_at)
    }
}

/// The chunks of an open record, up to the length that the header had.
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
        // SAFETY: chunks follow each other up to the header's length.
        let chunk = unsafe { Chunk::at(self.at) };
        self.at = self.at.saturating_add(chunk.0.length as usize);
        Some(chunk)
    }
}
