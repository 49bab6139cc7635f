//! Patches of small programs as people write them: macros, methods of Rust, long lines of Fortran, loops without braces.

use std::fs;

use crate::common;

/// What `fix` says about a source, the lines that its patch adds, and its exit code.
fn fixed(name: &str, source: &str, options: &[&str]) -> (String, Vec<String>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), source).unwrap();
    let patch = folder.path().join("patch");
    let output = common::lostbits()
        .current_dir(folder.path())
        .args(["fix", name, "--patch", "patch"])
        .args(options)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("error"), "{stderr}");
    let diff = fs::read_to_string(patch).unwrap_or_default();
    let added = diff.lines().filter_map(|line| line.strip_prefix('+'));
    let added = added.filter(|line| !line.starts_with("++"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (
        text,
        added.map(str::to_owned).collect(),
        output.status.code(),
    )
}

#[test]
fn a_formula_in_a_macro_is_refused_with_the_suggested_text() {
    let source = "#include <math.h>\n#include <stdio.h>\n#define VERSINE(x) (1.0 - cos(x))\n\
                  int main(void) {\n    double angle = 3e-7;\n    printf(\"%.12g\\n\", 2.0 * VERSINE(angle));\n}\n";
    let (text, added, code) = fixed("versine.c", source, &["-O2", "-lm"]);
    assert_eq!((added, code), (Vec::new(), Some(1)), "{text}");
    let (_, suggested) = text
        .split_once("it is in the macro `VERSINE`, which fix does not change; suggested text: ")
        .unwrap_or_else(|| panic!("{text}"));
    let suggested = suggested.lines().next().unwrap();
    assert!(
        suggested.contains("sin(") && suggested.contains("angle"),
        "{text}"
    );
    assert!(!suggested.contains("cos("), "{text}");
}

/// The formula is all of the method, so that the recorder of its first operand begins a statement.
#[test]
fn a_method_that_is_one_formula_is_repaired_for_the_values_of_the_run() {
    let source = "struct Circle {\n    radius: f64,\n}\n\nimpl Circle {\n    fn sagitta(&self, chord: f64) -> f64 {\n        \
                  self.radius - (self.radius * self.radius - chord * chord / 4.0).sqrt()\n    }\n}\n\n\
                  fn main() {\n    println!(\"{:e}\", Circle { radius: 6.4e6 }.sagitta(10.0));\n}\n";
    let (text, added, code) = fixed("circle.rs", source, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(!added.is_empty() && text.contains("17 after"), "{text}");
    assert!(text.contains("the input of this run"), "{text}");
}

#[test]
fn lines_of_fortran_are_no_longer_than_the_standard_admits() {
    let source = "program sinc\n  implicit none\n  real(kind(1.0d0)) :: x, y\n  x = 2.0d-5\n  \
                  y = (x - sin(x)) / x**3\n  print '(es22.14)', y\nend program sinc\n";
    let (text, added, code) = fixed("sinc.f90", source, &["-O2"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(added.iter().any(|line| line.ends_with('&')), "{text}");
    let is_short =
        |line: &String| line.chars().count() <= 132 || line.trim_start().starts_with('!');
    assert!(added.iter().all(is_short), "{added:#?}");
}

#[test]
fn the_braces_of_a_compensated_sum_begin_after_the_head_of_the_loop() {
    let source = "#include <stdio.h>\nint main(void) {\n    double sum = 1e16;\n    for (int i = 0; i < 1000; i++)\n        sum += 0.3;\n    \
                  printf(\"%.12g\\n\", sum - 1e16);\n}\n";
    let (text, added, code) = fixed("sum.c", source, &["-O2"]);
    assert_eq!(code, Some(0), "{text}");
    let head = "    for (int i = 0; i < 1000; i++) {";
    assert!(added.iter().any(|line| line == head), "{text}");
    assert!(added.iter().any(|line| line == "    }"), "{text}");
}

#[test]
fn a_formula_in_generated_code_is_refused_with_the_suggested_text() {
    let source = "#include <math.h>\n#include <stdio.h>\n#line 12 \"model.y\"\ndouble f(double x) {\n    return exp(x) - 1;\n}\n\
                  int main(void) {\n    printf(\"%.15g\\n\", f(1e-12));\n}\n";
    let (text, added, code) = fixed("model.c", source, &["-O2", "-lm"]);
    assert_eq!((added, code), (Vec::new(), Some(1)), "{text}");
    assert!(
        text.contains("model.y:13: not repaired: it is in generated code"),
        "{text}"
    );
    assert!(text.contains("suggested text: expm1(x)"), "{text}");
}

/// A macro of an included file: its literals are in another file.
#[test]
fn literals_of_a_macro_in_a_header_are_written_as_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("angles.h");
    fs::write(
        &header,
        "#include <math.h>\n#define HAVERSINE(t) (0.5 * (1 - cos(t)))\n",
    )
    .unwrap();
    let source = format!(
        "#include <stdio.h>\n#include \"{}\"\nint main(void) {{\n    double t = 3e-7;\n    printf(\"%.12g\\n\", HAVERSINE(t));\n}}\n",
        header.display()
    );
    let (text, _, code) = fixed("angle.c", &source, &["-O2", "-lm"]);
    assert_eq!(code, Some(1), "{text}");
    let (_, suggested) = text
        .split_once("suggested text: ")
        .unwrap_or_else(|| panic!("{text}"));
    assert!(
        suggested.contains("sin(") && !suggested.contains("HAVERSINE"),
        "{text}"
    );
}

/// The variance is 0.04; the program prints -1489, which is consistent with 0 only because all digits are lost.
#[test]
fn a_place_is_repaired_even_if_its_result_is_consistent_with_zero() {
    let source = "fn variance(xs: &[f64]) -> f64 {\n    let n = xs.len() as f64;\n    let mut sum = 0.0;\n    let mut squares = 0.0;\n    \
                  for &x in xs {\n        sum += x;\n        squares += x * x;\n    }\n    (squares - sum * sum / n) / (n - 1.0)\n}\n\n\
                  fn main() {\n    let xs: Vec<f64> = (0..100).map(|i| 1e9 + (i % 7) as f64 * 0.1).collect();\n    println!(\"{:.9}\", variance(&xs));\n}\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("variance.rs"), source).unwrap();
    let output = common::lostbits()
        .current_dir(folder.path())
        .args(["fix", "variance.rs:9"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("shifted variance"), "{text}");
}
