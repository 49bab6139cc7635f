//! The programs of the bench.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Language {
    C,
    Cpp,
    Fortran,
    Rust,
}

impl Language {
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cpp" => Some(Language::Cpp),
            "f90" => Some(Language::Fortran),
            "rs" => Some(Language::Rust),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Cpp => "C++",
            Language::Fortran => "Fortran",
            Language::Rust => "Rust",
        }
    }

    /// The options of the compiler under `lostbits explain`, and of the native program that it is compared with.
    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &["-Copt-level=2", "-g", "--edition=2024"],
            _ => &["-O2", "-g", "-ffp-contract=off"],
        }
    }

    /// Libraries, which come after the source.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Language::Rust => &[],
            _ => &["-lm"],
        }
    }
}

#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub language: Language,
    pub source: PathBuf,
    /// From its first line: `// args: 1e8 3`.
    pub arguments: Vec<String>,
}

impl Program {
    pub fn file_name(&self) -> String {
        let name = self.source.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The command that compiles it without any analysis.
    pub fn compiler(&self) -> Command {
        let mut command = Command::new(match self.language {
            Language::C => "clang-22",
            Language::Cpp => "clang++-22",
            Language::Fortran => "flang-22",
            Language::Rust => "rustc",
        });
        let language = self.language;
        command.args(language.flags()).arg(&self.source);
        command.args(language.libraries());
        command
    }
}

/// All programs in a folder, by language and name.
pub fn programs(folder: &Path) -> Result<Vec<Program>, String> {
    let cannot = |error: std::io::Error| format!("{}: {error}", folder.display());
    let folder = folder.canonicalize().map_err(cannot)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(cannot)? {
        let source = entry.map_err(cannot)?.path();
        let Some(language) = Language::of(&source) else {
            continue;
        };
        let text = fs::read_to_string(&source).map_err(cannot)?;
        found.push(Program {
            name: source
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            language,
            arguments: arguments(&text),
            source,
        });
    }
    found.sort_by(|a, b| (a.language, &a.name).cmp(&(b.language, &b.name)));
    match found.is_empty() {
        true => Err(format!("{} has no programs", folder.display())),
        false => Ok(found),
    }
}

fn arguments(text: &str) -> Vec<String> {
    let first = text.lines().next().unwrap_or("");
    let words = first.split_once("args:").map_or("", |(_, words)| words);
    words.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_on_the_first_line() {
        assert_eq!(arguments("// args: 1e8 3\nargs: 4"), ["1e8", "3"]);
        assert_eq!(arguments("! args: 5\n"), ["5"]);
        assert!(arguments("#include <stdio.h>\n// args: 4").is_empty());
    }
}
