//! MPI's module and header for flang: Debian's are made for gfortran.
//!
//! flang reads no modules of gfortran, and refuses the declarations of `MPI_Sizeof` in Open MPI's `mpif.h`. So flang searches a folder
//! first that has the header without them, and a module `mpi` made of it. The folder is made once for each MPI and flang, in the
//! user's cache. An MPI that was built with flang is left as it is.
//!
//! What it can miss: interfaces are implicit, so calls that gfortran's module refuses are compiled; the module `mpi_f08`.

use std::{
    collections::hash_map::DefaultHasher,
    env,
    ffi::OsStr,
    fs,
    hash::{Hash, Hasher},
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::failure::Failure;

const HEADER: &str = "mpif.h";
const MODULE: &str = "mpi.mod";
const SOURCE: &str = "      module mpi\n      include 'mpif.h'\n      end module\n";
/// What Open MPI's header includes for `MPI_Sizeof`.
const SIZEOF: &str = "mpif-sizeof";

/// The folder to search first, if the others hold an MPI for gfortran.
pub fn folder(flang: &Path, arguments: &[String]) -> Result<Option<PathBuf>, Failure> {
    let options = super::header_folders(arguments);
    let folders: Vec<&Path> = options
        .iter()
        .filter_map(|option| folder_of(option))
        .collect();
    let Some(header) = folders
        .iter()
        .map(|folder| folder.join(HEADER))
        .find(|file| file.is_file())
    else {
        return Ok(None);
    };
    if folders
        .iter()
        .any(|folder| is_for_flang(&folder.join(MODULE)))
    {
        return Ok(None);
    }
    refuse_new_module(arguments)?;
    // Without a cache, flang says what it lacks.
    Ok(cache().and_then(|cache| made(&cache, flang, &header, &options)))
}

/// The folder of `-Ifolder`; of `-I folder`, the second word.
fn folder_of(option: &str) -> Option<&Path> {
    match option {
        "-I" | "-isystem" => None,
        _ => Some(Path::new(option.strip_prefix("-I").unwrap_or(option))),
    }
}

/// flang's modules are text, gfortran's are compressed.
fn is_for_flang(module: &Path) -> bool {
    let mut start = [0; 16];
    fs::File::open(module)
        .and_then(|mut file| file.read(&mut start))
        .is_ok_and(|read| start[..read].windows(4).any(|bytes| bytes == b"!mod"))
}

fn refuse_new_module(arguments: &[String]) -> Result<(), Failure> {
    let is_source = |word: &&String| {
        let extension = Path::new(word.as_str()).extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| extension.to_ascii_lowercase().starts_with('f'))
    };
    for file in arguments.iter().filter(is_source) {
        let text = fs::read(file).unwrap_or_default();
        if String::from_utf8_lossy(&text).lines().any(uses_new_module) {
            return Err(Failure::ModuleMpiF08 { file: file.into() });
        }
    }
    Ok(())
}

fn uses_new_module(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let words: Vec<&str> = line
        .split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty() && *word != "non_intrinsic")
        .collect();
    !line.trim_start().starts_with(['!', '*']) && words.starts_with(&["use", "mpi_f08"])
}

fn cache() -> Option<PathBuf> {
    let folder = |variable| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(cache.join("lostbits"))
}

/// Makes the folder under another name, so that no compiler sees half of it.
fn made(cache: &Path, flang: &Path, header: &Path, options: &[String]) -> Option<PathBuf> {
    let text = fs::read_to_string(header).ok()?;
    let mut hash = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), SOURCE, flang, header, &text).hash(&mut hash);
    let folder = cache.join(format!("mpi-{:016x}", hash.finish()));
    if folder.join(MODULE).is_file() {
        return Some(folder);
    }
    fs::create_dir_all(cache).ok()?;
    let draft = tempfile::tempdir_in(cache).ok()?;
    let lines = text.lines().filter(|line| !line.contains(SIZEOF));
    fs::write(
        draft.path().join(HEADER),
        lines.collect::<Vec<_>>().join("\n") + "\n",
    )
    .ok()?;
    fs::write(draft.path().join("mpi.f"), SOURCE).ok()?;
    let status = Command::new(flang)
        .args(["-fsyntax-only", "-module-dir"])
        .arg(draft.path())
        .arg("-I")
        .arg(draft.path())
        .args(options)
        .arg(draft.path().join("mpi.f"))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !status.is_ok_and(|status| status.success()) {
        return None;
    }
    // If another compiler was faster, its folder is as good.
    let _ = fs::rename(draft.path(), &folder);
    folder.join(MODULE).is_file().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_module_is_recognised() {
        for line in [
            "use mpi_f08",
            "  USE, non_intrinsic :: MPI_F08, only: MPI_Init",
            "use::mpi_f08",
        ] {
            assert!(uses_new_module(line), "{line}");
        }
        for line in [
            "use mpi",
            "! use mpi_f08",
            "use mpi_f08_types",
            "call use_mpi_f08()",
        ] {
            assert!(!uses_new_module(line), "{line}");
        }
    }

    #[test]
    fn modules_of_gfortran_are_not_those_of_flang() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join(MODULE);
        fs::write(&module, b"\x1f\x8b\x08\x00").unwrap();
        assert!(!is_for_flang(&module));
        fs::write(&module, "\u{feff}!mod$ v1 sum:0123\nmodule mpi\n").unwrap();
        assert!(is_for_flang(&module));
    }
}
