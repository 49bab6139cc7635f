//! `lostbits fix`: its rules, its parts against each other, and the command from outside.

mod command;
mod floats;
mod idioms;
mod mutants;
mod parts;
mod programs;
mod projects;
mod refusals;
mod rules;
mod sources;

#[allow(dead_code)]
#[path = "../common/mod.rs"]
mod common;
