//! Lets the vectoriser of the optimiser use this machine's wider vectors: shadow code costs the same for four lanes as for two.
//!
//! The program must not notice. Each lane computes what the scalar code computes, so the width of vectors changes nothing, unless
//! the program allows other orders of summation: modules with fast-math flags, with loops that are to be vectorised whatever
//! that means for sums, or with wide vectors of their own stay as they are. Fused multiply-add stays off until the optimiser is done
//! ([`super::processor`]).

use super::processor::machine_supports_features;
use crate::ir::{self, Function, Module};

/// Marks functions that need a processor like this machine's.
const MARK: &str = "lostbits-wide-vectors";

/// Raises all functions of a module before the optimiser runs, or none: code is inlined only into functions with its features.
pub fn allow(module: Module) {
    let functions: Vec<Function> = ir::functions(module)
        .into_iter()
        .filter(|function| !ir::is_declaration(*function))
        .collect();
    if !machine_supports_features()
        || functions.iter().any(|function| is_fixed(*function))
        || ir::depends_on_vectors(module)
    {
        return;
    }
    for function in functions {
        let features = features(function);
        if has(&features, "+avx2") {
            continue;
        }
        let raised = match features.is_empty() {
            true => "+avx,+avx2".to_owned(),
            false => format!("{features},+avx,+avx2"),
        };
        ir::set_string_attribute(function, "target-features", &raised);
        ir::set_string_attribute(function, MARK, "");
    }
}

/// Whether the function was raised.
pub fn is_allowed(function: Function) -> bool {
    ir::string_attribute(function, MARK).is_some()
}

/// Whether the program chose the vectors of a function.
fn is_fixed(function: Function) -> bool {
    let features = features(function);
    let forbidden = ["-avx", "-avx2", "-sse4.2", "+soft-float"];
    forbidden.iter().any(|name| has(&features, name))
}

fn features(function: Function) -> String {
    ir::string_attribute(function, "target-features").unwrap_or_default()
}

fn has(features: &str, name: &str) -> bool {
    features.split(',').any(|feature| feature == name)
}
