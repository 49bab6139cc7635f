//! The cores that the tests go over: our own beside this file, and FPBench's where that folder is.

use std::path::{Path, PathBuf};

use lostbits::fpcore::{Core, read_cores};

pub struct Listed {
    pub file: String,
    pub core: Core,
}

pub fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        root.join("tests/fpcore/cores"),
        root.join("../../../shared/fpbench"),
    ];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| folder.read_dir().ok())
        .flat_map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "fpcore")
        })
        .collect();
    files.sort();
    files
}

pub fn cores() -> Vec<Listed> {
    let mut listed = Vec::new();
    for path in sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let cores = read_cores(&source).unwrap_or_else(|error| panic!("{file}: {error}"));
        listed.extend(cores.into_iter().map(|core| Listed {
            file: file.clone(),
            core,
        }));
    }
    listed
}
