//! `--explain`: the root cause of the worst finding, by `lostbits explain` on that one call.
//!
//! The command runs unchanged in a process of its own: so the section is exactly what a user who typed it
//! would read, and whatever the function prints or does stays there.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::mode::Mode;

use super::{Finding, Options, SearchFormat, formula::SearchedFormula, options::Explained};
use crate::{
    compiler_options::compiler_option,
    failure::Failure,
    run::temporary_folder,
    target::{RAISE_NAME, ResolvedCall, Source, rust_archive},
    toolchain::Compiler,
};

/// The report of `lostbits explain` on the first finding, if it is asked for.
pub fn explanation_of_first(
    options: &Options,
    index: usize,
    resolved: &ResolvedCall,
    findings: &[Finding],
) -> Result<Option<String>, Failure> {
    match (findings.first(), &options.explain) {
        (Some(worst), Some(explained)) => {
            explanation(options, explained, index, resolved, worst).map(Some)
        }
        _ => Ok(None),
    }
}

/// The report of `lostbits explain` on a finding, or why there is none.
fn explanation(
    options: &Options,
    explained: &Explained,
    index: usize,
    resolved: &ResolvedCall,
    finding: &Finding,
) -> Result<String, Failure> {
    let folder = temporary_folder()?;
    let folder = folder.path();
    let report = folder.join("explanation");
    let own = std::env::current_exe().map_err(cannot_start)?;
    let mut command = Command::new(own);
    command
        .arg("explain")
        .arg("--report")
        .arg(&report)
        .args(["--format", format_name(options.format)]);
    match &options.formula {
        Some(formula) => add_formula(&mut command, formula, index, resolved, finding, folder)?,
        None => {
            command.arg(driver(options, resolved, finding, folder)?);
            let words = subject(options, explained, folder)?;
            command.args(words.into_iter().map(as_cc_option));
        }
    }
    let output = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(cannot_start)?;
    match fs::read_to_string(&report) {
        Ok(text) if !text.is_empty() => Ok(named_by_user(&text, folder, options, resolved)),
        _ => Ok(format!(
            "lostbits explain failed: {}\n",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
    }
}

/// The report with commands that name what the user has, not the program that makes the call.
fn named_by_user(text: &str, folder: &Path, options: &Options, resolved: &ResolvedCall) -> String {
    const FIX: &str = "lostbits fix ";
    let folder = folder.display().to_string();
    let line = |line: &str| match (line.split_once(FIX), &options.source) {
        (Some((before, command)), Source::File { words, .. }) if command.contains(&folder) => {
            let sources = words.iter().filter(|word| Path::new(word).is_file());
            let sources: Vec<_> = sources.map(|word| word.to_string_lossy()).collect();
            let function = &resolved.call.function;
            format!("{before}{FIX}--function {function} {}\n", sources.join(" "))
        }
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// An option that `lostbits explain` would not recognise as the compiler's, in the form that it passes on.
fn as_cc_option(word: OsString) -> OsString {
    let text = word.to_string_lossy();
    match text.starts_with('-') && compiler_option(&text).is_none() {
        true => format!("--cc-option={text}").into(),
        false => word,
    }
}

fn cannot_start(error: std::io::Error) -> Failure {
    Failure::CannotStart {
        program: "lostbits".into(),
        error,
    }
}

fn format_name(format: SearchFormat) -> &'static str {
    match format {
        SearchFormat::Json => "json",
        _ => "terminal",
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| Failure::CannotWrite {
            path: path.to_owned(),
            error,
        })
}

/// One sample: the finding's input.
fn add_formula(
    command: &mut Command,
    formula: &SearchedFormula,
    index: usize,
    resolved: &ResolvedCall,
    finding: &Finding,
    folder: &Path,
) -> Result<(), Failure> {
    if !formula.formula.is_expression() {
        // The core alone, under the name that the file has.
        let inside: PathBuf = Path::new(&formula.formula.title)
            .components()
            .filter(|part| matches!(part, std::path::Component::Normal(_)))
            .collect();
        write(&folder.join(&inside), &formula.alone(index))?;
        command.current_dir(folder).arg(inside);
    } else {
        command.arg(&formula.formula.source);
    }
    for (parameter, value) in resolved.parameters.iter().zip(&finding.input) {
        command.arg("--range");
        command.arg(format!("{}={value:?}:{value:?}", parameter.name));
    }
    command.args(["--samples", "1"]);
    Ok(())
}

/// A program that makes the call and marks the output, without printing.
fn driver(
    options: &Options,
    resolved: &ResolvedCall,
    finding: &Finding,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let path = folder.join("call.c");
    let values: Vec<String> = resolved
        .parameters
        .iter()
        .zip(&finding.input)
        .map(|(parameter, value)| format!("{} = {value:?}", parameter.name))
        .collect();
    let title = format!("{} at {}", resolved.call.text, values.join(", "));
    let title = title.replace('\\', "\\\\").replace('"', "\\\"");
    let mut before = String::new();
    let mut init = String::new();
    for call in &options.init {
        before += &format!("extern long {}();\n", call.function);
        init += &format!("  {}\n", call.statement());
    }
    let text = format!(
        "#include <stddef.h>\n#include <lostbits.h>\n{}{before}void {RAISE_NAME}() {{}}\nint main(void) {{\n{init}\
         #line 1 \"{title}\"\n  {} lostbits_output(computed);\n  return 0;\n}}\n",
        resolved.declaration(),
        resolved.test_call(&finding.input, &finding.output)
    );
    write(&path, &text)?;
    Ok(path)
}

/// The words by which what was searched is compiled or linked for mode `explain`.
fn subject(
    options: &Options,
    explained: &Explained,
    folder: &Path,
) -> Result<Vec<OsString>, Failure> {
    match (explained, &options.source) {
        (Explained::Library(path), _) => {
            let mut search = OsString::from("-Wl,-rpath,");
            search.push(path.parent().unwrap_or(Path::new("/")));
            Ok(vec![path.clone().into_os_string(), search])
        }
        (_, Source::File { compiler, words }) if *compiler == Compiler::Rust => {
            let archive = rust_archive(words, Mode::Explain, folder)?;
            let under = ["-lpthread", "-ldl"].map(OsString::from);
            Ok([vec![archive.into_os_string()], under.to_vec()].concat())
        }
        (_, Source::File { words, .. }) => {
            let mut words = words.clone();
            words.push("-g".into());
            Ok(words)
        }
        // Formulas are passed as they are, and a library needs a second build.
        (_, Source::Text(_) | Source::Library(_) | Source::Crate(_)) => {
            Err(Failure::NoLibraryToExplain)
        }
    }
}
