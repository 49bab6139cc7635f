//! What a search found, and how a suspect becomes a finding.

use lostbits_abi::{
    ops::Op,
    site::{Site, What},
};
use rug::Float;
use serde::{Deserialize, Serialize};

use super::{
    continuity, exact,
    oracle::Oracle,
    plain::is_plain,
    rerun,
    session::{Session, Suspect, remoteness},
};
use crate::{
    failure::Failure,
    numeric::{Relative, ordinal},
    target::{Ending, Step},
};

/// An input on which a function's result is wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    #[serde(with = "exact::many")]
    pub input: Vec<f64>,
    /// The worst of the outputs: its name, what was computed, and what it should be (in decimal).
    pub output: String,
    #[serde(with = "exact")]
    pub computed: f64,
    pub reference: String,
    /// Relative, against the reference.
    #[serde(with = "exact")]
    pub error: Relative,
    pub confirmed_by: Confirmation,
    /// By how much the results of the nearest inputs scatter, relative to the reference, where that is more
    /// than the right ones do.
    #[serde(default)]
    #[serde(with = "exact::optional")]
    pub scatter: Option<Relative>,
    /// The right results of the nearest inputs jump, too: at a pole, or where inputs are far apart.
    #[serde(default)]
    pub jumps: bool,
    pub guilty: Option<Guilty>,
    /// If the run was made in high precision as well.
    #[serde(default)]
    pub measured: Option<Measured>,
    /// The run in exact arithmetic may have taken one number for another of the same bits.
    #[serde(skip)]
    pub is_ambiguous: bool,
}

/// What only a search by true errors measures.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The relative error by FPGen's formula: against FLT_MIN where the right result is smaller.
    #[serde(with = "exact")]
    pub floored: Relative,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confirmation {
    /// The trace alone, to first order.
    Estimate,
    /// The same run in exact arithmetic, at two precisions.
    Shadow,
    /// The same, of a run that means the same in exact arithmetic ([`super::plain`]).
    Arithmetic,
    /// The results of neighbouring inputs, which scatter.
    Rerun,
    /// The expression itself, enclosed in intervals.
    Proved,
    /// The computed results are rough where the exact ones are smooth.
    Consistency,
    /// The mathematical function, evaluated with proved error.
    Function,
    /// The user's oracle: the true function.
    Oracle,
}

/// The operation that amplified most.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Guilty {
    pub operation: String,
    pub file: String,
    pub function: String,
    pub line: u32,
    pub column: u32,
    #[serde(with = "exact")]
    pub x: f64,
    #[serde(with = "exact")]
    pub y: f64,
    #[serde(with = "exact")]
    pub result: f64,
    /// As a binary logarithm.
    #[serde(with = "exact::single")]
    pub log_condition: f32,
    /// Operations from there to the return.
    pub steps: u32,
}

/// Suspects that are confirmed: of one operation, and in all.
const A_SITE: usize = 6;
const IN_ALL: usize = 64;
/// Operations that are replayed for it, in all: seconds.
const MOST_REPLAYED: u64 = 2_000_000;
/// Operations that are replayed to confirm without a reference.
const MOST_WALKED: u64 = 2_000_000;
/// Findings that are reported of one operation: the worst, and the plainest.
const WORST_A_SITE: usize = 2;
const PLAINEST_A_SITE: usize = 1;

pub struct Limits {
    pub significant: Relative,
    pub top: usize,
    /// There is no reference: every suspect is reported, those near the return first (Atomu's own ranking).
    pub by_steps: bool,
    /// What is not confirmed is reported, too.
    pub without_oracle: bool,
    /// What only the shadow says must be confirmed otherwise.
    pub doubts_shadow: bool,
    /// How many times as many suspects as usual are confirmed: the user gave more time.
    pub effort: usize,
}

/// Confirmed findings, and what only the shadow says; both ranked.
#[derive(Default)]
pub struct Findings {
    pub confirmed: Vec<Finding>,
    pub unconfirmed: Vec<Finding>,
}

/// Checks these and the session's own suspects.
pub fn confirm(
    session: &mut Session,
    mut suspects: Vec<Suspect>,
    outputs: &[String],
    oracle: &mut dyn Oracle,
    limits: &Limits,
) -> Result<Findings, Failure> {
    let mut findings = Vec::new();
    suspects.extend(session.all_suspects(A_SITE * limits.effort)?);
    for suspect in suspects.into_iter().take(IN_ALL * limits.effort) {
        if session.replayed > MOST_REPLAYED * limits.effort as u64 {
            break;
        }
        let checked = oracle.check(session, &suspect, outputs)?;
        let (least, most) = (session.least, session.most);
        let is_bad = |finding: &Finding| {
            let is_representable = !finding.is_below(least) && !finding.is_beyond(most);
            limits.by_steps || finding.error >= limits.significant && is_representable
        };
        if let Some(finding) = checked.filter(is_bad) {
            findings.push(finding);
        }
    }
    let (known, doubtful): (Vec<_>, Vec<_>) = findings
        .into_iter()
        .partition(|finding| limits.without_oracle || finding.is_judged());
    let (known, mut unconfirmed) = match limits.doubts_shadow {
        true => by_consistency(session, known, outputs, limits)?,
        false => (known, Vec::new()),
    };
    let mut findings = ranked(known, limits);
    for finding in &mut findings {
        let output = position(finding, outputs);
        rerun::confirm(session, finding, output, limits.significant)?;
    }
    if limits.doubts_shadow {
        let (certain, poles): (Vec<_>, Vec<_>) = findings
            .into_iter()
            .partition(|finding| !finding.is_next_to_a_pole());
        findings = certain;
        unconfirmed.extend(poles);
    }
    if findings.len() < limits.top {
        let shown = doubtful_ones(session, ranked(doubtful, limits), outputs, limits)?;
        match limits.doubts_shadow {
            true => unconfirmed.extend(shown),
            false => findings.extend(shown),
        }
        findings.truncate(limits.top);
    }
    Ok(Findings {
        confirmed: findings,
        unconfirmed: ranked(unconfirmed, limits),
    })
}

/// Separates what only the shadow says: confirmed by the roughness of the results, or not.
fn by_consistency(
    session: &mut Session,
    findings: Vec<Finding>,
    outputs: &[String],
    limits: &Limits,
) -> Result<(Vec<Finding>, Vec<Finding>), Failure> {
    let is_shadow = |finding: &Finding| finding.confirmed_by == Confirmation::Shadow;
    let (doubted, mut known): (Vec<_>, Vec<_>) = findings.into_iter().partition(is_shadow);
    let mut unconfirmed = Vec::new();
    let mut replayed = 0;
    for mut finding in ranked(doubted, limits) {
        let output = position(&finding, outputs);
        let checked =
            replayed < MOST_WALKED * limits.effort as u64 && !finding.is_meant_to_be_zero();
        if checked
            && continuity::confirms(
                session,
                &finding.input,
                output,
                limits.significant,
                &mut replayed,
            )?
            && (!finding.is_ambiguous || scatters(session, &mut finding, output, limits)?)
        {
            finding.confirmed_by = Confirmation::Consistency;
            known.push(finding);
        } else {
            unconfirmed.push(finding);
        }
    }
    Ok((known, unconfirmed))
}

/// Whether the results of the nearest inputs scatter: that needs no run in exact arithmetic.
fn scatters(
    session: &mut Session,
    finding: &mut Finding,
    output: usize,
    limits: &Limits,
) -> Result<bool, Failure> {
    rerun::confirm(session, finding, output, limits.significant)?;
    Ok(finding
        .scatter
        .is_some_and(|size| size >= limits.significant))
}

fn position(finding: &Finding, outputs: &[String]) -> usize {
    let position = outputs.iter().position(|name| *name == finding.output);
    position.unwrap_or(0)
}

/// Of the suspects that the oracle could not judge, those that a second run confirms; their error is the
/// scatter.
fn doubtful_ones(
    session: &mut Session,
    doubtful: Vec<Finding>,
    outputs: &[String],
    limits: &Limits,
) -> Result<Vec<Finding>, Failure> {
    let mut shown = Vec::new();
    for mut finding in doubtful {
        let output = position(&finding, outputs);
        rerun::confirm(session, &mut finding, output, limits.significant)?;
        if let Some(scatter) = finding.scatter.filter(|size| *size >= limits.significant) {
            finding.error = scatter;
            shown.push(finding);
        }
    }
    shown.sort_by(|a, b| b.error.total_cmp(&a.error));
    Ok(shown)
}

/// By error, then by steps, then plain inputs first; neighbours merged.
pub fn ranked(mut findings: Vec<Finding>, limits: &Limits) -> Vec<Finding> {
    let steps = |finding: &Finding| {
        finding
            .guilty
            .as_ref()
            .map_or(u32::MAX, |guilty| guilty.steps)
    };
    if limits.by_steps {
        findings.sort_by_key(steps);
        findings.truncate(limits.top);
        return findings;
    }
    findings.sort_by(|a, b| {
        b.error
            .total_cmp(&a.error)
            .then_with(|| steps(a).cmp(&steps(b)))
            .then_with(|| remoteness(&a.input).total_cmp(&remoteness(&b.input)))
    });
    let mut kept: Vec<Finding> = Vec::new();
    for finding in &findings {
        let same_site = || kept.iter().filter(|known| known.is_of_site_of(finding));
        let repeats = kept.iter().any(|known| known.is_neighbour_of(finding));
        let plainer = findings
            .iter()
            .filter(|other| other.is_of_site_of(finding))
            .filter(|other| remoteness(&other.input) < remoteness(&finding.input))
            .count();
        let is_chosen = same_site().count() < WORST_A_SITE || plainer < PLAINEST_A_SITE;
        if !repeats && is_chosen {
            kept.push(finding.clone());
        }
    }
    kept.truncate(limits.top);
    kept
}

impl Finding {
    /// Whether there was a reference.
    fn is_judged(&self) -> bool {
        self.confirmed_by != Confirmation::Estimate
    }

    /// Whether computed and exact result are below the normal numbers of their format.
    fn is_below(&self, least: f64) -> bool {
        let reference: f64 = self.reference.parse().unwrap_or(f64::NAN);
        reference.abs() < least && self.computed.abs() < 2.0 * least
    }

    /// Whether the exact result is beyond the largest number of its format, and the function returns that number, as libraries do
    /// that know no infinities.
    fn is_beyond(&self, most: f64) -> bool {
        let reference: f64 = self.reference.parse().unwrap_or(f64::NAN);
        reference.abs() > most && self.computed.abs() >= most && reference * self.computed > 0.0
    }

    /// Whether the same run in high precision jumps here, too, to a large number, and nothing but that run says that the result is
    /// wrong: the function has a pole at the input or next to it, where no result is right. Next to a zero results jump as well, in
    /// proportion, but they are small.
    fn is_next_to_a_pole(&self) -> bool {
        const LARGE: f64 = (1u64 << 26) as f64;
        let by_run = matches!(
            self.confirmed_by,
            Confirmation::Shadow | Confirmation::Arithmetic
        );
        let exact: f64 = self.reference.parse().unwrap_or(f64::NAN);
        let is_large = exact.is_nan() || exact.abs() > LARGE;
        by_run && self.jumps && is_large && self.scatter.is_none()
    }

    /// What is zero in exact arithmetic is often meant to be the rounding error itself: the rest of an error-free sum, `x` minus
    /// what it rounds to.
    fn is_meant_to_be_zero(&self) -> bool {
        matches!(self.reference.as_str(), "0" | "-0")
    }

    fn is_of_site_of(&self, other: &Finding) -> bool {
        let location = |finding: &Finding| {
            let guilty = finding.guilty.as_ref();
            guilty.map(|at| (at.file.clone(), at.line, at.column, at.operation.clone()))
        };
        location(self) == location(other)
    }

    fn is_neighbour_of(&self, other: &Finding) -> bool {
        const NEAR: u64 = 1 << 42;
        self.input
            .iter()
            .zip(&other.input)
            .all(|(a, b)| ordinal(*a).abs_diff(ordinal(*b)) < NEAR)
    }
}

/// The suspect's run in exact arithmetic: the worst output with its reference, if both precisions agree; else the
/// estimate.
pub fn by_shadow(
    session: &mut Session,
    suspect: &Suspect,
    outputs: &[String],
) -> Result<Option<Finding>, Failure> {
    let (outcome, steps) = session.target.trace(&suspect.input)?;
    session.replayed += steps.len() as u64;
    if !outcome.is_inside() {
        return Ok(None);
    }
    let mut worst = |precision| -> Result<_, Failure> {
        let shadows = session.shadows(&steps, &suspect.input, &outcome.outputs, precision)?;
        let plain = is_plain(&outcome, &steps, &shadows);
        let exact = outcome.outputs.iter().zip(shadows.outputs).zip(outputs);
        let judged = exact.map(|((computed, reference), name)| {
            let reference = without_noise(reference);
            let error = relative(*computed, &reference);
            let confirmed_by = match plain && !reference.is_zero() {
                true => Confirmation::Arithmetic,
                false => Confirmation::Shadow,
            };
            let is_ambiguous = shadows.is_ambiguous;
            (
                name,
                *computed,
                reference,
                error,
                confirmed_by,
                is_ambiguous,
            )
        });
        Ok(judged.max_by(|a, b| a.3.total_cmp(&b.3)))
    };
    let agree = |first: Relative, second: Relative| {
        let (a, b) = (first.get(), second.get());
        a <= 2.0 * b && b <= 2.0 * a
    };
    let mut judged = None;
    for precisions in [PRECISIONS, HIGHER_PRECISIONS] {
        let (Some(first), Some(second)) = (worst(precisions[0])?, worst(precisions[1])?) else {
            return Ok(None);
        };
        let (_, computed, reference, error, ..) = &second;
        // Where everything cancelled, the rest may be too small for the first precisions.
        let is_suspicious = *error == Relative::NONE && cancels_wholly(&steps)
            || reference.is_zero() && *computed != 0.0;
        let is_certain = agree(first.3, *error);
        judged = is_certain.then_some(second);
        if is_certain && !is_suspicious {
            break;
        }
    }
    let Some(second) = judged else {
        return by_estimate(session, suspect, outputs);
    };
    let (name, computed, reference, error, confirmed_by, is_ambiguous) = second;
    Ok(Some(Finding {
        input: suspect.input.clone(),
        output: name.clone(),
        computed,
        reference: decimal(&reference),
        error,
        confirmed_by,
        scatter: None,
        jumps: false,
        guilty: guilty(session.target.sites(), suspect),
        measured: None,
        is_ambiguous,
    }))
}

/// Zero for what is below all doubles: where numbers cancel wholly, the noise of the high precision is left.
fn without_noise(reference: Float) -> Float {
    const BELOW_ALL: i32 = -1100;
    match reference.get_exp() {
        Some(exponent) if exponent < BELOW_ALL => Float::new(reference.prec()),
        _ => reference,
    }
}

/// Precisions that must agree.
const PRECISIONS: [u32; 2] = [128, 256];
/// The latter holds the sum of 1 and the square of any double.
const HIGHER_PRECISIONS: [u32; 2] = [1200, 2400];

/// Whether a difference of equal numbers was taken that are not both constants.
fn cancels_wholly(steps: &[Step]) -> bool {
    steps.iter().any(|step| {
        matches!(step.op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd)
            && step.result == 0.0
            && step.x != 0.0
    })
}

/// A finding by the trace alone.
pub fn by_estimate(
    session: &mut Session,
    suspect: &Suspect,
    outputs: &[String],
) -> Result<Option<Finding>, Failure> {
    let batch = session.target.run(&suspect.input)?;
    let Some(outcome) = batch.outcomes.first().filter(|outcome| outcome.is_inside()) else {
        return Ok(None);
    };
    Ok(Some(Finding {
        input: suspect.input.clone(),
        output: outputs.first().cloned().unwrap_or_default(),
        computed: outcome.outputs.first().copied().unwrap_or(f64::NAN),
        reference: String::new(),
        error: suspect.estimate,
        confirmed_by: Confirmation::Estimate,
        scatter: None,
        jumps: false,
        guilty: guilty(session.target.sites(), suspect),
        measured: None,
        is_ambiguous: false,
    }))
}

/// The worst output against the references, which are NaN where they are unknown.
pub fn by_reference(
    session: &mut Session,
    suspect: &Suspect,
    outputs: &[String],
    right: &[Float],
    by: Confirmation,
) -> Result<Option<Finding>, Failure> {
    let batch = session.target.run(&suspect.input)?;
    let Some(outcome) = batch.outcomes.first().filter(|outcome| outcome.is_inside()) else {
        return Ok(None);
    };
    let judged = outcome.outputs.iter().zip(right).zip(outputs);
    let worst = judged
        .filter(|((_, right), _)| !right.is_nan())
        .map(|((computed, right), name)| (*computed, right, name, relative(*computed, right)))
        .max_by(|a, b| a.3.total_cmp(&b.3));
    Ok(worst.map(|(computed, right, name, error)| Finding {
        input: suspect.input.clone(),
        output: name.clone(),
        computed,
        reference: decimal(right),
        error,
        confirmed_by: by,
        scatter: None,
        jumps: false,
        measured: None,
        is_ambiguous: false,
        guilty: guilty(session.target.sites(), suspect),
    }))
}

/// The reference of an output, if none is beyond the largest number `most` of the outputs' format: those are rightly infinite.
fn number_of(right: &[Float], at: usize, most: f64) -> Option<String> {
    let is_number = |value: &Float| value.is_finite() && value.to_f64().abs() <= most;
    let one = right.get(at)?;
    right.iter().all(is_number).then(|| decimal(one))
}

/// The result of the run in exact arithmetic where the program's is not finite: finite, and the same at two
/// precisions.
pub fn defined_by_shadow(session: &mut Session, input: &[f64]) -> Result<Option<Defined>, Failure> {
    let (outcome, steps) = session.target.trace(input)?;
    session.replayed += steps.len() as u64;
    if outcome.ending != Ending::Returned {
        return Ok(None);
    }
    let missing = outcome.outputs.iter().position(|one| !one.is_finite());
    let missing = missing.unwrap_or(0);
    let mut run = |precision| session.shadows(&steps, input, &outcome.outputs, precision);
    let mut precisions = PRECISIONS;
    let mut first = run(precisions[0])?;
    // What cancelled to zero may be too small for these precisions.
    if first.outputs.iter().any(Float::is_zero) {
        precisions = HIGHER_PRECISIONS;
        first = run(precisions[0])?;
    }
    if first.is_ambiguous || number_of(&first.outputs, missing, session.most).is_none() {
        return Ok(None);
    }
    let second = session.shadows(&steps, input, &outcome.outputs, precisions[1])?;
    let agrees = |(a, b): (&Float, &Float)| relative(a.to_f64(), b) < Relative::new(1e-9);
    let agree = first.outputs.iter().zip(&second.outputs).all(agrees);
    let reference = number_of(&second.outputs, missing, session.most).filter(|_| agree);
    Ok(reference.map(|reference| Defined {
        reference,
        is_certain: is_plain(&outcome, &steps, &second),
    }))
}

/// What a result that is not finite should be.
pub struct Defined {
    pub reference: String,
    /// False if only a run says so that may mean something else in exact arithmetic.
    pub is_certain: bool,
}

impl Defined {
    /// By a reference that needs no confirmation.
    pub fn by_reference(right: &[Float], most: f64) -> Option<Defined> {
        number_of(right, 0, most).map(|reference| Defined {
            reference,
            is_certain: true,
        })
    }
}

/// An output of a run in exact arithmetic, and how many operations were replayed.
pub fn shadow_output(
    session: &mut Session,
    input: &[f64],
    output: usize,
) -> Result<(Float, u64), Failure> {
    let (outcome, steps) = session.target.trace(input)?;
    let mut shadows = session.shadows(&steps, input, &outcome.outputs, PRECISIONS[1])?;
    let value = match output < shadows.outputs.len() {
        true => shadows.outputs.swap_remove(output),
        false => Float::with_val(PRECISIONS[1], rug::float::Special::Nan),
    };
    Ok((value, steps.len() as u64))
}

/// No error if the right value is subnormal: there is no full precision to lose.
pub fn relative(computed: f64, reference: &Float) -> Relative {
    let tiny = reference.is_finite() && *reference.as_abs() < f64::MIN_POSITIVE;
    if tiny && !reference.is_zero() && computed.abs() < f64::MIN_POSITIVE {
        return Relative::NONE;
    }
    Relative::between(computed, reference)
}

pub fn decimal(number: &Float) -> String {
    format!("{number:.24e}")
}

pub fn guilty(sites: &[Site], suspect: &Suspect) -> Option<Guilty> {
    let seen = suspect.guilty?;
    let site = sites.get(seen.site as usize)?;
    let operation = match site.what {
        What::Operation(op) => op.name().to_owned(),
        _ => return None,
    };
    Some(Guilty {
        operation,
        file: site.file.clone(),
        function: site.function.clone(),
        line: site.line,
        column: site.column,
        x: seen.x,
        y: seen.y,
        result: seen.distance,
        log_condition: seen.log_condition,
        steps: seen.steps,
    })
}
