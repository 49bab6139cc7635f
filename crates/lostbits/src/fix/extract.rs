//! Extraction by measured accuracy: of each class, the few terms that compute it best on the sample points.
//!
//! egg's own extractors minimise a cost that adds up; accuracy does not. Here every class knows its exact value on every
//! point, so that each node can be judged by running it: its operands' best terms as operands, its result against
//! the exact one. A class keeps a small *portfolio*, terms that are best on different points, so that branches have
//! something to choose from. Nothing here proves anything: exact values of inner classes are computed with a fixed
//! precision, and what comes out is judged again (and proved) by others.

use std::collections::{BTreeMap, HashMap, HashSet};

use egg::{AstSize, Extractor, Id, Language};

use super::{
    analysis::Graph,
    error, exact,
    machine::{self, Width},
    math::{Math, Term},
    points::Points,
    saturate::Saturated,
    wishes::Wishes,
};
use crate::fpcore::evaluate::enclosure::{self, Enclosure};

/// Terms kept for a class, and for the expression itself.
const KEPT: usize = 3;
const KEPT_AT_ROOT: usize = 8;
/// A further term of a portfolio must lower the mean error of the best choice at each point by this many bits.
const WORTH: f64 = 0.03;
const PASSES: usize = 5;
const PRECISION: u32 = 160;
/// Candidates that are computed at most.
const BUDGET: usize = 40_000;

struct Candidate {
    /// Its operands are candidates.
    node: Math,
    values: Vec<f64>,
    errors: Vec<f32>,
    mean: f64,
    /// What they cost together.
    operations: f64,
}

/// The most accurate terms of the expression's class, best first.
pub fn extract(saturated: &Saturated, points: &Points, width: Width, wishes: &Wishes) -> Vec<Term> {
    let mut extraction = Extraction::new(saturated, points, width, wishes);
    extraction.run();
    extraction.terms(extraction.root)
}

struct Extraction<'a> {
    graph: &'a Graph,
    points: &'a Points,
    width: Width,
    wishes: &'a Wishes,
    root: Id,
    weights: Vec<f64>,
    /// In an order in which operands come before at least one node of each class.
    classes: Vec<Id>,
    exact: HashMap<Id, Vec<f64>>,
    arena: Vec<Candidate>,
    portfolios: BTreeMap<Id, Vec<usize>>,
    seen: HashSet<Math>,
}

impl<'a> Extraction<'a> {
    fn new(
        saturated: &'a Saturated,
        points: &'a Points,
        width: Width,
        wishes: &'a Wishes,
    ) -> Extraction<'a> {
        let graph = &saturated.graph;
        let root = graph.find(saturated.root);
        let extractor = Extractor::new(graph, AstSize);
        let mut classes: Vec<(usize, Id)> = reachable(graph, root)
            .into_iter()
            .map(|id| (extractor.find_best_cost(id), id))
            .collect();
        classes.sort_unstable();
        let classes: Vec<Id> = classes.into_iter().map(|(_, id)| id).collect();
        let exact = exact_values(graph, &classes, &extractor, points, width, root);
        Extraction {
            graph,
            points,
            width,
            wishes,
            root,
            weights: points.weights(),
            classes,
            exact,
            arena: Vec::new(),
            portfolios: BTreeMap::new(),
            seen: HashSet::new(),
        }
    }

    fn run(&mut self) {
        for _ in 0..PASSES {
            let mut changed = false;
            for class in self.classes.clone() {
                changed |= self.improve(class);
                if self.arena.len() > BUDGET {
                    return;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Tries all nodes of a class with all terms of their operands.
    fn improve(&mut self, class: Id) -> bool {
        let mut found = Vec::new();
        for node in &self.graph[class].nodes {
            let portfolios: Option<Vec<&Vec<usize>>> = node
                .children()
                .iter()
                .map(|id| self.portfolios.get(&self.graph.find(*id)))
                .collect();
            let Some(portfolios) = portfolios else {
                continue;
            };
            let choices: Vec<Vec<usize>> = combinations(&portfolios);
            for choice in choices {
                let mut node = node.clone();
                for (child, candidate) in node.children_mut().iter_mut().zip(&choice) {
                    *child = Id::from(*candidate);
                }
                if self.seen.contains(&node) {
                    continue;
                }
                self.seen.insert(node.clone());
                if let Some(candidate) = self.compute(node, class) {
                    self.arena.push(candidate);
                    found.push(self.arena.len() - 1);
                }
            }
        }
        if found.is_empty() {
            return false;
        }
        let before = self.portfolios.get(&class).cloned().unwrap_or_default();
        let after = self.portfolio(class, [before.clone(), found].concat());
        let changed = after != before;
        self.portfolios.insert(class, after);
        changed
    }

    fn compute(&self, node: Math, class: Id) -> Option<Candidate> {
        let children = node.children();
        let mut operations = 0.0;
        let values: Vec<f64> = match node.op() {
            None => {
                let of = |input: &Vec<f64>| machine::leaf(&node, input, self.width);
                self.points.inputs.iter().map(of).collect()
            }
            Some(op) => {
                if !machine::is_known(op) {
                    return None;
                }
                operations = self.wishes.price_of(op)
                    + children
                        .iter()
                        .map(|id| self.arena[usize::from(*id)].operations)
                        .sum::<f64>();
                let mut operands = [0.0; 3];
                let mut values = Vec::with_capacity(self.points.len());
                for point in 0..self.points.len() {
                    for (operand, id) in operands.iter_mut().zip(children) {
                        *operand = self.arena[usize::from(*id)].values[point];
                    }
                    values.push(machine::apply(op, &operands[..children.len()], self.width)?);
                }
                values
            }
        };
        let exact = &self.exact[&class];
        let errors: Vec<f32> = values
            .iter()
            .zip(exact)
            .map(|(value, exact)| match exact.is_nan() {
                // Not known here.
                true => 0.0,
                false => error::bits(*value, *exact, self.width) as f32,
            })
            .collect();
        let ignored = self.wishes.ignored();
        let mean = errors
            .iter()
            .zip(&self.weights)
            .map(|(e, w)| (f64::from(*e) - ignored).max(0.0) * w)
            .sum();
        Some(Candidate {
            node,
            values,
            errors,
            mean,
            operations,
        })
    }

    /// The best, then whichever lowers the error of the best choice at each point most.
    fn portfolio(&self, class: Id, mut candidates: Vec<usize>) -> Vec<usize> {
        let cost = |index: &usize| {
            let candidate = &self.arena[*index];
            candidate.mean + self.wishes.per_operation() * candidate.operations
        };
        candidates.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
        candidates.truncate(60);
        let limit = if class == self.root {
            KEPT_AT_ROOT
        } else {
            KEPT
        };
        let mut kept = vec![candidates[0]];
        let mut best: Vec<f32> = self.arena[candidates[0]].errors.clone();
        while kept.len() < limit {
            let gain = |index: &usize| -> f64 {
                let errors = &self.arena[*index].errors;
                let gains = errors.iter().zip(&best).zip(&self.weights);
                let gain: f64 = gains
                    .map(|((e, b), w)| f64::from((b - e).max(0.0)) * w)
                    .sum();
                gain - 0.1 * self.wishes.per_operation() * self.arena[*index].operations
            };
            let next = candidates
                .iter()
                .filter(|index| !kept.contains(index))
                .map(|index| (gain(index), *index))
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            match next {
                Some((gain, index)) if gain > WORTH => {
                    for (best, error) in best.iter_mut().zip(&self.arena[index].errors) {
                        *best = best.min(*error);
                    }
                    kept.push(index);
                }
                _ => break,
            }
        }
        kept
    }

    fn terms(&self, class: Id) -> Vec<Term> {
        let portfolio = self.portfolios.get(&class).cloned().unwrap_or_default();
        portfolio.iter().map(|index| self.term(*index)).collect()
    }

    fn term(&self, index: usize) -> Term {
        let root = &self.arena[index].node;
        root.build_recexpr(|id| self.arena[usize::from(id)].node.clone())
    }
}

fn combinations(portfolios: &[&Vec<usize>]) -> Vec<Vec<usize>> {
    portfolios.iter().fold(vec![Vec::new()], |all, portfolio| {
        let extended = all.iter().flat_map(|choice| {
            portfolio
                .iter()
                .map(move |next| [choice.clone(), vec![*next]].concat())
        });
        extended.collect()
    })
}

fn reachable(graph: &Graph, root: Id) -> Vec<Id> {
    let mut found = HashSet::from([root]);
    let mut open = vec![root];
    let mut order = vec![root];
    while let Some(class) = open.pop() {
        for node in &graph[class].nodes {
            for child in node.children() {
                let child = graph.find(*child);
                if found.insert(child) {
                    open.push(child);
                    order.push(child);
                }
            }
        }
    }
    order
}

/// The exact values of classes on the points, rounded to the format; NaN where they are not known.
fn exact_values(
    graph: &Graph,
    classes: &[Id],
    extractor: &Extractor<'_, AstSize, Math, super::analysis::Ranges>,
    points: &Points,
    width: Width,
    root: Id,
) -> HashMap<Id, Vec<f64>> {
    let mut enclosures: HashMap<Id, Vec<Enclosure>> = HashMap::new();
    let mut rounded: HashMap<Id, Vec<f64>> = HashMap::new();
    for class in classes {
        let simplest = extractor.find_best_node(*class);
        let others = graph[*class].nodes.iter().filter(|node| *node != simplest);
        let mut values: Vec<Enclosure> = vec![Enclosure::Unknown; points.len()];
        for node in std::iter::once(simplest).chain(others.take(4)) {
            let open: Vec<usize> = (0..points.len())
                .filter(|point| exact::rounded(&values[*point], width).is_none())
                .collect();
            if open.is_empty() {
                break;
            }
            let operands: Option<Vec<&Vec<Enclosure>>> = node
                .children()
                .iter()
                .map(|id| enclosures.get(&graph.find(*id)))
                .collect();
            let Some(operands) = operands else { continue };
            for point in open {
                values[point] = match node.op() {
                    None => exact::leaf(node, &points.inputs[point], PRECISION, width),
                    Some(op) => {
                        let operands: Vec<Enclosure> =
                            operands.iter().map(|of| of[point].clone()).collect();
                        enclosure::operation(op, &operands, PRECISION)
                    }
                };
            }
        }
        let known = values
            .iter()
            .map(|v| exact::rounded(v, width).unwrap_or(f64::NAN));
        rounded.insert(*class, known.collect());
        enclosures.insert(*class, values);
    }
    rounded.insert(root, points.exact.clone());
    rounded
}
