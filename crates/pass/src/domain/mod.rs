//! A shadow domain says what a shadow is, what each operation does to it, and what happens where it is
//! looked at. The machinery that carries shadows about (`crate::carry`) is the same for all.
//!
//! The shadow of a leaf is a fixed number of LLVM values, its *components*. In memory and in the slots
//! that cross calls, a leaf is kept as one *cell* in each of the domain's planes. Cells are decoded
//! against the value that is there now, so that a shadow is trusted only beside the value it was
//! stored with. A cell of zeros must decode to a right shadow for the value zero: that is what fresh
//! memory holds.

mod approximate;
mod bare;
mod explain;
mod explain_reals;
mod reals;
mod same;
mod search;
mod symbolic;
mod tags;
mod watch;

use lostbits_abi::{mode::Mode, ops::Op};

use self::{
    approximate::{APPROXIMATE_ENV, Approximate},
    bare::Bare,
    explain::Explain,
    explain_reals::ExplainReals,
    reals::Reals,
    same::Same,
    search::Search,
    symbolic::Symbolic,
    tags::{Carry, Tags},
    watch::{ALONE_ENV, CancellationOnly, Watch},
};
use crate::{
    builder::Builder,
    carry::Weaver,
    ir::{Module, Type, Value},
    prepare::processor::Use,
};

/// The components of one leaf's shadow.
pub type LeafShadow = Vec<Value>;

/// The shadow of a value, leaf by leaf.
pub type Shadow = Vec<LeafShadow>;

/// What a cell says of the value it was found beside.
pub struct Decoded {
    pub shadow: LeafShadow,
    /// Whether the shadow belongs to this value, in each lane (`i1` or a vector of it); where the
    /// domain wants to know.
    pub valid: Option<Value>,
}

/// An operation as the program has it.
pub struct Operation {
    pub op: Op,
    pub instruction: Value,
    /// The operands that have shadows: index, value, shadow.
    pub operands: Vec<(u32, Value, LeafShadow)>,
    /// A call of a library function, which cannot simply be made again.
    pub is_library_call: bool,
    pub site: u32,
    /// The lanes of the result that the program uses: told before shadows use it, too.
    pub demanded: Vec<bool>,
}

pub trait Domain {
    fn mode(&self) -> Mode;

    /// Whether there are shadows to carry at all; else only operations are looked at.
    fn carries(&self) -> bool {
        true
    }

    /// Whether executions are to be counted, block by block.
    fn counts(&self) -> bool {
        false
    }

    /// Whether undefined lanes must be given a value, because they are compared.
    fn needs_defined_values(&self) -> bool {
        false
    }

    /// Whether shadows are computed with the processor's floating-point unit, which leaves flags behind
    /// that the program's own operations would not.
    fn computes(&self) -> bool {
        false
    }

    /// What functions may be raised to for the sake of shadow code.
    fn uses_processor(&self) -> Option<Use> {
        self.computes().then_some(Use::Fused)
    }

    /// The types of a leaf's components; for integers that hold bits, too.
    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type>;

    /// The shadow of a value that has none: the value is taken for exact.
    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow;

    /// The types of a leaf's cells, one for each plane of the mode.
    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type>;

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value>;

    /// The same for an argument that is passed behind `…`.
    fn encode_variadic(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        self.encode(builder, value, shadow)
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded;

    /// The shadow of `value`'s bits seen as `to`: between floating-point and integer leaves of equal
    /// size.
    fn bitcast(&self, builder: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow;

    /// The shadow of an integer operation that only moves bits, `instruction` with `operands`'
    /// shadows put in the place of the operands named by index.
    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow;

    /// Whether numbers are followed whose sign or exponent integer operations change.
    fn rescales(&self) -> bool {
        false
    }

    /// The shadow of the integer `to`, which is made of the bits `from` of a number (with their shadow), where it has
    /// the same fraction; elsewhere `otherwise`. The builder stands behind `to`.
    fn rescale(
        &self,
        _: &mut Weaver,
        _from: (Value, &[Value]),
        _to: Value,
        _otherwise: &[Value],
    ) -> Option<LeafShadow> {
        None
    }

    /// The shadow of an operation's floating-point result, for each leaf of it. The builder stands
    /// behind the instruction.
    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow;

    /// A shadow came out of memory or across a call; gives what is to be made of it.
    fn arrived(&self, weaver: &mut Weaver, site: u32, value: Value, decoded: Decoded)
    -> LeafShadow;

    /// Every instruction of the program, before anything else is done with it.
    fn look_at(&self, _: &mut Weaver, _instruction: Value) {}

    /// A module, before it is optimised.
    fn prepare(&self, _: Module) {}

    /// A function is called; gives whether the domain has made the result's shadow itself.
    fn calls(&self, _: &mut Weaver, _call: Value, _name: &str) -> bool {
        false
    }

    /// A function that the module only declares is called: values may leave the program.
    fn leaves_program(&self, _: &mut Weaver, _call: Value, _name: &str) {}

    /// The runtime's word that says whether any shadow carries something, if shadow code is to be kept out
    /// of the way while none does; see `carry/guard.rs`.
    fn alive(&self) -> Option<&'static str> {
        None
    }

    /// Whether a function of the runtime's only computes something.
    fn is_pure(&self, _function: &str) -> bool {
        false
    }

    /// Where shadows are more than values: who keeps them.
    fn keeper(&self) -> Option<&dyn Keeper> {
        None
    }

    /// How many cells of a leaf cross a call, one behind the other.
    fn slot_planes(&self) -> u64 {
        lostbits_abi::shadow::planes(self.mode()).len() as u64
    }
}

/// Keeps shadows that live in storage of their own, to which the components are references. Storage belongs
/// to an instruction and is overwritten when that is executed again; so what outlives it is copied.
pub trait Keeper {
    /// The shadow of `value`, which was loaded from `address`. The builder stands behind the load.
    fn load(&self, weaver: &mut Weaver, address: Value, value: Value) -> LeafShadow;

    /// `value` is about to be stored at `address`.
    fn store(&self, weaver: &mut Weaver, address: Value, value: Value, shadow: &[Value]);

    /// The shadows of a block's phis, made from the references that arrived; all at once, because they may
    /// refer to each other. The builder stands behind the phis.
    fn settle(&self, weaver: &mut Weaver, phis: &[(Value, Shadow)]) -> Vec<Shadow>;

    /// The shadow of `value`, which a call gave back.
    fn keep_result(&self, weaver: &mut Weaver, value: Value, shadow: &[Value]) -> LeafShadow;

    /// What is passed in the place of an argument to a function that may not be instrumented.
    fn steer(&self, weaver: &mut Weaver, argument: Value, shadow: &[Value]) -> Value;

    /// Variadic arguments lie at `address`; their cells are in `slot`, in rows `stride` apart.
    fn spread(&self, weaver: &mut Weaver, address: Value, slot: Value, stride: u64, bytes: Value);
}

/// The domain of a mode that instruments.
pub fn of(mode: Mode) -> Option<Box<dyn Domain>> {
    match mode {
        Mode::Same => Some(Box::new(Same)),
        Mode::Carry => Some(Box::new(Tags(Carry))),
        Mode::Watch if std::env::var_os(ALONE_ENV).is_some() => {
            Some(Box::new(Bare(CancellationOnly)))
        }
        Mode::Watch if std::env::var_os(APPROXIMATE_ENV).is_some() => Some(Box::new(Approximate)),
        Mode::Watch => Some(Box::new(Tags(Watch::new()))),
        Mode::Explain => Some(Box::new(Explain)),
        Mode::Reals => Some(Box::new(Reals)),
        Mode::ExplainReals => Some(Box::new(ExplainReals)),
        Mode::Search => Some(Box::new(Bare(Search))),
        Mode::Symbolic => Some(Box::new(Symbolic::default())),
        Mode::Off => None,
    }
}
