//! What two runs printed, line by line.
//!
//! Lines are matched by what remains of them when their numbers are cut to a few digits: so a program that prints
//! every number otherwise in its last digits is not a program that prints everything otherwise.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Numbers that agree to so many decimal digits are only rounded otherwise.
const DIGITS: usize = 6;
const CLOSE: f64 = 1e-5;

/// After so long lines are matched as they come.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Default, PartialEq, Eq, Debug)]
pub struct Comparison {
    pub rows: Vec<Row>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Row {
    Same(String),
    /// Only the last digits of numbers differ.
    Close([String; 2]),
    Differs([String; 2]),
    OnlyFirst(String),
    OnlySecond(String),
}

impl Comparison {
    pub fn of([first, second]: [&[u8]; 2]) -> Comparison {
        let [first, second] = [first, second].map(lines);
        let [first_keys, second_keys] = [&first, &second].map(|lines| {
            let keys = lines.iter().map(|line| key(line));
            keys.collect::<Vec<String>>()
        });
        let deadline = Some(Instant::now() + PATIENCE);
        let steps =
            capture_diff_slices_deadline(Algorithm::Myers, &first_keys, &second_keys, deadline);
        let mut rows = Vec::new();
        for step in &steps {
            rows.extend(rows_of(step, &first, &second));
        }
        Comparison { rows }
    }

    pub fn differs(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| !matches!(row, Row::Same(_) | Row::Close(_)))
    }

    pub fn is_same(&self) -> bool {
        self.rows.iter().all(|row| matches!(row, Row::Same(_)))
    }
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// The lines of a step, side by side as far as both have any.
fn rows_of(step: &DiffOp, first: &[String], second: &[String]) -> Vec<Row> {
    let (left, right) = (&first[step.old_range()], &second[step.new_range()]);
    let both = left.len().min(right.len());
    let pairs = left.iter().zip(right).map(|(a, b)| pair(a, b));
    let only_first = left[both..].iter().cloned().map(Row::OnlyFirst);
    let only_second = right[both..].iter().cloned().map(Row::OnlySecond);
    pairs.chain(only_first).chain(only_second).collect()
}

fn pair(first: &str, second: &str) -> Row {
    if first == second {
        return Row::Same(first.to_owned());
    }
    let both = [first.to_owned(), second.to_owned()];
    match are_close(first, second) {
        true => Row::Close(both),
        false => Row::Differs(both),
    }
}

/// Words and numbers of a line; blanks are no matter, since numbers of other lengths move them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let parts = |character: char| character.is_whitespace() || ",;:=()[]{}<>|".contains(character);
    line.split(parts).filter(|word| !word.is_empty())
}

/// Whole numbers are counts or codes: they differ or not.
fn number(word: &str) -> Option<f64> {
    let is_whole = word.parse::<i128>().is_ok();
    word.parse().ok().filter(|_| !is_whole)
}

fn key(line: &str) -> String {
    let cut = |word: &str| match number(word) {
        Some(value) => format!("{value:.*e}", DIGITS - 1),
        None => word.to_owned(),
    };
    words(line).map(cut).collect::<Vec<_>>().join(" ")
}

fn are_close(first: &str, second: &str) -> bool {
    let alike = |a: &str, b: &str| match (number(a), number(b)) {
        (Some(a), Some(b)) => (a - b).abs() <= CLOSE * a.abs().max(b.abs()),
        _ => a == b,
    };
    let (first, second): (Vec<&str>, Vec<&str>) = (words(first).collect(), words(second).collect());
    first.len() == second.len() && first.iter().zip(second).all(|(a, b)| alike(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(first: &str, second: &str) -> Vec<Row> {
        Comparison::of([first.as_bytes(), second.as_bytes()]).rows
    }

    #[test]
    fn rounding_is_no_difference_and_whole_numbers_are() {
        let [a, b] = ["x = 0.30000000000000004, 7", "x = 0.3, 7"].map(str::to_owned);
        assert_eq!(compared(&a, &b), [Row::Close([a.clone(), b.clone()])]);
        let [a, b] = ["x = 0.3, 1000000", "x = 0.3, 1000001"].map(str::to_owned);
        assert_eq!(compared(&a, &b), [Row::Differs([a.clone(), b.clone()])]);
        let [a, b] = ["0.1", "-0.1"].map(str::to_owned);
        assert_eq!(compared(&a, &b), [Row::Differs([a.clone(), b.clone()])]);
    }

    #[test]
    fn lines_that_are_missing_move_no_others() {
        let rows = compared("a\nb 1.5\nc\n", "b 1.4999999999\nnew\nc\n");
        let close = Row::Close(["b 1.5".to_owned(), "b 1.4999999999".to_owned()]);
        let expected = [
            Row::OnlyFirst("a".to_owned()),
            close,
            Row::OnlySecond("new".to_owned()),
            Row::Same("c".to_owned()),
        ];
        assert_eq!(rows, expected);
        assert!(
            !Comparison {
                rows: rows[1..2].to_vec()
            }
            .differs()
        );
    }
}
