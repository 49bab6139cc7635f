//! The run record of a process.
//!
//! A record is one or more *process records*, one after another; the records of several processes are joined by
//! concatenation. Zeros may follow a process record: space that was reserved and not used. A process record is a
//! [`Header`], then chunks. Totals are kept in the record itself while the program runs (the file is mapped), so nothing is
//! lost however the process ends: `exit`, `_exit`, `abort`, a signal or `exec`.

use crate::{
    ABI_VERSION,
    site::{DecodeError, Site, SiteTable, SiteTotals},
};

pub use crate::environment::RECORD as OUT_ENV;

pub const MAGIC: [u8; 8] = *b"LOSTBITS";
pub const COMMAND_BYTES: usize = 1024;
/// Chunks begin at multiples of this from the start of the process record.
pub const CHUNK_ALIGNMENT: usize = 64;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Header {
    pub magic: [u8; 8],
    pub abi_version: u32,
    /// One of [`state`].
    pub state: u32,
    /// Bytes of this process record, header included.
    pub length: u64,
    pub process: u32,
    pub parent: u32,
    /// Modules whose totals could not be kept (no space left, another ABI version).
    pub modules_lost: u64,
    /// `/proc/self/cmdline` as it was: words ended by NUL, cut at the size.
    pub command: [u8; COMMAND_BYTES],
}

pub mod state {
    /// The process is running, or ended without running its exit handlers.
    pub const RUNNING: u32 = 1;
    /// The process ran its exit handlers.
    pub const EXITED: u32 = 2;
}

/// A chunk: this header, then `table_bytes` of site table, then (from the next multiple of 8)
/// `totals_bytes` of totals: the block counters as `u64`, then [`SiteTotals`] for each site.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ChunkHeader {
    /// Bytes of the chunk, this header and the padding to [`CHUNK_ALIGNMENT`] included.
    pub length: u64,
    pub table_bytes: u64,
    pub totals_bytes: u64,
}

/// A process record as the tool sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessRecord {
    pub process: u32,
    pub parent: u32,
    /// Whether the process ran its exit handlers.
    pub exited: bool,
    pub modules_lost: u64,
    pub command: Vec<String>,
    pub modules: Vec<ModuleRecord>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleRecord {
    pub table: SiteTable,
    pub counters: Vec<u64>,
    /// Parallel to `table.sites`.
    pub totals: Vec<SiteTotals>,
}

impl ModuleRecord {
    /// Each site with its executions and totals.
    pub fn rows(&self) -> impl Iterator<Item = (&Site, u64, &SiteTotals)> {
        let executions = self.executions();
        let counted = self.table.sites.iter().zip(executions);
        counted
            .zip(&self.totals)
            .map(|((site, executions), totals)| (site, executions, totals))
    }

    /// How often each site was executed, parallel to `table.sites`.
    pub fn executions(&self) -> Vec<u64> {
        let mut executions = vec![0u64; self.table.sites.len()];
        for count in &self.table.counts {
            let ticks = self
                .counters
                .get(count.counter as usize)
                .copied()
                .unwrap_or(0);
            if let Some(total) = executions.get_mut(count.site as usize) {
                *total = total.saturating_add(ticks.saturating_mul(u64::from(count.times)));
            }
        }
        executions
    }
}

/// Reads a whole record.
pub fn decode(bytes: &[u8]) -> Result<Vec<ProcessRecord>, DecodeError> {
    match decode_first(bytes)? {
        (processes, []) => Ok(processes),
        _ => Err(DecodeError::Malformed),
    }
}

/// Reads the process records at the start of `bytes`; returns them with what follows.
pub fn decode_first(mut bytes: &[u8]) -> Result<(Vec<ProcessRecord>, &[u8]), DecodeError> {
    let mut processes = Vec::new();
    while bytes.starts_with(&MAGIC) {
        let (process, length) = decode_process(bytes)?;
        processes.push(process);
        let rest = &bytes[length..];
        let unused = rest.iter().take_while(|byte| **byte == 0).count();
        bytes = &rest[unused..];
    }
    if processes.is_empty() {
        Err(DecodeError::Malformed)
    } else {
        Ok((processes, bytes))
    }
}

fn decode_process(bytes: &[u8]) -> Result<(ProcessRecord, usize), DecodeError> {
    use DecodeError::Malformed;
    let header: Header = read(bytes, 0)?;
    if header.magic != MAGIC {
        return Err(Malformed);
    }
    if header.abi_version != ABI_VERSION {
        return Err(DecodeError::Version {
            abi: header.abi_version,
        });
    }
    let length = usize::try_from(header.length).map_err(|_| Malformed)?;
    if length < size_of::<Header>() {
        return Err(Malformed);
    }
    let bytes = bytes.get(..length).ok_or(Malformed)?;
    let mut modules = Vec::new();
    let mut at = size_of::<Header>().next_multiple_of(CHUNK_ALIGNMENT);
    while at < length {
        let chunk: ChunkHeader = read(bytes, at)?;
        let chunk_length = usize::try_from(chunk.length).map_err(|_| Malformed)?;
        if chunk_length < size_of::<ChunkHeader>() {
            return Err(Malformed);
        }
        let end = at.checked_add(chunk_length).ok_or(Malformed)?;
        modules.push(decode_module(bytes.get(at..end).ok_or(Malformed)?, &chunk)?);
        at = end;
    }
    let process = ProcessRecord {
        process: header.process,
        parent: header.parent,
        exited: header.state == state::EXITED,
        modules_lost: header.modules_lost,
        command: header
            .command
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty())
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect(),
        modules,
    };
    Ok((process, length))
}

fn decode_module(chunk: &[u8], header: &ChunkHeader) -> Result<ModuleRecord, DecodeError> {
    use DecodeError::Malformed;
    let table_at = size_of::<ChunkHeader>();
    let table_end = table_at
        .checked_add(header.table_bytes as usize)
        .ok_or(Malformed)?;
    let (table, _) = SiteTable::decode(chunk.get(table_at..table_end).ok_or(Malformed)?)?;
    let counters_at = table_end.next_multiple_of(8);
    let totals_at = counters_at + table.counters as usize * 8;
    if header.totals_bytes as usize != table.totals_bytes() {
        return Err(Malformed);
    }
    let counters = (0..table.counters as usize)
        .map(|index| read(chunk, counters_at + index * 8))
        .collect::<Result<_, _>>()?;
    let totals = (0..table.sites.len())
        .map(|index| read(chunk, totals_at + index * size_of::<SiteTotals>()))
        .collect::<Result<_, _>>()?;
    Ok(ModuleRecord {
        table,
        counters,
        totals,
    })
}

/// Plain old data that may be read from any bytes.
trait Plain: Copy {}
impl Plain for Header {}
impl Plain for ChunkHeader {}
impl Plain for SiteTotals {}
impl Plain for u64 {}

fn read<T: Plain>(bytes: &[u8], at: usize) -> Result<T, DecodeError> {
    let end = at
        .checked_add(size_of::<T>())
        .ok_or(DecodeError::Malformed)?;
    let source = bytes.get(at..end).ok_or(DecodeError::Malformed)?;
    // SAFETY: `source` has the size of T, and T is `Plain`: every bit pattern is a value.
    Ok(unsafe { std::ptr::read_unaligned(source.as_ptr().cast()) })
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;
    use crate::{
        mode::Mode,
        ops::Op,
        site::{Count, What},
    };

    /// Two sites, counted by two counters.
    fn module() -> ModuleRecord {
        let site = |line| Site {
            file: "a.c".to_owned(),
            function: "f".to_owned(),
            line,
            column: 1,
            ordinal: 0,
            what: What::Operation(Op::Add),
            kind: None,
            lanes: 1,
            copies: 1,
            callee: String::new(),
            note: None,
            operands: Vec::new(),
            inlined_from: Vec::new(),
        };
        let count = |counter, site, times| Count {
            counter,
            site,
            times,
        };
        let totals = |differences| SiteTotals {
            differences,
            ..SiteTotals::default()
        };
        ModuleRecord {
            table: SiteTable {
                mode: Mode::Explain,
                version: String::new(),
                sites: vec![site(3), site(4)],
                counters: 2,
                counts: vec![count(0, 0, 4), count(1, 0, 1), count(1, 1, 2)],
            },
            counters: vec![8, 3],
            totals: vec![totals(1), totals(2)],
        }
    }

    fn chunk(module: &ModuleRecord) -> Vec<u8> {
        let table = module.table.encode();
        let totals_bytes = module.table.totals_bytes() as u64;
        let mut body = table.clone();
        body.resize(body.len().next_multiple_of(8), 0);
        body.extend(module.counters.iter().flat_map(|count| count.to_le_bytes()));
        for one in &module.totals {
            let words = [
                one.differences,
                one.fresh,
                one.program_bits,
                one.shadow_bits,
            ];
            body.extend(words.into_iter().flat_map(u64::to_le_bytes));
        }
        let length = (size_of::<ChunkHeader>() + body.len()).next_multiple_of(CHUNK_ALIGNMENT);
        let header = [length as u64, table.len() as u64, totals_bytes];
        let mut bytes: Vec<u8> = header.into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend(body);
        bytes.resize(length, 0);
        bytes
    }

    /// A process record without modules.
    fn process(process: u32, length: u64) -> Vec<u8> {
        let header = Header {
            magic: MAGIC,
            abi_version: ABI_VERSION,
            state: state::EXITED,
            length,
            process,
            parent: 1,
            modules_lost: 0,
            command: [0; COMMAND_BYTES],
        };
        let start = (&raw const header).cast::<u8>();
        // SAFETY: the fields of a header leave no gaps between them.
        let bytes = unsafe { std::slice::from_raw_parts(start, size_of::<Header>()) };
        let mut bytes = bytes.to_vec();
        bytes.resize(size_of::<Header>().next_multiple_of(CHUNK_ALIGNMENT), 0);
        bytes
    }

    #[test]
    fn joined_records_may_have_reserved_space_between_them() {
        let whole = process(0, 0).len() as u64;
        let joined = [
            process(7, whole),
            vec![0; 5000],
            process(8, whole),
            vec![0; 64],
        ]
        .concat();
        let processes: Vec<u32> = decode(&joined)
            .unwrap()
            .iter()
            .map(|record| record.process)
            .collect();
        assert_eq!(processes, [7, 8]);
    }

    #[test]
    fn impossible_lengths_are_malformed() {
        for length in [0, 8, 1 << 20, u64::MAX] {
            assert_eq!(
                decode(&process(7, length)),
                Err(DecodeError::Malformed),
                "{length}"
            );
        }
        assert_eq!(decode(&[0; 4096]), Err(DecodeError::Malformed));
    }

    /// A module's executions are its counters times the sites' shares.
    #[test]
    fn executions_are_counted_by_counters() {
        let module = module();
        assert_eq!(module.executions(), [35, 6]);
        let rows: Vec<_> = module
            .rows()
            .map(|(site, executions, totals)| (site.line, executions, totals.differences))
            .collect();
        assert_eq!(rows, [(3, 35, 1), (4, 6, 2)]);
    }

    #[test]
    fn a_process_with_modules_is_read_as_it_was_written() {
        let modules = [module(), module()];
        let mut bytes = process(7, 0);
        for module in &modules {
            bytes.extend(chunk(module));
        }
        let length = bytes.len() as u64;
        bytes[offset_of!(Header, length)..][..8].copy_from_slice(&length.to_le_bytes());
        let command = b"./prog\0-n\0";
        bytes[offset_of!(Header, command)..][..command.len()].copy_from_slice(command);
        let [record] = &decode(&bytes).unwrap()[..] else {
            panic!("one process")
        };
        assert_eq!(record.modules, modules);
        assert_eq!(record.command, ["./prog", "-n"]);
        assert!(record.exited);
    }

    #[test]
    fn totals_of_another_size_are_malformed() {
        let mut bytes = chunk(&module());
        let at = offset_of!(ChunkHeader, totals_bytes);
        bytes[at] ^= 8;
        let header = read(&bytes, 0).unwrap();
        assert_eq!(decode_module(&bytes, &header), Err(DecodeError::Malformed));
    }
}
