//! The true causes of a program's errors, established by intervention.

use std::{fs, path::Path};

use rug::Float;
use serde::{Deserialize, Serialize};

use super::{
    model::{Intervention, Model, Run},
    printed,
    program::Program,
};

/// An output that lost at most this many bits is right.
const MIN_BITS: i32 = 5;
/// A line that makes at least this share of an output's error is a true source of it.
const SOURCE: f64 = 0.2;
/// A line that makes less than this share of every wrong output's error is irrelevant.
const IRRELEVANT: f64 = 0.01;
/// A line whose sums cancel at least this many bits, a decimal digit, is a cancellation.
const CANCELLED: u64 = 4;
/// A cancellation is a true cause of an output if exact operands remove at least this share of its error.
const PASSES: f64 = 0.5;

/// What is known about a source line: shares of the whole error of a wrong output, the largest over all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub number: u64,
    /// By how much the output changes if only this line does not round. Other lines then round different numbers, so
    /// that a line without any error of its own may change much.
    pub removed: f64,
    /// The error if only this line rounds.
    pub made: f64,
    /// By how much the output changes if this line's rounding errors vanish and all others stay as they are.
    pub forgotten: f64,
    /// The error that this line's rounding errors in the program make alone.
    pub kept: f64,
    /// Which share vanishes if this line's operands are exact; none if it cancels nothing.
    pub passes: Option<f64>,
}

impl Line {
    /// By any of the interventions.
    pub fn share(&self) -> f64 {
        self.removed
            .max(self.made)
            .max(self.forgotten)
            .max(self.kept)
    }

    /// A true cause.
    pub fn is_source(&self) -> bool {
        self.share() >= SOURCE
    }

    /// A source beyond doubt, which must not be missing: its own rounding errors matter, whichever way they are taken.
    pub fn is_firm_source(&self) -> bool {
        self.forgotten.min(self.kept) >= SOURCE
    }

    /// The share that its own rounding errors make, at most 1.
    pub fn own_share(&self) -> f64 {
        self.forgotten.min(self.kept).min(1.0)
    }

    pub fn passes_error_on(&self) -> bool {
        self.passes.is_some_and(|share| share >= PASSES)
    }

    pub fn is_irrelevant(&self) -> bool {
        self.share() < IRRELEVANT && !self.passes_error_on()
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// Lines that execute floating-point operations, largest share first.
    pub lines: Vec<Line>,
    /// Which outputs are wrong, and how many there are.
    pub wrong: Vec<usize>,
    pub outputs: usize,
    /// The program's own text.
    pub text: Vec<u8>,
}

impl Truth {
    pub fn line(&self, number: u64) -> Line {
        let unknown = Line {
            number,
            ..Line::default()
        };
        *self
            .lines
            .iter()
            .find(|line| line.number == number)
            .unwrap_or(&unknown)
    }

    pub fn sources(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.is_source())
    }
}

/// The truth about a program. It is read from the folder if neither the program nor this bench has changed since it was established.
pub fn of(program: &Program, folder: &Path) -> Result<Truth, String> {
    let key = Model::prepare(program, folder)?;
    let file = folder.join("truth.json");
    if let Some(truth) = fs::read(&file).ok().and_then(|text| kept(&text, key)) {
        return Ok(truth);
    }
    let truth = establish(&Model::build(program, folder)?)?;
    let text = serde_json::to_vec(&(key, &truth)).map_err(|error| error.to_string())?;
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(truth)
}

fn kept(text: &[u8], key: u64) -> Option<Truth> {
    let (of, truth): (u64, Truth) = serde_json::from_slice(text).ok()?;
    (of == key).then_some(truth)
}

fn establish(model: &Model) -> Result<Truth, String> {
    let rounded = model.run(Intervention::Round)?;
    let exact = model.run(Intervention::AllExact)?;
    if rounded.outputs.len() != exact.outputs.len() {
        return Err(format!(
            "prints {} numbers, in exact arithmetic {}",
            rounded.outputs.len(),
            exact.outputs.len()
        ));
    }
    if exact.outputs.iter().any(Float::is_nan) {
        return Err("prints NaN in exact arithmetic, or does what cannot be modelled".to_owned());
    }
    let text = model.printing(&exact.outputs)?;
    let seen = printed::differ(&rounded.text, &text, &rounded.outputs);
    let wrong: Vec<usize> = (0..exact.outputs.len())
        .filter(|&index| seen[index] && is_wrong(&rounded.outputs[index], &exact.outputs[index]))
        .collect();
    let mut lines = Vec::new();
    for line in &rounded.profile {
        if wrong.is_empty() {
            lines.push(Line {
                number: line.number,
                ..Line::default()
            });
            continue;
        }
        let share = |before: &Run, after: &Run| share(&wrong, &rounded, &exact, before, after);
        let without = model.run(Intervention::Exact(line.number))?;
        let alone = model.run(Intervention::Only(line.number))?;
        let forgotten = model.run(Intervention::Forget(line.number))?;
        let kept = model.run(Intervention::Keep(line.number))?;
        let passes = match line.cancelled >= CANCELLED {
            true => {
                let inputs = model.run(Intervention::Inputs(line.number))?;
                Some(removed(&wrong, &rounded, &exact, &inputs))
            }
            false => None,
        };
        lines.push(Line {
            number: line.number,
            removed: share(&rounded, &without),
            made: share(&exact, &alone),
            forgotten: share(&rounded, &forgotten),
            kept: share(&exact, &kept),
            passes,
        });
    }
    lines.sort_by(|a, b| b.share().total_cmp(&a.share()));
    Ok(Truth {
        lines,
        outputs: exact.outputs.len(),
        wrong,
        text: rounded.text,
    })
}

/// Whether the number lost more than a few bits: its error is more than 2^5 units in the exact one's last place.
fn is_wrong(computed: &Float, exact: &Float) -> bool {
    let error = Float::with_val(exact.prec(), computed - exact).abs();
    match (exact.get_exp(), error.get_exp()) {
        (_, None) => !error.is_zero(),
        (None, Some(_)) => true,
        (Some(exact), Some(_)) => {
            let unit = Float::with_val(53, 1) << (exact - 53);
            error > unit << MIN_BITS
        }
    }
}

/// |after - before| / |rounded - exact|, the largest over the wrong outputs.
fn share(wrong: &[usize], rounded: &Run, exact: &Run, before: &Run, after: &Run) -> f64 {
    let share = |&index: &usize| {
        let (Some(before), Some(after)) = (before.outputs.get(index), after.outputs.get(index))
        else {
            return 1.0; // The run took another path and printed less.
        };
        ratio(
            after,
            before,
            &rounded.outputs[index],
            &exact.outputs[index],
        )
    };
    wrong.iter().map(share).fold(0.0, f64::max)
}

/// 1 - |inputs - exact| / |rounded - exact|, the largest over the wrong outputs.
fn removed(wrong: &[usize], rounded: &Run, exact: &Run, inputs: &Run) -> f64 {
    let removed = |&index: &usize| match inputs.outputs.get(index) {
        Some(output) => {
            let (computed, exact) = (&rounded.outputs[index], &exact.outputs[index]);
            1.0 - ratio(output, exact, computed, exact)
        }
        None => 0.0,
    };
    wrong.iter().map(removed).fold(0.0, f64::max)
}

/// |a - b| / |c - d|.
fn ratio(a: &Float, b: &Float, c: &Float, d: &Float) -> f64 {
    let above = Float::with_val(a.prec(), a - b).abs();
    let below = Float::with_val(c.prec(), c - d).abs();
    let ratio = Float::with_val(a.prec(), above / below).to_f64();
    match ratio.is_finite() {
        true => ratio,
        false => 1.0, // Of infinities or NaN: something changed.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(outputs: &[f64]) -> Run {
        Run {
            text: Vec::new(),
            outputs: outputs
                .iter()
                .map(|&number| Float::with_val(113, number))
                .collect(),
            profile: Vec::new(),
        }
    }

    #[test]
    fn a_share_is_the_largest_over_the_wrong_outputs() {
        let (rounded, exact) = (run(&[1.5, 10.0, 3.0]), run(&[1.0, 8.0, 2.0]));
        let without = run(&[1.375, 9.0, 2.0]);
        assert_eq!(share(&[0, 1], &rounded, &exact, &rounded, &without), 0.5);
        assert_eq!(share(&[0], &rounded, &exact, &rounded, &without), 0.25);
        assert_eq!(removed(&[0, 1], &rounded, &exact, &without), 0.5);
        assert_eq!(removed(&[0, 1, 2], &rounded, &exact, &without), 1.0);
    }

    #[test]
    fn outputs_are_wrong_from_six_bits_on() {
        let number = |number: f64| Float::with_val(113, number);
        let unit = f64::EPSILON;
        assert!(!is_wrong(&number(1.0 + 32.0 * unit), &number(1.0)));
        assert!(is_wrong(&number(1.0 + 33.0 * unit), &number(1.0)));
        assert!(is_wrong(&number(1e-300), &number(0.0)));
        assert!(!is_wrong(&number(0.0), &number(0.0)));
        assert!(is_wrong(&number(f64::NAN), &number(1.0)));
        assert!(is_wrong(&number(f64::INFINITY), &number(1.0)));
    }

    #[test]
    fn truth_is_kept_for_the_same_program_only() {
        let truth = || Truth {
            lines: vec![Line {
                number: 3,
                kept: 0.25,
                passes: Some(1.0),
                ..Line::default()
            }],
            wrong: vec![1],
            outputs: 2,
            text: b"1 2".to_vec(),
        };
        let text = serde_json::to_vec(&(u64::MAX, truth())).unwrap();
        assert_eq!(kept(&text, u64::MAX), Some(truth()));
        assert_eq!(kept(&text, 7), None);
        assert_eq!(kept(b"", 7), None);
    }

    #[test]
    fn what_a_line_is() {
        let line = |removed, made, passes| Line {
            number: 1,
            removed,
            made,
            passes,
            ..Line::default()
        };
        let kept = Line {
            kept: 0.9,
            ..line(0.0, 0.0, None)
        };
        assert!(kept.is_source() && !kept.is_firm_source());
        assert!(
            Line {
                forgotten: 0.3,
                ..kept
            }
            .is_firm_source()
        );
        assert!(line(0.0, 0.2, None).is_source());
        assert!(line(0.3, 0.0, None).is_source());
        assert!(!line(0.1, 0.1, None).is_source() && !line(0.1, 0.1, None).is_irrelevant());
        assert!(line(0.001, 0.0, Some(0.4)).is_irrelevant());
        assert!(!line(0.001, 0.0, Some(0.6)).is_irrelevant());
    }
}
