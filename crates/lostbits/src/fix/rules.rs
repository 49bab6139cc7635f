//! The rules of rewriting, each an identity of real analysis under its conditions.
//!
//! A rule may assume that its left side is defined on the domain (see [`super::analysis`]): that x/y occurs says that
//! y is not 0. What else the right side needs is a condition, checked on the intervals of the classes. A test
//! (`tests/fix/rules.rs`) evaluates both sides of every rule in the interval evaluator.
//!
//! Rules with a sentence are *idioms*: repairs that people know by name and that reports quote.

use std::sync::OnceLock;

use egg::{ENodeOrVar, Id, Language, Pattern, PatternAst, Rewrite, Subst};
use lostbits_abi::ops::Op;
use rug::Rational;

use super::{
    analysis::{Graph, Ranges, of_class},
    interval::{self, Interval},
    math::Math,
    rule_table::TABLE,
};

/// An identity as the table has it.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub name: &'static str,
    pub left: &'static str,
    pub right: &'static str,
    /// Such as `positive ?a`; all must hold.
    pub conditions: &'static [&'static str],
    /// What the repair does, for idioms.
    pub sentence: Option<&'static str>,
}

/// What a condition demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    Nonzero,
    Positive,
    Nonnegative,
    /// Greater than -1.
    AboveMinusOne,
    /// From -1 to 1, both excluded.
    WithinOne,
    /// From -π/2 to π/2.
    WithinHalfPi,
    /// One number, not 0: what is done to it is done before the program runs.
    Number,
    /// More than one number: 2 is no 1² + 1².
    Varies,
}

impl Demand {
    fn read(word: &str) -> Option<Demand> {
        Some(match word {
            "nonzero" => Demand::Nonzero,
            "positive" => Demand::Positive,
            "nonnegative" => Demand::Nonnegative,
            "above-1" => Demand::AboveMinusOne,
            "within1" => Demand::WithinOne,
            "within-half-pi" => Demand::WithinHalfPi,
            "number" => Demand::Number,
            "varies" => Demand::Varies,
            _ => return None,
        })
    }

    pub fn holds(self, values: Interval) -> bool {
        match self {
            Demand::Nonzero => values.nonzero,
            Demand::Positive => values.is_positive(),
            Demand::Nonnegative => values.is_nonnegative(),
            Demand::AboveMinusOne => values.low > -1.0,
            Demand::WithinOne => values.low > -1.0 && values.high < 1.0,
            Demand::WithinHalfPi => values.low >= -1.57 && values.high <= 1.57,
            Demand::Varies => values.low < values.high,
            Demand::Number => {
                values.nonzero && values.high - values.low <= 1e-15 * values.high.abs()
            }
        }
    }
}

/// A condition, read.
#[derive(Clone, Debug)]
pub struct Condition {
    pub demand: Demand,
    pub of: PatternAst<Math>,
}

impl Condition {
    /// Panics on a malformed row: every row is read by the tests.
    pub fn read(text: &str) -> Condition {
        let (word, pattern) = text.split_once(' ').expect("a demand and a pattern");
        Condition {
            demand: Demand::read(word).unwrap_or_else(|| panic!("no demand `{word}`")),
            of: pattern.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
        }
    }

    fn holds(&self, graph: &Graph, matched: &Subst) -> bool {
        self.demand.holds(values(graph, &self.of, matched))
    }
}

/// The values of a pattern, by the intervals of the classes that it is matched with and of its own class if there is
/// one.
fn values(graph: &Graph, pattern: &PatternAst<Math>, matched: &Subst) -> Interval {
    let mut all: Vec<(Interval, Option<Id>)> = Vec::new();
    for node in pattern.iter() {
        let known = match node {
            ENodeOrVar::Var(variable) => {
                let class = graph.find(matched[*variable]);
                (graph[class].data.values, Some(class))
            }
            ENodeOrVar::ENode(node) => {
                let operands: Vec<Interval> = node
                    .children()
                    .iter()
                    .map(|id| all[usize::from(*id)].0)
                    .collect();
                let classes: Option<Vec<Id>> = node
                    .children()
                    .iter()
                    .map(|id| all[usize::from(*id)].1)
                    .collect();
                let class = classes.as_ref().and_then(|classes| {
                    let mut node = node.clone();
                    node.children_mut().copy_from_slice(classes);
                    graph.lookup(node)
                });
                let by_class = class.map(|class| graph[class].data.values);
                let by_operands = match node {
                    Math::Number(value) => Interval::point(value.to_f64()),
                    _ => node
                        .op()
                        .map_or(Interval::ALL, |op| interval::operation(op, &operands)),
                };
                let both = by_class.map_or(by_operands, |known| known.intersected(by_operands));
                // x + 1 and x differ by 1, whatever x is.
                let both = match (node.op(), &classes) {
                    (Some(Op::Sub), Some(classes)) => {
                        difference(graph, classes).map_or(both, Interval::point)
                    }
                    _ => both,
                };
                (both, class)
            }
        };
        all.push(known);
    }
    all.last().map_or(Interval::ALL, |(values, _)| *values)
}

/// The difference of two classes, if it is a number.
fn difference(graph: &Graph, classes: &[Id]) -> Option<f64> {
    let [a, b] = classes else { return None };
    let minus = Rational::from(-1);
    let difference = of_class(graph, *a).plus(&of_class(graph, *b), &minus)?;
    let value = difference.value()?;
    let nearest = value.to_f64();
    (Rational::from_f64(nearest)? == value).then_some(nearest)
}

/// All rules, for the e-graph.
pub fn rewrites() -> &'static [Rewrite<Math, Ranges>] {
    static REWRITES: OnceLock<Vec<Rewrite<Math, Ranges>>> = OnceLock::new();
    REWRITES.get_or_init(|| TABLE.iter().map(rewrite).collect())
}

fn rewrite(rule: &Rule) -> Rewrite<Math, Ranges> {
    let read = |text: &str| -> Pattern<Math> {
        text.parse()
            .unwrap_or_else(|error| panic!("rule {}: {error}", rule.name))
    };
    let conditions: Vec<Condition> = rule
        .conditions
        .iter()
        .map(|text| Condition::read(text))
        .collect();
    let (left, right) = (read(rule.left), read(rule.right));
    let made = if conditions.is_empty() {
        Rewrite::new(rule.name, left, right)
    } else {
        let all = move |graph: &mut Graph, _: Id, matched: &Subst| {
            conditions
                .iter()
                .all(|condition| condition.holds(graph, matched))
        };
        let applier = egg::ConditionalApplier {
            condition: all,
            applier: right,
        };
        Rewrite::new(rule.name, left, applier)
    };
    made.unwrap_or_else(|error| panic!("rule {}: {error}", rule.name))
}

/// The rule of a name.
pub fn named(name: &str) -> Option<&'static Rule> {
    TABLE.iter().find(|rule| rule.name == name)
}
