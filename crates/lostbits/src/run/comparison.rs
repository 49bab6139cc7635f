//! What two runs printed, line by line.
//!
//! Lines are matched by what remains of them when their numbers are cut to a few digits: so a program that prints
//! every number with other last digits does not print something else.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline};

/// Numbers that agree to this many decimal digits differ by rounding alone.
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
        let mut rows = Vec::new();
        for step in matched(&first, &second, cut_numbers) {
            let (left, right) = (&first[step.old_range()], &second[step.new_range()]);
            match step.tag() {
                DiffTag::Replace => rows.extend(by_shape(left, right)),
                _ => rows.extend(rows_of(left, right)),
            }
        }
        Comparison { rows }
    }

    pub fn differs(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| !matches!(row, Row::Same(_) | Row::Close(_)))
    }

    /// The lines of both texts, side by side.
    pub fn pairs(&self) -> impl Iterator<Item = [Option<&str>; 2]> {
        self.rows.iter().map(|row| match row {
            Row::Same(line) => [Some(line.as_str()); 2],
            Row::Close([a, b]) | Row::Differs([a, b]) => [Some(a.as_str()), Some(b.as_str())],
            Row::OnlyFirst(line) => [Some(line.as_str()), None],
            Row::OnlySecond(line) => [None, Some(line.as_str())],
        })
    }

    pub fn is_same(&self) -> bool {
        self.rows.iter().all(|row| matches!(row, Row::Same(_)))
    }
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// Matches lines by what `key` makes of their numbers.
fn matched(first: &[String], second: &[String], key: fn(f64) -> String) -> Vec<DiffOp> {
    let keys = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| with_numbers(line, key)).collect()
    };
    let deadline = Some(Instant::now() + PATIENCE);
    capture_diff_slices_deadline(Algorithm::Myers, &keys(first), &keys(second), deadline)
}

/// Lines that differ, matched by all but their numbers.
fn by_shape(first: &[String], second: &[String]) -> Vec<Row> {
    let steps = matched(first, second, |_| "#".to_owned());
    let rows = |step: &DiffOp| rows_of(&first[step.old_range()], &second[step.new_range()]);
    steps.iter().flat_map(rows).collect()
}

/// Lines side by side as far as both have any.
fn rows_of(left: &[String], right: &[String]) -> Vec<Row> {
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
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    let parts = |character: char| character.is_whitespace() || ",;:=()[]{}<>|".contains(character);
    line.split(parts).filter(|word| !word.is_empty())
}

fn cut_numbers(value: f64) -> String {
    format!("{value:.*e}", DIGITS - 1)
}

fn with_numbers(line: &str, key: fn(f64) -> String) -> String {
    let word = |word: &str| word.parse().map_or_else(|_| word.to_owned(), key);
    words(line).map(word).collect::<Vec<_>>().join(" ")
}

/// Two whole numbers are counts or codes: they differ or not.
fn are_close_numbers(first: &str, second: &str) -> Option<bool> {
    let are_whole = [first, second].map(|word| word.parse::<i128>().is_ok()) == [true, true];
    let (a, b): (f64, f64) = (first.parse().ok()?, second.parse().ok()?);
    Some(!are_whole && (a - b).abs() <= CLOSE * a.abs().max(b.abs()))
}

fn are_close(first: &str, second: &str) -> bool {
    let alike = |a: &str, b: &str| a == b || are_close_numbers(a, b).unwrap_or(false);
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
        let [a, b] = ["way 0.99999999999999989", "way 1"].map(str::to_owned);
        assert_eq!(compared(&a, &b), [Row::Close([a.clone(), b.clone()])]);
        let [a, b] = ["0.1", "-0.1"].map(str::to_owned);
        assert_eq!(compared(&a, &b), [Row::Differs([a.clone(), b.clone()])]);
    }

    /// Lines that say the same of other numbers belong together.
    #[test]
    fn lines_are_matched_by_their_shape() {
        let rows = compared("not there yet\n9 tenths\n", "10 tenths\n");
        let tenths = ["9 tenths", "10 tenths"].map(str::to_owned);
        let expected = [
            Row::OnlyFirst("not there yet".to_owned()),
            Row::Differs(tenths),
        ];
        assert_eq!(rows, expected);
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
