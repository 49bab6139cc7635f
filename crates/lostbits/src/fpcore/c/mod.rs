//! C from cores: a function that computes the core, and a program around it.
//!
//! The function has one operation of the core on each line, so that a report's line and column mean one
//! operation. Formats are C's: binary32 is `float`, binary64 `double`, binary80 `long double`, integer
//! `long long`; an operation is done in the widest of its context and its operands, as C does it, and then
//! rounded to its context. Tensors are arrays, row by row.

mod formats;
mod function;
mod literal;
mod names;
mod program;
mod statements;
mod tensors;
mod tests;

use thiserror::Error;

use super::{Position, ast::Format};

pub use names::sanitized;
pub use program::{driver, input_line, program};

/// A C function made from a core.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in C.
    pub name: String,
    /// From its signature to its last brace.
    pub text: String,
    pub parameters: Vec<Argument>,
    pub result: Outcome,
}

/// How a parameter of the core is passed.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    pub name: String,
    pub format: Format,
    /// Of an array, in C; empty for a number.
    pub shape: Vec<String>,
    /// A size that precedes the array it belongs to.
    pub is_size: bool,
}

/// What the function gives.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    Number(Format),
    /// Into the array that is its last parameter.
    Array(Format, Vec<String>),
}

/// Why there is no C for a core.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Untranslatable {
    #[error("C has no format `{0}`: annotate it with binary32, binary64 or binary80")]
    NoFormat(&'static str),
    #[error("C's library has no function for `{0}`")]
    NoFunction(String),
    #[error("a tensor is used where a number is needed, or a number where a tensor is")]
    Shape,
    #[error(
        "the size of the result is only known during the run: make it a dimension of an argument"
    )]
    SizeUnknown,
    #[error("`size` needs a plain number for its dimension")]
    DimensionUnknown,
}

/// What every translation unit with these functions begins with.
pub const HEADER: &str = "\
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
";

/// A comment after an operation with its location in the source.
fn mark(at: Position) -> String {
    format!(" /* {}:{} */", at.line, at.column)
}

/// Where the operation on a line of C comes from.
pub fn marked(line: &str) -> Option<Position> {
    let (_, mark) = line.rsplit_once("/* ")?;
    let (line, column) = mark.split_once(" */")?.0.split_once(':')?;
    Some(Position {
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

/// The function for a core, under the given C name, or one derived from the core's.
pub fn function(core: &super::Core, name: Option<&str>) -> Result<Function, Untranslatable> {
    function::function(core, name)
}

/// The type for a format.
pub fn type_name(format: Format) -> Result<&'static str, Untranslatable> {
    Ok(match format {
        Format::Integer => "long long",
        Format::Binary32 => "float",
        Format::Binary64 => "double",
        Format::Binary80 => "long double",
        Format::Real => return Err(Untranslatable::NoFormat("real")),
    })
}
