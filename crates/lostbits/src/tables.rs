//! Reads site tables from programs, objects, libraries and archives, without running anything.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

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
    of_bytes(&fs::read(path).map_err(TableError::Unreadable)?)
}

/// The same of what such a file holds.
pub fn of_bytes(bytes: &[u8]) -> Result<Vec<SiteTable>, TableError> {
    match ArchiveFile::parse(bytes) {
        Ok(archive) => of_archive(&archive, bytes),
        Err(_) => of_elf(bytes, |_| true),
    }
}

/// The tables of a relocatable object; none for any other kind of file. Reads only the parts it needs,
/// because linkers are handed large libraries.
pub fn of_relocatable(path: &Path) -> Result<Vec<SiteTable>, TableError> {
    let file = fs::File::open(path).map_err(TableError::Unreadable)?;
    let cache = ReadCache::new(file);
    of_elf(&cache, |kind| kind == ObjectKind::Relocatable)
}

/// Checks that the tables of a library or archive are of this ABI version, member by member; a failure comes with the name
/// of the file or member. Reads only the parts it needs.
pub fn check_versions(path: &Path) -> Result<(), (PathBuf, TableError)> {
    let at_path = |error| (path.to_owned(), error);
    let file = fs::File::open(path).map_err(|error| at_path(TableError::Unreadable(error)))?;
    let cache = ReadCache::new(file);
    match ArchiveFile::parse(&cache) {
        Ok(archive) => check_members(path, &archive, &cache),
        Err(_) => check_elf(&cache).map_err(at_path),
    }
}

fn check_members<'data>(
    path: &Path,
    archive: &ArchiveFile<'data, &'data ReadCache<fs::File>>,
    cache: &'data ReadCache<fs::File>,
) -> Result<(), (PathBuf, TableError)> {
    for member in archive.members() {
        let Ok(member) = member else {
            return Err((path.to_owned(), TableError::NotElf));
        };
        let name = String::from_utf8_lossy(member.name());
        if archive.is_thin() {
            check_versions(&path.with_file_name(&*name))?;
            continue;
        }
        let (offset, bytes) = member.file_range();
        match check_elf(cache.range(offset, bytes)) {
            // Archives hold other things too (an rlib's metadata, bitcode).
            Ok(()) | Err(TableError::NotElf) => {}
            Err(error) => return Err((format!("{}({name})", path.display()).into(), error)),
        }
    }
    Ok(())
}

fn check_elf<'data>(bytes: impl ReadRef<'data>) -> Result<(), TableError> {
    let file = object::File::parse(bytes).map_err(|_| TableError::NotElf)?;
    for section in file
        .sections()
        .filter(|section| section.name() == Ok(SECTION))
    {
        let data = section.data().map_err(|_| DecodeError::Malformed)?;
        for_each_table(data, SiteTable::check_version)?;
    }
    Ok(())
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

/// The tables in the section's bytes.
fn of_section(bytes: &[u8]) -> Result<Vec<SiteTable>, DecodeError> {
    let mut tables = Vec::new();
    for_each_table(bytes, |bytes| {
        let (table, length) = SiteTable::decode(bytes)?;
        tables.push(table);
        Ok(length)
    })?;
    Ok(tables)
}

/// Calls `read` with the bytes from each table on; it returns the table's length. The linker may have put zeros between tables.
fn for_each_table(
    mut bytes: &[u8],
    mut read: impl FnMut(&[u8]) -> Result<usize, DecodeError>,
) -> Result<(), DecodeError> {
    while !bytes.is_empty() {
        let length = match bytes.iter().take(ALIGNMENT).all(|byte| *byte == 0) {
            true => ALIGNMENT,
            false => read(bytes)?,
        };
        if length == 0 {
            return Err(DecodeError::Malformed);
        }
        bytes = bytes.get(length..).unwrap_or_default();
    }
    Ok(())
}
