//! Expressions and FPCore files: turned into a C program that computes them for samples, and its places
//! turned back into places of what the user wrote.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use lostbits_abi::{
    record::ProcessRecord,
    site::{Site, literal_of},
};

use super::samples::{self, Ranges};
use crate::{
    failure::Failure,
    fpcore::{Core, Position, SyntaxError, c, infix::read_infix, read_cores},
};

/// What an expression is called where a file would be named.
const EXPRESSION: &str = "expression";

/// What the user wrote.
pub struct Formula {
    /// The file, or [`EXPRESSION`].
    pub title: String,
    pub source: String,
    cores: Vec<Core>,
}

/// The C program, its inputs, and where its lines come from.
pub struct Program {
    pub source: PathBuf,
    pub inputs: PathBuf,
    places: HashMap<u32, (Position, String)>,
    /// What the words of the formula became in C.
    words: HashMap<String, String>,
    title: String,
}

impl Formula {
    pub fn expression(text: &str) -> Result<Formula, Failure> {
        let core = read_infix(text).map_err(|error| bad(EXPRESSION, text, &error))?;
        Ok(Formula {
            title: EXPRESSION.to_owned(),
            source: text.to_owned(),
            cores: vec![core],
        })
    }

    pub fn file(path: &Path) -> Result<Formula, Failure> {
        let source = fs::read_to_string(path).map_err(|error| Failure::CannotRead {
            path: path.to_owned(),
            error,
        })?;
        let title = path.display().to_string();
        let cores = read_cores(&source).map_err(|error| bad(&title, &source, &error))?;
        Ok(Formula {
            title,
            source,
            cores,
        })
    }

    /// Every range must be of a variable.
    pub fn check(&self, ranges: &Ranges) -> Result<(), Failure> {
        let parameters = || self.cores.iter().flat_map(|core| &core.parameters);
        for name in ranges.keys() {
            if !parameters().any(|parameter| parameter.name == *name) {
                let known: Vec<&str> = parameters().map(|one| one.name.as_str()).collect();
                return Err(Failure::RangeOfNothing {
                    name: name.clone(),
                    variables: known.join(", "),
                });
            }
        }
        Ok(())
    }

    /// Writes program and inputs into `folder`.
    pub fn program(
        &self,
        ranges: &Ranges,
        samples: usize,
        folder: &Path,
    ) -> Result<Program, Failure> {
        let mut text = format!("{}\n", c::HEADER);
        let mut places = HashMap::new();
        let mut inputs = String::new();
        let mut cases = String::new();
        for (index, core) in self.cores.iter().enumerate() {
            self.add_core(core, index, &mut text, &mut places)?;
            cases += &format!("        case {index}: sample_{index}(next); break;\n");
            let lines = samples::draw(core, ranges, samples);
            if lines.is_empty() {
                return Err(Failure::NoSample {
                    title: self.title.clone(),
                    line: core.at.line,
                });
            }
            inputs.extend(lines.iter().map(|line| format!("{index} {line}")));
        }
        text += &main(&cases);
        let program = Program {
            source: folder.join("formula.c"),
            inputs: folder.join("samples"),
            places,
            words: words(&self.source),
            title: self.title.clone(),
        };
        write(&program.source, &text)?;
        write(&program.inputs, &inputs)?;
        Ok(program)
    }

    /// The core's function and the one that reads a sample for it.
    fn add_core(
        &self,
        core: &Core,
        index: usize,
        text: &mut String,
        places: &mut HashMap<u32, (Position, String)>,
    ) -> Result<(), Failure> {
        let untranslatable = |reason: c::Untranslatable| Failure::Untranslatable {
            title: self.title.clone(),
            line: core.at.line,
            reason: reason.to_string(),
        };
        let function = c::function(core, Some(&format!("core_{index}"))).map_err(untranslatable)?;
        let driver = c::driver(&function, &format!("sample_{index}")).map_err(untranslatable)?;
        let first = text.lines().count() as u32 + 1;
        *text += &format!("{}\n{driver}\n", function.text);
        let whole = Position {
            column: 0,
            ..core.at
        };
        let name = core.name().unwrap_or_default();
        let written = text.lines().skip(first as usize - 1);
        for (line, written) in (first..).zip(written) {
            let place = c::marked(written).unwrap_or(whole);
            places.insert(line, (place, name.clone()));
        }
        Ok(())
    }
}

fn main(cases: &str) -> String {
    format!(
        "\
int main(void)
{{
    char *line = NULL, *next;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 1)
        switch (strtol(line, &next, 10)) {{
{cases}        }}
    free(line);
    return 0;
}}
"
    )
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::NoTemporaryFolder { error })
}

fn bad(title: &str, source: &str, error: &SyntaxError) -> Failure {
    Failure::BadFormula {
        title: title.to_owned(),
        error: error.to_string(),
        excerpt: error.excerpt(source),
    }
}

impl Program {
    /// Speaks of what the user wrote instead of the C program.
    pub fn relocate(&self, processes: &mut [ProcessRecord]) {
        let sites = processes
            .iter_mut()
            .flat_map(|process| &mut process.modules)
            .flat_map(|module| &mut module.table.sites);
        let own = sites.filter(|site| Path::new(&site.file) == self.source);
        own.for_each(|site| self.relocate_site(site));
    }

    fn relocate_site(&self, site: &mut Site) {
        if let Some((place, name)) = self.places.get(&site.line) {
            site.file = self.title.clone();
            site.line = place.line;
            site.column = place.column;
            site.function = name.clone();
            for operand in &mut site.operands {
                // What the C program has besides has no name; its numbers are the formula's.
                if literal_of(operand).is_none() {
                    *operand = self.words.get(operand).cloned().unwrap_or_default();
                }
            }
        }
    }
}

/// The words of a formula by what C calls them.
fn words(source: &str) -> HashMap<String, String> {
    let is_between = |c: char| c.is_whitespace() || "()[]^*/,".contains(c);
    // `-` and `+` may belong to a name of FPCore's, or stand between two of an expression's.
    let pieces = source.split(is_between);
    let finer = source.split(|c: char| is_between(c) || "+-".contains(c));
    pieces
        .chain(finer)
        .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .map(|word| (c::sanitized(word), word.to_owned()))
        .collect()
}
