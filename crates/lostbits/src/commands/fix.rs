//! `lostbits fix`: arguments → options → [`crate::fix`] → report.

use std::{fs, io::IsTerminal, path::Path, process::ExitCode};

use super::exit::FINDINGS;
use crate::{
    failure::{EXIT_CODE, Failure},
    fix::{
        self, FixArguments, FixFormat, Options, clock, json,
        repair::{Repair, Verdict},
        report::{self, Timed},
        timing,
    },
    fpcore::Core,
    output, patch,
    printable::printable,
};

/// What can be repaired is repaired, whatever becomes of the other expressions of a file.
pub fn fix(arguments: FixArguments) -> Result<ExitCode, Failure> {
    let own = arguments.words.split(|word| word == "--").next();
    if own.is_some_and(|words| words.iter().any(|word| patch::is_source(word))) {
        return fix_sources(arguments);
    }
    let options = Options::new(arguments)?;
    options.report_to.check()?;
    clock::listen_for_interrupts();
    let mut repairs = Vec::new();
    let progress = Progress::new(options.formula.cores.len());
    for (index, core) in options.formula.cores.iter().enumerate() {
        progress.show(index, core);
        match fix::fix(core, &options) {
            Ok(repair) => repairs.push(Timed {
                nanoseconds: nanoseconds(&repair, options.format),
                repair,
            }),
            Err(problem) => refuse(core.name(), &problem.to_string()),
        }
        if clock::is_interrupted() && index + 1 < options.formula.cores.len() {
            refuse(None, "interrupted: the other expressions were not repaired");
            break;
        }
    }
    progress.clear();
    let mut is_complete = repairs.len() == options.formula.cores.len();
    let text = match options.format {
        FixFormat::Terminal => joined(repairs.iter().map(report::terminal)),
        FixFormat::Fpcore => joined(repairs.iter().map(|timed| report::fpcore(&timed.repair))),
        FixFormat::Json => json::json(&repairs),
        FixFormat::C => {
            let functions = c_functions(&repairs);
            is_complete &= functions.len() == repairs.len();
            format!("#include <math.h>\n\n{}", joined(functions.into_iter()))
        }
    };
    options.report_to.write(&text)?;
    Ok(ExitCode::from(if !is_complete {
        EXIT_CODE
    } else if repairs.iter().all(|timed| timed.repair.is_good()) {
        0
    } else {
        FINDINGS
    }))
}

/// Repairs programs: 0 if everything wrong was repaired.
fn fix_sources(arguments: FixArguments) -> Result<ExitCode, Failure> {
    let options = patch::Options::new(arguments)?;
    options.report_to.check()?;
    let outcome = patch::patch(&options)?;
    let mut text = match options.format {
        FixFormat::Json => patch::json(&outcome),
        _ => patch::terminal(&outcome),
    };
    if let Some(path) = &options.patch {
        write(path, &patch::diffs(&outcome))?;
    }
    if options.apply {
        for one in &outcome.patches {
            let mut backup = one.file.clone().into_os_string();
            backup.push(".orig");
            write(backup.as_ref(), &one.before)?;
            write(&one.file, &one.after)?;
            if options.format != FixFormat::Json {
                let file = one.file.display();
                text += &format!("written to {file} (the original is in {file}.orig)\n");
            }
        }
    } else if !outcome.patches.is_empty() && options.format != FixFormat::Json {
        text += "to write it into the sources, add --apply\n";
    }
    options.report_to.write(&text)?;
    Ok(ExitCode::from(match outcome.unrepaired.is_empty() {
        true => 0,
        false => FINDINGS,
    }))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure::CannotWrite {
        path: path.to_owned(),
        error,
    })
}

fn c_functions(repairs: &[Timed]) -> Vec<String> {
    let function = |Timed { repair, .. }: &Timed| match report::c_function(repair) {
        Ok(function) => Some(function),
        Err(problem) => {
            refuse(repair.subject.core.name(), &problem.to_string());
            None
        }
    };
    repairs.iter().filter_map(function).collect()
}

/// Measured only where the report shows it.
fn nanoseconds(repair: &Repair, format: FixFormat) -> Option<(f64, f64)> {
    let is_shown = matches!(format, FixFormat::Terminal | FixFormat::Json);
    match is_shown && repair.verdict == Verdict::Repaired {
        true => timing::nanoseconds(repair),
        false => None,
    }
}

/// Which of several expressions is being repaired, on a terminal.
struct Progress {
    count: usize,
    is_shown: bool,
}

impl Progress {
    fn new(count: usize) -> Progress {
        Progress {
            count,
            is_shown: std::io::stderr().is_terminal(),
        }
    }

    fn show(&self, index: usize, core: &Core) {
        if self.is_shown {
            let name = core
                .name()
                .map_or_else(String::new, |name| format!(": {name}"));
            let line = format!("repairing {} of {}{name}", index + 1, self.count);
            let line = format!("\r\x1b[K{}", printable(&line));
            output::print(output::Stream::Errors, &line);
        }
    }

    fn clear(&self) {
        if self.is_shown {
            output::print(output::Stream::Errors, "\r\x1b[K");
        }
    }
}

fn refuse(name: Option<String>, problem: &str) {
    let name = name.map_or_else(String::new, |name| format!("{name}: "));
    output::note(printable(&format!("{name}{problem}")));
}

/// With an empty line between two.
fn joined(texts: impl Iterator<Item = String>) -> String {
    let ended = texts.map(|text| text.trim_end().to_owned() + "\n");
    ended.collect::<Vec<_>>().join("\n")
}
