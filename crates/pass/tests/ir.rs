//! LLVM code in, what the pass must make of it out: each file of `tests/ir` states what it protects, and for which modes
//! (`; RUN: MODE LEVEL [PREFIX] [VARIABLE=VALUE]`); FileCheck compares.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::environment::{PASS_MODE, PASS_PANIC_IN};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ir")
}

/// A tool of LLVM's: of the prefix that the build uses, or the one on the path.
fn llvm_tool(name: &str) -> Command {
    match std::env::var_os("LLVM_SYS_221_PREFIX") {
        Some(prefix) => Command::new(Path::new(&prefix).join("bin").join(name)),
        None => Command::new(format!("{name}-22")),
    }
}

/// The plugin that cargo built with this test.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    let build = test
        .parent()
        .and_then(Path::parent)
        .expect("target/PROFILE/deps/TEST");
    let plugin = build.join("liblostbits_pass.so");
    assert!(
        plugin.exists(),
        "{} does not exist: run `cargo build`",
        plugin.display()
    );
    plugin
}

fn opt(source: &Path, mode: &str, level: &str) -> Command {
    let mut opt = llvm_tool("opt");
    opt.env(PASS_MODE, mode)
        .arg("-load-pass-plugin")
        .arg(plugin());
    opt.arg(format!("-passes=default<{level}>"))
        .args(["-S", "-o", "-"])
        .arg(source);
    opt
}

/// Compares the instrumented code with the file's checks.
fn check(source: &Path, run: &str) {
    let (variables, words): (Vec<&str>, Vec<&str>) =
        run.split_whitespace().partition(|word| word.contains('='));
    let variables = variables.iter().filter_map(|word| word.split_once('='));
    let [mode, level, rest @ ..] = &words[..] else {
        panic!("{}: `RUN: {run}` names no mode and level", source.display());
    };
    let output = opt(source, mode, level)
        .envs(variables)
        .output()
        .expect("opt starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}, {run}: {errors}",
        source.display()
    );
    let prefix = rest.first().unwrap_or(&"CHECK");
    let mut check = llvm_tool("FileCheck");
    check.arg(format!("--check-prefix={prefix}")).arg(source);
    let mut check = check
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("FileCheck starts; it is in Debian's llvm-22-tools (scripts/setup.sh)");
    let mut input = check.stdin.take().expect("it is piped");
    input.write_all(&output.stdout).expect("FileCheck reads");
    drop(input);
    let result = check.wait_with_output().expect("FileCheck ends");
    let errors = String::from_utf8_lossy(&result.stderr);
    assert!(
        result.status.success(),
        "{}, {run}:\n{errors}",
        source.display()
    );
}

#[test]
fn every_domain_emits_the_code_that_the_files_promise() {
    let mut modes = std::collections::BTreeSet::new();
    for entry in fs::read_dir(folder()).expect("the folder of IR tests") {
        let source = entry.expect("an entry").path();
        let text = fs::read_to_string(&source).expect("a file of LLVM code");
        let runs = text.lines().filter_map(|line| line.strip_prefix("; RUN: "));
        let before = modes.len();
        for run in runs {
            check(&source, run);
            modes.extend(run.split_whitespace().next().map(str::to_owned));
        }
        assert!(
            modes.len() > before || text.contains("; RUN: "),
            "{} runs nothing",
            source.display()
        );
    }
    let all = [
        "carry",
        "explain",
        "explain-reals",
        "reals",
        "same",
        "search",
        "symbolic",
        "watch",
    ];
    assert!(modes.iter().eq(all.iter()), "a mode has no test: {modes:?}");
}

#[test]
fn a_panic_names_the_function_and_fails_the_compiler() {
    let source = folder().join("same_repeats_operations_on_shadows.ll");
    let output = opt(&source, "same", "O0")
        .env(PASS_PANIC_IN, "fused")
        .output()
        .expect("opt starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for part in [
        "function `fused` of",
        "for mode same",
        env!("CARGO_PKG_VERSION"),
        "please report",
    ] {
        assert!(errors.contains(part), "{part} is missing in: {errors}");
    }
}
