//! One fuzz target for all readers: the environment variable LOSTBITS_READER says which (a name of `readers::READERS`).

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use lostbits::readers::READERS;

static READ: LazyLock<fn(&[u8]) -> bool> = LazyLock::new(|| {
    let name = std::env::var("LOSTBITS_READER").unwrap_or_default();
    let reader = READERS.iter().find(|reader| reader.name == name);
    let Some(reader) = reader else {
        let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
        panic!("set LOSTBITS_READER to one of {}", names.join(", "));
    };
    reader.read
});

fuzz_target!(|bytes: &[u8]| {
    READ(bytes);
});
