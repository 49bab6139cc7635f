//! Writes findings as text, JSON, FPCore, and, by way of a [`document`], in the [`formats`] of browsers and CI. Nothing here runs
//! a program.
//!
//! Everything that comes from outside (file names, symbols, arguments, program output) goes through
//! [`crate::printable`] before it reaches a terminal.

pub mod document;
pub mod explain;
pub mod formats;
mod json;
pub mod numbers;
pub mod project;
pub mod rules;
pub mod search;
pub mod sites;
mod snippets;
pub mod terminal;
mod underline;
mod untracked;
pub mod watch;
pub mod words;

pub use snippets::{SourceCommand, SourceLine};
