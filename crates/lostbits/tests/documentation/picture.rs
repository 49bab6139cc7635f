//! The picture in README.md is that of a real run: docs/report.svg must show what the tool prints now. `make bless` draws it anew.

use std::{env, fs, path::Path, process::Command};

use anstyle_svg::Term;

use crate::repository;

const COMMAND: &str = "lostbits explain tests/demo/drop.c -O2 -lm -- 0.5 10 1000";

/// What the command prints, with colours, below its own command line.
fn screen() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let tests = repository().join("tests").canonicalize().expect("tests");
    std::os::unix::fs::symlink(tests, folder.path().join("tests")).expect("a link");
    let tool = Path::new(env!("CARGO_BIN_EXE_lostbits"));
    let mut words = COMMAND.split(' ').skip(1);
    let mut command = Command::new(tool);
    command.args(words.by_ref()).current_dir(folder.path());
    let output = command.env("CLICOLOR_FORCE", "1").output();
    let output = output.expect("it starts");
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    format!("\u{1b}[1m$ {COMMAND}\u{1b}[0m\n{stdout}{stderr}")
}

#[test]
fn the_picture_shows_what_the_tool_prints() {
    let drawn = Term::new().render_svg(&screen());
    let path = repository().join("docs/report.svg");
    if env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always") {
        fs::write(&path, &drawn).expect("docs/report.svg");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == drawn,
        "docs/report.svg is out of date: run make bless TESTS='--test documentation'"
    );
}
