//! The check of a plan: every leaf must be equal to the original, by rules, by construction, or up to a proved remainder.

use super::{
    candidate::{Candidate, Transformation},
    identity,
    interval::Interval,
    machine::Width,
    math::Term,
    plan::{Plan, Threshold},
    search::Found,
    subject::Subject,
};

/// The name of a series in a chain of rules.
pub const SERIES: &str = "series";

/// A plan that was checked.
pub struct Established {
    /// Leaves that could not be established are the original.
    pub plan: Plan,
    pub rules: Vec<String>,
    /// The candidates that could not be established.
    pub refused: Vec<Term>,
}

/// What is known about candidates so far.
#[derive(Default)]
pub struct Known(Vec<(Term, Vec<Interval>, Option<Vec<String>>)>);

pub fn establish(subject: &Subject, found: &Found, known: &mut Known) -> Established {
    let mut rules = Vec::new();
    let mut refused = Vec::new();
    let plan = leaf_by_leaf(&found.plan, subject.intervals(), &mut |leaf, domain| {
        let candidate = found
            .candidates
            .iter()
            .find(|candidate| candidate.term == *leaf);
        let chain = candidate.and_then(|candidate| known.chain(subject, candidate, domain));
        match chain {
            Some(chain) => {
                rules.extend(chain);
                leaf.clone()
            }
            None => {
                refused.push(leaf.clone());
                subject.original.clone()
            }
        }
    });
    Established {
        plan,
        rules,
        refused,
    }
}

impl Known {
    /// The rules by which a candidate is equal to the original on a domain.
    fn chain(
        &mut self,
        subject: &Subject,
        candidate: &Candidate,
        domain: &[Interval],
    ) -> Option<Vec<String>> {
        let covers = candidate.covers(domain);
        if candidate.remainder.is_some() && covers {
            return Some(vec![SERIES.to_owned()]);
        }
        // Where the candidate was found, the search's own steps can be repeated.
        let domain = if covers { &candidate.domain } else { domain };
        let is_it = |(term, place, _): &&(Term, Vec<Interval>, Option<Vec<String>>)| {
            *term == candidate.term && place == domain
        };
        if let Some((_, _, chain)) = self.0.iter().find(is_it) {
            return chain.clone();
        }
        let chain = chain(subject, candidate, domain);
        self.0
            .push((candidate.term.clone(), domain.to_vec(), chain.clone()));
        chain
    }
}

fn chain(subject: &Subject, candidate: &Candidate, domain: &[Interval]) -> Option<Vec<String>> {
    let (base, transformation) = match &candidate.made_from {
        Some((base, by)) => (base, Some(*by)),
        None => (&candidate.term, None),
    };
    if let Some(by) = transformation
        && !is_made_by(by, base, &candidate.term, subject.width)
    {
        return None;
    }
    let by_way_of = &candidate.by_way_of;
    let mut chain = identity::establish(&subject.original, base, by_way_of, domain)?;
    chain.extend(transformation.map(|by| by.name().to_owned()));
    Some(chain)
}

/// Whether a term is what a transformation makes of another: it adds what is 0 in exact arithmetic.
pub fn is_made_by(by: Transformation, base: &Term, term: &Term, width: Width) -> bool {
    by.apply(base, width).as_ref() == Some(term)
}

/// The plan with each leaf replaced, given the ranges that hold there.
pub fn leaf_by_leaf(
    plan: &Plan,
    domain: Vec<Interval>,
    replace: &mut impl FnMut(&Term, &[Interval]) -> Term,
) -> Plan {
    match plan {
        Plan::Term(term) => Plan::Term(replace(term, &domain)),
        Plan::Branch {
            test,
            below,
            otherwise,
        } => {
            let below = leaf_by_leaf(below, narrowed(&domain, test, true), replace);
            let otherwise = leaf_by_leaf(otherwise, narrowed(&domain, test, false), replace);
            if below == otherwise {
                return below;
            }
            Plan::Branch {
                test: *test,
                below: Box::new(below),
                otherwise: Box::new(otherwise),
            }
        }
    }
}

/// The ranges on one side of a threshold.
pub fn narrowed(domain: &[Interval], test: &Threshold, is_below: bool) -> Vec<Interval> {
    let mut domain = domain.to_vec();
    let values = &mut domain[test.variable as usize];
    let limit = test.limit;
    let excludes_zero = match (is_below, test.of_magnitude) {
        (true, _) => limit == 0.0 && !test.inclusive,
        (false, true) => limit > 0.0 || test.inclusive,
        (false, false) => limit == 0.0 && test.inclusive,
    };
    let side = match (is_below, test.of_magnitude) {
        (true, false) => Interval::new(f64::NEG_INFINITY, limit),
        (true, true) => Interval::new(-limit, limit),
        (false, false) => Interval::new(limit, f64::INFINITY),
        (false, true) => Interval::ALL,
    };
    *values = values.intersected(Interval {
        nonzero: side.nonzero || excludes_zero,
        ..side
    });
    domain
}
