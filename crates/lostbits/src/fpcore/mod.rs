//! FPCore 2.0 and infix expressions: read, evaluated, turned into C, written.
//!
//! Both notations become one syntax tree ([`ast`]). Everything else works on that tree: [`evaluate`]
//! computes it in exact arithmetic (enclosures of rising precision, an oracle that shares nothing with the
//! instrumentation) or as a compiled program would; [`c`] writes the program; [`write`] gives FPCore back.
//!
//! The language is that of FPBench (fpbench.org/spec/fpcore-2.0). Not supported: calls of one core by
//! another, rounding directions other than to nearest, and formats that C on x86-64 does not have.

pub mod ast;
pub mod c;
pub mod evaluate;
pub mod infix;
pub mod number;
pub mod problem;
pub mod read;
pub mod sexp;
pub mod write;

pub use ast::Core;
pub use problem::{Position, Problem, SyntaxError};
pub use read::read_cores;
