//! `lostbits.toml`: what a user says about code that cannot be edited. Read and validated once, for every command.
//!
//! ```toml
//! [[continuous]]          # decisions that `watch` counts but does not report
//! function = "pick"
//!
//! [[convergence]]         # the same, for tests that end an iteration
//! file = "src/solve.c"
//! lines = [30, 42]
//!
//! [[wrap]]                # a function that `explain` sees as one operation
//! function = "fast_sine"
//! reference = "sine"
//!
//! [[ignore]]              # findings that no command reports
//! function = "residual"
//! kind = "cancellation"
//! reason = "compared with a tolerance only"
//! expires = 2027-01-31
//!
//! [check]                 # what `lostbits check` runs, and what it requires
//! build = "make"
//! test = "make check"
//! min_digits = 6
//! ```
//!
//! The file is that of the current folder, or of the nearest folder above it that has one: compilers and tests run in
//! folders of a build.

use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use lostbits_abi::{explain::WRAP_ENV, site::Site};
use serde::Deserialize;

use crate::{demangle::demangle, failure::Failure};

/// The file, in the current folder.
pub const FILE: &str = "lostbits.toml";

#[derive(Deserialize, Default, Debug)]
#[serde(deny_unknown_fields)]
pub struct Config {
    #[serde(default)]
    pub continuous: Vec<Location>,
    #[serde(default)]
    pub convergence: Vec<Location>,
    #[serde(default)]
    wrap: Vec<Wrap>,
    #[serde(default)]
    pub ignore: Vec<Ignore>,
    #[serde(default)]
    pub check: Check,
}

/// A part of the code. A field that is left out matches everything.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Location {
    function: Option<String>,
    /// The end of a path.
    file: Option<PathBuf>,
    /// First and last.
    lines: Option<[u32; 2]>,
}

/// Findings that no command reports.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Ignore {
    function: Option<String>,
    file: Option<PathBuf>,
    lines: Option<[u32; 2]>,
    /// As reports name kinds; every kind if left out.
    kind: Option<String>,
    pub reason: String,
    /// The last day on which it applies.
    expires: Option<toml::value::Datetime>,
}

/// What `lostbits check` runs, and what it requires.
#[derive(Deserialize, Default, Debug)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Commands for the shell.
    pub build: Option<String>,
    pub test: Option<String>,
    /// Relative to the folder of this file.
    pub baseline: Option<PathBuf>,
    /// Every result needs this many right digits.
    pub min_digits: Option<u32>,
    /// Every result needs this many right bits.
    pub sig_bits: Option<u32>,
    /// Other requirements of single functions, files or tests; the last that fits counts.
    #[serde(default)]
    pub gate: Vec<Gate>,
}

/// How many digits or bits of some results must be right.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    function: Option<String>,
    file: Option<PathBuf>,
    lines: Option<[u32; 2]>,
    /// A part of the name of a test, or of its command line.
    pub test: Option<String>,
    pub min_digits: Option<u32>,
    pub sig_bits: Option<u32>,
}

/// What a result needs. Without either, nothing less than an accurate one is enough.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Required {
    pub digits: Option<u32>,
    pub bits: Option<u32>,
}

/// A function that `explain` sees as one operation.
#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Wrap {
    pub function: String,
    /// Another function of the program, whose result counts as exact; without one, the function's own result does.
    pub reference: Option<String>,
}

/// The configuration of this process: the file in the current folder, or nothing if there is none. A file that
/// cannot be read or understood is an error wherever it is asked for.
pub fn current() -> Result<&'static Config, Failure> {
    static READ: OnceLock<Config> = OnceLock::new();
    match READ.get() {
        Some(config) => Ok(config),
        None => Ok(READ.get_or_init({
            let config = read(&root().join(FILE))?;
            || config
        })),
    }
}

/// The project's root: the nearest folder with a `lostbits.toml`, else the nearest that is a repository of git's, else the current one;
/// searched from the current folder upwards. Empty where the current folder is gone.
pub fn root() -> PathBuf {
    let current = env::current_dir().unwrap_or_default();
    let above = |name: &str| {
        current
            .ancestors()
            .find(|folder| folder.join(name).exists())
    };
    let root = above(FILE).or_else(|| above(".git"));
    root.unwrap_or(&current).to_owned()
}

fn read(path: &Path) -> Result<Config, Failure> {
    let bad = |problem: String| Failure::BadAnnotations {
        path: path.to_owned(),
        problem,
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(bad(error.to_string())),
    };
    parse(&text).map_err(bad)
}

/// The functions that `explain` sees as one operation: those of the environment variable that the pass reads, if
/// it is set, else those of the file.
pub fn wraps() -> Result<Vec<Wrap>, Failure> {
    match env::var(WRAP_ENV) {
        Ok(text) => Ok(parse_wraps(&text)),
        Err(_) => Ok(current()?.wrap.clone()),
    }
}

/// The wraps as the pass reads them: `function=reference,function`.
pub fn written(wraps: &[Wrap]) -> String {
    let one = |wrap: &Wrap| match &wrap.reference {
        Some(reference) => format!("{}={reference}", wrap.function),
        None => wrap.function.clone(),
    };
    wraps.iter().map(one).collect::<Vec<_>>().join(",")
}

fn parse_wraps(text: &str) -> Vec<Wrap> {
    let entries = text.split(',').filter(|entry| !entry.is_empty());
    entries
        .map(|entry| match entry.split_once('=') {
            Some((function, reference)) => Wrap {
                function: function.to_owned(),
                reference: Some(reference.to_owned()),
            },
            None => Wrap {
                function: entry.to_owned(),
                reference: None,
            },
        })
        .collect()
}

/// Whether a site lies in a part of the code; what is left out matches everything.
fn lies_in(
    site: &Site,
    function: Option<&String>,
    file: Option<&PathBuf>,
    lines: Option<[u32; 2]>,
) -> bool {
    let is_named = |name: &String| site.function == *name || demangle(&site.function) == *name;
    function.is_none_or(is_named)
        && file.is_none_or(|end| Path::new(&site.file).ends_with(end))
        && lines.is_none_or(|[first, last]| (first..=last).contains(&site.line))
}

impl Ignore {
    pub fn contains(&self, kind: &str, site: &Site) -> bool {
        self.kind.as_ref().is_none_or(|own| own == kind)
            && lies_in(site, self.function.as_ref(), self.file.as_ref(), self.lines)
    }

    /// Whether its last day is before this one (year, month, day).
    pub fn has_expired(&self, today: (u16, u8, u8)) -> bool {
        let date = self.expires.and_then(|expires| expires.date);
        date.is_some_and(|date| (date.year, date.month, date.day) < today)
    }

    /// What it matches, as a reader finds it in the file.
    pub fn description(&self) -> String {
        let file = self.file.as_ref().map(|file| file.display().to_string());
        let lines = self.lines.map(|[first, last]| format!("{first} to {last}"));
        let parts = [
            ("function", self.function.clone()),
            ("file", file),
            ("lines", lines),
            ("kind", self.kind.clone()),
            ("expires", self.expires.map(|date| date.to_string())),
        ];
        let parts = parts.into_iter();
        let parts = parts.filter_map(|(name, value)| Some(format!("{name} {}", value?)));
        format!("[[ignore]] {}", parts.collect::<Vec<_>>().join(", "))
    }

    /// The error is the end of a sentence.
    fn check(&self) -> Result<(), String> {
        let names_nothing = self.function.is_none() && self.file.is_none() && self.kind.is_none();
        if names_nothing {
            return Err(
                "an [[ignore]] names no function, file or kind, so it would match everything"
                    .to_owned(),
            );
        }
        if self.reason.trim().is_empty() {
            return Err(
                "an [[ignore]] has an empty reason: say why its findings do no harm".to_owned(),
            );
        }
        if let Some(kind) = self
            .kind
            .as_ref()
            .filter(|kind| !KINDS.contains(&kind.as_str()))
        {
            return Err(format!(
                "`{kind}` is no kind of finding: choose from {}",
                KINDS.join(", ")
            ));
        }
        if self.expires.is_some_and(|expires| expires.date.is_none()) {
            return Err("`expires` needs a date, such as 2027-01-31".to_owned());
        }
        check_lines(self.lines, self.file.is_some())
    }
}

/// The kinds of findings that an `[[ignore]]` can name.
pub const KINDS: [&str; 10] = [
    "accumulation",
    "amplification",
    "cancellation",
    "division-by-zero",
    "infinity",
    "loss",
    "nan",
    "underflow",
    UNKNOWN_CAUSE,
    UNSTABLE_DECISION,
];

/// Of a wrong result that no operation explains.
pub const UNKNOWN_CAUSE: &str = "unknown-cause";

/// What `watch` reports.
pub const UNSTABLE_DECISION: &str = "unstable-decision";

impl Check {
    /// What a result at this site needs, in a process that a test of this name started.
    pub fn required(&self, site: &Site, test: &str) -> Required {
        let fits = |gate: &&Gate| {
            gate.test.as_ref().is_none_or(|part| test.contains(part))
                && lies_in(site, gate.function.as_ref(), gate.file.as_ref(), gate.lines)
        };
        match self.gate.iter().rev().find(fits) {
            Some(gate) => Required {
                digits: gate.min_digits,
                bits: gate.sig_bits,
            },
            None => Required {
                digits: self.min_digits,
                bits: self.sig_bits,
            },
        }
    }

    fn check(&self) -> Result<(), String> {
        let within = |name: &str, given: Option<u32>, most: u32| match given {
            Some(given) if !(1..=most).contains(&given) => {
                Err(format!("{name} is {given}: give a number from 1 to {most}"))
            }
            _ => Ok(()),
        };
        let both = |digits, bits| {
            within("min_digits", digits, 15).and_then(|()| within("sig_bits", bits, 64))
        };
        both(self.min_digits, self.sig_bits)?;
        for gate in &self.gate {
            both(gate.min_digits, gate.sig_bits)?;
            if gate.min_digits.is_none() && gate.sig_bits.is_none() {
                return Err(
                    "a [[check.gate]] requires nothing: give min_digits or sig_bits".to_owned(),
                );
            }
            check_lines(gate.lines, gate.file.is_some())?;
        }
        Ok(())
    }
}

/// The error is the end of a sentence.
fn check_lines(lines: Option<[u32; 2]>, has_file: bool) -> Result<(), String> {
    match lines {
        Some(_) if !has_file => Err("an entry gives lines but no file".to_owned()),
        Some([first, last]) if first > last => Err(format!("line {first} comes after line {last}")),
        _ => Ok(()),
    }
}

impl Location {
    pub fn contains(&self, site: &Site) -> bool {
        lies_in(site, self.function.as_ref(), self.file.as_ref(), self.lines)
    }

    /// The error is the end of a sentence.
    fn check(&self) -> Result<(), String> {
        match self {
            Location {
                function: None,
                lines: None,
                ..
            } => Err(
                "an entry names neither a function nor lines, so it would match everything: give a function, or a file \
                 and lines = [first, last]"
                    .to_owned(),
            ),
            _ => check_lines(self.lines, self.file.is_some()),
        }
    }
}

impl Wrap {
    fn check(&self) -> Result<(), String> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut names = std::iter::once(&self.function).chain(&self.reference);
        match names.find(|name| name.is_empty() || !name.chars().all(is_name)) {
            Some(name) => Err(format!(
                "`{name}` is not the name of a function (for `a::b(x)`, give `b`)"
            )),
            None => Ok(()),
        }
    }
}

/// The error is the end of a sentence.
pub fn parse(text: &str) -> Result<Config, String> {
    let config: Config = toml::from_str(text).map_err(|error| not_understood(&error))?;
    config.wrap.iter().try_for_each(Wrap::check)?;
    let mut locations = config.continuous.iter().chain(&config.convergence);
    locations.try_for_each(Location::check)?;
    config.ignore.iter().try_for_each(Ignore::check)?;
    config.check.check()?;
    Ok(config)
}

/// Serde's sentence, with the name that a misspelt one is most like.
fn not_understood(error: &toml::de::Error) -> String {
    let text = error.to_string().trim_end().to_owned();
    let quoted = error.message().split('`').skip(1).step_by(2);
    let names: Vec<&str> = quoted.collect();
    let nearest = match names.split_first() {
        Some((given, known)) if error.message().starts_with("unknown field") => known
            .iter()
            .map(|name| (strsim::jaro_winkler(given, name), *name))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|one, other| one.0.total_cmp(&other.0)),
        _ => None,
    };
    match nearest {
        Some((_, name)) => format!("{text} (did you mean `{name}`?)"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lostbits_abi::{ops::Op, site::What};

    fn site(function: &str, file: &str, line: u32) -> Site {
        Site {
            file: file.to_owned(),
            function: function.to_owned(),
            line,
            column: 0,
            ordinal: 0,
            what: What::Operation(Op::Compare),
            kind: None,
            lanes: 1,
            copies: 1,
            callee: String::new(),
            note: None,
            operands: Vec::new(),
            inlined_from: Vec::new(),
        }
    }

    #[test]
    fn locations_match_by_function_or_by_the_end_of_a_path_and_lines() {
        let good =
            "[[continuous]]\nfunction = 'pick'\n[[convergence]]\nfile = 'a/b.c'\nlines = [3, 5]\n";
        let config = parse(good).unwrap();
        assert!(config.continuous[0].contains(&site("pick", "/x.c", 1)));
        assert!(!config.continuous[0].contains(&site("picks", "/x.c", 1)));
        let [location] = &config.convergence[..] else {
            panic!()
        };
        assert!(location.contains(&site("f", "/src/a/b.c", 5)));
        assert!(!location.contains(&site("f", "/src/ba/b.c", 5)));
        assert!(!location.contains(&site("f", "/src/a/b.c", 6)));
    }

    #[test]
    fn entries_that_mean_nothing_are_refused() {
        for bad in [
            "[[continuous]]\nfile = 'x.c'",
            "[[continuous]]\nlines = [1, 2]",
            "[[continuous]]\nfile = 'x.c'\nlines = [3, 2]",
            "[[continous]]\nfunction = 'x'",
            "[[wrap]]\nfunction = 'a::b'",
            "function",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn misspelt_names_are_corrected() {
        let text = parse("[check]\nmin_digit = 6\n").unwrap_err();
        assert!(text.ends_with("(did you mean `min_digits`?)"), "{text}");
        let text = parse("[[continous]]\nfunction = 'x'").unwrap_err();
        assert!(text.ends_with("(did you mean `continuous`?)"), "{text}");
        let text = parse("[check]\nxyz = 6\n").unwrap_err();
        assert!(!text.contains("did you mean"), "{text}");
    }

    #[test]
    fn a_gate_requires_digits_or_bits_within_reason() {
        let check = |text: &str| parse(&format!("[[check.gate]]\nfunction = 'f'\n{text}"));
        let needs = |text: &str| {
            check(text)
                .unwrap()
                .check
                .required(&site("f", "f.c", 1), "t")
        };
        let none = Required::default();
        assert_eq!(
            needs("sig_bits = 24"),
            Required {
                bits: Some(24),
                ..none
            }
        );
        assert_eq!(
            needs("min_digits = 6"),
            Required {
                digits: Some(6),
                ..none
            }
        );
        for bad in ["", "sig_bits = 0", "sig_bits = 65", "min_digits = 16"] {
            assert!(check(bad).is_err(), "{bad}");
        }
        let elsewhere = check("sig_bits = 24").unwrap().check;
        assert_eq!(elsewhere.required(&site("g", "f.c", 1), "t"), none);
    }

    #[test]
    fn wraps_survive_the_environment_variable() {
        let text = "sine=exact_sine,cosine";
        let wraps = parse_wraps(text);
        assert_eq!(wraps.len(), 2);
        assert_eq!(wraps[0].reference.as_deref(), Some("exact_sine"));
        assert_eq!(written(&wraps), text);
        assert_eq!(parse_wraps(""), []);
    }
}
