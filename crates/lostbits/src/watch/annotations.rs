//! What programmers say about their decisions: continuous cores and convergence tests (sections 7.1 and 7.2 of
//! the paper). A decision that they speak of is not reported as unstable, only counted.
//!
//! They are read from the sources when the report is made: `LOSTBITS_CONTINUOUS { … }` in C and C++, and in any
//! language the comments `lostbits: continuous` … `lostbits: end`; or, behind code, for that line alone. For code
//! that cannot be edited the same is said in a file `lostbits.toml`, by function or by lines. `convergence` in the
//! place of `continuous` means the same for tests that end an iteration. (`LOSTBITS_CONVERGENCE`, which knows the
//! bound, is the pass's matter.)

use std::{
    collections::HashMap,
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use lostbits_abi::site::Site;
use serde::Deserialize;

use super::findings::{Findings, Suppressed};
use crate::{failure::Failure, report::words::demangle};

/// Where annotations of code that cannot be edited are looked for.
pub const FILE: &str = "lostbits.toml";

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

/// One entry of the file. What is left out matches everything.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Entry {
    function: Option<String>,
    /// The end of a path.
    file: Option<PathBuf>,
    /// First and last.
    lines: Option<[u32; 2]>,
}

#[derive(Deserialize, Default, Debug)]
#[serde(deny_unknown_fields)]
struct Entries {
    #[serde(default)]
    continuous: Vec<Entry>,
    #[serde(default)]
    convergence: Vec<Entry>,
    #[serde(default)]
    wrap: Vec<Wrap>,
}

/// A function that `explain` sees as one operation.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Wrap {
    pub function: String,
    /// Another function of the program, whose result is the real one; none: its own is.
    pub reference: Option<String>,
}

/// Lines of a source file that are marked.
type Marks = Vec<(Kind, RangeInclusive<u32>)>;

#[derive(Default)]
pub struct Annotations {
    entries: Entries,
    files: HashMap<String, Marks>,
}

impl Annotations {
    /// Those of the file `lostbits.toml` in the current folder, if it is there.
    pub fn read() -> Result<Annotations, Failure> {
        let bad = |problem: String| Failure::BadAnnotations {
            path: FILE.into(),
            problem,
        };
        let text = match fs::read_to_string(FILE) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(bad(error.to_string())),
        };
        let entries = parse(&text).map_err(bad)?;
        Ok(Annotations {
            entries,
            files: HashMap::new(),
        })
    }

    /// The functions that `explain` sees as one operation, as the pass reads them.
    pub fn wraps(&self) -> String {
        let written = |wrap: &Wrap| match &wrap.reference {
            Some(reference) => format!("{}={reference}", wrap.function),
            None => wrap.function.clone(),
        };
        let all: Vec<String> = self.entries.wrap.iter().map(written).collect();
        all.join(",")
    }

    /// Moves what is annotated to what is suppressed.
    pub fn apply(&mut self, findings: &mut Findings) {
        let unstable = std::mem::take(&mut findings.unstable);
        for decision in unstable {
            match self.reason(&decision.site) {
                Some(reason) => findings.suppressed.push(Suppressed {
                    site: decision.site,
                    op: decision.op,
                    times: decision.times,
                    reason: reason.to_owned(),
                }),
                None => findings.unstable.push(decision),
            }
        }
        findings
            .suppressed
            .sort_by_key(|entry| std::cmp::Reverse(entry.times));
    }

    fn reason(&mut self, site: &Site) -> Option<&'static str> {
        let by_file = [
            (Kind::Continuous, &self.entries.continuous),
            (Kind::Convergence, &self.entries.convergence),
        ];
        for (kind, entries) in by_file {
            if entries.iter().any(|entry| entry.speaks_of(site)) {
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

impl Entry {
    fn speaks_of(&self, site: &Site) -> bool {
        let function = |name: &String| site.function == *name || demangle(&site.function) == *name;
        let in_function = self.function.as_ref().is_none_or(function);
        let in_file = self
            .file
            .as_ref()
            .is_none_or(|end| Path::new(&site.file).ends_with(end));
        let in_lines = self
            .lines
            .is_none_or(|[first, last]| (first..=last).contains(&site.line));
        in_function && in_file && in_lines
    }
}

/// Reads the file's text; the error is the end of a sentence.
fn parse(text: &str) -> Result<Entries, String> {
    let entries: Entries = toml::from_str(text).map_err(|error| error.to_string())?;
    let names = entries
        .wrap
        .iter()
        .flat_map(|wrap| std::iter::once(&wrap.function).chain(&wrap.reference));
    for name in names {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!(
                "`{name}` is no name of a function (of `a::b(x)`, give `b`)"
            ));
        }
    }
    let all = entries.continuous.iter().chain(&entries.convergence);
    for entry in all {
        match entry {
            Entry {
                function: None,
                lines: None,
                ..
            } => {
                return Err(
                    "an entry names neither a function nor lines, so it would speak of everything"
                        .to_owned(),
                );
            }
            Entry {
                lines: Some(_),
                file: None,
                ..
            } => {
                return Err("an entry gives lines but no file".to_owned());
            }
            Entry {
                lines: Some([first, last]),
                ..
            } if first > last => {
                return Err(format!("lines {first} to {last} are none"));
            }
            _ => {}
        }
    }
    Ok(entries)
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

/// What stands before a comment to lostbits, and its word.
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

    #[test]
    fn entries_are_checked() {
        let good =
            "[[continuous]]\nfunction = 'pick'\n[[convergence]]\nfile = 'a/b.c'\nlines = [3, 5]\n";
        let entries = parse(good).unwrap();
        let site = |function: &str, file: &str, line| Site {
            function: function.to_owned(),
            file: file.to_owned(),
            line,
            ..crate::watch::annotations::tests::any_site()
        };
        assert!(entries.continuous[0].speaks_of(&site("pick", "/x.c", 1)));
        assert!(!entries.continuous[0].speaks_of(&site("picks", "/x.c", 1)));
        let [entry] = &entries.convergence[..] else {
            panic!()
        };
        assert!(entry.speaks_of(&site("f", "/src/a/b.c", 5)));
        assert!(!entry.speaks_of(&site("f", "/src/ba/b.c", 5)));
        assert!(!entry.speaks_of(&site("f", "/src/a/b.c", 6)));
        for bad in [
            "[[continuous]]\nfile = 'x.c'",
            "[[continuous]]\nlines = [1, 2]",
            "[[continuous]]\nfile = 'x.c'\nlines = [3, 2]",
            "[[continous]]\nfunction = 'x'",
            "function",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    fn any_site() -> Site {
        use lostbits_abi::{ops::Op, site::What};
        Site {
            file: String::new(),
            function: String::new(),
            line: 0,
            column: 0,
            ordinal: 0,
            what: What::Operation(Op::Compare),
            kind: None,
            lanes: 1,
            copies: 1,
            callee: String::new(),
            operands: Vec::new(),
            inlined_from: Vec::new(),
        }
    }
}
