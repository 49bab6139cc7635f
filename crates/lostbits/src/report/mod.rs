//! Turns what was found into text. Nothing here runs a program.

mod destination;
mod drawing;
pub mod explain;
mod marks;
pub mod numbers;
pub mod search;
pub mod sites;
pub mod terminal;
mod unseen;
pub mod watch;
pub mod words;

pub use destination::{Destination, check_writable};
pub use drawing::SourceLine;
