//! The packed object can be linked into any program: it has its own MPFR with its own memory, and exports only the contract.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::OnceLock,
};

use lostbits_abi::{
    functions::{self, Runtime},
    ops::Op,
};

fn must(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime-reals");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn object() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/pack-runtime.sh");
        must(Command::new("sh").arg(script).arg(folder()));
        folder().join("lostbits_runtime_reals.o")
    })
}

fn program(name: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subject/own_mpfr.c");
    let program = folder().join(name);
    let mut command = Command::new("clang-22");
    command.arg(source).arg(object()).args(flags);
    must(command.args(["-lm", "-o"]).arg(&program));
    program
}

/// Evaluates `op` for a sum of two doubles.
fn ask(program: &Path, op: Op, value: &str, residue: &str) -> String {
    let mut command = Command::new(program);
    command.args([&(op as u16).to_string(), value, residue]);
    String::from_utf8(must(&mut command).stdout).unwrap()
}

#[test]
fn the_object_exports_the_contract_and_nothing_else() {
    let output = must(Command::new("readelf").arg("-sW").arg(object()));
    let text = String::from_utf8(output.stdout).unwrap();
    let visible = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|row| row.len() == 8 && matches!(row[4], "GLOBAL" | "WEAK") && row[6] != "UND");
    let mut names: Vec<&str> = visible.map(|row| row[7]).collect();
    names.sort();
    let mut expected = functions::exported_symbols(Runtime::WithMpfr);
    expected.extend(functions::REPLACED);
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn a_program_may_define_functions_with_names_of_mpfr() {
    for (name, flags) in [("dynamic", &["-pie"][..]), ("static", &["-static-pie"][..])] {
        let program = program(name, flags);
        // e^(1 + 2^-60) = e + e 2^-60 …
        assert_eq!(
            ask(&program, Op::Exp, "1", "8.673617379884035e-19"),
            "1 0x1.5bf0a8b145769p+1 0x1.52c7b0cdd5298p-53 flags 0 rounding 1 own 10\n"
        );
        // ln(1 + 2^-100): only the residue contributes.
        assert_eq!(
            ask(&program, Op::Log, "1", "7.888609052210118e-31"),
            "1 0x1p-100 -0x1p-201 flags 0 rounding 1 own 10\n"
        );
        assert_eq!(
            ask(&program, Op::Nextup, "1", "0"),
            "0 0x0p+0 0x0p+0 flags 0 rounding 1 own 10\n"
        );
    }
}
