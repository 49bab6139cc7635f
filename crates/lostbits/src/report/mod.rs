//! Turns what was found into text. Nothing here runs a program or reads a file.

pub mod sites;
pub mod terminal;
mod words;
