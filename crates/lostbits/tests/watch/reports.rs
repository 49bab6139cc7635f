//! Reports on hand-made records of mode `watch`.

use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    ops::Op,
    record::ModuleRecord,
    site::{Lost, Note, Site, SiteTotals, What},
    tag,
};

use crate::{
    samples::{encode, module, process, site},
    sandbox::Sandbox,
};

const SOURCE: &str = "\
#include <math.h>
double solve(double a, double b, double c) {
\tdouble difference = a - b;
    double angle = sin(c) + fma(a, b, c);
    if (difference * angle >= 0)
        return floor(a);
    return a < b ? (int)c : 0;
}
";

/// A site of `solve.c` at a place named by text of its line.
fn at(line: u32, text: &str, op: Op) -> Site {
    let column = SOURCE.lines().nth(line as usize - 1).unwrap().find(text);
    let place = ("solve.c", line, column.expect(text) as u32 + 1);
    site(place, "solve", What::Operation(op))
}

fn totals(times: u64, tags: u64, x: f64, y: f64) -> SiteTotals {
    SiteTotals {
        differences: times,
        fresh: tags,
        program_bits: x.to_bits(),
        shadow_bits: y.to_bits(),
    }
}

fn from_site(index: u32) -> u64 {
    tag::set_of_site(index, 64)
}

/// A decision of every kind, with one origin, with several, and with none.
fn varied() -> (Vec<Site>, Vec<SiteTotals>) {
    let picks = Site {
        note: Some(Note::PicksComparedValue),
        ..at(7, "? ", Op::Compare)
    };
    let lost = site(
        ("solve.c", 4, 29),
        "solve",
        What::Lost(Lost::InlineAssembly),
    );
    let rows = [
        (
            at(3, "- b", Op::Sub),
            totals(7, 0, 22.1336, 22.133600000000015),
        ),
        (
            at(4, "sin", Op::Sin),
            totals(2, 0, std::f64::consts::PI, 0.0),
        ),
        (at(4, "fma", Op::Fma), totals(1, 0, 1.5, -2.25)),
        (
            at(5, ">=", Op::Compare),
            totals(1200, from_site(0) | from_site(1), -2.4e-15, 0.0),
        ),
        (
            at(6, "floor", Op::Floor),
            totals(1, from_site(2), 2.9999999999999996, 0.0),
        ),
        (
            at(7, "< b", Op::Compare),
            totals(3, 0, 0.5000000000000009, 0.5),
        ),
        (
            at(7, "(int)", Op::ToSigned),
            totals(4, 0, 28.999999999999996, 0.0),
        ),
        (picks, totals(5, 0, 2.0, 2.0000000000000004)),
        (at(4, "+", Op::Add), totals(0, 0, 0.0, 0.0)),
        (lost, SiteTotals::default()),
    ];
    rows.into_iter().unzip()
}

fn watched(sites: Vec<Site>, totals: Vec<SiteTotals>) -> ModuleRecord {
    module(Mode::Watch, sites, 0, totals)
}

fn record(sandbox: &Sandbox, modules: Vec<ModuleRecord>) {
    sandbox.write("run.lostbits", encode(&[process(10, modules)]));
}

fn show(sandbox: &Sandbox) -> String {
    sandbox.show(&mut sandbox.lostbits(&["report", "run.lostbits"]))
}

#[test]
fn decisions_with_their_lines_and_origins() {
    let sandbox = Sandbox::new();
    let (sites, totals) = varied();
    record(&sandbox, vec![watched(sites, totals)]);
    sandbox.write("solve.c", SOURCE);
    insta::assert_snapshot!(show(&sandbox));
}

#[test]
fn json() {
    let sandbox = Sandbox::new();
    let (sites, totals) = varied();
    record(&sandbox, vec![watched(sites, totals)]);
    let mut command = sandbox.lostbits(&["report", "--format", "json", "run.lostbits"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn a_run_that_decides_nothing() {
    let sandbox = Sandbox::new();
    let (sites, totals) = varied();
    record(
        &sandbox,
        vec![watched(sites[..3].to_vec(), totals[..3].to_vec())],
    );
    insta::assert_snapshot!(show(&sandbox));
    let none = vec![SiteTotals::default(); sites.len()];
    record(&sandbox, vec![watched(sites, none)]);
    insta::assert_snapshot!(show(&sandbox));
}

/// Sources that are gone, changed, or were never known.
#[test]
fn places_without_lines() {
    let sandbox = Sandbox::new();
    let decision = |place| site(place, "f", What::Operation(Op::Compare));
    let sites = vec![
        decision(("gone.c", 3, 4)),
        decision(("short.c", 99, 4)),
        decision(("short.c", 1, 70)),
        decision(("", 0, 0)),
    ];
    let times = [4, 3, 2, 1].map(|times| totals(times, 0, 0.5, 0.5));
    record(&sandbox, vec![watched(sites, times.to_vec())]);
    sandbox.write("short.c", "  one line\n");
    insta::assert_snapshot!(show(&sandbox));
}

/// Floats, halves, and formats whose values the record does not hold.
#[test]
fn other_formats() {
    let sandbox = Sandbox::new();
    let of = |kind, line, op| Site {
        kind: Some(kind),
        ..site(("x.c", line, 1), "f", What::Operation(op))
    };
    let sites = vec![
        of(FpKind::Float, 1, Op::Compare),
        of(FpKind::Half, 2, Op::Compare),
        of(FpKind::X87, 3, Op::Compare),
        of(FpKind::X87, 4, Op::Sub),
    ];
    let float = |value: f32| u64::from(value.to_bits());
    let row = |times, fresh, program_bits, shadow_bits| SiteTotals {
        differences: times,
        fresh,
        program_bits,
        shadow_bits,
    };
    let totals = vec![
        row(3, 0, float(0.1), float(0.1)),
        row(2, 0, 0x3c00, 0x3c01),
        row(1, from_site(3), 9, 9),
        row(1, 0, 9, 9),
    ];
    record(&sandbox, vec![watched(sites, totals)]);
    insta::assert_snapshot!(show(&sandbox));
}

/// The parts of `unstable` in the JSON report: line, times, and the origins' lines.
fn found(sandbox: &Sandbox) -> Vec<(u64, u64, Vec<u64>)> {
    let mut command = sandbox.lostbits(&["report", "--format", "json", "run.lostbits"]);
    let report: serde_json::Value =
        serde_json::from_slice(&command.output().unwrap().stdout).expect("JSON");
    let lines = |list: &serde_json::Value| -> Vec<u64> {
        let list = list.as_array().unwrap();
        list.iter()
            .map(|row| row["line"].as_u64().unwrap())
            .collect()
    };
    let rows = report["findings"].as_array().unwrap().iter();
    rows.map(|row| {
        let number = |name: &str| row[name].as_u64().unwrap();
        (number("line"), number("executions"), lines(&row["origins"]))
    })
    .collect()
}

/// The same inline function in two modules and in a child process is one place.
#[test]
fn modules_and_processes_are_joined() {
    let sandbox = Sandbox::new();
    let sites = || vec![at(3, "- b", Op::Sub), at(5, ">=", Op::Compare)];
    let rows = |times| {
        vec![
            totals(times, 0, 1.0, 1.0),
            totals(times, from_site(0), 1e-20, 0.0),
        ]
    };
    let parent = process(
        10,
        vec![watched(sites(), rows(1)), watched(sites(), rows(2))],
    );
    let child = process(11, vec![watched(sites(), rows(4))]);
    sandbox.write("run.lostbits", encode(&[parent, child]));
    assert_eq!(found(&sandbox), [(5, 7, vec![3])]);
}

/// An origin may be in another module, never in another process.
#[test]
fn origins_are_of_the_same_process() {
    let sandbox = Sandbox::new();
    let origin = || watched(vec![at(3, "- b", Op::Sub)], vec![totals(1, 0, 1.0, 1.0)]);
    let decision = || {
        watched(
            vec![at(5, ">=", Op::Compare)],
            vec![totals(1, from_site(0), 1e-20, 0.0)],
        )
    };
    record(&sandbox, vec![origin(), decision()]);
    assert_eq!(found(&sandbox), [(5, 1, vec![3])]);
    let processes = [process(10, vec![origin()]), process(11, vec![decision()])];
    sandbox.write("run.lostbits", encode(&processes));
    assert_eq!(found(&sandbox), [(5, 1, vec![])]);
}

/// Sites 0 and 8 share a bucket in words of 32 bits, not in those of 64.
#[test]
fn narrow_tags_say_less() {
    let sandbox = Sandbox::new();
    let with_kind = |kind| {
        let mut sites: Vec<Site> = (1..10)
            .map(|line| site(("x.c", line, 1), "f", What::Operation(Op::Sub)))
            .collect();
        sites.push(Site {
            kind: Some(kind),
            ..site(("x.c", 10, 1), "f", What::Operation(Op::Compare))
        });
        let mut rows = vec![SiteTotals::default(); 10];
        rows[0] = totals(1, 0, 1.0, 1.0);
        rows[8] = totals(2, 0, 1.0, 1.0);
        rows[9] = totals(1, from_site(0), 0.0, 0.0);
        record(&sandbox, vec![watched(sites, rows)]);
        found(&sandbox)
    };
    assert_eq!(with_kind(FpKind::Double), [(10, 1, vec![1])]);
    assert_eq!(with_kind(FpKind::Float), [(10, 1, vec![9, 1])]);
}

#[test]
fn a_stable_run_is_one_line() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.c",
        "#include <stdlib.h>\nint main(int count, char **words) { return atof(words[1]) * 3 < 1; }\n",
    );
    let shown = sandbox.show(&mut sandbox.lostbits(&["watch", "x.c", "-O2", "--", "2"]));
    assert!(
        shown.contains("stable: no decision depends on an amplified error\n"),
        "{shown}"
    );
    assert!(shown.starts_with("exit 0\n"), "{shown}");
}
