//! Random C programs with floating-point values everywhere.
//!
//! What for: the shadow machinery must not change what a program computes, and at the program's own
//! precision must agree with it everywhere; tests written by hand would not cover all the ways in which C moves a
//! number about. A program prints many values with all their bits and a checksum of the rest.
//!
//! Programs are well defined: indices are masked, conversions to integers range-checked, loops and
//! recursion bounded, memory initialised, and what IEEE 754 leaves open (the sign and payload of a NaN,
//! the sign of fmin(0, -0)) is not checked. So the plain build gives the same output at -O0 and
//! at -O2 with contraction off, and sanitizers are silent.
//!
//! What it can miss: threads, exceptions, longjmp, signals, several translation units, other languages;
//! the corpus of programs written by hand has those.

pub mod feature;
pub mod tree;

mod expressions;
mod functions;
mod loops;
mod memory;
mod rng;
mod statements;
mod types;

use std::collections::BTreeSet;

use feature::Feature;
use rng::Rng;
use tree::Node;
use types::{Function, Scope, StructType};

const PRELUDE: &str = include_str!("prelude.h");

/// A generated program.
pub struct Program {
    pub nodes: Vec<Node>,
    pub features: BTreeSet<Feature>,
}

impl Program {
    pub fn source(&self) -> String {
        source_of(&self.nodes)
    }
}

pub fn source_of(nodes: &[Node]) -> String {
    format!("{PRELUDE}\n{}", tree::render(nodes))
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut generator = Generator {
        rng: Rng::new(seed),
        features: BTreeSet::new(),
        structs: Vec::new(),
        functions: Vec::new(),
        scope: Scope::default(),
        names: 0,
        repeats: 1,
        cost: 0,
        depth: 0,
    };
    let nodes = generator.program();
    Program {
        nodes,
        features: generator.features,
    }
}

struct Generator {
    rng: Rng,
    features: BTreeSet<Feature>,
    structs: Vec<StructType>,
    functions: Vec<Function>,
    scope: Scope,
    names: u32,
    /// How often the statement being written is executed in one call of its function.
    repeats: u64,
    /// Statements executed in one call of the function being written, so far.
    cost: u64,
    /// Blocks around the statement being written.
    depth: usize,
}

impl Generator {
    fn mark(&mut self, feature: Feature) {
        self.features.insert(feature);
    }

    /// A name that no other thing in the program has.
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Writes something in an inner scope, repeated so often; what is declared there is forgotten.
    fn inside<T>(&mut self, repeats: u64, write: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.scope.clone();
        self.repeats *= repeats;
        self.depth += 1;
        let written = write(self);
        self.depth -= 1;
        self.repeats /= repeats;
        self.scope = outer;
        written
    }
}
