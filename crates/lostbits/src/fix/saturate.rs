//! Equality saturation: an e-graph of everything that the rules make of an expression.
//!
//! Limits are counted in nodes and rounds, not in seconds, so that the same input gives the same repair. Between
//! rounds the polynomials of classes are written out: classes with the same polynomial are one class, and each gets its
//! polynomial's simplest forms.

use std::{collections::HashMap, time::Duration};

use egg::{BackoffScheduler, Id, Runner};
use lostbits_abi::ops::Op;
use rug::Rational;

use super::{
    analysis::{Graph, Ranges, assume_defined, of_class},
    interval::Interval,
    math::{Math, Term},
    polynomial::{Monomial, Polynomial},
    rules::rewrites,
};

/// How far saturation goes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub nodes: usize,
    pub rounds: usize,
}

/// The e-graph and the class of the expression.
pub struct Saturated {
    pub graph: Graph,
    pub root: Id,
}

/// All forms of the terms, which are equal to each other; the first is the original, whose domain counts.
pub fn saturate(terms: &[&Term], ranges: &[Interval], limits: Limits) -> Saturated {
    let mut graph = Graph::new(Ranges(ranges.to_vec()));
    let roots = enter(&mut graph, terms);
    for root in &roots[1..] {
        graph.union_trusted(roots[0], *root, "candidate");
    }
    graph.rebuild();
    let graph = run(graph, limits, |_| false);
    let root = graph.find(roots[0]);
    Saturated { graph, root }
}

/// Adds terms; that the first is defined is assumed.
pub fn enter(graph: &mut Graph, terms: &[&Term]) -> Vec<Id> {
    let mut roots = Vec::new();
    for (index, term) in terms.iter().enumerate() {
        let mut classes: Vec<Id> = Vec::new();
        for node in term.iter() {
            let mut node = node.clone();
            for child in egg::Language::children_mut(&mut node) {
                *child = classes[usize::from(*child)];
            }
            classes.push(graph.add(node));
        }
        graph.rebuild();
        if index == 0 {
            assume_defined(graph, term, &classes);
        }
        roots.push(*classes.last().expect("a term has a node"));
    }
    roots
}

/// Applies the rules until nothing is new, a limit is reached or `is_done`.
pub fn run(graph: Graph, limits: Limits, is_done: impl Fn(&Graph) -> bool + 'static) -> Graph {
    let mut written: HashMap<Polynomial, Id> = HashMap::new();
    let scheduler = BackoffScheduler::default()
        .with_initial_match_limit(300)
        .with_ban_length(2);
    let runner = Runner::<Math, Ranges, ()>::new(graph.analysis.clone())
        .with_egraph(graph)
        .with_scheduler(scheduler)
        .with_node_limit(limits.nodes)
        .with_iter_limit(limits.rounds)
        .with_time_limit(Duration::from_secs(3600))
        .with_hook(move |runner| {
            write_polynomials(&mut runner.egraph, &mut written);
            match is_done(&runner.egraph) {
                true => Err("done".to_owned()),
                false => Ok(()),
            }
        })
        .run(rewrites());
    let mut graph = runner.egraph;
    graph.rebuild();
    graph
}

/// Polynomials longer than this are not written out.
const WRITTEN: usize = 14;

fn write_polynomials(graph: &mut Graph, written: &mut HashMap<Polynomial, Id>) {
    let mut classes: Vec<Id> = graph.classes().map(|class| class.id).collect();
    classes.sort_unstable();
    for class in classes {
        let class = graph.find(class);
        if graph[class].data.polynomial.is_none() {
            continue;
        }
        let polynomial = of_class(graph, class);
        if let Some(same) = written.get(&polynomial) {
            graph.union_trusted(class, *same, "arithmetic");
            continue;
        }
        if polynomial.size() <= WRITTEN {
            for form in forms(graph, &polynomial) {
                graph.union_trusted(class, form, "arithmetic");
            }
        }
        written.insert(polynomial, class);
    }
    graph.rebuild();
}

/// The sum of its monomials, and the product of what they have in common with the rest.
fn forms(graph: &mut Graph, polynomial: &Polynomial) -> Vec<Id> {
    let mut forms = vec![sum(graph, polynomial)];
    let common = common_factor(polynomial);
    if polynomial.terms.len() > 1 && !common.is_empty() {
        let rest = divided(polynomial, &common);
        let rest = sum(graph, &rest);
        let common = monomial(graph, &common).expect("it is not empty");
        forms.push(graph.add(Math::Binary(Op::Mul, [common, rest])));
    }
    forms
}

fn sum(graph: &mut Graph, polynomial: &Polynomial) -> Id {
    let mut total: Option<Id> = None;
    let (positive, negative): (Vec<_>, Vec<_>) =
        polynomial.terms.iter().partition(|(_, c)| **c > 0);
    for (factors, coefficient) in positive {
        let term = scaled(graph, factors, coefficient);
        total = Some(match total {
            None => term,
            Some(total) => graph.add(Math::Binary(Op::Add, [total, term])),
        });
    }
    for (factors, coefficient) in negative {
        let term = scaled(graph, factors, &Rational::from(-coefficient));
        total = Some(match total {
            None => graph.add(Math::Unary(Op::Neg, [term])),
            Some(total) => graph.add(Math::Binary(Op::Sub, [total, term])),
        });
    }
    total.unwrap_or_else(|| graph.add(Math::number(0)))
}

fn scaled(graph: &mut Graph, factors: &Monomial, coefficient: &Rational) -> Id {
    match monomial(graph, factors) {
        None => graph.add(Math::Number(coefficient.clone())),
        Some(product) if *coefficient == 1 => product,
        Some(product) => {
            let is_fraction = *coefficient.numer() == 1;
            let (op, number) = match is_fraction {
                true => (Op::Div, Rational::from(coefficient.denom().clone())),
                false => (Op::Mul, coefficient.clone()),
            };
            let number = graph.add(Math::Number(number));
            let operands = match op {
                Op::Div => [product, number],
                _ => [number, product],
            };
            graph.add(Math::Binary(op, operands))
        }
    }
}

fn monomial(graph: &mut Graph, factors: &Monomial) -> Option<Id> {
    let mut product: Option<Id> = None;
    for (atom, exponent) in factors {
        for _ in 0..*exponent {
            product = Some(match product {
                None => *atom,
                Some(product) => graph.add(Math::Binary(Op::Mul, [product, *atom])),
            });
        }
    }
    product
}

fn common_factor(polynomial: &Polynomial) -> Monomial {
    let mut monomials = polynomial.terms.keys();
    let mut common = monomials.next().cloned().unwrap_or_default();
    for monomial in monomials {
        common.retain_mut(|(atom, exponent)| {
            let shared = monomial.iter().find(|(other, _)| other == atom);
            *exponent = (*exponent).min(shared.map_or(0, |(_, e)| *e));
            *exponent > 0
        });
    }
    common
}

fn divided(polynomial: &Polynomial, divisor: &Monomial) -> Polynomial {
    let rest = |(monomial, coefficient): (&Monomial, &Rational)| {
        let mut monomial = monomial.clone();
        for (atom, exponent) in divisor {
            for factor in &mut monomial {
                if factor.0 == *atom {
                    factor.1 -= exponent;
                }
            }
        }
        monomial.retain(|(_, exponent)| *exponent > 0);
        (monomial, coefficient.clone())
    };
    Polynomial {
        terms: polynomial.terms.iter().map(rest).collect(),
    }
}
