//! Reads what a process of mode `explain` left beside its run record; see [`lostbits_abi::explain`].
//!
//! A process may have ended anywhere, so what can be read counts: an entry that was cut short ends the
//! reading, and everything before it is kept.

use lostbits_abi::{
    ABI_VERSION,
    explain::{ENTRY_ALIGNMENT, EntryHeader, EntryKind, Header, MAGIC, Operation, Settings, Spot},
    site::DecodeError,
};

/// What one process left.
#[derive(Clone)]
pub struct Analysis {
    /// The index of the process record that it belongs to.
    pub record: usize,
    pub process: u32,
    pub settings: Settings,
    /// Sets of influences that could no longer be distinguished.
    pub sets_lost: u64,
    /// Entries for which there was no space.
    pub entries_lost: u64,
    /// Events that were dropped because a signal handler or another thread held the state.
    pub events_lost: u64,
    /// Outputs before which numbers too small for their format had appeared.
    pub after_underflow: u64,
    /// Results that exact arithmetic gives another meaning.
    pub reinterpreted: u64,
    /// Outputs that a run which only detects could not judge because of the bounds of residues.
    pub in_doubt_by_bounds: u64,
    pub operations: Vec<Operation>,
    pub spots: Vec<Spot>,
}

/// Whether `bytes` begin with an analysis.
pub fn is_analysis(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Reads the analysis at the start of `bytes`, that of the process record `record`; zeros may follow it. Returns it with what
/// follows.
pub fn decode_first(bytes: &[u8], record: usize) -> Result<(Analysis, &[u8]), DecodeError> {
    let (own, rest) = bytes.split_at(used(bytes)?);
    let unused = rest.iter().take_while(|byte| **byte == 0).count();
    Ok((decode_one(own, record)?, &rest[unused..]))
}

fn used(bytes: &[u8]) -> Result<usize, DecodeError> {
    let header: Header = read(bytes, 0).ok_or(DecodeError::Malformed)?;
    if header.magic != MAGIC {
        return Err(DecodeError::Malformed);
    }
    if header.abi_version != ABI_VERSION {
        return Err(DecodeError::Version {
            abi: header.abi_version,
        });
    }
    let length = usize::try_from(header.length).unwrap_or(usize::MAX);
    Ok(length.clamp(size_of::<Header>(), bytes.len()))
}

fn decode_one(bytes: &[u8], record: usize) -> Result<Analysis, DecodeError> {
    let header: Header = read(bytes, 0).ok_or(DecodeError::Malformed)?;
    let mut analysis = Analysis {
        record,
        process: header.process,
        settings: header.settings,
        sets_lost: header.sets_lost,
        entries_lost: header.entries_lost,
        events_lost: header.events_lost,
        after_underflow: header.after_underflow,
        reinterpreted: header.reinterpreted,
        in_doubt_by_bounds: header.in_doubt_by_bounds,
        operations: Vec::new(),
        spots: Vec::new(),
    };
    let mut at = size_of::<Header>().next_multiple_of(ENTRY_ALIGNMENT);
    while let Some(length) = analysis.take_entry(bytes, at) {
        at += length;
    }
    Ok(analysis)
}

impl Analysis {
    /// The same, as that of another record.
    pub fn of_record(&self, record: usize) -> Analysis {
        Analysis {
            record,
            ..self.clone()
        }
    }

    /// Reads the entry at `at`; its length, or nothing at the end. Kinds that are not known are
    /// skipped.
    fn take_entry(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let entry: EntryHeader = read(bytes, at)?;
        let length = entry.length as usize;
        let fits = |size: usize| length >= size;
        if entry.kind == EntryKind::Operation as u32 && fits(size_of::<Operation>()) {
            self.operations.push(read(bytes, at)?);
        } else if entry.kind == EntryKind::Spot as u32 && fits(size_of::<Spot>()) {
            self.spots.push(read(bytes, at)?);
        }
        (length >= size_of::<EntryHeader>() && at + length <= bytes.len()).then_some(length)
    }
}

/// Plain old data that may be read from any bytes.
trait Plain: Copy {}
impl Plain for Header {}
impl Plain for EntryHeader {}
impl Plain for Operation {}
impl Plain for Spot {}

fn read<T: Plain>(bytes: &[u8], at: usize) -> Option<T> {
    let source = bytes.get(at..at.checked_add(size_of::<T>())?)?;
    // SAFETY: `source` has the size of T, and T is `Plain`: every bit pattern is a value.
    Some(unsafe { std::ptr::read_unaligned(source.as_ptr().cast()) })
}
