//! Reports on hand-made analyses.

use lostbits_abi::{
    explain::{Exact, Operation, Spot, SpotKind, cause},
    mode::Mode,
    ops::Op,
    record::ModuleRecord,
    site::{Caller, Lost, Site, SiteTotals, What},
};
use serde_json::Value;

use crate::{
    handmade::{Tree, analysis, influence, operation, spot, with_losses},
    samples::{encode, module, process, site},
    sandbox::{HOSTILE, Sandbox, assert_harmless},
};

const SOURCE: &str = "\
#include <math.h>
double root(double x, double y) {
    return sqrt(sqrt(x * x + y * y) - x);
}
double total(const double *v, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i];
    return sum / (n - 4);
}
int main(void) {
    if (root(1, 2) > 3) print(root(3, 1e-9));
    print((int)total(0, 0));
}
";

/// A site of `prog.c` at a place named by text of its line.
fn at(line: u32, text: &str, function: &str, what: What) -> Site {
    let column = SOURCE.lines().nth(line as usize - 1).unwrap().find(text);
    let place = ("prog.c", line, column.expect(text) as u32 + 1);
    site(place, function, what)
}

fn op(line: u32, text: &str, function: &str, op: Op) -> Site {
    at(line, text, function, What::Operation(op))
}

const SUBTRACTION: u32 = 0;
const ROOT: u32 = 1;
const SUM: u32 = 2;
const QUOTIENT: u32 = 3;
const DECISION: u32 = 4;
const PRINT: u32 = 5;
const PRINT_TOTAL: u32 = 6;
const CONVERSION: u32 = 7;

/// More than are shown; the last file cannot be read, and has marks of the table's in its name.
fn callers() -> Vec<Caller> {
    let caller = |file: &str, line| Caller {
        file: file.to_owned(),
        line,
        column: 9,
    };
    let mut callers = [11, 12].map(|line| caller("prog.c", line)).to_vec();
    callers.extend([1, 2, 3].map(|line| caller("z:1.c", line)));
    callers
}

fn sites() -> Vec<Site> {
    let print = |line| Site {
        callee: "print".to_owned(),
        note: None,
        ..at(line, "print", "main", What::Output)
    };
    let subtraction = Site {
        inlined_from: callers(),
        ..op(3, "- x", "root", Op::Sub)
    };
    vec![
        subtraction,
        op(3, "sqrt(x", "root", Op::Sqrt),
        op(7, "+=", "total", Op::Add),
        op(8, "/", "total", Op::Div),
        op(11, ">", "main", Op::Compare),
        print(11),
        print(12),
        op(12, "(int)", "main", Op::ToSigned),
        at(5, "const", "total", What::Lost(Lost::InlineAssembly)),
    ]
}

fn variable(class: u8, all: &[f64], erroneous: &[f64]) -> Tree {
    Tree::Variable(class, all.to_vec(), erroneous.to_vec())
}

fn square(tree: &Tree) -> Tree {
    Tree::Operation(Op::Mul, u32::MAX, vec![tree.clone(), tree.clone()])
}

/// sqrt(x² + y²) − x. The worst execution is none of those that the expression describes.
fn subtraction() -> Operation {
    let x = variable(1, &[-2.0, 3.0, 1e8], &[3.0, 1e8]);
    let y = variable(2, &[0.0, 1e-9, 7.0], &[1e-9]);
    let sum = Tree::Operation(Op::Add, u32::MAX, vec![square(&x), square(&y)]);
    let root = Tree::Operation(Op::Sqrt, ROOT, vec![sum]);
    let tree = Tree::Operation(Op::Sub, SUBTRACTION, vec![root, x]);
    Operation {
        seen: 1000,
        erroneous: 300,
        worst_bits: 52.04,
        sum_bits: 300.0 * 12.5,
        worst_values: [4.440892098500626e-16, 3.0000000000000004, 3.0, 0.0],
        worst_real: Exact::of(1.6666666666666666e-19),
        ..operation(SUBTRACTION, cause::LOCAL, &tree)
    }
}

fn sum() -> Operation {
    let tree = Tree::Operation(
        Op::Add,
        SUM,
        vec![variable(1, &[0.1, 1e5], &[99999.9]), Tree::Constant(0.1)],
    );
    Operation {
        seen: 500,
        erroneous: 70,
        worst_bits: 9.0,
        sum_bits: 70.0 * 6.0,
        undecided: 3,
        worst_values: [1e5, 99999.9, 0.1, 0.0],
        worst_real: Exact::of(100000.00000000001),
        ..operation(SUM, cause::ACCUMULATED, &tree)
    }
}

fn quotient() -> Operation {
    let tree = Tree::Operation(
        Op::Div,
        QUOTIENT,
        vec![variable(1, &[0.0], &[0.0]), variable(2, &[0.0], &[0.0])],
    );
    Operation {
        seen: 1000,
        erroneous: 1,
        worst_bits: 64.0,
        sum_bits: 64.0,
        worst_values: [f64::NAN, 0.0, 0.0, 0.0],
        worst_real: Exact::of(f64::NAN),
        ..operation(QUOTIENT, cause::NOT_A_NUMBER, &tree)
    }
}

fn decision(influences: &[lostbits_abi::explain::Influence]) -> Spot {
    Spot {
        seen: 40,
        erroneous: 2,
        worst_values: [3.0000000000000004, 3.0],
        worst_reals: [2.9999999999999996, 3.0].map(Exact::of),
        ..spot(DECISION, SpotKind::Comparison, influences)
    }
}

fn output(site: u32, influences: &[lostbits_abi::explain::Influence]) -> Spot {
    Spot {
        seen: 6,
        erroneous: 5,
        worst_bits: 51.0,
        sum_bits: 100.0,
        worst_values: [2.1073424255447017e-8, 0.0],
        worst_reals: [4.08248290463863e-10, 0.0].map(Exact::of),
        ..spot(site, SpotKind::Output, influences)
    }
}

fn module_of(sites: Vec<Site>) -> ModuleRecord {
    let totals = vec![SiteTotals::default(); sites.len()];
    module(Mode::Explain, sites, 1000, totals)
}

fn write(sandbox: &Sandbox, analyses: &[Vec<u8>]) {
    let record = encode(&[process(10, vec![module_of(sites())])]);
    sandbox.write("run.lostbits", [record, analyses.concat()].concat());
    sandbox.write("prog.c", SOURCE);
}

fn all() -> Vec<u8> {
    let conversion = Spot {
        seen: 9,
        erroneous: 1,
        undecided: 2,
        worst_values: [2.9999999999999996, 0.0],
        worst_reals: [3.0, 0.0].map(Exact::of),
        ..spot(CONVERSION, SpotKind::Conversion, &[])
    };
    let printed = output(
        PRINT,
        &[influence(SUBTRACTION, 5, 51.0), influence(SUM, 1, 6.5)],
    );
    let spots = [
        decision(&[influence(SUBTRACTION, 2, 0.0)]),
        printed,
        output(PRINT_TOTAL, &[influence(QUOTIENT, 1, 64.0)]),
        conversion,
    ];
    analysis(10, &[subtraction(), sum(), quotient()], &spots)
}

fn show(sandbox: &Sandbox) -> String {
    sandbox.show(&mut sandbox.lostbits(&["report", "run.lostbits"]))
}

fn json(sandbox: &Sandbox) -> Value {
    let mut command = sandbox.lostbits(&["report", "--format", "json", "run.lostbits"]);
    serde_json::from_slice(&command.output().unwrap().stdout).expect("JSON")
}

#[test]
fn root_causes_with_their_lines_and_outputs() {
    let sandbox = Sandbox::new();
    write(&sandbox, &[with_losses(all(), 1, 0)]);
    insta::assert_snapshot!(show(&sandbox));
}

#[test]
fn as_json() {
    let sandbox = Sandbox::new();
    write(&sandbox, &[all()]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&json(&sandbox)).unwrap());
}

#[test]
fn as_fpcore() {
    let sandbox = Sandbox::new();
    write(&sandbox, &[all()]);
    let mut command = sandbox.lostbits(&["report", "--format", "fpcore", "run.lostbits"]);
    insta::assert_snapshot!(sandbox.show(&mut command));
}

/// Operations that lost bits but reached no wrong result are not reported.
#[test]
fn a_clean_run() {
    let sandbox = Sandbox::new();
    let fine = Spot {
        erroneous: 0,
        worst_bits: 1.0,
        ..output(PRINT, &[])
    };
    write(&sandbox, &[analysis(10, &[subtraction()], &[fine])]);
    insta::assert_snapshot!(show(&sandbox));
    let silent = encode(&[process(10, vec![module_of(sites()[..4].to_vec())])]);
    sandbox.write("run.lostbits", [silent, analysis(10, &[], &[])].concat());
    assert!(show(&sandbox).contains("no output was found"));
}

/// What a process left counts, wherever it was cut off; and whatever else is in the file is no analysis.
#[test]
fn analyses_that_were_cut_short() {
    let sandbox = Sandbox::new();
    let whole = all();
    write(&sandbox, std::slice::from_ref(&whole));
    let causes = |sandbox: &Sandbox| json(sandbox)["findings"].as_array().unwrap().len();
    assert_eq!(causes(&sandbox), 4);
    write(&sandbox, &[whole[..whole.len() - 100].to_vec()]);
    assert_eq!(causes(&sandbox), 3);
    write(&sandbox, &[]);
    assert!(show(&sandbox).contains("analysis"), "{}", show(&sandbox));
    write(&sandbox, &[b"no analysis at all".to_vec()]);
    assert!(show(&sandbox).contains("is not a run record, or it is truncated"));
}

/// A child process and a second module know the same sites: their counts are added, and their
/// expressions generalised.
#[test]
fn processes_and_modules_are_joined() {
    let sandbox = Sandbox::new();
    let sub = |first: Tree, second: Tree| {
        let tree = Tree::Operation(Op::Sub, SUBTRACTION, vec![first, second]);
        Operation {
            erroneous: 2,
            worst_bits: 20.0,
            ..operation(SUBTRACTION, cause::LOCAL, &tree)
        }
    };
    let x = |value: f64| variable(1, &[value, value + 1.0], &[value]);
    let shared = sub(x(5.0), Tree::Operation(Op::Sqrt, ROOT, vec![x(5.0)]));
    let other = sub(
        x(-9.0),
        Tree::Operation(Op::Sqrt, ROOT, vec![Tree::Constant(4.0)]),
    );
    let spots = [output(PRINT, &[influence(SUBTRACTION, 5, 20.0)])];
    let record = encode(&[
        process(10, vec![module_of(sites())]),
        process(11, vec![module_of(sites())]),
    ]);
    let analyses = [
        analysis(10, &[shared], &spots),
        analysis(11, &[other], &spots),
    ];
    sandbox.write("run.lostbits", [record, analyses.concat()].concat());
    let report = json(&sandbox);
    let finding = &report["findings"][0];
    assert_eq!(report["findings"].as_array().unwrap().len(), 1);
    assert_eq!(finding["expression"], "x - sqrt(y)");
    assert_eq!(finding["erroneous_executions"], 4);
    assert_eq!(finding["executions"], 2000);
    assert_eq!(finding["variables"][0]["all"]["negative"][0], -9.0);
    assert_eq!(finding["variables"][0]["all"]["positive"][1], 6.0);
    assert_eq!(finding["variables"][1]["min"], 4.0);
    assert_eq!(finding["outputs"][0]["influenced_executions"], 10);
}

/// Worst outputs first, then wrong decisions, then how often.
#[test]
fn the_worst_comes_first() {
    let sandbox = Sandbox::new();
    let spots = [
        output(PRINT, &[influence(SUM, 5, 20.0)]),
        decision(&[influence(QUOTIENT, 2, 0.0), influence(SUBTRACTION, 1, 0.0)]),
    ];
    write(
        &sandbox,
        &[analysis(10, &[subtraction(), sum(), quotient()], &spots)],
    );
    let report = json(&sandbox);
    let rows = report["findings"].as_array().unwrap().iter();
    let lines: Vec<u64> = rows
        .map(|row| row["location"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [7, 8, 3]);
}

/// One execution does not distinguish variables from constants.
#[test]
fn what_ran_once_has_variables_too() {
    let sandbox = Sandbox::new();
    let number = Tree::Constant;
    let sum = Tree::Operation(Op::Add, SUM, vec![number(1e16), number(1.0)]);
    let tree = Tree::Operation(Op::Sub, SUBTRACTION, vec![sum, number(1e16)]);
    let entry = operation(SUBTRACTION, cause::LOCAL, &tree);
    let spots = [output(PRINT, &[influence(SUBTRACTION, 1, 53.0)])];
    write(&sandbox, &[analysis(10, &[entry], &spots)]);
    assert_eq!(json(&sandbox)["findings"][0]["expression"], "x + 1 - y");
}

/// Files, functions and variables of these names cannot write to the terminal.
#[test]
fn hostile_names_are_escaped() {
    let sandbox = Sandbox::new();
    let hostile = |site: Site| Site {
        file: HOSTILE.to_owned(),
        function: HOSTILE.to_owned(),
        callee: HOSTILE.to_owned(),
        operands: vec![HOSTILE.to_owned(); 2],
        ..site
    };
    let sites = sites().into_iter().map(hostile).collect();
    let record = encode(&[process(10, vec![module_of(sites)])]);
    sandbox.write("run.lostbits", [record, all()].concat());
    sandbox.write(HOSTILE, format!("{HOSTILE}\n").repeat(20));
    assert_harmless(&sandbox.raw(&["report", "run.lostbits"]));
    assert_harmless(&sandbox.raw(&["report", "--format", "fpcore", "run.lostbits"]));
}
