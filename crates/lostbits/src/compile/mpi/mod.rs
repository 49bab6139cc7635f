//! Programs that are linked with MPI get a layer that sends shadows along with messages (`shadows.c` and the other
//! parts).
//!
//! The ABIs of MPI differ, so the layer is compiled at link time, with the folders of headers that MPI's own compiler wrapper
//! passes. Its object is in memory: the linker reads it after the compiler has replaced this process.
//!
//! What it can miss: MPI that is linked without `-lmpi`, `-lmpich` or a path to such a library; shared libraries get no layer, the
//! program that loads them does; Fortran's module `mpi_f08` under Open MPI.

pub mod headers;

use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Write},
    os::fd::{FromRawFd, IntoRawFd},
    process::Command,
};

use lostbits_abi::{environment, shadow};

use crate::{failure::Failure, run::temporary_folder, toolchain::Compiler};

/// One source: each part uses those before it.
const LAYER: &str = concat!(
    include_str!("shadows.c"),
    include_str!("messages.c"),
    include_str!("requests.c"),
    include_str!("collectives.c"),
    include_str!("reductions.c"),
    include_str!("nonblocking.c"),
    include_str!("one_sided.c"),
    include_str!("job.c"),
    include_str!("fortran.c"),
    include_str!("covered.c"),
);

/// The path of the layer's object, if the program is linked with MPI.
pub fn layer(arguments: &[String]) -> Result<Option<OsString>, Failure> {
    let is_off = env::var_os(environment::MPI).is_some_and(|setting| setting == "off");
    if is_off || !arguments.iter().any(|word| is_mpi(word)) {
        return Ok(None);
    }
    let cannot_build = |reason: String| Failure::MpiLayer { reason };
    let folder = temporary_folder()?;
    let (source, object) = (folder.path().join("layer.c"), folder.path().join("layer.o"));
    fs::write(&source, LAYER).map_err(|error| cannot_build(error.to_string()))?;
    let output = Command::new(Compiler::C.find()?)
        .args(["-c", "-O2", "-fPIC", "-w"])
        .args(definitions())
        .args(header_folders(arguments))
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .output()
        .map_err(|error| cannot_build(error.to_string()))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let first = text.lines().find(|line| line.contains("error"));
        return Err(cannot_build(first.unwrap_or("clang failed").to_owned()));
    }
    let bytes = fs::read(&object).map_err(|error| cannot_build(error.to_string()))?;
    in_memory(&bytes)
        .map(Some)
        .map_err(|error| cannot_build(error.to_string()))
}

fn is_mpi(word: &str) -> bool {
    const LIBRARIES: [&str; 5] = ["mpi", "mpich", "mpi_mpifh", "mpi_usempif08", "mpifort"];
    let library = match word.strip_prefix("-l") {
        Some(name) => name,
        None => {
            let file = word.rsplit('/').next().unwrap_or(word);
            let stem = file.split(".so").next().unwrap_or(file);
            match (file != stem, stem.strip_prefix("lib")) {
                (true, Some(name)) => name,
                _ => return false,
            }
        }
    };
    LIBRARIES.contains(&library)
}

fn header_folders(arguments: &[String]) -> Vec<String> {
    let mut folders = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-I" | "-isystem" => {
                folders.extend([word.clone()].into_iter().chain(words.next().cloned()))
            }
            _ if word.starts_with("-I") => folders.push(word.clone()),
            _ => {}
        }
    }
    folders
}

/// Where shadows are, for the layer.
fn definitions() -> Vec<String> {
    let distances: Vec<String> = (0..shadow::PLANES)
        .map(|plane| format!("{}u", shadow::distance(plane)))
        .collect();
    let regions = shadow::APP_REGIONS.map(|(start, end)| format!("{{{start}u,{end}u}}"));
    vec![
        format!("-DLOSTBITS_DISTANCES={}", distances.join(",")),
        format!("-DLOSTBITS_REGIONS={}", regions.join(",")),
        format!("-DLOSTBITS_OWNING_PLANE={}", shadow::OWNING_PLANE),
        format!("-DLOSTBITS_LOW_END={}u", shadow::LOW_END),
        format!("-DLOSTBITS_LOW_ALIAS={}u", shadow::LOW_ALIAS),
    ]
}

/// A file without a name that the processes started from this one can open.
fn in_memory(bytes: &[u8]) -> io::Result<OsString> {
    // SAFETY: the name is a C string; the result is checked. Without MFD_CLOEXEC the compiler and the linker inherit it.
    let descriptor = unsafe { libc::memfd_create(c"lostbits-mpi.o".as_ptr(), 0) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and only this code has it.
    let mut file = unsafe { fs::File::from_raw_fd(descriptor) };
    file.write_all(bytes)?;
    Ok(format!("/proc/self/fd/{}", file.into_raw_fd()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mpi_is_recognised_by_its_libraries() {
        for word in [
            "-lmpi",
            "-lmpich",
            "/usr/lib/libmpi.so",
            "/x/libmpich.so.12",
            "-lmpi_mpifh",
        ] {
            assert!(is_mpi(word), "{word}");
        }
        for word in ["-lm", "-lmpir", "libmpi.c", "mpi", "/usr/lib/libmpfr.so"] {
            assert!(!is_mpi(word), "{word}");
        }
    }

    #[test]
    fn header_folders_are_passed_on() {
        let words = ["-c", "-I/a", "-I", "/b", "x.c", "-isystem", "/c"].map(String::from);
        assert_eq!(
            header_folders(&words),
            ["-I/a", "-I", "/b", "-isystem", "/c"]
        );
    }
}
