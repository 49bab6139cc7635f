//! Expressions and FPCore files as what is searched: a C function for each, whose places are turned back
//! into places of what the user wrote.
//!
//! The precondition of a core narrows the ranges, and inputs that do not fulfil it are not reported. What
//! is right is known: the expression's own value over the reals, enclosed in intervals.

use std::{collections::HashMap, path::Path};

use rug::Float;

use super::{
    finding::{self, Confirmation, Finding},
    oracle::Oracle,
    session::{Session, Suspect},
};
use crate::{
    failure::Failure,
    fpcore::{
        Core, Position, SyntaxError,
        ast::Dimension,
        c,
        evaluate::{Budget, Literals, Value, evaluate_real, reals::holds_really},
        infix::read_infix,
        range::{NamedRange, Range, ranges},
        read_cores,
    },
    target::{Argument, Call},
};

/// What an expression is called where a file would be named.
const EXPRESSION: &str = "expression";
/// What a dimension without a size has.
const SIZE: usize = 4;
/// How long a core may loop over the reals.
const BUDGET: Budget = Budget(100_000);

/// What the user wrote, and the C that is compiled for it.
pub struct Formula {
    /// The file, or [`EXPRESSION`].
    pub title: String,
    pub source: String,
    pub code: String,
    pub calls: Vec<Call>,
    /// One for each call.
    cores: Vec<Core>,
    /// Where the lines of the C come from.
    places: HashMap<u32, (Position, String)>,
}

impl Formula {
    /// What `text` stands for if it is an expression or the name of an FPCore file.
    pub fn read(text: &str) -> Result<Formula, Failure> {
        let is_file = Path::new(text)
            .extension()
            .is_some_and(|extension| extension == "fpcore");
        if !is_file {
            let core = read_infix(text).map_err(|error| bad(EXPRESSION, text, &error))?;
            return Formula::of(EXPRESSION, text.to_owned(), vec![core]);
        }
        let source = std::fs::read_to_string(text).map_err(|error| Failure::CannotRead {
            path: text.into(),
            error,
        })?;
        let cores = read_cores(&source).map_err(|error| bad(text, &source, &error))?;
        Formula::of(text, source, cores)
    }

    fn of(title: &str, source: String, cores: Vec<Core>) -> Result<Formula, Failure> {
        let mut formula = Formula {
            title: title.to_owned(),
            source,
            code: format!("{}\n", c::HEADER),
            calls: Vec::new(),
            cores: Vec::new(),
            places: HashMap::new(),
        };
        for core in cores {
            formula.add(core)?;
        }
        Ok(formula)
    }

    fn add(&mut self, core: Core) -> Result<(), Failure> {
        let name = format!("lostbits_core_{}", self.cores.len() + 1);
        let function =
            c::function(&core, Some(&name)).map_err(|reason| Failure::Untranslatable {
                title: self.title.clone(),
                line: core.at.line,
                reason: reason.to_string(),
            })?;
        let first = self.code.lines().count() as u32 + 1;
        self.code += &function.text;
        self.code.push('\n');
        let whole = Position {
            column: 0,
            ..core.at
        };
        let title = core.name().unwrap_or_default();
        for (line, written) in (first..).zip(function.text.lines()) {
            let place = c::marked(written).unwrap_or(whole);
            self.places.insert(line, (place, title.clone()));
        }
        let arguments = arguments(&core, &function);
        self.calls.push(Call {
            text: self.called(&core),
            function: name,
            arguments,
        });
        self.cores.push(core);
        Ok(())
    }

    /// What people call it: the expression itself, or the core's name; its line where there is none, or
    /// another has it.
    fn called(&self, core: &Core) -> String {
        if self.title == EXPRESSION {
            return self.source.trim().to_owned();
        }
        let line = format!("{}:{}", self.title, core.at.line);
        match core.name() {
            Some(name) if self.calls.iter().all(|call| call.text != name) => name,
            Some(name) => format!("{name} ({line})"),
            None => line,
        }
    }

    /// The ranges of a call's parameters: what the user says within what the precondition says.
    pub fn ranges(
        &self,
        index: usize,
        given: &[(String, f64, f64)],
    ) -> Result<Vec<(String, f64, f64)>, Failure> {
        let core = &self.cores[index];
        let is_own = |name: &String| core.parameters.iter().any(|one| one.name == *name);
        let named: Vec<NamedRange> = given
            .iter()
            .filter(|(name, ..)| is_own(name))
            .map(|(name, low, high)| NamedRange {
                name: name.clone(),
                range: Range {
                    low: *low,
                    high: *high,
                },
            })
            .collect();
        // Names are checked already, so there is no other problem.
        let found = ranges(core, &named).unwrap_or_default();
        let mut all = Vec::new();
        for (parameter, range) in core.parameters.iter().zip(found) {
            if range.is_empty() {
                return Err(Failure::NothingInRange {
                    variable: parameter.name.clone(),
                    title: self.title.clone(),
                    line: core.at.line,
                });
            }
            all.push((parameter.name.clone(), range.low, range.high));
        }
        // Elements of arrays, and what the user said of things that are not there.
        all.extend(given.iter().filter(|(name, ..)| !is_own(name)).cloned());
        Ok(all)
    }

    /// Whether an input fulfils the precondition; none where there is none.
    pub fn precondition(&self, index: usize) -> Option<impl Fn(&[f64]) -> bool + '_> {
        let core = &self.cores[index];
        core.pre.as_ref()?;
        Some(move |input: &[f64]| holds_really(core, &values(core, input), BUDGET) == Ok(true))
    }

    pub fn oracle(&self, index: usize) -> Proved<'_> {
        Proved(&self.cores[index])
    }

    /// Speaks of what the user wrote instead of the C program.
    pub fn relocate(&self, finding: &mut Finding) {
        if let Some(guilty) = &mut finding.guilty
            && let Some((place, name)) = self.places.get(&guilty.line)
        {
            guilty.file = self.title.clone();
            guilty.function = name.clone();
            (guilty.line, guilty.column) = (place.line, place.column);
        }
    }

    /// A line of what the user wrote.
    pub fn line(&self, file: &Path, line: u32) -> Option<String> {
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        let is_own = file == Path::new(&self.title);
        let found = self.source.lines().nth(index).filter(|_| is_own);
        found.map(str::to_owned)
    }

    /// The file with all but one of its cores blanked out, so that the places stay the same.
    pub fn alone(&self, index: usize) -> String {
        let starts = |core: &Core| {
            let line = core.at.line as usize - 1;
            let before: usize = self
                .source
                .split_inclusive('\n')
                .take(line)
                .map(str::len)
                .sum();
            before + (core.at.column as usize).saturating_sub(1)
        };
        let begin = starts(&self.cores[index]);
        let end = self.cores.get(index + 1).map_or(self.source.len(), starts);
        let keep = |(at, c): (usize, char)| match c {
            '\n' => c,
            c if (begin..end).contains(&at) => c,
            _ => ' ',
        };
        self.source.char_indices().map(keep).collect()
    }
}

/// How the C function is called: numbers and arrays vary, sizes are given.
fn arguments(core: &Core, function: &c::Function) -> Vec<Argument> {
    let mut names = core.parameters.iter().map(|parameter| &parameter.name);
    let product = |shape: &[String]| -> usize {
        let size = |text: &String| text.parse().unwrap_or(SIZE);
        shape.iter().map(size).product()
    };
    let mut arguments = Vec::new();
    for parameter in &function.parameters {
        arguments.push(if parameter.is_size {
            Argument::Constant(SIZE.to_string())
        } else {
            let name = names.next().unwrap_or(&parameter.name).clone();
            match parameter.shape.is_empty() {
                true => Argument::Input(name),
                false => Argument::Inputs(name, product(&parameter.shape)),
            }
        });
    }
    if let c::Outcome::Array(_, shape) = &function.result {
        arguments.push(Argument::Outputs("result".to_owned(), product(shape)));
    }
    arguments
}

/// An input as the core takes it.
fn values(core: &Core, input: &[f64]) -> Vec<Value<f64>> {
    let mut rest = input.iter().copied();
    let mut value = |dimensions: &[Dimension]| {
        let size = |dimension: &Dimension| match dimension {
            Dimension::Fixed(size) => *size,
            Dimension::Named(_) => SIZE,
        };
        let shape: Vec<usize> = dimensions.iter().map(size).collect();
        match shape.is_empty() {
            true => Value::Number(rest.next().unwrap_or(f64::NAN)),
            false => Value::Tensor {
                elements: rest.by_ref().take(shape.iter().product()).collect(),
                shape,
            },
        }
    };
    let parameters = core.parameters.iter();
    parameters
        .map(|parameter| value(&parameter.dimensions))
        .collect()
}

/// The expression's own value over the reals; where that cannot be decided, the shadow's.
pub struct Proved<'a>(&'a Core);

impl Proved<'_> {
    fn ask(&self, input: &[f64]) -> Option<Vec<Float>> {
        let arguments = values(self.0, input);
        let value = evaluate_real(self.0, &arguments, Literals::Exact, BUDGET).ok()?;
        Some(value.into_elements())
    }
}

impl Oracle for Proved<'_> {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure> {
        match self.ask(&suspect.input) {
            Some(right) => {
                finding::by_reference(session, suspect, outputs, &right, Confirmation::Proved)
            }
            None => finding::by_shadow(session, suspect, outputs),
        }
    }

    fn defined(&mut self, _: &mut Session, input: &[f64]) -> Result<Option<String>, Failure> {
        Ok(self
            .ask(input)
            .and_then(|right| finding::first_number(&right)))
    }
}

fn bad(title: &str, source: &str, error: &SyntaxError) -> Failure {
    Failure::BadFormula {
        title: title.to_owned(),
        error: error.to_string(),
        excerpt: error.excerpt(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_alone_stays_where_it_was() {
        let source = "(FPCore (x) x)\n; é\n  (FPCore two (y) :pre (< 0 y 1) (- y 1))\n";
        let cores = read_cores(source).unwrap();
        let formula = Formula::of("a.fpcore", source.to_owned(), cores).unwrap();
        let alone = formula.alone(1);
        assert_eq!(alone.lines().count(), source.lines().count());
        assert_eq!(
            alone.lines().nth(2),
            Some("  (FPCore two (y) :pre (< 0 y 1) (- y 1))")
        );
        assert!(!formula.alone(0).contains("two"));
        assert_eq!(formula.calls[0].text, "a.fpcore:1");
        assert_eq!(formula.calls[1].text, "two");
        let precondition = formula.precondition(1).unwrap();
        assert!(precondition(&[0.5]) && !precondition(&[1.0]));
        assert_eq!(
            formula.ranges(1, &[("y".to_owned(), 0.5, 9.0)]).unwrap(),
            [("y".to_owned(), 0.5, 1.0)]
        );
        assert!(formula.ranges(1, &[("y".to_owned(), 2.0, 9.0)]).is_err());
    }
}
