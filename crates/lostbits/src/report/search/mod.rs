//! Reports of `lostbits search`.

mod c;
mod json;
mod symbolic;
mod terminal;
mod tsv;

pub use c::c;
pub use json::json;
pub use terminal::terminal;
pub use tsv::tsv;
