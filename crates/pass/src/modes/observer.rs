//! Domains without shadows: they observe operations, nothing is carried.

use lostbits_abi::{mode::Mode, ops::Op};

use crate::{
    builder::Builder,
    carry::{
        Decoded, Domain, FunctionInstrumenter, LeafShadow, Observation, Operation, Preparation,
        Shadow, ShadowFormat, ShadowRules,
    },
    ir::{Type, Value},
    prepare::processor::Features,
};

/// Observes operations.
pub trait OperationObserver {
    fn mode(&self) -> Mode;

    /// See [`Domain::processor_features`].
    fn processor_features(&self) -> Option<Features> {
        None
    }

    /// The builder is after the instruction.
    fn observe(&self, cx: &mut FunctionInstrumenter, operation: &Operation);

    /// Sees all instructions of a function before they are observed.
    fn enter_function(&self, _: &mut FunctionInstrumenter, _instructions: &[Value]) {}
}

/// The domain of an observer.
pub struct ObserverDomain<T>(pub T);

impl<T: OperationObserver> Domain for ObserverDomain<T> {
    fn mode(&self) -> Mode {
        self.0.mode()
    }

    fn has_shadows(&self) -> bool {
        false
    }
}

impl<T: OperationObserver> ShadowFormat for ObserverDomain<T> {
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
}

impl<T: OperationObserver> ShadowRules for ObserverDomain<T> {
    fn bitcast(&self, _: &Builder, _: Value, _: &[Value], _: Type) -> LeafShadow {
        Vec::new()
    }

    fn move_bits(&self, _: &Builder, _: Value, _: &[(u32, LeafShadow)]) -> LeafShadow {
        Vec::new()
    }

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        self.0.observe(cx, operation);
        Vec::new()
    }
}

impl<T: OperationObserver> Observation for ObserverDomain<T> {
    fn marks_entered(&self, op: Op) -> bool {
        self.0.mode() == Mode::Watch && op.is_discrete()
    }

    fn observe_function(&self, cx: &mut FunctionInstrumenter, instructions: &[Value]) {
        self.0.enter_function(cx, instructions);
    }
}

impl<T: OperationObserver> Preparation for ObserverDomain<T> {
    fn processor_features(&self) -> Option<Features> {
        self.0.processor_features()
    }
}
