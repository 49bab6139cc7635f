//! Writes findings as text, JSON and FPCore. Nothing here runs a program.
//!
//! Everything that comes from outside (file names, symbols, arguments, program output) goes through
//! [`crate::printable`] before it reaches a terminal.

pub mod explain;
mod json;
pub mod numbers;
pub mod project;
pub mod search;
pub mod sites;
mod snippets;
pub mod terminal;
mod underline;
mod untracked;
pub mod watch;
pub mod words;

pub use snippets::SourceLine;
