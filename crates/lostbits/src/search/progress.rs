//! A progress line on the terminal during a search: functions done, runs per second, findings so far.

use std::{
    io::IsTerminal,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Instant,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::CallReport;

pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    runs: AtomicU64,
    findings: AtomicU64,
}

impl Progress {
    /// Hidden unless standard error is a terminal.
    pub fn new(functions: usize) -> Progress {
        let bar = match std::io::stderr().is_terminal() && functions > 1 {
            true => ProgressBar::new(functions as u64),
            false => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} functions, {msg}") {
            bar.set_style(style);
        }
        Progress {
            bar,
            began: Instant::now(),
            runs: AtomicU64::new(0),
            findings: AtomicU64::new(0),
        }
    }

    pub fn done(&self, report: &CallReport) {
        let runs = self.runs.fetch_add(report.runs, Relaxed) + report.runs;
        let new = report.findings.len() as u64;
        let findings = self.findings.fetch_add(new, Relaxed) + new;
        let rate = runs as f64 / self.began.elapsed().as_secs_f64().max(1e-3);
        self.bar
            .set_message(format!("{rate:.0} runs/s, {findings} findings"));
        self.bar.inc(1);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
