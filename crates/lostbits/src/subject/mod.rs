//! What a command analyses: a program, sources that are compiled for it first, an expression or an FPCore file.
//!
//! [`words`] sorts the command line; [`split`] says what the words of the subject mean; [`build`] compiles.

mod build;
mod fortran;
mod words;

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use lostbits_abi::mode::Mode;

use crate::{
    compiler_options::{Value, compiler_option},
    failure::Failure,
    fpcore::infix::read_infix,
    toolchain::{Compiler, is_executable, on_path},
};

pub use build::{Settings, check_mode, program, run_compiler};
pub use words::{Words, sort};

/// What is to be analysed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    Code(Code),
    Expression {
        text: String,
        /// The compiler's.
        options: Vec<OsString>,
    },
    Fpcore {
        path: PathBuf,
        options: Vec<OsString>,
    },
}

/// A program, or what becomes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Code {
    Program(OsString),
    /// The arguments are the compiler's: sources and options.
    Sources {
        compiler: Compiler,
        arguments: Vec<OsString>,
    },
}

impl Code {
    /// The same for compilers that say nothing but what is wrong.
    pub fn without_warnings(&self) -> Code {
        let Code::Sources {
            compiler,
            arguments,
        } = self
        else {
            return self.clone();
        };
        let option = match compiler {
            Compiler::Rust => "-Awarnings",
            _ => "-w",
        };
        let quiet = std::iter::once(OsString::from(option));
        Code::Sources {
            compiler: *compiler,
            arguments: quiet.chain(arguments.iter().cloned()).collect(),
        }
    }
}

/// What the words of a subject mean, and the program's arguments after `--`. The first word that is no option decides:
/// a source or an object begins a compiler's arguments. `has_variables` says that the user gave ranges of variables, so
/// that even `x` is an expression.
pub fn split(
    words: &[OsString],
    has_variables: bool,
    mode: Mode,
) -> Result<(Subject, Vec<OsString>), Failure> {
    let end = words.iter().position(|word| word == "--");
    let (words, arguments) = match end {
        Some(end) => (&words[..end], words[end + 1..].to_vec()),
        None => (words, Vec::new()),
    };
    if let Some(option) = words.iter().find(|word| names_output(word)) {
        let option = option.to_string_lossy().into_owned();
        return Err(Failure::NamesOutput { option, mode });
    }
    let Separated { options, plain } = separate(words);
    let has_sources = plain.iter().any(|word| language(word).is_some());
    let subject = match plain.first() {
        Some(first) if is_program(first) => {
            let program = first.to_string_lossy().into_owned();
            match options.first() {
                Some(option) => {
                    let option = option.to_string_lossy().into_owned();
                    return Err(Failure::CompilerOptionForProgram { option, program });
                }
                None => Subject::Code(Code::Program(first.clone())),
            }
        }
        Some(first) if is_fpcore(first) => Subject::Fpcore {
            path: first.into(),
            options: without(words, first),
        },
        Some(first) if !has_sources && is_expression(first, has_variables) => Subject::Expression {
            text: first.to_string_lossy().into_owned(),
            options: without(words, first),
        },
        Some(first) if !has_sources => Subject::Code(Code::Program(first.clone())),
        Some(_) => Subject::Code(sources(words)),
        None => {
            let first = words.first().cloned().unwrap_or_default();
            return Err(Failure::NothingToRun {
                first: first.to_string_lossy().into_owned(),
                mode,
            });
        }
    };
    Ok((subject, arguments))
}

/// Compiler options with their values, and the other words.
#[derive(Default)]
pub struct Separated {
    pub options: Vec<OsString>,
    pub plain: Vec<OsString>,
}

pub fn separate(words: &[OsString]) -> Separated {
    let mut separated = Separated::default();
    let mut rest = words.iter().cloned();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        match compiler_option(&text) {
            _ if is_negated_expression(&text) => separated.plain.push(word),
            None if text.starts_with('-') => separated.options.push(word),
            None => separated.plain.push(word),
            Some(value) => {
                separated.options.push(word);
                separated
                    .options
                    .extend((value == Value::Next).then(|| rest.next()).flatten());
            }
        }
    }
    separated
}

fn without(words: &[OsString], subject: &OsStr) -> Vec<OsString> {
    let mut words = words.to_vec();
    words.retain(|word| word != subject);
    words
}

fn sources(words: &[OsString]) -> Code {
    let compilers = words.iter().filter_map(|word| language(word));
    Code::Sources {
        compiler: compilers
            .max_by_key(|compiler| precedence(*compiler))
            .unwrap_or(Compiler::C),
        arguments: words.to_vec(),
    }
}

/// Among sources of several languages, the compiler that drives: the one that links its own library.
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

pub fn is_fpcore(word: &OsStr) -> bool {
    Path::new(word).extension() == Some(OsStr::new("fpcore"))
}

/// An existing file or a command that is no input of a compiler.
fn is_program(word: &OsStr) -> bool {
    let path = Path::new(word);
    let is_input = language(word).is_some() || is_fpcore(word) || is_linked(path);
    !word.to_string_lossy().starts_with('-')
        && !is_input
        && (path.is_file() || on_path(word).is_some())
}

/// An object, archive or library, by its name; one that can be executed is a program.
fn is_linked(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_library = name.contains(".so.") || name.ends_with(".so");
    let is_linked = is_library || name.ends_with(".o") || name.ends_with(".a");
    is_linked && !is_executable(path)
}

/// What a file is that is no program, from its first bytes and its name.
pub fn kind_of_file(path: &Path) -> Option<&'static str> {
    let mut start = [0; 18];
    let mut file = File::open(path).ok()?;
    let length = file.read(&mut start).ok()?;
    match &start[..length] {
        [0x7f, b'E', b'L', b'F', .., 1, 0] => Some("an object file"),
        [0x7f, b'E', b'L', b'F', .., 3, 0] if is_linked(path) => Some("a shared library"),
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => Some("an archive of objects"),
        _ => None,
    }
}

pub fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    let file = File::open(path);
    file.and_then(|mut file| file.read_exact(&mut start))
        .is_ok()
        && start == *b"#!"
}

/// Signs that expressions have and names of files seldom.
const SIGNS: [char; 6] = ['(', ')', '+', '*', '^', ' '];

/// Whether a word is an expression: no file has this name, nor should one.
fn is_expression(word: &OsStr, has_variables: bool) -> bool {
    let is_file = Path::new(word).exists() || on_path(word).is_some();
    let has_signs = word.to_string_lossy().contains(SIGNS);
    (has_signs || has_variables) && !is_file && language(word).is_none()
}

/// Whether a word that begins with `-` is an expression and no option: `-b + sqrt(b*b - 4)`.
fn is_negated_expression(text: &str) -> bool {
    let may_be = text.starts_with('-') && !text.starts_with("--") && text.contains(SIGNS);
    may_be && (compiler_option(text).is_none() || read_infix(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_words(line: &str) -> (Subject, Vec<OsString>) {
        split(&words(line), false, Mode::Watch).unwrap()
    }

    fn words(words: &str) -> Vec<OsString> {
        words.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn a_program_keeps_its_arguments() {
        let (subject, arguments) = split_words("./prog -- -x x.c");
        assert_eq!(subject, Subject::Code(Code::Program("./prog".into())));
        assert_eq!(arguments, words("-x x.c"));
        assert_eq!(split_words("./prog -- -- a").1, words("-- a"));
    }

    #[test]
    fn sources_are_the_compilers_up_to_two_dashes() {
        for (line, compiler) in [
            ("x.c -O2 -lm -- 1.5 --", Compiler::C),
            ("-O2 x.c y.cpp -- 1.5 --", Compiler::Cxx),
            ("x.f90 y.o -- 1.5 --", Compiler::Fortran),
            ("y.o x.c -- 1.5 --", Compiler::C),
            ("x.rs -O -- 1.5 --", Compiler::Rust),
        ] {
            let (target, arguments) = split_words(line);
            let given = words(line.split(" -- ").next().unwrap());
            let expected = Subject::Code(Code::Sources {
                compiler,
                arguments: given,
            });
            assert_eq!(target, expected, "{line}");
            assert_eq!(arguments, words("1.5 --"), "{line}");
        }
        assert_eq!(split_words("x.c").1, words(""));
    }

    #[test]
    fn what_cannot_be_built_is_refused() {
        let message = |line: &str| {
            let refused = split(&words(line), false, Mode::Watch).err();
            refused.expect(line).to_string()
        };
        assert!(message("x.c -o x -- 1").contains("`-o`"));
        assert!(message("-O2 -lm -- x.c").contains("`-O2`"));
        assert!(message("-O2 /bin/sh").contains("already built"));
    }

    #[test]
    fn expressions_have_signs_or_variables() {
        let is_expression = |text: &str, has_variables| {
            let subject = split(&[text.into()], has_variables, Mode::Explain)
                .unwrap()
                .0;
            matches!(subject, Subject::Expression { .. })
        };
        for text in ["(1 - cos(x)) / x^2", "x*x", "-b + sqrt(b*b - 4)", "x + 1"] {
            assert!(is_expression(text, false), "{text}");
        }
        assert!(is_expression("x", true) && !is_expression("x", false));
        assert!(!is_expression("./x", false) && !is_expression("/bin/sh", true));
    }
}
