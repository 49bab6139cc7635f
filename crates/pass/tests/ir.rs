//! LLVM code in, what the pass must make of it out: each file of `tests/ir` states what it protects, and for which modes
//! (`; RUN: MODE LEVEL [PREFIX] [VARIABLE=VALUE]`); FileCheck compares.

use std::{
    arch::is_x86_feature_detected,
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

/// `a[i] = b[i] * c[i]`, with flags of the product and a loop option.
fn loop_of_products(flags: &str, option: &str) -> String {
    format!(
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
target triple = \"x86_64-unknown-linux-gnu\"
define void @products(ptr noalias %a, ptr noalias %b, ptr noalias %c) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %bi = getelementptr inbounds double, ptr %b, i64 %i
  %ci = getelementptr inbounds double, ptr %c, i64 %i
  %ai = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %bi, align 8
  %y = load double, ptr %ci, align 8
  %p = fmul {flags} double %x, %y
  store double %p, ptr %ai, align 8
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 4096
  br i1 %done, label %end, label %loop, !llvm.loop !0
end:
  ret void
}}
!0 = distinct !{{!0, !1}}
!1 = !{{!\"{option}\", i1 true}}
"
    )
}

/// Shadow code costs the same for four lanes as for two. Where the program allows sums in another order, its vectors stay what
/// they are without instrumentation.
#[test]
fn the_optimiser_uses_wide_vectors_where_that_changes_nothing() {
    if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("fma") {
        return;
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("products.ll");
    let none = "llvm.loop.mustprogress";
    for (mode, flags, option, lanes) in [
        ("explain", "", none, 4),
        ("explain-reals", "", none, 4),
        ("explain", "contract", none, 4),
        ("explain", "reassoc", none, 2),
        ("explain", "nsz", none, 2),
        ("explain", "", "llvm.loop.vectorize.enable", 2),
        ("watch", "", none, 2),
    ] {
        fs::write(&source, loop_of_products(flags, option)).expect("it is ours");
        let output = opt(&source, mode, "O2").output().expect("opt starts");
        let code = String::from_utf8_lossy(&output.stdout);
        let product = code
            .lines()
            .find(|line| line.contains(" = fmul") && line.contains(" x double>"));
        let product =
            product.unwrap_or_else(|| panic!("{mode}, {flags}, {option}: no vectors in {code}"));
        let expected = format!("<{lanes} x double>");
        assert!(
            product.contains(&expected),
            "{mode}, {flags}, {option}: {product}"
        );
    }
}
