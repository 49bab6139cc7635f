//! Handles of LLVM's objects. A handle of one kind cannot be passed for another.

use std::{ffi::c_void, ptr::NonNull};

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
            #[repr(transparent)]
            pub struct $name(NonNull<c_void>);
        )*
    };
}

handles! {
    /// A constant, argument, instruction, variable or function.
    Value
    Function
    Type
    Block
    Module
    Context
    Metadata
    Attribute
    Use
    Comdat
    TargetData
    RawBuilder
}

impl Module {
    /// Identifies it while it exists.
    pub fn address(self) -> usize {
        self.0.as_ptr() as usize
    }
}

impl From<Function> for Value {
    fn from(function: Function) -> Value {
        Value(function.0)
    }
}
