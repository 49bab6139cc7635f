//! Text from outside (file names, symbols, arguments, program output) made harmless for a terminal.
//!
//! A file name may hold an escape sequence that clears the screen, a newline that forges a line of a
//! report, or a bidirectional override that reorders it. Reports and failures show such characters
//! escaped, as `\n` or `\u{1b}`. JSON needs none of this: its writer escapes control characters.

use std::borrow::Cow;

/// The text on one line, with control characters and invisible direction marks escaped.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_harmful(character) {
            true => escaped.extend(character.escape_default()),
            false => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// The same for text of several lines: its newlines stay.
pub fn printable_lines(text: &str) -> String {
    let lines: Vec<Cow<str>> = text.split('\n').map(printable).collect();
    lines.join("\n")
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A line of source code. Tabs stay, and every byte keeps its place, so that columns still fit: what
/// cannot be shown becomes as many question marks as it has bytes.
pub fn printable_source(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for character in line.chars() {
        match character != '\t' && is_harmful(character) {
            true => shown.extend(std::iter::repeat_n('?', character.len_utf8())),
            false => shown.push(character),
        }
    }
    shown
}

/// Control characters of both sets, line and paragraph separators, and direction marks.
fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_unchanged() {
        for text in ["", "prog.c", "naïve π.c", "a b"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(printable("a\nb\tc"), "a\\nb\\tc");
        assert_eq!(printable("\u{1b}[2J"), "\\u{1b}[2J");
        assert_eq!(printable("\u{9b}2J\u{7f}"), "\\u{9b}2J\\u{7f}");
        assert_eq!(printable("a\u{202e}c"), "a\\u{202e}c");
    }

    #[test]
    fn several_lines_stay_lines() {
        assert_eq!(printable_lines("a\r\nb\u{7}"), "a\\r\nb\\u{7}");
    }

    #[test]
    fn source_lines_keep_their_columns() {
        let line = "x\u{1b}\u{9b}\u{202e}\t= π";
        let shown = printable_source(line);
        assert_eq!(shown, "x??????\t= π");
        assert_eq!(shown.find('='), line.find('='));
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("./a.out"), "./a.out");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
