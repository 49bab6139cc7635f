//! The mode an invocation instruments for: `--lostbits-mode=M`, else LOSTBITS_MODE, else the default.

use std::ffi::{OsStr, OsString};

use lostbits_abi::mode::Mode;

use crate::failure::Failure;

const OPTION: &str = "--lostbits-mode=";
const OUR_OPTIONS: &str = "--lostbits-";
pub const VARIABLE: &str = lostbits_abi::environment::MODE;
/// What most users want to do with a program next: `lostbits explain ./prog`.
pub const DEFAULT: Mode = Mode::Explain;

/// Parts the arguments into the mode and what is the compiler's. The last option counts.
pub fn take(
    arguments: Vec<OsString>,
    from_environment: Option<&OsStr>,
) -> Result<(Mode, Vec<OsString>), Failure> {
    let mut chosen = None;
    let mut compilers = Vec::with_capacity(arguments.len());
    let mut words = arguments.into_iter();
    for argument in words.by_ref() {
        let text = argument.to_string_lossy();
        if let Some(name) = text.strip_prefix(OPTION) {
            chosen = Some(parse(name, argument.to_string_lossy().as_ref())?);
        } else if text.starts_with(OUR_OPTIONS) {
            return Err(Failure::UnknownOption {
                option: text.into_owned(),
            });
        } else {
            let is_last_option = text == "--";
            drop(text);
            compilers.push(argument);
            if is_last_option {
                break;
            }
        }
    }
    compilers.extend(words);
    let mode = match (chosen, from_environment.filter(|name| !name.is_empty())) {
        (Some(mode), _) => mode,
        (None, Some(name)) => {
            let name = name.to_string_lossy();
            parse(&name, &format!("{VARIABLE}={name}"))?
        }
        (None, None) => DEFAULT,
    };
    Ok((mode, compilers))
}

fn parse(name: &str, given: &str) -> Result<Mode, Failure> {
    match Mode::from_name(name) {
        Some(mode) => Ok(mode),
        None => Err(Failure::UnknownMode {
            name: name.to_owned(),
            given: given.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_words(
        words: &str,
        environment: Option<&str>,
    ) -> Result<(Mode, Vec<OsString>), Failure> {
        take(
            words.split_whitespace().map(OsString::from).collect(),
            environment.map(OsStr::new),
        )
    }

    #[test]
    fn the_option_beats_the_environment_and_the_last_option_the_first() {
        let (mode, rest) = take_words(
            "-c --lostbits-mode=same x.c --lostbits-mode=carry",
            Some("off"),
        )
        .unwrap();
        assert_eq!((mode, rest), (Mode::Carry, vec!["-c".into(), "x.c".into()]));
        assert_eq!(take_words("-c", Some("off")).unwrap().0, Mode::Off);
        assert_eq!(take_words("-c", Some("")).unwrap().0, DEFAULT);
        assert_eq!(take_words("-c", None).unwrap().0, DEFAULT);
    }

    #[test]
    fn after_two_dashes_nothing_is_ours() {
        let (_, rest) = take_words("-c -- --lostbits-mode=odd", None).unwrap();
        assert_eq!(rest.len(), 3);
    }

    #[test]
    fn bad_modes_are_sentences() {
        let message = |words, environment| take_words(words, environment).unwrap_err().to_string();
        assert!(message("--lostbits-mode=fast", None).contains("unknown mode `fast`"));
        assert!(message("", Some("fast")).contains("LOSTBITS_MODE=fast"));
        assert!(message("--lostbits-modus=same", None).contains("`--lostbits-modus=same`"));
    }
}
