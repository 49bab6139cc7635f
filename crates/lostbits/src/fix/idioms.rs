//! Known repairs by name, without a search: which idioms fit an expression, and which one a repair is.

use egg::{Pattern, Searcher};

use super::{
    analysis::{Graph, Ranges},
    interval::Interval,
    math::{Math, Term},
    rule_table::TABLE,
    rules::{Rule, rewrites},
    saturate::{Limits, enter, run},
};

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
