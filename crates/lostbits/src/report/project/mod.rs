//! The report on a project: the findings of all processes that count, where each was seen and how to repeat it, the table
//! by function, and what the project says about the rest.

mod json;
mod terminal;

pub use json::json;
pub use terminal::terminal;
