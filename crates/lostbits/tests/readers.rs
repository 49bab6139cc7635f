//! Replays the corpus of the fuzz targets: no reader panics on any of it, and each accepts some of it.

use std::{fs, path::Path};

use lostbits::readers::READERS;

fn corpus() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus"))
}

/// The contents of all files in the reader's folder.
fn inputs(reader: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(corpus().join(reader)).expect(reader);
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| fs::read(path).expect("a file")).collect()
}

#[test]
fn every_input_of_the_corpus_can_be_read_or_is_refused() {
    for reader in READERS {
        let inputs = inputs(reader.name);
        let accepted = inputs.iter().filter(|bytes| (reader.read)(bytes)).count();
        assert!(
            accepted > 0,
            "none of {} inputs in fuzz/corpus/{} is accepted: if a format has changed, run `make fuzz-seeds`",
            inputs.len(),
            reader.name
        );
    }
}

/// Cut off at any byte, and with any byte changed: what a full disk or a bad copy leaves.
#[test]
fn damaged_inputs_are_read_or_refused() {
    const LARGEST: usize = 4096;
    for reader in READERS {
        let inputs = inputs(reader.name);
        for input in inputs.iter().filter(|input| input.len() <= LARGEST) {
            let step = (input.len() / 200).max(1);
            for at in (0..input.len()).step_by(step) {
                (reader.read)(&input[..at]);
                let mut changed = input.clone();
                changed[at] ^= 0xff;
                (reader.read)(&changed);
            }
        }
    }
}

#[test]
fn every_folder_of_the_corpus_has_a_reader() {
    for entry in fs::read_dir(corpus()).expect("fuzz/corpus") {
        let name = entry.expect("an entry").file_name();
        assert!(
            READERS.iter().any(|reader| *reader.name == *name),
            "fuzz/corpus/{} has no reader",
            name.display()
        );
    }
}
