//! What the measuring programs share: finding the command under test, running commands with their
//! CPU time, reading run records, and tables.
//!
//! `overhead` measures the price of instrumentation on kernels of our own, `subjects` builds real
//! libraries and runs their own tests. Neither asserts anything about time. `watch` measures how well instability is
//! predicted.

pub mod atomu;
pub mod blame;
pub mod command;
pub mod compiling;
pub mod fix;
pub mod fpbench;
pub mod fpgen;
pub mod records;
pub mod searched;
pub mod subject;
pub mod table;
pub mod tools;
pub mod watch;

mod gsl;
mod lapack;
mod meschach;

/// The libraries `subjects` knows, in the order of their size.
pub fn subjects() -> Vec<subject::Subject> {
    vec![meschach::subject(), gsl::subject(), lapack::subject()]
}

/// The geometric mean of ratios; none for no ratios.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}
