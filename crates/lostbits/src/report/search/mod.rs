//! Reports of `lostbits search`.

mod html;
mod json;
mod map;
mod symbolic;
mod table;
mod terminal;
mod tests;
mod tsv;

pub use html::html;
pub use json::json;
pub use map::csv;
pub use table::table;
pub use terminal::terminal;
pub use tests::{c, cpp, fortran, pytest, rust};
pub use tsv::tsv;
