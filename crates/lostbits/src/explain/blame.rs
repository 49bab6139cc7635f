//! Blame: the root causes that runs with interventions confirm, worst first.
//!
//! The first run suspects operations that lost bits and influenced a wrong result. The error budget ([`super::budget`]) measures
//! what each statement makes. Here both are joined: a suspect is a root cause only if its statement makes a good share of
//! some wrong result's error, or if its errors alone leave no right digit and most of the error passes through it. Sources that
//! were not suspected are added. What no run could measure (NaNs, infinities, underflows, results that only high precision
//! decides) stays a suspect, and says so.

use std::{cmp::Ordering, collections::BTreeSet};

use lostbits_abi::{
    explain::{Exact, SpotKind, cause},
    ops::Op,
    site::{Site, What},
};

use super::{
    budget::{Budget, Contribution, SHARE_OF_A_CAUSE},
    expression::{Node, Term},
    findings::{Findings, Reached, RootCause, Spot},
    intervene::{Effect, SpotKey, Statement},
    kinds::Kind,
    printed::Printed,
};
use crate::summary::identity;

/// What is known about a root cause besides that it may have influenced a wrong result.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Evidence {
    /// No run measured its contribution.
    #[default]
    Suspected,
    Proved(Proof),
}

/// What runs with interventions showed of a cause.
#[derive(Clone, PartialEq, Debug)]
pub struct Proof {
    /// The largest share of a wrong result's error that its own rounding errors make.
    pub share: f64,
    /// [`Contribution::times`].
    pub times: f64,
    /// The largest share that passes through it.
    pub passes: Option<f64>,
    /// The results of whose error it makes a good share, or of whose error most passes through it.
    pub of: Vec<SharedSpot>,
    /// The lines of the group, if the statements of a function count together; else empty.
    pub lines: Vec<u32>,
    /// Whether the operations of the statement count together: none of them is known to make the error.
    pub is_statement: bool,
    /// The wrong results as they are with this computed exactly …
    pub results: Vec<Mended>,
    /// … and its inputs, too.
    pub with_inputs: bool,
    /// Where the error enters that passes through it: other statements, largest share first.
    pub sources: Vec<Source>,
    /// Whether errors of other statements cancel its errors: exact alone, it makes the result worse.
    pub is_compensated: bool,
    /// The operations that amplify its errors: most of the error passes through them, and they make little of it.
    pub amplified_by: Vec<RootCause>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SharedSpot {
    pub site: Site,
    pub kind: SpotKind,
    pub share: f64,
}

/// A wrong result before and after one statement is computed exactly.
#[derive(Clone, PartialEq, Debug)]
pub struct Mended {
    pub site: Site,
    pub kind: SpotKind,
    /// With all errors.
    pub before: Effect,
    /// With the errors that are left.
    pub after: Effect,
    /// As it was printed, if that is known.
    pub printed: Option<Printed>,
    /// Where it is infinite or NaN: what it is if this statement alone is computed exactly.
    pub number: Option<f64>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    pub file: String,
    pub line: u32,
    /// Where others on the line are not its own.
    pub column: Option<u32>,
    pub function: String,
    pub executions: u64,
    pub share: f64,
}

/// The sites of outputs and decisions by their keys.
pub type SpotSites<'a> = &'a dyn Fn(SpotKey) -> Option<Site>;

/// Replaces the suspects of `findings` by the causes that the budget confirms. Within one formula, the source of an error and
/// the operation that amplifies it are one cause: the expression to repair contains both.
pub fn confirm(findings: &mut Findings, budget: &Budget, is_formula: bool, sites: SpotSites) {
    let measured: BTreeSet<(Site, u32)> = measured_spots(budget, sites);
    let spots = findings.wrong_spots();
    let mut confirmed: Vec<RootCause> = Vec::new();
    let mut suspects = std::mem::take(&mut findings.causes);
    let all_suspects = suspects.clone();
    for contribution in budget.contributions.iter().filter(|one| one.is_cause()) {
        let mut proof = proof(contribution, budget, sites, &spots);
        let statement = &contribution.statements[0];
        let amplifiers = amplifiers(contribution, budget, &all_suspects);
        let joined = amplifiers.iter().filter(|_| is_formula);
        let joined = joined.filter(|amplifier| contains(amplifier, statement));
        let joined = joined.map(|amplifier| amplifier.site.clone()).next();
        if let Some(site) = &joined {
            join(&mut proof, site, budget, sites, &spots);
        }
        if let Some(before) = confirmed
            .iter_mut()
            .find(|cause| Some(&cause.site) == joined.as_ref())
        {
            add_share(before, &proof);
            continue;
        }
        let of_formula = |cause: &RootCause| match &joined {
            Some(site) => cause.site == *site,
            None => {
                statement.has(&cause.site)
                    && !contribution.innocent.contains(&identity(&cause.site))
                    && !only_shows_errors(cause, statement)
            }
        };
        if joined.is_none() {
            proof.amplified_by = amplifiers;
        }
        let is_group = contribution.statements.len() > 1;
        let of_statement = (0..suspects.len()).filter(|at| of_formula(&suspects[*at]));
        let best = of_statement.max_by(|a, b| by_preference(&suspects[*a], &suspects[*b]));
        let mut cause = match best.filter(|_| !is_group) {
            Some(at) => suspects.remove(at),
            None => accumulation(statement),
        };
        proof.is_statement = !is_group
            && joined.is_none()
            && statement.has_several_operations()
            && cause.causes == cause::ACCUMULATED;
        reach(&mut cause, &proof, &spots);
        cause.evidence = Evidence::Proved(proof);
        confirmed.push(cause);
    }
    // Another operation on the line of a cause adds nothing to act on.
    let is_on_a_line = |cause: &RootCause| {
        let mut causes = budget.contributions.iter().filter(|one| one.is_cause());
        causes.any(|one| {
            one.statements
                .iter()
                .any(|statement| statement.has(&cause.site))
        })
    };
    let is_measured = |spot: &Spot| measured.contains(&(identity(&spot.site), spot.kind as u32));
    for mut cause in suspects {
        let is_refuted = cause
            .outputs
            .iter()
            .chain(&cause.decisions)
            .all(|reached| is_measured(&reached.spot));
        if is_refuted && !is_special(&cause) && !budget.is_incomplete || is_on_a_line(&cause) {
            findings.unconfirmed.push(cause);
        } else {
            cause
                .outputs
                .retain(|reached| !is_measured(&reached.spot) || budget.is_incomplete);
            confirmed.push(cause);
        }
    }
    let explained: BTreeSet<(Site, u32)> = confirmed
        .iter()
        .flat_map(|cause| cause.outputs.iter().chain(&cause.decisions))
        .map(|reached| (identity(&reached.spot.site), reached.spot.kind as u32))
        .collect();
    findings.untraced = spots
        .into_iter()
        .filter(|spot| !explained.contains(&(identity(&spot.site), spot.kind as u32)))
        .collect();
    // What rests on one of these means nothing at all.
    confirmed.sort_by_key(|cause| !cause.divides_by_zero());
    findings.causes = confirmed;
}

/// Which of two suspects in one statement shows better what happens, the better one last: its other operations feed what cancels.
pub fn by_preference(a: &RootCause, b: &RootCause) -> Ordering {
    let cancels = |cause: &RootCause| matches!(Kind::of(cause), Kind::Cancellation { .. });
    let by_kind = cancels(a).cmp(&cancels(b));
    by_kind.then(a.worst_bits.total_cmp(&b.worst_bits))
}

/// Where accumulated errors first show, chance decides which operation of the statement it is. What they accumulate in is its
/// last.
fn only_shows_errors(cause: &RootCause, statement: &Statement) -> bool {
    cause.causes == cause::ACCUMULATED && identity(&cause.site) != identity(&statement.site)
}

/// Residues do not show what these do.
fn is_special(cause: &RootCause) -> bool {
    cause.makes_not_a_number()
        || cause.makes_infinity()
        || cause.divides_by_zero()
        || cause.causes & cause::UNDERFLOW != 0
}

/// The wrong results that the budget speaks of.
fn measured_spots(budget: &Budget, sites: SpotSites) -> BTreeSet<(Site, u32)> {
    let keys = budget.contributions.iter().flat_map(|one| &one.of);
    keys.filter_map(|(key, _)| Some((identity(&sites(*key)?), key.1)))
        .collect()
}

fn proof(contribution: &Contribution, budget: &Budget, sites: SpotSites, spots: &[Spot]) -> Proof {
    let makes_it = contribution.share >= SHARE_OF_A_CAUSE;
    let concerns = |key: &SpotKey, share: f64| match makes_it {
        true => share >= SHARE_OF_A_CAUSE,
        false => contribution.passes_of.contains(key),
    };
    let own = contribution.of.iter();
    let of = own.filter(|(key, share)| concerns(key, *share));
    let of = of.filter_map(|(key, share)| {
        Some(SharedSpot {
            site: sites(*key)?,
            kind: SpotKind::from_u32(key.1)?,
            share: *share,
        })
    });
    let others = budget.contributions.iter();
    let others = others.filter(|other| !makes_it && *other != contribution);
    let sources = others.filter_map(|other| {
        let of_these = other.of.iter().filter(|(key, _)| concerns(key, 0.0));
        let share = of_these.map(|(_, share)| *share).fold(0.0, f64::max);
        let statement = &other.statements[0];
        (share >= SHARE_OF_A_CAUSE).then(|| Source {
            file: statement.file.clone(),
            line: statement.line,
            column: statement.column(),
            function: statement.function.clone(),
            executions: statement.executions,
            share,
        })
    });
    Proof {
        share: contribution.share,
        times: contribution.times,
        passes: contribution.passes,
        of: of.collect(),
        lines: match contribution.statements.as_slice() {
            [_] => Vec::new(),
            many => many.iter().map(|statement| statement.line).collect(),
        },
        is_statement: false,
        results: mended(contribution, sites, spots),
        with_inputs: !makes_it,
        sources: sources.collect(),
        is_compensated: contribution.is_compensated,
        amplified_by: Vec::new(),
    }
}

fn mended(contribution: &Contribution, sites: SpotSites, spots: &[Spot]) -> Vec<Mended> {
    let results = contribution
        .proof
        .iter()
        .filter_map(|(key, before, after)| {
            let (site, kind) = (sites(*key)?, SpotKind::from_u32(key.1)?);
            let is_same =
                |spot: &&Spot| spot.kind == kind && identity(&spot.site) == identity(&site);
            let printed = spots
                .iter()
                .find(is_same)
                .and_then(|spot| spot.printed.clone());
            let number = contribution.numbers.iter().find(|one| one.0 == *key);
            Some(Mended {
                number: number.map(|one| one.1),
                site,
                kind,
                before: *before,
                after: *after,
                printed,
            })
        });
    results.collect()
}

/// A source and its amplifier are one cause: it is proved by what passes through the amplifier.
fn join(proof: &mut Proof, amplifier: &Site, budget: &Budget, sites: SpotSites, spots: &[Spot]) {
    let of = |one: &&Contribution| one.statements[0].has(amplifier);
    if let Some(contribution) = budget.contributions.iter().find(of) {
        proof.results = mended(contribution, sites, spots);
        proof.with_inputs = true;
    }
}

/// Another source of the same cause.
fn add_share(cause: &mut RootCause, other: &Proof) {
    if let Evidence::Proved(proof) = &mut cause.evidence {
        proof.share = (proof.share + other.share).min(1.0);
    }
}

/// Whether the expression of a cause computes a statement.
fn contains(cause: &RootCause, statement: &Statement) -> bool {
    let has = |node: &Node| match &node.term {
        Term::Operation {
            site: Some(site), ..
        } => statement.has(site),
        _ => false,
    };
    let expression = cause.expression.as_ref();
    expression.is_some_and(|expression| expression.root.any(&has))
}

/// Suspects through which most of the error passes that a contribution makes, though they are no causes themselves.
fn amplifiers(
    contribution: &Contribution,
    budget: &Budget,
    suspects: &[RootCause],
) -> Vec<RootCause> {
    let is_of_the_same = |one: &&Contribution| {
        let mut made = contribution.of.iter();
        made.any(|(key, share)| *share >= SHARE_OF_A_CAUSE && one.passes_of.contains(key))
    };
    let passing = budget
        .contributions
        .iter()
        .filter(|one| !one.is_cause() && is_of_the_same(one));
    passing
        .filter_map(|one| {
            let mut suspects = suspects.iter();
            suspects.find(|cause| one.statements[0].has(&cause.site))
        })
        .cloned()
        .collect()
}

/// A source that the first run did not suspect: no execution lost much, all together did.
fn accumulation(statement: &Statement) -> RootCause {
    let op = match statement.site.what {
        What::Operation(op) => op,
        _ => Op::Add,
    };
    RootCause {
        site: statement.site.clone(),
        inlined_from: statement.site.inlined_from.iter().cloned().collect(),
        op,
        causes: cause::ACCUMULATED,
        expression: None,
        executions: statement.executions,
        sampled_executions: 0,
        erroneous: 0,
        undecided: 0,
        worst_bits: 0.0,
        average_bits: 0.0,
        worst_result: f64::NAN,
        worst_operands: Vec::new(),
        worst_real: Exact::of(f64::NAN),
        outputs: Vec::new(),
        decisions: Vec::new(),
        evidence: Evidence::Suspected,
    }
}

/// The results that a cause reaches are those of the proof, and those that no run measured.
fn reach(cause: &mut RootCause, proof: &Proof, spots: &[Spot]) {
    let is_of = |spot: &Spot, shared: &SharedSpot| {
        identity(&spot.site) == identity(&shared.site) && spot.kind == shared.kind
    };
    let reached = |spot: &Spot| Reached {
        times: spot.erroneous,
        worst_bits: spot.worst_bits,
        spot: spot.clone(),
    };
    let of_proof: Vec<&Spot> = spots
        .iter()
        .filter(|spot| proof.of.iter().any(|shared| is_of(spot, shared)))
        .collect();
    let keep = |before: &[Reached], is_output: bool| -> Vec<Reached> {
        let own = of_proof
            .iter()
            .filter(|spot| (spot.kind == SpotKind::Output) == is_output);
        own.map(|spot| {
            let known = before
                .iter()
                .find(|one| identity(&one.spot.site) == identity(&spot.site));
            known.cloned().unwrap_or_else(|| reached(spot))
        })
        .collect()
    };
    cause.outputs = keep(&cause.outputs, true);
    cause.decisions = keep(&cause.decisions, false);
}
