//! Functions that `lostbits.toml` wraps as one operation: does the program call them?
//!
//! A name that nothing calls is most likely misspelt, and then the report is on other operations than the user expects, so
//! it says so. It is no failure, because one file may serve several programs.

use lostbits_abi::{record::ProcessRecord, site::What};

use crate::{config, failure::Failure};

/// Wrapped functions that are called nowhere.
pub fn not_called(processes: &[ProcessRecord]) -> Result<Vec<String>, Failure> {
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
    let wraps = config::wraps()?;
    let functions = wraps.into_iter().map(|wrap| wrap.function);
    Ok(functions.filter(|name| !is_called(name)).collect())
}

/// Names the references of wrapped functions if the program could not be linked: they may be the reason.
pub fn with_references(failure: Failure) -> Failure {
    // The file was readable when the program was compiled.
    let wraps = config::wraps().unwrap_or_default();
    let references = wraps.iter().filter_map(|wrap| wrap.reference.as_ref());
    let references: Vec<String> = references.map(|name| format!("`{name}`")).collect();
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
