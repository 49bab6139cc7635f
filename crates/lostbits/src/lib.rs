//! The library of the `lostbits` command line: it drives the compilers, runs programs, reads their records and reports
//! what it found.
//!
//! Dependencies point one way: source → [`compile`] → program with site [`tables`] → [`run`] → [`record`] → an analysis
//! ([`summary`], [`watch`], [`explain`], [`search`]) → [`report`]. ARCHITECTURE.md shows the order of all modules, and
//! `tests/module_order.rs` checks it.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod arguments;
pub mod build;
pub mod campaign;
pub mod cancellation;
pub mod cli;
pub mod commands;
pub mod compile;
pub mod compiler_options;
pub mod config;
pub mod date;
pub mod demangle;
pub mod destination;
pub mod doctor;
pub mod explain;
pub mod failure;
pub mod fix;
pub mod fpcore;
pub mod inputs;
pub mod mathematics;
pub mod notation;
pub mod numeric;
pub mod output;
pub mod patch;
pub mod printable;
pub mod project;
#[doc(hidden)]
pub mod readers;
pub mod record;
pub mod report;
pub mod run;
pub mod search;
pub mod sources;
pub mod subject;
pub mod summary;
pub mod tables;
pub mod target;
pub mod toolchain;
pub mod watch;
