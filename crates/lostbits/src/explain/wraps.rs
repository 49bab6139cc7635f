//! Functions that `lostbits.toml` wants seen as one operation: were there any such calls?
//!
//! A name that nothing calls is most likely misspelt, and without a word the report would be one on other operations than
//! the user thinks. It is no failure, because one file may serve several programs.

use std::env;

use lostbits_abi::{explain::WRAP_ENV, record::ProcessRecord, site::What};

use crate::{failure::Failure, watch::Annotations};

/// As the pass is told of them: `function=reference`, or the function alone.
fn wanted() -> Vec<String> {
    let told = env::var(WRAP_ENV).ok();
    let text = told.unwrap_or_else(|| Annotations::read().unwrap_or_default().wraps());
    let entries = text.split(',').filter(|entry| !entry.is_empty());
    entries.map(str::to_owned).collect()
}

/// Those that are called nowhere.
pub fn not_called(processes: &[ProcessRecord]) -> Vec<String> {
    let sites = || {
        processes
            .iter()
            .flat_map(|process| &process.modules)
            .flat_map(|module| &module.table.sites)
    };
    let is_called = |name: &str| {
        sites().any(|site| match site.what {
            What::Operation(op) => op.is_call() && site.callee == name,
            _ => false,
        })
    };
    wanted()
        .iter()
        .filter_map(|entry| entry.split('=').next())
        .filter(|name| !is_called(name))
        .map(str::to_owned)
        .collect()
}

/// Where the program could not be linked, the references may be to blame.
pub fn with_references(failure: Failure) -> Failure {
    let references: Vec<String> = wanted()
        .iter()
        .filter_map(|entry| entry.split_once('='))
        .map(|(_, reference)| format!("`{reference}`"))
        .collect();
    match failure {
        Failure::CompilerFailed { compiler } if !references.is_empty() => {
            Failure::CompilerFailedWithReferences {
                compiler,
                references: references.join(", "),
            }
        }
        failure => failure,
    }
}
