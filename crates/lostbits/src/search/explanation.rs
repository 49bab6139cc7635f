//! `--explain`: the root cause of the worst finding, by `lostbits explain` on that one call.
//!
//! The command is run as it is, in a process of its own: so the section is word for word what a user who
//! typed it would read, and whatever the function prints or does stays there.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::mode::Mode;

use super::{Finding, Options, formula::Formula, options::Explained};
use crate::{
    cli::SearchFormat,
    failure::Failure,
    run::temporary_folder,
    target::{Bound, RAISE_NAME, Source, rust_archive},
    toolchain::Compiler,
};

/// What `lostbits explain` says of the first finding, if that is wanted.
pub fn explanation_of_first(
    options: &Options,
    index: usize,
    bound: &Bound,
    findings: &[Finding],
) -> Result<Option<String>, Failure> {
    match (findings.first(), &options.explain) {
        (Some(worst), Some(explained)) => {
            explanation(options, explained, index, bound, worst).map(Some)
        }
        _ => Ok(None),
    }
}

/// What `lostbits explain` says of a finding: its report, or why there is none.
fn explanation(
    options: &Options,
    explained: &Explained,
    index: usize,
    bound: &Bound,
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
        Some(formula) => add_formula(&mut command, formula, index, bound, finding, folder)?,
        None => {
            command.arg(driver(options, bound, finding, folder)?);
            command.args(subject(options, explained, folder)?);
        }
    }
    let output = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(cannot_start)?;
    match fs::read_to_string(&report) {
        Ok(text) if !text.is_empty() => Ok(text),
        _ => Ok(format!(
            "there is no explanation: {}\n",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
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
    formula: &Formula,
    index: usize,
    bound: &Bound,
    finding: &Finding,
    folder: &Path,
) -> Result<(), Failure> {
    if formula.calls.len() > 1 || formula.title.ends_with(".fpcore") {
        // The core alone, under the name that the file has.
        let inside: PathBuf = Path::new(&formula.title)
            .components()
            .filter(|part| matches!(part, std::path::Component::Normal(_)))
            .collect();
        write(&folder.join(&inside), &formula.alone(index))?;
        command.current_dir(folder).arg(inside);
    } else {
        command.arg(&formula.source);
    }
    for (parameter, value) in bound.parameters.iter().zip(&finding.input) {
        command.arg("--range");
        command.arg(format!("{}={value:?}:{value:?}", parameter.name));
    }
    command.args(["--samples", "1"]);
    Ok(())
}

/// A program that makes the call and says what came out, without printing.
fn driver(
    options: &Options,
    bound: &Bound,
    finding: &Finding,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let path = folder.join("call.c");
    let values: Vec<String> = bound
        .parameters
        .iter()
        .zip(&finding.input)
        .map(|(parameter, value)| format!("{} = {value:?}", parameter.name))
        .collect();
    let title = format!("{} at {}", bound.call.text, values.join(", "));
    let title = title.replace('\\', "\\\\").replace('"', "\\\"");
    let mut before = String::new();
    let mut init = String::new();
    for call in &options.init {
        let name = call.split('(').next().unwrap_or(call);
        before += &format!("extern long {name}();\n");
        let arguments = if call.contains('(') { "" } else { "()" };
        init += &format!("  {call}{arguments};\n");
    }
    let text = format!(
        "#include <stddef.h>\n#include <lostbits.h>\n{}{before}void {RAISE_NAME}() {{}}\nint main(void) {{\n{init}\
         #line 1 \"{title}\"\n  {} lostbits_output(computed);\n  return 0;\n}}\n",
        bound.declaration(),
        bound.test_call(&finding.input, &finding.output)
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
        // Formulas have a way of their own, and a library needs another.
        (_, Source::Text(_) | Source::Library(_)) => Err(Failure::NoLibraryToExplain),
    }
}
