//! The report as JSON, one object on one line, with everything the terminal shows and more. Its schema is
//! docs/explain.schema.json.

use std::collections::BTreeMap;

use lostbits_abi::{
    explain::{Exact, Range, SpotKind},
    site::Caller,
};
use serde::Serialize;
use serde_json::Value;

use super::{Context, causes::message, infix, infix::call_name, passes::JsonPass, phrases};
use crate::{
    config::UNKNOWN_CAUSE,
    demangle::demangle,
    explain::{
        Escalation, Evidence, Findings, Folding, Interventions, Kind, Node, Printed, Proof,
        PythonCall, PythonLine, Reached, RootCause, Spot, SpotCounts, Term, Variable, Variants,
        Verdict,
    },
    report::{
        json::{self, Header, Location, ProgramEnd},
        numbers::exactly,
    },
};

pub fn json(findings: &Findings, context: &Context) -> String {
    let causes = findings.causes.iter().map(Finding::of_cause);
    let untraced = findings.untraced.iter().map(Finding::of_spot);
    let verdict = context.verdict(findings);
    let report = Report {
        header: Header::new(),
        verdict: verdict.name(),
        verdict_reason: super::verdict::reason(findings, context),
        clean: verdict == Verdict::Clean,
        settings: Settings {
            min_output_bits: findings.settings.min_output_bits,
            min_digits: Some(findings.settings.min_digits).filter(|digits| *digits != 0),
            counts_unprinted_bits: findings.settings.counts_unprinted_bits != 0,
            min_local_bits: findings.settings.min_local_bits,
            depth: findings.settings.depth,
            equality_depth: findings.settings.equality_depth,
            precision: findings.settings.precision,
        },
        program: context.ended.map(ProgramEnd::from),
        findings: causes.chain(untraced).collect(),
        unconfirmed: findings.unconfirmed.iter().map(Finding::of_cause).collect(),
        checked: Checked {
            outputs: Counted::from(findings.totals.outputs),
            comparisons: Counted::from(findings.totals.comparisons),
            conversions: Counted::from(findings.totals.conversions),
        },
        outputs_with_unprinted_errors: findings.totals.hidden_outputs,
        undecided_operations: findings.totals.undecided_operations.1,
        consistent_with_zero: ConsistentWithZero {
            executions: findings.totals.zeros,
            largest: number(findings.totals.largest_zero[0]),
            operands: number(findings.totals.largest_zero[1]),
        },
        excused_decisions: findings.totals.excused,
        decisions_without_effect: findings.totals.without_effect,
        different_decisions_without_effect: findings.different_without_effect(),
        rerun_in_high_precision: matches!(
            context.escalation,
            Escalation::Decided | Escalation::CutShort(_)
        ),
        not_rerun_because: match &context.escalation {
            Escalation::Impossible(why) | Escalation::CutShort(why) => Some(why),
            Escalation::Decided | Escalation::NotNeeded => None,
        },
        passes: context.passes.iter().map(JsonPass::from).collect(),
        budget: budget(&context.interventions),
        started_in_other_ways: OtherWays::of(&context.variants),
        constants: Constants::new(findings, &context.folding),
        untracked: Untracked::new(findings, context),
    };
    serde_json::to_string(&report).expect("plain data") + "\n"
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    header: Header,
    verdict: &'static str,
    /// Why there is no verdict, and what to do; null where there is one.
    verdict_reason: Option<String>,
    clean: bool,
    settings: Settings,
    program: Option<ProgramEnd>,
    findings: Vec<Finding>,
    /// What lost bits and influenced a wrong result, and is no cause of it.
    unconfirmed: Vec<Finding>,
    checked: Checked,
    /// Outputs that lost more bits than the threshold in the last printed digit or behind it.
    outputs_with_unprinted_errors: u64,
    undecided_operations: u64,
    consistent_with_zero: ConsistentWithZero,
    /// Decisions that mean something else in exact arithmetic.
    excused_decisions: u64,
    /// Decisions that could not be judged, and change nothing that the program prints.
    decisions_without_effect: u64,
    different_decisions_without_effect: u64,
    /// Whether further runs with more bits were made; if not, though results were undecided, why.
    rerun_in_high_precision: bool,
    not_rerun_because: Option<&'a str>,
    /// Every run of the program, in order; empty for a saved record.
    passes: Vec<JsonPass>,
    /// Null if nothing is wrong, or it could not be measured.
    budget: Option<ErrorBudget>,
    /// What `--also` showed; missing without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    started_in_other_ways: Option<OtherWays>,
    constants: Constants<'a>,
    untracked: Untracked,
}

#[derive(Serialize)]
struct OtherWays {
    /// Commands that started the program; the usual one is first, and empty if the program starts itself.
    commands: Vec<String>,
    outputs_compared: usize,
    /// Outputs whose values differ.
    differing: Vec<Differing>,
    failed: Vec<String>,
}

#[derive(Serialize)]
struct Differing {
    #[serde(flatten)]
    location: Location,
    /// The first significant decimal digit in which computed values differ.
    first_digit: u32,
    exact_values_agree: bool,
    /// One for each command; null where a run did not come to the output as often.
    computed: Vec<Option<Value>>,
    exact: Vec<Option<Value>>,
}

impl OtherWays {
    fn of(variants: &Variants) -> Option<OtherWays> {
        let differing = variants.varied.iter().map(|one| {
            let values = || one.values.iter().copied();
            Differing {
                location: Location::of(&one.site),
                first_digit: one.first_digit(),
                exact_values_agree: one.is_exactly_equal(),
                computed: values().map(|pair| Some(number(pair?.0))).collect(),
                exact: values().map(|pair| Some(number(pair?.1))).collect(),
            }
        });
        let is_asked_for = !variants.commands.is_empty() || !variants.failed.is_empty();
        is_asked_for.then(|| OtherWays {
            commands: variants.commands.clone(),
            outputs_compared: variants.compared,
            differing: differing.collect(),
            failed: variants
                .failed
                .iter()
                .map(|(name, why)| format!("{name}: {why}"))
                .collect(),
        })
    }
}

/// Outputs that are the rounding noise of operands that cancel in exact arithmetic.
#[derive(Serialize)]
struct ConsistentWithZero {
    executions: u64,
    /// The largest such output, and the size of its operands.
    largest: Value,
    operands: Value,
}

#[derive(Serialize)]
struct Settings {
    min_output_bits: f64,
    min_digits: Option<u32>,
    counts_unprinted_bits: bool,
    min_local_bits: f64,
    depth: u32,
    equality_depth: u32,
    precision: u32,
}

#[derive(Serialize)]
struct Finding {
    kind: &'static str,
    location: Location,
    inlined_from: Vec<Line>,
    message: String,
    operation: Option<String>,
    expression: Option<String>,
    expression_tree: Option<Value>,
    max_error_bits: f64,
    mean_error_bits: f64,
    executions: u64,
    sampled_executions: u64,
    erroneous_executions: u64,
    undecided_executions: u64,
    variables: Vec<VariableRange>,
    worst_input: BTreeMap<String, Value>,
    worst_operands: Vec<Value>,
    worst_computed: Value,
    worst_exact: Value,
    outputs: Vec<SpotReached>,
    branches: Vec<SpotReached>,
    proof: Option<ProofOfCause>,
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
            location: Location::of(&cause.site),
            inlined_from: cause.inlined_from.iter().map(Line::of).collect(),
            message: message(cause),
            operation: Some(
                call_name(cause.op, Some(&cause.site))
                    .unwrap_or(cause.op.name())
                    .to_owned(),
            ),
            expression: cause.expression.as_ref().map(infix),
            expression_tree: cause
                .expression
                .as_ref()
                .map(|expression| tree(&expression.root, &|node| expression.name(node).to_owned())),
            max_error_bits: cause.worst_bits,
            mean_error_bits: cause.average_bits,
            executions: cause.executions,
            sampled_executions: cause.sampled_executions,
            erroneous_executions: cause.erroneous,
            undecided_executions: cause.undecided,
            variables: variables.iter().map(VariableRange::of).collect(),
            worst_input: worst.collect(),
            worst_operands: cause
                .worst_operands
                .iter()
                .map(|one| number(*one))
                .collect(),
            worst_computed: number(cause.worst_result),
            worst_exact: exact(&cause.worst_real),
            outputs: cause.outputs.iter().map(SpotReached::of).collect(),
            branches: cause.decisions.iter().map(SpotReached::of).collect(),
            proof: match &cause.evidence {
                Evidence::Proved(proof) => Some(ProofOfCause::of(proof)),
                Evidence::Suspected => None,
            },
        }
    }

    /// A wrong spot without a root cause.
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
            kind: UNKNOWN_CAUSE,
            location: Location::of(&spot.site),
            inlined_from: Vec::new(),
            message: phrases::untraced(spot),
            operation: None,
            expression: None,
            expression_tree: None,
            max_error_bits: spot.worst_bits,
            mean_error_bits: spot.average_bits,
            executions: spot.executions,
            sampled_executions: 0,
            erroneous_executions: spot.erroneous,
            undecided_executions: spot.undecided,
            variables: Vec::new(),
            worst_input: BTreeMap::new(),
            worst_operands: Vec::new(),
            worst_computed: number(spot.values[0]),
            worst_exact: exact(&spot.reals[0]),
            outputs,
            branches,
            proof: None,
        }
    }
}

/// What runs with interventions showed of a cause.
#[derive(Serialize)]
struct ProofOfCause {
    share: f64,
    passes_on: Option<f64>,
    /// The lines of a function whose statements count together; else empty.
    lines: Vec<u32>,
    sources: Vec<SourceOfError>,
    /// Errors of other statements cancel its errors.
    compensated: bool,
    /// The operations that amplify its errors.
    amplified_by: Vec<Location>,
}

#[derive(Serialize)]
struct SourceOfError {
    file: String,
    line: u32,
    function: String,
    share: f64,
}

impl ProofOfCause {
    fn of(proof: &Proof) -> ProofOfCause {
        let sources = proof.sources.iter().map(|source| SourceOfError {
            file: source.file.clone(),
            line: source.line,
            function: demangle(&source.function),
            share: source.share,
        });
        ProofOfCause {
            share: proof.share,
            passes_on: proof.passes,
            lines: proof.lines.clone(),
            sources: sources.collect(),
            compensated: proof.is_compensated,
            amplified_by: proof
                .amplified_by
                .iter()
                .map(|one| Location::of(&one.site))
                .collect(),
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
    first_value: Value,
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
            first_value: number(values.first),
        }
    }
}

/// The same, split by sign.
#[derive(Serialize)]
struct Sides {
    negative: Option<[f64; 2]>,
    zeros: u32,
    positive: Option<[f64; 2]>,
    nans: u32,
}

impl Sides {
    fn of(range: &Range) -> Sides {
        let side = |ends: [f64; 2]| (ends[0] <= ends[1]).then_some(ends);
        Sides {
            negative: side(range.negative),
            zeros: range.zeros,
            positive: side(range.positive),
            nans: range.not_numbers,
        }
    }
}

#[derive(Serialize)]
struct SpotReached {
    #[serde(flatten)]
    location: Location,
    kind: &'static str,
    callee: String,
    executions: u64,
    /// All that were wrong, and those that this cause influenced.
    erroneous_executions: u64,
    influenced_executions: u64,
    undecided_executions: u64,
    max_error_bits: f64,
    mean_error_bits: f64,
    computed: Vec<Value>,
    exact: Vec<Value>,
    /// Executions that lost more bits than the threshold in the last printed digit or behind it.
    unprinted_executions: u64,
    printed: Option<Texts>,
    /// Where Python got wrong results, worst first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    python: Vec<PythonGot>,
}

#[derive(Serialize)]
struct PythonGot {
    erroneous_executions: u64,
    max_error_bits: f64,
    /// Innermost first.
    lines: Vec<PythonFrame>,
}

impl PythonGot {
    fn of(call: &PythonCall) -> PythonGot {
        PythonGot {
            erroneous_executions: call.erroneous,
            max_error_bits: call.worst_bits,
            lines: call.lines.iter().map(PythonFrame::of).collect(),
        }
    }
}

#[derive(Serialize)]
struct PythonFrame {
    file: String,
    line: u32,
    function: String,
}

impl PythonFrame {
    fn of(line: &PythonLine) -> PythonFrame {
        PythonFrame {
            file: line.file.clone(),
            line: line.line,
            function: line.function.clone(),
        }
    }
}

/// The worst output as it was printed.
#[derive(Serialize)]
struct Texts {
    text: String,
    exact: String,
    right_digits: u32,
    digits: u32,
}

impl Texts {
    fn of(printed: &Printed) -> Texts {
        Texts {
            text: printed.text.clone(),
            exact: printed.exact.clone(),
            right_digits: printed.right,
            digits: printed.of,
        }
    }
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
            location: Location::of(&spot.site),
            kind,
            callee: spot.site.callee.clone(),
            executions: spot.executions,
            erroneous_executions: spot.erroneous,
            influenced_executions: reached.times,
            undecided_executions: spot.undecided,
            max_error_bits: reached.worst_bits,
            mean_error_bits: spot.average_bits,
            computed: spot.values[..values]
                .iter()
                .map(|one| number(*one))
                .collect(),
            exact: spot.reals[..values].iter().map(exact).collect(),
            unprinted_executions: spot.hidden,
            printed: spot.printed.as_ref().map(Texts::of),
            python: spot.python.iter().map(PythonGot::of).collect(),
        }
    }
}

/// A number, or a string for NaN and infinities, which JSON lacks.
fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or_else(|| format!("{value:?}").into(), Value::Number)
}

/// An exact value; a string of digits where it is not a double.
fn exact(value: &Exact) -> Value {
    match value.fraction == 0.0 || value.nearest.is_normal() {
        true => number(value.nearest),
        false => exactly(value).into(),
    }
}

/// The expression node by node, each with its source location.
fn tree(node: &Node, name: &dyn Fn(&Node) -> String) -> Value {
    match &node.term {
        Term::Constant(value) => serde_json::json!({ "constant": number(*value) }),
        Term::Variable => serde_json::json!({ "variable": name(node) }),
        Term::Operation { op, site, operands } => serde_json::json!({
            "operation": call_name(*op, site.as_ref()).unwrap_or(op.name()),
            "location": site.as_ref().map(Location::of),
            "operands": operands.iter().map(|one| tree(one, name)).collect::<Vec<_>>(),
        }),
    }
}

#[derive(Serialize)]
struct Checked {
    outputs: Counted,
    comparisons: Counted,
    conversions: Counted,
}

#[derive(Serialize)]
struct Counted {
    sites: u64,
    executions: u64,
    undecided_executions: u64,
    max_error_bits: f64,
}

impl From<SpotCounts> for Counted {
    fn from(counts: SpotCounts) -> Counted {
        Counted {
            sites: counts.sites,
            executions: counts.executions,
            undecided_executions: counts.undecided,
            max_error_bits: counts.worst_bits,
        }
    }
}

/// Which share of the error each statement makes.
#[derive(Serialize)]
struct ErrorBudget {
    runs: u32,
    complete: bool,
    statements: usize,
    contributions: Vec<StatementShare>,
}

#[derive(Serialize)]
struct StatementShare {
    file: String,
    line: u32,
    /// The same, unless statements of a function count together.
    last_line: u32,
    column: Option<u32>,
    function: String,
    is_cause: bool,
    share: f64,
    passes_on: Option<f64>,
    is_root_cause: bool,
}

fn budget(interventions: &Interventions) -> Option<ErrorBudget> {
    let Interventions::Shown(shown) = interventions else {
        return None;
    };
    let budget = shown.budget.as_ref()?;
    let contributions = budget.contributions.iter().map(|one| StatementShare {
        file: one.statements[0].file.clone(),
        line: one.statements[0].line,
        last_line: one.statements.last().map_or(0, |last| last.line),
        column: one.statements[0].column(),
        function: demangle(&one.statements[0].function),
        is_cause: one.is_cause(),
        share: one.share,
        passes_on: one.passes,
        is_root_cause: one.is_suspect,
    });
    Some(ErrorBudget {
        runs: budget.runs,
        complete: !budget.is_incomplete,
        statements: budget.statements,
        contributions: contributions.collect(),
    })
}

/// Outputs that are constants in the compiled program.
#[derive(Serialize)]
struct Constants<'a> {
    /// In the program that the report describes.
    outputs: Vec<ConstantOutput>,
    /// Whether that program was compiled with constants hidden from the optimiser; if not, though the compiler may
    /// have computed something, why.
    rerun_without_folding: bool,
    not_rerun_because: Option<&'a str>,
    /// Outputs that were constants before.
    folded_outputs: Vec<Location>,
}

#[derive(Serialize)]
struct ConstantOutput {
    #[serde(flatten)]
    location: Location,
    callee: String,
    executions: u64,
}

impl<'a> Constants<'a> {
    fn new(findings: &Findings, folding: &'a Folding) -> Constants<'a> {
        let outputs = findings.constants.iter().map(|constant| ConstantOutput {
            location: Location::of(&constant.site),
            callee: constant.site.callee.clone(),
            executions: constant.times,
        });
        Constants {
            outputs: outputs.collect(),
            rerun_without_folding: matches!(folding, Folding::Recomputed(_)),
            not_rerun_because: match folding {
                Folding::Unknown(why) => Some(why),
                _ => None,
            },
            folded_outputs: match folding {
                Folding::Recomputed(sites) => sites.iter().map(Location::of).collect(),
                _ => Vec::new(),
            },
        }
    }
}

#[derive(Serialize)]
struct Untracked {
    #[serde(flatten)]
    run: json::Untracked,
    processes_without_analysis: u64,
    dropped_influences: u64,
    dropped_entries: u64,
    dropped_events: u64,
    outputs_after_underflow: u64,
    wrapped_functions_not_called: Vec<String>,
    /// Their results count as exact.
    may_round_differently: bool,
    uninstrumented_functions: Vec<String>,
}

impl Untracked {
    fn new(findings: &Findings, context: &Context) -> Untracked {
        Untracked {
            run: json::Untracked::new(
                &findings.summary,
                findings.modules_of_other_modes,
                context.unreadable,
            ),
            processes_without_analysis: findings.totals.processes_without_analysis,
            dropped_influences: findings.totals.influences_lost,
            dropped_entries: findings.totals.entries_lost,
            dropped_events: findings.totals.events_lost,
            outputs_after_underflow: findings.totals.after_underflow,
            wrapped_functions_not_called: context.not_called.clone(),
            may_round_differently: findings.is_reassociated,
            uninstrumented_functions: findings.outside.clone(),
        }
    }
}
