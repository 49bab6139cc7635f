//! FPCore and infix expressions: reading, evaluating, compiling, sampling, writing.

mod collection;
mod compiled;
mod enclosures;
mod reading;
mod real_values;
mod sampling;
mod writing;
