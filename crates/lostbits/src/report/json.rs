//! What the JSON reports of all commands share.
//!
//! The formats are described by `docs/*.schema.json`, and a test validates real reports against them.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use lostbits_abi::{VERSION, site::Site};
use serde::Serialize;

use super::words::demangle;
use crate::summary::Summary;

/// Raised whenever a field is renamed, removed or changes its meaning.
pub const SCHEMA_VERSION: u32 = 3;

/// The first fields of every report.
#[derive(Serialize)]
pub struct Header {
    schema_version: u32,
    lostbits_version: &'static str,
}

impl Header {
    pub const fn new() -> Header {
        Header {
            schema_version: SCHEMA_VERSION,
            lostbits_version: VERSION,
        }
    }
}

/// How the program ended.
#[derive(Serialize)]
pub struct ProgramEnd {
    exit_code: Option<i32>,
    signal: Option<i32>,
}

impl From<ExitStatus> for ProgramEnd {
    fn from(status: ExitStatus) -> ProgramEnd {
        ProgramEnd {
            exit_code: status.code(),
            signal: status.signal(),
        }
    }
}

/// A source location. Unknown lines and columns are 0.
#[derive(Serialize)]
pub struct Location {
    file: String,
    line: u32,
    column: u32,
    function: String,
    r#type: Option<&'static str>,
}

impl Location {
    pub fn of(site: &Site) -> Location {
        Location {
            file: site.file.clone(),
            line: site.line,
            column: site.column,
            function: demangle(&site.function),
            r#type: site.kind.map(|kind| kind.c_name()),
        }
    }
}

/// What no analysis tracks.
#[derive(Serialize)]
pub struct Untracked {
    lost_shadows: Vec<LostShadows>,
    modules_of_other_modes: usize,
    modules_without_totals: u64,
    unreadable_records: usize,
    processes_without_exit_handlers: usize,
}

#[derive(Serialize)]
struct LostShadows {
    reason: &'static str,
    sites: usize,
}

impl Untracked {
    pub fn new(
        summary: &Summary,
        modules_of_other_modes: usize,
        unreadable_records: usize,
    ) -> Untracked {
        let lost = summary.blind.lost.iter().map(|lost| LostShadows {
            reason: lost.reason.description(),
            sites: lost.sites,
        });
        Untracked {
            lost_shadows: lost.collect(),
            modules_of_other_modes,
            modules_without_totals: summary.modules_lost,
            unreadable_records,
            processes_without_exit_handlers: summary.cut_short,
        }
    }
}
