//! `lostbits fix`: arguments → options → [`crate::fix`] → report.

use std::process::ExitCode;

use super::exit::FINDINGS;
use crate::{
    failure::{EXIT_CODE, Failure},
    fix::{self, FixArguments, FixFormat, Options, repair::Repair, report},
    output,
    printable::printable,
};

/// What can be repaired is repaired, whatever becomes of the other expressions of a file.
pub fn fix(arguments: FixArguments) -> Result<ExitCode, Failure> {
    let options = Options::new(arguments)?;
    options.report_to.check()?;
    let mut repairs = Vec::new();
    for core in &options.formula.cores {
        match fix::fix(core, &options) {
            Ok(repair) => repairs.push(repair),
            Err(problem) => refuse(core.name(), &problem.to_string()),
        }
    }
    let mut is_complete = repairs.len() == options.formula.cores.len();
    let text = match options.format {
        FixFormat::Terminal => joined(repairs.iter().map(report::terminal)),
        FixFormat::Fpcore => joined(repairs.iter().map(report::fpcore)),
        FixFormat::Json => report::json(&repairs),
        FixFormat::C => {
            let functions = c_functions(&repairs);
            is_complete &= functions.len() == repairs.len();
            format!("#include <math.h>\n\n{}", joined(functions.into_iter()))
        }
    };
    options.report_to.write(&text)?;
    Ok(ExitCode::from(if !is_complete {
        EXIT_CODE
    } else if repairs.iter().all(Repair::is_good) {
        0
    } else {
        FINDINGS
    }))
}

fn c_functions(repairs: &[Repair]) -> Vec<String> {
    let function = |repair: &Repair| match report::c_function(repair) {
        Ok(function) => Some(function),
        Err(problem) => {
            refuse(repair.subject.core.name(), &problem.to_string());
            None
        }
    };
    repairs.iter().filter_map(function).collect()
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
