//! Response files (`@file`): read so that the scan sees what they hold.
//!
//! The compiler gets the arguments unchanged; only the scan reads the files.

use std::fs;

/// As deep as response files may name response files; more is a file that names itself.
const DEEPEST: usize = 16;

/// How a response file is cut into arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// clang and flang: words, with quotes and backslashes as in a shell.
    Words,
    /// rustc: one argument a line.
    Lines,
}

/// The arguments with each `@file` replaced by what the file holds. A file that cannot be read
/// stays as it is: the compiler says what is wrong with it.
pub fn expand(arguments: &[String], syntax: Syntax) -> Vec<String> {
    let mut expanded = Vec::with_capacity(arguments.len());
    expand_into(&mut expanded, arguments, syntax, 0);
    expanded
}

fn expand_into(expanded: &mut Vec<String>, arguments: &[String], syntax: Syntax, depth: usize) {
    for argument in arguments {
        match argument
            .strip_prefix('@')
            .filter(|_| depth < DEEPEST)
            .map(fs::read)
        {
            Some(Ok(bytes)) => {
                let inner = split(&String::from_utf8_lossy(&bytes), syntax);
                expand_into(expanded, &inner, syntax, depth + 1);
            }
            _ => expanded.push(argument.clone()),
        }
    }
}

fn split(text: &str, syntax: Syntax) -> Vec<String> {
    match syntax {
        Syntax::Words => words(text),
        Syntax::Lines => text.lines().map(str::to_owned).collect(),
    }
}

/// Words parted by white space; quotes join, a backslash takes the next character as it is (within
/// single quotes too, as LLVM reads GNU response files).
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => word.get_or_insert_default().extend(characters.next()),
            _ if quote == Some(character) => quote = None,
            '"' | '\'' if quote.is_none() => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            _ if quote.is_none() && character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_as_in_a_shell() {
        let text = "-c 'a b.c' \"-DX=\\\"y\\\"\"\n\t-o a\\ b.o '' x\"y\"z";
        assert_eq!(
            words(text),
            ["-c", "a b.c", "-DX=\"y\"", "-o", "a b.o", "", "xyz"]
        );
        assert!(words(" \n ").is_empty());
    }

    #[test]
    fn nested_files_are_expanded_and_missing_ones_kept() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        let outer = folder.path().join("outer");
        fs::write(&inner, "-c x.c").unwrap();
        fs::write(&outer, format!("-O2 @{} @no-such-file", inner.display())).unwrap();
        let given = [format!("@{}", outer.display()), "-g".to_owned()];
        assert_eq!(
            expand(&given, Syntax::Words),
            ["-O2", "-c", "x.c", "@no-such-file", "-g"]
        );
    }

    #[test]
    fn a_file_that_names_itself_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("loop");
        fs::write(&path, format!("-c @{}", path.display())).unwrap();
        let expanded = expand(&[format!("@{}", path.display())], Syntax::Words);
        assert_eq!(
            expanded.iter().filter(|word| *word == "-c").count(),
            DEEPEST
        );
    }

    #[test]
    fn rustc_reads_lines() {
        assert_eq!(split("--cfg\na b\n", Syntax::Lines), ["--cfg", "a b"]);
    }
}
