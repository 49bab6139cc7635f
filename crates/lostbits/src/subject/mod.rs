//! What a command is given to analyse: a program, or sources that are compiled for it first.

mod build;

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use lostbits_abi::mode::Mode;

use crate::{failure::Failure, toolchain::Compiler};

pub use build::{Settings, check_mode, program};

/// What is to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    Program(OsString),
    /// The arguments are the compiler's: sources and options.
    Sources {
        compiler: Compiler,
        arguments: Vec<OsString>,
    },
}

/// A first word that is an option or a source file begins a compiler's arguments; any other is a
/// program. `--` parts either from the program's own arguments.
pub fn split(words: Vec<OsString>, mode: Mode) -> Result<(Subject, Vec<OsString>), Failure> {
    let first = words.first().cloned().unwrap_or_default();
    let is_option = first.to_string_lossy().starts_with('-');
    if !is_option && language(&first).is_none() {
        let mut arguments = words[1..].to_vec();
        if arguments.first().is_some_and(|word| word == "--") {
            arguments.remove(0);
        }
        return Ok((Subject::Program(first), arguments));
    }
    let end = words.iter().position(|word| word == "--");
    let (compilers, programs) = match end {
        Some(end) => (words[..end].to_vec(), words[end + 1..].to_vec()),
        None => (words, Vec::new()),
    };
    if let Some(option) = compilers.iter().find(|word| names_output(word)) {
        let option = option.to_string_lossy().into_owned();
        return Err(Failure::NamesOutput { option, mode });
    }
    let compiler = compilers
        .iter()
        .filter_map(|word| language(word))
        .max_by_key(|compiler| precedence(*compiler))
        .ok_or_else(|| Failure::NothingToRun {
            first: first.to_string_lossy().into_owned(),
            mode,
        })?;
    let arguments = compilers;
    Ok((
        Subject::Sources {
            compiler,
            arguments,
        },
        programs,
    ))
}

/// Among sources of several languages, whose compiler drives: the one that links its own library.
fn precedence(compiler: Compiler) -> u8 {
    match compiler {
        Compiler::C => 0,
        Compiler::Cxx => 1,
        Compiler::Fortran => 2,
        Compiler::Rust => 3,
    }
}

fn names_output(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    word.starts_with("-o") || word == "--output" || word.starts_with("--out-dir")
}

/// The compiler for a source file, by its name; none for any other word.
pub fn language(word: &OsStr) -> Option<Compiler> {
    if word.to_string_lossy().starts_with('-') {
        return None;
    }
    match Path::new(word).extension()?.to_str()? {
        "c" | "i" => Some(Compiler::C),
        "C" | "cc" | "cp" | "cpp" | "cxx" | "c++" | "CPP" | "CC" | "CXX" | "ii" => {
            Some(Compiler::Cxx)
        }
        "f" | "F" | "for" | "FOR" | "f77" | "F77" | "f90" | "F90" | "f95" | "F95" | "f03"
        | "F03" | "f08" | "F08" | "f18" | "F18" => Some(Compiler::Fortran),
        "rs" => Some(Compiler::Rust),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_words(words: &str) -> (Subject, Vec<OsString>) {
        split(self::words(words), Mode::Watch).unwrap()
    }

    fn words(words: &str) -> Vec<OsString> {
        words.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn a_program_keeps_its_arguments() {
        for line in ["./prog -- -x x.c", "./prog -x x.c"] {
            let (target, arguments) = split_words(line);
            assert_eq!(target, Subject::Program("./prog".into()), "{line}");
            assert_eq!(arguments, words("-x x.c"), "{line}");
        }
        assert_eq!(split_words("./prog -- -- a").1, words("-- a"));
    }

    #[test]
    fn sources_are_the_compilers_up_to_two_dashes() {
        for (line, compiler) in [
            ("x.c -O2 -lm -- 1.5 --", Compiler::C),
            ("-O2 x.c y.cpp -- 1.5 --", Compiler::Cxx),
            ("x.f90 y.o -- 1.5 --", Compiler::Fortran),
            ("x.rs -O -- 1.5 --", Compiler::Rust),
        ] {
            let (target, arguments) = split_words(line);
            let given = words(line.split(" -- ").next().unwrap());
            let expected = Subject::Sources {
                compiler,
                arguments: given,
            };
            assert_eq!(target, expected, "{line}");
            assert_eq!(arguments, words("1.5 --"), "{line}");
        }
        assert_eq!(split_words("x.c").1, words(""));
    }

    #[test]
    fn what_cannot_be_built_is_refused() {
        let message = |line: &str| split(words(line), Mode::Watch).err().unwrap().to_string();
        assert!(message("x.c -o x -- 1").contains("`-o`"));
        assert!(message("-O2 -lm -- x.c").contains("`-O2`"));
    }
}
