//! What cargo needs: a target folder of its own, so that instrumented and plain crates never mix, and doc tests that link.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use lostbits_abi::mode::Mode;

use crate::{failure::Failure, toolchain::Part};

pub fn variables(words: &[OsString], mode: Mode) -> Result<Vec<(&'static str, OsString)>, Failure> {
    let mut variables = vec![("RUSTDOCFLAGS", doc_test_flags(mode)?)];
    let is_given = |word: &OsString| {
        word.to_str()
            .is_some_and(|word| word.starts_with("--target-dir"))
    };
    if !words.iter().any(is_given) {
        variables.push(("CARGO_TARGET_DIR", target_folder(words).into_os_string()));
    }
    Ok(variables)
}

/// `lostbits` in the project's own target folder.
pub fn target_folder(words: &[OsString]) -> PathBuf {
    let own = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let own = own.unwrap_or_else(|| workspace(words).join("target"));
    own.join("lostbits")
}

fn workspace(words: &[OsString]) -> PathBuf {
    let mut command = Command::new("cargo");
    command.args(["locate-project", "--workspace", "--message-format", "plain"]);
    let manifest = words.iter().position(|word| word == "--manifest-path");
    if let Some(path) = manifest.and_then(|at| words.get(at + 1)) {
        command.arg("--manifest-path").arg(path);
    }
    let answer = command.output().map(|output| output.stdout);
    let manifest = String::from_utf8_lossy(&answer.unwrap_or_default())
        .trim()
        .to_owned();
    match Path::new(&manifest)
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        Some(folder) => folder.to_owned(),
        None => env::current_dir().unwrap_or_default(),
    }
}

/// rustdoc calls no wrapper, so a doc test's own code is not instrumented; the crates that it links are, and need the
/// runtime.
fn doc_test_flags(mode: Mode) -> Result<OsString, Failure> {
    let mut flags = env::var_os("RUSTDOCFLAGS").unwrap_or_default();
    if mode == Mode::Off {
        return Ok(flags);
    }
    flags.push(" -Clink-arg=");
    flags.push(Part::runtime_of(mode).find()?);
    flags.push(" -Clink-arg=-Wl,--export-dynamic-symbol=__lostbits* -Clink-arg=-lpthread -Clink-arg=-ldl -Clink-arg=-lc");
    Ok(flags)
}

/// The words of `lostbits` for `cargo lostbits [OPTIONS] VERB …`, which cargo calls as `cargo-lostbits lostbits …`: options
/// before the verb are those of lostbits, what follows it is cargo's.
pub fn subcommand(words: &[OsString]) -> Vec<OsString> {
    let own = &words[1.min(words.len())..];
    let own = match own.first() {
        Some(first) if first == "lostbits" => &own[1..],
        _ => own,
    };
    let mut options = Vec::new();
    let mut rest = own.iter();
    while let Some(word) = rest.next() {
        let (command, verb) = match word.to_str() {
            Some("test") => ("test", "test"),
            Some("run") => ("test", "run"),
            Some("bench") => ("test", "bench"),
            Some("build") => ("build", "build"),
            Some("check") => ("check", "test"),
            Some("baseline") => ("baseline", "test"),
            Some("search") => return search(options, rest.cloned().collect()),
            _ => {
                options.push(word.clone());
                continue;
            }
        };
        let mut line: Vec<OsString> = vec!["lostbits".into(), command.into()];
        line.extend(options);
        line.extend(["--", "cargo", verb].map(OsString::from));
        line.extend(rest.cloned());
        return line;
    }
    // No verb: the help says what there is.
    vec!["lostbits".into(), "test".into(), "--help".into()]
}

/// `cargo lostbits search [OPTIONS]` searches the crate in the current folder: all words are options of lostbits.
fn search(options: Vec<OsString>, rest: Vec<OsString>) -> Vec<OsString> {
    let mut line: Vec<OsString> = ["lostbits", "search"].map(OsString::from).into();
    let words = || options.iter().chain(&rest);
    let is_crate = |word: &OsString| {
        word.to_str()
            .is_some_and(|word| word == "--crate" || word.starts_with("--crate="))
    };
    if !words().any(is_crate) {
        line.extend(["--crate", "."].map(OsString::from));
    }
    line.extend(options);
    line.extend(rest);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_calls_the_tool() {
        let translate = |words: &str| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let line = subcommand(&words).join(std::ffi::OsStr::new(" "));
            line.into_string().unwrap()
        };
        assert_eq!(
            translate("cargo-lostbits lostbits test --release"),
            "lostbits test -- cargo test --release"
        );
        let options = "cargo-lostbits lostbits --format json check -p a";
        assert_eq!(
            translate(options),
            "lostbits check --format json -- cargo test -p a"
        );
        assert_eq!(
            translate("cargo-lostbits lostbits search --top 3"),
            "lostbits search --crate . --top 3"
        );
        assert_eq!(
            translate("cargo-lostbits lostbits search --crate member"),
            "lostbits search --crate member"
        );
        assert_eq!(translate("cargo-lostbits lostbits"), "lostbits test --help");
    }
}
