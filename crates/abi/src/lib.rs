//! The contract between the LLVM pass, the runtime and the tool.
//!
//! Everything that two of the three must agree on stands here once: what an operation is
//! ([`ops`]), what a site is and how a module describes its sites ([`site`]), how a process leaves
//! its run record ([`record`]), where shadows lie ([`shadow`]), what a
//! tag is ([`tag`]), what `explain` traces and leaves behind ([`explain`]), what a trace of `search` is
//! ([`trace`]), and the names of the symbols that
//! tie instrumented code to the runtime ([`symbols`]).
//!
//! The crate is plain data without dependencies, because it is linked into a compiler, into
//! analysed programs and into the tool.

pub mod explain;
pub mod kind;
pub mod mode;
pub mod numbers;
pub mod ops;
pub mod record;
pub mod shadow;
pub mod site;
pub mod symbolic;
pub mod symbols;
pub mod tag;
pub mod trace;

/// Changes whenever instrumented code and the runtime, or a record and the tool, would
/// misunderstand each other. Objects and records of another number are refused with a sentence.
pub const ABI_VERSION: u32 = 5;

/// The version users see: `lostbits --version`, site tables and records carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
