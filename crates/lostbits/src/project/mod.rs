//! One analysis over the processes of a whole project: a build, a test suite, any launcher.
//!
//! [`Merged`] is what every format of a report reads: the findings of all processes, joined by site, each with a
//! fingerprint, with the processes that show it, and with what the project says about it ([`State`]: new, in the
//! baseline, worse than there, or ignored with a reason). Pure: records and files in, [`Merged`] out; nothing is run or
//! printed here.

mod baseline;
mod comments;
mod ctest;
mod findings;
mod fingerprint;
mod functions;
mod processes;
mod state;

pub use baseline::{Baseline, BaselineEntry};
pub use ctest::{Known, name_tests};
pub use findings::{Finding, Merged, Ran, Source};
pub use fingerprint::Fingerprint;
pub use functions::{Argument, Arguments, FunctionRow, functions};
pub use processes::Process;
pub use state::{Judgement, State, Suppression, right_digits};
