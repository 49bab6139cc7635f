//! The file of a run record.
//!
//! The file is mapped and its descriptor closed at once, so that programs which close all descriptors, count them, or expect a
//! certain number next are not disturbed. To grow (only when a library is loaded, or at the start) the file is opened
//! again by its absolute path and identified by its inode. If it can no longer be opened (`chroot`, deleted), the
//! module that needed the space is counted as lost.
//!
//! Blocks are allocated before they are mapped, so that a full disk is an error here and not a SIGBUS in the program.
//! Extents are mapped one after another into addresses reserved between the shadow planes. After a fork the child's file
//! is mapped over the parent's at the same addresses, so that pointers into the record which the program holds in
//! registers stay valid.

use crate::{
    path::{Path, TooLong},
    sys::{self, Backing, Errno, File, FileIdentity, PAGE, Place},
};

/// How large a record can grow.
const LARGEST: usize = 1 << 30;
/// What a record starts with; it then doubles.
const SMALLEST: usize = 1 << 16;
/// Copies of the runtime in one process that can have a record.
const SLOTS: usize = 1024;
const FIRST_SLOT: usize = 0x3100_0000_0000;
/// All addresses where records can lie.
#[cfg(test)]
pub const ADDRESSES: (usize, usize) = (FIRST_SLOT, FIRST_SLOT + SLOTS * LARGEST);

/// A name that exists is never reused: `.1` to this are appended.
const LAST_SUFFIX: u32 = 999;

/// There can be no record, or no larger one.
pub struct Refused;

impl From<Errno> for Refused {
    fn from(_: Errno) -> Refused {
        Refused
    }
}

impl From<TooLong> for Refused {
    fn from(_: TooLong) -> Refused {
        Refused
    }
}

pub struct RecordFile {
    path: Path,
    identity: FileIdentity,
    /// Where the mapped file begins; 0 if there is none.
    start: usize,
    /// Bytes that are mapped.
    capacity: usize,
}

impl RecordFile {
    pub const fn none() -> RecordFile {
        RecordFile {
            path: Path::new(),
            identity: FileIdentity::NONE,
            start: 0,
            capacity: 0,
        }
    }

    /// 0 if there is no file.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The name that the file got; empty if there is none.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates and maps the file that is called `name`.
    pub fn create(&mut self, name: &mut Path) -> Result<(), Refused> {
        let slot = reserve_slot()?;
        let created = NewFile::create(name).and_then(|new| {
            new.file.allocate(0, SMALLEST)?;
            // SAFETY: the slot was reserved just now, and nothing is in it.
            unsafe { sys::map(Place::Over(slot), SMALLEST, Backing::File(&new.file, 0)) }?;
            self.adopt(new, slot, SMALLEST)
        });
        if created.is_err() {
            // SAFETY: no other code has the slot's address yet.
            unsafe { sys::unmap(slot, LARGEST) };
        }
        created
    }

    /// Makes the first `bytes` usable.
    pub fn ensure(&mut self, bytes: usize) -> Result<(), Refused> {
        if bytes <= self.capacity {
            return Ok(());
        }
        let capacity = whole_pages(bytes)?
            .max(self.capacity.saturating_mul(2))
            .min(LARGEST);
        if capacity < bytes {
            return Err(Refused);
        }
        let file = File::open(self.path.with_nul(), libc::O_RDWR | libc::O_NOFOLLOW)?;
        if file.identity()? != self.identity {
            return Err(Refused);
        }
        file.allocate(self.capacity, capacity)?;
        let tail = self.start.wrapping_add(self.capacity);
        let added = capacity.wrapping_sub(self.capacity);
        let backing = Backing::File(&file, self.capacity);
        // SAFETY: the tail of the slot is reserved and unused.
        unsafe { sys::map(Place::Over(tail), added, backing) }?;
        self.capacity = capacity;
        Ok(())
    }

    /// In the child of a fork: replaces the parent's file by one of the child's own, called `name`. `write` gets the
    /// address of a draft of `bytes` zeros and fills it in.
    pub fn replace(
        &mut self,
        name: &mut Path,
        bytes: usize,
        write: impl FnOnce(usize),
    ) -> Result<(), Refused> {
        let new = NewFile::create(name)?;
        let capacity = whole_pages(bytes)?;
        new.file.allocate(0, capacity)?;
        // SAFETY: nothing is mapped over.
        let draft = unsafe { sys::map(Place::Anywhere, capacity, Backing::File(&new.file, 0)) }?;
        write(draft);
        // SAFETY: the draft is written and no longer used.
        unsafe { sys::unmap(draft, capacity) };
        let backing = Backing::File(&new.file, 0);
        // SAFETY: whoever holds pointers into the record finds the same layout at the same addresses.
        unsafe { sys::map(Place::Over(self.start), capacity, backing) }?;
        let (rest, rest_bytes) = (
            self.start.wrapping_add(capacity),
            self.capacity.saturating_sub(capacity),
        );
        if rest_bytes > 0 {
            // SAFETY: nothing of the record is in the rest.
            unsafe { sys::map(Place::Over(rest), rest_bytes, Backing::Nothing) }?;
        }
        self.adopt(new, self.start, capacity)
    }

    /// In the child of a fork that cannot have a record: its counts must not change its parent's record. (If the kernel has
    /// no memory for even this, they do.)
    pub fn abandon(&mut self) {
        // SAFETY: whoever holds pointers into the record may still count there; nothing reads it.
        let _ = unsafe { sys::map(Place::Over(self.start), self.capacity, Backing::Memory) };
        self.start = 0;
        self.capacity = 0;
        self.path.clear();
    }

    fn adopt(&mut self, new: NewFile, start: usize, capacity: usize) -> Result<(), Refused> {
        self.identity = new.file.identity()?;
        self.path.clear();
        self.path.append(new.path.as_bytes())?;
        self.start = start;
        self.capacity = capacity;
        new.keep();
        Ok(())
    }
}

/// A file just created; it is removed again unless it is kept.
struct NewFile<'path> {
    file: File,
    path: &'path Path,
    kept: bool,
}

impl NewFile<'_> {
    /// Appends a number to `name` if it is taken.
    fn create(name: &mut Path) -> Result<NewFile<'_>, Refused> {
        let stem = name.as_bytes().len();
        for suffix in 0..=LAST_SUFFIX {
            if suffix > 0 {
                name.truncate(stem);
                name.push(b'.')?;
                name.append_number(suffix)?;
            }
            match File::open(name.with_nul(), libc::O_RDWR | libc::O_CREAT | libc::O_EXCL) {
                Ok(file) => {
                    return Ok(NewFile {
                        file,
                        path: name,
                        kept: false,
                    });
                }
                Err(libc::EEXIST) => {}
                Err(_) => return Err(Refused),
            }
        }
        Err(Refused)
    }

    fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for NewFile<'_> {
    fn drop(&mut self) {
        if !self.kept {
            sys::unlink(self.path.with_nul());
        }
    }
}

fn reserve_slot() -> Result<usize, Refused> {
    for slot in 0..SLOTS {
        let start = FIRST_SLOT + slot * LARGEST;
        // SAFETY: nothing is mapped over.
        match unsafe { sys::map(Place::Free(start), LARGEST, Backing::Nothing) } {
            Ok(start) => return Ok(start),
            Err(libc::EEXIST) => {}
            Err(_) => return Err(Refused),
        }
    }
    Err(Refused)
}

fn whole_pages(bytes: usize) -> Result<usize, Refused> {
    bytes.checked_next_multiple_of(PAGE).ok_or(Refused)
}
