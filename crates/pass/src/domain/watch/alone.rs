//! The baseline of the benches: cancellation is reported, and nothing is carried (in the paper's words, detection
//! without propagation). It is mode `watch` with [`ALONE_ENV`] set for the compiler.

use lostbits_abi::{mode::Mode, ops::Op};

use super::sums;
use crate::{
    carry::Weaver,
    domain::{Operation, bare::Onlooker},
    prepare::processor::Use,
};

pub const ALONE_ENV: &str = "LOSTBITS_WATCH_CANCELLATION_ONLY";

pub struct CancellationOnly;

impl Onlooker for CancellationOnly {
    fn mode(&self) -> Mode {
        Mode::Watch
    }

    fn uses_processor(&self) -> Option<Use> {
        Some(Use::Vectors)
    }

    fn look_at(&self, weaver: &mut Weaver, operation: &Operation) {
        if matches!(operation.op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd) {
            sums::cancellation(weaver, operation);
        }
    }
}
