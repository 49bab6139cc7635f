//! The report as JSON, one object on one line, with everything the terminal shows and more. The schema
//! stands in docs/explain.schema.json; names and meaning are stable, fields may be added.

use std::{collections::BTreeMap, os::unix::process::ExitStatusExt};

use lostbits_abi::{
    VERSION,
    explain::{Exact, Range, SpotKind},
    site::{Caller, Site},
};
use serde::Serialize;
use serde_json::Value;

use super::{Again, Context, Folding, infix, infix::call_name, phrases};
use crate::{
    explain::{Findings, Kind, Looks, Node, Reached, RootCause, Spot, Term, Variable},
    report::{numbers::exactly, words::demangle},
};

pub fn json(findings: &Findings, context: &Context) -> String {
    let causes = findings.causes.iter().map(Finding::of_cause);
    let untraced = findings.untraced.iter().map(Finding::of_spot);
    let report = Report {
        lostbits: VERSION,
        clean: findings.is_clean(),
        settings: Settings {
            min_output_bits: findings.settings.min_output_bits,
            min_local_bits: findings.settings.min_local_bits,
            depth: findings.settings.depth,
            equality_depth: findings.settings.equality_depth,
            precision: findings.settings.precision,
        },
        program: context.ended.map(|status| Ending {
            exit_code: status.code(),
            signal: status.signal(),
        }),
        findings: causes.chain(untraced).collect(),
        looked_at: LookedAt {
            outputs: Counted::from(findings.totals.outputs),
            comparisons: Counted::from(findings.totals.comparisons),
            conversions: Counted::from(findings.totals.conversions),
        },
        not_decided: findings.totals.undecided_operations.1,
        run_again: matches!(context.again, Again::Decided),
        not_run_again: match context.again {
            Again::No(why) => Some(why),
            Again::Decided | Again::NotNeeded => None,
        },
        constants: Constants::new(findings, &context.folding),
        not_followed: NotFollowed::new(findings, context),
    };
    serde_json::to_string(&report).expect("plain data") + "\n"
}

#[derive(Serialize)]
struct Report {
    lostbits: &'static str,
    clean: bool,
    settings: Settings,
    program: Option<Ending>,
    findings: Vec<Finding>,
    looked_at: LookedAt,
    not_decided: u64,
    /// Whether further runs with more bits were made to decide, and if not though there was reason to, why.
    run_again: bool,
    not_run_again: Option<&'static str>,
    constants: Constants,
    not_followed: NotFollowed,
}

#[derive(Serialize)]
struct Settings {
    min_output_bits: f64,
    min_local_bits: f64,
    depth: u32,
    equality_depth: u32,
    precision: u32,
}

#[derive(Serialize)]
struct Ending {
    exit_code: Option<i32>,
    signal: Option<i32>,
}

#[derive(Serialize)]
struct Finding {
    kind: &'static str,
    site: Place,
    inlined_from: Vec<Line>,
    message: String,
    operation: Option<String>,
    expression: Option<String>,
    tree: Option<Value>,
    worst_bits: f64,
    average_bits: f64,
    executions: u64,
    looked_at: u64,
    erroneous: u64,
    undecided: u64,
    variables: Vec<VariableRange>,
    worst_input: BTreeMap<String, Value>,
    worst_operands: Vec<Value>,
    worst_result: Value,
    worst_real: Value,
    outputs: Vec<SpotReached>,
    branches: Vec<SpotReached>,
}

impl Finding {
    fn of_cause(cause: &RootCause) -> Finding {
        let variables = match &cause.expression {
            Some(expression) => expression.variables.as_slice(),
            None => &[],
        };
        let worst = cause
            .worst_input()
            .iter()
            .map(|variable| (variable.name.clone(), number(variable.values.worst)));
        Finding {
            kind: Kind::of(cause).name(),
            site: Place::of(&cause.site),
            inlined_from: cause.inlined_from.iter().map(Line::of).collect(),
            message: phrases::headline(cause),
            operation: Some(
                call_name(cause.op, Some(&cause.site))
                    .unwrap_or(cause.op.name())
                    .to_owned(),
            ),
            expression: cause.expression.as_ref().map(infix),
            tree: cause
                .expression
                .as_ref()
                .map(|expression| tree(&expression.root, &|node| expression.name(node).to_owned())),
            worst_bits: cause.worst_bits,
            average_bits: cause.average_bits,
            executions: cause.executions,
            looked_at: cause.looked_at,
            erroneous: cause.erroneous,
            undecided: cause.undecided,
            variables: variables.iter().map(VariableRange::of).collect(),
            worst_input: worst.collect(),
            worst_operands: cause
                .worst_operands
                .iter()
                .map(|one| number(*one))
                .collect(),
            worst_result: number(cause.worst_result),
            worst_real: exact(&cause.worst_real),
            outputs: cause.outputs.iter().map(SpotReached::of).collect(),
            branches: cause.decisions.iter().map(SpotReached::of).collect(),
        }
    }

    /// A spot that was wrong, without a cause.
    fn of_spot(spot: &Spot) -> Finding {
        let itself = vec![SpotReached::of(&Reached {
            spot: spot.clone(),
            times: spot.erroneous,
            worst_bits: spot.worst_bits,
        })];
        let is_output = spot.kind == SpotKind::Output;
        let (outputs, branches) = match is_output {
            true => (itself, Vec::new()),
            false => (Vec::new(), itself),
        };
        Finding {
            kind: "untraced",
            site: Place::of(&spot.site),
            inlined_from: Vec::new(),
            message: format!(
                "this {} is wrong; the cause was not traced",
                phrases::spot(spot)
            ),
            operation: None,
            expression: None,
            tree: None,
            worst_bits: spot.worst_bits,
            average_bits: spot.average_bits,
            executions: spot.executions,
            looked_at: 0,
            erroneous: spot.erroneous,
            undecided: spot.undecided,
            variables: Vec::new(),
            worst_input: BTreeMap::new(),
            worst_operands: Vec::new(),
            worst_result: number(spot.values[0]),
            worst_real: exact(&spot.reals[0]),
            outputs,
            branches,
        }
    }
}

/// Unknown lines and columns are 0.
#[derive(Serialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
    function: String,
    r#type: Option<&'static str>,
}

impl Place {
    fn of(site: &Site) -> Place {
        Place {
            file: site.file.clone(),
            line: site.line,
            column: site.column,
            function: demangle(&site.function),
            r#type: site.kind.map(|kind| kind.c_name()),
        }
    }
}

/// A line with a call; an unknown column is 0.
#[derive(Serialize)]
struct Line {
    file: String,
    line: u32,
    column: u32,
}

impl Line {
    fn of(caller: &Caller) -> Line {
        Line {
            file: caller.file.clone(),
            line: caller.line,
            column: caller.column,
        }
    }
}

/// A variable's values; absent where there was none.
#[derive(Serialize)]
struct VariableRange {
    name: String,
    min: Option<f64>,
    max: Option<f64>,
    erroneous_min: Option<f64>,
    erroneous_max: Option<f64>,
    all: Sides,
    erroneous: Sides,
    example: Value,
}

impl VariableRange {
    fn of(variable: &Variable) -> VariableRange {
        let values = &variable.values;
        let end = |range: &Range, index: usize| range.whole().map(|ends| ends[index]);
        VariableRange {
            name: variable.name.clone(),
            min: end(&values.all, 0),
            max: end(&values.all, 1),
            erroneous_min: end(&values.erroneous, 0),
            erroneous_max: end(&values.erroneous, 1),
            all: Sides::of(&values.all),
            erroneous: Sides::of(&values.erroneous),
            example: number(values.first),
        }
    }
}

/// The same, split by sign.
#[derive(Serialize)]
struct Sides {
    negative: Option<[f64; 2]>,
    zeros: u32,
    positive: Option<[f64; 2]>,
    not_numbers: u32,
}

impl Sides {
    fn of(range: &Range) -> Sides {
        let side = |ends: [f64; 2]| (ends[0] <= ends[1]).then_some(ends);
        Sides {
            negative: side(range.negative),
            zeros: range.zeros,
            positive: side(range.positive),
            not_numbers: range.not_numbers,
        }
    }
}

#[derive(Serialize)]
struct SpotReached {
    #[serde(flatten)]
    site: Place,
    kind: &'static str,
    callee: String,
    executions: u64,
    /// All that were wrong, and those that this cause influenced.
    erroneous: u64,
    times: u64,
    undecided: u64,
    worst_bits: f64,
    average_bits: f64,
    values: Vec<Value>,
    reals: Vec<Value>,
}

impl SpotReached {
    fn of(reached: &Reached) -> SpotReached {
        let spot = &reached.spot;
        let (kind, values) = match spot.kind {
            SpotKind::Output => ("output", 1),
            SpotKind::Comparison => ("comparison", 2),
            SpotKind::Conversion => ("conversion", 1),
        };
        SpotReached {
            site: Place::of(&spot.site),
            kind,
            callee: spot.site.callee.clone(),
            executions: spot.executions,
            erroneous: spot.erroneous,
            times: reached.times,
            undecided: spot.undecided,
            worst_bits: reached.worst_bits,
            average_bits: spot.average_bits,
            values: spot.values[..values]
                .iter()
                .map(|one| number(*one))
                .collect(),
            reals: spot.reals[..values].iter().map(exact).collect(),
        }
    }
}

/// A number, or the word for what JSON has no number for.
fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or_else(|| format!("{value:?}").into(), Value::Number)
}

/// The same of a real: in digits where it is no double.
fn exact(real: &Exact) -> Value {
    match real.fraction == 0.0 || real.nearest.is_normal() {
        true => number(real.nearest),
        false => exactly(real).into(),
    }
}

/// The expression node by node, each with its place.
fn tree(node: &Node, name: &dyn Fn(&Node) -> String) -> Value {
    match &node.term {
        Term::Constant(value) => serde_json::json!({ "constant": number(*value) }),
        Term::Variable => serde_json::json!({ "variable": name(node) }),
        Term::Operation { op, site, operands } => serde_json::json!({
            "operation": call_name(*op, site.as_ref()).unwrap_or(op.name()),
            "site": site.as_ref().map(Place::of),
            "operands": operands.iter().map(|one| tree(one, name)).collect::<Vec<_>>(),
        }),
    }
}

#[derive(Serialize)]
struct LookedAt {
    outputs: Counted,
    comparisons: Counted,
    conversions: Counted,
}

#[derive(Serialize)]
struct Counted {
    places: u64,
    times: u64,
    not_decided: u64,
    worst_bits: f64,
}

impl From<Looks> for Counted {
    fn from(looks: Looks) -> Counted {
        Counted {
            places: looks.places,
            times: looks.times,
            not_decided: looks.undecided,
            worst_bits: looks.worst_bits,
        }
    }
}

/// Outputs that the compiler knew.
#[derive(Serialize)]
struct Constants {
    /// In the program that this tells of.
    outputs: Vec<ConstantOutput>,
    /// Whether this is a program compiled with constants hidden, and which outputs were constants before.
    looked_at_again: bool,
    computed_by_compiler: Vec<Place>,
    not_looked_at_again: Option<&'static str>,
}

#[derive(Serialize)]
struct ConstantOutput {
    #[serde(flatten)]
    site: Place,
    callee: String,
    executions: u64,
}

impl Constants {
    fn new(findings: &Findings, folding: &Folding) -> Constants {
        let outputs = findings.constants.iter().map(|constant| ConstantOutput {
            site: Place::of(&constant.site),
            callee: constant.site.callee.clone(),
            executions: constant.times,
        });
        Constants {
            outputs: outputs.collect(),
            looked_at_again: matches!(folding, Folding::LookedAt(_)),
            computed_by_compiler: match folding {
                Folding::LookedAt(sites) => sites.iter().map(Place::of).collect(),
                _ => Vec::new(),
            },
            not_looked_at_again: match folding {
                Folding::Unknown(why) => Some(why),
                _ => None,
            },
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
    processes_without_analysis: u64,
    influences_lost: u64,
    entries_lost: u64,
    events_lost: u64,
    outputs_after_underflow: u64,
    functions_not_called: Vec<String>,
    /// Their results were taken at their word.
    functions_not_compiled: Vec<String>,
}

#[derive(Serialize)]
struct Lost {
    reason: &'static str,
    places: usize,
}

impl NotFollowed {
    fn new(findings: &Findings, context: &Context) -> NotFollowed {
        let summary = &findings.summary;
        let lost = summary.blind.lost.iter().map(|lost| Lost {
            reason: lost.reason.description(),
            places: lost.sites,
        });
        NotFollowed {
            lost: lost.collect(),
            modules_of_other_modes: findings.modules_of_other_modes,
            modules_without_totals: summary.modules_lost,
            unreadable_records: context.unreadable,
            processes_cut_short: summary.cut_short,
            processes_without_analysis: findings.totals.processes_without_analysis,
            influences_lost: findings.totals.influences_lost,
            entries_lost: findings.totals.entries_lost,
            events_lost: findings.totals.events_lost,
            outputs_after_underflow: findings.totals.after_underflow,
            functions_not_called: context.not_called.clone(),
            functions_not_compiled: findings.outside.clone(),
        }
    }
}
