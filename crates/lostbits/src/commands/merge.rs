//! `lostbits merge`: the files of shards → one report, the same bytes as of a search without shards.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;

use super::search::{Style, exit_code};
use crate::{
    destination::Destination,
    failure::Failure,
    output,
    search::{self, Merged, Unfinished},
    sources::source_line,
};

#[derive(Args)]
pub struct MergeArguments {
    /// Files that `lostbits search --shard K/N --resume FILE` wrote, in any order
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Report on what there is, although shards are missing or not finished
    #[arg(long)]
    partial: bool,
    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

pub fn merge(arguments: MergeArguments) -> Result<ExitCode, Failure> {
    let destination = arguments
        .report
        .map_or(Destination::Output, Destination::File);
    destination.check()?;
    write(&arguments.files, arguments.partial, &destination)
}

/// The report on all files. Unless `is_partial`, shards that are not finished are refused by name.
pub fn write(
    files: &[PathBuf],
    is_partial: bool,
    destination: &Destination,
) -> Result<ExitCode, Failure> {
    let Merged {
        campaign,
        reports,
        unfinished,
    } = search::merge(files)?;
    if !unfinished.is_empty() {
        let shards = Unfinished::named(&unfinished);
        match is_partial {
            true => output::note(shards),
            false => return Err(Failure::ShardsUnfinished { shards }),
        }
    }
    let style = Style {
        format: campaign.format,
        is_table: false,
        unconfirmed: campaign.unconfirmed,
        significant: campaign.significant,
    };
    destination.write(&style.written(&reports, &[], &source_line))?;
    Ok(exit_code(&reports))
}
