//! Expressions and FPCore files: read, turned into C, and locations in that C turned back into locations of what
//! the user wrote.

use std::{collections::HashMap, fs, path::Path};

use lostbits_abi::site::{Site, literal_of};

use super::{
    range::{NamedRange, RangeOption, assign},
    sample::{Sample, sample},
};
use crate::{
    failure::Failure,
    fpcore::{Core, Position, SyntaxError, c, infix::read_infix, read_cores},
};

/// The title of an expression, where a file's name would be.
const EXPRESSION: &str = "expression";

/// An expression or the cores of a file, with a C function for each core.
pub struct Formula {
    /// The file, or [`EXPRESSION`].
    pub title: String,
    pub source: String,
    pub cores: Vec<Core>,
    /// One for each core.
    pub functions: Vec<c::Function>,
    /// What is compiled: all functions.
    pub code: String,
    /// Where the lines of `code` come from.
    origins: HashMap<u32, Origin>,
    /// The words of the formula by what C calls them.
    words: HashMap<String, String>,
}

/// The location that a line of C comes from, and the name of its core.
struct Origin {
    at: Position,
    core: String,
}

impl Formula {
    /// An FPCore file if the text names one, else an expression.
    pub fn read(text: &str) -> Result<Formula, Failure> {
        match is_fpcore(Path::new(text)) {
            true => Formula::file(Path::new(text)),
            false => Formula::expression(text),
        }
    }

    pub fn expression(text: &str) -> Result<Formula, Failure> {
        let core = read_infix(text).map_err(|error| bad(EXPRESSION, text, &error))?;
        Formula::new(EXPRESSION.to_owned(), text.to_owned(), vec![core])
    }

    pub fn file(path: &Path) -> Result<Formula, Failure> {
        let source = fs::read_to_string(path).map_err(|error| Failure::CannotRead {
            path: path.to_owned(),
            error,
        })?;
        let title = path.display().to_string();
        let cores = read_cores(&source).map_err(|error| bad(&title, &source, &error))?;
        Formula::new(title, source, cores)
    }

    fn new(title: String, source: String, cores: Vec<Core>) -> Result<Formula, Failure> {
        let mut formula = Formula {
            words: words(&source),
            title,
            source,
            cores: Vec::new(),
            functions: Vec::new(),
            code: format!("{}\n", c::HEADER),
            origins: HashMap::new(),
        };
        for core in cores {
            formula.add(core)?;
        }
        Ok(formula)
    }

    fn add(&mut self, core: Core) -> Result<(), Failure> {
        let name = format!("core_{}", self.cores.len() + 1);
        let function = c::function(&core, Some(&name))
            .map_err(|reason| self.untranslatable(&core, &reason))?;
        let first = self.code.lines().count() as u32 + 1;
        self.code += &function.text;
        self.code.push('\n');
        let name = core.name().unwrap_or_default();
        for (line, written) in (first..).zip(function.text.lines()) {
            let origin = Origin {
                at: c::marked(written).unwrap_or(whole(&core)),
                core: name.clone(),
            };
            self.origins.insert(line, origin);
        }
        self.functions.push(function);
        self.cores.push(core);
        Ok(())
    }

    pub fn untranslatable(&self, core: &Core, reason: &c::Untranslatable) -> Failure {
        Failure::Untranslatable {
            title: self.title.clone(),
            line: core.at.line,
            reason: reason.to_string(),
        }
    }

    pub fn is_expression(&self) -> bool {
        self.title == EXPRESSION
    }

    /// The given ranges with the variables they are for.
    pub fn assigned(&self, given: &[RangeOption]) -> Result<Vec<NamedRange>, Failure> {
        let parameters = self.cores.iter().flat_map(|core| &core.parameters);
        let names: Vec<&str> = parameters.map(|one| one.name.as_str()).collect();
        Ok(assign(given, &names)?)
    }

    /// Inputs for a core.
    pub fn samples(
        &self,
        core: &Core,
        ranges: &[NamedRange],
        count: usize,
        seed: u64,
    ) -> Result<Vec<Sample>, Failure> {
        sample(core, ranges, count, seed).map_err(|problem| self.no_input(core, &problem))
    }

    pub fn no_input(&self, core: &Core, problem: &dyn std::error::Error) -> Failure {
        Failure::NoSample {
            title: self.title.clone(),
            line: core.at.line,
            reason: problem.to_string(),
        }
    }

    /// A line of what the user wrote; none if the file is another one.
    pub fn line(&self, file: &Path, line: u32) -> Option<String> {
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        let is_own = file == Path::new(&self.title);
        let found = self.source.lines().nth(index).filter(|_| is_own);
        found.map(str::to_owned)
    }

    /// The location that a line of C comes from, and the name of its core.
    pub fn origin(&self, line: u32) -> Option<(Position, &str)> {
        let origin = self.origins.get(&line)?;
        Some((origin.at, &origin.core))
    }

    /// Moves a site of the C functions to the location in the formula.
    pub fn relocate(&self, site: &mut Site) {
        if let Some((at, core)) = self.origin(site.line) {
            self.relocate_to(site, at, core);
        }
    }

    /// Moves a site of C that belongs to a core as a whole, such as what prints its result.
    pub fn relocate_to_core(&self, site: &mut Site, index: usize) {
        let core = &self.cores[index];
        let name = core.name().unwrap_or_default();
        self.relocate_to(site, whole(core), &name);
    }

    fn relocate_to(&self, site: &mut Site, at: Position, core: &str) {
        site.file = self.title.clone();
        (site.line, site.column) = (at.line, at.column);
        site.function = core.to_owned();
        for operand in &mut site.operands {
            // Variables that only the C program has get no name; its numbers are the formula's.
            if literal_of(operand).is_none() {
                *operand = self.words.get(operand).cloned().unwrap_or_default();
            }
        }
    }
}

/// The location of a core as a whole.
fn whole(core: &Core) -> Position {
    Position {
        column: 0,
        ..core.at
    }
}

pub fn is_fpcore(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "fpcore")
}

fn bad(title: &str, source: &str, error: &SyntaxError) -> Failure {
    Failure::BadFormula {
        title: title.to_owned(),
        error: error.to_string(),
        excerpt: error.excerpt(source),
    }
}

/// The words of a formula by what C calls them.
fn words(source: &str) -> HashMap<String, String> {
    let is_between = |c: char| c.is_whitespace() || "()[]^*/,".contains(c);
    // `-` and `+` may be part of a name in FPCore, and separate names in an expression.
    let pieces = source.split(is_between);
    let finer = source.split(|c: char| is_between(c) || "+-".contains(c));
    pieces
        .chain(finer)
        .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .map(|word| (c::sanitized(word), word.to_owned()))
        .collect()
}
