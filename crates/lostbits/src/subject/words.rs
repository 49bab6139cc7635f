//! Sorts the words of a command line, alike for every command that analyses something:
//!
//! ```text
//! lostbits explain prog.c --format json -O2 -- input.dat
//!                  ~~~~~~ ~~~~~~~~~~~~~ ~~~    ~~~~~~~~~
//!                  subject   ours    compiler's  the program's
//! ```
//!
//! Options of the command are found anywhere before `--`; everything after it is the program's; options of compilers
//! ([`crate::compiler_options`]) stay beside the sources. A word that looks like an option and is none of these is refused
//! by name, with the nearest one that there is. A program takes its arguments without `--`, too, from the first that is no
//! option on.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

use super::{is_negated_expression, is_program, language};
use crate::{
    compiler_options::{Value, compiler_option},
    failure::Failure,
};

/// The words of a command line by their kind.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Words {
    /// Options of the command, with their values.
    pub options: Vec<OsString>,
    /// Sources and compiler options, a program, or an expression.
    pub subject: Vec<OsString>,
    /// The program's; none without `--` and without a program's arguments.
    pub arguments: Option<Vec<OsString>>,
}

impl Words {
    /// For clap, which takes every word after `--` as it is.
    pub fn joined(self) -> Vec<OsString> {
        let mut words = self.options;
        let dashes = || OsString::from("--");
        if !self.subject.is_empty() || self.arguments.is_some() {
            words.push(dashes());
            words.extend(self.subject);
        }
        if let Some(arguments) = self.arguments {
            words.push(dashes());
            words.extend(arguments);
        }
        words
    }
}

/// Sorts the words that follow the name of `command`.
pub fn sort(words: Vec<OsString>, command: &Command) -> Result<Words, Failure> {
    let before_dashes = words.split(|word| word == "--").next().unwrap_or_default();
    let has_sources = before_dashes.iter().any(|word| language(word).is_some());
    let mut sorted = Words::default();
    let mut program: Option<OsString> = None;
    let mut rest = words.into_iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy().into_owned();
        if text == "--" {
            sorted.arguments = Some(rest.collect());
            break;
        }
        if let Some(value) = own_option(&text, command, sorted.subject.is_empty()) {
            sorted.options.push(word);
            sorted.options.extend(next(value, &mut rest));
        } else if !is_option(&text) || (!has_sources && is_negated_expression(&text)) {
            if program.is_some() {
                sorted.arguments = Some(std::iter::once(word).chain(rest).collect());
                break;
            }
            let is_first = !sorted
                .subject
                .iter()
                .any(|word| !is_option(&word.to_string_lossy()));
            program = program.or((is_first && is_program(&word)).then(|| word.clone()));
            sorted.subject.push(word);
        } else {
            let value = match (compiler_option(&text), &program) {
                (Some(value), None) if !is_misspelt(&text, command) => value,
                (_, program) => return Err(unknown(&text, command, program.as_deref())),
            };
            sorted.subject.push(word);
            sorted.subject.extend(next(value, &mut rest));
        }
    }
    Ok(sorted)
}

fn next(value: Value, rest: &mut impl Iterator<Item = OsString>) -> Option<OsString> {
    match value {
        Value::Next => rest.next(),
        Value::Same => None,
    }
}

/// Whether a word looks like an option; negative numbers do not.
fn is_option(text: &str) -> bool {
    let is_number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    text.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && !is_number(rest))
}

/// Whether a word is an option of the command, and how it takes its value. The old `-o RECORD` is one only before the
/// subject: after a source it would be the compiler's.
fn own_option(text: &str, command: &Command, is_before_subject: bool) -> Option<Value> {
    let value = |argument: &Arg, is_joined: bool| match argument.get_action().takes_values() {
        // `--prove=9` takes a value only behind the sign.
        true if !is_joined && !argument.is_require_equals_set() => Value::Next,
        _ => Value::Same,
    };
    if let Some(long) = text.strip_prefix("--") {
        let (name, is_joined) = match long.split_once('=') {
            Some((name, _)) => (name, true),
            None => (long, false),
        };
        let found = command.get_arguments().find(|one| has_long(one, name))?;
        return Some(value(found, is_joined));
    }
    let mut letters = text.strip_prefix('-')?.chars();
    let letter = letters.next()?;
    let is_joined = letters.next().is_some();
    let found = command
        .get_arguments()
        .find(|one| has_short(one, letter, is_before_subject))?;
    // `-j2` is ours, `-qx` is nothing.
    (found.get_action().takes_values() || !is_joined).then(|| value(found, is_joined))
}

fn has_long(argument: &Arg, name: &str) -> bool {
    let aliases = argument.get_all_aliases().unwrap_or_default();
    argument.get_long() == Some(name) || aliases.contains(&name)
}

fn has_short(argument: &Arg, letter: char, is_before_subject: bool) -> bool {
    let aliases = argument.get_all_short_aliases().unwrap_or_default();
    argument.get_short() == Some(letter) || (is_before_subject && aliases.contains(&letter))
}

/// `-format` for `--format` begins like an option of clang's.
fn is_misspelt(text: &str, command: &Command) -> bool {
    let name = text.trim_start_matches('-');
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    let mut longs = command.get_arguments().filter_map(Arg::get_long);
    !text.starts_with("--") && longs.any(|long| long.len() > 2 && long == name)
}

fn unknown(text: &str, command: &Command, program: Option<&OsStr>) -> Failure {
    let option = text
        .split_once('=')
        .map_or(text, |(name, _)| name)
        .to_owned();
    let command_name = command.get_name().to_owned();
    let nearest = nearest(&option, command);
    match program {
        Some(program) => Failure::UnknownOptionAfterProgram {
            option,
            command: command_name,
            nearest,
            program: program.to_string_lossy().into_owned(),
        },
        None => Failure::UnknownOptionOfCommand {
            option,
            command: command_name,
            nearest,
        },
    }
}

/// The option of the command that is most like a word, if any is like it.
fn nearest(option: &str, command: &Command) -> Option<String> {
    const LIKE: f64 = 0.8;
    let name = option.trim_start_matches('-');
    let visible = command.get_arguments().filter(|one| !one.is_hide_set());
    let likeness = |long: &str| strsim::jaro_winkler(name, long);
    visible
        .filter_map(Arg::get_long)
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
        .filter(|long| likeness(long) >= LIKE)
        .map(|long| format!("--{long}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction};

    fn command() -> Command {
        Command::new("explain")
            .arg(Arg::new("format").long("format"))
            .arg(Arg::new("precision").long("precision"))
            .arg(Arg::new("once").long("once").action(ArgAction::SetTrue))
            .arg(
                Arg::new("record")
                    .long("record")
                    .short_alias('o')
                    .alias("output"),
            )
            .arg(Arg::new("jobs").long("jobs").short('j'))
    }

    fn sorted(line: &str) -> [String; 3] {
        let words = line.split('~').map(OsString::from).collect();
        let Words {
            options,
            subject,
            arguments,
        } = sort(words, &command()).unwrap_or_else(|failure| panic!("{line}: {failure}"));
        [options, subject, arguments.unwrap_or_default()].map(|words| {
            let words = words.iter().map(|word| word.to_string_lossy().into_owned());
            words.collect::<Vec<_>>().join("~")
        })
    }

    fn refused(line: &str) -> String {
        let words = line.split('~').map(OsString::from).collect();
        let refused = sort(words, &command()).err();
        refused.expect(line).to_string()
    }

    #[test]
    fn options_are_found_anywhere_before_the_dashes() {
        for (line, expected) in [
            (
                "--once~x.c~--format~json~-O2~--~--once~3",
                ["--once~--format~json", "x.c~-O2", "--once~3"],
            ),
            (
                "x.c~-include~y.h~--precision=128~-j2~-lm",
                ["--precision=128~-j2", "x.c~-include~y.h~-lm", ""],
            ),
            ("-o~kept~x.c", ["-o~kept", "x.c", ""]),
            ("--output~kept~x.c", ["--output~kept", "x.c", ""]),
            ("x.c~-o~prog", ["", "x.c~-o~prog", ""]),
            ("/bin/sh~--once~a~--once", ["--once", "/bin/sh", "a~--once"]),
            ("/bin/sh~-5~-x", ["", "/bin/sh", "-5~-x"]),
            ("x.c~--~-o", ["", "x.c", "-o"]),
        ] {
            assert_eq!(sorted(line), expected, "{line}");
        }
    }

    #[test]
    fn expressions_may_begin_with_a_minus() {
        for text in ["-b + sqrt(b*b - 4)", "-x*x", "-(x)", "-m^2", "-I*I + 1"] {
            let line = format!("{text}~--once");
            assert_eq!(sorted(&line), ["--once", text, ""], "{line}");
        }
        for option in ["-xc++", "-std=c++17", "-DF(x)=x*x", "-I/usr/include"] {
            let line = format!("{option}~x.c");
            assert_eq!(sorted(&line)[1], line);
        }
    }

    #[test]
    fn unknown_options_are_named_with_the_nearest() {
        let text = refused("--percision~128~x.c");
        assert!(text.contains("`--percision`"), "{text}");
        assert!(text.contains("--precision"), "{text}");
        assert!(refused("x.c~-format~json").contains("--format"));
        assert!(!refused("x.c~--zzz").contains("did you mean"));
        let text = refused("/bin/sh~--onse");
        assert!(
            text.contains("--once") && text.contains("/bin/sh"),
            "{text}"
        );
        assert!(refused("/bin/sh~-O2").contains("`-O2`"));
    }
}
