//! What is rewritten in a function before it is instrumented. Nothing here changes what is computed.

mod contraction;
mod definition;
pub mod processor;
mod signs;

pub use self::{
    contraction::{contract, has_fused_multiply_add},
    definition::define_values,
    signs::recognise_sign_operations,
};
