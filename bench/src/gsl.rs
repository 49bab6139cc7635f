//! The GNU Scientific Library 2.7.1: `make check` of five of its parts.

use crate::subject::{Subject, Test, Verdict};

/// What the tests link with, in the order of GSL's own makefile.
const PARTS: &str = "gsl utils sys test err complex block vector matrix permutation sort ieee-utils cblas blas \
                     linalg eigen specfunc rng fft poly statistics integration";
pub const CHECKED: [&str; 5] = ["specfunc", "linalg", "statistics", "fft", "integration"];
/// configure's own programs call exit() undeclared, which clang by itself refuses.
pub const CONFIGURE: &str = "./configure --disable-shared --disable-maintainer-mode \
                             CFLAGS='-O2 -g -Wno-error=implicit-function-declaration'";

pub fn subject() -> Subject {
    let checked = CHECKED.join(" ");
    Subject {
        name: "gsl",
        package: "gsl",
        build: vec![
            CONFIGURE.to_owned(),
            format!("for part in {PARTS}; do make -j$JOBS -C $part || exit 1; done"),
            format!("for part in {checked}; do make -j$JOBS -C $part check TESTS= || exit 1; done"),
        ],
        tests: CHECKED.map(test).into(),
    }
}

/// What the special functions need of the rest.
const UNDER_SPECIAL_FUNCTIONS: &str = "gsl err sys utils complex block vector matrix permutation sort \
                                       ieee-utils cblas blas linalg eigen poly specfunc";

/// The special functions as one shared library, `libgsl-search.so`.
pub fn shared_build() -> Vec<String> {
    vec![
        CONFIGURE.replace("-O2 -g", "-O2 -g -fPIC"),
        format!("for part in {UNDER_SPECIAL_FUNCTIONS}; do make -j$JOBS -C $part || exit 1; done"),
        "$CC -shared -o libgsl-search.so -Wl,--whole-archive */.libs/*.a -Wl,--no-whole-archive -lm"
            .to_owned(),
    ]
}

/// `make check` itself gives the verdict. Its log is empty for a part that passes, so the program is run
/// once more with every check printed, value by value, and a checksum of that is compared; not where it
/// is gigabytes.
fn test(part: &'static str) -> Test {
    let details = if prints_too_much(part) {
        String::new()
    } else {
        "GSL_TEST_VERBOSE=1 ./test 2>&1 | cksum; ".to_owned()
    };
    Test {
        name: format!("{part} make check"),
        folder: part,
        command: format!("{details}make -s check; status=$?; cat test.log; exit $status"),
        verdict,
    }
}

fn prints_too_much(part: &str) -> bool {
    matches!(part, "specfunc" | "linalg")
}

/// Automake's summary: `# PASS:  1`, `# FAIL:  0`, `# ERROR: 0`.
fn verdict(output: &str) -> Verdict {
    let count = |label: &str| -> u64 {
        output
            .lines()
            .filter_map(|line| line.strip_prefix(label))
            .filter_map(|number| number.trim().parse::<u64>().ok())
            .sum()
    };
    Verdict {
        passed: count("# PASS:"),
        failed: count("# FAIL:") + count("# ERROR:"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_automake_is_read() {
        let output = "# TOTAL: 2\n# PASS:  1\n# SKIP:  0\n# FAIL:  1\n# ERROR: 0\n";
        assert_eq!(
            verdict(output),
            Verdict {
                passed: 1,
                failed: 1
            }
        );
    }
}
