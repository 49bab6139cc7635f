//! Domains without shadows: operations are looked at, nothing is carried.

use lostbits_abi::mode::Mode;

use super::{Decoded, Domain, LeafShadow, Operation, Shadow};
use crate::{
    builder::Builder,
    carry::Weaver,
    ir::{Type, Value},
    prepare::processor::Use,
};

/// Looks at operations.
pub trait Onlooker {
    fn mode(&self) -> Mode;

    /// See [`Domain::uses_processor`].
    fn uses_processor(&self) -> Option<Use> {
        None
    }

    /// The builder stands behind the instruction.
    fn look_at(&self, weaver: &mut Weaver, operation: &Operation);
}

/// The domain of somebody who only looks.
pub struct Bare<T>(pub T);

impl<T: Onlooker> Domain for Bare<T> {
    fn mode(&self) -> Mode {
        self.0.mode()
    }

    fn uses_processor(&self) -> Option<Use> {
        self.0.uses_processor()
    }

    fn carries(&self) -> bool {
        false
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
        self.0.look_at(weaver, operation);
        Vec::new()
    }

    fn arrived(&self, _: &mut Weaver, _: u32, _: Value, decoded: Decoded) -> LeafShadow {
        decoded.shadow
    }
}
