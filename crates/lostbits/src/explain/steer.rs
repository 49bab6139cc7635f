//! After a different branch: a run in which every decision is that of exact arithmetic says what the program should have printed.
//!
//! Where a decision differs from exact arithmetic, the shadows of what is computed afterwards belong to a path that exact
//! arithmetic does not take. So outputs are not judged by them: the program is built for mode `reals` and steered by its
//! numbers, as `watch --rerun` does, and what both runs print is compared. An output whose text is the same (but for the
//! last digit) is right; another has the text of the steered run as its exact value. Lines without numbers that `explain`
//! follows, integers among them, are compared as well.
//!
//! What it can miss: files that the program writes, and outputs of programs that print something else in every run.

use std::path::Path;

use lostbits_abi::{environment, explain::SpotKind, mode::Mode};

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

/// Bits of the numbers that steer.
const PRECISION: u32 = 256;

#[derive(Default)]
pub enum Steering {
    #[default]
    NotNeeded,
    /// Lines that are different with exact decisions: the program's, and what it should have printed.
    Done(Vec<[Option<String>; 2]>),
    /// Why the program was not steered, as a sentence.
    Impossible(String),
}

/// Judges the outputs of a program that takes a different branch.
pub fn steer(
    findings: &mut Findings,
    prepared: &Prepared,
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
    let texts = printed(
        code,
        prepared,
        options,
        input,
        &folder.join("steered"),
        clock,
    );
    let [own, steered] = match texts {
        Ok(texts) => texts,
        Err(Failure::OutOfTime) => return Steering::Impossible(clock.advice()),
        Err(failure) => return Steering::Impossible(failure.to_string()),
    };
    let comparison = Comparison::of([&own, &steered]);
    let pairs: Vec<[Option<&str>; 2]> = comparison.pairs().collect();
    let differing: Vec<[Option<&str>; 2]> = pairs
        .iter()
        .copied()
        .filter(|pair| !is_alike(pair))
        .collect();
    findings.judge_again(|spot| match spot.kind {
        SpotKind::Output => judgement(spot, &pairs, differing.is_empty()),
        _ => Judgement::Stays,
    });
    let owned = |line: Option<&str>| line.map(str::to_owned);
    Steering::Done(differing.into_iter().map(|pair| pair.map(owned)).collect())
}

/// What becomes of a wrong output.
pub enum Judgement {
    Stays,
    Right,
    /// What the program should have printed.
    Exact(String),
}

fn judgement(spot: &Spot, pairs: &[[Option<&str>; 2]], is_alike_everywhere: bool) -> Judgement {
    if is_alike_everywhere {
        return Judgement::Right;
    }
    let Some(printed) = &spot.printed else {
        return Judgement::Stays;
    };
    let has_it = |line: &str| words(line).any(|word| is_number(word, &printed.text));
    let lines = pairs.iter().filter(|pair| pair[0].is_some_and(has_it));
    let judged: Vec<Option<String>> = lines.map(|pair| counterpart(pair, &printed.text)).collect();
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

/// The word of the steered line at the place of a number of the program's.
fn counterpart([own, steered]: &[Option<&str>; 2], number: &str) -> Option<String> {
    let at = words((*own)?).position(|word| is_number(word, number))?;
    words((*steered)?).nth(at).map(str::to_owned)
}

/// Whether a word is a number's text; Fortran writes exponents as it likes.
fn is_number(word: &str, number: &str) -> bool {
    word == number || matches!((value(word), value(number)), (Some(a), Some(b)) if a == b)
}

fn is_alike(pair: &[Option<&str>; 2]) -> bool {
    let [Some(own), Some(steered)] = pair else {
        return false;
    };
    let (own, steered): (Vec<&str>, Vec<&str>) = (words(own).collect(), words(steered).collect());
    own.len() == steered.len() && own.iter().zip(&steered).all(|(a, b)| is_close(a, b))
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
    const LAST_DIGIT: f64 = 9.999;
    (a - b).abs() <= LAST_DIGIT * unit(word).min(unit(other))
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

/// What the program prints by itself, and steered.
fn printed(
    code: &Code,
    prepared: &Prepared,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Result<[Vec<u8>; 2], Failure> {
    let plan = |program, held: &Held, record: &str| {
        Plan::new(
            program,
            options.program_arguments.clone(),
            Some(folder.join(record)),
        )?
        .with_timeout(options.timeout)
        .with_launcher(&options.launcher)?
        .with_limit(limited(clock)?)
        .held(held, input)
    };
    let held = [
        Held::new(folder.join("own"))?,
        Held::new(folder.join("exact"))?,
    ];
    let run = |plan: Plan| {
        let limit = clock.left();
        let cut_off = |result: &_| limit.filter(|_| matches!(result, Err(Failure::OutOfTime)));
        let run = || plan.run();
        clock.time(Purpose::Steering, Default::default(), run, cut_off)
    };
    let ended = run(plan(prepared.program.clone(), &held[0], "record")?)?;
    let program = subject::program(code, Mode::Reals, &Vec::new(), folder)?;
    let steered = plan(program, &held[1], "steered-record")?
        .with_variable(environment::PRECISION, PRECISION.to_string())
        .with_variable(environment::STEER, "1".to_owned());
    let steered = run(steered)?;
    let texts = held.each_ref().map(|held| {
        let [output, _] = held.contents();
        output
    });
    held.into_iter().for_each(Held::discard);
    match (ended.status.code(), steered.status.code()) {
        (Some(_), Some(_)) => Ok(texts),
        _ => Err(Failure::SteeredRunKilled),
    }
}

/// How long the next run may take.
fn limited(clock: &Clock) -> Result<Option<std::time::Duration>, Failure> {
    match clock.left() {
        Some(left) if left.is_zero() => Err(Failure::OutOfTime),
        left => Ok(left),
    }
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
        assert!(is_alike(&[
            Some("x = 0.30001, n 7"),
            Some("x = 0.30002, n 7")
        ]));
        assert!(!is_alike(&[
            Some("x = 0.30001, n 7"),
            Some("x = 0.30001, n 8")
        ]));
        assert!(!is_alike(&[Some("x"), None]));
    }
}
