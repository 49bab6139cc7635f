//! Fortran, free form: procedures, declarations, loops and assignments of reals.
//!
//! It can miss formulas outside of assignments (arguments, conditions), and takes what follows `%` for memory.

use std::{collections::HashMap, path::Path};

use super::{
    builder::Builder,
    fortran_expression::{Declared, Reader, Typed},
    fortran_lines::lines,
};
use crate::{
    fix::machine::Width,
    patch::tree::{Addition, Effect, Part, Procedure, Source, Span},
};
use lostbits_abi::ops::Op;

pub fn read(file: &Path, text: &str) -> Result<Source, String> {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    if ["f", "for", "f77", "ftn"].contains(&extension.to_lowercase().as_str()) {
        return Err("it is in fixed form, which fix does not read".to_owned());
    }
    let (clean, lines) = lines(text);
    let mut scan = Scan {
        clean: &clean,
        text,
        builder: Builder::default(),
        scopes: vec![Scope::default()],
        blocks: Vec::new(),
        interface: false,
        procedures: Vec::new(),
    };
    let first = scan.builder.block();
    scan.blocks.push((first, 0, false));
    for line in lines {
        scan.line(line.span);
    }
    let mut source = scan.builder.source;
    source.procedures = scan.procedures;
    Ok(source)
}

#[derive(Default)]
struct Scope {
    declared: HashMap<String, (Declared, bool)>,
    procedure: Option<usize>,
}

struct Scan<'a> {
    clean: &'a str,
    text: &'a str,
    builder: Builder,
    scopes: Vec<Scope>,
    /// Number, next place, and whether it is a loop's body.
    blocks: Vec<(usize, usize, bool)>,
    /// In an interface or the definition of a type.
    interface: bool,
    procedures: Vec<Procedure>,
}

const TYPES: [&str; 8] = [
    "integer",
    "real",
    "double",
    "complex",
    "logical",
    "character",
    "type",
    "class",
];
const SPECIFICATIONS: [&str; 16] = [
    "use",
    "implicit",
    "import",
    "parameter",
    "data",
    "save",
    "external",
    "intrinsic",
    "contains",
    "public",
    "private",
    "include",
    "namelist",
    "common",
    "dimension",
    "procedure",
];
const PREFIXES: [&str; 5] = ["pure", "elemental", "recursive", "impure", "module"];

impl Scan<'_> {
    fn line(&mut self, span: Span) {
        let text = &self.clean[span.clone()];
        let words: Vec<&str> = crate::patch::tree::names(text);
        let first = words.first().copied().unwrap_or_default();
        let squeezed: String = text.split_whitespace().collect();
        if self.interface {
            self.interface = !["endinterface", "endtype"]
                .iter()
                .any(|end| squeezed.starts_with(end));
            return;
        }
        if first == "interface" || (first == "type" && !squeezed.starts_with("type(")) {
            self.interface = true;
            return;
        }
        if self.assigned(&span) {
            return;
        }
        if self.unit(&span, &words, &squeezed) {
            return;
        }
        if TYPES.contains(&first) {
            self.declaration(text);
            return;
        }
        if SPECIFICATIONS.contains(&first) || text.starts_with('#') {
            return;
        }
        self.executable(&span, first, &words, &squeezed);
    }

    /// The beginning or end of a procedure.
    fn unit(&mut self, span: &Span, words: &[&str], squeezed: &str) -> bool {
        let ends = [
            "endprogram",
            "endsubroutine",
            "endfunction",
            "endmodule",
            "endprocedure",
        ];
        if squeezed == "end" || ends.iter().any(|end| squeezed.starts_with(end)) {
            if self.scopes.len() > 1
                && let Some(scope) = self.scopes.pop()
                && let Some(procedure) = scope.procedure
            {
                self.procedures[procedure].span.end = span.end;
            }
            return true;
        }
        let begins = |word: &&str| ["program", "subroutine", "function", "module"].contains(word);
        let Some(at) = words.iter().position(begins).filter(|at| {
            words[..*at].iter().all(|word| {
                PREFIXES.contains(word)
                    || TYPES.contains(word)
                    || *word == "precision"
                    || *word == "kind"
                    || word.len() < 9
            })
        }) else {
            return false;
        };
        let is_heading = at == 0 || !self.clean[span.clone()].contains("::");
        if !is_heading || words.len() <= at + 1 {
            return false;
        }
        let name = words[at + 1].to_owned();
        self.procedures.push(Procedure {
            name: name.clone(),
            span: span.clone(),
            body: 0,
        });
        let mut scope = Scope {
            declared: HashMap::new(),
            procedure: Some(self.procedures.len() - 1),
        };
        if let Some(type_name) = words[..at].iter().find(|word| TYPES.contains(word)) {
            scope.declared.insert(name, (declared(type_name), false));
        }
        self.scopes.push(scope);
        let block = self.builder.block();
        self.blocks.truncate(1);
        self.blocks.push((block, 0, false));
        true
    }

    fn declaration(&mut self, text: &str) {
        let type_name = crate::patch::tree::names(text)[0].to_owned();
        let (attributes, list) = text.split_once("::").unwrap_or((&type_name, text));
        let list = match text.contains("::") {
            true => list,
            false => list.trim_start_matches(|c: char| c != ' '),
        };
        let of_all = attributes.contains("dimension");
        let mut depth = 0;
        for part in list.split(|c: char| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            c == ',' && depth == 0
        }) {
            if let Some(name) = crate::patch::tree::names(part).first() {
                let before = part.split('=').next().unwrap_or_default();
                let is_array = of_all || before.contains('(');
                let scope = self.scopes.last_mut().expect("there is one");
                scope
                    .declared
                    .insert((*name).to_owned(), (declared(&type_name), is_array));
            }
        }
    }

    fn of_name(&self, name: &str) -> Option<(Declared, bool)> {
        let mut scopes = self.scopes.iter().rev();
        scopes.find_map(|scope| scope.declared.get(name).copied())
    }

    fn place(&mut self) -> (usize, usize) {
        let block = self.blocks.last_mut().expect("there is one");
        block.1 += 1;
        (block.0, block.1)
    }

    fn started(&mut self, at: usize) {
        if let Some(procedure) = self.scopes.last().and_then(|scope| scope.procedure)
            && self.procedures[procedure].body == 0
        {
            self.procedures[procedure].body = at;
        }
    }

    fn executable(&mut self, span: &Span, first: &str, words: &[&str], squeezed: &str) {
        self.started(span.start);
        let is_block_end = [
            "enddo",
            "endif",
            "endselect",
            "endwhere",
            "endblock",
            "endassociate",
            "endforall",
        ]
        .iter()
        .any(|end| squeezed.starts_with(end));
        let is_middle =
            ["else", "case", "elsewhere"].contains(&first) || squeezed.starts_with("elseif");
        if is_block_end || is_middle {
            if self.blocks.len() > 1
                && let Some((_, _, is_loop)) = self.blocks.pop()
                && is_loop
            {
                self.builder.leave_loop();
                let number = self.builder.source.loops.len();
                // The loop that ends here is the last one whose end is not known.
                let open = (0..number).rev().find(|index| {
                    let one = &self.builder.source.loops[*index];
                    one.span.end == one.span.start
                });
                if let Some(open) = open {
                    let statement = self.builder.source.loops[open].statement;
                    self.builder.source.loops[open].span.end = span.end;
                    self.builder.source.statements[statement].span.end = span.end;
                }
            }
            if is_block_end {
                return;
            }
        }
        let is_loop = first == "do" || (squeezed.contains(":do") && words.get(1) == Some(&"do"));
        let opens = is_loop
            || is_middle
            || (first == "if" && squeezed.ends_with(")then"))
            || squeezed.starts_with("selectcase")
            || ["block", "associate"].contains(&first);
        if !is_middle {
            let (block, order) = self.place();
            let open = if is_loop {
                span.start..span.start
            } else {
                span.clone()
            };
            let statement = self.builder.statement(open, block, order, true);
            if is_loop {
                self.builder.enter_loop(statement);
            }
        }
        if opens {
            let block = self.builder.block();
            self.blocks.push((block, 0, is_loop));
        }
    }

    /// `x = expression`, also after `if (…)`.
    fn assigned(&mut self, span: &Span) -> bool {
        let text = &self.clean[span.clone()];
        let (start, is_in_list) =
            match text.starts_with("if") && text[2..].trim_start().starts_with('(') {
                false => (span.start, true),
                true => match after_condition(text) {
                    Some(after) => (span.start + after, false),
                    None => return false,
                },
            };
        let Some(equals) = equals(&self.clean[start..span.end]) else {
            return false;
        };
        let target = self.clean[start..start + equals].trim().to_owned();
        if !is_reference(&target) {
            return false;
        }
        let name = crate::patch::tree::names(&target)[0].to_owned();
        if target.starts_with("do ") || target.contains("::") {
            return false;
        }
        self.started(span.start);
        let value_at = start + equals + 1;
        let (block, order) = self.place();
        let statement = self
            .builder
            .statement(span.clone(), block, order, is_in_list);
        let declared = |name: &str| {
            self.of_name(name)
                .map_or_else(|| implied(name), |one| one.0)
        };
        let is_variable = |name: &str| {
            self.of_name(name)
                .is_some_and(|one| one.1 || one.0 == Declared::Other)
        };
        let mut reader = Reader {
            clean: self.clean,
            original: self.text,
            at: value_at,
            end: span.end,
            declared: &declared,
            is_variable: &is_variable,
        };
        let value = reader.expression();
        reader.blanks();
        let is_whole = reader.rest().is_empty();
        let Some(value) = value.filter(|value| is_whole && !value.is_integer) else {
            return true;
        };
        self.value(value, &target, &name, statement);
        true
    }

    fn value(&mut self, value: Typed, target: &str, name: &str, statement: usize) {
        let is_name = target == name;
        let tree = value.tree;
        let formula = self
            .builder
            .formula(tree.clone(), Width::Double, statement, false, None);
        let added = match &tree.part {
            Part::Operation(op @ (Op::Add | Op::Sub), operands) => match &operands[0].part {
                Part::Leaf(leaf) if leaf.text.eq_ignore_ascii_case(target) && is_name => {
                    Some((*op == Op::Sub, operands[1].clone()))
                }
                _ => None,
            },
            _ => None,
        };
        let effect = match added {
            Some((is_difference, added)) => {
                let factors = match &added.part {
                    Part::Operation(Op::Mul, factors) => {
                        Some([factors[0].span.clone(), factors[1].span.clone()])
                    }
                    _ => None,
                };
                Effect::Adds(Addition {
                    target: name.to_owned(),
                    width: Some(Width::Double),
                    value: added.span.start..value.outer.end,
                    factors,
                    is_difference,
                })
            }
            None if is_name => Effect::Defines {
                name: name.to_owned(),
                is_declaration: false,
                formula,
            },
            None => Effect::Other,
        };
        self.builder.effect(statement, effect);
    }
}

fn declared(type_name: &str) -> Declared {
    match type_name {
        "integer" => Declared::Integer,
        "real" | "double" => Declared::Real,
        _ => Declared::Other,
    }
}

fn implied(name: &str) -> Declared {
    match name.as_bytes().first() {
        Some(b'i'..=b'n') => Declared::Integer,
        _ => Declared::Real,
    }
}

/// What follows the condition of an `if` on one line.
fn after_condition(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    let rest = &text[at + 1..];
                    let blanks = rest.len() - rest.trim_start().len();
                    return Some(at + 1 + blanks);
                }
            }
            _ => {}
        }
    }
    None
}

/// The sign of an assignment.
fn equals(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0;
    for (at, c) in bytes.iter().enumerate() {
        match c {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'=' if depth == 0 => {
                let next = bytes.get(at + 1);
                let before = at.checked_sub(1).map(|before| bytes[before]);
                let is_other = matches!(next, Some(b'=' | b'>'))
                    || matches!(before, Some(b'=' | b'<' | b'>' | b'/'));
                return (!is_other).then_some(at);
            }
            _ => {}
        }
    }
    None
}

/// `x`, `a(i)`, `self%x`.
fn is_reference(text: &str) -> bool {
    let mut depth = 0;
    let mut all = text.chars();
    all.next().is_some_and(|c| c.is_ascii_alphabetic())
        && text.chars().all(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth > 0 || c.is_ascii_alphanumeric() || ['_', '%', ')', '('].contains(&c)
        })
}
