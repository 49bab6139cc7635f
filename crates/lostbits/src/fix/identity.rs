//! Whether a candidate is equal to the original in exact arithmetic, by a chain of rules.
//!
//! The search trusts its e-graph; this is the check of the result. The original is saturated in a fresh e-graph that
//! records why classes were joined, under the ranges that hold where the candidate is used. If the candidate turns out to
//! be in the original's class, the chain of rules between them is the proof; if not, the candidate is not used. So a term that
//! differs from the original, be it on a small part of its domain, is refused: the rules hold everywhere.

use egg::{Id, Language};
use lostbits_abi::ops::Op;

use super::{
    analysis::{Graph, Ranges},
    interval::Interval,
    math::{Math, Term},
    saturate::{Limits, enter, run},
};

/// The search's own limits first: they lead to the e-graph from which the candidate was taken.
const LIMITS: [Limits; 3] = [
    super::search::LIMITS,
    super::search::FURTHER,
    Limits {
        nodes: 8000,
        rounds: 9,
    },
];

/// The rules that lead from the original to the candidate, in order; none where no chain is found.
///
/// `by_way_of` are the terms that the search entered beside the original. Those that can be established themselves are
/// entered here, too.
pub fn establish(
    original: &Term,
    candidate: &Term,
    by_way_of: &[Term],
    domain: &[Interval],
) -> Option<Vec<String>> {
    if original == candidate {
        return Some(Vec::new());
    }
    LIMITS.iter().find_map(|limits| {
        let targets: Vec<&Term> = std::iter::once(candidate).chain(by_way_of).collect();
        let mut chains = chains(original, &[], &targets, domain, *limits);
        let direct = chains.remove(0);
        if direct.is_some() || by_way_of.is_empty() {
            return direct;
        }
        let between = by_way_of.iter().zip(chains);
        let (known, rules): (Vec<&Term>, Vec<Vec<String>>) = between
            .filter_map(|(term, rules)| Some((term, rules?)))
            .unzip();
        if known.is_empty() {
            return None;
        }
        let last = self::chains(original, &known, &[candidate], domain, *limits).remove(0)?;
        Some([rules.concat(), last].concat())
    })
}

/// One saturation, and a chain for each target that it reaches. The terms `known` are equal to the original already.
///
/// A target is entered only after the original was saturated, and only what is sure to be defined: rules may assume
/// that what they find has a value, so a candidate that has none somewhere would prove itself.
fn chains(
    original: &Term,
    known: &[&Term],
    targets: &[&Term],
    domain: &[Interval],
    limits: Limits,
) -> Vec<Option<Vec<String>>> {
    let mut graph = Graph::new(Ranges(domain.to_vec())).with_explanations_enabled();
    let mut terms = vec![original];
    terms.extend(known);
    let roots = enter(&mut graph, &terms);
    let first = roots[0];
    for root in &roots[1..] {
        graph.union_trusted(first, *root, "established");
    }
    graph.rebuild();
    let wanted: Vec<Term> = targets.iter().map(|term| (*term).clone()).collect();
    let are_found = move |graph: &Graph| {
        let root = graph.find(first);
        wanted
            .iter()
            .all(|term| graph.lookup_expr(term) == Some(root))
    };
    let mut graph = run(graph, limits, are_found);
    let last = enter_defined(&mut graph, targets[0]);
    graph.rebuild();
    if let Some(last) = last.filter(|last| graph.find(first) != graph.find(*last)) {
        let is_joined = move |graph: &Graph| graph.find(first) == graph.find(last);
        let further = Limits {
            nodes: graph.total_number_of_nodes() + 1500,
            rounds: 3,
        };
        graph = run(graph, further, is_joined);
    }
    let root = graph.find(first);
    targets
        .iter()
        .map(|target| {
            (graph.lookup_expr(target) == Some(root)).then(|| {
                let mut explanation = graph.explain_equivalence(original, target);
                rules_of(&explanation.get_flat_strings())
            })
        })
        .collect()
}

/// Adds a term; none if a part of it is neither known to the graph nor proved to be defined.
fn enter_defined(graph: &mut Graph, term: &Term) -> Option<Id> {
    let mut classes: Vec<Id> = Vec::new();
    for node in term.iter() {
        let node = node.clone().map_children(|id| classes[usize::from(id)]);
        if graph.lookup(node.clone()).is_none() && !is_defined(graph, &node) {
            return None;
        }
        classes.push(graph.add(node));
    }
    classes.last().copied()
}

/// Whether an operation has a value for all values of its operands.
fn is_defined(graph: &Graph, node: &Math) -> bool {
    use Op::*;
    let values = |index: usize| graph[node.children()[index]].data.values;
    match node.op() {
        None
        | Some(
            Add | Sub | Mul | Neg | Abs | Fma | Exp | Exp2 | Expm1 | Sin | Cos | Sinh | Cosh | Tanh,
        ) => true,
        Some(Asinh | Atan | Cbrt | Hypot | Fmin | Fmax | Floor | Erf | Erfc | CopySign) => true,
        Some(Div) => values(1).nonzero,
        Some(Sqrt) => values(0).is_nonnegative(),
        Some(Log | Log2 | Log10) => values(0).is_positive(),
        Some(Log1p) => values(0).low > -1.0,
        Some(Asin | Acos) => values(0).low >= -1.0 && values(0).high <= 1.0,
        Some(Atanh) => values(0).low > -1.0 && values(0).high < 1.0,
        Some(Acosh) => values(0).low >= 1.0,
        Some(Pow) => values(0).is_positive(),
        Some(_) => false,
    }
}

/// The names in a flat explanation, each once in a row.
fn rules_of(steps: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for step in steps {
        for mark in ["(Rewrite=> ", "(Rewrite<= "] {
            for rest in step.split(mark).skip(1) {
                let name: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
                if names.last() != Some(&name) {
                    names.push(name);
                }
            }
        }
    }
    names
}
