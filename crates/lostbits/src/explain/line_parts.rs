//! Several statements on one source line: which columns belong to which.
//!
//! Debug information has lines and columns, but not where a statement ends. The source says so: a semicolon or a brace, outside of
//! strings and comments. Where the source is gone, a line is one statement.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use lostbits_abi::site::Site;

use crate::sources::source_line;

/// The lines that have operations of several statements.
pub struct Parts<'a>(BTreeMap<(&'a str, u32), Vec<u32>>);

impl<'a> Parts<'a> {
    /// Of operations.
    pub fn of(operations: impl Iterator<Item = &'a Site>) -> Parts<'a> {
        let mut columns: BTreeMap<(&str, u32), BTreeSet<u32>> = BTreeMap::new();
        for site in operations.filter(|site| site.column > 0) {
            let line = (site.file.as_str(), site.line);
            columns.entry(line).or_default().insert(site.column);
        }
        let lines = columns.into_iter().filter_map(|(line, columns)| {
            let text = match columns.len() {
                1 => return None,
                _ => source_line(Path::new(line.0), line.1)?,
            };
            let starts = starts(&text);
            let used: BTreeSet<usize> = columns.iter().map(|one| part(&starts, *one)).collect();
            (used.len() > 1).then_some((line, starts))
        });
        Parts(lines.collect())
    }

    /// The first and last column of the statement of an operation; none if it has its line alone. What has no column is apart.
    pub fn columns(&self, site: &Site) -> Option<[u32; 2]> {
        let starts = self.0.get(&(site.file.as_str(), site.line))?;
        if site.column == 0 {
            return Some([0, 0]);
        }
        let part = part(starts, site.column);
        let last = starts.get(part + 1).map_or(u32::MAX, |next| next - 1);
        Some([starts[part], last])
    }
}

/// Which of the parts that begin in these columns, the first of which is 1, has a column.
fn part(starts: &[u32], column: u32) -> usize {
    starts.partition_point(|start| *start <= column).max(1) - 1
}

/// The columns, counted in bytes from 1, in which the statements of a line begin.
fn starts(line: &str) -> Vec<u32> {
    let bytes = line.as_bytes();
    let (mut starts, mut at) = (vec![1], 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = after_string(bytes, at),
            b'\'' => at = after_character(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => break,
            b';' | b'{' | b'}' => {
                at += 1;
                starts.push(at as u32 + 1);
            }
            _ => at += 1,
        }
    }
    starts
}

/// The place after a string that begins at `at`.
fn after_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The place after a character; a lifetime of Rust's, or an apostrophe, is none.
fn after_character(bytes: &[u8], at: usize) -> usize {
    let end = match bytes.get(at + 1) {
        Some(b'\\') => at + 3,
        _ => at + 2,
    };
    match bytes.get(end) {
        Some(b'\'') => end + 1,
        _ => at + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts of a line.
    fn parts(line: &str) -> Vec<&str> {
        let starts = starts(line);
        let ends = starts[1..].iter().map(|start| *start as usize - 1);
        let ends = ends.chain([line.len()]);
        let parts = starts.iter().zip(ends);
        parts
            .map(|(start, end)| line[*start as usize - 1..end].trim())
            .filter(|part| !part.is_empty())
            .collect()
    }

    #[test]
    fn statements_end_with_semicolons_and_braces() {
        assert_eq!(
            parts("f(t+h,z); for(i=0;i<2;i++)y[i]+=h/6*k[i];"),
            ["f(t+h,z);", "for(i=0;", "i<2;", "i++)y[i]+=h/6*k[i];"]
        );
        assert_eq!(
            parts("if (a > b) { a -= b; }"),
            ["if (a > b) {", "a -= b;", "}"]
        );
    }

    #[test]
    fn strings_characters_and_comments_end_no_statement() {
        for line in [
            "printf(\"%g;{\\\"}\", a + b)",
            "x = c == ';' || c == '\\'' ? a + b : 0",
            "fn f<'a>(x: &'a f64) -> f64",
            "y = x * x // squares; of x",
        ] {
            assert_eq!(parts(line), [line]);
        }
    }

    #[test]
    fn a_column_belongs_to_the_last_part_that_begins_before_it() {
        let starts = starts("a+=b; c*=d;");
        let of = |column| part(&starts, column);
        assert_eq!([of(1), of(2), of(5), of(6), of(8)], [0, 0, 0, 1, 1]);
    }
}
