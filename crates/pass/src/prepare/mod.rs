//! What is rewritten in a function before it is instrumented. Nothing here changes what is computed.

pub mod complex;
pub mod constants;
mod contraction;
mod delay_loads;
pub mod extraction;
pub mod folded;
pub mod function_pointers;
pub mod large_functions;
pub mod processor;
pub mod rust_library;
mod sign_bits;
mod undefined_values;
pub mod wide_vectors;

pub use self::{
    contraction::{contract, has_fused_multiply_add},
    delay_loads::delay_loads,
    sign_bits::recognise_sign_operations,
    undefined_values::define_values,
};
