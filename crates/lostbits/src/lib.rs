//! The library behind the `lostbits` command line: drive the compilers, run programs, read what they
//! left, and say it in plain words.
//!
//! Dependencies point one way: source → [`compile`] → program with site [`tables`] → [`run`] →
//! [`record`] → [`summary`] → [`report`]. [`watch`] and [`explain`] go this way as a whole.

pub mod cli;
pub mod compile;
pub mod doctor;
pub mod explain;
pub mod failure;
pub mod fpcore;
pub mod reals;
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
