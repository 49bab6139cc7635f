//! Reads site tables from programs, objects, libraries and archives, without running anything.

use std::{fs, io, path::Path};

use lostbits_abi::site::{ALIGNMENT, DecodeError, SECTION, SiteTable};
use object::{Object, ObjectKind, ObjectSection, ReadCache, ReadRef, read::archive::ArchiveFile};

use crate::failure::Failure;

#[derive(Debug)]
pub enum TableError {
    Unreadable(io::Error),
    NotElf,
    Table(DecodeError),
}

impl TableError {
    pub fn about(self, path: &Path) -> Failure {
        let path = path.to_owned();
        match self {
            TableError::Unreadable(error) => Failure::CannotRead { path, error },
            TableError::NotElf => Failure::NotElf { path },
            TableError::Table(DecodeError::Malformed) => Failure::TableDamaged { path },
            TableError::Table(DecodeError::Version { abi }) => {
                Failure::ObjectOfOtherAbi { path, abi }
            }
        }
    }
}

impl From<DecodeError> for TableError {
    fn from(error: DecodeError) -> TableError {
        TableError::Table(error)
    }
}

/// All tables of a program, object, library or archive; empty where it was not instrumented.
pub fn of_file(path: &Path) -> Result<Vec<SiteTable>, TableError> {
    let bytes = fs::read(path).map_err(TableError::Unreadable)?;
    match ArchiveFile::parse(bytes.as_slice()) {
        Ok(archive) => of_archive(&archive, &bytes),
        Err(_) => of_elf(bytes.as_slice(), |_| true),
    }
}

/// The tables of a relocatable object; none for any other kind of file. Reads only the parts it needs,
/// because linkers are handed large libraries.
pub fn of_relocatable(path: &Path) -> Result<Vec<SiteTable>, TableError> {
    let file = fs::File::open(path).map_err(TableError::Unreadable)?;
    let cache = ReadCache::new(file);
    of_elf(&cache, |kind| kind == ObjectKind::Relocatable)
}

fn of_archive(archive: &ArchiveFile, bytes: &[u8]) -> Result<Vec<SiteTable>, TableError> {
    let mut tables = Vec::new();
    for member in archive.members() {
        let data = member
            .and_then(|member| member.data(bytes))
            .map_err(|_| TableError::NotElf)?;
        match of_elf(data, |_| true) {
            Ok(found) => tables.extend(found),
            // Archives hold other things too (an rlib's metadata, bitcode).
            Err(TableError::NotElf) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(tables)
}

fn of_elf<'data>(
    bytes: impl ReadRef<'data>,
    wanted: impl Fn(ObjectKind) -> bool,
) -> Result<Vec<SiteTable>, TableError> {
    let file = object::File::parse(bytes).map_err(|_| TableError::NotElf)?;
    if !wanted(file.kind()) {
        return Ok(Vec::new());
    }
    // A relocatable object can have the section several times, once for each COMDAT group.
    let mut tables = Vec::new();
    for section in file
        .sections()
        .filter(|section| section.name() == Ok(SECTION))
    {
        let data = section.data().map_err(|_| DecodeError::Malformed)?;
        tables.extend(of_section(data)?);
    }
    Ok(tables)
}

/// The tables in the section's bytes, one after another; the linker may have put zeros between.
fn of_section(mut bytes: &[u8]) -> Result<Vec<SiteTable>, DecodeError> {
    let mut tables = Vec::new();
    while !bytes.is_empty() {
        if bytes.iter().take(ALIGNMENT).all(|byte| *byte == 0) {
            bytes = bytes.get(ALIGNMENT..).unwrap_or_default();
            continue;
        }
        let (table, length) = SiteTable::decode(bytes)?;
        tables.push(table);
        bytes = bytes.get(length..).unwrap_or_default();
    }
    Ok(tables)
}
