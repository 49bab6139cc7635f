//! Which part of a source line to underline for a site.
//!
//! A site knows where something begins but not where it ends, so the operator or word that begins
//! there is underlined. flang records only the statement, rustc only where the expression begins.

use std::ops::Range;

/// Longest first.
const OPERATORS: &[&str] = &[
    "<=>", "<=", ">=", "==", "!=", "/=", "+=", "-=", "*=", "++", "--",
];

/// The bytes of `line` to underline for a column counted from 1; 0 is unknown.
pub fn underline(line: &str, column: u32) -> Range<usize> {
    let start = column as usize;
    let at = start
        .checked_sub(1)
        .and_then(|start| Some((start, line.get(start..)?)))
        .filter(|(_, rest)| !rest.is_empty());
    let Some((start, rest)) = at else {
        let indent = line.len() - line.trim_start().len();
        return indent..line.len();
    };
    start..start + length(rest)
}

fn length(rest: &str) -> usize {
    if let Some(operator) = OPERATORS
        .iter()
        .find(|operator| rest.starts_with(**operator))
    {
        return operator.len();
    }
    if let Some(cast) = cast(rest) {
        return cast;
    }
    let end = rest
        .find(|character| !is_word(character))
        .unwrap_or(rest.len());
    let one = rest.chars().next().map_or(0, char::len_utf8);
    end.max(one)
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// `(unsigned int)`.
fn cast(rest: &str) -> Option<usize> {
    let end = rest.find(')')?;
    let name = rest.get(1..end)?;
    let is_type = name
        .chars()
        .all(|character| is_word(character) || character == ' ');
    (rest.starts_with('(') && is_type && !name.is_empty()).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn underlined(line: &str, column: u32) -> &str {
        &line[underline(line, column)]
    }

    #[test]
    fn operators_and_words() {
        let line = "  if (z >= floor(x) - -y) sum-=π";
        assert_eq!(underlined(line, 9), ">=");
        assert_eq!(underlined(line, 12), "floor");
        assert_eq!(underlined(line, 21), "-");
        assert_eq!(underlined(line, 30), "-=");
        assert_eq!(underlined(line, 32), "π");
        assert_eq!(underlined("(unsigned int)x", 1), "(unsigned int)");
        assert_eq!(underlined("(a + b)", 1), "(");
        assert_eq!(underlined("(a", 1), "(");
    }

    #[test]
    fn unknown_columns_underline_the_line() {
        for column in [0, 33, 99] {
            assert_eq!(underlined("  a = π", column), "a = π");
        }
        assert_eq!(underlined("", 1), "");
    }
}
