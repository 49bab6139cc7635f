//! Mode `reals`: the shadow numbers of `tests/reals/numbers.c` are the real results, whatever the program
//! does to its values on the way; and a run that is steered by them decides and prints as in exact arithmetic.
//!
//! What is expected was computed apart from MPFR and from this program, by mpmath at 2000 bits from the
//! exact values of the doubles.

#[allow(dead_code, reason = "only the tool and its folders are used")]
#[path = "../common/mod.rs"]
mod common;

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use rug::{Float, ops::Pow};

const EXPECTED: &[(&str, &str)] = &[
    ("cosine", "0.499999999999999995833333333333333"),
    ("rump", "-0.827396059946821368141165095479816"),
    ("muller", "4.99999955785225830586763619261553"),
    ("harmonic", "7.4854708605503449126565182043339"),
    ("fibonacci", "2456043408.2333334696711303983078"),
    ("rotate", "0.428571428571428571428571428571429"),
    ("structs", "0.470403703703703709262220313660321"),
    ("copies", "19.6666666666666666666666666666667"),
    ("recursion", "29.8000000000000000027755575615684"),
    ("jumps", "67.0000000000000037007434154171885"),
    ("variadic", "2.60000000000000014432899320127035"),
    ("swaps", "0.700000000000000001850371707708594"),
    ("extended", "15.0"),
    ("threads", "43.9998873728723078851749994277287"),
    ("vectors", "7128.00000000000006039613253960852"),
    ("library", "1.53292843324744545235854610782389"),
    ("pointers", "2.46078758117391919548877696655887"),
];

/// Digits that must be right.
const DIGITS: i32 = 30;

fn build(name: &str, mode: &str, flags: &[&str]) -> PathBuf {
    let folder = common::empty_folder(&format!("reals/{name}-{mode}")).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reals/numbers.c");
    let program = folder.join("numbers");
    let mut command = common::lostbits();
    command.args(["cc", &format!("--lostbits-mode={mode}"), "-g"]);
    command
        .args(flags)
        .arg(source)
        .args(["-lm", "-lpthread", "-o"]);
    must(command.arg(&program));
    program
}

fn must(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}

fn run(program: &Path, variables: &[(&str, &str)], words: &[&str]) -> (String, String) {
    let mut command = Command::new(program);
    command
        .env_remove("LOSTBITS_OUT")
        .env_remove("LOSTBITS_STEER");
    command.envs(variables.iter().copied()).args(words);
    let output = must(&mut command);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

fn number(text: &str) -> Float {
    Float::with_val(400, Float::parse(text).expect(text))
}

/// The shadows that the program prints against the known values.
fn check(shadows: &str, what: &str) {
    let said: Vec<(&str, &str)> = shadows
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .collect();
    let cases = |rows: &[(&str, &str)]| rows.iter().map(|row| row.0.to_owned()).collect::<Vec<_>>();
    assert_eq!(cases(&said), cases(EXPECTED), "{what}");
    for ((name, real), (_, expected)) in said.iter().zip(EXPECTED) {
        let (real, expected) = (number(real), number(expected));
        let error = Float::with_val(400, &real / &expected) - 1u32;
        let most = Float::with_val(64, 10).pow(-DIGITS);
        assert!(
            error.clone().abs() < most,
            "{what}, {name}: {real} is not {expected}"
        );
    }
}

fn examine(name: &str, flags: &[&str]) {
    let (plain, shadows) = run(&build(name, "off", flags), &[], &[]);
    assert_eq!(shadows, "");
    let program = build(name, "reals", flags);
    for precision in ["1000", "250"] {
        let (printed, shadows) = run(&program, &[("LOSTBITS_PRECISION", precision)], &[]);
        assert_eq!(plain, printed, "{name} at {precision} bits");
        check(&shadows, &format!("{name} at {precision} bits"));
    }
}

#[test]
fn numbers_without_optimisation() {
    examine("O0", &["-O0"]);
}

#[test]
fn numbers_of_optimised_code() {
    examine("O2", &["-O2"]);
}

#[test]
fn numbers_of_vectorised_code() {
    examine("O3", &["-O3", "-march=native"]);
}

#[test]
fn a_steered_run_follows_the_reals() {
    let program = build("steered", "reals", &["-O2"]);
    let decisions = |variables: &[(&str, &str)]| run(&program, variables, &["decisions"]).0;
    assert_eq!(decisions(&[]), "decisions 51 3 10.200\n");
    assert_eq!(
        decisions(&[("LOSTBITS_STEER", "0")]),
        "decisions 51 3 10.200\n"
    );
    assert_eq!(
        decisions(&[("LOSTBITS_STEER", "1")]),
        "decisions 50 2 10.000\n"
    );
    let steered = run(&program, &[("LOSTBITS_STEER", "1")], &["rump"]).0;
    assert_eq!(steered, "rump -0.82739605994682142\n");
}
