//! `lostbits watch` from outside: its report on hand-made records, what it refuses, and the subject
//! programs of `tests/watch` with the real plugin and runtime beside the binary (`make build` puts them
//! there).

mod annotations;
mod baselines;
mod drift;
mod refusals;
mod reports;
mod rerun;
mod subjects;
mod thresholds;
mod verdicts;

// Shared with the tests of the other commands, and used only in part here.
#[allow(dead_code)]
#[path = "../cli/samples.rs"]
mod samples;
#[allow(dead_code)]
#[path = "../cli/sandbox.rs"]
mod sandbox;
