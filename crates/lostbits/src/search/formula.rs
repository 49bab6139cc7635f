//! Expressions and FPCore files as what is searched: a call for each core.
//!
//! The precondition of a core narrows the ranges, and inputs that violate it are not reported. The reference is
//! the expression's own value in exact arithmetic, enclosed in intervals.

use rug::Float;

use super::{
    finding::{self, Confirmation, Defined, Finding},
    oracle::Oracle,
    session::{Session, Suspect},
};
use crate::{
    failure::Failure,
    fpcore::{
        Core,
        ast::Dimension,
        c,
        evaluate::{Budget, Literals, Value, evaluate_real, reals::holds_really},
    },
    inputs::{Argument, Call, Formula, NamedRange, bounds},
};

/// The size of a dimension that has only a name.
const SIZE: usize = 4;
/// How many operations a core may take in exact arithmetic.
const BUDGET: Budget = Budget(100_000);

/// A formula, and how its cores are called.
pub struct SearchedFormula {
    pub formula: Formula,
    /// One for each core.
    pub calls: Vec<Call>,
}

impl SearchedFormula {
    pub fn new(formula: Formula) -> SearchedFormula {
        let mut calls: Vec<Call> = Vec::new();
        for (core, function) in formula.cores.iter().zip(&formula.functions) {
            calls.push(Call {
                text: title(&formula, core, &calls),
                function: function.name.clone(),
                arguments: arguments(core, function),
            });
        }
        SearchedFormula { formula, calls }
    }

    /// The C that is compiled.
    pub fn code(&self) -> &str {
        &self.formula.code
    }

    fn core(&self, index: usize) -> &Core {
        &self.formula.cores[index]
    }

    /// The ranges of a call's parameters: what `--range` and the precondition allow together.
    pub fn ranges(&self, index: usize, given: &[NamedRange]) -> Result<Vec<NamedRange>, Failure> {
        let core = self.core(index);
        let found = bounds::ranges(core, given)
            .map_err(|exclusion| self.formula.no_input(core, &exclusion))?;
        let parameters = core.parameters.iter().map(|one| one.name.clone());
        let own = parameters.zip(found);
        let mut all: Vec<NamedRange> = own
            .map(|(name, range)| NamedRange { name, range })
            .collect();
        // Ranges of single elements of arrays; what is given last counts.
        let is_element = |range: &&NamedRange| range.name.contains('[');
        all.extend(given.iter().filter(is_element).cloned());
        Ok(all)
    }

    /// Whether an input satisfies the precondition; none if there is none.
    pub fn precondition(&self, index: usize) -> Option<impl Fn(&[f64]) -> bool + '_> {
        let core = self.core(index);
        core.pre.as_ref()?;
        Some(move |input: &[f64]| holds_really(core, &values(core, input), BUDGET) == Ok(true))
    }

    pub fn oracle(&self, index: usize) -> IntervalOracle<'_> {
        IntervalOracle(self.core(index))
    }

    /// Moves a finding from the C program to the location in the formula.
    pub fn relocate(&self, finding: &mut Finding) {
        if let Some(guilty) = &mut finding.guilty
            && let Some((at, core)) = self.formula.origin(guilty.line)
        {
            guilty.file = self.formula.title.clone();
            guilty.function = core.to_owned();
            (guilty.line, guilty.column) = (at.line, at.column);
        }
    }

    /// The file with all but one of its cores blanked out, so that locations stay the same.
    pub fn alone(&self, index: usize) -> String {
        let source = &self.formula.source;
        let starts = |core: &Core| {
            let line = core.at.line as usize - 1;
            let lines = source.split_inclusive('\n').take(line);
            let before: usize = lines.map(str::len).sum();
            before + (core.at.column as usize).saturating_sub(1)
        };
        let begin = starts(self.core(index));
        let next = self.formula.cores.get(index + 1);
        let end = next.map_or(source.len(), starts);
        let keep = |(at, c): (usize, char)| match c {
            '\n' => c,
            c if (begin..end).contains(&at) => c,
            _ => ' ',
        };
        source.char_indices().map(keep).collect()
    }
}

/// What people call a core: the expression itself, or the core's name; its line if it has none, or if
/// another core has the same.
fn title(formula: &Formula, core: &Core, before: &[Call]) -> String {
    if formula.is_expression() {
        return formula.source.trim().to_owned();
    }
    let line = format!("{}:{}", formula.title, core.at.line);
    match core.name() {
        Some(name) if before.iter().all(|call| call.text != name) => name,
        Some(name) => format!("{name} ({line})"),
        None => line,
    }
}

/// The arguments of the C function: numbers and arrays vary, sizes are constant.
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

/// The expression's own value, enclosed in intervals; where 4096 bits do not decide it, the shadow's value.
pub struct IntervalOracle<'a>(&'a Core);

impl IntervalOracle<'_> {
    fn ask(&self, input: &[f64]) -> Option<Vec<Float>> {
        let arguments = values(self.0, input);
        let value = evaluate_real(self.0, &arguments, Literals::Exact, BUDGET).ok()?;
        Some(value.into_elements())
    }
}

impl Oracle for IntervalOracle<'_> {
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

    fn reference(&mut self, _: &mut Session, input: &[f64]) -> Result<Option<Float>, Failure> {
        Ok(self.ask(input).and_then(|right| right.into_iter().next()))
    }

    fn defined(
        &mut self,
        session: &mut Session,
        input: &[f64],
    ) -> Result<Option<Defined>, Failure> {
        Ok(self
            .ask(input)
            .and_then(|right| Defined::by_reference(&right, session.most)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Range;

    #[test]
    fn a_core_alone_stays_where_it_was() {
        let source = "(FPCore (x) x)\n; é\n  (FPCore two (y) :pre (< 0 y 1) (- y 1))\n";
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.fpcore");
        std::fs::write(&file, source).unwrap();
        let formula = SearchedFormula::new(Formula::file(&file).unwrap());
        let alone = formula.alone(1);
        assert_eq!(alone.lines().count(), source.lines().count());
        assert_eq!(
            alone.lines().nth(2),
            Some("  (FPCore two (y) :pre (< 0 y 1) (- y 1))")
        );
        assert!(!formula.alone(0).contains("two"));
        assert!(formula.calls[0].text.ends_with("a.fpcore:1"));
        assert_eq!(formula.calls[1].text, "two");
        let precondition = formula.precondition(1).unwrap();
        assert!(precondition(&[0.5]) && !precondition(&[1.0]));
        let given = |low, high| NamedRange {
            name: "y".to_owned(),
            range: Range { low, high },
        };
        assert_eq!(
            formula.ranges(1, &[given(0.5, 9.0)]).unwrap(),
            [given(0.5, 1f64.next_down())]
        );
        let refusal = formula.ranges(1, &[given(2.0, 9.0)]).unwrap_err();
        let reason = "no value of `y` satisfies both `(< 0 y 1)` in :pre and `--range y=2:9`";
        assert!(refusal.to_string().contains(reason), "{refusal}");
    }
}
