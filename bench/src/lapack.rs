//! The reference LAPACK in Fortran: its tests of linear equations, in all four precisions, the mixed
//! ones and the packed storage formats.

use crate::subject::{Subject, Test, Verdict};

/// The programs of TESTING/LIN with their input files.
const TESTS: [(&str, &str); 10] = [
    ("xlintsts", "stest.in"),
    ("xlintstd", "dtest.in"),
    ("xlintstc", "ctest.in"),
    ("xlintstz", "ztest.in"),
    ("xlintstds", "dstest.in"),
    ("xlintstzc", "zctest.in"),
    ("xlintstrfs", "stest_rfp.in"),
    ("xlintstrfd", "dtest_rfp.in"),
    ("xlintstrfc", "ctest_rfp.in"),
    ("xlintstrfz", "ztest_rfp.in"),
];

const SETTINGS: &str = "SHELL = /bin/sh
FFLAGS = -O2 -g
FFLAGS_DRV = $(FFLAGS)
FFLAGS_NOOPT = -O0 -g
LDFLAGS =
AR = ar
ARFLAGS = cr
RANLIB = ranlib
TIMER = INT_CPU_TIME
BLASLIB = $(TOPSRCDIR)/librefblas.a
LAPACKLIB = $(TOPSRCDIR)/liblapack.a
TMGLIB = $(TOPSRCDIR)/libtmglib.a
";

pub fn subject() -> Subject {
    let programs = TESTS.map(|(program, _)| program).join(" ");
    Subject {
        name: "lapack",
        package: "lapack",
        build: vec![
            format!("cat > make.inc <<'END'\n{SETTINGS}END"),
            "printf 'FC = %s\\nCC = %s\\n' \"$FC\" \"$CC\" >> make.inc".to_owned(),
            "make -j$JOBS blaslib && make -j$JOBS lapacklib && make -j$JOBS tmglib".to_owned(),
            format!("make -j$JOBS -C TESTING/LIN {programs}"),
        ],
        tests: TESTS.map(test).into(),
    }
}

fn test((program, input): (&str, &str)) -> Test {
    Test {
        name: program.to_owned(),
        folder: "TESTING",
        command: format!("./LIN/{program} < {input}"),
        verdict,
    }
}

/// `All tests for DGE drivers passed the threshold ( 5748 tests run)` and
/// ` DGE drivers:    3 out of   5748 tests failed to pass the threshold`.
fn verdict(output: &str) -> Verdict {
    let mut verdict = Verdict::default();
    for line in output.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
        if line.contains("passed the threshold")
            || line.contains("passed the tests of the error exits")
        {
            let run = words
                .iter()
                .position(|word| *word == "tests" || *word == "tests)");
            let counted = line
                .rsplit_once('(')
                .and_then(|(_, tail)| tail.split_whitespace().next());
            verdict.passed += match counted.and_then(|word| word.parse().ok()) {
                Some(count) => count,
                None => run.map_or(0, |_| 1),
            };
        } else if line.contains("failed to pass the threshold") {
            let out = words.iter().position(|word| *word == "out").unwrap_or(0);
            let (failed, run) = (number(out.wrapping_sub(1)).unwrap_or(1), number(out + 2));
            verdict.failed += failed;
            verdict.passed += run.unwrap_or(failed).saturating_sub(failed);
        } else if line.contains("failed the tests of the error exits") {
            verdict.failed += 1;
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentences_of_lapack_are_read() {
        let output = " DGE routines passed the tests of the error exits\n\
            All tests for DGE routines passed the threshold (   3653 tests run)\n \
            DSY drivers:      3 out of   1072 tests failed to pass the threshold\n";
        assert_eq!(
            verdict(output),
            Verdict {
                passed: 1 + 3653 + 1069,
                failed: 3
            }
        );
    }
}
