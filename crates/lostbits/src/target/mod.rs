//! Functions of instrumented code, called one input after another in a guarded process.
//!
//! ```text
//! call text ── call ── signature (debug information) ── stub (C, compiled) ── worker process
//! ```
//!
//! A [`Target`] is all that a search sees: inputs in, [`Outcome`]s out. What a call does to its process
//! (crash, abort, exit, endless loop) costs that one input; see [`guard`] and [`worker`].

mod build;
pub mod close_names;
mod conditions;
mod guard;
mod hidden;
mod method;
mod observe;
mod propagate;
mod recorded;
mod rust_crate;
mod shared;
pub mod signature;
mod stub;
pub mod test_call;
pub mod worker;

use lostbits_abi::{kind::FpKind, ops::Op, site::Site};

use crate::numeric::Relative;

pub use build::{Library, MODE_MARK, Source, library, library_for, rust_archive};
pub use guard::{CompiledCalls, Guarded, clock};
pub use method::Constructor;
pub use propagate::LatestZero;
pub use recorded::{Recorded, RecordedNode};
pub use shared::{Observation, Verdict};
pub use signature::Signature;
pub use stub::{CALLBACKS, RAISE_NAME, Raised, ResolvedCall};
pub use test_call::TestCall;

/// Something that can be called with floating-point inputs.
pub trait Target {
    /// The parameters that vary, in the order of the inputs.
    fn parameters(&self) -> &[Parameter];

    /// The operations that observations refer to.
    fn sites(&self) -> &[Site];

    /// Calls once for each input (all of them one after another in `inputs`).
    fn run(&mut self, inputs: &[f64]) -> Result<Batch, crate::failure::Failure>;

    /// Calls once and gives the whole trace.
    fn trace(&mut self, input: &[f64]) -> Result<(Outcome, Vec<Step>), crate::failure::Failure>;
}

/// A parameter that varies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    pub name: String,
    pub kind: FpKind,
}

/// The outcomes of several calls.
#[derive(Default)]
pub struct Batch {
    pub outcomes: Vec<Outcome>,
    pub observations: Vec<Observation>,
}

impl Batch {
    /// Appends the outcomes of further calls.
    pub fn append(&mut self, next: Batch) {
        if self.outcomes.is_empty() {
            *self = next;
            return;
        }
        let first = self.observations.len();
        self.observations.extend(next.observations);
        self.outcomes
            .extend(next.outcomes.into_iter().map(|outcome| Outcome {
                observations: outcome.observations.start + first..outcome.observations.end + first,
                ..outcome
            }));
    }

    pub fn observations(&self, outcome: &Outcome) -> &[Observation] {
        &self.observations[outcome.observations.clone()]
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub ending: Ending,
    pub outputs: Vec<f64>,
    /// The relative error of the worst output, estimated from the trace to first order: see [`propagate`].
    pub estimate: Relative,
    /// Operations that were executed.
    pub steps: u64,
    /// The call executed code whose meaning depends on the format of numbers: see [`lostbits_abi::trace`].
    pub depends_on_format: bool,
    /// Which of the batch's observations are this call's.
    pub observations: std::ops::Range<usize>,
}

impl Outcome {
    /// Whether the function returned finite numbers.
    pub fn is_inside(&self) -> bool {
        self.ending == Ending::Returned && self.outputs.iter().all(|value| value.is_finite())
    }
}

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Ending {
    Returned,
    /// A signal killed the process.
    Crashed(i32),
    /// It ended the process.
    Exited(i32),
    /// It used more processor time, or more time, than a call may.
    NeverReturned,
}

/// An operation of a trace.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    pub site: u32,
    pub op: Op,
    pub kind: FpKind,
    pub x: f64,
    pub y: f64,
    pub result: f64,
    pub x_is_constant: bool,
    pub y_is_constant: bool,
}
