//! While a long program runs, a line on the terminal shows the time and the number of shadowed operations.
//!
//! The figures are read from the mapped records. The line appears only after a while, and is wiped when the
//! program ends; a program that prints to the same terminal may write over it.

use std::{
    fs,
    io::{IsTerminal, Write, stderr},
    path::Path,
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use lostbits_abi::{
    record::{self, ProcessRecord},
    site::What,
};

use crate::notation::number;

const FIRST: Duration = Duration::from_secs(2);
const NEXT: Duration = Duration::from_secs(1);
const WIPE: &str = "\r\x1b[K";

/// Returns when the program has ended.
pub fn show(records: &Path, ended: Receiver<()>) {
    if !stderr().is_terminal() {
        return;
    }
    let start = Instant::now();
    let mut pause = FIRST;
    let mut shown = false;
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let line = format!(
            "{} s, {} operations shadowed; Ctrl-C stops it and reports",
            start.elapsed().as_secs(),
            number(operations(records))
        );
        let _ = write!(stderr(), "{WIPE}lostbits: {line}");
        (pause, shown) = (NEXT, true);
    }
    if shown {
        let _ = write!(stderr(), "{WIPE}");
    }
}

fn operations(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let records = files.filter_map(|file| record::decode(&fs::read(file.path()).ok()?).ok());
    records.flatten().map(|process| in_process(&process)).sum()
}

fn in_process(process: &ProcessRecord) -> u64 {
    let rows = process.modules.iter().flat_map(|module| module.rows());
    rows.filter(|(site, _, _)| matches!(site.what, What::Operation(_)))
        .map(|(_, executions, _)| executions)
        .sum()
}
