//! What is rewritten in a function before it is instrumented. Nothing here changes what is computed.

mod atomics;
pub mod constants;
mod contraction;
mod definition;
pub mod extraction;
mod loads;
pub mod processor;
mod signs;

pub use self::{
    atomics::expand_atomics,
    contraction::{contract, has_fused_multiply_add},
    definition::define_values,
    loads::delay_loads,
    signs::recognise_sign_operations,
};
