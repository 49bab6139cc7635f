//! One expression from beginning to end: search, check, measure, prove, name.

use super::{
    candidate::Transformation,
    cores::extended_core,
    corrected::corrected,
    establish::{Established, Known, SERIES, establish, leaf_by_leaf},
    exhaustive::{self, Exhausted},
    idioms::{applied, is_general},
    machine::Width,
    math::{Math, Term},
    measure::{Sample, is_ill_conditioned, measured, samples},
    plan::{Plan, infix},
    points::{Points, Population},
    proof::Proof,
    prove::prove,
    rules,
    search::{Effort, Found, search},
    settle::settle,
    style::styled,
    subject::Subject,
    wishes::{Precision, Wishes},
};
use crate::fpcore::evaluate::{Budget, Value, evaluate_machine};
use egg::ENodeOrVar;
use lostbits_abi::ops::Op;

pub use super::measure::{Errors, Measured};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The original needs no repair.
    Accurate,
    Repaired,
    Unrepaired,
    /// The exact function itself amplifies the rounding of its inputs.
    IllConditioned,
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
    /// What both were measured on.
    pub samples: Vec<Sample>,
    pub proof: Option<Proof>,
    /// What checking every float showed, where there are no more inputs.
    pub exhausted: Option<Exhausted>,
    pub notes: Vec<String>,
    pub precision: Precision,
}

impl Repair {
    /// Whether the result is a formula that is accurate on the samples.
    pub fn is_good(&self) -> bool {
        matches!(self.verdict, Verdict::Accurate | Verdict::Repaired)
    }

    /// Whether every input was checked, so that samples add nothing.
    pub fn is_checked_everywhere(&self) -> bool {
        self.exhausted.as_ref().is_some_and(|found| found.open == 0)
    }

    /// Samples at which the repair is worse by more than this many bits.
    pub fn worse_by(&self, bits: f64) -> usize {
        let worse = |sample: &&Sample| sample.after > sample.before + bits;
        self.samples.iter().filter(worse).count()
    }
}

/// Points on which the report's errors are measured.
const MEASURED: usize = 400;
/// How often the choice is made again without candidates that could not be established.
const CHOICES: usize = 4;

pub fn repair(subject: Subject, effort: Effort, max_ulps: Option<u32>) -> Repair {
    let wishes = Wishes {
        max_ulps,
        ..Wishes::default()
    };
    repair_as(subject, effort, &wishes)
}

pub fn repair_as(subject: Subject, effort: Effort, wishes: &Wishes) -> Repair {
    let mut found = search(&subject, effort, wishes);
    let mut notes = Vec::new();
    if found.out_of_time {
        notes.push("the search ended early: this is the best repair so far".to_owned());
    }
    let established = checked(&subject, &mut found, effort, wishes, &mut notes);
    let Established { plan, rules, .. } = with_precision(established, wishes, subject.width);
    let plan = leaf_by_leaf(&plan, subject.intervals(), &mut |leaf, _| {
        // Series are known by their terms.
        match remainder(&found, leaf) > 0.0 {
            true => leaf.clone(),
            false => styled(leaf, &subject.original),
        }
    });
    let samples = measure(&subject, &plan, effort, wishes.precision);
    let (before, after) = (
        measured(&samples, |sample| sample.before),
        measured(&samples, |sample| sample.after),
    );
    let is_original =
        plan == Plan::Term(subject.original.clone()) && wishes.precision != Precision::LongDouble;
    let is_ill_conditioned = || is_ill_conditioned(&subject, &samples);
    let has_second_words = rules.iter().any(|rule| rule == SECOND_WORD);
    let verdict = match is_original {
        false => Verdict::Repaired,
        true if samples.is_empty() => Verdict::Unrepaired,
        true if before.worst() <= wishes.accepted() => Verdict::Accurate,
        true if is_ill_conditioned() => Verdict::IllConditioned,
        true => Verdict::Unrepaired,
    };
    if verdict == Verdict::Repaired && has_second_words && is_ill_conditioned() {
        notes.push(
            ILL_CONDITIONED.to_owned() + ", so the repair carries a second word of precision",
        );
    }
    if wishes.max_ulps.is_some() && after.worst() > wishes.accepted() {
        notes.push(format!(
            "--max-ulps is not reached: the worst sample has an error of {:.0} ulps",
            after.worst().exp2() - 1.0
        ));
    }
    let is_provable = wishes.precision != Precision::LongDouble && verdict != Verdict::Unrepaired;
    let proof = is_provable.then(|| {
        prove(
            &subject,
            &plan,
            &|leaf| remainder(&found, leaf),
            wishes.max_ulps,
        )
    });
    let is_checked = wishes.exhaustive && is_provable;
    let exhausted = is_checked.then(|| exhaustive::check(&subject, &plan, effort.seconds));
    Repair {
        exhausted: exhausted.flatten(),
        sentence: sentence(&rules, &plan, &subject, wishes.precision),
        verdict,
        rules,
        before,
        after,
        samples,
        proof,
        notes,
        plan,
        subject,
        precision: wishes.precision,
    }
}

pub const ILL_CONDITIONED: &str = "ill-conditioned: no formula in double can be accurate here";
const SECOND_WORD: &str = "second-word";

/// The plan with every leaf established. Candidates that cannot be are left out, and the choice is made again.
fn checked(
    subject: &Subject,
    found: &mut Found,
    effort: Effort,
    wishes: &Wishes,
    notes: &mut Vec<String>,
) -> Established {
    let mut known = Known::default();
    let mut refused: Vec<Term> = Vec::new();
    let mut choice = 0;
    loop {
        choice += 1;
        let established = establish(subject, found, &mut known);
        refused.extend(established.refused.iter().cloned());
        if established.refused.is_empty() || choice == CHOICES {
            refused.dedup();
            notes.extend(refused.iter().take(2).map(|form| {
                format!(
                    "{} may be more accurate, but no chain of rules was found that proves it equal to the original",
                    infix(form, &subject.names, subject.width)
                )
            }));
            return established;
        }
        found
            .candidates
            .retain(|candidate| !established.refused.contains(&candidate.term));
        let points = std::mem::take(&mut found.points);
        (found.plan, found.points) = settle(subject, &found.candidates, points, effort, wishes);
    }
}

/// The plan with a second word everywhere, if that is wanted.
fn with_precision(mut established: Established, wishes: &Wishes, width: Width) -> Established {
    if wishes.precision != Precision::DoubleDouble {
        return established;
    }
    let mut has_changed = false;
    established.plan = leaf_by_leaf(&established.plan, Vec::new(), &mut |leaf, _| {
        let second = corrected(leaf, width);
        has_changed |= second.is_some();
        second.unwrap_or_else(|| leaf.clone())
    });
    if has_changed {
        established.rules.push(SECOND_WORD.to_owned());
    }
    established
}

fn measure(subject: &Subject, plan: &Plan, effort: Effort, precision: Precision) -> Vec<Sample> {
    let mut points = Points::default();
    let seed = effort.seed ^ 0x6d65_6173;
    points.draw(subject, Population::Wide, MEASURED, seed);
    points.draw(subject, Population::Everyday, MEASURED, seed);
    let extended = extended_core(subject, plan);
    samples(subject, &points, &|input| match precision {
        Precision::LongDouble => {
            let values: Vec<Value<f64>> = input.iter().map(|x| Value::Number(*x)).collect();
            let value = evaluate_machine(&extended, &values, Budget(100_000)).ok();
            let number = value.and_then(|value| Some(value.number().ok()?.to_f64()));
            number.unwrap_or(f64::NAN)
        }
        _ => plan.evaluate(input, subject.width),
    })
}

/// How far a leaf may be from the original in exact arithmetic.
fn remainder(found: &Found, leaf: &Term) -> f64 {
    let of = found
        .candidates
        .iter()
        .find(|candidate| candidate.term == *leaf);
    of.and_then(|candidate| candidate.remainder).unwrap_or(0.0)
}

/// What a rule does, for people.
fn sentence_of(name: &str) -> Option<&'static str> {
    if name == SERIES {
        return Some("a series near 0, its remainder proved to be below a quarter of an ulp");
    }
    let by = Transformation::ALL.into_iter().find(|by| by.name() == name);
    by.map(Transformation::sentence)
        .or_else(|| rules::named(name).and_then(|rule| rule.sentence))
}

/// Whether a step of the chain led only to functions that the repair does not call.
fn is_detour(name: &str, plan: &Plan) -> bool {
    let Some(right) = rules::named(name).and_then(|rule| rule.right.parse().ok()) else {
        return false;
    };
    let right: egg::Pattern<Math> = right;
    let called: Vec<Op> = plan
        .leaves()
        .into_iter()
        .flat_map(|leaf| leaf.iter().filter_map(Math::op).map(family))
        .collect();
    let is_plain = |op: &Op| matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Neg);
    let nodes = right.ast.iter();
    let functions = nodes.filter_map(|node| match node {
        ENodeOrVar::ENode(node) => node.op().filter(|op| !is_plain(op)).map(family),
        ENodeOrVar::Var(_) => None,
    });
    let functions: Vec<Op> = functions.collect();
    !functions.is_empty() && functions.iter().all(|op| !called.contains(op))
}

/// Functions that later steps make of each other.
fn family(op: Op) -> Op {
    match op {
        Op::Expm1 => Op::Exp,
        Op::Log1p => Op::Log,
        Op::Hypot => Op::Sqrt,
        other => other,
    }
}

/// What the repair does: the sentences of the first idioms in its chain of rules.
fn sentence(rules: &[String], plan: &Plan, subject: &Subject, precision: Precision) -> String {
    let mut sentences: Vec<&str> = Vec::new();
    if precision == Precision::LongDouble {
        sentences.push("computed in long double");
    }
    for name in rules.iter().filter(|name| !is_detour(name, plan)) {
        if let Some(sentence) = sentence_of(name)
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
    // What is done to any sum or product says least.
    sentences.sort_by_key(|sentence| is_general(sentence));
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
