//! The baseline of the benches: cancellation is reported, and nothing is carried (in the paper's words, detection
//! without propagation). It is mode `watch` with [`ALONE_ENV`] set for the compiler.

use lostbits_abi::{mode::Mode, ops::Op};

use super::sums;
use crate::{
    carry::{FunctionInstrumenter, Operation},
    modes::observer::OperationObserver,
    prepare::processor::Features,
};

pub use lostbits_abi::environment::WATCH_CANCELLATION_ONLY as CANCELLATION_ONLY_ENV;

pub struct CancellationOnly;

impl OperationObserver for CancellationOnly {
    fn mode(&self) -> Mode {
        Mode::Watch
    }

    fn processor_features(&self) -> Option<Features> {
        Some(Features::Vectors)
    }

    fn observe(&self, cx: &mut FunctionInstrumenter, operation: &Operation) {
        if matches!(operation.op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd) {
            sums::cancellation(cx, operation);
        }
    }
}
