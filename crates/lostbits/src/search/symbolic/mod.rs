//! `lostbits search --strategy symbolic`: symbolic execution for outcomes of inaccuracy checks, after FPGen
//! (ICSE 2020).
//!
//! ```text
//! base input ── run, recorded (mode `symbolic`) ── graph ── goals ── ladder of solvers ── run again ── covered
//! ```
//!
//! The program runs at its own speed and writes down the graph of what it did to its inputs. Every checked
//! addition gives goals (it could lose bits, cancel, or be accurate), every decision gives one (it could be
//! reversed), and so does every prefix of outcomes. A goal is tried by a ladder: mutations of the
//! input, [`invert`] (algebra along the graph), then [`smt`] (a solver for floating point). Only what a real run
//! does counts. [`coverage`] lists what was reached, what is proved impossible, and what was given up.
//!
//! The search for the largest error owns the loop: [`Explorer::advance`] starts from a given
//! input and returns inputs that did something new.
//!
//! Where it departs from the paper: runs are concrete and forks are goals; concretisation (Algorithm 1) is
//! done for each question; checks need no code in the program.
//!
//! What it can miss: see `pass/src/domain/symbolic.rs` for what is recorded. A proof that a goal is
//! impossible is claimed only where no decision of the program came before it.

mod arguments;
mod checks;
mod coverage;
mod explorer;
mod goals;
mod graph;
mod interleave;
mod invert;
mod ladder;
mod machine;
mod mutate;
mod settings;
mod smt;
mod solver;

pub use arguments::{Part, SymbolicArguments};
pub use checks::{Sample, Thresholds, Verdict};
pub use coverage::{Counts, Coverage, Diagnosis, Patterns, SiteCoverage};
pub use explorer::{Candidate, Explorer, Rung};
pub use interleave::{SymbolicReport, search};
pub use settings::{Rungs, Settings, Sites, Solver};
