//! `lostbits explain` from outside: its report on hand-made analyses, what it refuses, and the subject
//! programs of `tests/explain` with the real plugin and runtime beside the binary (`make build` puts
//! them there).

mod atomics;
mod built;
mod choices;
mod complex;
mod deciding;
mod detection;
mod escalation;
mod extremes;
mod folded;
mod formulas;
mod handmade;
mod influences;
mod interventions;
mod magnitudes;
mod moved;
mod names;
mod outputs;
mod passed;
mod places;
mod precision;
mod printed;
mod recurrences;
mod refusals;
mod reports;
mod signs;
mod subjects;
mod threads;
mod tolerances;
mod tricks;
mod trust;
mod undefined;
mod verdicts;
mod wrapping;
mod zeros;

// Shared with the tests of the other commands, and used only in part here.
#[allow(dead_code)]
#[path = "../cli/samples.rs"]
mod samples;
#[allow(dead_code)]
#[path = "../cli/sandbox.rs"]
mod sandbox;
