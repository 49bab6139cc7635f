//! What `lostbits watch` cannot do: a sentence and exit code 2.

use lostbits_abi::mode::Mode;

use crate::{
    samples::{table, varied_sites},
    sandbox::Sandbox,
};

fn show_all(sandbox: &Sandbox, lines: &[&str]) -> String {
    let shown = lines.iter().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let shown = sandbox.show(sandbox.lostbits(&words).env("COLUMNS", "100"));
        format!("$ lostbits {line}\n{shown}")
    });
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn options() {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", "int main(void) { return 0; }\n");
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            "watch",
            "watch --rerun --on-unstable stop x.c",
            "watch --precision 128 x.c",
            "watch --rerun-with ./prog x.c",
            "watch --rerun --precision 53 x.c",
            "watch --tau-c 53 x.c",
            "watch --tau-c -1 x.c",
            "watch --tau-c-float many x.c",
            "watch --tau-s 128 x.c",
            "watch --format text x.c",
            "watch x.c -o prog",
            "watch -O2 -lm -- x.c",
        ]
    ));
}

#[test]
fn programs() {
    let sandbox = Sandbox::new();
    sandbox.write("text", "no program");
    sandbox.write("script", "#!/bin/sh\nexit 0\n");
    sandbox.make_executable("script");
    for (name, mode) in [("same", Mode::Same), ("carry", Mode::Carry)] {
        sandbox.object(name, &[table(mode, varied_sites())]);
        sandbox.make_executable(name);
    }
    insta::assert_snapshot!(show_all(
        &sandbox,
        &[
            "watch ./absent",
            "watch ./text",
            "watch script",
            "watch ./script",
            "watch ./same -- 1",
            "watch ./carry",
            "watch --rerun ./same",
            "watch --rerun --rerun-with ./carry ./script",
        ]
    ));
}

#[test]
fn the_help_says_where_everything_goes() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(show_all(&sandbox, &["watch --help"]));
}
