//! What a project says about a finding: `[[ignore]]` entries of `lostbits.toml`, comments in the sources, and the
//! baseline.

use std::path::{Path, PathBuf};

use super::{baseline::Baseline, comments::Comments, findings::Finding};
use crate::{
    config::{Config, Ignore, Required},
    date::{Date, today},
    explain::Spot,
    notation::count,
};
use lostbits_abi::{explain::SpotKind, site::Site};

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
    /// Everything that it makes wrong has at least the digits that the project requires.
    Accurate(Right),
    /// Ignored for this reason.
    Ignored {
        reason: String,
    },
}

/// How much of the worst result is right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Right {
    Digits(u32),
    Bits(u32),
}

impl Right {
    /// The end of a sentence.
    pub fn sentence(self) -> String {
        match self {
            Right::Digits(digits) => format!(
                "{} right, enough for min_digits",
                count(digits.into(), "digit is", "digits are")
            ),
            Right::Bits(bits) => format!(
                "{} right, enough for sig_bits",
                count(bits.into(), "bit is", "bits are")
            ),
        }
    }
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
            State::Accurate(_) => "accurate enough",
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

/// How many digits of the worst result at an output are right; none for decisions.
pub fn right_digits(spot: &Spot) -> Option<u32> {
    const DIGITS_PER_BIT: f64 = std::f64::consts::LOG10_2;
    match &spot.printed {
        Some(printed) if spot.kind == SpotKind::Output => Some(printed.right),
        _ => Some((f64::from(right_bits(spot)?) * DIGITS_PER_BIT) as u32),
    }
}

/// The same of its bits, printed or not.
fn right_bits(spot: &Spot) -> Option<u32> {
    if spot.kind != SpotKind::Output {
        return None;
    }
    let precision = spot.site.kind.map_or(53, |kind| kind.precision());
    Some((f64::from(precision) - spot.worst_bits).max(0.0) as u32)
}

/// Everything that decides states.
pub struct Judgement<'a> {
    config: &'a Config,
    /// Whether each `[[ignore]]` entry was needed.
    used: Vec<bool>,
    comments: Comments,
    baseline: Option<Baseline>,
    /// Whether results with the required digits do not count.
    has_gates: bool,
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
            has_gates: true,
            today: today(),
        }
    }

    /// Only suppressions: no baseline, no required digits.
    pub fn of_suppressions(
        config: &'a Config,
        files: impl IntoIterator<Item = PathBuf>,
    ) -> Judgement<'a> {
        Judgement {
            has_gates: false,
            ..Judgement::new(config, files, None)
        }
    }

    /// A finding is ignored if its own site is, or if all results that it makes wrong are.
    pub(super) fn of(&mut self, finding: &Finding, tests: &[String]) -> State {
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
        if let Some(right) = self.enough(&spots, tests).filter(|_| self.has_gates) {
            return State::Accurate(right);
        }
        match &self.baseline {
            Some(baseline) => baseline.state_of(finding),
            None => State::New,
        }
    }

    /// What is right of the worst of these results, if each is as accurate as the project requires of it. A wrong decision
    /// never is.
    fn enough(&self, spots: &[&Spot], tests: &[String]) -> Option<Right> {
        let digits = self.least(spots, tests, |required| required.digits, right_digits)?;
        let bits = self.least(spots, tests, |required| required.bits, right_bits)?;
        digits.map(Right::Digits).or(bits.map(Right::Bits))
    }

    /// The fewest digits, or bits, that are right of these results; none within if nothing is required of them, and none at
    /// all if one has fewer than required.
    fn least(
        &self,
        spots: &[&Spot],
        tests: &[String],
        wanted: impl Fn(&Required) -> Option<u32>,
        right: impl Fn(&Spot) -> Option<u32>,
    ) -> Option<Option<u32>> {
        let none = [String::new()];
        let tests = if tests.is_empty() { &none[..] } else { tests };
        let mut least = None;
        for spot in spots {
            let of_tests = tests.iter();
            let of_tests: Vec<Required> = of_tests
                .map(|test| self.config.check.required(&spot.site, test))
                .collect();
            // Where one test requires nothing, every bit counts.
            if of_tests.contains(&Required::default()) {
                return None;
            }
            // The strictest requirement counts.
            let Some(most) = of_tests.iter().filter_map(&wanted).max() else {
                continue;
            };
            let right = right(spot).filter(|right| *right >= most)?;
            least = Some(least.map_or(right, |least: u32| least.min(right)));
        }
        Some(least)
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
