//! Where things are: the command under test, the repository, the folder for builds.

use std::path::{Path, PathBuf};

/// The repository, as it was when this was compiled.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is in the repository")
}

/// The `lostbits` command: the variable LOSTBITS, or the executable in the folder of this one.
pub fn lostbits() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("LOSTBITS") {
        let path = PathBuf::from(path);
        return path
            .canonicalize()
            .map_err(|error| format!("LOSTBITS={} cannot be used: {error}", path.display()));
    }
    let own = std::env::current_exe().map_err(|error| format!("own path unknown: {error}"))?;
    let beside = own.with_file_name("lostbits");
    if beside.exists() {
        Ok(beside)
    } else {
        Err("lostbits is not built: run `make build` first".to_owned())
    }
}
