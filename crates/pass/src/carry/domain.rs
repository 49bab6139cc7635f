//! The interface between this module, which moves shadows through a program, and a shadow domain, which defines
//! what a shadow is, how each operation computes it, and what is reported.
//!
//! The shadow of a leaf is a fixed number of LLVM values, its *components*. In memory and in the slots that cross
//! calls, a leaf has one *cell* in each plane of the domain. A cell is decoded against the value that memory holds
//! now, so a shadow counts only beside the value it was stored with. A cell of zeros must decode to a correct
//! shadow of the value zero, because that is what fresh memory holds.

use lostbits_abi::{functions::RuntimeFunction, mode::Mode, ops::Op, variables::RuntimeVariable};

use super::FunctionInstrumenter;
use crate::{
    builder::Builder,
    ir::{Module, Type, Value},
    prepare::processor::Features,
};

/// The components of one leaf's shadow.
pub type LeafShadow = Vec<Value>;

/// The shadow of a value, leaf by leaf.
pub type Shadow = Vec<LeafShadow>;

/// A cell, decoded against the value beside it.
pub struct Decoded {
    pub shadow: LeafShadow,
    /// Whether the shadow belongs to this value, for each lane (`i1` or a vector of it); `None` where the domain
    /// does not need to know.
    pub valid: Option<Value>,
}

/// An operation of the program.
pub struct Operation {
    pub op: Op,
    pub instruction: Value,
    /// The operands that have shadows: index, value, shadow.
    pub operands: Vec<(u32, Value, LeafShadow)>,
    /// A call of a library function, which must not be repeated.
    pub is_library_call: bool,
    pub site: u32,
    /// The lanes of the result that the program uses, found before shadow code adds uses.
    pub demanded: Vec<bool>,
}

/// A shadow domain: one mode of the pass.
pub trait Domain: ShadowFormat + ShadowRules + Observation + Preparation {
    /// Selects the planes of shadow memory and the names of thread-local slots. Nothing else depends on it.
    fn mode(&self) -> Mode;

    /// Whether values have shadows at all; if not, the domain only observes operations.
    fn has_shadows(&self) -> bool {
        true
    }

    /// The domain's own storage, where a shadow is more than SSA values.
    fn storage(&self) -> Option<&dyn ShadowStorage> {
        None
    }

    /// How shadow code can be skipped while no shadow carries information; see `carry/guard.rs`.
    fn guarding(&self) -> Option<Guarding> {
        None
    }

    /// How shadows follow numbers whose sign or exponent integer operations change; see `carry/scaling.rs`.
    fn scaling(&self) -> Option<&dyn Scaling> {
        None
    }

    /// Whether shadows follow numbers through atomic variables; see `carry/atomics.rs`.
    fn tracks_atomics(&self) -> bool {
        false
    }

    /// Whether shadows follow what functions that are not instrumented move in memory; see `carry/lending.rs`.
    fn follows_lent_memory(&self) -> bool {
        false
    }

    /// Whether shadows follow numbers that functions pass as integers; see `carry/integers.rs`.
    fn tracks_integer_arguments(&self) -> bool {
        false
    }
}

/// What a shadow consists of, in registers and in memory.
pub trait ShadowFormat {
    /// The types of a leaf's components; also for integers that hold floating-point bits.
    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type>;

    /// The shadow of a value that has none: the value counts as exact.
    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow;

    /// The types of a leaf's cells, one for each plane of the mode.
    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type>;

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value>;

    /// As [`Self::encode`], for a variadic argument.
    fn encode_variadic(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        self.encode(builder, value, shadow)
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded;

    /// How many cells of a leaf cross a call, if not one for each plane of the mode.
    fn slot_planes(&self) -> Option<u64> {
        None
    }
}

/// How shadows of results follow from shadows of operands.
pub trait ShadowRules {
    /// The shadow of `value`'s bits reinterpreted as `to`: between floating-point and integer leaves of equal size.
    fn bitcast(&self, builder: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow;

    /// The shadow of `instruction`, an integer operation that only moves bits; `operands` are the shadows of its
    /// operands by index.
    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow;

    /// The shadow of each leaf of an operation's floating-point result. The builder is positioned after the
    /// instruction.
    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow;

    /// Whether the larger or smaller of two numbers is an operation where the program writes a comparison and a select.
    fn knows_extrema(&self) -> bool {
        false
    }

    /// The shadow of `value`, whose cells were decoded after a load or a call.
    fn receive(
        &self,
        _: &mut FunctionInstrumenter,
        _site: u32,
        _value: Value,
        decoded: Decoded,
    ) -> LeafShadow {
        decoded.shadow
    }
}

/// What the domain reports besides operations, and what the site table holds for it.
pub trait Observation {
    /// Whether executions are counted, block by block.
    fn counts_executions(&self) -> bool {
        false
    }

    /// Whether the site of such an operation is marked when its function is entered. That is all some domains can afford:
    /// counters cost as much as a small loop.
    fn marks_entered(&self, _: Op) -> bool {
        false
    }

    /// Whether sites name the operands and the callers of operations.
    fn describes_operations(&self) -> bool {
        false
    }

    /// Whether the site table lists every function that handles numbers, even one that computes nothing.
    fn lists_functions(&self) -> bool {
        false
    }

    /// Sees the instructions of a function in a domain without shadows, before any is observed.
    fn observe_function(&self, _: &mut FunctionInstrumenter, _instructions: &[Value]) {}

    /// Every instruction of the program, before it is instrumented.
    fn observe_instruction(&self, _: &mut FunctionInstrumenter, _instruction: Value) {}

    /// A call of a function. Returns whether the domain computed the result's shadow itself.
    fn replaces_call(&self, _: &mut FunctionInstrumenter, _call: Value, _name: &str) -> bool {
        false
    }

    /// A call of a function that the module only declares: values may leave the program.
    fn observe_external_call(&self, _: &mut FunctionInstrumenter, _call: Value, _name: &str) {}

    /// Whether more than one thread runs instrumented code, as an `i1`; `None` if that is unknown.
    fn has_several_threads(&self, _: &FunctionInstrumenter) -> Option<Value> {
        None
    }

    /// All shadow code of a function exists; blocks are not split yet.
    fn finish_function(&self, _: &mut FunctionInstrumenter) {}
}

/// What the domain needs to be done to a module before it is instrumented.
pub trait Preparation {
    /// Changes a module before the optimiser runs.
    fn prepare(&self, _: Module) {}

    /// Whether undefined lanes need a value, because the domain compares them.
    fn needs_defined_values(&self) -> bool {
        false
    }

    /// Whether shadow code uses the floating-point unit, which raises flags that the program's own operations do not.
    fn uses_floating_point_unit(&self) -> bool {
        false
    }

    /// The processor features that shadow code profits from.
    fn processor_features(&self) -> Option<Features> {
        self.uses_floating_point_unit().then_some(Features::Fused)
    }

    /// Whether shadow code for wide vectors costs less than for more, narrower ones.
    fn prefers_wide_vectors(&self) -> bool {
        false
    }

    /// Whether code inlined from a standard library is attributed to the line that called it.
    fn attributes_library_code_to_callers(&self) -> bool {
        false
    }

    /// Whether error-free extractions are marked; see `prepare/extraction.rs`.
    fn needs_extractions(&self) -> bool {
        false
    }

    /// Whether functions of complex numbers are computed from operations; see `prepare/complex.rs`.
    fn opens_complex_functions(&self) -> bool {
        false
    }
}

/// Storage for shadows that are more than SSA values: components are references to it. Storage belongs to an
/// instruction, which overwrites it when it is executed again; what outlives that is copied.
pub trait ShadowStorage {
    /// Prepares the storage of a function. May move the builder.
    fn enter_function(&self, cx: &mut FunctionInstrumenter);

    /// The number of storage slots that the function uses is known.
    fn leave_function(&self, cx: &mut FunctionInstrumenter);

    /// The shadow of `value`, which was loaded from `address`. The builder is positioned after the load.
    fn load(&self, cx: &mut FunctionInstrumenter, address: Value, value: Value) -> LeafShadow;

    /// `value` is about to be stored at `address`.
    fn store(&self, cx: &mut FunctionInstrumenter, address: Value, value: Value, shadow: &[Value]);

    /// The shadows of a block's phis, copied from the incoming references; all at once, because they may refer to
    /// each other. The builder is positioned after the phis.
    fn copy_phis(&self, cx: &mut FunctionInstrumenter, phis: &[(Value, Shadow)]) -> Vec<Shadow>;

    /// The shadow of `value`, the result of a call.
    fn copy_result(
        &self,
        cx: &mut FunctionInstrumenter,
        value: Value,
        shadow: &[Value],
    ) -> LeafShadow;

    /// What is passed instead of `argument` to a function that may not be instrumented.
    fn steer(&self, cx: &mut FunctionInstrumenter, argument: Value, shadow: &[Value]) -> Value;

    /// Stores the shadows of variadic arguments, which are at `address`; their cells are in `slot`, in rows
    /// `stride` bytes apart.
    fn store_variadic(
        &self,
        cx: &mut FunctionInstrumenter,
        address: Value,
        slot: Value,
        stride: u64,
        bytes: Value,
    );
}

/// How to find out that no shadow carries information.
#[derive(Clone, Copy)]
pub struct Guarding {
    /// The runtime's word that says whether any shadow does.
    pub live_word: RuntimeVariable,
    /// Functions of the runtime that only compute a result.
    pub pure_functions: &'static [RuntimeFunction],
}

/// Follows numbers through integer operations that change their sign or exponent.
pub trait Scaling {
    /// The shadow of the integer `to`, computed from the bits `from` of a number (with their shadow), where the
    /// fraction is unchanged; `otherwise` elsewhere. The builder is positioned after `to`.
    fn rescale(
        &self,
        cx: &mut FunctionInstrumenter,
        from: (Value, &[Value]),
        to: Value,
        otherwise: &[Value],
    ) -> Option<LeafShadow>;
}
