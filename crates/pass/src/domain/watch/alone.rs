//! The baseline of the benches: cancellation is reported, and nothing is carried (in the paper's words, detection
//! without propagation). It is mode `watch` with [`ALONE_ENV`] set for the compiler.

use lostbits_abi::{mode::Mode, ops::Op};

use super::sums;
use crate::{
    builder::Builder,
    carry::Weaver,
    domain::{Decoded, Domain, LeafShadow, Operation, Shadow},
    ir::{Type, Value},
    prepare::processor::Use,
};

pub const ALONE_ENV: &str = "LOSTBITS_WATCH_CANCELLATION_ONLY";

pub struct CancellationOnly;

impl Domain for CancellationOnly {
    fn mode(&self) -> Mode {
        Mode::Watch
    }

    fn carries(&self) -> bool {
        false
    }

    fn counts(&self) -> bool {
        false
    }

    fn needs_defined_values(&self) -> bool {
        false
    }

    fn uses_processor(&self) -> Option<Use> {
        Some(Use::Vectors)
    }

    fn components(&self, _: &Builder, _: Type) -> Vec<Type> {
        Vec::new()
    }

    fn fresh(&self, _: &Builder, _: Value) -> LeafShadow {
        Vec::new()
    }

    fn cells(&self, _: &Builder, _: Type) -> Vec<Type> {
        Vec::new()
    }

    fn encode(&self, _: &Builder, _: Value, _: &[Value]) -> Vec<Value> {
        Vec::new()
    }

    fn decode(&self, _: &Builder, _: Value, _: &[Value]) -> Decoded {
        Decoded {
            shadow: Vec::new(),
            valid: None,
        }
    }

    fn bitcast(&self, _: &Builder, _: Value, _: &[Value], _: Type) -> LeafShadow {
        Vec::new()
    }

    fn move_bits(&self, _: &Builder, _: Value, _: &[(u32, LeafShadow)]) -> LeafShadow {
        Vec::new()
    }

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        if matches!(operation.op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd) {
            sums::cancellation(weaver, operation);
        }
        Vec::new()
    }

    fn arrived(&self, _: &mut Weaver, _: u32, _: Value, decoded: Decoded) -> LeafShadow {
        decoded.shadow
    }
}
