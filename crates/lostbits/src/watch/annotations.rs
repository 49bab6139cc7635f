//! Annotations of decisions: continuous cores and convergence tests (sections 7.1 and 7.2 of the paper). An annotated
//! decision is not reported as unstable, only counted.
//!
//! They are read from the sources when the report is made: `LOSTBITS_CONTINUOUS { … }` in C and C++, and in any
//! language the comments `lostbits: continuous` … `lostbits: end`; or, after code, for that line alone. For code
//! that cannot be edited a file `lostbits.toml` says the same, by function or by lines ([`crate::config`]).
//! `convergence` instead of `continuous` means the same for tests that end an iteration. (`LOSTBITS_CONVERGENCE`, which knows the
//! bound, is the pass's matter.)

use std::{collections::HashMap, fs, ops::RangeInclusive, path::Path};

use lostbits_abi::site::Site;

use super::findings::{Findings, Suppressed};
use crate::{
    config::{self, Config, UNSTABLE_DECISION},
    date::today,
    failure::Failure,
};

const IN_SOURCE: [(Kind, &str); 2] = [
    (Kind::Continuous, "marked as a continuous core"),
    (Kind::Convergence, "marked as a convergence test"),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Continuous,
    Convergence,
}

impl Kind {
    fn reason(self) -> &'static str {
        IN_SOURCE[self as usize].1
    }
}

/// Lines of a source file that are marked.
type Marks = Vec<(Kind, RangeInclusive<u32>)>;

pub struct Annotations {
    config: &'static Config,
    files: HashMap<String, Marks>,
}

impl Annotations {
    /// Those of `lostbits.toml`; those in sources are read when they are asked for.
    pub fn read() -> Result<Annotations, Failure> {
        Ok(Annotations {
            config: config::current()?,
            files: HashMap::new(),
        })
    }

    /// Moves what is annotated to what is suppressed.
    pub fn apply(&mut self, findings: &mut Findings) {
        let unstable = std::mem::take(&mut findings.unstable);
        for decision in unstable {
            let ignored = self.ignored(&decision.site);
            let reason = ignored.or_else(|| self.reason(&decision.site).map(str::to_owned));
            match reason {
                Some(reason) => findings.suppressed.push(Suppressed {
                    site: decision.site,
                    op: decision.op,
                    times: decision.times,
                    reason,
                }),
                None => findings.unstable.push(decision),
            }
        }
        findings
            .suppressed
            .sort_by_key(|entry| std::cmp::Reverse(entry.times));
    }

    /// The reason of an `[[ignore]]` entry.
    fn ignored(&self, site: &Site) -> Option<String> {
        let today = today();
        let mut entries = self.config.ignore.iter();
        let entry = entries
            .find(|entry| entry.contains(UNSTABLE_DECISION, site) && !entry.has_expired(today))?;
        Some(entry.reason.clone())
    }

    fn reason(&mut self, site: &Site) -> Option<&'static str> {
        let by_file = [
            (Kind::Continuous, &self.config.continuous),
            (Kind::Convergence, &self.config.convergence),
        ];
        for (kind, locations) in by_file {
            if locations.iter().any(|location| location.contains(site)) {
                return Some(kind.reason());
            }
        }
        let marks = self
            .files
            .entry(site.file.clone())
            .or_insert_with(|| marks_of(Path::new(&site.file)));
        let mark = marks.iter().find(|(_, lines)| lines.contains(&site.line));
        mark.map(|(kind, _)| kind.reason())
    }
}

/// The marks of a source file; none if it cannot be read.
fn marks_of(path: &Path) -> Marks {
    let Ok(bytes) = fs::read(path) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&bytes);
    let mut marks = marks_in_comments(&text);
    marks.extend(marked_blocks(&text));
    marks
}

/// `lostbits: continuous` … `lostbits: end` in comments of any language. A beginning without an end marks
/// nothing.
fn marks_in_comments(text: &str) -> Marks {
    let mut marks = Marks::new();
    let mut open: Option<(Kind, u32)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let Some((before, word)) = comment(line) else {
            continue;
        };
        let kind = match word {
            "continuous" => Kind::Continuous,
            "convergence" => Kind::Convergence,
            "end" => {
                marks.extend(open.take().map(|(kind, first)| (kind, first..=number)));
                continue;
            }
            _ => continue,
        };
        match before.trim().is_empty() {
            true => open = Some((kind, number)),
            false => marks.push((kind, number..=number)),
        }
    }
    marks
}

/// The text before a comment to lostbits, and the comment's word.
fn comment(line: &str) -> Option<(&str, &str)> {
    let at = line.find("lostbits:")?;
    let word = line[at + "lostbits:".len()..].split_whitespace().next()?;
    let before = line[..at].trim_end();
    let comment = ["//", "/*", "!"]
        .into_iter()
        .find(|sign| before.ends_with(sign))?;
    Some((&before[..before.len() - comment.len()], word))
}

/// `LOSTBITS_CONTINUOUS { … }`: from the word to the brace that closes the block.
fn marked_blocks(text: &str) -> Marks {
    const WORD: &str = "LOSTBITS_CONTINUOUS";
    let mut marks = Marks::new();
    let mut opened: Option<(u32, u32)> = None; // the line of the word, and how many braces are open
    let mut rest = Code::new(text);
    while let Some((line, code)) = rest.next() {
        match (&mut opened, code) {
            (None, Piece::Word(WORD)) => opened = Some((line, 0)),
            (Some((_, depth)), Piece::Sign('{')) => *depth += 1,
            (Some((first, depth)), Piece::Sign('}')) => {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    marks.push((Kind::Continuous, *first..=line));
                    opened = None;
                }
            }
            // Not before a block: a definition, say.
            (Some((_, 0)), Piece::Word(_) | Piece::Sign(';' | '#')) => opened = None,
            _ => {}
        }
    }
    marks
}

/// Words and signs of C, without comments and literals.
struct Code<'a> {
    text: &'a str,
    line: u32,
}

enum Piece<'a> {
    Word(&'a str),
    Sign(char),
}

impl<'a> Code<'a> {
    fn new(text: &'a str) -> Code<'a> {
        Code { text, line: 1 }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.text.split_at(bytes);
        self.line += taken.matches('\n').count() as u32;
        self.text = rest;
        taken
    }

    fn next(&mut self) -> Option<(u32, Piece<'a>)> {
        loop {
            let first = self.text.chars().next()?;
            let up_to = |end: &str| {
                self.text[2..]
                    .find(end)
                    .map_or(self.text.len(), |at| at + 2 + end.len())
            };
            if self.text.starts_with("//") {
                let bytes = up_to("\n");
                self.take(bytes);
            } else if self.text.starts_with("/*") {
                let bytes = up_to("*/");
                self.take(bytes);
            } else if first == '"' || first == '\'' {
                let bytes = literal(self.text, first);
                self.take(bytes);
            } else if first.is_alphanumeric() || first == '_' {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let bytes = self.text.find(|c| !is_word(c)).unwrap_or(self.text.len());
                let line = self.line;
                return Some((line, Piece::Word(self.take(bytes))));
            } else {
                let line = self.line;
                self.take(first.len_utf8());
                if !first.is_whitespace() {
                    return Some((line, Piece::Sign(first)));
                }
            }
        }
    }
}

/// The length of a literal, up to its closing quote or the end of the line.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(marks: Marks) -> Vec<(Kind, u32, u32)> {
        marks
            .into_iter()
            .map(|(kind, lines)| (kind, *lines.start(), *lines.end()))
            .collect()
    }

    #[test]
    fn blocks_end_with_their_brace() {
        let text = "#define LOSTBITS_CONTINUOUS\nint f() {\n  LOSTBITS_CONTINUOUS {\n    if (x) { y(\"}\"); } // }\n    \
                    /* } */ c = '}';\n  }\n  if (z) {}\n}\n";
        assert_eq!(lines(marked_blocks(text)), [(Kind::Continuous, 3, 6)]);
    }

    #[test]
    fn comments_in_every_language() {
        let text = "! lostbits: continuous\nif (a > b) c = a\n!lostbits: end\nx = 1 ! lostbits: convergence\n\
                    // lostbits: continuous\nnever closed\n";
        let expected = [(Kind::Continuous, 1, 3), (Kind::Convergence, 4, 4)];
        assert_eq!(lines(marks_in_comments(text)), expected);
    }
}
