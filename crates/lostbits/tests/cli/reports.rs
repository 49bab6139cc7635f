//! `sites`, `report` and `doctor` on hand-made tables and records.

use std::{fs, process::Command};

use lostbits_abi::{mode::Mode, site::SiteTotals};

use crate::{
    samples::{encode, module, process, table, varied_sites},
    sandbox::Sandbox,
};

#[test]
fn sites_of_an_object() {
    let sandbox = Sandbox::new();
    sandbox.object("a.o", &[table(Mode::Same, varied_sites())]);
    insta::assert_snapshot!(sandbox.show(&mut sandbox.lostbits(&["sites", "a.o"])));
    insta::assert_snapshot!(sandbox.show(&mut sandbox.lostbits(&["sites", "--all", "a.o"])));
}

#[test]
fn sites_of_several_modules_are_merged() {
    let sandbox = Sandbox::new();
    let one = table(Mode::Same, varied_sites());
    let two = table(Mode::Same, varied_sites()[..2].to_vec());
    sandbox.object("a.o", &[one.clone(), two]);
    sandbox.object("b.o", &[one]);
    let archive = Command::new("ar")
        .args(["rc", "all.a", "a.o", "b.o"])
        .current_dir(sandbox.path(""))
        .status();
    assert!(archive.expect("ar").success());
    insta::assert_snapshot!(sandbox.show(&mut sandbox.lostbits(&["sites", "all.a"])));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::new();
    sandbox.object("a.o", &[table(Mode::Same, varied_sites())]);
    let script = format!("{} sites a.o | true", crate::sandbox::LOSTBITS);
    let shown = sandbox.show(&mut sandbox.program("/bin/sh".as_ref(), &["-c", &script]));
    assert_eq!(shown, "exit 0\n");
}

fn no_totals() -> Vec<SiteTotals> {
    vec![SiteTotals::default(); varied_sites().len()]
}

#[test]
fn a_clean_record() {
    let sandbox = Sandbox::new();
    let modules = vec![module(
        Mode::Same,
        varied_sites()[..3].to_vec(),
        1_000_000,
        no_totals()[..3].to_vec(),
    )];
    sandbox.write("run.lostbits", encode(&[process(10, modules)]));
    insta::assert_snapshot!(sandbox.show(&mut sandbox.lostbits(&["report", "run.lostbits"])));
}

#[test]
fn differences_and_blindness() {
    let sandbox = Sandbox::new();
    let mut totals = no_totals();
    let bits = |program: f64, shadow: f64| (program.to_bits(), shadow.to_bits());
    for (index, differences, (program_bits, shadow_bits)) in [
        (1, 12, bits(1.5, 1.25)),
        (2, 4000, bits(0.1, 0.30000000000000004)),
    ] {
        totals[index] = SiteTotals {
            differences,
            fresh: 0,
            program_bits,
            shadow_bits,
        };
    }
    for (index, fresh) in [(3, 7), (4, 2), (5, 1234)] {
        totals[index].fresh = fresh;
    }
    let first = module(Mode::Same, varied_sites(), 10, totals.clone());
    let mut child = process(11, vec![module(Mode::Same, varied_sites(), 1, totals)]);
    child.exited = false;
    child.modules_lost = 1;
    sandbox.write("run.lostbits", encode(&[process(10, vec![first]), child]));
    insta::assert_snapshot!(sandbox.show(&mut sandbox.lostbits(&["report", "run.lostbits"])));
}

#[test]
fn mode_carry_compares_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "run.lostbits",
        encode(&[process(
            10,
            vec![module(Mode::Carry, varied_sites(), 2, no_totals())],
        )]),
    );
    insta::assert_snapshot!(sandbox.show(&mut sandbox.lostbits(&["report", "run.lostbits"])));
}

#[test]
fn records_that_cannot_be_read() {
    let sandbox = Sandbox::new();
    let whole = encode(&[process(
        10,
        vec![module(Mode::Same, varied_sites(), 1, no_totals())],
    )]);
    let mut other_abi = whole.clone();
    other_abi[8] = 9;
    sandbox.write("cut", &whole[..whole.len() / 2]);
    sandbox.write("other", other_abi);
    sandbox.write("empty", "");
    sandbox.write("text", "no record");
    let shown = ["absent", "cut", "other", "empty", "text"]
        .map(|name| sandbox.show(&mut sandbox.lostbits(&["report", name])));
    insta::assert_snapshot!(shown.join(""));
}

#[test]
fn the_doctor_names_what_is_missing() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("empty")).unwrap();
    let old = "#!/bin/sh\necho 'release: 1.60.0'\necho 'LLVM version: 14.0.0'\n";
    sandbox.write("old-rustc", old);
    sandbox.make_executable("old-rustc");
    let mut command = sandbox.lostbits(&["doctor"]);
    command.env("LOSTBITS_HOME", sandbox.path("empty"));
    command.env("LOSTBITS_CC", "no-such-clang");
    command.env("LOSTBITS_FC", "no-such-flang");
    command.env("LOSTBITS_RUSTC", sandbox.path("old-rustc"));
    let shown = sandbox.show(&mut command);
    // What depends on the machine: paths of what is there.
    let kept: Vec<&str> = shown
        .lines()
        .filter(|line| !line.starts_with("ok "))
        .collect();
    insta::assert_snapshot!(kept.join("\n"));
}

#[test]
fn help_names_every_command() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.show(sandbox.lostbits(&["--help"]).env("COLUMNS", "100")));
}
