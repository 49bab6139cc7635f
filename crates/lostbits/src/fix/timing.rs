//! What a call of the original and of the repair takes, measured with the compiled functions.
//!
//! Both become C, compiled with -O2, and are called on the samples of the report, several thousand times each, alternately;
//! the fastest round counts. Without a C compiler nothing is measured, and the report says nothing about time.

use std::{fs, process::Command};

use super::{cores::repaired_core, repair::Repair};
use crate::{fpcore::c, run::temporary_folder, toolchain::Compiler};

/// Inputs on which both are timed.
const INPUTS: usize = 128;

/// Nanoseconds of the original and of the repair.
pub fn nanoseconds(repair: &Repair) -> Option<(f64, f64)> {
    let program = program(repair)?;
    let folder = temporary_folder().ok()?;
    let (source, binary) = (folder.path().join("time.c"), folder.path().join("time"));
    fs::write(&source, program).ok()?;
    let compiler = Compiler::C.find().ok()?;
    let built = Command::new(compiler)
        .args(["-O2", "-ffp-contract=off", "-w", "-o"])
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .ok()?;
    if !built.status.success() {
        return None;
    }
    let run = Command::new(&binary).output().ok()?;
    let text = String::from_utf8(run.stdout).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn program(repair: &Repair) -> Option<String> {
    let subject = &repair.subject;
    let before = c::function(&subject.core, Some("before")).ok()?;
    let after = c::function(&repaired_core(repair), Some("after")).ok()?;
    let kind = c::type_name(subject.core.format).ok()?;
    let inputs: Vec<String> = repair
        .samples
        .iter()
        .filter(|sample| !sample.is_wide)
        .take(INPUTS)
        .flat_map(|sample| sample.input.iter().map(|x| format!("{x:e}")))
        .collect();
    let count = subject.names.len();
    let calls = inputs.len().checked_div(count).filter(|calls| *calls > 0)?;
    let operands: Vec<String> = (0..count).map(|k| format!("x[i][{k}]")).collect();
    let operands = operands.join(", ");
    Some(format!(
        r#"#include <math.h>
#include <stdio.h>
#include <time.h>
{}
{}
static volatile {kind} x[{calls}][{count}] = {{ {} }};
static volatile {kind} sink;
static double now(void) {{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}}
int main(void) {{
  double least[2] = {{ 1e300, 1e300 }};
  for (int round = 0; round < 20; round++) {{
    double start = now();
    for (int turn = 0; turn < 20; turn++)
      for (int i = 0; i < {calls}; i++) sink = before({operands});
    double middle = now();
    for (int turn = 0; turn < 20; turn++)
      for (int i = 0; i < {calls}; i++) sink = after({operands});
    double end = now();
    if (middle - start < least[0]) least[0] = middle - start;
    if (end - middle < least[1]) least[1] = end - middle;
  }}
  printf("%.17g %.17g\n", least[0] / (20.0 * {calls}), least[1] / (20.0 * {calls}));
}}
"#,
        before.text,
        after.text,
        inputs.join(", "),
    ))
}
