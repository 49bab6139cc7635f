//! Turns what was found into text. Nothing here runs a program or reads a file.

pub mod numbers;
pub mod search;
pub mod sites;
pub mod terminal;
pub mod watch;
pub mod words;
