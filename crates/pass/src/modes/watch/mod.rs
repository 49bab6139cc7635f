//! Mode `watch`: one-bit inflation tags, after Bao and Zhang (OOPSLA 2013, Figure 6).
//!
//! A sum whose operands cancel more than τc bits is tagged: its relative error is inflated. Tags are
//! united by multiplication and the like; in a sum, an operand that is larger by more than τs bits
//! suppresses the other's tag. A *discrete factor* (a comparison, a conversion to integer, a rounding to
//! integral values) that depends on a tag is reported, with the operands; so is each inflation, and the
//! tag's set says which inflations a factor's tag may come from.
//!
//! Everything is computed from exponents and bits as integers: the program's floating-point environment
//! is left alone. Thresholds are read from the runtime. All of it is kept out of the way (`carry/guard.rs`)
//! until a quick test says that a tag might be set.
//!
//! Deviations. Where both operands are tagged and one suppresses the other, the larger one's origins are
//! kept (the tag itself is as in the paper). A comparison of nearly equal operands cancels bits as their
//! subtraction would; that is seen from their distance in units in the last place. Conversions look
//! at boundaries from both sides. A comparison that only picks one of the compared values (minimum,
//! maximum) is a continuous core: it is counted as suppressed; so are convergence tests that are marked, and
//! comparisons of what is the same computation.
//!
//! Remainders (`fmod`) jump where they reach their divisor, and are discrete factors too.
//!
//! Repeated steps drift without cancellation; [`drift`] counts them and knows where they lead.
//!
//! What it can miss: other errors that grow without cancellation, and the paper's Figure 8, where an error much
//! larger than its value is taken for suppressed. x87 comparisons are judged by tags alone.

mod cancellation_only;
mod discrete_factors;
mod drift;
mod error_paths;
mod harmless_patterns;
mod library;
mod precision_specific;
mod quick_tests;
mod same_computation;
mod signs;
mod sums;
mod values;

use lostbits_abi::{functions, mode::Mode, ops::Op, variables};

use super::tags::{TagRules, union_of_operands};
use crate::carry::{FunctionInstrumenter, Guarding, Operation, Shadow};

pub use cancellation_only::{CANCELLATION_ONLY_ENV, CancellationOnly};
pub use discrete_factors::{PICKS, rounds_to_integers, rounds_to_nearest};
pub use harmless_patterns::picks_compared_value;

pub struct Watch {
    reports_error_paths: bool,
}

impl Watch {
    pub fn new() -> Watch {
        Watch {
            reports_error_paths: std::env::var_os(error_paths::ERROR_PATHS_ENV).is_some(),
        }
    }

    fn shadow(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        use Op::*;
        match operation.op {
            Add | Sub | Fma | MulAdd => sums::sum(cx, operation),
            Compare => discrete_factors::compare(cx, operation),
            op if discrete_factors::rounds_to_integers(op) => {
                discrete_factors::convert(cx, operation)
            }
            op if op.is_remainder() => library::call(cx, operation),
            op if operation.is_library_call || library::inflates(op) => {
                library::call(cx, operation)
            }
            _ => union_of_operands(cx, operation),
        }
    }
}

impl TagRules for Watch {
    const MODE: Mode = Mode::Watch;
    const GUARDING: Option<Guarding> = Some(Guarding {
        live_word: variables::WATCH_ALIVE,
        pure_functions: &[functions::WATCH_LIBRARY],
    });
    const OPENS_COMPLEX_FUNCTIONS: bool = true;

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        let shadow = self.shadow(cx, operation);
        if self.reports_error_paths {
            error_paths::report(cx, operation, &shadow);
        }
        shadow
    }
}
