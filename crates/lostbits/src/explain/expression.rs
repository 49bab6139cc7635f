//! Symbolic expressions: what computed a value, with variables where executions differed.
//!
//! The runtime keeps one for each operation that it sampled (anti-unification, Herbgrind section 4.3); here
//! it becomes a tree. Where several modules or processes know the same site, their trees are
//! generalised once more.
//!
//! A single execution cannot distinguish variables from constants, but the operation's site says which operands are
//! literals of the source; these stay literals. Where nothing varied at all, all that the program has a name for is a variable. Of the
//! rest (what the optimiser carried along), only small whole numbers and halves that appear once are taken for constants,
//! and 0, 1 and 2 always, since these are what programs are written with.
//!
//! Variables are called what the program calls them, as far as debug information says: a leaf is an operand of
//! an operation, and the operation's site knows its operands' names. Different variables of one name are distinguished
//! by primes; variables without a name get a letter.

use std::collections::HashMap;

use lostbits_abi::{
    explain::{Operation, Position, PositionKind, Range},
    ops::Op,
    site::{Site, literal_of},
};

use super::rounding;

/// A node with what was seen of its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub term: Term,
    /// Nodes of one class have always had equal values.
    class: usize,
    /// What the program calls it.
    name: Option<String>,
    /// A literal of the source.
    is_literal: bool,
    pub values: Values,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    Operation {
        op: Op,
        /// None if it was met at several.
        site: Option<Site>,
        operands: Vec<Node>,
    },
    Constant(f64),
    Variable,
}

/// What was seen of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Values {
    pub all: Range,
    pub erroneous: Range,
    /// The first, and that of the worst execution of the whole expression.
    pub first: f64,
    pub worst: f64,
}

/// An expression whose variables have names.
#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    pub root: Node,
    names: HashMap<usize, String>,
    /// In the order in which they appear.
    pub variables: Vec<Variable>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub name: String,
    /// Whether the program calls it so; other names are letters.
    pub is_of_program: bool,
    pub values: Values,
}

const NAMES: &[&str] = &[
    "x", "y", "z", "u", "v", "w", "p", "q", "r", "s", "t", "a", "b", "c", "d", "f", "g", "h", "k",
    "l", "m", "n",
];

/// A constant that a program may be written with, judging from one execution; it appears so
/// many times.
fn looks_written(value: f64, times: usize) -> bool {
    const LARGEST: f64 = 16.0;
    let is_small = (value * 2.0).fract() == 0.0 && value.abs() <= LARGEST;
    [0.0, 1.0, 2.0].contains(&value.abs()) || (is_small && times == 1)
}

/// The tree of an entry; `site_of` knows the sites and what their operands are called. None if the entry is damaged.
pub fn tree<'a>(
    operation: &Operation,
    site_of: &impl Fn(u32) -> Option<(Site, &'a [String])>,
) -> Option<Node> {
    let count = (operation.positions as usize).min(operation.expression.len());
    node(&operation.expression[..count], 0, site_of)
}

fn node<'a>(
    positions: &[Position],
    index: usize,
    site_of: &impl Fn(u32) -> Option<(Site, &'a [String])>,
) -> Option<Node> {
    let position = positions.get(index)?;
    let term = match PositionKind::from_u8(position.kind) {
        PositionKind::Nothing => return None,
        PositionKind::Constant => Term::Constant(position.first),
        PositionKind::Variable => Term::Variable,
        PositionKind::Operation => {
            // Operands come after their operation, so a damaged entry cannot lead in a circle.
            let from = &position.from[..usize::from(position.operands).min(3)];
            let operands: Option<Vec<Node>> = from
                .iter()
                .map(|from| usize::from(*from))
                .map(|from| (from > index).then(|| node(positions, from, site_of))?)
                .collect();
            let mut operands = operands?;
            let (site, names) = site_of(position.site).unzip();
            for (operand, name) in operands.iter_mut().zip(names.unwrap_or_default()) {
                operand.take_name(name);
            }
            Term::Operation {
                op: Op::from_u16(position.op as u16)?,
                site,
                operands,
            }
        }
    };
    Some(Node {
        term,
        class: position.class.into(),
        name: None,
        is_literal: false,
        values: Values {
            all: position.all,
            erroneous: position.erroneous,
            first: position.first,
            worst: position.worst,
        },
    })
}

impl Node {
    /// What both are instances of. `second_is_worse`: the worst execution was of `other`.
    pub fn generalise(&self, other: &Node, second_is_worse: bool) -> Node {
        let mut classes = HashMap::new();
        generalised(self, other, second_is_worse, &mut classes)
    }

    /// Whether it or one of the nodes below it is such a one.
    pub fn any(&self, is_one: &dyn Fn(&Node) -> bool) -> bool {
        let operands = match &self.term {
            Term::Operation { operands, .. } => operands.as_slice(),
            _ => &[],
        };
        is_one(self) || operands.iter().any(|operand| operand.any(is_one))
    }

    /// What its operation's site calls it; a literal that had another value here is none.
    fn take_name(&mut self, name: &str) {
        match (literal_of(name), &self.term) {
            (Some(number), Term::Constant(value)) => {
                self.is_literal = number.to_bits() == value.to_bits();
            }
            (Some(_), _) => {}
            (None, _) => self.name = Some(name.to_owned()).filter(|name| !name.is_empty()),
        }
    }

    fn is_constant_of_program(&self, value: f64, times: usize) -> bool {
        self.is_literal || (self.name.is_none() && looks_written(value, times))
    }

    fn has_variables(&self) -> bool {
        match &self.term {
            Term::Variable => true,
            Term::Constant(_) => false,
            Term::Operation { operands, .. } => operands.iter().any(Node::has_variables),
        }
    }

    fn count_classes(&self, times: &mut HashMap<usize, usize>) {
        match &self.term {
            Term::Operation { operands, .. } => {
                operands.iter().for_each(|one| one.count_classes(times));
            }
            _ => *times.entry(self.class).or_default() += 1,
        }
    }

    fn free_constants(&mut self, times: &HashMap<usize, usize>) {
        match &mut self.term {
            Term::Constant(value) => {
                let value = *value;
                if !self.is_constant_of_program(value, times[&self.class]) {
                    self.term = Term::Variable;
                }
            }
            Term::Operation { operands, .. } => {
                operands
                    .iter_mut()
                    .for_each(|one| one.free_constants(times));
            }
            Term::Variable => {}
        }
    }

    fn leaves<'a>(&'a self, found: &mut Vec<&'a Node>) {
        match &self.term {
            Term::Constant(_) => {}
            Term::Operation { operands, .. } => {
                operands.iter().for_each(|operand| operand.leaves(found));
            }
            Term::Variable => found.push(self),
        }
    }
}

/// `x`, `y`, `z` …, then `x1`, `x2` …
fn variable_name(index: usize) -> String {
    match NAMES.get(index) {
        Some(name) => (*name).to_owned(),
        None => format!("x{}", index - NAMES.len() + 1),
    }
}

/// A class for each pair of classes that met.
fn generalised(
    first: &Node,
    second: &Node,
    second_is_worse: bool,
    classes: &mut HashMap<(usize, usize), usize>,
) -> Node {
    let next = classes.len();
    let class = *classes.entry((first.class, second.class)).or_insert(next);
    let term = match (&first.term, &second.term) {
        (Term::Constant(x), Term::Constant(y)) if x.to_bits() == y.to_bits() => Term::Constant(*x),
        (
            Term::Operation { op, site, operands },
            Term::Operation {
                op: other,
                site: elsewhere,
                operands: others,
            },
        ) if op == other && operands.len() == others.len() => Term::Operation {
            op: *op,
            site: site.clone().filter(|_| site == elsewhere),
            operands: operands
                .iter()
                .zip(others)
                .map(|(first, second)| generalised(first, second, second_is_worse, classes))
                .collect(),
        },
        _ => Term::Variable,
    };
    let name = match (&first.name, &second.name) {
        (Some(one), Some(other)) => Some(one).filter(|one| *one == other),
        (one, other) => one.as_ref().or(other.as_ref()),
    };
    let worse = if second_is_worse { second } else { first };
    let values = Values {
        all: united(first.values.all, second.values.all),
        erroneous: united(first.values.erroneous, second.values.erroneous),
        first: first.values.first,
        worst: worse.values.worst,
    };
    Node {
        term,
        class,
        name: name.cloned(),
        is_literal: first.is_literal && second.is_literal,
        values,
    }
}

fn united(first: Range, second: Range) -> Range {
    let side = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    Range {
        negative: side(first.negative, second.negative),
        positive: side(first.positive, second.positive),
        zeros: first.zeros.saturating_add(second.zeros),
        not_numbers: first.not_numbers.saturating_add(second.not_numbers),
    }
}

impl Expression {
    /// Whether these were the operands of its root at the worst.
    pub fn had_operands(&self, values: &[f64]) -> bool {
        let Term::Operation { operands, .. } = &self.root.term else {
            return false;
        };
        let at_worst = operands
            .iter()
            .map(|operand| operand.values.worst.to_bits());
        at_worst.eq(values.iter().map(|value| value.to_bits()))
    }

    pub fn new(mut root: Node) -> Expression {
        if let Term::Operation { operands, .. } = &mut root.term {
            operands.iter_mut().for_each(rounding::recognise);
        }
        if !root.has_variables() {
            let mut times = HashMap::new();
            root.count_classes(&mut times);
            root.free_constants(&times);
        }
        let (names, variables) = named(&root);
        Expression {
            root,
            names,
            variables,
        }
    }

    /// The name of a node that is a variable.
    pub fn name(&self, node: &Node) -> &str {
        self.names.get(&node.class).map_or("?", String::as_str)
    }
}

/// Names for the classes of an expression's variables, and the variables in the order in which they appear.
fn named(root: &Node) -> (HashMap<usize, String>, Vec<Variable>) {
    let mut leaves = Vec::new();
    root.leaves(&mut leaves);
    let of_program = program_names(&leaves);
    let (mut names, mut variables) = (HashMap::new(), Vec::<Variable>::new());
    for leaf in &leaves {
        if names.contains_key(&leaf.class) {
            continue;
        }
        let wish = of_program.get(&leaf.class).copied();
        let same = |known: &&Variable| {
            wish.is_some_and(|wish| primed(&known.name).0 == wish) && known.values == leaf.values
        };
        // Equality is checked to a depth; deeper, the same name with the same values is the same variable.
        let name = variables.iter().find(same).map(|known| known.name.clone());
        let name = name.unwrap_or_else(|| {
            let is_free = |name: &String| variables.iter().all(|known| known.name != *name);
            let name = match wish {
                Some(wish) => primes(wish).find(is_free),
                None => letters()
                    .filter(|name| of_program.values().all(|taken| first_word(taken) != name))
                    .find(is_free),
            };
            let name = name.expect("there is no end of names");
            variables.push(Variable {
                name: name.clone(),
                is_of_program: wish.is_some(),
                values: leaf.values,
            });
            name
        });
        names.insert(leaf.class, name);
    }
    (names, variables)
}

/// What the program calls the variables of a class; the first name counts. An element whose index is unknown is
/// one of many: if there are several, letters say more.
fn program_names<'a>(leaves: &[&'a Node]) -> HashMap<usize, &'a str> {
    let mut names = HashMap::new();
    for leaf in leaves {
        if let Some(name) = &leaf.name {
            names.entry(leaf.class).or_insert(name.as_str());
        }
    }
    let mut times: HashMap<&str, usize> = HashMap::new();
    names
        .values()
        .for_each(|name| *times.entry(name).or_default() += 1);
    names.retain(|_, name| !name.contains(UNKNOWN_INDEX) || times[name] == 1);
    names
}

/// How the pass writes an index that no variable holds.
const UNKNOWN_INDEX: char = '…';

/// The variable of which a name is a part: `p` of `p->x`.
fn first_word(name: &str) -> &str {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = name.find(is_of_word).unwrap_or(0);
    let rest = &name[start..];
    &rest[..rest.find(|c| !is_of_word(c)).unwrap_or(rest.len())]
}

/// `x`, `y`, `z` …, then `x1`, `x2` …
fn letters() -> impl Iterator<Item = String> {
    (0..).map(variable_name)
}

/// `x`, `x'`, `x''` …
fn primes(name: &str) -> impl Iterator<Item = String> {
    (0..).map(move |count| format!("{name}{}", "'".repeat(count)))
}

/// A name without its primes, and how many there are.
pub fn primed(name: &str) -> (&str, usize) {
    let bare = name.trim_end_matches('\'');
    (bare, name.len() - bare.len())
}
