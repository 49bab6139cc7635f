//! What a project says about a finding: `[[ignore]]` entries of `lostbits.toml`, comments in the sources, and the
//! baseline.

use std::path::{Path, PathBuf};

use super::{
    baseline::Baseline,
    comments::Comments,
    date::{Date, today},
    findings::Finding,
};
use crate::config::{Config, Ignore};
use lostbits_abi::site::Site;

/// A finding in the eyes of the project.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    New,
    /// The baseline has it.
    Known,
    /// The baseline has it with this many lost bits, and it loses more now.
    Worse {
        before: f64,
    },
    /// Ignored for this reason.
    Ignored {
        reason: String,
    },
}

impl State {
    /// Whether the finding makes a check fail.
    pub fn counts(&self) -> bool {
        matches!(self, State::New | State::Worse { .. })
    }

    /// As machine-readable formats have it.
    pub fn name(&self) -> &'static str {
        match self {
            State::New => "new",
            State::Known => "baseline",
            State::Worse { .. } => "worse",
            State::Ignored { .. } => "ignored",
        }
    }
}

/// A suppression that had no effect.
#[derive(Clone, PartialEq, Debug)]
pub struct Suppression {
    /// Where it is: `lostbits.toml`, or a source file, relative to the root, with its line.
    pub file: String,
    pub line: Option<u32>,
    /// What it says.
    pub text: String,
    /// Whether it no longer applies because of its date.
    pub has_expired: bool,
}

/// Everything that decides states.
pub struct Judgement<'a> {
    config: &'a Config,
    /// Whether each `[[ignore]]` entry was needed.
    used: Vec<bool>,
    comments: Comments,
    baseline: Option<Baseline>,
    today: Date,
}

impl<'a> Judgement<'a> {
    /// `files` are the sources in which comments are searched.
    pub fn new(
        config: &'a Config,
        files: impl IntoIterator<Item = PathBuf>,
        baseline: Option<Baseline>,
    ) -> Judgement<'a> {
        Judgement {
            config,
            used: vec![false; config.ignore.len()],
            comments: Comments::read(files),
            baseline,
            today: today(),
        }
    }

    /// A finding is ignored if its own site is, or if all results that it makes wrong are.
    pub(super) fn of(&mut self, finding: &Finding) -> State {
        if let Some(reason) = self.ignored(finding.kind(), finding.site()) {
            return State::Ignored { reason };
        }
        let spots = finding.spots();
        let reasons: Vec<Option<String>> = spots
            .iter()
            .map(|spot| self.ignored(finding.kind(), &spot.site))
            .collect();
        if !reasons.is_empty() && reasons.iter().all(Option::is_some) {
            let reason = reasons.into_iter().flatten().next().unwrap_or_default();
            return State::Ignored { reason };
        }
        match &self.baseline {
            Some(baseline) => baseline.state_of(finding),
            None => State::New,
        }
    }

    fn ignored(&mut self, kind: &str, site: &Site) -> Option<String> {
        let fits = |entry: &Ignore| entry.contains(kind, site) && !entry.has_expired(self.today);
        if let Some(at) = self.config.ignore.iter().position(fits) {
            self.used[at] = true;
            return Some(self.config.ignore[at].reason.clone());
        }
        self.comments.reason(kind, site)
    }

    /// Suppressions without effect.
    pub(super) fn idle(&self, root: &Path) -> Vec<Suppression> {
        let entries = self.config.ignore.iter().zip(&self.used);
        let unused = entries.filter(|(_, used)| !**used);
        let in_config = unused.map(|(entry, _)| Suppression {
            file: crate::config::FILE.to_owned(),
            line: None,
            text: entry.description(),
            has_expired: entry.has_expired(self.today),
        });
        in_config.chain(self.comments.unused(root)).collect()
    }
}
