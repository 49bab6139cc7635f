//! What cannot be done: a sentence, exit code 2, and nothing overwritten.

use std::path::Path;

use lostbits_abi::{ABI_VERSION, mode::Mode};

use crate::{
    samples::{table, varied_sites},
    sandbox::Sandbox,
};

/// So that a new ABI version changes no snapshot.
fn without_versions(shown: &str) -> String {
    shown
        .replace(&format!("ABI {}", ABI_VERSION + 1), "ABI $OTHER")
        .replace(&format!("ABI {ABI_VERSION}"), "ABI $OURS")
}

/// Shows refusals one after another.
fn show_all(sandbox: &Sandbox, commands: &[&[&str]]) -> String {
    let shown = commands.iter().map(|arguments| {
        format!(
            "$ lostbits {}\n{}",
            arguments.join(" "),
            sandbox.show(&mut sandbox.lostbits(arguments))
        )
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn options_and_modes() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            &["cc", "--lostbits-modus=same", "-c", "x.c"],
            &["cc", "--lostbits-mode=fast", "-c", "x.c"],
            &["fc", "-static", "x.f90"],
            &["cc", "-m32", "-c", "x.c"],
        ]
    ));
    let mut command = sandbox.lostbits(&["cc", "-c", "x.c"]);
    insta::assert_snapshot!(sandbox.show(command.env("LOSTBITS_MODE", "odd")));
}

#[test]
fn missing_compilers() {
    let sandbox = Sandbox::new();
    let mut shown = String::new();
    for (command, variable) in [
        ("cc", "LOSTBITS_CC"),
        ("c++", "LOSTBITS_CXX"),
        ("fc", "LOSTBITS_FC"),
        ("rustc", "LOSTBITS_RUSTC"),
    ] {
        let mut command = sandbox.lostbits(&[command, "--version"]);
        shown += &sandbox.show(command.env(variable, "no-such-compiler"));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn missing_or_foreign_parts() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", "int main(void) { return 0; }");
    sandbox.write("x.o", "the old object");
    let compile = |home: &str| {
        let mut command = sandbox.lostbits(&["cc", "-c", "x.c"]);
        sandbox.show(command.env("LOSTBITS_HOME", sandbox.path(home)))
    };
    let mut shown = compile("nowhere");
    sandbox.fake_home("0.0.9");
    shown += &compile("home");
    sandbox.assemble("home/liblostbits_pass.so", ".data\n");
    shown += &compile("home");
    insta::assert_snapshot!(shown);
    assert_eq!(sandbox.read("x.o"), "the old object");
}

#[test]
fn objects_that_do_not_fit() {
    let sandbox = Sandbox::new();
    let home = sandbox.fake_home(lostbits_abi::VERSION);
    let good = table(Mode::Carry, varied_sites());
    sandbox.object("a.o", std::slice::from_ref(&good));
    let mut other_abi = good.encode();
    other_abi[4..8].copy_from_slice(&(ABI_VERSION + 1).to_le_bytes());
    sandbox.object_with_tables("b.o", &other_abi);
    sandbox.object_with_tables("c.o", b"no table");
    sandbox.write("prog", "the old program");
    let link = |object: &str, mode: &str| {
        let mode = format!("--lostbits-mode={mode}");
        let mut command = sandbox.lostbits(&["cc", &mode, object, "-o", "prog"]);
        sandbox.show(command.env("LOSTBITS_HOME", &home))
    };
    let shown = [
        ("a.o", "same"),
        ("a.o", "off"),
        ("b.o", "carry"),
        ("c.o", "carry"),
    ]
    .map(|(o, m)| link(o, m));
    insta::assert_snapshot!(without_versions(&shown.join("")));
    assert_eq!(sandbox.read("prog"), "the old program");
}

/// Whatever way code of another ABI version comes to the linker, one sentence names it, and the old program stays.
#[test]
fn archives_and_libraries_of_another_abi_version() {
    let sandbox = Sandbox::new();
    let home = sandbox.fake_home(lostbits_abi::VERSION);
    let good = table(Mode::Carry, varied_sites()).encode();
    let mut other = good.clone();
    other[4..8].copy_from_slice(&(ABI_VERSION + 1).to_le_bytes());
    sandbox.object_with_tables("good.o", &good);
    sandbox.object_with_tables("old.o", &other);
    sandbox.write("lib/readme", "");
    sandbox.write("prog", "the old program");
    for command in [
        &["ar", "rcs", "lib/libarchive.a", "good.o", "old.o"][..],
        &["ar", "rcsT", "libthin.a", "good.o", "old.o"],
        &["ar", "rcs", "libfits.a", "good.o"],
        &["clang-22", "-shared", "old.o", "-o", "lib/libshared.so"],
    ] {
        sandbox.succeed(&mut sandbox.program(Path::new(command[0]), &command[1..]));
    }
    let commands: [&[&str]; 7] = [
        &["cc", "good.o", "lib/libarchive.a"],
        &["cc", "good.o", "lib/libshared.so"],
        &["cc", "good.o", "libthin.a"],
        &["cc", "good.o", "-L", "lib", "-larchive"],
        &["c++", "good.o", "-lshared", "-Llib"],
        &["cc", "good.o", "-Llib", "-l:libarchive.a"],
        &["rustc", "x.rs", "--extern", "a=lib/libarchive.a"],
    ];
    let shown = commands.map(|words| {
        let words = [words, &["-o", "prog"]].concat();
        let mut command = sandbox.lostbits(&words);
        command.env("LOSTBITS_HOME", &home);
        command.env("LOSTBITS_MODE", "carry");
        format!("$ {}\n{}", words.join(" "), sandbox.show(&mut command))
    });
    insta::assert_snapshot!(without_versions(&shown.join("")));
    assert_eq!(sandbox.read("prog"), "the old program");
    // What fits reaches the linker, which misses `main`.
    let mut command = sandbox.lostbits(&["cc", "libfits.a", "-o", "prog"]);
    command
        .env("LOSTBITS_HOME", &home)
        .env("LOSTBITS_MODE", "carry");
    let shown = sandbox.show(&mut command);
    assert!(shown.contains("undefined"), "{shown}");
    // A plain program may use a library that brings its own runtime.
    let main = sandbox.assemble("main.o", ".globl main\nmain: ret\n");
    let words = [
        "cc",
        "--lostbits-mode=off",
        main.to_str().unwrap(),
        "-Llib",
        "-lshared",
        "-o",
        "plain",
    ];
    sandbox.succeed(&mut sandbox.lostbits(&words));
}

#[test]
fn programs_that_cannot_be_run() {
    let sandbox = Sandbox::new();
    sandbox.write("text", "no program");
    sandbox.write("here", "#!/bin/sh\nexit 0\n");
    sandbox.make_executable("here");
    sandbox.write("here.lostbits", "the old record");
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            &["run", "./absent"],
            &["run", "./text"],
            &["run", "here"],
            &["run", "./here"],
            &["run", "-o", "no/such/folder/record", "./here"],
            &["run", "-o", ".", "./here"],
        ]
    ));
    assert_eq!(sandbox.read("here.lostbits"), "the old record");
    let mut command = sandbox.lostbits(&["run", "./here"]);
    insta::assert_snapshot!(sandbox.show(command.env("TMPDIR", "/nowhere")));
}

#[test]
fn files_that_hold_no_sites() {
    let sandbox = Sandbox::new();
    sandbox.write("text", "no program");
    sandbox.assemble("plain.o", ".text\n");
    sandbox.object_with_tables("damaged.o", b"no table");
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            &["sites", "absent"],
            &["sites", "text"],
            &["sites", "plain.o"],
            &["sites", "damaged.o"]
        ]
    ));
}
