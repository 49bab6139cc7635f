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
//! ```

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
            let config = read(Path::new(FILE))?;
            || config
        })),
    }
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

impl Location {
    pub fn contains(&self, site: &Site) -> bool {
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

    /// The error is the end of a sentence.
    fn check(&self) -> Result<(), String> {
        match self {
            Location {
                function: None,
                lines: None,
                ..
            } => Err(
                "an entry names neither a function nor lines, so it would match everything"
                    .to_owned(),
            ),
            Location {
                lines: Some(_),
                file: None,
                ..
            } => Err("an entry gives lines but no file".to_owned()),
            Location {
                lines: Some([first, last]),
                ..
            } if first > last => Err(format!("line {first} comes after line {last}")),
            _ => Ok(()),
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
    let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
    config.wrap.iter().try_for_each(Wrap::check)?;
    let mut locations = config.continuous.iter().chain(&config.convergence);
    locations.try_for_each(Location::check)?;
    Ok(config)
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
    fn wraps_survive_the_environment_variable() {
        let text = "sine=exact_sine,cosine";
        let wraps = parse_wraps(text);
        assert_eq!(wraps.len(), 2);
        assert_eq!(wraps[0].reference.as_deref(), Some("exact_sine"));
        assert_eq!(written(&wraps), text);
        assert_eq!(parse_wraps(""), []);
    }
}
