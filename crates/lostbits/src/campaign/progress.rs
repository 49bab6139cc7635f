//! A progress line over all shards, from their files: it works whatever machines they run on.

use std::{
    fs,
    io::IsTerminal,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::file;
use crate::search;

const INTERVAL: Duration = Duration::from_millis(500);

/// Shows the progress during `work`, if standard error is a terminal.
pub fn while_shown<R>(folder: &Path, shards: usize, work: impl FnOnce() -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| show(folder, shards, &is_over));
        let result = work();
        is_over.store(true, Relaxed);
        result
    })
}

fn show(folder: &Path, shards: usize, is_over: &AtomicBool) {
    let bar = ProgressBar::no_length();
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {pos}/{len} functions in {msg} shards")
    {
        bar.set_style(style);
    }
    bar.set_message(shards.to_string());
    while !is_over.load(Relaxed) {
        let (done, all) = state(folder, shards);
        bar.set_length(all);
        bar.set_position(done);
        std::thread::sleep(INTERVAL);
    }
    bar.finish_and_clear();
}

/// Calls done, and all calls as far as any shard has said how many there are.
fn state(folder: &Path, shards: usize) -> (u64, u64) {
    let (mut done, mut all) = (0, 0);
    for number in 1..=shards {
        let text = fs::read_to_string(file(folder, number)).unwrap_or_default();
        let lines = text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        done += lines.saturating_sub(1);
        if all == 0 && lines > 0 {
            all = search::merge(&[file(folder, number)])
                .map_or(0, |merged| merged.campaign.calls.len() as u64);
        }
    }
    (done, all)
}
