//! Rust: statements and formulas by `syn`, with byte ranges from `proc-macro2`.
//!
//! Rust converts nothing by itself, so all operands of a sum have its type; whether that is a float, the cause that is
//! to be repaired says. Arguments of the formatting macros are read, other macros are not.

use lostbits_abi::ops::Op;
use syn::{
    BinOp, Block, Expr, ExprMacro, ImplItemFn, ItemFn, Lit, Local, Macro, Pat, Stmt, Token, UnOp,
    punctuated::Punctuated, spanned::Spanned, visit::Visit,
};

use super::builder::Builder;
use crate::{
    fix::machine::Width,
    patch::{
        functions::operation_named,
        tree::{Addition, Effect, Language, Leaf, Part, Procedure, Source, Span, Tree, normalised},
    },
};

pub fn read(text: &str) -> Result<Source, String> {
    let file = syn::parse_file(text).map_err(|error| format!("it is no Rust ({error})"))?;
    let mut reader = Reader {
        text,
        builder: Builder::default(),
    };
    let mut functions = Functions(Vec::new());
    functions.visit_file(&file);
    for (name, block) in functions.0 {
        reader.builder.source.procedures.push(Procedure {
            name,
            span: span(block),
            body: span(block).start,
        });
        reader.block(block);
    }
    Ok(reader.builder.source)
}

/// The bodies of all functions that are not in others.
struct Functions<'a>(Vec<(String, &'a Block)>);

impl<'a> Visit<'a> for Functions<'a> {
    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        let name = function.sig.ident.to_string();
        self.0.push((name, &function.block));
    }

    fn visit_impl_item_fn(&mut self, function: &'a ImplItemFn) {
        let name = function.sig.ident.to_string();
        self.0.push((name, &function.block));
    }
}

struct Reader<'a> {
    text: &'a str,
    builder: Builder,
}

fn span(node: &impl Spanned) -> Span {
    node.span().byte_range()
}

impl Reader<'_> {
    fn block(&mut self, block: &Block) {
        let id = self.builder.block();
        for (order, statement) in block.stmts.iter().enumerate() {
            let number = self.builder.statement(span(statement), id, order, true);
            match statement {
                Stmt::Local(local) => self.local(local, number),
                Stmt::Expr(expr, _) => self.expression_statement(expr, number),
                Stmt::Macro(one) => self.macro_arguments(&one.mac, number),
                Stmt::Item(_) => {}
            }
        }
    }

    fn local(&mut self, local: &Local, statement: usize) {
        let Some(init) = &local.init else {
            return;
        };
        self.visit(&init.expr, statement, false);
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            other => other,
        };
        if let Pat::Ident(name) = pattern
            && is_pure(&init.expr)
        {
            let effect = Effect::Defines {
                name: name.ident.to_string(),
                is_declaration: true,
                formula: self.whole(&init.expr, statement),
            };
            self.builder.effect(statement, effect);
        }
    }

    fn whole(&self, value: &Expr, statement: usize) -> Option<usize> {
        let wanted = span(stripped(value));
        let mut all = self.builder.source.formulas.iter().enumerate();
        let found = all.find(|(_, one)| one.statement == statement && one.tree.span == wanted);
        found.map(|(index, _)| index)
    }

    fn expression_statement(&mut self, expr: &Expr, statement: usize) {
        match expr {
            Expr::Assign(assign) => {
                self.visit(&assign.right, statement, false);
                let Some(name) = name_of(&assign.left).filter(|_| is_pure(&assign.right)) else {
                    return;
                };
                let effect = match stripped(&assign.right) {
                    Expr::Binary(sum)
                        if matches!(sum.op, BinOp::Add(_) | BinOp::Sub(_))
                            && name_of(&sum.left).as_ref() == Some(&name) =>
                    {
                        let is_difference = matches!(sum.op, BinOp::Sub(_));
                        addition(name, &sum.right, is_difference)
                    }
                    _ => Effect::Defines {
                        name,
                        is_declaration: false,
                        formula: self.whole(&assign.right, statement),
                    },
                };
                self.builder.effect(statement, effect);
            }
            Expr::Binary(binary) if is_update(&binary.op) => {
                self.visit(&binary.right, statement, false);
                let is_difference = matches!(binary.op, BinOp::SubAssign(_));
                if let (Some(name), BinOp::AddAssign(_) | BinOp::SubAssign(_)) =
                    (name_of(&binary.left), &binary.op)
                {
                    let effect = addition(name, &binary.right, is_difference);
                    self.builder.effect(statement, effect);
                }
            }
            _ => self.visit(expr, statement, false),
        }
    }

    /// Finds the formulas in an expression.
    fn visit(&mut self, expr: &Expr, statement: usize, is_operand: bool) {
        if let Some(tree) = self.tree(expr)
            && tree.size() > 0
        {
            let is_operand = is_operand && !matches!(expr, Expr::Paren(_));
            let width = Width::Double;
            self.builder
                .formula(tree, width, statement, is_operand, None);
            return;
        }
        match expr {
            Expr::Block(one) => self.block(&one.block),
            Expr::Unsafe(one) => self.block(&one.block),
            Expr::ForLoop(one) => {
                self.builder.enter_loop(statement);
                self.visit(&one.expr, statement, false);
                self.block(&one.body);
                self.builder.leave_loop();
            }
            Expr::While(one) => {
                self.builder.enter_loop(statement);
                self.visit(&one.cond, statement, false);
                self.block(&one.body);
                self.builder.leave_loop();
            }
            Expr::Loop(one) => {
                self.builder.enter_loop(statement);
                self.block(&one.body);
                self.builder.leave_loop();
            }
            Expr::If(one) => {
                self.visit(&one.cond, statement, false);
                self.block(&one.then_branch);
                if let Some((_, otherwise)) = &one.else_branch {
                    self.visit(otherwise, statement, false);
                }
            }
            Expr::Match(one) => {
                self.visit(&one.expr, statement, false);
                for arm in &one.arms {
                    self.visit(&arm.body, statement, false);
                }
            }
            Expr::Closure(one) => self.visit(&one.body, statement, false),
            Expr::Paren(one) => self.visit(&one.expr, statement, false),
            Expr::Group(one) => self.visit(&one.expr, statement, is_operand),
            Expr::Reference(one) => self.visit(&one.expr, statement, true),
            Expr::Unary(one) => self.visit(&one.expr, statement, true),
            Expr::Cast(one) => self.visit(&one.expr, statement, true),
            Expr::Field(one) => self.visit(&one.base, statement, true),
            Expr::Binary(one) => {
                let binds = matches!(
                    one.op,
                    BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
                );
                self.visit(&one.left, statement, binds);
                self.visit(&one.right, statement, binds);
            }
            Expr::MethodCall(one) => {
                self.visit(&one.receiver, statement, true);
                for argument in &one.args {
                    self.visit(argument, statement, false);
                }
            }
            Expr::Call(one) => {
                for argument in &one.args {
                    self.visit(argument, statement, false);
                }
            }
            Expr::Return(one) => {
                if let Some(value) = &one.expr {
                    self.visit(value, statement, false);
                }
            }
            Expr::Let(one) => self.visit(&one.expr, statement, false),
            Expr::Tuple(one) => one
                .elems
                .iter()
                .for_each(|element| self.visit(element, statement, false)),
            Expr::Array(one) => one
                .elems
                .iter()
                .for_each(|element| self.visit(element, statement, false)),
            Expr::Struct(one) => one
                .fields
                .iter()
                .for_each(|field| self.visit(&field.expr, statement, false)),
            Expr::Assign(_) => self.expression_statement(expr, statement),
            Expr::Macro(ExprMacro { mac, .. }) => self.macro_arguments(mac, statement),
            _ => {}
        }
    }

    fn macro_arguments(&mut self, one: &Macro, statement: usize) {
        const KNOWN: [&str; 9] = [
            "println", "print", "eprintln", "eprint", "format", "write", "writeln", "vec", "assert",
        ];
        let name = one.path.segments.last().map(|part| part.ident.to_string());
        if !name.is_some_and(|name| KNOWN.contains(&name.as_str())) {
            return;
        }
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(arguments) = one.parse_body_with(parser) {
            for argument in &arguments {
                self.visit(argument, statement, false);
            }
        }
    }

    /// None if it has side effects.
    fn tree(&self, expr: &Expr) -> Option<Tree> {
        let whole = span(expr);
        let at = whole.start;
        Some(match expr {
            Expr::Paren(inner) => self.tree(&inner.expr)?,
            Expr::Group(inner) => self.tree(&inner.expr)?,
            Expr::Lit(literal) => {
                let value = match &literal.lit {
                    Lit::Float(number) => number.base10_parse::<f64>().ok()?,
                    Lit::Int(number) => number.base10_parse::<i64>().ok()? as f64,
                    _ => return None,
                };
                let part = Part::Number(value);
                Tree {
                    span: whole,
                    at,
                    part,
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                Tree::operation(whole, at, Op::Neg, vec![self.tree(&unary.expr)?])
            }
            Expr::Binary(binary) => {
                let op = match binary.op {
                    BinOp::Add(_) => Op::Add,
                    BinOp::Sub(_) => Op::Sub,
                    BinOp::Mul(_) => Op::Mul,
                    BinOp::Div(_) => Op::Div,
                    _ => return None,
                };
                let operands = vec![self.tree(&binary.left)?, self.tree(&binary.right)?];
                Tree::operation(whole, span(&binary.op).start, op, operands)
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let mut operands = vec![self.tree(&call.receiver)?];
                for argument in &call.args {
                    operands.push(self.tree(argument)?);
                }
                let is_power = name == "powi" && matches!(operands[1].part, Part::Number(_));
                let op = match is_power {
                    true => Some(Op::Pow),
                    false => operation_named(Language::Rust, &name, operands.len()),
                };
                match op {
                    Some(op) => Tree::operation(whole, span(&call.method).start, op, operands),
                    None => return self.leaf(expr),
                }
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else {
                    return None;
                };
                let words: Vec<String> = path
                    .path
                    .segments
                    .iter()
                    .map(|part| part.ident.to_string())
                    .collect();
                let [.., of, name] = words.as_slice() else {
                    return None;
                };
                if !["f64", "f32"].contains(&of.as_str()) {
                    return None;
                }
                let operands: Option<Vec<Tree>> =
                    call.args.iter().map(|one| self.tree(one)).collect();
                let operands = operands?;
                let op = match name.as_str() {
                    "powi" => Op::Pow,
                    "from" => return self.leaf_of(expr),
                    _ => operation_named(Language::Rust, name, operands.len())?,
                };
                Tree::operation(whole, at, op, operands)
            }
            _ => return self.leaf(expr),
        })
    }

    fn leaf(&self, expr: &Expr) -> Option<Tree> {
        is_pure(expr).then(|| self.leaf_of(expr)).flatten()
    }

    fn leaf_of(&self, expr: &Expr) -> Option<Tree> {
        let whole = span(expr);
        let text = normalised(self.text.get(whole.clone())?);
        Some(Tree {
            at: whole.start,
            part: Part::Leaf(Leaf {
                is_name: name_of(expr).is_some(),
                is_integer: false,
                text,
            }),
            span: whole,
        })
    }
}

fn is_update(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_) | BinOp::SubAssign(_) | BinOp::MulAssign(_) | BinOp::DivAssign(_)
    )
}

fn addition(target: String, value: &Expr, is_difference: bool) -> Effect {
    let factors = match stripped(value) {
        Expr::Binary(product) if matches!(product.op, BinOp::Mul(_)) => {
            let is_plain = is_pure(&product.left) && is_pure(&product.right);
            is_plain.then(|| [span(&product.left), span(&product.right)])
        }
        _ => None,
    };
    Effect::Adds(Addition {
        target,
        width: Some(Width::Double),
        value: span(value),
        factors,
        is_difference,
    })
}

fn stripped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => stripped(&inner.expr),
        Expr::Group(inner) => stripped(&inner.expr),
        _ => expr,
    }
}

fn name_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// Whether evaluating it twice, or not at all, changes nothing.
fn is_pure(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(one) => is_pure(&one.expr),
        Expr::Group(one) => is_pure(&one.expr),
        Expr::Field(one) => is_pure(&one.base),
        Expr::Index(one) => is_pure(&one.expr) && is_pure(&one.index),
        Expr::Unary(one) => is_pure(&one.expr),
        Expr::Cast(one) => is_pure(&one.expr),
        Expr::Reference(one) => one.mutability.is_none() && is_pure(&one.expr),
        Expr::Binary(one) => !is_update(&one.op) && is_pure(&one.left) && is_pure(&one.right),
        Expr::MethodCall(one) => {
            let name = one.method.to_string();
            let is_known = ["powi", "len"].contains(&name.as_str())
                || operation_named(Language::Rust, &name, one.args.len() + 1).is_some();
            is_known && is_pure(&one.receiver) && one.args.iter().all(is_pure)
        }
        _ => false,
    }
}
