//! The settings of symbolic search.

use super::checks::{Sample, Thresholds};

/// Everything but the function and the space of its inputs.
#[derive(Clone, Debug)]
pub struct Settings {
    pub thresholds: Thresholds,
    pub sample: Sample,
    pub sites: Sites,
    /// The inputs that solvers may choose; all where there are none.
    pub symbolic: Vec<usize>,
    /// Operand groups (FPGen's Algorithm 1): the number of each input's group, from 0. Of several groups,
    /// one is symbolic at a time and the others keep the values of the base input.
    pub groups: Vec<usize>,
    pub solver: Solver,
    /// Processor seconds for one question to the solver.
    pub solver_seconds: u32,
    /// Questions in all.
    pub questions: u64,
    pub rungs: Rungs,
    pub seed: u64,
}

/// Which parts of the ladder are used; all but in ablations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rungs {
    /// Inputs seen and their mutations.
    pub mutation: bool,
    pub inversion: bool,
    pub smt: bool,
    /// Goals are outcomes of checks; without, only paths are explored (the baseline of the paper).
    pub checks: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solver {
    /// Debian's, through the program `lostbits-z3`.
    Z3,
    /// A command that reads SMT-LIB 2 and answers on standard output.
    Command(String),
}

/// Which additions are checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sites {
    /// Those that are executed again and again and feed a result; where there are none, all that feed one.
    Auto,
    /// Those at these lines (the file's name may be the end of its path).
    Lines(Vec<(String, u32)>),
}

impl Default for Rungs {
    fn default() -> Rungs {
        Rungs {
            mutation: true,
            inversion: true,
            smt: true,
            checks: true,
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            thresholds: Thresholds::default(),
            sample: Sample::default(),
            sites: Sites::Auto,
            symbolic: Vec::new(),
            groups: Vec::new(),
            solver: Solver::Z3,
            solver_seconds: 5,
            questions: u64::MAX,
            rungs: Rungs::default(),
            seed: 1,
        }
    }
}
