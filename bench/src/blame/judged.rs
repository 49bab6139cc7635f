//! Reported causes, judged by the truth.

use super::{
    explained::Cause,
    truth::{Line, Truth},
};

/// What a reported line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It makes at least 20 % of a wrong output's error, or half of one passes through it and the report says so.
    True,
    /// It makes between 1 % and 20 %, or passes the error on without a word about it.
    Minor,
    /// Making it exact changes nothing.
    Innocent,
}

#[derive(Debug)]
pub struct Judged {
    pub verdicts: Vec<(Cause, Verdict)>,
    /// Firm sources that are not reported.
    pub missing: Vec<Line>,
    /// Lines that are sources by any intervention, and how many of them are not reported.
    pub sources: usize,
    pub missing_of_any: usize,
    pub firm: usize,
    /// The first cause is a firm source.
    top_makes: bool,
    /// By how much a reported share differs from the true one, the most.
    pub share_off: Option<f64>,
    /// The program has wrong outputs.
    pub is_wrong: bool,
}

impl Judged {
    pub fn new(truth: &Truth, causes: &[Cause]) -> Judged {
        let verdicts = causes
            .iter()
            .map(|cause| (cause.clone(), verdict(truth, cause)));
        let is_missing = |line: &&Line| causes.iter().all(|cause| cause.line != line.number);
        let first = causes.first().map(|cause| truth.line(cause.line));
        let off = |cause: &Cause| {
            let own = truth.line(cause.line).own_share();
            Some((cause.share? - own).abs())
        };
        Judged {
            top_makes: first.is_some_and(|line| line.is_firm_source()),
            share_off: causes.iter().filter_map(off).reduce(f64::max),
            verdicts: verdicts.collect(),
            missing: truth
                .sources()
                .filter(|line| line.is_firm_source())
                .filter(is_missing)
                .copied()
                .collect(),
            sources: truth.sources().count(),
            missing_of_any: truth.sources().filter(is_missing).count(),
            firm: truth.sources().filter(|line| line.is_firm_source()).count(),
            is_wrong: !truth.wrong.is_empty(),
        }
    }

    /// Whether the first cause is true; none for a program without wrong outputs.
    pub fn top(&self) -> Option<bool> {
        let first = self.verdicts.first().map(|(_, verdict)| *verdict);
        self.is_wrong.then_some(first == Some(Verdict::True))
    }

    /// Whether the first cause makes 20 % by its own rounding errors.
    pub fn top_makes(&self) -> bool {
        self.is_wrong && self.top_makes
    }

    pub fn innocent(&self) -> usize {
        let is_innocent = |(_, verdict): &&(Cause, Verdict)| *verdict == Verdict::Innocent;
        self.verdicts.iter().filter(is_innocent).count()
    }
}

fn verdict(truth: &Truth, cause: &Cause) -> Verdict {
    let line = truth.line(cause.line);
    if line.is_source() || (line.passes_error_on() && cause.says_passes) {
        Verdict::True
    } else if line.is_irrelevant() {
        Verdict::Innocent
    } else {
        Verdict::Minor
    }
}

/// Sums over programs.
#[derive(Default, Debug, PartialEq)]
pub struct Totals {
    pub wrong_programs: usize,
    pub top_true: usize,
    pub top_makes: usize,
    pub causes: usize,
    pub innocent: usize,
    pub firm: usize,
    pub missing: usize,
    pub programs_with_missing: usize,
    /// By any of the interventions.
    pub sources: usize,
    pub missing_of_any: usize,
}

impl Totals {
    pub fn of<'a>(all: impl Iterator<Item = &'a Judged>) -> Totals {
        let mut totals = Totals::default();
        for judged in all {
            totals.wrong_programs += usize::from(judged.is_wrong);
            totals.top_true += usize::from(judged.top() == Some(true));
            totals.top_makes += usize::from(judged.top_makes());
            totals.causes += judged.verdicts.len();
            totals.innocent += judged.innocent();
            totals.firm += judged.firm;
            totals.sources += judged.sources;
            totals.missing_of_any += judged.missing_of_any;
            totals.missing += judged.missing.len();
            totals.programs_with_missing += usize::from(!judged.missing.is_empty());
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth() -> Truth {
        let line = |number, removed, passes| Line {
            number,
            removed,
            kept: removed,
            forgotten: removed,
            passes,
            ..Line::default()
        };
        Truth {
            lines: vec![
                line(4, 0.9, None),
                line(5, 0.3, None),
                Line {
                    forgotten: 0.0,
                    ..line(10, 0.3, None)
                },
                line(6, 0.05, None),
                line(7, 0.0, Some(0.99)),
                line(8, 0.0, None),
            ],
            wrong: vec![0],
            outputs: 1,
            text: Vec::new(),
        }
    }

    fn cause(line: u64, says_passes: bool) -> Cause {
        Cause {
            line,
            share: None,
            says_passes,
        }
    }

    #[test]
    fn causes_are_true_minor_or_innocent() {
        let causes = [
            cause(4, false),
            cause(6, false),
            cause(7, true),
            cause(7, false),
            cause(8, true),
            cause(99, false),
        ];
        let judged = Judged::new(&truth(), &causes);
        let verdicts: Vec<Verdict> = judged
            .verdicts
            .iter()
            .map(|(_, verdict)| *verdict)
            .collect();
        use Verdict::{Innocent, Minor, True};
        assert_eq!(verdicts, [True, Minor, True, Minor, Innocent, Innocent]);
        assert_eq!((judged.top(), judged.innocent()), (Some(true), 2));
        assert!(judged.top_makes() && judged.share_off.is_none());
        let share = |line, share| Cause {
            share: Some(share),
            ..cause(line, true)
        };
        let passing = Judged::new(&truth(), &[share(7, 0.0), share(4, 0.5)]);
        assert_eq!((passing.top(), passing.top_makes()), (Some(true), false));
        assert!((passing.share_off.unwrap() - 0.4).abs() < 1e-9);
        let missing: Vec<u64> = judged.missing.iter().map(|line| line.number).collect();
        assert_eq!(missing, [5]);
    }

    #[test]
    fn no_cause_of_a_wrong_program_is_a_wrong_top_cause() {
        let silent = Judged::new(&truth(), &[]);
        assert_eq!(silent.top(), Some(false));
        let right = Truth {
            wrong: Vec::new(),
            lines: Vec::new(),
            ..truth()
        };
        assert_eq!(Judged::new(&right, &[]).top(), None);
        let totals = Totals::of([silent, Judged::new(&right, &[cause(1, false)])].iter());
        let expected = Totals {
            wrong_programs: 1,
            causes: 1,
            innocent: 1,
            firm: 2,
            sources: 3,
            missing: 2,
            missing_of_any: 3,
            programs_with_missing: 1,
            ..Totals::default()
        };
        assert_eq!(totals, expected);
    }
}
