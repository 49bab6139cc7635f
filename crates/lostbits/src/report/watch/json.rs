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
    },
};

pub fn json(findings: &Findings, context: &Context) -> String {
    let report = Report {
        lostbits: VERSION,
        stable: findings.is_stable(),
        thresholds: context.thresholds.map(|thresholds| Thresholds {
            double: thresholds.double.into(),
            float: thresholds.float.into(),
        }),
        program: context.ended.map(|status| Ending {
            exit_code: status.code(),
            signal: status.signal(),
        }),
        unstable: findings.unstable.iter().map(Unstable::from).collect(),
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
    confirmed: bool,
    /// One of these is where the error was inflated; empty if the operands were only too near.
    origins: Vec<Inflated<'a>>,
}

impl<'a> From<&'a Decision> for Unstable<'a> {
    fn from(decision: &'a Decision) -> Unstable<'a> {
        Unstable {
            place: Place::new(&decision.site, decision.op),
            times: decision.times,
            message: phrases::headline(decision),
            operands: operands(&decision.site, decision.op, decision.operands),
            cancelled_bits: phrases::near_bits(decision),
            confirmed: false,
            origins: decision.origins.iter().map(Inflated::from).collect(),
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
