//! The example projects: the commands of each README are run in a copy, in the order of the page, and what the page shows
//! must appear in their output, in the same order. A line shown may be a part of the line printed.
//!
//! Projects that need more than `scripts/setup.sh` installs are behind `make test-examples`.

#[allow(dead_code)]
mod common;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A shell in which the tool, under all its names, is found first.
fn shell(command: &str, folder: &Path) -> (String, Option<i32>) {
    let tool = Path::new(env!("CARGO_BIN_EXE_lostbits"));
    let own = tool.parent().expect("a folder").to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(own).chain(env::split_paths(&path)));
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("PATH", path.expect("a path"));
    let ours = |name: &str| {
        name.starts_with("LOSTBITS_") || name.starts_with("CARGO") || name.starts_with("RUST")
    };
    for (name, _) in env::vars_os().filter(|(name, _)| ours(&name.to_string_lossy())) {
        let keeps = ["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];
        if !keeps.iter().any(|kept| name == *kept) {
            shell.env_remove(name);
        }
    }
    let output = shell.output().expect("sh");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code())
}

/// A copy of an example that tests may change.
fn copy(name: &str) -> PathBuf {
    static COPIES: AtomicU32 = AtomicU32::new(0);
    let copy = COPIES.fetch_add(1, Relaxed);
    let folder = common::empty_folder(&format!("projects/{name}-{copy}")).expect("a folder");
    let source = examples().join(name);
    let (text, code) = shell(&format!("cp -r '{}/.' .", source.display()), &folder);
    assert_eq!(code, Some(0), "{text}");
    // The root of the project, so that nothing above it counts.
    fs::create_dir_all(folder.join(".git")).expect("a folder");
    folder
}

/// Runs the console blocks of an example's README.
fn follow(name: &str) {
    let folder = copy(name);
    let page = fs::read_to_string(folder.join("README.md")).expect("README.md");
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        match line {
            "```console" => is_console = true,
            "```" => is_console = false,
            _ if !is_console => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), Vec::new())),
                None => {
                    let shown = &mut commands.last_mut().expect("a command").1;
                    shown.push(line.trim().to_owned());
                }
            },
        }
    }
    assert!(!commands.is_empty(), "{name}: the page has commands");
    for (command, shown) in commands {
        let (text, _) = shell(&command, &folder);
        let mut rest = text.as_str();
        for line in shown {
            let at = rest.find(&line);
            let at = at.unwrap_or_else(|| panic!("{name}: `{command}` lacks `{line}`:\n{text}"));
            rest = &rest[at + line.len()..];
        }
    }
}

#[test]
fn make_and_c() {
    follow("make-c");
}

#[test]
fn fortran_with_modules() {
    follow("fortran-modules");
}

#[test]
fn c_and_fortran() {
    follow("c-and-fortran");
}

#[test]
fn cargo_workspace() {
    follow("cargo-workspace");
}

#[test]
#[ignore = "needs cmake and catch2: make test-examples"]
fn cmake_and_catch2() {
    follow("cmake-catch2");
}

#[test]
#[ignore = "needs pip and a registry: make test-examples"]
fn python_extension() {
    follow("python-extension");
}

/// What `lostbits check` says of a change, and its exit code.
fn check(folder: &Path) -> (String, Option<i32>) {
    shell("make clean; lostbits check", folder)
}

#[test]
fn only_new_findings_and_worse_ones_fail_a_check() {
    let folder = copy("make-c");
    let (text, code) = check(&folder);
    assert_eq!(code, Some(1), "{text}");
    let (text, code) = shell("lostbits baseline", &folder);
    assert_eq!(code, Some(0), "{text}");
    let source = fs::read_to_string(folder.join("variance.c")).expect("variance.c");
    // Ten lines above, another indentation, and an unrelated variable renamed.
    let moved = "/* */\n".repeat(10) + &source.replace("    return", "\treturn");
    fs::write(
        folder.join("variance.c"),
        moved
            .replace("int i", "int k")
            .replace("x[i]", "x[k]")
            .replace("i <", "k <")
            .replace("i++", "k++"),
    )
    .expect("written");
    let (text, code) = check(&folder);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("variance.c:20 cancellation: in the baseline"),
        "{text}"
    );
    // CI shows a known finding, and no failure.
    let command = "lostbits check --format junit --report junit.xml";
    let (text, code) = shell(command, &folder);
    assert_eq!(code, Some(0), "{text}");
    let cases = fs::read_to_string(folder.join("junit.xml")).expect("a report");
    assert!(
        cases.contains("failures=\"0\"")
            && cases.contains("<skipped message=\"in the baseline\"/>"),
        "{cases}"
    );
    // A new finding beside the known one.
    let more = source
        + "\ndouble spread(const double *x, int n) { return (x[n - 1] * 0.1 + 1e9) - 1e9; }\n";
    fs::write(folder.join("variance.c"), more).expect("written");
    let test = fs::read_to_string(folder.join("test.c")).expect("test.c");
    let test = test.replace("int main", "double spread(const double *, int);\nint main");
    fs::write(
        folder.join("test.c"),
        test.replace("if (found < 0)", "if (found + 0 * spread(x, 4) < 0)"),
    )
    .expect("written");
    let (text, code) = check(&folder);
    assert_eq!(code, Some(1), "{text}");
    // The same finding, and it loses more than the baseline says.
    let (text, code) = shell(
        "sed -i 's/^bits = .*/bits = 10.0/' lostbits-baseline.toml; lostbits check",
        &folder,
    );
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("worse than in the baseline"), "{text}");
}

#[test]
fn suppressions_need_a_reason_and_idle_ones_are_reported() {
    let folder = copy("make-c");
    let source = fs::read_to_string(folder.join("variance.c")).expect("variance.c");
    let comment = "/* lostbits: ignore(cancellation) because shifts are small */\n    return";
    fs::write(
        folder.join("variance.c"),
        source.replace("    return", &format!("    {comment}")),
    )
    .expect("written");
    let (text, code) = check(&folder);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("ignored: shifts are small"), "{text}");
    fs::write(
        folder.join("variance.c"),
        source.replace(
            "    return",
            &format!("    {}", comment.replace(" because shifts are small", "")),
        ),
    )
    .expect("written");
    let (text, code) = check(&folder);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("suppresses nothing"), "{text}");
}

#[test]
fn explain_follows_suppressions() {
    let folder = copy("make-c");
    let config = "[[ignore]]\nfunction = 'variance'\nreason = 'shifts are small'\n";
    fs::write(folder.join("lostbits.toml"), config).expect("written");
    let command = "lostbits explain --judge results test.c variance.c -- 1e8";
    let (text, code) = shell(command, &folder);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("ignored:") && text.contains("shifts are small"),
        "{text}"
    );
}

#[test]
fn digits_can_be_required() {
    let folder = copy("make-c");
    let requires = |gate: &str| {
        let config = format!(
            "[check]\nbuild = 'make'\ntest = 'make check'\n[[check.gate]]\nfunction = 'variance'\n{gate}\n"
        );
        fs::write(folder.join("lostbits.toml"), config).expect("written");
        check(&folder)
    };
    for (enough, name) in [
        ("min_digits = 1", "min_digits"),
        ("sig_bits = 3", "sig_bits"),
    ] {
        let (text, code) = requires(enough);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(&format!("enough for {name}")), "{text}");
    }
    for more in [
        "min_digits = 6",
        "sig_bits = 24",
        "min_digits = 1\nsig_bits = 24",
    ] {
        let (text, code) = requires(more);
        assert_eq!(code, Some(1), "{text}");
    }
}

/// What `root` returns is wrong by its own fault; what `excess` returns is wrong because its argument is.
const TWO_FUNCTIONS: &str = "#include <math.h>
double root(double b, double c) { return (-b + sqrt(b * b - 4 * c)) / 2; }
double excess(double x) { return x - 1; }
int main(void) {
    volatile double b = 1e8, c = 1, tenth = 0.1, half = 1.5;
    double sum = 0;
    for (int i = 0; i < 10; i++) sum += tenth;
    return root(b, c) + excess(sum) + excess(half) > 1;
}
";

#[test]
fn the_table_of_functions_tells_errors_made_from_errors_inherited() {
    let folder = copy("make-c");
    fs::write(folder.join("two.c"), TWO_FUNCTIONS).expect("written");
    let (text, code) = shell(
        "lostbits build -- sh -c '$CC -O2 two.c -o two -lm'",
        &folder,
    );
    assert_eq!(code, Some(0), "{text}");
    let (text, code) = shell("lostbits test --format json --report r.json ./two", &folder);
    assert_eq!(code, Some(1), "{text}");
    let report = fs::read_to_string(folder.join("r.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let row = |name: &str| {
        let rows = report["functions"].as_array().expect("functions");
        let row = rows.iter().find(|row| row["function"] == name);
        row.unwrap_or_else(|| panic!("{name}: {report}"))
    };
    let bits = |value: &serde_json::Value| value["max_error_bits"].as_f64().expect("bits");
    let root = row("root");
    assert!(bits(root) > 20.0, "{root}");
    assert_eq!(bits(&root["made_itself"]), bits(root), "{root}");
    let expected = serde_json::json!([
        { "name": "b", "value": 1e8, "error": 0.0 },
        { "name": "c", "value": 1.0, "error": 0.0 },
    ]);
    assert_eq!(root["arguments"], expected, "{root}");
    let excess = row("excess");
    assert_eq!((&excess["calls"], &excess["wrong"]), (&2.into(), &1.into()));
    assert_ne!(excess["arguments"][0]["error"], 0.0, "{excess}");
    assert_eq!(excess["made_itself"]["calls"], 1, "{excess}");
    assert_eq!(bits(&excess["made_itself"]), 0.0, "{excess}");
    let (text, _) = shell("lostbits test ./two", &folder);
    assert!(text.contains("b = 100000000, c = 1"), "{text}");
}

#[test]
fn a_failing_command_never_passes_and_nothing_analysed_is_a_failure() {
    let folder = copy("make-c");
    let (text, _) = shell("lostbits build -- make", &folder);
    assert!(text.contains("instrumented 2 C files"), "{text}");
    let (text, code) = shell("lostbits test -- sh -c './test; exit 7'", &folder);
    assert_eq!(code, Some(7), "{text}");
    assert!(text.contains("failed with exit code 7"), "{text}");
    // The words after the first are the command's own, with `--` before it or without.
    let (text, code) = shell("lostbits test ./test 1", &folder);
    assert_eq!(code, Some(0), "{text}");
    let (text, code) = shell("lostbits test -- false", &folder);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("`false` was analysed, which failed with exit code 1"),
        "{text}"
    );
    let (text, code) = shell("lostbits test -- true", &folder);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("nothing that it ran was built by lostbits"),
        "{text}"
    );
    let (text, code) = shell(
        "lostbits check --baseline nothing -- true; rm lostbits.toml; lostbits check",
        &folder,
    );
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("nothing to run"), "{text}");
}

#[test]
fn a_tree_of_another_compiler_is_refused_with_the_commands_for_a_second_one() {
    let folder = copy("make-c");
    let cache = "CMAKE_C_COMPILER:FILEPATH=/usr/bin/cc\nCMAKE_HOME_DIRECTORY:INTERNAL=/src\n";
    fs::create_dir(folder.join("build")).expect("a folder");
    fs::write(folder.join("build/CMakeCache.txt"), cache).expect("written");
    let (text, code) = shell("lostbits build -- cmake --build build", &folder);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("lostbits build -- cmake -S /src -B build-lostbits"),
        "{text}"
    );
}

#[test]
fn module_files_of_the_user_are_neither_read_nor_overwritten() {
    let folder = copy("fortran-modules");
    fs::write(folder.join("kinds.mod"), "of another compiler").expect("written");
    let (text, code) = shell(
        "lostbits explain --judge results test_waves.f90 waves.f90 kinds.f90",
        &folder,
    );
    assert_eq!(code, Some(1), "{text}");
    let kept = fs::read_to_string(folder.join("kinds.mod")).expect("kinds.mod");
    assert_eq!(kept, "of another compiler");
    assert!(!folder.join("waves.mod").exists());
}

#[test]
fn a_build_that_fails_before_it_compiles_says_so() {
    let folder = common::empty_folder("projects/fails").expect("a folder");
    let (text, code) = shell("lostbits build -- sh -c 'exit 3'", &folder);
    assert_eq!(code, Some(3), "{text}");
    assert_eq!(
        text,
        "lostbits: `sh -c 'exit 3'` failed with exit code 3 before it compiled anything\n"
    );
}
