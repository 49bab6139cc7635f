//! Fortran's free form: logical lines with the bytes that they come from.
//!
//! Comments and continuation marks become blanks, so that every character of a statement keeps its offset.

use crate::patch::tree::Span;

/// A statement: where it is, and the text with comments blanked.
pub struct Line {
    pub span: Span,
}

/// The statements of a file, and the text in which they are: as long as the file, in lower case, with comments, strings'
/// contents and continuation marks blanked.
pub fn lines(text: &str) -> (String, Vec<Line>) {
    let mut clean: Vec<u8> = text.to_ascii_lowercase().into_bytes();
    let mut lines = Vec::new();
    let mut quote: Option<u8> = None;
    let mut start = 0;
    let mut at = 0;
    while at < clean.len() {
        let c = clean[at];
        match (quote, c) {
            (Some(open), c) => {
                if c == open || c == b'\n' {
                    quote = None;
                } else {
                    clean[at] = b'_';
                }
            }
            (None, b'\'' | b'"') => quote = Some(c),
            (None, b'!') => {
                while at < clean.len() && clean[at] != b'\n' {
                    clean[at] = b' ';
                    at += 1;
                }
                continue;
            }
            (None, b'&') => {
                // To the end of this line and the mark at the beginning of the next.
                clean[at] = b' ';
                while at < clean.len() && clean[at] != b'\n' {
                    clean[at] = b' ';
                    at += 1;
                }
                while at < clean.len() && (clean[at].is_ascii_whitespace() || clean[at] == b'!') {
                    if clean[at] == b'!' {
                        while at < clean.len() && clean[at] != b'\n' {
                            clean[at] = b' ';
                            at += 1;
                        }
                        continue;
                    }
                    clean[at] = b' ';
                    at += 1;
                }
                if at < clean.len() && clean[at] == b'&' {
                    clean[at] = b' ';
                    at += 1;
                }
                continue;
            }
            (None, b'\n' | b';') => {
                lines.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    lines.push(start..clean.len());
    let clean = String::from_utf8(clean).unwrap_or_else(|_| " ".repeat(text.len()));
    let trimmed = |span: Span| {
        let part = &clean[span.clone()];
        let left = part.len() - part.trim_start().len();
        let length = part.trim().len();
        let start = span.start + left;
        (length > 0).then(|| Line {
            span: start..start + length,
        })
    };
    let lines = lines.into_iter().filter_map(trimmed).collect();
    (clean, lines)
}
