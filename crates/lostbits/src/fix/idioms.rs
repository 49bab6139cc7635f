//! Known repairs by name, without a search: which idioms fit an expression, and which one a repair is.

use egg::{AstSize, ENodeOrVar, Extractor, Id, Language, Pattern, PatternAst, Searcher, Subst};

use super::{
    analysis::{Graph, Ranges},
    error::bits,
    exact,
    interval::Interval,
    machine,
    math::{Math, Term, operations},
    plan::infix,
    points::{everyday, wide},
    rule_table::TABLE,
    rules::{Rule, rewrites},
    saturate::{Limits, enter, run},
    subject::Subject,
};
use crate::{fpcore::Core, inputs::NamedRange, numeric::Random};

/// Enough to order operands and to write squares as products.
const LIGHT: Limits = Limits {
    nodes: 1500,
    rounds: 3,
};

/// The idioms whose left side occurs in an expression, in the order of the table: what `explain` can suggest.
pub fn fitting(term: &Term, ranges: &[Interval]) -> Vec<&'static Rule> {
    let graph = lightly_saturated(term, ranges);
    let fits = |(index, rule): &(usize, &Rule)| {
        let rewrite = &rewrites()[*index];
        rule.sentence.is_some() && !rewrite.searcher.search_with_limit(&graph, 1).is_empty()
    };
    let rules = TABLE.iter().enumerate().filter(fits);
    rules.map(|(_, rule)| rule).collect()
}

/// The idioms whose left side occurs in the original and whose right side in the repair.
pub fn applied(original: &Term, repair: &Term, ranges: &[Interval]) -> Vec<&'static Rule> {
    let repaired = lightly_saturated(repair, ranges);
    let occurs = |rule: &&Rule| {
        let right: Pattern<Math> = match rule.right.parse() {
            Ok(pattern) => pattern,
            Err(_) => return false,
        };
        !right.search_with_limit(&repaired, 1).is_empty()
    };
    fitting(original, ranges)
        .into_iter()
        .filter(occurs)
        .collect()
}

fn lightly_saturated(term: &Term, ranges: &[Interval]) -> Graph {
    let mut graph = Graph::new(Ranges(ranges.to_vec()));
    enter(&mut graph, &[term]);
    run(graph, LIGHT, |_| false)
}

/// The beginnings of sentences that fit almost every expression.
const GENERAL: [&str; 5] = [
    "ab + ac",
    "ab − ac",
    "a/b + c/d",
    "a/b − c/d",
    "a common factor",
];
/// Those of fused products, which leave the formula as it is.
const FUSED: [&str; 3] = ["ab + c →", "ab − c →", "c − ab →"];

fn starts(sentence: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|start| sentence.starts_with(start))
}

/// Whether a sentence says little.
pub fn is_general(sentence: &str) -> bool {
    starts(sentence, &GENERAL) || starts(sentence, &FUSED)
}

/// A known repair of an expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Suggestion {
    pub sentence: &'static str,
    pub formula: String,
}

/// Longer expressions have no short repair.
const LONGEST: usize = 16;
/// Inputs on which an idiom must help, and the bits of error that are too many and few enough.
const TRIED: u32 = 24;
const BAD: f64 = 5.0;
const GOOD: f64 = 3.0;

/// The idiom that repairs an expression on its ranges, without a search: its left side occurs in the expression, and the
/// formula that it gives is accurate on inputs drawn from the ranges.
pub fn suggestion(core: &Core, ranges: &[NamedRange]) -> Option<Suggestion> {
    // An operand that was infinite once says nothing about a repair.
    if ranges
        .iter()
        .any(|named| !named.range.low.is_finite() || !named.range.high.is_finite())
    {
        return None;
    }
    let subject = Subject::new(core, ranges).ok()?;
    let original = &subject.original;
    if operations(original) > LONGEST {
        return None;
    }
    let inputs = inputs(&subject);
    if worst(&subject, original, &inputs)? < BAD {
        return None;
    }
    let graph = lightly_saturated(original, &subject.intervals());
    let extractor = Extractor::new(&graph, AstSize);
    let classes = classes(&graph, original)?;
    let mut best: Option<((bool, usize), Suggestion)> = None;
    for (index, rule) in TABLE.iter().enumerate() {
        let (Some(sentence), Ok(right)) = (rule.sentence, rule.right.parse::<Pattern<Math>>())
        else {
            continue;
        };
        // It takes a search to know whether the rounded product is what hurts.
        if starts(sentence, &FUSED) {
            continue;
        }
        for found in rewrites()[index].searcher.search_with_limit(&graph, 8) {
            let at = classes
                .iter()
                .position(|id| *id == graph.find(found.eclass));
            let (Some(at), Some(matched)) = (at, found.substs.first()) else {
                continue;
            };
            for part in formulas(&graph, &extractor, &right.ast, matched) {
                let formula = replaced(original, at, &part);
                let error = worst(&subject, &formula, &inputs).unwrap_or(f64::INFINITY);
                let rank = (is_general(sentence), operations(&formula));
                if error <= GOOD && best.as_ref().is_none_or(|(least, _)| rank < *least) {
                    let formula = infix(&formula, &subject.names, subject.width);
                    best = Some((rank, Suggestion { sentence, formula }));
                }
            }
        }
    }
    best.map(|(_, suggestion)| suggestion)
}

fn inputs(subject: &Subject) -> Vec<Vec<f64>> {
    let mut random = Random::new(0x1d10);
    let draw = |turn| match turn % 2 {
        0 => everyday(subject, &mut random),
        _ => wide(subject, &mut random),
    };
    (0..TRIED).map(draw).collect()
}

/// The worst error in bits; none where no exact value is known.
fn worst(subject: &Subject, term: &Term, inputs: &[Vec<f64>]) -> Option<f64> {
    let error = |input: &Vec<f64>| {
        let exact = exact::value(&subject.original, input, subject.width)?;
        let computed = machine::evaluate(term, input, subject.width);
        exact
            .is_finite()
            .then(|| bits(computed, exact, subject.width))
    };
    inputs.iter().filter_map(error).reduce(f64::max)
}

/// The classes of a term's nodes.
fn classes(graph: &Graph, term: &Term) -> Option<Vec<Id>> {
    let mut classes: Vec<Id> = Vec::new();
    for node in term.iter() {
        let node = node.clone().map_children(|id| classes[usize::from(id)]);
        classes.push(graph.find(graph.lookup(node)?));
    }
    Some(classes)
}

/// The right side of an idiom as it is, and with its operands in their simplest forms: √(x² + 1) − x has the numerator 1.
fn formulas(
    graph: &Graph,
    extractor: &Extractor<'_, AstSize, Math, Ranges>,
    right: &PatternAst<Math>,
    matched: &Subst,
) -> Vec<Term> {
    let mut plain: Vec<Term> = Vec::new();
    let mut found: Vec<Option<Id>> = Vec::new();
    for node in right.iter() {
        match node {
            ENodeOrVar::Var(variable) => {
                let class = graph.find(matched[*variable]);
                plain.push(extractor.find_best(class).1);
                found.push(Some(class));
            }
            ENodeOrVar::ENode(node) => {
                plain.push(node.join_recexprs(|id| plain[usize::from(id)].clone()));
                let operands: Option<Vec<Id>> = node
                    .children()
                    .iter()
                    .map(|id| found[usize::from(*id)])
                    .collect();
                let class = operands.and_then(|operands| {
                    let mut node = node.clone();
                    node.children_mut().copy_from_slice(&operands);
                    graph.lookup(node)
                });
                found.push(class.map(|class| graph.find(class)));
            }
        }
    }
    let mut formulas: Vec<Term> = plain.last().cloned().into_iter().collect();
    if let Some(ENodeOrVar::ENode(node)) = right.iter().last() {
        let simplest = |id: &Id| {
            let plain = &plain[usize::from(*id)];
            let best = found[usize::from(*id)].map(|class| extractor.find_best(class).1);
            best.filter(|best| best.len() < plain.len())
                .unwrap_or_else(|| plain.clone())
        };
        let operands: Vec<Term> = node.children().iter().map(simplest).collect();
        let mut operands = operands.into_iter();
        formulas.push(node.join_recexprs(|_| operands.next().unwrap_or_default()));
    }
    formulas
}

/// A term with one of its nodes replaced.
fn replaced(term: &Term, at: usize, part: &Term) -> Term {
    let mut made: Vec<Term> = Vec::new();
    for (index, node) in term.iter().enumerate() {
        made.push(match index == at {
            true => part.clone(),
            false => node.join_recexprs(|id| made[usize::from(id)].clone()),
        });
    }
    made.pop().unwrap_or_default()
}
