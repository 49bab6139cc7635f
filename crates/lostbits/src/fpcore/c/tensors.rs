//! Arrays, counted loops, and copies.

use super::{
    Untranslatable,
    statements::{Value, Writer},
    type_name,
};
use crate::fpcore::ast::{Binding, Expr, Format, Kind, LoopVariable, Scope};

type Result<T> = std::result::Result<T, Untranslatable>;

impl<'a> Writer<'a> {
    /// Copies an array, element by element where the formats differ.
    pub(super) fn copy(&mut self, target: &str, format: Format, value: &Value) -> Result<()> {
        let length = value.shape.join(" * ");
        if length.is_empty() {
            return Err(Untranslatable::Shape);
        }
        if format == value.format {
            self.line(format!(
                "memcpy({target}, {}, ({length}) * sizeof *{target});",
                value.text
            ));
            return Ok(());
        }
        let k = self.names.fresh("k");
        self.line(format!("for (long {k} = 0; {k} < {length}; {k}++)"));
        self.indented(|writer| {
            writer.line(format!("{target}[{k}] = {}[{k}];", value.text));
            Ok(())
        })
    }

    pub(super) fn array(&mut self, elements: &'a [Expr], context: Format) -> Result<Value> {
        let elements = elements
            .iter()
            .map(|element| self.atom(element, context))
            .collect::<Result<Vec<_>>>()?;
        let inner = elements
            .first()
            .map_or(Vec::new(), |first| first.shape.clone());
        if elements.iter().any(|element| element.shape != inner) {
            return Err(Untranslatable::Shape);
        }
        let formats = elements.iter().map(|element| element.format);
        let format = formats.reduce(Format::join).unwrap_or(context);
        let name = self.names.fresh("array");
        let length = elements.len();
        let shape = [vec![length.to_string()], inner.clone()].concat();
        let type_name = type_name(format)?;
        if inner.is_empty() {
            let texts: Vec<&str> = elements
                .iter()
                .map(|element| element.text.as_str())
                .collect();
            self.line(format!(
                "{type_name} {name}[{length}] = {{{}}};",
                texts.join(", ")
            ));
        } else {
            self.line(format!("{type_name} {name}[{}];", shape.join(" * ")));
            for (index, element) in elements.iter().enumerate() {
                let part = format!("({name} + {index} * {})", inner.join(" * "));
                self.copy(&part, format, element)?;
            }
        }
        Ok(Value {
            shape,
            ..Value::atom(name, format)
        })
    }

    pub(super) fn reference(
        &mut self,
        tensor: &'a Expr,
        indices: &'a [Expr],
        context: Format,
    ) -> Result<Value> {
        let tensor = self.atom(tensor, context)?;
        if indices.len() > tensor.shape.len() {
            return Err(Untranslatable::Shape);
        }
        let mut offset = String::new();
        for (index, size) in indices.iter().zip(&tensor.shape) {
            let index = self.whole(index, context)?;
            offset = match offset.as_str() {
                "" => index,
                before if before.contains(' ') => format!("({before}) * {size} + {index}"),
                before => format!("{before} * {size} + {index}"),
            };
        }
        let rest = &tensor.shape[indices.len()..];
        Ok(if rest.is_empty() {
            Value::atom(format!("{}[{offset}]", tensor.text), tensor.format)
        } else {
            let start = format!("({} + ({offset}) * {})", tensor.text, rest.join(" * "));
            Value {
                shape: rest.to_vec(),
                ..Value::atom(start, tensor.format)
            }
        })
    }

    /// An index or a size: a literal, or an integer variable.
    fn whole(&mut self, expr: &'a Expr, context: Format) -> Result<String> {
        if let Kind::Number(number) = &expr.kind
            && *number.value.denom() == 1
        {
            return Ok(number.value.numer().to_string());
        }
        let value = self.number(expr, context)?;
        if value.format == Format::Integer {
            return Ok(value.text);
        }
        let name = self.names.fresh("n");
        self.line(format!("long {name} = (long){};", value.text));
        Ok(name)
    }

    pub(super) fn size(
        &mut self,
        tensor: &'a Expr,
        dimension: &'a Expr,
        context: Format,
    ) -> Result<Value> {
        let tensor = self.atom(tensor, context)?;
        let dimension = match &dimension.kind {
            Kind::Number(number) => number.value.numer().to_usize(),
            _ => None,
        };
        let dimension = dimension.ok_or(Untranslatable::DimensionUnknown)?;
        let size = tensor.shape.get(dimension).ok_or(Untranslatable::Shape)?;
        Ok(Value::atom(size.clone(), Format::Integer))
    }

    /// The sizes, with the counters in scope from then on.
    fn counters(
        &mut self,
        counters: &'a [Binding],
        context: Format,
    ) -> Result<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        for counter in counters {
            let size = self.whole(&counter.value, context)?;
            pairs.push((self.names.fresh(&counter.name), size));
        }
        for (counter, (name, _)) in counters.iter().zip(&pairs) {
            self.scope
                .push((&counter.name, Value::atom(name.clone(), Format::Integer)));
        }
        Ok(pairs)
    }

    /// A loop over all counters with the lines of its innermost body.
    fn nest(&mut self, counters: &[(String, String)], body: Vec<String>) {
        let depth = counters.len();
        for (level, (name, size)) in counters.iter().enumerate() {
            let pad = "    ".repeat(level);
            self.line(format!(
                "{pad}for (long {name} = 0; {name} < {size}; {name}++) {{"
            ));
        }
        let pad = "    ".repeat(depth.saturating_sub(1));
        self.lines(
            body.into_iter()
                .map(|line| format!("{pad}{line}"))
                .collect(),
        );
        for level in (0..depth).rev() {
            self.line(format!("{}}}", "    ".repeat(level)));
        }
    }

    /// Leaves the loop's variables in scope, and takes the counters off.
    pub(super) fn for_loop(
        &mut self,
        order: Scope,
        counters: &'a [Binding],
        variables: &'a [LoopVariable],
        context: Format,
    ) -> Result<()> {
        let depth = self.scope.len();
        let pairs = self.counters(counters, context)?;
        self.loop_variables(order, variables, context)?;
        let (body, ()) = self.apart(|writer| writer.updates(order, variables, 0, context))?;
        self.nest(&pairs, body);
        self.scope.drain(depth..depth + counters.len());
        Ok(())
    }

    pub(super) fn tensor(
        &mut self,
        counters: &'a [Binding],
        variables: &'a [LoopVariable],
        element: &'a Expr,
        context: Format,
    ) -> Result<Value> {
        let pairs = self.counters(counters, context)?;
        self.loop_variables(Scope::Sequential, variables, context)?;
        let name = self.names.fresh("tensor");
        let (mut body, element) = self.apart(|writer| {
            writer.updates(Scope::Sequential, variables, 0, context)?;
            writer.right_hand_side(element, context)
        })?;
        let offset = pairs.iter().fold(String::new(), |offset, (counter, size)| {
            match offset.as_str() {
                "" => counter.clone(),
                before if before.contains(' ') => format!("({before}) * {size} + {counter}"),
                before => format!("{before} * {size} + {counter}"),
            }
        });
        let sizes: Vec<String> = pairs.iter().map(|(_, size)| size.clone()).collect();
        let shape = [sizes, element.shape.clone()].concat();
        let (store, ()) = self.apart(|writer| {
            if element.shape.is_empty() {
                writer.line(format!("{name}[{offset}] = {};", element.text));
                return Ok(());
            }
            let part = format!("({name} + ({offset}) * {})", element.shape.join(" * "));
            writer.copy(&part, element.format, &element)
        })?;
        body.extend(store);
        self.line(format!(
            "{} {name}[{}];",
            type_name(element.format)?,
            shape.join(" * ")
        ));
        self.nest(&pairs, body);
        Ok(Value {
            shape,
            ..Value::atom(name, element.format)
        })
    }
}
