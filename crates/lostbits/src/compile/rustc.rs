//! The command line for rustc: the user's own, with what lostbits adds.
//!
//! Works as a compiler (`lostbits rustc x.rs`) and as cargo's `RUSTC_WRAPPER=lostbits-rustc`, where
//! the first argument is the rustc to use. Build scripts and procedural macros run for the compiler,
//! not for the user: their own code is not instrumented, but they are linked with the runtime,
//! because crates they share with the program may be.
//!
//! What it can miss: crate types given in the source by `#![crate_type]`; rlibs built for another
//! mode in the same target folder (cargo does not know of LOSTBITS_MODE).

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use crate::{failure::Failure, toolchain::on_path};

use super::{
    EXPORTED_SYMBOLS, RUNTIME_LIBRARIES,
    clang::{KEEP_BRANCHES_APART, Parts, insert_options, join},
    kept_symbols,
};

/// An invocation of rustc as far as lostbits cares.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Invocation {
    pub compiles: bool,
    pub links: bool,
    debug_given: bool,
    fixed_position: bool,
    statically: bool,
    other_machine: Option<String>,
    /// The files of crates given by `--extern`.
    pub crates: Vec<PathBuf>,
}

impl Invocation {
    pub fn is_untouched(&self) -> bool {
        !self.compiles && !self.links
    }
}

/// Takes the compiler off the front of a wrapper's arguments, if one is there.
pub fn wrapped_compiler(arguments: &mut Vec<OsString>) -> Option<PathBuf> {
    let first = Path::new(arguments.first()?);
    let looks_like_input = first.extension().is_some_and(|extension| extension == "rs");
    let looks_like_option = first.to_string_lossy().starts_with(['-', '@']);
    if looks_like_input || looks_like_option {
        return None;
    }
    let compiler = on_path(first.as_os_str())?;
    arguments.remove(0);
    Some(compiler)
}

/// Scans the arguments after the compiler's name, response files already expanded.
pub fn scan(arguments: &[String]) -> Invocation {
    let mut scan = Scan::default();
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        if argument == "--" {
            scan.has_input |= rest.by_ref().count() > 0;
        } else if argument == "-" || !argument.starts_with('-') {
            scan.has_input = true;
        } else if let Some((option, value)) = split_option(argument) {
            scan.option(option, value);
        } else if TAKES_NEXT.contains(&argument) {
            scan.option(argument, rest.next().unwrap_or(""));
        } else {
            scan.option(argument, "");
        }
    }
    scan.finish()
}

/// Options whose value may be the next argument.
const TAKES_NEXT: &[&str] = &[
    "-C",
    "--codegen",
    "-Z",
    "--cfg",
    "--check-cfg",
    "-L",
    "-l",
    "--crate-type",
    "--crate-name",
    "--edition",
    "--emit",
    "--print",
    "-o",
    "--out-dir",
    "--explain",
    "--target",
    "-A",
    "--allow",
    "-W",
    "--warn",
    "-D",
    "--deny",
    "-F",
    "--forbid",
    "--force-warn",
    "--cap-lints",
    "--extern",
    "--sysroot",
    "--error-format",
    "--json",
    "--color",
    "--diagnostic-width",
    "--remap-path-prefix",
    "--env-set",
];

/// An option with its value in the same word: `--emit=link`, `-Copt-level=3`.
fn split_option(argument: &str) -> Option<(&str, &str)> {
    if argument.starts_with("--") {
        return argument.split_once('=');
    }
    let has_value = argument.len() > 2 && TAKES_NEXT.contains(&argument.get(..2)?);
    has_value.then(|| argument.split_at(2))
}

#[derive(Default)]
struct Scan {
    has_input: bool,
    only_answers: bool,
    emits: Vec<String>,
    is_macro: bool,
    is_build_script: bool,
    invocation: Invocation,
}

impl Scan {
    fn option(&mut self, option: &str, value: &str) {
        match option {
            "-V" | "--version" | "-vV" | "-h" | "--help" | "--print" | "--explain" => {
                self.only_answers = true
            }
            "--emit" => self.emits.extend(value.split(',').map(str::to_owned)),
            "--crate-type" => self.is_macro |= value.split(',').any(|kind| kind == "proc-macro"),
            "--crate-name" => self.is_build_script |= value.starts_with("build_script_"),
            "--target" if !is_our_target(value) => {
                self.invocation.other_machine = Some(format!("--target {value}"));
            }
            "-g" => self.invocation.debug_given = true,
            "--extern" => {
                let file = value.split_once('=').map(|(_, file)| file.into());
                self.invocation.crates.extend(file);
            }
            "-C" | "--codegen" => self.codegen(value),
            _ => {}
        }
    }

    fn codegen(&mut self, value: &str) {
        let (name, value) = value.split_once('=').unwrap_or((value, ""));
        match name.replace('_', "-").as_str() {
            "debuginfo" => self.invocation.debug_given = true,
            "relocation-model" => {
                self.invocation.fixed_position = !matches!(value, "pic" | "pie" | "default");
            }
            "target-feature" => self.invocation.statically |= value.contains("+crt-static"),
            _ => {}
        }
    }

    fn finish(self) -> Invocation {
        let makes = |kinds: &[&str]| {
            self.emits
                .iter()
                .any(|emit| kinds.contains(&emit.split('=').next().unwrap_or_default()))
        };
        let works = self.has_input && !self.only_answers;
        let links = self.emits.is_empty() || makes(&["link"]);
        let makes_code = links || makes(&["obj", "asm", "llvm-ir", "llvm-bc"]);
        Invocation {
            compiles: works && makes_code && !self.is_macro && !self.is_build_script,
            links: works && links,
            ..self.invocation
        }
    }
}

fn is_our_target(target: &str) -> bool {
    target.starts_with("x86_64") && target.contains("linux") && !target.ends_with("x32")
}

/// The arguments to run rustc with.
pub fn arguments(
    given: Vec<OsString>,
    invocation: &Invocation,
    parts: &Parts,
) -> Result<Vec<OsString>, Failure> {
    if let Some(option) = &invocation.other_machine {
        return Err(Failure::OtherMachine {
            option: option.clone(),
        });
    }
    let mut added: Vec<OsString> = Vec::new();
    if let Some(plugin) = parts.plugin {
        added.push(join("-Zllvm-plugins=", plugin));
        // One unit a crate, and no second optimisation after the pass.
        added.extend(
            ["-Ccodegen-units=1", "-Clto=off", "-Clinker-plugin-lto=no"].map(OsString::from),
        );
        let debug = match parts.variables {
            true => "-Cdebuginfo=full",
            false => "-Cdebuginfo=line-tables-only",
        };
        added.extend((!invocation.debug_given).then(|| debug.into()));
        // A vector operation of several statements has the line of only one of them.
        added.extend(parts.variables.then(|| "-Cno-vectorize-slp".into()));
        if parts.variables {
            let options = KEEP_BRANCHES_APART.iter();
            added.extend(options.map(|option| format!("-Cllvm-args={option}").into()));
        }
    }
    if invocation.fixed_position {
        added.push("-Crelocation-model=pie".into());
    }
    if let Some(runtime) = parts.runtime {
        added.push(join("-Clink-arg=", runtime));
        // A static program loads no libraries; GNU ld makes it crash if it is asked to export.
        let export = format!("-Clink-arg=-Wl,--export-dynamic-symbol={EXPORTED_SYMBOLS}");
        added.extend((!invocation.statically).then(|| export.into()));
        added.extend(kept_symbols().map(|option| format!("-Clink-arg={option}").into()));
        added.extend(
            RUNTIME_LIBRARIES
                .iter()
                .map(|library| format!("-Clink-arg={library}").into()),
        );
    }
    Ok(insert_options(without_incremental(given), added))
}

/// Incremental compilation would reuse code that was instrumented for another mode, because it does
/// not see the environment variable that holds the mode of the pass.
fn without_incremental(given: Vec<OsString>) -> Vec<OsString> {
    let mut kept: Vec<OsString> = Vec::with_capacity(given.len());
    for word in given {
        let text = word.to_string_lossy();
        if text.starts_with("incremental=")
            && kept
                .last()
                .is_some_and(|last| last == OsStr::new("-C") || last == OsStr::new("--codegen"))
        {
            kept.pop();
        } else if !text.starts_with("-Cincremental=") && !text.starts_with("--codegen=incremental=")
        {
            drop(text);
            kept.push(word);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan_words(words: &str) -> Invocation {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        scan(&words)
    }

    fn does(words: &str) -> (bool, bool) {
        let invocation = scan_words(words);
        (invocation.compiles, invocation.links)
    }

    #[test]
    fn questions_and_checks_are_left_alone() {
        for words in [
            "-vV",
            "--version",
            "",
            "- --crate-name ___ --print=file-names --crate-type bin",
            "--print cfg x.rs",
            "--emit=metadata x.rs",
            "--emit=dep-info,metadata --crate-type lib x.rs",
            "--explain E0001",
            "--emit mir x.rs",
            "-L x.rs",
        ] {
            assert_eq!(does(words), (false, false), "{words}");
        }
    }

    #[test]
    fn programs_and_libraries_are_instrumented() {
        for words in [
            "x.rs",
            "--emit=dep-info,metadata,link x.rs",
            "- --crate-type lib",
            "--emit link=out x.rs",
            "-- x.rs",
        ] {
            assert_eq!(does(words), (true, true), "{words}");
        }
        assert_eq!(does("--emit obj x.rs"), (true, false));
        assert_eq!(does("--emit=asm,llvm-ir=x.ll x.rs"), (true, false));
    }

    #[test]
    fn what_runs_for_the_compiler_is_linked_but_not_instrumented() {
        assert_eq!(
            does("--crate-name build_script_build build.rs"),
            (false, true)
        );
        assert_eq!(
            does("--crate-name derive --crate-type proc-macro lib.rs"),
            (false, true)
        );
    }

    #[test]
    fn debug_and_position() {
        assert!(scan_words("-g x.rs").debug_given);
        assert!(scan_words("-C debuginfo=0 x.rs").debug_given);
        assert!(scan_words("-Cdebuginfo=2 x.rs").debug_given);
        assert!(!scan_words("-C opt-level=3 x.rs").debug_given);
        assert!(scan_words("-C relocation-model=static x.rs").fixed_position);
        assert!(!scan_words("-C relocation_model=pic x.rs").fixed_position);
    }

    #[test]
    fn command_lines() {
        let lines: Vec<String> = [
            "x.rs -o prog",
            "--crate-name a --emit=link -C incremental=/cache -C debuginfo=2 a.rs",
            "--crate-name build_script_build build.rs",
            "--emit=obj -C relocation-model=static x.rs",
            "-C target-feature=+crt-static x.rs",
            "--target wasm32-unknown-unknown x.rs",
        ]
        .map(|words| {
            let invocation = scan_words(words);
            let parts = Parts {
                plugin: invocation.compiles.then_some(Path::new("PLUGIN")),
                runtime: invocation.links.then_some(Path::new("RUNTIME")),
                variables: false,
            };
            let given = words.split_whitespace().map(OsString::from).collect();
            let line = match arguments(given, &invocation, &parts) {
                Ok(line) => line.join(OsStr::new(" ")).into_string().unwrap(),
                Err(failure) => failure.to_string(),
            };
            format!("{words}\n    {line}")
        })
        .into();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn cargo_names_the_compiler_first() {
        let take = |words: &str| {
            let mut words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
            (wrapped_compiler(&mut words), words.len())
        };
        assert_eq!(take("/bin/sh -vV"), (Some("/bin/sh".into()), 1));
        assert_eq!(take("x.rs -g"), (None, 2));
        assert_eq!(take("-vV"), (None, 1));
        assert_eq!(take("/no/such/rustc -vV"), (None, 2));
    }
}
