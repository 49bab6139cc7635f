//! The report as JSON, one object on one line. Its schema is docs/watch.schema.json.

use lostbits_abi::{ops::Op, site::Site};
use serde::Serialize;

use super::{Context, Verdict, phrases};
use crate::{
    report::json::{Header, Location, ProgramEnd, Untracked},
    run::{Comparison, Row},
    watch::{
        Amplification, FormatThresholds,
        findings::{Decision, Findings, Inflation, Suppressed},
        rerun::{self, Changed, Foreseen, Rerun},
    },
};

pub fn json(findings: &Findings, context: &Context) -> String {
    let rerun = context.rerun.as_ref();
    let verdict = context.verdict(findings);
    let report = Report {
        header: Header::new(),
        verdict: verdict.name(),
        stable: verdict == Verdict::Stable,
        checked_decisions: findings.decisions,
        thresholds: context.thresholds.map(|thresholds| Thresholds {
            double: thresholds.double.into(),
            float: thresholds.float.into(),
        }),
        program: context.ended.map(ProgramEnd::from),
        findings: findings
            .unstable
            .iter()
            .map(|decision| UnstableDecision::new(decision, rerun))
            .collect(),
        rerun: rerun.map(HighPrecisionRun::new),
        suppressed: findings
            .suppressed
            .iter()
            .map(SuppressedDecision::from)
            .collect(),
        amplifying_sites: findings.inflations,
        untracked: Untracked::new(
            &findings.summary,
            findings.modules_of_other_modes,
            context.unreadable,
        ),
    };
    serde_json::to_string(&report).expect("plain data") + "\n"
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    header: Header,
    verdict: &'static str,
    stable: bool,
    checked_decisions: usize,
    thresholds: Option<Thresholds>,
    program: Option<ProgramEnd>,
    findings: Vec<UnstableDecision>,
    /// The run in high precision, if there was one.
    rerun: Option<HighPrecisionRun<'a>>,
    suppressed: Vec<SuppressedDecision<'a>>,
    amplifying_sites: usize,
    untracked: Untracked,
}

#[derive(Serialize)]
struct Thresholds {
    double: Pair,
    float: Pair,
}

#[derive(Serialize)]
struct Pair {
    tau_c: u32,
    tau_s: u32,
}

impl From<FormatThresholds> for Pair {
    fn from(thresholds: FormatThresholds) -> Pair {
        Pair {
            tau_c: thresholds.cancelled,
            tau_s: thresholds.suppressed,
        }
    }
}

/// An operation and its source location.
#[derive(Serialize)]
struct Operation {
    #[serde(flatten)]
    location: Location,
    operation: &'static str,
}

impl Operation {
    fn new(site: &Site, op: Op) -> Operation {
        Operation {
            location: Location::of(site),
            operation: op.name(),
        }
    }
}

#[derive(Serialize)]
struct Operand {
    decimal: String,
    hexadecimal: String,
}

/// The operands in the first execution that was recorded.
fn operands(site: &Site, op: Op, bits: [u64; 2]) -> Vec<Operand> {
    phrases::numbers(site, op, bits)
        .into_iter()
        .map(|number| Operand {
            decimal: number.decimal,
            hexadecimal: number.hexadecimal,
        })
        .collect()
}

#[derive(Serialize)]
struct UnstableDecision {
    #[serde(flatten)]
    operation: Operation,
    executions: u64,
    message: String,
    operands: Vec<Operand>,
    /// Bits that cancel in the operands' difference, or in that of the operand and the nearest jump.
    cancelled_bits: Option<u32>,
    /// The decision differs in the run in high precision.
    confirmed: bool,
    /// What that run says: `different`, `same`, `not reached`, or nothing if there was none.
    rerun_verdict: Option<&'static str>,
    /// One of these amplified the error; empty if the operands were only too near.
    origins: Vec<Amplifier>,
    /// Operations from an origin to the decision; empty if not recorded.
    error_path: Vec<Operation>,
}

impl UnstableDecision {
    fn new(decision: &Decision, rerun: Option<&Rerun>) -> UnstableDecision {
        let verdict = rerun.map(|rerun| rerun.verdict(decision));
        UnstableDecision {
            operation: Operation::new(&decision.site, decision.op),
            executions: decision.times,
            message: phrases::headline(decision),
            operands: operands(&decision.site, decision.op, decision.operands),
            cancelled_bits: phrases::near_bits(decision),
            confirmed: matches!(verdict, Some(rerun::Verdict::Otherwise(_))),
            rerun_verdict: verdict.map(|verdict| match verdict {
                rerun::Verdict::Otherwise(_) => "different",
                rerun::Verdict::Same => "same",
                rerun::Verdict::NotReached => "not reached",
            }),
            origins: decision.origins.iter().map(Amplifier::from).collect(),
            error_path: decision
                .error_path
                .iter()
                .map(|step| Operation::new(&step.site, step.op))
                .collect(),
        }
    }
}

/// An operation that amplified an error.
#[derive(Serialize)]
struct Amplifier {
    #[serde(flatten)]
    operation: Operation,
    executions: u64,
    operands: Vec<Operand>,
    cancelled_bits: Option<u32>,
    /// For library functions: relative errors grow by two to this power.
    amplification_log2: Option<i32>,
}

impl From<&Inflation> for Amplifier {
    fn from(inflation: &Inflation) -> Amplifier {
        let (cancelled_bits, amplification_log2) = match phrases::growth(inflation) {
            Some(Amplification::Cancelled(bits)) => (Some(bits), None),
            Some(Amplification::Factor { log2 }) => (None, Some(log2)),
            None => (None, None),
        };
        Amplifier {
            operation: Operation::new(&inflation.site, inflation.op),
            executions: inflation.times,
            operands: operands(&inflation.site, inflation.op, inflation.operands),
            cancelled_bits,
            amplification_log2,
        }
    }
}

#[derive(Serialize)]
struct SuppressedDecision<'a> {
    #[serde(flatten)]
    operation: Operation,
    executions: u64,
    reason: &'a str,
}

impl<'a> From<&'a Suppressed> for SuppressedDecision<'a> {
    fn from(suppressed: &'a Suppressed) -> SuppressedDecision<'a> {
        SuppressedDecision {
            operation: Operation::new(&suppressed.site, suppressed.op),
            executions: suppressed.times,
            reason: &suppressed.reason,
        }
    }
}

#[derive(Serialize)]
struct HighPrecisionRun<'a> {
    precision: u32,
    program: ProgramEnd,
    changed_decisions: Vec<ChangedDecision>,
    stdout: Vec<ChangedLine<'a>>,
    stderr: Vec<ChangedLine<'a>>,
}

/// A decision that differs in high precision.
#[derive(Serialize)]
struct ChangedDecision {
    #[serde(flatten)]
    operation: Operation,
    executions: u64,
    /// What the first run had said about it: `flagged`, `suppressed` or `unflagged`.
    first_run: &'static str,
}

/// Lines of output that differ; `nearly_equal` if only in the last digits of numbers.
#[derive(Serialize)]
struct ChangedLine<'a> {
    run: Option<&'a str>,
    rerun: Option<&'a str>,
    nearly_equal: bool,
}

impl<'a> HighPrecisionRun<'a> {
    fn new(rerun: &'a Rerun) -> HighPrecisionRun<'a> {
        let [stdout, stderr] = rerun.outputs.each_ref().map(changed_lines);
        HighPrecisionRun {
            precision: rerun.precision,
            program: rerun.ended.into(),
            changed_decisions: rerun.changed.iter().map(ChangedDecision::from).collect(),
            stdout,
            stderr,
        }
    }
}

impl From<&Changed> for ChangedDecision {
    fn from(changed: &Changed) -> ChangedDecision {
        ChangedDecision {
            operation: Operation::new(&changed.site, changed.op),
            executions: changed.times,
            first_run: match changed.foreseen {
                Foreseen::Flagged => "flagged",
                Foreseen::Suppressed => "suppressed",
                Foreseen::No => "unflagged",
            },
        }
    }
}

fn changed_lines(comparison: &Comparison) -> Vec<ChangedLine<'_>> {
    let line = |row| match row {
        &Row::Same(_) => None,
        Row::Close([run, rerun]) => Some((Some(run), Some(rerun), true)),
        Row::Differs([run, rerun]) => Some((Some(run), Some(rerun), false)),
        Row::OnlyFirst(run) => Some((Some(run), None, false)),
        Row::OnlySecond(rerun) => Some((None, Some(rerun), false)),
    };
    let rows = comparison.rows.iter().filter_map(line);
    rows.map(|(run, rerun, nearly_equal)| ChangedLine {
        run: run.map(String::as_str),
        rerun: rerun.map(String::as_str),
        nearly_equal,
    })
    .collect()
}
