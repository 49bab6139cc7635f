//! The compilers with the real plugin and runtime.

use std::{
    fs,
    io::Write,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};

use object::{Object, ObjectKind};

use crate::sandbox::{LOSTBITS, Sandbox};

const TRIPLE: &str =
    "#include <stdio.h>\nint main(int c, char **v) { printf(\"%g\\n\", c * 1.5 * c); return 0; }\n";

fn with_source() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.c", TRIPLE);
    sandbox
}

/// Compiles with `lostbits ARGUMENTS`, then runs `./prog`.
fn build_and_run(sandbox: &Sandbox, arguments: &[&str]) -> String {
    sandbox.succeed(&mut sandbox.lostbits(arguments));
    sandbox.succeed(&mut sandbox.program(&sandbox.path("prog"), &[]))
}

fn sites(sandbox: &Sandbox, file: &str) -> String {
    sandbox.succeed(&mut sandbox.lostbits(&["sites", file]))
}

#[test]
fn compiling_and_linking_in_one_and_in_two() {
    let sandbox = with_source();
    assert_eq!(
        build_and_run(&sandbox, &["cc", "x.c", "-o", "prog"]),
        "1.5\n"
    );
    assert!(
        sites(&sandbox, "prog").contains("x.c:2:"),
        "lines without -g"
    );
    sandbox.succeed(&mut sandbox.lostbits(&["cc", "-g0", "-c", "x.c"]));
    assert!(
        sites(&sandbox, "x.o").contains("(unknown line)"),
        "no lines with -g0"
    );
    assert_eq!(
        build_and_run(&sandbox, &["cc", "x.o", "-o", "prog"]),
        "1.5\n"
    );
    assert!(sites(&sandbox, "prog").contains("mul"));
}

#[test]
fn mode_off_is_the_plain_compiler() {
    let sandbox = with_source();
    sandbox.succeed(&mut sandbox.lostbits(&[
        "cc",
        "--lostbits-mode=off",
        "-c",
        "x.c",
        "-o",
        "ours.o",
    ]));
    let plain = Command::new("clang-22")
        .args(["-c", "x.c", "-o", "plain.o"])
        .current_dir(sandbox.path(""))
        .status();
    assert!(plain.unwrap().success());
    assert!(
        fs::read(sandbox.path("ours.o")).unwrap() == fs::read(sandbox.path("plain.o")).unwrap()
    );
}

#[test]
fn preprocessing_and_assembling_are_left_alone() {
    let sandbox = with_source();
    sandbox.write("f.s", ".globl f\nf: ret\n");
    for arguments in [
        &["-E", "x.c"][..],
        &["-M", "x.c"],
        &["-c", "f.s", "-o", "-"],
        &["-dumpmachine"],
        &["--version"],
    ] {
        let ours = sandbox
            .lostbits(&[&["cc"], arguments].concat())
            .env("LOSTBITS_HOME", "/nowhere")
            .output()
            .unwrap();
        let plain = sandbox
            .program(Path::new("clang-22"), arguments)
            .output()
            .unwrap();
        assert_eq!(ours, plain, "{arguments:?}");
    }
}

#[test]
fn source_from_standard_input() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.lostbits(&["cc", "-x", "c", "-", "-o", "prog"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(TRIPLE.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(
        sandbox.succeed(&mut sandbox.program(&sandbox.path("prog"), &[])),
        "1.5\n"
    );
}

#[test]
fn response_files() {
    let sandbox = with_source();
    sandbox.write("inner", "-o 'prog'");
    sandbox.write("outer", "-O2\nx.c @inner");
    assert_eq!(build_and_run(&sandbox, &["cc", "@outer"]), "1.5\n");
    assert!(sites(&sandbox, "prog").contains("mul"));
}

#[test]
fn executables_are_position_independent() {
    let sandbox = with_source();
    for flags in [
        &["-no-pie", "-fno-pie"][..],
        &["-static"],
        &["-static", "-no-pie", "-fno-pic"],
        &["-fuse-ld=lld"],
    ] {
        let arguments = [&["cc", "x.c", "-o", "prog"], flags].concat();
        assert_eq!(build_and_run(&sandbox, &arguments), "1.5\n", "{flags:?}");
        let bytes = fs::read(sandbox.path("prog")).unwrap();
        assert_eq!(
            object::File::parse(&*bytes).unwrap().kind(),
            ObjectKind::Dynamic,
            "{flags:?}"
        );
    }
}

#[test]
fn warnings_stay_away() {
    let sandbox = with_source();
    for arguments in [
        &[
            "cc",
            "-Werror",
            "-Weverything",
            "-Wno-error",
            "-flto",
            "-c",
            "x.c",
        ][..],
        &["cc", "x.o", "-Werror"],
    ] {
        let output = sandbox.lostbits(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        assert!(!errors.contains("unused-command-line-argument"), "{errors}");
    }
}

#[test]
fn the_compilers_exit_code_is_passed_on() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.c", "int main(void) { return }");
    let status = sandbox
        .lostbits(&["cc", "-c", "bad.c"])
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn compilers_by_their_own_names() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.cc",
        "#include <iostream>\nint main(int c, char **) { std::cout << c * 1.5 << '\\n'; }\n",
    );
    sandbox.write("x.f90", "program p\n  real(8) :: x\n  x = command_argument_count() + 1.5d0\n  print '(f4.1)', x\nend program\n");
    sandbox.write(
        "x.rs",
        "fn main() { println!(\"{}\", std::env::args().count() as f64 * 1.5); }\n",
    );
    for (command, source, output) in [
        ("c++", "x.cc", "1.5\n"),
        ("fc", "x.f90", " 1.5\n"),
        ("rustc", "x.rs", "1.5\n"),
    ] {
        let link = sandbox.path(&format!("lostbits-{command}"));
        symlink(LOSTBITS, &link).unwrap();
        sandbox.succeed(&mut sandbox.program(&link, &[source, "-o", "prog"]));
        assert_eq!(
            sandbox.succeed(&mut sandbox.program(&sandbox.path("prog"), &[])),
            output
        );
        assert!(sites(&sandbox, "prog").contains(source), "{command}");
    }
}

/// A workspace with a library that build script, procedural macro and program share.
#[test]
fn cargo_uses_it_as_a_wrapper() {
    let sandbox = Sandbox::new();
    let package = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}")
    };
    let half = "half = { path = \"../half\" }\n";
    sandbox.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"2\"\nmembers = [\"half\", \"made\", \"prog\"]\n",
    );
    sandbox.write("half/Cargo.toml", package("half", ""));
    sandbox.write(
        "half/src/lib.rs",
        "#[inline(never)]\npub fn half(x: f64) -> f64 { x * 0.5 }\n",
    );
    sandbox.write(
        "made/Cargo.toml",
        package(
            "made",
            &format!("[lib]\nproc-macro = true\n[dependencies]\n{half}"),
        ),
    );
    sandbox.write(
        "made/src/lib.rs",
        "#[proc_macro]\npub fn made(_: proc_macro::TokenStream) -> proc_macro::TokenStream {\n    \
         format!(\"{:?}\", half::half(5.0)).parse().unwrap()\n}\n",
    );
    sandbox.write(
        "prog/Cargo.toml",
        package("prog", &format!("[dependencies]\n{half}made = {{ path = \"../made\" }}\n[build-dependencies]\n{half}")),
    );
    sandbox.write(
        "prog/build.rs",
        "fn main() { println!(\"cargo:rustc-env=HALF={}\", half::half(3.0)); }\n",
    );
    sandbox.write(
        "prog/src/main.rs",
        "fn main() {\n    let x = std::env::args().count() as f64;\n    \
         println!(\"{} {} {}\", half::half(x), made::made!() * x, env!(\"HALF\"));\n}\n",
    );
    symlink(LOSTBITS, sandbox.path("lostbits-rustc")).unwrap();
    let mut cargo = sandbox.program(Path::new("cargo"), &["run", "--quiet", "--offline"]);
    cargo
        .env("RUSTC_WRAPPER", sandbox.path("lostbits-rustc"))
        .env("CARGO_TARGET_DIR", sandbox.path("target"));
    assert_eq!(sandbox.succeed(&mut cargo), "0.5 2.5 1.5\n");
    let sites = sites(&sandbox, "target/debug/prog");
    assert!(
        sites.contains("half/src/lib.rs:2") && sites.contains("prog/src/main.rs"),
        "{sites}"
    );
}
