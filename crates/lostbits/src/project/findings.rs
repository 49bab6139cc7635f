//! The findings of all processes, joined by site.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitStatus,
};

use lostbits_abi::site::Site;

use super::{
    fingerprint::{Fingerprint, fingerprints},
    processes::Process,
    state::{Judgement, State, Suppression},
};
use crate::{
    config::UNKNOWN_CAUSE,
    explain::{self, Kind, Reached, RootCause, Saved, Spot, Verdict},
    summary::identity,
};

/// What every format of a report reads.
pub struct Merged {
    /// The project's root: paths below it are shown relative to it.
    pub root: PathBuf,
    /// The command that was run; none for saved records.
    pub ran: Option<Ran>,
    /// Every process that left a record.
    pub processes: Vec<Process>,
    /// Worst first. Those that are ignored or in the baseline are among them: see [`Finding::state`].
    pub findings: Vec<Finding>,
    /// Suppressions that no finding needed, or that have expired.
    pub suppressions: Vec<Suppression>,
    /// Everything else that the processes left: all outputs, totals, settings, what was untracked. Its causes are those of
    /// [`Merged::findings`].
    pub run: explain::Findings,
    /// Records and analyses that could not be read.
    pub unreadable: usize,
    /// Sources in which suppressions are searched.
    pub files: BTreeSet<PathBuf>,
}

/// What `lostbits test` or `check` ran.
pub struct Ran {
    pub command: Vec<String>,
    pub status: ExitStatus,
}

/// A cause, or a wrong result without a known cause.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub fingerprint: Fingerprint,
    pub source: Source,
    /// Which of [`Merged::processes`] show it by themselves. Empty if only several of them together do.
    pub seen_in: Vec<usize>,
    pub state: State,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    Cause(Box<RootCause>),
    /// A wrong output or decision whose cause is unknown.
    Wrong(Box<Spot>),
}

impl Merged {
    /// Joins what processes left. `source_line` reads the sources, for the fingerprints.
    pub fn of(
        saved: &Saved,
        root: PathBuf,
        source_line: &dyn Fn(&Path, u32) -> Option<String>,
    ) -> Merged {
        let run = explain::Findings::of(&saved.processes, &saved.analyses);
        let mut merged = Merged::of_findings(run, root, source_line);
        merged.processes = saved.processes.iter().map(Process::of).collect();
        match merged.processes.len() {
            1 => merged
                .findings
                .iter_mut()
                .for_each(|one| one.seen_in = vec![0]),
            _ => merged.add_seen_in(saved),
        }
        merged
    }

    /// The findings of one run, as `lostbits explain` has them.
    pub fn of_findings(
        run: explain::Findings,
        root: PathBuf,
        source_line: &dyn Fn(&Path, u32) -> Option<String>,
    ) -> Merged {
        let causes = run.causes.iter().cloned().map(Box::new).map(Source::Cause);
        let wrong = run.untraced.iter().cloned().map(Box::new);
        let sources: Vec<Source> = causes.chain(wrong.map(Source::Wrong)).collect();
        let sites: Vec<&Site> = sources.iter().map(Source::site).collect();
        let names = fingerprints(&sites, source_line);
        let findings = sources.into_iter().zip(names);
        Merged {
            findings: findings
                .map(|(source, fingerprint)| Finding {
                    fingerprint,
                    source,
                    seen_in: Vec::new(),
                    state: State::New,
                })
                .collect(),
            root,
            ran: None,
            processes: Vec::new(),
            suppressions: Vec::new(),
            run,
            unreadable: 0,
            files: BTreeSet::new(),
        }
    }

    /// What each process shows by itself.
    fn add_seen_in(&mut self, saved: &Saved) {
        for (at, process) in saved.processes.iter().enumerate() {
            let own = saved.analyses.iter().filter(|one| one.record == at);
            let own: Vec<_> = own.map(|one| one.of_record(0)).collect();
            if own.is_empty() {
                continue;
            }
            let alone = explain::Findings::of(std::slice::from_ref(process), &own);
            let causes: BTreeSet<Site> =
                alone.causes.iter().map(|one| identity(&one.site)).collect();
            let wrong = alone.wrong_spots();
            let wrong: BTreeSet<Site> = wrong.iter().map(|spot| identity(&spot.site)).collect();
            for finding in &mut self.findings {
                let shows = match &finding.source {
                    Source::Cause(cause) => causes.contains(&identity(&cause.site)),
                    Source::Wrong(spot) => wrong.contains(&identity(&spot.site)),
                };
                finding.seen_in.extend(shows.then_some(at));
            }
        }
    }

    /// Decides the state of each finding.
    pub fn judge(&mut self, mut judgement: Judgement) {
        for finding in &mut self.findings {
            let seen_in = finding.seen_in.iter();
            let tests: Vec<String> = seen_in.map(|at| self.processes[*at].name()).collect();
            finding.state = judgement.of(finding, &tests);
        }
        self.suppressions = judgement.idle(&self.root);
    }

    /// The sources of all operations and outputs that processes executed or could have.
    pub fn files(saved: &Saved) -> BTreeSet<PathBuf> {
        let modules = saved.processes.iter().flat_map(|process| &process.modules);
        let sites = modules.flat_map(|module| &module.table.sites);
        let files = sites
            .map(|site| site.file.as_str())
            .collect::<BTreeSet<&str>>();
        files
            .into_iter()
            .filter(|file| !file.is_empty())
            .map(PathBuf::from)
            .collect()
    }

    /// The run with only those findings that count.
    pub fn keep_counted(&mut self) {
        let counted: BTreeSet<Site> = self.counted().map(|one| identity(one.site())).collect();
        self.run
            .causes
            .retain(|one| counted.contains(&identity(&one.site)));
        self.run
            .untraced
            .retain(|one| counted.contains(&identity(&one.site)));
    }

    /// Findings that count: new ones, and known ones that got worse.
    pub fn counted(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|one| one.state.counts())
    }

    /// What the run came to, before states: exit codes and headlines depend on [`Merged::counted`], too. How the command
    /// ended says nothing about its processes, and is reported beside this.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.run, None, self.unreadable)
    }

    /// A file as reports show it: relative to the root where it lies below it, with `/` between folders.
    pub fn shown_path<'a>(&self, file: &'a str) -> &'a str {
        match self.root.as_os_str().is_empty() {
            true => file,
            false => {
                let relative = Path::new(file).strip_prefix(&self.root).ok();
                relative.and_then(Path::to_str).unwrap_or(file)
            }
        }
    }

    /// The command that repeats a finding, of the first process that shows it.
    pub fn reproduce(&self, finding: &Finding) -> Option<String> {
        let process = self.processes.get(*finding.seen_in.first()?)?;
        Some(process.reproduce())
    }
}

impl Finding {
    pub fn site(&self) -> &Site {
        self.source.site()
    }

    /// As suppressions and machine-readable formats name it: `cancellation`, `accumulation`, …, `unknown-cause`.
    pub fn kind(&self) -> &'static str {
        match &self.source {
            Source::Cause(cause) => Kind::of(cause).name(),
            Source::Wrong(_) => UNKNOWN_CAUSE,
        }
    }

    /// The wrong outputs and decisions that it is about, worst outputs first.
    pub fn spots(&self) -> Vec<&Spot> {
        match &self.source {
            Source::Cause(cause) => {
                let reached = cause.outputs.iter().chain(&cause.decisions);
                reached.map(|Reached { spot, .. }| spot).collect()
            }
            Source::Wrong(spot) => vec![spot],
        }
    }

    /// The most bits that a result loses by it; 0 if only decisions are wrong.
    pub fn bits(&self) -> f64 {
        match &self.source {
            Source::Cause(cause) => cause.bits_in_outputs(),
            Source::Wrong(spot) => spot.worst_bits,
        }
    }
}

impl Source {
    pub fn site(&self) -> &Site {
        match self {
            Source::Cause(cause) => &cause.site,
            Source::Wrong(spot) => &spot.site,
        }
    }
}
