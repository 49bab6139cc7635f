//! The baseline that Bao and Zhang call *approximate* (OOPSLA 2013, section 8): beside every value its absolute error,
//! estimated in the value's own precision. An operation hands its operands' errors on to first order and adds a unit
//! in the last place of its result; a decision is unstable if the errors could change it. It is mode `watch`
//! with [`APPROXIMATE_ENV`] set for the compiler: for the benches, not for users.
//!
//! Deviations. Errors have no signs: they are bounds, which only grow. Where only one of the compared values is picked,
//! and in convergence tests before the last, decisions are suppressed as in mode `watch`; comparisons of what is the
//! same computation are not recognised.
//!
//! What it can miss: roundings below the normal numbers, errors that pass through values of 16 bits in memory, and
//! the factors of functions that [`errors`] does not know (relative errors are handed on).

mod cells;
mod decisions;
mod errors;

use lostbits_abi::{mode::Mode, ops::Op};

use self::errors::{Errors, Known};
use super::watch;
use crate::{
    builder::{self, Builder},
    carry::{
        Decoded, Domain, FunctionInstrumenter, LeafShadow, Observation, Operation, Preparation,
        Shadow, ShadowFormat, ShadowRules,
    },
    ir::{self, Type, Value},
    shape,
};

pub use lostbits_abi::environment::WATCH_APPROXIMATE as APPROXIMATE_ENV;

pub struct Approximate;

impl Domain for Approximate {
    fn mode(&self) -> Mode {
        Mode::Watch
    }
}

impl ShadowFormat for Approximate {
    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        vec![cells::component(builder, leaf)]
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        cells::exact(builder, ir::type_of(value))
    }

    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        cells::types(builder, leaf)
    }

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        cells::encode(builder, value, shadow)
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        cells::decode(builder, value, cells)
    }
}

impl ShadowRules for Approximate {
    fn bitcast(&self, builder: &Builder, value: Value, shadow: &[Value], to: Type) -> LeafShadow {
        cells::bitcast(builder, value, shadow, to)
    }

    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        cells::move_bits(builder, instruction, operands)
    }

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        use Op::*;
        match operation.op {
            Compare => decisions::compare(cx, operation),
            op if watch::rounds_to_integers(op) => decisions::convert(cx, operation),
            _ => error_of_result(cx, operation),
        }
    }
}

impl Observation for Approximate {
    fn marks_entered(&self, op: Op) -> bool {
        op.is_discrete()
    }
}

impl Preparation for Approximate {
    fn uses_floating_point_unit(&self) -> bool {
        true
    }
}

/// The errors of a result, leaf by leaf.
fn error_of_result(cx: &FunctionInstrumenter, operation: &Operation) -> Shadow {
    let builder = cx.builder;
    let error = |leaf: &shape::Leaf| {
        let result = builder.member(operation.instruction, &leaf.path);
        vec![error_of(builder, operation, result)]
    };
    cx.leaves_of(operation.instruction)
        .iter()
        .map(error)
        .collect()
}

fn error_of(builder: &Builder, operation: &Operation, result: Value) -> Value {
    let op = operation.op;
    let errors = Errors::of(builder, ir::type_of(result));
    if matches!(op, Op::FromSigned | Op::FromUnsigned) {
        return match errors::rounds_integer(operation) {
            true => errors.unit(result),
            false => cells::exact(builder, ir::type_of(result))[0],
        };
    }
    if let Some(step) = op.info().folds {
        return errors.folded(step, &lanes(&errors, builder, operation), result);
    }
    let lanes_of = |value| shape::lanes(ir::type_of(value));
    let operands: Vec<Known> = operation
        .operands
        .iter()
        .filter(|(_, value, _)| lanes_of(*value) == lanes_of(result))
        .map(|(_, value, shadow)| errors.known(*value, shadow[0]))
        .collect();
    match (op, &operands[..]) {
        (Op::Neg | Op::Abs | Op::CopySign | Op::Canonicalize | Op::Extend, [x, ..]) => x.error,
        (Op::Truncate, [x]) => errors.sum(x.error, errors.unit(result)),
        _ => {
            let inherited = errors.inherited(op, &operands, result);
            match errors::is_exact(op) {
                true => inherited,
                false => errors.sum(inherited, errors.unit(result)),
            }
        }
    }
}

/// Every lane of every operand.
fn lanes(errors: &Errors, builder: &Builder, operation: &Operation) -> Vec<Known> {
    let mut all = Vec::new();
    for (_, value, shadow) in &operation.operands {
        let is_vector = ir::type_kind(ir::type_of(*value)) == ir::TypeKind::LLVMVectorTypeKind;
        for lane in 0..shape::lanes(ir::type_of(*value)) {
            let of = |whole| match is_vector {
                true => builder.extract_lane(whole, lane),
                false => whole,
            };
            all.push(errors.known(of(*value), of(shadow[0])));
        }
    }
    all
}

/// Nothing led here that could be named.
fn no_origin(builder: &Builder, like: Value) -> Value {
    let types = builder.types;
    builder::null(types.shaped(types.i64, ir::type_of(like)))
}
