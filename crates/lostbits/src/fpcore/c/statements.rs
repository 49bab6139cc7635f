//! Expressions as statements, one operation on each line.

use super::{
    Untranslatable,
    formats::{Formats, of_loop},
    literal,
    names::Names,
    type_name,
};
use crate::fpcore::ast::{Binding, Expr, Format, Kind, LoopVariable, Scope, Test, deep, operator};
use lostbits_abi::ops::Op;

type Result<T> = std::result::Result<T, Untranslatable>;

/// A value in C that has not been stored yet.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub text: String,
    pub format: Format,
    /// The sizes of an array, in C; empty for a number.
    pub shape: Vec<String>,
    /// A name or a literal, which can be used again without computing anything.
    pub is_atom: bool,
}

impl Value {
    pub fn atom(text: impl Into<String>, format: Format) -> Value {
        Value {
            text: text.into(),
            format,
            shape: Vec::new(),
            is_atom: true,
        }
    }
}

pub(super) struct Writer<'a> {
    lines: Vec<String>,
    indent: usize,
    pub names: Names,
    pub scope: Vec<(&'a str, Value)>,
    /// How many temporaries there are.
    temporaries: usize,
}

impl<'a> Writer<'a> {
    pub fn new(function: &str) -> Self {
        let mut names = Names::default();
        names.fresh(function);
        Writer {
            lines: Vec::new(),
            indent: 1,
            names,
            scope: Vec::new(),
            temporaries: 0,
        }
    }

    pub fn parameter(&mut self, name: &'a str, format: Format, shape: Vec<String>) -> String {
        let text = self.names.fresh(name);
        let value = Value {
            shape,
            ..Value::atom(text.clone(), format)
        };
        self.scope.push((name, value));
        text
    }

    /// The C name of a variable in scope.
    pub fn known(&self, name: &str) -> Option<String> {
        let found = self.scope.iter().rev().find(|(bound, _)| *bound == name);
        found.map(|(_, value)| value.text.clone())
    }

    pub fn finished(self) -> String {
        self.lines.concat()
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        let pad = "    ".repeat(self.indent);
        self.lines.push(format!("{pad}{}\n", text.as_ref()));
    }

    /// Writes what the closure does one step further in.
    pub fn indented<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.indent += 1;
        let done = inner(self);
        self.indent -= 1;
        done
    }

    /// The same, but keeps the lines apart: what comes before them depends on what they turn out to be.
    pub fn apart<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<(Vec<String>, T)> {
        let before = std::mem::take(&mut self.lines);
        let done = self.indented(inner);
        let lines = std::mem::replace(&mut self.lines, before);
        Ok((lines, done?))
    }

    pub fn lines(&mut self, lines: Vec<String>) {
        self.lines.extend(lines);
    }

    /// In a scope whose names end with it.
    pub fn right_hand_side(&mut self, expr: &'a Expr, context: Format) -> Result<Value> {
        let depth = self.scope.len();
        let value = deep(|| self.of_kind(&expr.kind, context));
        self.scope.truncate(depth);
        let mut value = value?;
        if matches!(expr.kind, Kind::Operation(..)) && !value.is_atom {
            value.text += &super::mark(expr.at);
        }
        Ok(value)
    }

    /// As something that can be used more than once.
    pub fn atom(&mut self, expr: &'a Expr, context: Format) -> Result<Value> {
        let value = self.right_hand_side(expr, context)?;
        if value.is_atom {
            return Ok(value);
        }
        let name = self.temporary();
        self.declared(name, value.format, value)
    }

    pub fn number(&mut self, expr: &'a Expr, context: Format) -> Result<Value> {
        let value = self.atom(expr, context)?;
        if value.shape.is_empty() {
            Ok(value)
        } else {
            Err(Untranslatable::Shape)
        }
    }

    /// A new name for a temporary: `t1`, `t2`, …
    fn temporary(&mut self) -> String {
        loop {
            self.temporaries += 1;
            let name = format!("t{}", self.temporaries);
            if !self.names.is_used(&name) {
                return self.names.fresh(&name);
            }
        }
    }

    /// In a new variable of this name and format.
    pub fn declared(&mut self, name: String, format: Format, value: Value) -> Result<Value> {
        let type_name = type_name(format)?;
        let copy = Value {
            shape: value.shape.clone(),
            ..Value::atom(name.clone(), format)
        };
        if value.shape.is_empty() {
            self.line(format!("{type_name} {name} = {};", value.text));
        } else {
            self.line(format!("{type_name} {name}[{}];", value.shape.join(" * ")));
            self.copy(&name, format, &value)?;
        }
        Ok(copy)
    }

    fn of_kind(&mut self, kind: &'a Kind, context: Format) -> Result<Value> {
        match kind {
            Kind::Number(number) => Ok(Value::atom(literal::number(number, context)?, context)),
            Kind::Constant(constant) => {
                Ok(Value::atom(literal::constant(*constant, context)?, context))
            }
            Kind::Variable(name) => {
                let found = self.scope.iter().rev().find(|(bound, _)| bound == name);
                Ok(found
                    .expect("the reader refuses unbound variables")
                    .1
                    .clone())
            }
            Kind::Operation(op, operands) => {
                let operands = operands
                    .iter()
                    .map(|operand| self.number(operand, context))
                    .collect::<Result<Vec<_>>>()?;
                operation(*op, &operands, context)
            }
            Kind::If(condition, then, otherwise) => {
                self.branches(condition, then, otherwise, context)
            }
            Kind::Let(order, bindings, body) => {
                self.bindings(*order, bindings, context)?;
                self.right_hand_side(body, context)
            }
            Kind::While(order, condition, variables, result) => {
                self.loop_variables(*order, variables, context)?;
                self.while_loop(*order, condition, variables, context)?;
                self.right_hand_side(result, context)
            }
            Kind::For(order, counters, variables, result) => {
                self.for_loop(*order, counters, variables, context)?;
                self.right_hand_side(result, context)
            }
            Kind::Tensor(counters, variables, element) => {
                self.tensor(counters, variables, element, context)
            }
            Kind::Array(elements) => self.array(elements, context),
            Kind::Ref(tensor, indices) => self.reference(tensor, indices, context),
            Kind::Size(tensor, dimension) => self.size(tensor, dimension, context),
            Kind::Dim(tensor) => {
                let tensor = self.atom(tensor, context)?;
                Ok(Value::atom(tensor.shape.len().to_string(), Format::Integer))
            }
            Kind::Annotated(_, inner, body) => self.right_hand_side(body, inner.unwrap_or(context)),
            Kind::Cast(operand) => {
                let operand = self.number(operand, context)?;
                cast(operand, context)
            }
        }
    }

    pub fn bindings(
        &mut self,
        order: Scope,
        bindings: &'a [Binding],
        context: Format,
    ) -> Result<()> {
        let mut waiting = Vec::new();
        for binding in bindings {
            let value = self.right_hand_side(&binding.value, context)?;
            let name = self.names.fresh(&binding.name);
            let value = self.declared(name, value.format, value)?;
            match order {
                Scope::Sequential => self.scope.push((&binding.name, value)),
                Scope::Parallel => waiting.push((binding.name.as_str(), value)),
            }
        }
        self.scope.extend(waiting);
        Ok(())
    }

    /// Declares them with their starts, and leaves them in scope.
    pub fn loop_variables(
        &mut self,
        order: Scope,
        variables: &'a [LoopVariable],
        context: Format,
    ) -> Result<()> {
        let mut known: Formats = self
            .scope
            .iter()
            .map(|(name, value)| (*name, value.format))
            .collect();
        let formats = of_loop(order, variables, context, &mut known);
        let mut waiting = Vec::new();
        for (variable, format) in variables.iter().zip(formats) {
            let start = self.right_hand_side(&variable.start, context)?;
            let name = self.names.fresh(&variable.name);
            let value = self.declared(name, format, start)?;
            match order {
                Scope::Sequential => self.scope.push((&variable.name, value)),
                Scope::Parallel => waiting.push((variable.name.as_str(), value)),
            }
        }
        self.scope.extend(waiting);
        Ok(())
    }

    /// One round of a loop whose variables are the last in scope but for `above`.
    pub fn updates(
        &mut self,
        order: Scope,
        variables: &'a [LoopVariable],
        above: usize,
        context: Format,
    ) -> Result<()> {
        let first = self.scope.len() - above - variables.len();
        let mut waiting = Vec::new();
        for (index, variable) in variables.iter().enumerate() {
            let target = self.scope[first + index].1.clone();
            let next = self.right_hand_side(&variable.update, context)?;
            match order {
                Scope::Sequential => self.assign(&target, &next)?,
                Scope::Parallel => {
                    let name = self.names.fresh(&format!("{}_next", target.text));
                    waiting.push((target.clone(), self.declared(name, target.format, next)?));
                }
            }
        }
        for (target, next) in waiting {
            self.assign(&target, &next)?;
        }
        Ok(())
    }

    pub fn assign(&mut self, target: &Value, value: &Value) -> Result<()> {
        if !target.shape.is_empty() {
            return self.copy(&target.text, target.format, value);
        }
        if !value.shape.is_empty() {
            return Err(Untranslatable::Shape);
        }
        if target.text != value.text {
            self.line(format!("{} = {};", target.text, value.text));
        }
        Ok(())
    }

    fn while_loop(
        &mut self,
        order: Scope,
        condition: &'a Test,
        variables: &'a [LoopVariable],
        context: Format,
    ) -> Result<()> {
        let (before, condition) = self.apart(|writer| writer.test(condition, context))?;
        if before.is_empty() {
            self.line(format!("while ({condition}) {{"));
        } else {
            self.line("for (;;) {");
            self.lines(before);
            self.indented(|writer| {
                writer.line(format!("if (!({condition}))"));
                writer.indented(|writer| {
                    writer.line("break;");
                    Ok(())
                })
            })?;
        }
        self.indented(|writer| writer.updates(order, variables, 0, context))?;
        self.line("}");
        Ok(())
    }

    fn branches(
        &mut self,
        condition: &'a Test,
        then: &'a Expr,
        otherwise: &'a Expr,
        context: Format,
    ) -> Result<Value> {
        let condition = self.test(condition, context)?;
        let (then_lines, then) = self.apart(|writer| writer.right_hand_side(then, context))?;
        let (else_lines, otherwise) =
            self.apart(|writer| writer.right_hand_side(otherwise, context))?;
        if then.shape != otherwise.shape {
            return Err(Untranslatable::Shape);
        }
        let format = then.format.join(otherwise.format);
        let target = Value {
            shape: then.shape.clone(),
            ..Value::atom(self.temporary(), format)
        };
        let sizes = target.shape.join(" * ");
        let array = if sizes.is_empty() {
            String::new()
        } else {
            format!("[{sizes}]")
        };
        self.line(format!("{} {}{array};", type_name(format)?, target.text));
        self.line(format!("if ({condition}) {{"));
        self.lines(then_lines);
        self.indented(|writer| writer.assign(&target, &then))?;
        self.line("} else {");
        self.lines(else_lines);
        self.indented(|writer| writer.assign(&target, &otherwise))?;
        self.line("}");
        Ok(target)
    }
}

/// An operation on stored operands, rounded to its context.
fn operation(op: Op, operands: &[Value], context: Format) -> Result<Value> {
    let widest = operands
        .iter()
        .fold(context, |widest, operand| widest.join(operand.format));
    let (text, format) = match infix(op) {
        Some(sign) if widest != Format::Integer || sign != "/" => {
            (infix_text(sign, operands, widest)?, widest)
        }
        _ => call(op, operands, widest)?,
    };
    let computed = Value {
        is_atom: false,
        ..Value::atom(text, format)
    };
    let is_call = infix(op).is_none();
    converted(computed, context, is_call)
}

fn infix(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "+",
        Op::Sub | Op::Neg => "-",
        Op::Mul => "*",
        Op::Div => "/",
        _ => return None,
    })
}

/// C converts the narrower operand; where none is as wide as the context, they are cast.
fn infix_text(sign: &str, operands: &[Value], widest: Format) -> Result<String> {
    let are_cast = operands.iter().all(|operand| operand.format != widest);
    let type_name = type_name(widest)?;
    let text = |operand: &Value| match are_cast {
        true => format!("({type_name}){}", operand.text),
        false => operand.text.clone(),
    };
    Ok(match operands {
        [only] if only.text.starts_with('-') => format!("{sign}({})", text(only)),
        [only] => format!("{sign}{}", text(only)),
        [left, right] => format!("{} {sign} {}", text(left), text(right)),
        _ => return Err(Untranslatable::Shape),
    })
}

/// A call of C's library for the format; integers by way of doubles.
fn call(op: Op, operands: &[Value], widest: Format) -> Result<(String, Format)> {
    let (suffix, format) = match widest {
        Format::Integer | Format::Binary64 => ("", Format::Binary64),
        Format::Binary32 => ("f", widest),
        Format::Binary80 => ("l", widest),
        Format::Real => return Err(Untranslatable::NoFormat("real")),
    };
    let texts: Vec<&str> = operands
        .iter()
        .map(|operand| operand.text.as_str())
        .collect();
    if op == Op::Div {
        return Ok((
            format!("(double){} / (double){}", texts[0], texts[1]),
            format,
        ));
    }
    let missing = || Untranslatable::NoFunction(operator(op).to_owned());
    let name = op.info().library.first().ok_or_else(missing)?;
    Ok((format!("{name}{suffix}({})", texts.join(", ")), format))
}

/// C's conversion to a narrower format; to integers by rounding to nearest.
fn converted(value: Value, format: Format, is_call: bool) -> Result<Value> {
    if value.format == format {
        return Ok(value);
    }
    let bracketed = if value.is_atom || is_call {
        value.text.clone()
    } else {
        format!("({})", value.text)
    };
    let text = match (format, value.format) {
        (Format::Integer, Format::Binary32) => format!("llrintf({})", value.text),
        (Format::Integer, Format::Binary80) => format!("llrintl({})", value.text),
        (Format::Integer, _) => format!("llrint({})", value.text),
        _ => format!("({}){bracketed}", type_name(format)?),
    };
    Ok(Value {
        is_atom: false,
        ..Value::atom(text, format)
    })
}

fn cast(operand: Value, format: Format) -> Result<Value> {
    converted(operand, format, false)
}
