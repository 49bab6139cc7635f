//! Meschach: matrices in C, with its seven self-tests, one of them also against a shared library.

use crate::subject::{Subject, Test, Verdict};

const TESTS: [&str; 7] = [
    "torture", "sptort", "ztorture", "memtort", "itertort", "mfuntort", "iotort",
];

pub fn subject() -> Subject {
    let make = "make -j$JOBS CC=\"$CC\" CFLAGS='-O2 -g -w -std=gnu99 -Wno-implicit-function-declaration -fPIC' vers=1";
    let mut tests: Vec<Test> = TESTS.map(test).into();
    tests.push(test("torture-shared"));
    Subject {
        name: "meschach",
        package: "meschach",
        build: vec![
            // Written before 1999: configure's own programs rely on implicit int.
            "CC=\"$CC -std=gnu89 -w\" ./configure --with-all".to_owned(),
            // A main() that gives nothing back ends with an exit code of chance.
            "sed -i -E -e 's/^void[[:space:]]+main/int main/' -e '/^int main/,$ s/\\breturn;/return 0;/' *tort*.c"
                .to_owned(),
            format!("{make} static shared && ln -sf libmeschach.so libmeschach.so.1"),
            format!("{make} alltorture"),
            "$CC -g torture.o libmeschach.so -lm -Wl,-rpath,'$ORIGIN' -o torture-shared".to_owned(),
        ],
        tests,
    }
}

fn test(name: &str) -> Test {
    Test {
        name: name.to_owned(),
        folder: "",
        command: format!("./{name}"),
        verdict,
    }
}

/// Each test prints what it tests, and `Error:` if it fails.
fn verdict(output: &str) -> Verdict {
    let starting = |word: &str| output.lines().filter(|line| line.starts_with(word)).count() as u64;
    let failed = starting("Error:");
    Verdict {
        passed: starting("# Testing").saturating_sub(failed),
        failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted() {
        let output =
            "# Testing QR...\nError: QR error: line 3\n# Testing LU...\n# grep \"^Error\"\n";
        assert_eq!(
            verdict(output),
            Verdict {
                passed: 1,
                failed: 1
            }
        );
    }
}
