//! Whether a core's program has significant error: the plain program's outputs against the core in exact
//! arithmetic, sample by sample.
//!
//! The literals are those of the compiled program, as they are for any analysis of it. Samples for which
//! the program does not end soon, and those that 4096 bits do not decide, are left out and counted.

use std::{
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
};

use lostbits::{
    fpcore::{
        ast::{Expr, Kind, TestKind},
        c::{Outcome, input_line},
        evaluate::{Budget, Literals, Stop, evaluate_machine, evaluate_real},
        number::Number,
    },
    inputs::{Sample, sample},
    numeric::Bits,
};
use rug::Float;

use super::{Subject, error::bits};

/// A program that takes longer than this for an input is not followed to its end.
pub const LONGEST: u64 = 100_000;
/// Operations that the oracle does for a core.
const OPERATIONS: u64 = 600_000;
const FEWEST: usize = 8;

pub struct Truth {
    /// The inputs for which the truth is known.
    pub samples: Vec<Sample>,
    /// Left out because the program does not end soon.
    pub endless: usize,
    /// Left out because the oracle does not know.
    pub undecided: usize,
    pub worst_bits: Bits,
    /// The worst input.
    pub worst: Option<Sample>,
    /// An output is infinite or NaN.
    pub is_exceptional: bool,
    /// What the plain program printed for the samples.
    pub output: Vec<u8>,
}

/// Draws, runs, judges. The inputs stay in a file in the program's folder.
pub fn truth(
    subject: &Subject,
    program: &Path,
    inputs: &Path,
    count: usize,
    seed: u64,
) -> Result<Truth, String> {
    let drawn = sample(&subject.core, &[], count, seed).map_err(|problem| problem.to_string())?;
    let lengths = lengths(subject, &drawn);
    let longest = lengths.iter().flatten().max().copied().unwrap_or(1);
    let affordable = ((OPERATIONS / longest) as usize).clamp(FEWEST, count.max(FEWEST));
    let mut truth = Truth {
        samples: Vec::new(),
        endless: lengths.iter().filter(|length| length.is_none()).count(),
        undecided: 0,
        worst_bits: Bits::NONE,
        worst: None,
        is_exceptional: false,
        output: Vec::new(),
    };
    let mut exact = Vec::new();
    for (sample, length) in drawn.into_iter().zip(lengths) {
        if length.is_none() || truth.samples.len() == affordable {
            continue;
        }
        match evaluate_real(
            &subject.core,
            &sample,
            Literals::AsCompiled,
            Budget(2 * LONGEST),
        ) {
            Ok(value) => {
                exact.push(value.into_elements());
                truth.samples.push(sample);
            }
            Err(Stop::Undecided | Stop::OutOfSteps(_)) => truth.undecided += 1,
            Err(stop) => return Err(stop.to_string()),
        }
    }
    let lines: String = truth
        .samples
        .iter()
        .map(|sample| input_line(&subject.function, sample))
        .collect();
    fs::write(inputs, lines).map_err(|error| format!("{}: {error}", inputs.display()))?;
    truth.output = run(program, inputs)?;
    judge(subject, &mut truth, &exact)?;
    Ok(truth)
}

/// Whether no input can end it: its loop goes on whatever happens.
pub fn never_ends(expression: &Expr) -> bool {
    match &expression.kind {
        Kind::While(_, test, ..) => test.kind == TestKind::Constant(true),
        Kind::Let(_, _, body) | Kind::Annotated(_, _, body) => never_ends(body),
        _ => false,
    }
}

/// Of each input, in operations; where none of the first ones ends, none is expected to.
pub(super) fn lengths(subject: &Subject, samples: &[Sample]) -> Vec<Option<u64>> {
    const ENOUGH: usize = 16;
    let mut lengths = Vec::new();
    for sample in samples {
        let hopeless = lengths.len() >= ENOUGH && lengths.iter().all(Option::is_none);
        lengths.push(if hopeless {
            None
        } else {
            length(subject, sample)
        });
    }
    lengths
}

/// The number of operations for an input, within a factor of ten; none where it does not end soon.
fn length(subject: &Subject, sample: &Sample) -> Option<u64> {
    let mut budget = 100;
    while budget <= LONGEST {
        match evaluate_machine(&subject.core, sample, Budget(budget)) {
            Err(Stop::OutOfSteps(_)) => budget *= 10,
            _ => return Some(budget),
        }
    }
    None
}

fn run(program: &Path, inputs: &Path) -> Result<Vec<u8>, String> {
    let input = File::open(inputs).map_err(|error| format!("{}: {error}", inputs.display()))?;
    let output = Command::new("timeout")
        .arg("60")
        .arg(program)
        .stdin(Stdio::from(input))
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("the plain program ended with {}", output.status)),
    }
}

fn judge(subject: &Subject, truth: &mut Truth, exact: &[Vec<Float>]) -> Result<(), String> {
    let format = match &subject.function.result {
        Outcome::Number(format) | Outcome::Array(format, _) => *format,
    };
    let text = String::from_utf8_lossy(&truth.output).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() != exact.len() {
        return Err(format!(
            "{} results for {} inputs",
            lines.len(),
            exact.len()
        ));
    }
    for ((line, exact), sample) in lines.iter().zip(exact).zip(&truth.samples) {
        for (word, exact) in line.split(' ').zip(exact) {
            let computed = printed(word)?;
            truth.is_exceptional |= !computed.is_finite();
            let error = bits(&computed, exact, format);
            if error > truth.worst_bits {
                truth.worst_bits = error;
                truth.worst = Some(sample.clone());
            }
        }
    }
    Ok(())
}

/// A number as C prints it, exactly.
fn printed(word: &str) -> Result<Float, String> {
    let special = |x: f64| Ok(Float::with_val(64, x));
    match word.trim_start_matches('-') {
        "nan" => special(f64::NAN),
        "inf" if word.starts_with('-') => special(f64::NEG_INFINITY),
        "inf" => special(f64::INFINITY),
        _ => Number::read(word)
            .map(|number| number.to_float(64))
            .map_err(|problem| problem.to_string()),
    }
}
