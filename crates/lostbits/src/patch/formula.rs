//! A tree of the source as a core for the search, and what the variables and literals of the core are called in it.

use super::tree::{Effect, Formula, Leaf, Part, Source, Span, Tree, names};
use crate::{
    fix::machine::Width,
    fpcore::{
        Core,
        ast::{Expr, Format, Kind, Parameter},
        number::Number,
        problem::Position,
    },
};

/// What is given to the search.
#[derive(Clone, Debug)]
pub struct Problem {
    pub tree: Tree,
    pub width: Width,
    pub core: Core,
    /// What the parameters of the core are in the source.
    pub leaves: Vec<Leaf>,
    /// The author's literals, by their values.
    pub literals: Vec<(f64, String)>,
}

impl Problem {
    pub fn new(tree: Tree, width: Width, text: &str) -> Problem {
        let mut tree = tree;
        spell_alike(&mut tree, &mut Vec::new());
        let mut leaves: Vec<Leaf> = Vec::new();
        for leaf in tree.leaves() {
            if !leaves.iter().any(|known| known.text == leaf.text) {
                leaves.push(leaf.clone());
            }
        }
        let format = match width {
            Width::Single => Format::Binary32,
            Width::Double => Format::Binary64,
        };
        let mut core = Core::of_expression(expression(&tree));
        core.format = format;
        core.parameters = leaves
            .iter()
            .map(|leaf| Parameter {
                name: leaf.text.clone(),
                format,
                annotation: Vec::new(),
                dimensions: Vec::new(),
            })
            .collect();
        // A literal of a macro in an included file has no text here.
        let written = |span: &Span| text.get(span.clone()).filter(|text| !text.is_empty());
        let literals = tree.nodes().into_iter().filter_map(|node| match node.part {
            Part::Number(value) => Some((value, written(&node.span)?.to_owned())),
            _ => None,
        });
        Problem {
            literals: literals.collect(),
            core,
            leaves,
            width,
            tree,
        }
    }
}

/// `(double)k` and `(double) k` are one variable, spelled as it comes first.
fn spell_alike(tree: &mut Tree, known: &mut Vec<String>) {
    match &mut tree.part {
        Part::Leaf(leaf) => {
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            // Blanks within quotes and between words mean something.
            let is_plain = !leaf.text.contains(['"', '\'']) && bare(&leaf.text).len() > 1;
            match known.iter().find(|one| bare(one) == bare(&leaf.text)) {
                Some(one) if is_plain => leaf.text.clone_from(one),
                _ => known.push(leaf.text.clone()),
            }
        }
        Part::Operation(_, operands) => {
            for operand in operands {
                spell_alike(operand, known);
            }
        }
        Part::Number(_) => {}
    }
}

fn expression(tree: &Tree) -> Expr {
    match &tree.part {
        // A literal of another format is the number that the compiler makes of it.
        Part::Number(value) => {
            let exact = rug::Rational::from_f64(*value).unwrap_or_default();
            let mut number = Number::from_f64(*value);
            number.value = exact;
            Expr::new(Position::default(), Kind::Number(number))
        }
        Part::Leaf(leaf) => Expr::variable(&leaf.text),
        Part::Operation(op, operands) => {
            let operands = operands.iter().map(expression).collect();
            Expr::new(Position::default(), Kind::Operation(*op, operands))
        }
    }
}

/// A formula with the variables replaced that straight-line code before it defines; none if there are none. Between a
/// definition and the formula there may only be definitions of other variables, so that all values are still the same.
pub fn inlined(source: &Source, formula: &Formula) -> Option<Tree> {
    let statement = &source.statements[formula.statement];
    if statement.is_loop {
        return None;
    }
    let mut earlier: Vec<&super::tree::Statement> = source
        .statements
        .iter()
        .filter(|one| one.block == statement.block && one.order < statement.order)
        .collect();
    earlier.sort_by_key(|one| std::cmp::Reverse(one.order));
    let mut tree = formula.tree.clone();
    let mut changed = false;
    for one in earlier {
        let Effect::Defines {
            name,
            is_declaration,
            formula: value,
        } = &one.effect
        else {
            break;
        };
        let uses = tree
            .leaves()
            .iter()
            .any(|leaf| leaf.is_name && leaf.text == *name);
        let mentions = tree
            .leaves()
            .iter()
            .any(|leaf| !leaf.is_name && names(&leaf.text).contains(&name.as_str()));
        let value = value.map(|index| &source.formulas[index]);
        match value {
            Some(value) if uses && !mentions && value.width == formula.width => {
                tree = replaced(&tree, name, &value.tree);
                changed = true;
            }
            // What memory holds may be changed through the variable's address.
            _ if uses || mentions => break,
            _ if !is_declaration && tree.leaves().iter().any(|leaf| !leaf.is_name) => break,
            _ => {}
        }
    }
    changed.then_some(tree)
}

fn replaced(tree: &Tree, name: &str, value: &Tree) -> Tree {
    match &tree.part {
        Part::Leaf(leaf) if leaf.text == name => value.clone(),
        Part::Operation(op, operands) => {
            let operands = operands
                .iter()
                .map(|one| replaced(one, name, value))
                .collect();
            Tree::operation(tree.span.clone(), tree.at, *op, operands)
        }
        _ => tree.clone(),
    }
}
