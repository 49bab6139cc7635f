//! The report as JSON, one object on one line. Names and meaning are stable; fields may be added.

use std::os::unix::process::ExitStatusExt;

use lostbits_abi::{VERSION, ops::Op, site::Site};
use serde::Serialize;

use super::{Context, phrases};
use crate::{
    report::words::demangle,
    watch::{
        Amplification, FormatThresholds,
        findings::{Decision, Findings, Inflation, Suppressed},
        rerun::{Changed, Comparison, Foreseen, Rerun, Row, Verdict},
    },
};

pub fn json(findings: &Findings, context: &Context) -> String {
    let report = Report {
        lostbits: VERSION,
        stable: context
            .rerun
            .as_ref()
            .map_or(findings.is_stable(), |rerun| rerun.agrees(findings)),
        thresholds: context.thresholds.map(|thresholds| Thresholds {
            double: thresholds.double.into(),
            float: thresholds.float.into(),
        }),
        program: context.ended.map(|status| Ending {
            exit_code: status.code(),
            signal: status.signal(),
        }),
        unstable: findings
            .unstable
            .iter()
            .map(|decision| Unstable::new(decision, context.rerun.as_ref()))
            .collect(),
        rerun: context.rerun.as_ref().map(Again::new),
        suppressed: findings.suppressed.iter().map(Picked::from).collect(),
        inflating_places: findings.inflations,
        not_followed: NotFollowed::new(findings, context),
    };
    serde_json::to_string(&report).expect("plain data") + "\n"
}

#[derive(Serialize)]
struct Report<'a> {
    lostbits: &'static str,
    stable: bool,
    thresholds: Option<Thresholds>,
    program: Option<Ending>,
    unstable: Vec<Unstable<'a>>,
    /// The run in high precision, if there was one.
    rerun: Option<Again<'a>>,
    suppressed: Vec<Picked<'a>>,
    inflating_places: usize,
    not_followed: NotFollowed,
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

#[derive(Serialize)]
struct Ending {
    exit_code: Option<i32>,
    signal: Option<i32>,
}

/// A place in the source and what happens there. Unknown lines and columns are 0.
#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    function: String,
    operation: &'static str,
    r#type: Option<&'static str>,
}

impl Place<'_> {
    fn new(site: &Site, op: Op) -> Place<'_> {
        Place {
            file: &site.file,
            line: site.line,
            column: site.column,
            function: demangle(&site.function),
            operation: op.name(),
            r#type: site.kind.map(|kind| kind.c_name()),
        }
    }
}

#[derive(Serialize)]
struct Operand {
    decimal: String,
    hexadecimal: String,
}

/// The operands when it happened first.
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
struct Unstable<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    times: u64,
    message: String,
    operands: Vec<Operand>,
    /// Bits that cancel in the operands' difference, or in that of the operand and the nearest jump.
    cancelled_bits: Option<u32>,
    /// In the run in high precision the decision went another way.
    confirmed: bool,
    /// What that run says: `otherwise`, `same`, `not reached`, or nothing if there was none.
    again: Option<&'static str>,
    /// One of these is where the error was inflated; empty if the operands were only too near.
    origins: Vec<Inflated<'a>>,
    /// Operations through which the error came, from an origin to the decision; empty if not recorded.
    way: Vec<Place<'a>>,
}

impl<'a> Unstable<'a> {
    fn new(decision: &'a Decision, rerun: Option<&Rerun>) -> Unstable<'a> {
        let verdict = rerun.map(|rerun| rerun.verdict(decision));
        Unstable {
            place: Place::new(&decision.site, decision.op),
            times: decision.times,
            message: phrases::headline(decision),
            operands: operands(&decision.site, decision.op, decision.operands),
            cancelled_bits: phrases::near_bits(decision),
            confirmed: matches!(verdict, Some(Verdict::Otherwise(_))),
            again: verdict.map(|verdict| match verdict {
                Verdict::Otherwise(_) => "otherwise",
                Verdict::Same => "same",
                Verdict::NotReached => "not reached",
            }),
            origins: decision.origins.iter().map(Inflated::from).collect(),
            way: decision
                .way
                .iter()
                .map(|step| Place::new(&step.site, step.op))
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct Inflated<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    times: u64,
    operands: Vec<Operand>,
    cancelled_bits: Option<u32>,
    /// For library functions: relative errors grow by two to this power.
    growth_log2: Option<i32>,
}

impl<'a> From<&'a Inflation> for Inflated<'a> {
    fn from(inflation: &'a Inflation) -> Inflated<'a> {
        let (cancelled_bits, growth_log2) = match phrases::growth(inflation) {
            Some(Amplification::Cancelled(bits)) => (Some(bits), None),
            Some(Amplification::Factor { log2 }) => (None, Some(log2)),
            None => (None, None),
        };
        Inflated {
            place: Place::new(&inflation.site, inflation.op),
            times: inflation.times,
            operands: operands(&inflation.site, inflation.op, inflation.operands),
            cancelled_bits,
            growth_log2,
        }
    }
}

#[derive(Serialize)]
struct Picked<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    times: u64,
    reason: &'a str,
}

impl<'a> From<&'a Suppressed> for Picked<'a> {
    fn from(suppressed: &'a Suppressed) -> Picked<'a> {
        Picked {
            place: Place::new(&suppressed.site, suppressed.op),
            times: suppressed.times,
            reason: &suppressed.reason,
        }
    }
}

/// The run in high precision.
#[derive(Serialize)]
struct Again<'a> {
    bits: u32,
    program: Ending,
    /// Decisions that went another way.
    decisions: Vec<Other<'a>>,
    stdout: Vec<Line<'a>>,
    stderr: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Other<'a> {
    #[serde(flatten)]
    place: Place<'a>,
    times: u64,
    /// What the first run had said of it: `flagged`, `suppressed` or `nothing`.
    foreseen: &'static str,
}

/// Lines that differ; `close` if only in the last digits of numbers.
#[derive(Serialize)]
struct Line<'a> {
    run: Option<&'a str>,
    rerun: Option<&'a str>,
    close: bool,
}

impl<'a> Again<'a> {
    fn new(rerun: &'a Rerun) -> Again<'a> {
        let [stdout, stderr] = rerun.outputs.each_ref().map(changed_lines);
        Again {
            bits: rerun.precision,
            program: Ending {
                exit_code: rerun.ended.code(),
                signal: rerun.ended.signal(),
            },
            decisions: rerun.changed.iter().map(Other::from).collect(),
            stdout,
            stderr,
        }
    }
}

impl<'a> From<&'a Changed> for Other<'a> {
    fn from(changed: &'a Changed) -> Other<'a> {
        Other {
            place: Place::new(&changed.site, changed.op),
            times: changed.times,
            foreseen: match changed.foreseen {
                Foreseen::Flagged => "flagged",
                Foreseen::Suppressed => "suppressed",
                Foreseen::No => "nothing",
            },
        }
    }
}

fn changed_lines(comparison: &Comparison) -> Vec<Line<'_>> {
    let line = |row| match row {
        &Row::Same(_) => None,
        Row::Close([run, rerun]) => Some((Some(run), Some(rerun), true)),
        Row::Differs([run, rerun]) => Some((Some(run), Some(rerun), false)),
        Row::OnlyFirst(run) => Some((Some(run), None, false)),
        Row::OnlySecond(rerun) => Some((None, Some(rerun), false)),
    };
    let rows = comparison.rows.iter().filter_map(line);
    rows.map(|(run, rerun, close)| Line {
        run: run.map(String::as_str),
        rerun: rerun.map(String::as_str),
        close,
    })
    .collect()
}

#[derive(Serialize)]
struct NotFollowed {
    lost: Vec<Lost>,
    modules_of_other_modes: usize,
    modules_without_totals: u64,
    unreadable_records: usize,
    processes_cut_short: usize,
}

#[derive(Serialize)]
struct Lost {
    reason: &'static str,
    places: usize,
}

impl NotFollowed {
    fn new(findings: &Findings, context: &Context) -> NotFollowed {
        let lost = findings.summary.blind.lost.iter().map(|lost| Lost {
            reason: lost.reason.description(),
            places: lost.sites,
        });
        NotFollowed {
            lost: lost.collect(),
            modules_of_other_modes: findings.modules_of_other_modes,
            modules_without_totals: findings.summary.modules_lost,
            unreadable_records: context.unreadable,
            processes_cut_short: findings.summary.cut_short,
        }
    }
}
