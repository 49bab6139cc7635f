//! Names from outside cannot send escapes to the terminal, nor forge lines of a report.

use lostbits_abi::{
    mode::Mode,
    site::{Site, SiteTotals, What},
};

use crate::{
    samples::{encode, module, process, table, varied_sites},
    sandbox::{HOSTILE, Sandbox, assert_harmless},
};

/// The varied sites, with the same hostile file, function and callee.
fn hostile_sites() -> Vec<Site> {
    let renamed = |site: Site| Site {
        file: HOSTILE.to_owned(),
        function: HOSTILE.to_owned(),
        callee: HOSTILE.to_owned(),
        ..site
    };
    varied_sites().into_iter().map(renamed).collect()
}

fn record(mode: Mode, sites: Vec<Site>) -> Vec<u8> {
    let totals = SiteTotals {
        differences: 1,
        fresh: 1,
        ..SiteTotals::default()
    };
    let totals = vec![totals; sites.len()];
    encode(&[process(10, vec![module(mode, sites, 1, totals)])])
}

#[test]
fn in_a_list_of_sites() {
    let sandbox = Sandbox::new();
    sandbox.object("a.o", &[table(Mode::Same, hostile_sites())]);
    assert_harmless(&sandbox.raw(&["sites", "--all", "a.o"]));
}

#[test]
fn in_a_summary() {
    let sandbox = Sandbox::new();
    sandbox.write("run.lostbits", record(Mode::Same, hostile_sites()));
    assert_harmless(&sandbox.raw(&["report", "run.lostbits"]));
}

#[test]
fn in_a_report_of_watch() {
    let sandbox = Sandbox::new();
    let decision = |site: Site| Site {
        what: What::Operation(lostbits_abi::ops::Op::Compare),
        callee: String::new(),
        ..site
    };
    let mut sites: Vec<Site> = hostile_sites().into_iter().map(decision).take(1).collect();
    sites.push(Site {
        callee: format!("continuous: {HOSTILE}"),
        line: 99,
        ..sites[0].clone()
    });
    sandbox.write("run.lostbits", record(Mode::Watch, sites));
    // The file is there, and its line is as hostile as its name.
    sandbox.write(HOSTILE, format!("{HOSTILE}\n").repeat(40));
    assert_harmless(&sandbox.raw(&["report", "run.lostbits"]));
}

#[test]
fn in_refusals() {
    let sandbox = Sandbox::new();
    let path = format!("./{HOSTILE}");
    for command in ["run", "watch", "sites", "report"] {
        assert_harmless(&sandbox.raw(&[command, &path]));
    }
    assert_harmless(&sandbox.raw(&["cc", &format!("--lostbits-mode={HOSTILE}"), "x.c"]));
    assert_harmless(&sandbox.raw(&["explain", "--library", &path, "--call", "f(1)"]));
    assert_harmless(&sandbox.raw(&["search", "--library", &path, "--call", "f(x)"]));
}
