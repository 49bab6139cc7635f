//! C and C++: statements and formulas from clang's syntax tree.
//!
//! Types are clang's, so a quotient of integers is never taken for one of reals. Uses of macros are leaves; the formula
//! inside of one is a formula of its own, which is repaired in words only. It can miss formulas of lambdas and of functions in
//! included files.

use std::{ffi::OsString, path::Path};

use lostbits_abi::ops::Op;
use serde_json::Value;

use super::{
    builder::Builder,
    clang_json::{Node, Type, declarations},
};
use crate::{
    fix::machine::Width,
    fpcore::ast::operation,
    patch::{
        tree::{
            Addition, Effect, Language, Leaf, Part, Procedure, Source, Span, Tree, names,
            normalised,
        },
        write::is_atom,
    },
};

pub fn read(
    file: &Path,
    text: &str,
    language: Language,
    function: Option<&str>,
    options: &[OsString],
) -> Result<Source, String> {
    let declarations = declarations(file, language, function, options)?;
    let mut reader = Reader {
        text,
        builder: Builder::default(),
    };
    for declaration in &declarations {
        reader.declaration(declaration);
    }
    let mut source = reader.builder.source;
    refuse_templates(&mut source);
    Ok(source)
}

/// A template that is instantiated with several types has one text for all of them.
fn refuse_templates(source: &mut Source) {
    let all = source.formulas.clone();
    for formula in &mut source.formulas {
        let other = |one: &&crate::patch::tree::Formula| {
            one.tree.span == formula.tree.span && one.width != formula.width
        };
        if all.iter().find(other).is_some() {
            formula.refusal =
                Some("it is in a template that is used with several types".to_owned());
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    builder: Builder,
}

impl Reader<'_> {
    /// Functions, wherever they are declared.
    fn declaration(&mut self, value: &Value) {
        let node = Node(value);
        if node.kind() == "CompoundStmt" || !node.kind().ends_with("Decl") {
            return;
        }
        for inner in node.inner() {
            match inner.kind() {
                "CompoundStmt" if node.is_in_file() => {
                    if let (Some(span), Some(body)) = (self.span(node), self.span(inner)) {
                        self.builder.source.procedures.push(Procedure {
                            name: node.text("name").to_owned(),
                            span,
                            body: body.start,
                        });
                    }
                    self.block(inner);
                }
                _ => self.declaration(inner.0),
            }
        }
    }

    fn span(&self, node: Node) -> Option<Span> {
        node.span(self.text).map(|(span, _)| span)
    }

    fn block(&mut self, node: Node) {
        let block = self.builder.block();
        for (order, inner) in node.inner().into_iter().enumerate() {
            self.statement(inner, block, order * 64, true);
        }
    }

    fn statement(&mut self, node: Node, block: usize, order: usize, is_in_list: bool) {
        let Some(span) = self.span(node) else {
            return;
        };
        match node.kind() {
            "CompoundStmt" => return self.block(node),
            "DeclStmt" => return self.declared(node, block, order, is_in_list),
            _ => {}
        }
        let statement = self.builder.statement(span, block, order, is_in_list);
        match node.kind() {
            "ForStmt" | "WhileStmt" | "DoStmt" | "CXXForRangeStmt" => {
                self.builder.enter_loop(statement);
                self.parts(node, statement);
                self.builder.leave_loop();
            }
            "BinaryOperator" if node.text("opcode") == "=" => self.assignment(node, statement),
            "CompoundAssignOperator" => self.update(node, statement),
            _ => self.parts(node, statement),
        }
    }

    /// The statements and expressions in a statement.
    fn parts(&mut self, node: Node, statement: usize) {
        for inner in node.inner() {
            let kind = inner.kind();
            let is_statement = kind.ends_with("Stmt")
                || ["BinaryOperator", "CompoundAssignOperator"].contains(&kind)
                    && node.kind().ends_with("Stmt")
                    && is_assignment(inner);
            match is_statement {
                true => {
                    let block = self.builder.block();
                    self.statement(inner, block, 0, false);
                }
                false => self.visit(inner, statement, false),
            }
        }
    }

    fn declared(&mut self, node: Node, block: usize, order: usize, is_in_list: bool) {
        for (index, variable) in node.inner().into_iter().enumerate() {
            let Some(span) = self.span(node) else {
                continue;
            };
            let place = order + index.min(63);
            let statement = self.builder.statement(span, block, place, is_in_list);
            let Some(value) = variable.inner().into_iter().next_back() else {
                continue;
            };
            self.visit(value, statement, false);
            if variable.kind() == "VarDecl" && is_pure(value) {
                let effect = Effect::Defines {
                    name: variable.text("name").to_owned(),
                    is_declaration: true,
                    formula: self.whole(value, statement),
                };
                self.builder.effect(statement, effect);
            }
        }
    }

    /// The formula that is all of an expression.
    fn whole(&self, value: Node, statement: usize) -> Option<usize> {
        let span = self.span(stripped(value))?;
        let formulas = self.builder.source.formulas.iter();
        let mut all = formulas.enumerate();
        let found = all.find(|(_, one)| one.statement == statement && one.tree.span == span);
        found.map(|(index, _)| index)
    }

    fn assignment(&mut self, node: Node, statement: usize) {
        let inner = node.inner();
        let [target, value] = inner.as_slice() else {
            return;
        };
        self.visit(*value, statement, false);
        if target.kind() != "DeclRefExpr" || !is_pure(*value) {
            return;
        }
        let name = target.referenced().to_owned();
        let sum = stripped(*value);
        let operands = sum.inner();
        let is_sum = sum.kind() == "BinaryOperator" && ["+", "-"].contains(&sum.text("opcode"));
        let effect = match operands.as_slice() {
            [first, added] if is_sum && stripped(*first).referenced() == name => {
                self.addition(*target, *added, sum.text("opcode") == "-")
            }
            _ => Some(Effect::Defines {
                formula: self.whole(*value, statement),
                name,
                is_declaration: false,
            }),
        };
        if let Some(effect) = effect {
            self.builder.effect(statement, effect);
        }
    }

    fn update(&mut self, node: Node, statement: usize) {
        let inner = node.inner();
        let [target, value] = inner.as_slice() else {
            return;
        };
        self.visit(*value, statement, node.text("opcode") != "+=");
        let opcode = node.text("opcode");
        if target.kind() == "DeclRefExpr"
            && ["+=", "-="].contains(&opcode)
            && let Some(effect) = self.addition(*target, *value, opcode == "-=")
        {
            self.builder.effect(statement, effect);
        }
    }

    fn addition(&self, target: Node, value: Node, is_difference: bool) -> Option<Effect> {
        let product = stripped(value);
        let operands = product.inner();
        let factors = match operands.as_slice() {
            [x, y] if product.kind() == "BinaryOperator" && product.text("opcode") == "*" => {
                let same = |node: &Node| stripped(*node).value_type() == target.value_type();
                match same(x) && same(y) && is_pure(*x) && is_pure(*y) {
                    true => Some([self.span(*x)?, self.span(*y)?]),
                    false => None,
                }
            }
            _ => None,
        };
        Some(Effect::Adds(Addition {
            target: target.referenced().to_owned(),
            width: match target.value_type() {
                Type::Float(width) if stripped(value).value_type() == target.value_type() => {
                    Some(width)
                }
                _ => None,
            },
            value: self.span(value)?,
            factors,
            is_difference,
        }))
    }

    /// Finds the formulas in an expression.
    fn visit(&mut self, node: Node, statement: usize, is_operand: bool) {
        if let Type::Float(width) = node.value_type()
            && let Some(tree) = self.tree(node, width, None)
        {
            let is_operand = is_operand && node.kind() != "ParenExpr";
            self.builder
                .formula(tree, width, statement, is_operand, None);
            self.macros(node, statement);
            return;
        }
        let binds = match node.kind() {
            "BinaryOperator" => ["+", "-", "*", "/", "%"].contains(&node.text("opcode")),
            "UnaryOperator" | "CStyleCastExpr" | "CXXOperatorCallExpr" => true,
            "ImplicitCastExpr" | "ExprWithCleanups" | "MaterializeTemporaryExpr" => is_operand,
            _ => false,
        };
        for inner in node.inner() {
            if !inner.kind().ends_with("Decl") {
                self.visit(inner, statement, binds);
            }
        }
    }

    /// The formulas inside of macros that an expression uses. What they become is only suggested: the macro has other uses.
    fn macros(&mut self, node: Node, statement: usize) {
        match (node.span(self.text), node.value_type()) {
            (Some((span, true)), Type::Float(width)) => {
                let name = names(&self.text[span.clone()]);
                let refusal = name
                    .first()
                    .map(|name| format!("it is in the macro `{name}`, which fix does not change"));
                if let Some(tree) = self.tree(node, width, Some(&span)) {
                    self.builder.formula(tree, width, statement, true, refusal);
                }
            }
            _ => {
                for inner in node.inner() {
                    self.macros(inner, statement);
                }
            }
        }
    }

    /// The tree of an expression of this width; none if it has side effects. Inside of a macro, all operations are where the
    /// macro is used; leaves are its arguments, and what its definition has of other names.
    fn tree(&self, node: Node, width: Width, inside: Option<&Span>) -> Option<Tree> {
        let (span, is_macro) = match inside {
            Some(whole) => (whole.clone(), false),
            None => node.span(self.text)?,
        };
        if let Some(value) = literal(node, width) {
            let span = match inside {
                Some(whole) => {
                    let spelled = stripped(node).spelled(self.text);
                    spelled.unwrap_or(whole.start..whole.start)
                }
                None => span,
            };
            return Some(Tree {
                at: span.start,
                span,
                part: Part::Number(value),
            });
        }
        if is_macro || inside.is_some() && node.is_macro_argument() {
            return self.leaf(node, inside);
        }
        let inner = node.inner();
        match (node.kind(), inner.as_slice()) {
            ("ParenExpr" | "ExprWithCleanups" | "MaterializeTemporaryExpr", [one]) => {
                self.tree(*one, width, inside)
            }
            ("ImplicitCastExpr" | "CStyleCastExpr" | "CXXStaticCastExpr", [one])
                if one.value_type() == Type::Float(width) =>
            {
                self.tree(*one, width, inside)
            }
            ("BinaryOperator", [x, y]) => {
                let op = match node.text("opcode") {
                    "+" => Op::Add,
                    "-" => Op::Sub,
                    "*" => Op::Mul,
                    "/" => Op::Div,
                    _ => return self.leaf(node, inside),
                };
                let at = match inside {
                    Some(whole) => whole.start,
                    None => {
                        let between = self.span(*x)?.end..self.span(*y)?.start;
                        between.start + self.text.get(between.clone())?.find(node.text("opcode"))?
                    }
                };
                let operands = vec![self.tree(*x, width, inside)?, self.tree(*y, width, inside)?];
                Some(Tree::operation(span, at, op, operands))
            }
            ("UnaryOperator", [x]) => match node.text("opcode") {
                "-" => {
                    let operand = self.tree(*x, width, inside)?;
                    Some(Tree::operation(
                        span.clone(),
                        span.start,
                        Op::Neg,
                        vec![operand],
                    ))
                }
                "+" => self.tree(*x, width, inside),
                _ => self.leaf(node, inside),
            },
            ("CallExpr", [callee, operands @ ..]) => {
                let Some(op) = function(stripped(*callee).referenced(), operands.len()) else {
                    return self.leaf(node, inside);
                };
                let operands: Option<Vec<Tree>> = operands
                    .iter()
                    .map(|operand| self.tree(*operand, width, inside))
                    .collect();
                Some(Tree::operation(span.clone(), span.start, op, operands?))
            }
            _ => self.leaf(node, inside),
        }
    }

    fn leaf(&self, node: Node, inside: Option<&Span>) -> Option<Tree> {
        let bare = match node.kind() {
            "ImplicitCastExpr" => stripped(node),
            _ => node,
        };
        let span = match inside {
            Some(_) => bare.spelled(self.text)?,
            None => self.span(bare)?,
        };
        let mut text = normalised(self.text.get(span.clone())?);
        if inside.is_some() && !is_atom(&text) {
            text = format!("({text})");
        }
        is_pure(node).then(|| Tree {
            at: span.start,
            span,
            part: Part::Leaf(Leaf {
                is_name: bare.kind() == "DeclRefExpr",
                is_integer: bare.value_type() == Type::Integer,
                text,
            }),
        })
    }
}

fn is_assignment(node: Node) -> bool {
    node.kind() == "CompoundAssignOperator" || node.text("opcode") == "="
}

/// Without parentheses and casts that are not written.
fn stripped(node: Node) -> Node {
    let inner = node.inner();
    match (node.kind(), inner.as_slice()) {
        (
            "ParenExpr" | "ImplicitCastExpr" | "ExprWithCleanups" | "MaterializeTemporaryExpr",
            [one],
        ) => stripped(*one),
        _ => node,
    }
}

/// The value of a literal in a format.
fn literal(node: Node, width: Width) -> Option<f64> {
    let bare = stripped(node);
    let value: f64 = match bare.kind() {
        "FloatingLiteral" | "IntegerLiteral" => bare.text("value").parse().ok()?,
        _ => return None,
    };
    let own = match bare.value_type() {
        Type::Float(own) => own.round(value),
        _ => value,
    };
    Some(width.round(own))
}

/// A function of the library, by its name in C.
fn function(name: &str, arity: usize) -> Option<Op> {
    let name = if name == "abs" { "fabs" } else { name };
    let of_floats = name.strip_suffix('f').filter(|name| !name.is_empty());
    operation(name, arity).or_else(|| operation(of_floats?, arity))
}

/// Whether evaluating it twice, or not at all, changes nothing.
fn is_pure(node: Node) -> bool {
    let kind = node.kind();
    let is_known = match kind {
        "DeclRefExpr"
        | "MemberExpr"
        | "ArraySubscriptExpr"
        | "ParenExpr"
        | "ImplicitCastExpr"
        | "CStyleCastExpr"
        | "CXXStaticCastExpr"
        | "CXXFunctionalCastExpr"
        | "FloatingLiteral"
        | "IntegerLiteral"
        | "CXXThisExpr"
        | "ExprWithCleanups"
        | "MaterializeTemporaryExpr"
        | "ConditionalOperator"
        | "UnaryExprOrTypeTraitExpr"
        | "CXXBoolLiteralExpr"
        | "SubstNonTypeTemplateParmExpr"
        | "CharacterLiteral" => true,
        "BinaryOperator" => !["=", ","].contains(&node.text("opcode")),
        "UnaryOperator" => !["++", "--"].contains(&node.text("opcode")),
        "CallExpr" => {
            let inner = node.inner();
            let callee = inner
                .first()
                .map_or("", |callee| stripped(*callee).referenced());
            function(callee, inner.len().saturating_sub(1)).is_some()
        }
        "CXXOperatorCallExpr" => {
            let inner = node.inner();
            let callee = inner
                .first()
                .map_or("", |callee| stripped(*callee).referenced());
            ["operator[]", "operator()", "operator*"].contains(&callee)
        }
        _ => false,
    };
    is_known && !node.is_volatile() && node.inner().into_iter().all(is_pure)
}
