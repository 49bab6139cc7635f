//! Before a link: are its objects of this ABI and of one mode?

use std::path::{Path, PathBuf};

use lostbits_abi::{mode::Mode, site::DecodeError};

use crate::{
    failure::Failure,
    tables::{self, TableError},
};

/// Refuses objects that the link would mix up. Objects without site tables, archives and shared
/// libraries pass: an archive's members may never be linked, and the symbol by which a module
/// registers carries the ABI version for them.
pub fn check(objects: &[PathBuf], link_for: Mode) -> Result<(), Failure> {
    objects
        .iter()
        .filter(|path| path.is_file())
        .try_for_each(|path| check_object(path, link_for))
}

fn check_object(path: &Path, link_for: Mode) -> Result<(), Failure> {
    match tables::of_relocatable(path) {
        Ok(found) => match found.into_iter().find(|table| table.mode != link_for) {
            Some(table) => Err(Failure::ObjectOfOtherMode {
                path: path.to_owned(),
                built_for: table.mode,
                link_for,
            }),
            None => Ok(()),
        },
        Err(TableError::Table(DecodeError::Version { abi })) => Err(Failure::ObjectOfOtherAbi {
            path: path.to_owned(),
            abi,
        }),
        Err(TableError::Table(DecodeError::Malformed)) => Err(Failure::TableDamaged {
            path: path.to_owned(),
        }),
        // Not ELF, or unreadable: the linker knows better what is wrong with it.
        Err(TableError::NotElf | TableError::Unreadable(_)) => Ok(()),
    }
}
