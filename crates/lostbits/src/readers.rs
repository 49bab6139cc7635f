//! All readers of what comes from outside, by name: the fuzz targets (`fuzz/`) and the test that replays their corpus
//! run through this table.
//!
//! Whatever the bytes are, a reader ends soon and does not panic; what it accepts can be reported. A new reader gets a
//! row here and a folder of examples in `fuzz/corpus`.

use std::path::Path;

use crate::{
    commands, config,
    explain::{self, Saved},
    fpcore, inputs, report, search,
    summary::Summary,
    tables,
    target::signature,
};

pub struct Reader {
    pub name: &'static str,
    /// Whether the bytes were accepted.
    pub read: fn(&[u8]) -> bool,
}

pub const READERS: &[Reader] = &[
    Reader {
        name: "fpcore",
        read: |bytes| with_text(bytes, fpcore),
    },
    Reader {
        name: "infix",
        read: |bytes| with_text(bytes, infix),
    },
    Reader {
        name: "call",
        read: |bytes| with_text(bytes, call),
    },
    Reader {
        name: "config",
        read: |bytes| with_text(bytes, |text| config::parse(text).is_ok()),
    },
    Reader {
        name: "spec",
        read: |bytes| {
            with_text(bytes, |text| {
                search::spec::parse(text, Path::new("")).is_ok()
            })
        },
    },
    Reader {
        name: "resume",
        read: |bytes| with_text(bytes, resume),
    },
    Reader {
        name: "record",
        read: saved_run,
    },
    Reader {
        name: "site-table",
        read: site_table,
    },
    Reader {
        name: "signature",
        read: |bytes| signature::parse(bytes, &["f", "main"]).is_some(),
    },
];

/// Files that are not text are refused before any of these readers sees them.
fn with_text(bytes: &[u8], read: impl Fn(&str) -> bool) -> bool {
    std::str::from_utf8(bytes).is_ok_and(read)
}

/// What can be read can be written, and is read again as the same.
fn fpcore(text: &str) -> bool {
    let Ok(cores) = fpcore::read::read_cores(text) else {
        return false;
    };
    cores.iter().for_each(use_core);
    true
}

fn infix(text: &str) -> bool {
    let core = fpcore::infix::read_infix(text);
    core.is_ok_and(|core| {
        use_core(&core);
        true
    })
}

/// A core that no C can be written for is refused, not a mistake.
fn use_core(core: &fpcore::ast::Core) {
    round_trip(core);
    let _ = fpcore::c::function(core, None);
}

fn round_trip(core: &fpcore::ast::Core) {
    let written = fpcore::write::core(core);
    let again = fpcore::read::read_cores(&written);
    let again = again.unwrap_or_else(|error| panic!("{error} in what was written: {written}"));
    let rewritten: Vec<String> = again.iter().map(fpcore::write::core).collect();
    assert_eq!(rewritten, [written]);
}

fn call(text: &str) -> bool {
    let [searched, explained] = [
        inputs::Call::parse(text).is_ok(),
        explain::call::Call::read(text).is_ok(),
    ];
    searched || explained
}

fn resume(text: &str) -> bool {
    let Ok(contents) = search::saved::parse(text) else {
        return false;
    };
    let reports: Vec<search::CallReport> = contents.known.into_values().collect();
    report::search::terminal(&reports, true, &|_, _| None);
    report::search::json(&reports, &[]);
    report::search::tsv(&reports);
    report::search::c(&reports, 1e-3);
    !reports.is_empty()
}

/// As `lostbits report` does it.
fn saved_run(bytes: &[u8]) -> bool {
    let Ok(saved) = Saved::decode(bytes) else {
        return false;
    };
    report::terminal::summary(&Summary::of(&saved.processes));
    use explain::ExplainFormat::{Fpcore, Json, Terminal};
    let _ = [Terminal, Json, Fpcore].map(|format| commands::report_on(&saved, format));
    true
}

fn site_table(bytes: &[u8]) -> bool {
    let tables = tables::of_bytes(bytes).unwrap_or_default();
    report::sites::table(&tables, true);
    !tables.is_empty()
}
