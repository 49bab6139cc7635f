//! The command line for clang, clang++ and flang: the user's own, with what lostbits adds.
//!
//! Additions come last, where they win over what they must override, but before a `--`.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use crate::{failure::Failure, toolchain::Compiler};

use super::{
    EXPORTED_SYMBOLS, RUNTIME_LIBRARIES, kept_symbols,
    scan::{Conflict, Invocation, is_no_pie},
};

/// The folder of `lostbits.h`, beside the plugin.
pub const HEADERS: &str = "include";

/// The parts an invocation needs; `None` for those it does not.
pub struct Parts<'a> {
    pub plugin: Option<&'a Path>,
    pub runtime: Option<&'a Path>,
    /// Whether debug information must know the program's variables, not lines alone.
    pub variables: bool,
}

/// The arguments to run the compiler with.
pub fn arguments(
    compiler: Compiler,
    given: Vec<OsString>,
    invocation: &Invocation,
    parts: &Parts,
) -> Result<Vec<OsString>, Failure> {
    refuse_conflicts(compiler, invocation)?;
    let is_clang = compiler != Compiler::Fortran;
    let mut added: Vec<OsString> = Vec::new();
    // flang neither knows these two nor warns of unused flags.
    added.extend(is_clang.then(|| "--start-no-unused-arguments".into()));
    added.extend(compile_flags(invocation, parts, is_clang));
    if keeps_statements_apart(&given, parts) {
        added.push("-fno-slp-vectorize".into());
        if !may_fuse(&given) {
            let options = KEEP_BRANCHES_APART.into_iter();
            added.extend(options.flat_map(|option| ["-mllvm".into(), option.into()]));
        }
    }
    added.extend(link_flags(invocation, parts));
    added.extend(is_clang.then(|| "--end-no-unused-arguments".into()));
    Ok(insert_options(without_no_pie(given, invocation), added))
}

fn refuse_conflicts(compiler: Compiler, invocation: &Invocation) -> Result<(), Failure> {
    match invocation.conflict.clone() {
        Some(Conflict::Machine(option)) => Err(Failure::OtherMachine { option }),
        Some(Conflict::ShadowMemory(option)) => Err(Failure::OtherShadowMemory { option }),
        None if compiler == Compiler::Fortran && invocation.links && invocation.statically => {
            Err(Failure::StaticFortran)
        }
        None => Ok(()),
    }
}

/// Whether operations of different statements must not become one vector operation, which has the line of only one of them. That
/// changes no result, unless the compiler may reassociate sums.
fn keeps_statements_apart(given: &[OsString], parts: &Parts) -> bool {
    const REASSOCIATES: [&str; 4] = [
        "-ffast-math",
        "-Ofast",
        "-fassociative-math",
        "-funsafe-math-optimizations",
    ];
    let reassociates = |word: &OsString| {
        word.to_str()
            .is_some_and(|word| REASSOCIATES.contains(&word))
    };
    parts.variables && parts.plugin.is_some() && !given.iter().any(reassociates)
}

/// Operations at the ends or beginnings of two branches must not become one either.
pub const KEEP_BRANCHES_APART: [&str; 2] = [
    "-simplifycfg-sink-common=false",
    "-simplifycfg-hoist-common=false",
];

/// Whether the back end may fuse products with sums. It looks at one block at a time, so that which it fuses depends on the blocks.
fn may_fuse(given: &[OsString]) -> bool {
    let fuses = |word: &OsString| {
        word.to_str().is_some_and(|word| {
            word.starts_with("-march=") || word == "-mfma" || word == "-ffp-contract=fast"
        })
    };
    given.iter().any(fuses)
}

fn compile_flags(invocation: &Invocation, parts: &Parts, is_clang: bool) -> Vec<OsString> {
    let mut flags: Vec<OsString> = Vec::new();
    if let Some(plugin) = parts.plugin {
        flags.push(join("-fpass-plugin=", plugin));
    }
    if let Some(folder) = parts.plugin.and_then(Path::parent).filter(|_| is_clang) {
        flags.extend(["-D__LOSTBITS__=1".into(), "-isystem".into()]);
        flags.push(folder.join(HEADERS).into());
    }
    if invocation.compiles || invocation.precompiles {
        // A precompiled header must agree with the code that uses it in these.
        flags.extend(invocation.fixed_code.then(|| "-fPIE".into()));
        let debug = match parts.variables {
            true => "-g",
            false => "-gline-tables-only",
        };
        flags.extend((!invocation.debug_given).then(|| debug.into()));
    }
    // Link-time optimisation would run the pass on code that is optimised again afterwards.
    flags.extend(invocation.lto.then(|| "-fno-lto".into()));
    flags
}

fn link_flags(invocation: &Invocation, parts: &Parts) -> Vec<OsString> {
    let Some(runtime) = parts.runtime else {
        return Vec::new();
    };
    let mut flags: Vec<OsString> = Vec::new();
    if invocation.shared {
        // Exports its symbols as it is, unless a version script hides them.
        flags.extend(kept_symbols().map(OsString::from));
    } else if invocation.statically {
        // Loads no libraries; GNU ld makes it crash if it is asked to export.
        flags.push("-static-pie".into());
    } else {
        flags.extend(invocation.fixed_executable.then(|| "-pie".into()));
        flags.push(format!("-Wl,--export-dynamic-symbol={EXPORTED_SYMBOLS}").into());
    }
    // By -Xlinker, because a plain path would be source code after `-x c`.
    flags.extend(["-Xlinker".into(), runtime.into()]);
    flags.extend(RUNTIME_LIBRARIES.iter().map(OsString::from));
    flags
}

/// clang refuses `-no-pie` beside `-static-pie`.
fn without_no_pie(given: Vec<OsString>, invocation: &Invocation) -> Vec<OsString> {
    let drop_them = invocation.links && invocation.fixed_executable;
    given
        .into_iter()
        .filter(|word| !(drop_them && word.to_str().is_some_and(is_no_pie)))
        .collect()
}

/// Puts options at the end, or before `--` where everything after is an input.
pub fn insert_options(mut given: Vec<OsString>, added: Vec<OsString>) -> Vec<OsString> {
    let end = given
        .iter()
        .position(|word| word == OsStr::new("--"))
        .unwrap_or(given.len());
    given.splice(end..end, added);
    given
}

/// `flag` and `path` in one word.
pub fn join(flag: &str, path: &Path) -> OsString {
    let mut word = OsString::from(flag);
    word.push(path);
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::scan::scan;

    fn line(compiler: Compiler, words: &str) -> String {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let invocation = scan(&words);
        let parts = Parts {
            plugin: invocation.compiles.then_some(Path::new("PLUGIN")),
            runtime: invocation.links.then_some(Path::new("RUNTIME")),
            variables: false,
        };
        let given = words.into_iter().map(OsString::from).collect();
        match arguments(compiler, given, &invocation, &parts) {
            Ok(line) => line.join(OsStr::new(" ")).into_string().unwrap(),
            Err(failure) => failure.to_string(),
        }
    }

    #[test]
    fn command_lines() {
        let commands = [
            "-c x.c",
            "-g0 -O2 -c x.c",
            "x.c -o prog",
            "-g x.o",
            "-shared -g x.o",
            "-fno-pie -no-pie -g x.c",
            "-static -no-pie x.o",
            "-flto=thin -g -c x.c",
            "-g -x c -o prog -- odd-name",
            "-fno-pic all.h",
            "-m32 -c x.c",
            "-fsanitize=address x.c",
        ];
        let lines: Vec<String> = commands
            .map(|words| format!("{words}\n    {}", line(Compiler::C, words)))
            .into();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn flang_gets_only_flags_it_knows() {
        insta::assert_snapshot!(line(Compiler::Fortran, "x.f90 -o prog"));
        insta::assert_snapshot!(line(Compiler::Fortran, "-static x.f90"));
    }
}
