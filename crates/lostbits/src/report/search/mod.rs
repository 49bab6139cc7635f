//! Reports of `lostbits search`.

mod json;
mod tsv;

pub use json::json;
pub use tsv::tsv;
