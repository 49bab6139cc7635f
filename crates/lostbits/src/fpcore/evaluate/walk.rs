//! The walk over the tree.

use std::cell::Cell;

use super::{Arithmetic, Stop, Value};
use crate::fpcore::ast::{
    Binding, Comparison, Core, Dimension, Expr, Format, Kind, LoopVariable, Scope, Test, TestKind,
    deep,
};

/// How many operations may be done.
#[derive(Clone, Copy, Debug)]
pub struct Budget(pub u64);

/// The value of a core for its arguments, in order.
pub fn evaluate<A: Arithmetic>(
    arithmetic: &A,
    core: &Core,
    arguments: &[Value<A::Number>],
    budget: Budget,
) -> Result<Value<A::Number>, Stop> {
    let mut walk = Walk::start(arithmetic, core, arguments, budget)?;
    walk.expression(&core.body, core.format)
}

/// Whether the arguments satisfy the core's precondition, if it has one.
pub fn holds<A: Arithmetic>(
    arithmetic: &A,
    core: &Core,
    arguments: &[Value<A::Number>],
    budget: Budget,
) -> Result<bool, Stop> {
    let Some(pre) = &core.pre else {
        return Ok(true);
    };
    Walk::start(arithmetic, core, arguments, budget)?.test(pre, core.format)
}

struct Walk<'a, A: Arithmetic> {
    arithmetic: &'a A,
    variables: Vec<(&'a str, Value<A::Number>)>,
    budget: u64,
    left: Cell<u64>,
}

impl<'a, A: Arithmetic> Walk<'a, A> {
    fn start(
        arithmetic: &'a A,
        core: &'a Core,
        arguments: &[Value<A::Number>],
        Budget(budget): Budget,
    ) -> Result<Self, Stop> {
        let (wanted, given) = (core.parameters.len(), arguments.len());
        if wanted != given {
            return Err(Stop::Inputs { wanted, given });
        }
        let mut walk = Walk {
            arithmetic,
            variables: Vec::new(),
            budget,
            left: Cell::new(budget),
        };
        for (parameter, argument) in core.parameters.iter().zip(arguments) {
            let shape = argument.shape();
            if shape.len() != parameter.dimensions.len() {
                return Err(Stop::Shape);
            }
            for (dimension, &size) in parameter.dimensions.iter().zip(shape) {
                match dimension {
                    Dimension::Fixed(fixed) if *fixed != size => return Err(Stop::Shape),
                    Dimension::Fixed(_) => {}
                    Dimension::Named(name) => walk.bind(name, walk.whole(size)),
                }
            }
            walk.bind(&parameter.name, argument.clone());
        }
        Ok(walk)
    }

    fn bind(&mut self, name: &'a str, value: Value<A::Number>) {
        self.variables.push((name, value));
    }

    fn whole(&self, number: usize) -> Value<A::Number> {
        Value::Number(self.arithmetic.whole(number as i64))
    }

    fn step(&self) -> Result<(), Stop> {
        let left = self.left.get();
        if left == 0 {
            return Err(Stop::OutOfSteps(self.budget));
        }
        self.left.set(left - 1);
        Ok(())
    }

    fn look_up(&self, name: &str) -> &Value<A::Number> {
        let found = self
            .variables
            .iter()
            .rev()
            .find(|(bound, _)| *bound == name);
        &found.expect("the reader refuses unbound variables").1
    }

    fn number(&mut self, expr: &'a Expr, format: Format) -> Result<A::Number, Stop> {
        self.expression(expr, format)?.number()
    }

    fn index(&mut self, expr: &'a Expr, format: Format) -> Result<usize, Stop> {
        let number = self.number(expr, format)?;
        self.arithmetic.to_index(&number)
    }

    fn expression(&mut self, expr: &'a Expr, format: Format) -> Result<Value<A::Number>, Stop> {
        let depth = self.variables.len();
        let value = deep(|| self.kind(&expr.kind, format));
        self.variables.truncate(depth);
        value
    }

    fn kind(&mut self, kind: &'a Kind, format: Format) -> Result<Value<A::Number>, Stop> {
        let number = match kind {
            Kind::Number(number) => self.arithmetic.literal(number, format)?,
            Kind::Constant(constant) => self.arithmetic.constant(*constant, format)?,
            Kind::Variable(name) => return Ok(self.look_up(name).clone()),
            Kind::Operation(op, operands) => {
                self.step()?;
                let operands = operands
                    .iter()
                    .map(|operand| self.number(operand, format))
                    .collect::<Result<Vec<_>, Stop>>()?;
                self.arithmetic.operation(*op, &operands, format)?
            }
            Kind::If(condition, then, otherwise) => {
                let chosen = if self.test(condition, format)? {
                    then
                } else {
                    otherwise
                };
                return self.expression(chosen, format);
            }
            Kind::Let(scope, bindings, body) => {
                self.bindings(*scope, bindings, format)?;
                return self.expression(body, format);
            }
            Kind::While(scope, condition, variables, result) => {
                let first = self.starts(*scope, variables, format)?;
                while self.test(condition, format)? {
                    self.step()?;
                    self.updates(*scope, variables, first, format)?;
                }
                return self.expression(result, format);
            }
            Kind::For(scope, counts, variables, result) => {
                return self.for_loop(*scope, counts, variables, result, format);
            }
            Kind::Tensor(counts, variables, element) => {
                return self.tensor(counts, variables, element, format);
            }
            Kind::Array(elements) => {
                let parts = elements
                    .iter()
                    .map(|element| self.expression(element, format))
                    .collect::<Result<Vec<_>, Stop>>()?;
                let length = parts.len();
                return Value::stack(parts, vec![length]);
            }
            Kind::Ref(tensor, indices) => {
                let tensor = self.expression(tensor, format)?;
                let indices = indices
                    .iter()
                    .map(|index| self.index(index, format))
                    .collect::<Result<Vec<_>, Stop>>()?;
                return tensor.part(&indices);
            }
            Kind::Size(tensor, dimension) => {
                let tensor = self.expression(tensor, format)?;
                let dimension = self.index(dimension, format)?;
                let size = *tensor.shape().get(dimension).ok_or(Stop::Index)?;
                self.arithmetic.whole(size as i64)
            }
            Kind::Dim(tensor) => {
                let dimensions = self.expression(tensor, format)?.shape().len();
                self.arithmetic.whole(dimensions as i64)
            }
            Kind::Annotated(_, inner, body) => {
                return self.expression(body, inner.unwrap_or(format));
            }
            Kind::Cast(operand) => {
                let operand = self.number(operand, format)?;
                self.arithmetic.cast(&operand, format)?
            }
        };
        Ok(Value::Number(number))
    }

    fn bindings(
        &mut self,
        scope: Scope,
        bindings: &'a [Binding],
        format: Format,
    ) -> Result<(), Stop> {
        let values = bindings
            .iter()
            .map(|binding| (binding.name.as_str(), &binding.value));
        self.bind_all(scope, values, format).map(|_| ())
    }

    /// Where the loop's variables begin in the scope.
    fn starts(
        &mut self,
        scope: Scope,
        variables: &'a [LoopVariable],
        format: Format,
    ) -> Result<usize, Stop> {
        let values = variables
            .iter()
            .map(|variable| (variable.name.as_str(), &variable.start));
        self.bind_all(scope, values, format)
    }

    fn bind_all(
        &mut self,
        scope: Scope,
        values: impl Iterator<Item = (&'a str, &'a Expr)>,
        format: Format,
    ) -> Result<usize, Stop> {
        let first = self.variables.len();
        let mut waiting = Vec::new();
        for (name, value) in values {
            let value = self.expression(value, format)?;
            match scope {
                Scope::Sequential => self.bind(name, value),
                Scope::Parallel => waiting.push((name, value)),
            }
        }
        self.variables.extend(waiting);
        Ok(first)
    }

    fn updates(
        &mut self,
        scope: Scope,
        variables: &'a [LoopVariable],
        first: usize,
        format: Format,
    ) -> Result<(), Stop> {
        let mut waiting = Vec::new();
        for (index, variable) in variables.iter().enumerate() {
            let value = self.expression(&variable.update, format)?;
            match scope {
                Scope::Sequential => self.variables[first + index].1 = value,
                Scope::Parallel => waiting.push(value),
            }
        }
        for (index, value) in waiting.into_iter().enumerate() {
            self.variables[first + index].1 = value;
        }
        Ok(())
    }

    fn counts(&mut self, counts: &'a [Binding], format: Format) -> Result<Vec<usize>, Stop> {
        let sizes = counts.iter().map(|count| self.index(&count.value, format));
        sizes.collect()
    }

    /// Binds the counters to the indices of the element of this number, row by row.
    fn count(&mut self, counts: &'a [Binding], sizes: &[usize], number: usize, first: usize) {
        let mut rest = number;
        for (position, size) in sizes.iter().enumerate().rev() {
            let value = self.whole(rest % size);
            rest /= size;
            self.variables[first + position] = (&counts[position].name, value);
        }
    }

    fn for_loop(
        &mut self,
        scope: Scope,
        counts: &'a [Binding],
        variables: &'a [LoopVariable],
        result: &'a Expr,
        format: Format,
    ) -> Result<Value<A::Number>, Stop> {
        let sizes = self.counts(counts, format)?;
        let counters = self.bind_counters(counts);
        let first = self.starts(scope, variables, format)?;
        for number in 0..total(&sizes)? {
            self.step()?;
            self.count(counts, &sizes, number, counters);
            self.updates(scope, variables, first, format)?;
        }
        self.variables.drain(counters..first);
        self.expression(result, format)
    }

    fn tensor(
        &mut self,
        counts: &'a [Binding],
        variables: &'a [LoopVariable],
        element: &'a Expr,
        format: Format,
    ) -> Result<Value<A::Number>, Stop> {
        let sizes = self.counts(counts, format)?;
        let counters = self.bind_counters(counts);
        let first = self.starts(Scope::Sequential, variables, format)?;
        let mut parts = Vec::new();
        for number in 0..total(&sizes)? {
            self.step()?;
            self.count(counts, &sizes, number, counters);
            self.updates(Scope::Sequential, variables, first, format)?;
            parts.push(self.expression(element, format)?);
        }
        Value::stack(parts, sizes)
    }

    fn bind_counters(&mut self, counts: &'a [Binding]) -> usize {
        let counters = self.variables.len();
        for count in counts {
            self.bind(&count.name, self.whole(0));
        }
        counters
    }

    fn test(&mut self, test: &'a Test, format: Format) -> Result<bool, Stop> {
        let depth = self.variables.len();
        let truth = self.truth(&test.kind, format);
        self.variables.truncate(depth);
        truth
    }

    fn truth(&mut self, kind: &'a TestKind, format: Format) -> Result<bool, Stop> {
        match kind {
            TestKind::Constant(truth) => Ok(*truth),
            TestKind::Compare(comparison, operands) => {
                self.step()?;
                let operands = operands
                    .iter()
                    .map(|operand| self.number(operand, format))
                    .collect::<Result<Vec<_>, Stop>>()?;
                self.compare(*comparison, &operands)
            }
            TestKind::And(tests) => self.decisive(tests, false, format),
            TestKind::Or(tests) => self.decisive(tests, true, format),
            TestKind::Not(test) => self.test(test, format).map(|truth| !truth),
            TestKind::Class(class, operand) => {
                let operand = self.number(operand, format)?;
                self.arithmetic.class(*class, &operand)
            }
            TestKind::If(condition, then, otherwise) => {
                let chosen = if self.test(condition, format)? {
                    then
                } else {
                    otherwise
                };
                self.test(chosen, format)
            }
            TestKind::Let(scope, bindings, body) => {
                self.bindings(*scope, bindings, format)?;
                self.test(body, format)
            }
            TestKind::Annotated(_, inner, body) => self.test(body, inner.unwrap_or(format)),
        }
    }

    /// `and` is decided by one false, `or` by one true, also where another part is undecided.
    fn decisive(
        &mut self,
        tests: &'a [Test],
        decisive: bool,
        format: Format,
    ) -> Result<bool, Stop> {
        let mut undecided = None;
        for test in tests {
            match self.test(test, format) {
                Ok(truth) if truth == decisive => return Ok(decisive),
                Ok(_) => {}
                Err(Stop::Undecided) => undecided = Some(Stop::Undecided),
                Err(stop) => return Err(stop),
            }
        }
        undecided.map_or(Ok(!decisive), Err)
    }

    fn compare(&self, comparison: Comparison, operands: &[A::Number]) -> Result<bool, Stop> {
        for (index, left) in operands.iter().enumerate() {
            let rights = match comparison {
                Comparison::Different => &operands[index + 1..],
                _ => &operands[(index + 1).min(operands.len())..(index + 2).min(operands.len())],
            };
            for right in rights {
                if !self.arithmetic.compare(comparison, left, right)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// The number of elements.
fn total(sizes: &[usize]) -> Result<usize, Stop> {
    sizes
        .iter()
        .try_fold(1usize, |total, size| total.checked_mul(*size))
        .ok_or(Stop::Index)
}
