//! Trees that CMake configured for other compilers than lostbits.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use super::name_of;
use crate::failure::Failure;

/// Refuses a build in a tree of another compiler.
pub fn check(program: &OsStr, words: &[OsString]) -> Result<(), Failure> {
    let Some(folder) = tree(program, words) else {
        return Ok(());
    };
    let Ok(cache) = fs::read_to_string(folder.join("CMakeCache.txt")) else {
        return Ok(());
    };
    let compilers = ["C", "CXX", "Fortran"];
    let compilers = compilers.map(|language| value(&cache, &format!("CMAKE_{language}_COMPILER")));
    let known: Vec<&str> = compilers.into_iter().flatten().collect();
    let is_ours = |path: &&str| name_of(OsStr::new(path)).starts_with("lostbits");
    match known.iter().find(|path| !is_ours(path)) {
        Some(other) if !known.iter().any(is_ours) => Err(Failure::ConfiguredForOther {
            second: second(&folder),
            folder,
            compiler: (*other).to_owned(),
            sources: value(&cache, "CMAKE_HOME_DIRECTORY").unwrap_or(".").into(),
        }),
        _ => Ok(()),
    }
}

/// The folder of a tree in which a command builds.
fn tree(program: &OsStr, words: &[OsString]) -> Option<PathBuf> {
    let after = |option: &str| {
        let at = words.iter().position(|word| word == option)?;
        words.get(at + 1).map(PathBuf::from)
    };
    match name_of(program) {
        "cmake" => after("--build"),
        "ninja" | "make" | "gmake" => Some(after("-C").unwrap_or(PathBuf::from("."))),
        _ => None,
    }
}

/// A value in CMake's cache: `NAME:TYPE=VALUE`.
fn value<'a>(cache: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = cache.lines();
    lines.find_map(|line| {
        let (_, value) = line
            .strip_prefix(name)?
            .strip_prefix(':')?
            .split_once('=')?;
        Some(value).filter(|value| !value.is_empty() && !value.ends_with("-NOTFOUND"))
    })
}

/// `build` → `build-lostbits`.
fn second(folder: &Path) -> PathBuf {
    match folder.file_name().and_then(OsStr::to_str) {
        Some(name) => folder.with_file_name(format!("{name}-lostbits")),
        None => PathBuf::from("build-lostbits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_names_compilers() {
        let cache = "//C\nCMAKE_C_COMPILER:FILEPATH=/usr/bin/cc\nCMAKE_C_COMPILER_AR:FILEPATH=/usr/bin/ar\n\
                     CMAKE_Fortran_COMPILER:FILEPATH=CMAKE_Fortran_COMPILER-NOTFOUND\n";
        assert_eq!(value(cache, "CMAKE_C_COMPILER"), Some("/usr/bin/cc"));
        assert_eq!(value(cache, "CMAKE_CXX_COMPILER"), None);
        assert_eq!(value(cache, "CMAKE_Fortran_COMPILER"), None);
        assert_eq!(second(Path::new("a/build")), Path::new("a/build-lostbits"));
    }
}
