//! What is repaired: one expression with the ranges of its variables and its precondition.

use egg::Id;
use lostbits_abi::ops::Op;
use thiserror::Error;

use super::{
    interval::Interval,
    machine::{self, Width},
    math::{CONSTANTS, Math, Term},
};
use crate::{
    fpcore::{
        Core,
        ast::{Expr, Kind, Scope, operator},
        evaluate::{Budget, Value, reals::compiled_literal, reals::holds_really},
    },
    inputs::{
        NamedRange,
        bounds::{Exclusion, ranges},
    },
    numeric::Range,
};

const BUDGET: Budget = Budget(10_000);
/// Longer expressions are refused.
const LONGEST: usize = 400;

#[derive(Clone, Debug)]
pub struct Subject {
    pub core: Core,
    pub original: Term,
    pub names: Vec<String>,
    pub width: Width,
    pub ranges: Vec<Range>,
}

/// Why an expression cannot be repaired.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Unrepairable {
    #[error("{0} cannot be repaired yet: give a straight-line expression")]
    Form(&'static str),
    #[error("`{0}` is no operation that fix knows")]
    Operation(&'static str),
    #[error("fix repairs expressions in binary64 and binary32, and this one is in {0}")]
    Format(&'static str),
    #[error("the expression has {0} operations, and fix takes at most {LONGEST}: repair its parts")]
    TooLong(usize),
    #[error(transparent)]
    NoInput(#[from] Exclusion),
    #[error("{0}")]
    NothingDrawn(String),
}

impl Subject {
    pub fn new(core: &Core, given: &[NamedRange]) -> Result<Subject, Unrepairable> {
        let width = Width::of(core.format).ok_or(Unrepairable::Format(core.format.name()))?;
        if core.parameters.iter().any(|p| !p.dimensions.is_empty()) {
            return Err(Unrepairable::Form("an expression of tensors"));
        }
        if let Some(other) = core.parameters.iter().find(|p| p.format != core.format) {
            return Err(Unrepairable::Format(other.format.name()));
        }
        let ranges = ranges(core, given)?;
        let mut reader = Reader {
            core,
            term: Term::default(),
            scope: Vec::new(),
        };
        for (index, parameter) in core.parameters.iter().enumerate() {
            let id = reader.term.add(Math::Variable(index as u32));
            reader.scope.push((parameter.name.clone(), id));
        }
        let root = reader.expression(&core.body)?;
        let original = super::math::part(&reader.term, root);
        let length = super::math::operations(&original);
        if length > LONGEST {
            return Err(Unrepairable::TooLong(length));
        }
        Ok(Subject {
            core: core.clone(),
            original,
            names: core.parameters.iter().map(|p| p.name.clone()).collect(),
            width,
            ranges,
        })
    }

    /// Whether an input is in the ranges and fulfils the precondition.
    pub fn admits(&self, input: &[f64]) -> bool {
        let inside = |(x, range): (&f64, &Range)| (range.low..=range.high).contains(x);
        if !input.iter().zip(&self.ranges).all(inside) {
            return false;
        }
        if self.core.pre.is_none() {
            return true;
        }
        let values: Vec<Value<f64>> = input.iter().map(|x| Value::Number(*x)).collect();
        holds_really(&self.core, &values, BUDGET) == Ok(true)
    }

    /// The ranges as intervals.
    pub fn intervals(&self) -> Vec<Interval> {
        let of = |range: &Range| Interval::new(range.low, range.high);
        self.ranges.iter().map(of).collect()
    }
}

struct Reader<'a> {
    core: &'a Core,
    term: Term,
    scope: Vec<(String, Id)>,
}

impl Reader<'_> {
    fn expression(&mut self, expr: &Expr) -> Result<Id, Unrepairable> {
        let form = |what| Err(Unrepairable::Form(what));
        let depth = self.scope.len();
        let node = match &expr.kind {
            Kind::Number(number) => {
                let compiled = compiled_literal(number, self.core.format);
                let value = compiled.and_then(|value| value.to_rational());
                // A literal that the format rounds to infinity.
                let finite = value.ok_or(Unrepairable::Form("an expression with infinity"))?;
                Math::Number(finite)
            }
            Kind::Constant(constant) => match CONSTANTS.iter().position(|c| c == constant) {
                Some(index) => Math::Constant(index as u8),
                None => return Err(Unrepairable::Operation(constant.name())),
            },
            Kind::Variable(name) => {
                let bound = self.scope.iter().rev().find(|(known, _)| known == name);
                return bound
                    .map(|(_, id)| *id)
                    .ok_or(Unrepairable::Form("a dimension"));
            }
            Kind::Operation(op, operands) => {
                if !machine::is_known(*op) || *op == Op::Rem {
                    return Err(Unrepairable::Operation(operator(*op)));
                }
                let operands = operands
                    .iter()
                    .map(|operand| self.expression(operand))
                    .collect::<Result<Vec<Id>, _>>()?;
                Math::operation(*op, &operands).ok_or(Unrepairable::Operation(operator(*op)))?
            }
            Kind::Let(scope, bindings, body) => {
                let mut waiting = Vec::new();
                for binding in bindings {
                    let value = self.expression(&binding.value)?;
                    match scope {
                        Scope::Sequential => self.scope.push((binding.name.clone(), value)),
                        Scope::Parallel => waiting.push((binding.name.clone(), value)),
                    }
                }
                self.scope.extend(waiting);
                let body = self.expression(body);
                self.scope.truncate(depth);
                return body;
            }
            Kind::Annotated(_, format, body) if format.is_none_or(|f| f == self.core.format) => {
                return self.expression(body);
            }
            Kind::Cast(operand) => return self.expression(operand),
            Kind::Annotated(..) => return form("an expression of several formats"),
            Kind::If(..) => return form("an expression with branches"),
            Kind::While(..) | Kind::For(..) => return form("a loop"),
            _ => return form("an expression of tensors"),
        };
        Ok(self.term.add(node))
    }
}
