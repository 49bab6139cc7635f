//! After a different branch: runs whose outputs are those of exact arithmetic say what the program should have printed.
//!
//! Where a decision differs from exact arithmetic, the shadows of what is computed afterwards belong to a path that exact
//! arithmetic does not take. So the program is built for mode `reals` and steered by its numbers, as `watch --rerun` does,
//! twice: once with exact decisions, once with the program's own. Where both print the same, decisions change nothing: the
//! smallest of several values that are equal in exact arithmetic is one of them, and an iteration may take one step more.
//! Such decisions are no findings. If some line differs, outputs are judged by what the run with exact decisions prints: an output
//! whose text is the same (but for the last digit) is right; another has the text of that run as its exact value. Lines without
//! numbers that `explain` follows, integers among them, are compared as well.
//!
//! Lines that are different in every run, such as times, are not compared: where a line differs, the program runs once more by itself.
//!
//! A number that is printed from memory (Rust's `println!`, `fwrite`) is not steered. So an output is judged by its text only if the
//! run with the program's own decisions prints it otherwise than the program does: its error is known to be there.
//!
//! What it can miss: files that the program writes, and results in lines that are different in every run. So where the program
//! prints fewer numbers than outputs were judged, different decisions stay findings.

use std::{collections::BTreeSet, path::Path};

use lostbits_abi::{
    environment,
    explain::{self, SpotKind},
    mode::Mode,
};

use super::{
    attempt::Prepared,
    clock::{Clock, Purpose},
    findings::{Findings, Spot},
    options::{ExplainSubject, Options},
};
use crate::{
    failure::Failure,
    run::{Comparison, Held, Input, Plan, words},
    subject::{self, Code},
};

/// The program as it prints.
#[derive(Clone, Copy)]
pub struct Printing<'a> {
    pub program: &'a Prepared,
    /// Whether the program to be steered must compute what the compiler had folded.
    pub hides_constants: bool,
}

/// Bits of the numbers that steer.
const PRECISION: u32 = 256;

#[derive(Default)]
pub enum Steering {
    #[default]
    NotNeeded,
    /// Lines that are different with exact decisions: the program's, and what it should have printed.
    Done(Vec<Pair>),
    /// Why the program was not steered, as a sentence.
    Impossible(String),
}

/// Whether decisions that are in doubt, and nothing else, change anything that the program prints. This takes three runs, where
/// deciding them may take many: most are ties in exact arithmetic, of which no precision is enough.
pub fn settle(
    findings: &mut Findings,
    printing: Printing,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) {
    let ExplainSubject::Code(code @ Code::Sources { .. }) = &options.subject else {
        return;
    };
    if options.once || options.settings.precision != 0 || !findings.only_decisions_are_in_doubt() {
        return;
    }
    let folder = folder.join("settled");
    let Ok(compared) = compare(code, printing, false, options, input, &folder, clock) else {
        return;
    };
    if !compared.decisions_matter(findings) {
        findings.settle_decisions();
    }
}

/// Judges the outputs of a program that takes a different branch.
pub fn steer(
    findings: &mut Findings,
    printing: Printing,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Steering {
    let wrong = findings.wrong_spots();
    if wrong.iter().all(|spot| spot.kind == SpotKind::Output) {
        return Steering::NotNeeded;
    }
    let ExplainSubject::Code(code @ Code::Sources { .. }) = &options.subject else {
        return Steering::NotNeeded;
    };
    let folder = folder.join("steered");
    let judges = wrong.iter().any(|spot| spot.kind == SpotKind::Output);
    let compared = compare(code, printing, judges, options, input, &folder, clock);
    let compared = match compared {
        Ok(compared) => compared,
        Err(Failure::OutOfTime) => return Steering::Impossible(clock.advice()),
        Err(failure) => return Steering::Impossible(failure.to_string()),
    };
    if !compared.decisions_matter(findings) {
        findings.remove_decisions();
        return Steering::NotNeeded;
    }
    let noise = noise(findings);
    let is_alike_everywhere = compared.differing(noise).is_empty();
    findings.judge_again(|spot| match spot.kind {
        SpotKind::Output if compared.steers(spot) => {
            judgement(spot, &compared.pairs, is_alike_everywhere)
        }
        _ => Judgement::Stays,
    });
    Steering::Done(compared.changed_by_decisions(noise))
}

/// The largest number printed that is consistent with 0.
fn noise(findings: &Findings) -> f64 {
    findings.totals.largest_zero[0].abs()
}

/// What becomes of a wrong output.
pub enum Judgement {
    Stays,
    Right,
    /// What the program should have printed.
    Exact(String),
}

fn judgement(spot: &Spot, pairs: &[Pair], is_alike_everywhere: bool) -> Judgement {
    if is_alike_everywhere {
        return Judgement::Right;
    }
    let Some(printed) = &spot.printed else {
        return Judgement::Stays;
    };
    let judged = counterparts(pairs, &printed.text);
    match judged.as_slice() {
        [] => Judgement::Stays,
        // The worst value may have been printed more than once.
        many if many
            .iter()
            .flatten()
            .all(|word| is_close(&printed.text, word)) =>
        {
            Judgement::Right
        }
        many => match many
            .iter()
            .flatten()
            .find(|word| !is_close(&printed.text, word))
        {
            Some(word) => Judgement::Exact(word.clone()),
            None => Judgement::Stays,
        },
    }
}

/// What the lines with a number have in its place in the steered run; none where the line is not there.
fn counterparts(pairs: &[Pair], number: &str) -> Vec<Option<String>> {
    let has_it = |line: &str| words(line).any(|word| is_number(word, number));
    let lines = pairs
        .iter()
        .filter(|pair| pair[0].as_deref().is_some_and(has_it));
    lines.map(|pair| counterpart(pair, number)).collect()
}

/// The word of the steered line at the place of a number of the program's.
fn counterpart([own, steered]: &Pair, number: &str) -> Option<String> {
    let at = words(own.as_deref()?).position(|word| is_number(word, number))?;
    words(steered.as_deref()?).nth(at).map(str::to_owned)
}

/// Whether a word is a number's text; Fortran writes exponents as it likes.
fn is_number(word: &str, number: &str) -> bool {
    word == number || matches!((value(word), value(number)), (Some(a), Some(b)) if a == b)
}

fn is_alike(pair: &Pair, noise: f64) -> bool {
    let [Some(own), Some(steered)] = pair else {
        return false;
    };
    let (own, steered): (Vec<&str>, Vec<&str>) = (words(own).collect(), words(steered).collect());
    own.len() == steered.len()
        && own
            .iter()
            .zip(&steered)
            .all(|(a, b)| is_close(a, b) || are_noise([a, b], noise))
}

/// Whether two words are the same, or numbers that differ in their last digit alone. Whole numbers are counts or codes.
fn is_close(word: &str, other: &str) -> bool {
    let is_whole = |word: &str| word.parse::<i128>().is_ok();
    if word == other || is_whole(word) && is_whole(other) {
        return word == other;
    }
    let (Some(a), Some(b)) = (value(word), value(other)) else {
        return false;
    };
    // One unit, or any last digit of a number that has several.
    const ONE: f64 = 1.001;
    const LAST_DIGIT: f64 = 9.999;
    let unit = unit(word).min(unit(other));
    let most = (LAST_DIGIT * unit).min(0.01 * a.abs().max(b.abs()));
    (a - b).abs() <= most.max(ONE * unit)
}

fn are_noise(words: [&str; 2], noise: f64) -> bool {
    // A text may be rounded up.
    let is_noise =
        |word: &str| value(word).is_some_and(|value| value.abs() <= noise + unit(word) / 2.0);
    noise > 0.0 && words.into_iter().all(is_noise)
}

fn value(word: &str) -> Option<f64> {
    word.to_lowercase().replace('d', "e").parse().ok()
}

/// One unit of a number's last digit.
fn unit(word: &str) -> f64 {
    let lower = word.to_lowercase().replace('d', "e");
    let (digits, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    10f64.powi(exponent.parse().unwrap_or(0) - places as i32)
}

/// The program by itself and steered.
struct Compared {
    pairs: Vec<Pair>,
    /// The lines of the run with exact decisions that the run with the program's own has otherwise, or not; none where that run
    /// is missing.
    moved: Option<BTreeSet<Option<String>>>,
    /// The program's lines, and those of the run with exact numbers and the program's own decisions.
    followed: Vec<Pair>,
    /// Both end with the same exit code.
    ends_alike: bool,
}

/// A line that the program prints in every run, and its counterpart in the steered run.
type Pair = [Option<String>; 2];

impl Compared {
    /// Numbers that are both at most this noise are zero in exact arithmetic.
    fn differing(&self, noise: f64) -> Vec<Pair> {
        let pairs = self.pairs.iter();
        pairs
            .filter(|pair| !is_alike(pair, noise))
            .cloned()
            .collect()
    }

    /// Whether the text of a wrong output follows the exact numbers, so that it says something.
    fn steers(&self, spot: &Spot) -> bool {
        let Some(printed) = &spot.printed else {
            return false;
        };
        let counterparts = counterparts(&self.followed, &printed.text);
        let mut followed = counterparts.iter().flatten();
        followed.any(|word| !is_close(&printed.text, word))
    }

    /// The lines that differ because decisions do.
    fn changed_by_decisions(&self, noise: f64) -> Vec<Pair> {
        let mut differing = self.differing(noise);
        if let Some(moved) = &self.moved {
            differing.retain(|[_, exact]| moved.contains(exact));
        }
        differing
    }

    /// Whether exact decisions would change what the program does, as far as that can be seen.
    fn decisions_matter(&self, findings: &Findings) -> bool {
        let own = self.pairs.iter().filter_map(|[own, _]| own.as_deref());
        let numbers = own.flat_map(words).filter(|word| value(word).is_some());
        let is_all_printed = numbers.count() as u64 >= findings.totals.outputs.judged;
        let changed = self.changed_by_decisions(noise(findings));
        !self.ends_alike || self.pairs.is_empty() || !is_all_printed || !changed.is_empty()
    }
}

/// Runs the program by itself, steered, and, if that prints something else, once more by itself. `judges` says whether outputs
/// will be judged by their texts.
fn compare(
    code: &Code,
    printing: Printing,
    judges: bool,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<Compared, Failure> {
    let held = |name| Held::of_further_run(folder.join(name));
    let [own, again] = [held("own")?, held("again")?];
    let [exact, followed] = [held("exact")?, held("followed")?];
    let plan = |program, held: &Held, record: &str| {
        Plan::new(
            program,
            options.program_arguments.clone(),
            Some(folder.join(record)),
        )?
        .with_timeout(options.timeout)
        .with_launcher(&options.launcher)?
        .held(held, input)
    };
    let run = |plan: Plan| {
        let left = clock.left();
        if left.is_some_and(|left| left.is_zero()) {
            return Err(Failure::OutOfTime);
        }
        let plan = plan.with_limit(left);
        let cut_off = |result: &_| left.filter(|_| matches!(result, Err(Failure::OutOfTime)));
        clock.time(
            Purpose::Steering,
            Default::default(),
            || plan.run(),
            cut_off,
        )
    };
    let text = |held: &Held| held.contents().concat();
    let by_itself =
        |held: &Held, record: &str| run(plan(printing.program.program.clone(), held, record)?);
    let ended = by_itself(&own, "record")?;
    let settings = match printing.hides_constants {
        true => vec![(explain::HIDE_ENV, "1".to_owned())],
        false => Vec::new(),
    };
    let program = subject::program(&code.without_warnings(), Mode::Reals, &settings, folder)?;
    let steered = |held: &Held, record: &str, what: &str| {
        let plan = plan(program.clone(), held, record)?
            .with_variable(environment::PRECISION, PRECISION.to_string())
            .with_variable(environment::STEER, what.to_owned());
        run(plan)
    };
    let ended_exactly = steered(&exact, "steered-record", "1")?;
    let (Some(code), Some(steered_code)) = (ended.status.code(), ended_exactly.status.code())
    else {
        return Err(Failure::SteeredRunKilled);
    };
    let [own, exact] = [&own, &exact].map(text);
    let follows = (judges || own != exact)
        && steered(&followed, "followed-record", environment::STEER_OUTPUTS)
            .is_ok_and(|ended| ended.status.code() == Some(code));
    let followed = follows.then(|| text(&followed));
    let moved = followed.as_ref().map(|followed| {
        let lines = pairs_of([followed, &exact]).into_iter();
        let differing = lines.filter(|pair| !is_alike(pair, 0.0));
        differing.map(|[_, exact]| exact).collect()
    });
    let followed = followed.map_or_else(Vec::new, |followed| pairs_of([&own, &followed]));
    let mut varying = BTreeSet::new();
    // Without time for another run all lines are compared.
    if own != exact && by_itself(&again, "record-again").is_ok() {
        let again = Comparison::of([&own, &text(&again)]);
        let differing = again.pairs().filter(|[one, other]| one != other);
        varying.extend(differing.filter_map(|[one, _]| one.map(str::to_owned)));
    }
    let mut pairs = pairs_of([&own, &exact]);
    pairs.retain(|[own, _]| own.as_ref().is_none_or(|line| !varying.contains(line)));
    Ok(Compared {
        pairs,
        moved,
        followed,
        ends_alike: code == steered_code,
    })
}

fn pairs_of(texts: [&[u8]; 2]) -> Vec<Pair> {
    let lines = Comparison::of(texts);
    let pairs = lines.pairs();
    pairs
        .map(|pair| pair.map(|line| line.map(str::to_owned)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_differ_in_their_last_digit_and_counts_may_not() {
        for (a, b) in [
            ("1.2345", "1.2349"),
            ("1.5D-3", "1.6d-03"),
            ("x", "x"),
            ("7", "7"),
        ] {
            assert!(is_close(a, b), "{a} {b}");
        }
        for (a, b) in [("1.2345", "1.2365"), ("7", "8"), ("x", "y"), ("nan", "1.0")] {
            assert!(!is_close(a, b), "{a} {b}");
        }
    }

    #[test]
    fn lines_are_alike_if_all_their_words_are() {
        let pair = |own: &str, steered: &str| [Some(own.to_owned()), Some(steered.to_owned())];
        assert!(is_alike(&pair("x = 0.30001, n 7", "x = 0.30002, n 7"), 0.0));
        assert!(!is_alike(
            &pair("x = 0.30001, n 7", "x = 0.30001, n 8"),
            0.0
        ));
        assert!(!is_alike(&[Some("x".to_owned()), None], 0.0));
        assert!(is_alike(&pair("residual 3e-16", "residual 0.0"), 1e-15));
        assert!(!is_alike(&pair("residual 3e-16", "residual 0.1"), 1e-15));
        assert!(!is_alike(&pair("residual 3e-16", "residual 0e0"), 0.0));
        assert!(is_alike(
            &pair("sum 6.35e-12", "sum 0.00e+00"),
            6.3494059e-12
        ));
    }
}
