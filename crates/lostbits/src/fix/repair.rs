//! One expression from beginning to end: search, measure, prove, name.

use super::{
    error::{self, bits},
    exact,
    identity::establish,
    idioms::applied,
    interval::Interval,
    machine,
    math::Term,
    plan::{Plan, Threshold, infix},
    points::{Points, Population},
    proof::Proof,
    prove::prove,
    rules,
    search::{Effort, Found, search},
    subject::Subject,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The original needs no repair.
    Accurate,
    Repaired,
    Unrepaired,
    /// The exact function itself amplifies the rounding of its inputs.
    IllConditioned,
}

#[derive(Clone, Debug, Default)]
pub struct Errors {
    pub count: usize,
    pub mean: f64,
    pub worst: f64,
    pub worst_input: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub wide: Errors,
    pub everyday: Errors,
}

#[derive(Clone, Debug)]
pub struct Repair {
    pub subject: Subject,
    pub plan: Plan,
    pub verdict: Verdict,
    pub sentence: String,
    /// The rules by which the repair is equal to the original.
    pub rules: Vec<String>,
    pub before: Measured,
    pub after: Measured,
    pub proof: Option<Proof>,
    pub notes: Vec<String>,
}

impl Repair {
    /// Whether the result is a formula that is accurate on the samples.
    pub fn is_good(&self) -> bool {
        matches!(self.verdict, Verdict::Accurate | Verdict::Repaired)
    }
}

/// Points on which the report's errors are measured.
const MEASURED: usize = 400;
/// Smaller errors (in bits) do not count: two or three ulps.
const ACCURATE: f64 = 2.0;
/// Errors of more bits than this are large.
const LARGE: f64 = 5.0;

pub fn repair(subject: Subject, effort: Effort, max_ulps: Option<u32>) -> Repair {
    let accepted = max_ulps.map_or(ACCURATE, |ulps| (f64::from(ulps) + 1.0).log2());
    let found = search(&subject, effort);
    let mut notes = Vec::new();
    if found.out_of_time {
        notes.push("the search ended early: --timeout was reached".to_owned());
    }
    if found.points.is_empty() {
        notes.push(nothing_drawn(&subject));
    }
    let (plan, rules) = established(&subject, &found, &mut notes);
    let mut points = Points::default();
    let seed = effort.seed ^ 0x6d65_6173;
    points.draw(&subject, Population::Wide, MEASURED, seed);
    points.draw(&subject, Population::Everyday, MEASURED, seed);
    let original = Plan::Term(subject.original.clone());
    let before = measured(&subject, &original, &points);
    let after = measured(&subject, &plan, &points);
    let worst = |measured: &Measured| measured.wide.worst.max(measured.everyday.worst);
    let verdict = match plan == original {
        false => Verdict::Repaired,
        true if worst(&before) <= accepted => Verdict::Accurate,
        true if is_ill_conditioned(&subject, &points) => Verdict::IllConditioned,
        true => Verdict::Unrepaired,
    };
    let proof = matches!(verdict, Verdict::Accurate | Verdict::Repaired)
        .then(|| prove(&subject, &plan, &|leaf| remainder(&found, leaf), max_ulps));
    let sentence = sentence(&rules, &plan, &subject);
    Repair {
        verdict,
        sentence,
        rules,
        before,
        after,
        proof,
        notes,
        plan,
        subject,
    }
}

/// Whether most of the original's large errors are no larger than what one ulp of an input changes: then the exact
/// function, not the formula, is to blame.
fn is_ill_conditioned(subject: &Subject, points: &Points) -> bool {
    let (mut bad, mut amplified) = (0, 0);
    for (input, exact) in points.inputs.iter().zip(&points.exact) {
        let computed = machine::evaluate(&subject.original, input, subject.width);
        let error = bits(computed, *exact, subject.width);
        if error <= LARGE {
            continue;
        }
        bad += 1;
        amplified += usize::from(amplification(subject, input, *exact) + 2.0 > error);
        if bad == 40 {
            break;
        }
    }
    bad > 0 && 10 * amplified >= 8 * bad
}

/// The bits by which the exact result changes if an input changes by an ulp.
fn amplification(subject: &Subject, input: &[f64], exact: f64) -> f64 {
    let mut most = 0.0f64;
    for index in 0..input.len() {
        let mut moved = input.to_vec();
        let place = error::ordinal(moved[index], subject.width);
        moved[index] = error::from_ordinal(place + 1, subject.width);
        if let Some(value) = exact::value(&subject.original, &moved, subject.width) {
            most = most.max(bits(value, exact, subject.width));
        }
    }
    most
}

/// How far a leaf may be from the original in exact arithmetic.
fn remainder(found: &Found, leaf: &Term) -> f64 {
    let of = found
        .candidates
        .iter()
        .find(|candidate| candidate.term == *leaf);
    of.and_then(|candidate| candidate.remainder).unwrap_or(0.0)
}

fn nothing_drawn(subject: &Subject) -> String {
    match subject.core.pre {
        Some(_) => "no input was found that fulfils :pre and has a finite result: narrow the variables with --range"
            .to_owned(),
        None => "the expression has no finite result for any input drawn".to_owned(),
    }
}

/// The plan with every leaf that no chain of rules leads to replaced by the original.
fn established(subject: &Subject, found: &Found, notes: &mut Vec<String>) -> (Plan, Vec<String>) {
    let mut rules = Vec::new();
    let mut dropped = Vec::new();
    let plan = leaf_by_leaf(&found.plan, subject.intervals(), &mut |leaf, domain| {
        let candidate = found
            .candidates
            .iter()
            .find(|candidate| candidate.term == *leaf);
        if let Some(series) = candidate.filter(|candidate| candidate.remainder.is_some()) {
            let is_inside = series.domain.iter().zip(domain);
            if is_inside
                .clone()
                .all(|(valid, here)| valid.low <= here.low && here.high <= valid.high)
            {
                rules.push(SERIES.to_owned());
                return leaf.clone();
            }
        }
        let by_way_of = candidate.map_or(&[][..], |candidate| &candidate.by_way_of);
        match establish(&subject.original, leaf, by_way_of, domain) {
            Some(chain) => {
                rules.extend(chain);
                leaf.clone()
            }
            None => {
                dropped.push(infix(leaf, &subject.names, subject.width));
                subject.original.clone()
            }
        }
    });
    for form in dropped {
        notes.push(format!(
            "{form} is more accurate, but no chain of rules was found that proves it equal to the original"
        ));
    }
    (plan, rules)
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

/// The errors of a plan on points.
pub fn measured(subject: &Subject, plan: &Plan, points: &Points) -> Measured {
    let mut measured = Measured::default();
    for index in 0..points.len() {
        let input = &points.inputs[index];
        let value = machine::evaluate(plan.leaf(input), input, subject.width);
        let error = bits(value, points.exact[index], subject.width);
        let of = match points.populations[index] {
            Population::Wide => &mut measured.wide,
            _ => &mut measured.everyday,
        };
        of.count += 1;
        of.mean += error;
        if of.count == 1 || error > of.worst {
            of.worst = error;
            of.worst_input = input.clone();
        }
    }
    for errors in [&mut measured.wide, &mut measured.everyday] {
        errors.mean /= errors.count.max(1) as f64;
    }
    measured
}

/// The name of a series in a chain of rules.
const SERIES: &str = "series";

/// What the repair does: the sentence of the first idiom in its chain of rules.
fn sentence(rules: &[String], plan: &Plan, subject: &Subject) -> String {
    let mut sentences: Vec<&str> = Vec::new();
    for name in rules {
        if name == SERIES {
            sentences.push("a series near 0, its remainder proved to be below a quarter of an ulp");
        }
        if let Some(sentence) = rules::named(name).and_then(|rule| rule.sentence)
            && !sentences.contains(&sentence)
        {
            sentences.push(sentence);
        }
    }
    if sentences.is_empty() {
        let leaves = plan
            .leaves()
            .into_iter()
            .filter(|leaf| **leaf != subject.original);
        let idioms = leaves.flat_map(|leaf| applied(&subject.original, leaf, &subject.intervals()));
        sentences.extend(idioms.filter_map(|rule| rule.sentence).take(1));
    }
    let keeps_original = plan.leaves().contains(&&subject.original);
    let what = match sentences.as_slice() {
        [] => "terms are combined in another order".to_owned(),
        [one] => (*one).to_owned(),
        [first, second, ..] => format!("{first}; {second}"),
    };
    match keeps_original && plan.leaves().len() > 1 {
        true => format!("{what} (the original is kept where it is better)"),
        false => what,
    }
}
