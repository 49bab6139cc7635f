//! Generated regression tests: each is compiled and run; it fails with the function that is wrong and passes with a
//! mended one.

use std::{fs, process::Command};

use super::*;

/// Twice x² loses all digits of 1 − cos x; sin² does not.
const BROKEN: &str = "#include <math.h>\n\
    double versine(double x) { return 1 - cos(x); }\n";
const MENDED: &str = "#include <math.h>\n\
    double versine(double x) { double s = sin(x / 2); return 2 * s * s; }\n";

/// Whether a test passes with a source, if `build` compiles test and source in the folder and `run` starts it.
fn passes(folder: &Path, source: &str, build: &str, run: &str) -> bool {
    fs::write(folder.join("versine.c"), source).unwrap();
    let shell = |command: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(folder);
        shell.output().unwrap()
    };
    let built = shell(build);
    assert!(
        built.status.success(),
        "{build}: {}",
        String::from_utf8_lossy(&built.stderr)
    );
    shell(run).status.success()
}

fn fails_then_passes(format: &str, file: &str, build: &str, run: &str) {
    let folder = common::empty_folder(&format!("search-{format}")).unwrap();
    fs::write(folder.join("versine.c"), BROKEN).unwrap();
    let mut command = common::lostbits();
    command.arg("search").arg(folder.join("versine.c"));
    command.args(["--function", "versine", "--range", "x=1e-9:1"]);
    command.args(["--top", "3", "--format", format]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    fs::write(folder.join(file), output.stdout).unwrap();
    assert!(!passes(&folder, BROKEN, build, run), "{format}: broken");
    assert!(passes(&folder, MENDED, build, run), "{format}: mended");
}

#[test]
fn tests_in_c() {
    let build = "clang-22 -Werror test.c versine.c -lm -o test";
    fails_then_passes("c", "test.c", build, "./test");
}

#[test]
fn tests_in_cpp() {
    let build = "clang-22 -c versine.c && clang++-22 -Werror test.cpp versine.o -lm -o test";
    fails_then_passes("cpp", "test.cpp", build, "./test");
}

#[test]
fn tests_in_rust() {
    let build = "clang-22 -c versine.c && ar rcs libversine.a versine.o && \
                 rustc --edition 2021 -D warnings --test test.rs -L . -l static=versine -l m -o test";
    fails_then_passes("rust", "test.rs", build, "./test");
}

#[test]
fn tests_in_fortran() {
    let build = "clang-22 -c versine.c && flang-22 test.f90 versine.o -lm -o test";
    fails_then_passes("fortran", "test.f90", build, "./test");
}

/// pytest need not be installed: the functions of the file are called as it would.
#[test]
fn tests_for_pytest() {
    let build = "clang-22 -shared -fPIC versine.c -lm -o libfoo.so";
    let run = "python3 -c 'import test_found as t; [getattr(t, n)() for n in dir(t) if n.startswith(\"test_\")]'";
    fails_then_passes("pytest", "test_found.py", build, run);
}
