//! Reads a saved run record.

use std::{fs, path::Path};

use lostbits_abi::{
    record::{self, ProcessRecord},
    site::DecodeError,
};

use crate::failure::Failure;

pub fn read(path: &Path) -> Result<Vec<ProcessRecord>, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::CannotRead {
        path: path.to_owned(),
        error,
    })?;
    decode(path, &bytes)
}

/// Decodes `bytes`, which came from `path`.
pub fn decode(path: &Path, bytes: &[u8]) -> Result<Vec<ProcessRecord>, Failure> {
    record::decode(bytes).map_err(|error| about(path, error))
}

/// The sentence for a record that cannot be decoded.
pub fn about(path: &Path, error: DecodeError) -> Failure {
    let path = path.to_owned();
    match error {
        DecodeError::Malformed => Failure::RecordDamaged { path },
        DecodeError::Version { abi } => Failure::RecordOfOtherAbi { path, abi },
    }
}
