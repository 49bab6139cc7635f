//! Small functions of Rust's standard library that a crate has copies of, such as `f64::ln`: without optimisation they are functions of
//! their own, and an error in one would be blamed on a line of the library. They are inlined, as with optimisation, so that
//! their operations have the line that called them.

use crate::{
    ir::{self, Function, Module},
    shape,
};

/// Larger functions are left alone.
const MOST_INSTRUCTIONS: usize = 60;

/// Before the optimiser runs; it inlines such functions at every level.
pub fn inline(module: Module) {
    for function in ir::functions(module) {
        if !ir::is_declaration(function) && is_wanted(function) {
            ir::set_attribute(function, "alwaysinline");
        }
    }
}

fn is_wanted(function: Function) -> bool {
    let returns = ir::return_type(ir::function_type(function));
    shape::fp_kind(returns).is_some()
        && ["noinline", "optnone"]
            .iter()
            .all(|promise| !ir::has_attribute(function, promise))
        && is_of_library(function)
        && ir::all_instructions(function).len() <= MOST_INSTRUCTIONS
}

fn is_of_library(function: Function) -> bool {
    ir::function_location(function).is_some_and(|place| {
        let path = format!("{}/{}", place.directory, place.file);
        path.contains("/rustc/") && path.contains("/library/")
    })
}
