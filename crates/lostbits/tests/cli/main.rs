//! The command line from outside: what is printed, what is refused, what is left untouched.
//!
//! The tests of `compiling` and `running` use the real plugin and runtime beside the binary: `make
//! build` puts them there.

mod address_space;
mod compiling;
mod escapes;
mod refusals;
mod reports;
mod running;
mod samples;
mod sandbox;
mod surroundings;
mod words;
