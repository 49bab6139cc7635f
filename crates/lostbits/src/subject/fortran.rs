//! Fortran sources in the order in which they must be compiled, and where their module files go.
//!
//! A source that uses a module is compiled after the one that defines it, whatever the order on the command line. Module files go
//! to the folder of the analysis: those of the user's own compiler, in the current folder, are neither read nor
//! overwritten.
//!
//! What it can miss: modules that a preprocessor or an `include` brings in, and statements that are continued over lines before the
//! module's name.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use super::language;
use crate::toolchain::Compiler;

/// The arguments with their Fortran sources in order, and what compiling them needs.
pub struct Ordered {
    pub arguments: Vec<OsString>,
    /// Options for module files; none without Fortran, or where the user chose a folder.
    pub options: Vec<OsString>,
    /// Where the compiler must run: module files in the current folder come first otherwise.
    pub folder: Option<PathBuf>,
}

/// What a source defines and uses, in lower case.
#[derive(Default, PartialEq, Eq, Debug)]
struct Modules {
    defines: BTreeSet<String>,
    uses: BTreeSet<String>,
}

pub fn ordered(arguments: &[OsString], folder: &Path) -> Ordered {
    let is_source = |word: &OsString| language(word) == Some(Compiler::Fortran);
    let places: Vec<usize> = (0..arguments.len())
        .filter(|at| is_source(&arguments[*at]))
        .collect();
    let modules: Vec<Modules> = places
        .iter()
        .map(|at| {
            let bytes = fs::read(&arguments[*at]).unwrap_or_default();
            modules_of(&String::from_utf8_lossy(&bytes))
        })
        .collect();
    let mut arguments = arguments.to_vec();
    let sources: Vec<OsString> = places.iter().map(|at| arguments[*at].clone()).collect();
    for (place, index) in places.iter().zip(order(&modules)) {
        arguments[*place] = sources[index].clone();
    }
    let chosen = |word: &OsString| {
        word.to_str()
            .is_some_and(|word| word.starts_with("-J") || word == "-module-dir")
    };
    if places.is_empty() || arguments.iter().any(chosen) {
        return Ordered {
            arguments,
            options: Vec::new(),
            folder: None,
        };
    }
    let mut names = modules.iter().flat_map(|one| &one.defines);
    let options = vec!["-J".into(), folder.into()];
    match names.any(|name| Path::new(&format!("{name}.mod")).exists()) {
        false => Ordered {
            arguments,
            options,
            folder: None,
        },
        true => elsewhere(&arguments, folder),
    }
}

/// The same from another folder: paths become absolute.
fn elsewhere(arguments: &[OsString], folder: &Path) -> Ordered {
    let current = std::env::current_dir().unwrap_or_default();
    let absolute = |word: &OsStr| {
        let text = word.to_string_lossy();
        let path = |text: &str| {
            let path = Path::new(text);
            (!text.is_empty() && path.exists()).then(|| current.join(path))
        };
        let joined = ["-I", "-L"].into_iter().find_map(|option| {
            let path = path(text.strip_prefix(option)?)?;
            Some(OsString::from(format!("{option}{}", path.display())))
        });
        joined
            .or_else(|| path(&text).map(PathBuf::into_os_string))
            .unwrap_or(word.to_owned())
    };
    let mut search = OsString::from("-I");
    search.push(&current);
    Ordered {
        arguments: arguments.iter().map(|word| absolute(word)).collect(),
        options: vec!["-J".into(), folder.into(), search],
        folder: Some(folder.to_owned()),
    }
}

/// Indices in an order in which definitions come before uses; sources that use each other stay as they are.
fn order(modules: &[Modules]) -> Vec<usize> {
    let definitions: HashMap<&str, usize> = modules
        .iter()
        .enumerate()
        .flat_map(|(at, one)| one.defines.iter().map(move |name| (name.as_str(), at)))
        .collect();
    fn visit(
        at: usize,
        modules: &[Modules],
        definitions: &HashMap<&str, usize>,
        seen: &mut Vec<usize>,
        all: &mut Vec<usize>,
    ) {
        if seen.contains(&at) {
            return;
        }
        seen.push(at);
        for name in &modules[at].uses {
            if let Some(needed) = definitions.get(name.as_str()) {
                visit(*needed, modules, definitions, seen, all);
            }
        }
        all.push(at);
    }
    let (mut seen, mut all) = (Vec::new(), Vec::new());
    for at in 0..modules.len() {
        visit(at, modules, &definitions, &mut seen, &mut all);
    }
    all
}

fn modules_of(text: &str) -> Modules {
    let mut modules = Modules::default();
    for line in text.lines() {
        let line = line
            .split('!')
            .next()
            .unwrap_or_default()
            .trim()
            .to_lowercase();
        for statement in line.split(';') {
            let statement = statement.trim();
            if let Some(rest) = after_word(statement, "use") {
                let rest = rest.rsplit("::").next().unwrap_or(rest);
                modules.uses.extend(name(rest));
            } else if let Some(rest) = after_word(statement, "module") {
                let kinds = [
                    "procedure",
                    "function",
                    "subroutine",
                    "pure",
                    "elemental",
                    "recursive",
                    "impure",
                ];
                let is_other = kinds.iter().any(|kind| after_word(rest, kind).is_some());
                modules.defines.extend(name(rest).filter(|_| !is_other));
            } else if let Some(rest) = after_word(statement, "submodule") {
                let parent = rest.trim_start_matches('(').split([':', ')']).next();
                modules.uses.extend(parent.and_then(name));
            }
        }
    }
    modules
}

/// What follows a word at the start of a statement.
fn after_word<'a>(statement: &'a str, word: &str) -> Option<&'a str> {
    let rest = statement.strip_prefix(word)?;
    let is_end = rest.starts_with([' ', '\t', '(', ':', ',']);
    is_end.then(|| rest.trim_start_matches([' ', '\t']))
}

fn name(text: &str) -> Option<String> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &text[..end.unwrap_or(text.len())];
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_name_modules() {
        let modules = modules_of(
            "Module Waves ! use nothing\n use, intrinsic :: iso_c_binding\n USE kinds, only: dp\n\
             contains\n module procedure f\nend module waves\nsubmodule (Parent:other) child\nuser = 3\n",
        );
        assert_eq!(modules.defines, BTreeSet::from(["waves".to_owned()]));
        let uses = ["iso_c_binding", "kinds", "parent"].map(str::to_owned);
        assert_eq!(modules.uses, BTreeSet::from(uses));
    }

    #[test]
    fn definitions_come_first() {
        let one = |defines: &[&str], uses: &[&str]| Modules {
            defines: defines.iter().map(|name| (*name).to_owned()).collect(),
            uses: uses.iter().map(|name| (*name).to_owned()).collect(),
        };
        let program = one(&[], &["b", "a"]);
        assert_eq!(
            order(&[program, one(&["b"], &["a"]), one(&["a"], &[])]),
            [2, 1, 0]
        );
        assert_eq!(order(&[one(&["a"], &["b"]), one(&["b"], &["a"])]).len(), 2);
    }
}
