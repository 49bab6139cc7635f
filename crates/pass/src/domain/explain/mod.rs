//! Root causes of error, after Herbgrind (Sanchez-Stern, Panchekha, Lerner, Tatlock, PLDI 2018), with
//! residues in the place of high-precision numbers.
//!
//! The shadow of a value is its residue (the real value minus the program's), a bound of the residue's own
//! error, and a meta word: the node in the trace that computed it, and the set of candidates that influenced
//! it. Residues, bounds and nodes are computed in line. The runtime is told of an operation
//! ([`telling`]) if its result lost more bits than the threshold and nothing is known to have caused that, if it cancels, if
//! sets of influences meet that have no bits to unite them by, and of samples; it finds local errors and keeps
//! expressions.
//!
//! # What it can miss
//!
//! Candidates whose errors happen to cancel at once; influences on values accurate to two bits, which
//! are dropped on purpose: what is wrong after such a value went wrong after it.

mod arithmetic;
mod cells;
mod constants;
mod cpp_outputs;
pub(super) mod extraction;
mod nodes;
pub(super) mod opaque;
pub(super) mod outputs;
pub(super) mod rust_outputs;
mod scaling;
mod spots;
pub(super) mod stop;
pub(super) mod switches;
mod tale;
mod telling;
pub mod wrapping;

use lostbits_abi::{kind::FpKind, mode::Mode, ops::Op};

use self::arithmetic::{Arithmetic, Known};
use super::{Decoded, Domain, LeafShadow, Operation, Shadow};
use crate::{
    builder::Builder,
    carry::Weaver,
    ir::{self, Module, Type, Value},
    shape,
};

pub struct Explain;

impl Domain for Explain {
    fn mode(&self) -> Mode {
        Mode::Explain
    }

    fn counts(&self) -> bool {
        true
    }

    fn computes(&self) -> bool {
        true
    }

    fn components(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        cells::components(builder, leaf)
    }

    fn fresh(&self, builder: &Builder, value: Value) -> LeafShadow {
        cells::fresh(builder, ir::type_of(value))
    }

    fn cells(&self, builder: &Builder, leaf: Type) -> Vec<Type> {
        cells::types(builder, leaf)
    }

    fn encode(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        cells::encode(builder, value, shadow)
    }

    fn encode_variadic(&self, builder: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        cells::encode_variadic(builder, value, shadow)
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        cells::decode(builder, value, cells)
    }

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

    fn rescales(&self) -> bool {
        true
    }

    fn rescale(
        &self,
        weaver: &mut Weaver,
        from: (Value, &[Value]),
        to: Value,
        otherwise: &[Value],
    ) -> Option<LeafShadow> {
        scaling::rescale(weaver.builder, from, to, otherwise)
    }

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        use Op::*;
        match operation.op {
            Compare => spots::comparison(weaver, operation),
            ToSigned | ToUnsigned => spots::conversion(weaver, operation),
            FromSigned | FromUnsigned => vec![from_integer(weaver, operation)],
            Extend | Truncate | Canonicalize => vec![passed_on(weaver, operation)],
            op if op.info().folds.is_some() => vec![folded(weaver, operation)],
            op if is_inline(op) => {
                let shadow = telling::in_line(weaver, operation);
                vec![extraction::settled(weaver.builder, operation, shadow)]
            }
            _ => telling::by_runtime(weaver, operation),
        }
    }

    fn arrived(&self, weaver: &mut Weaver, _: u32, _: Value, decoded: Decoded) -> LeafShadow {
        let Some(valid) = decoded.valid else {
            return decoded.shadow;
        };
        let builder = weaver.builder;
        let stale = builder.any_lane(builder.not(valid));
        // A branch that goes the same way for a whole array is cheaper than a choice for each word.
        weaver.detour(stale, decoded.shadow.clone(), move |weaver| {
            cells::where_valid(weaver.builder, valid, &decoded.shadow)
        })
    }

    fn look_at(&self, weaver: &mut Weaver, instruction: Value) {
        outputs::look_at_header_call(weaver, instruction);
        rust_outputs::look_at(weaver, instruction);
        switches::look_at(weaver, instruction);
        wrapping::look_at(weaver, instruction);
    }

    fn prepare(&self, module: Module) {
        wrapping::prepare(module);
        ir::tell_operations_apart(module);
    }

    fn calls(&self, weaver: &mut Weaver, call: Value, name: &str) -> bool {
        wrapping::calls(weaver, call, name)
    }

    fn leaves_program(&self, weaver: &mut Weaver, call: Value, name: &str) {
        outputs::look_at_call(weaver, call, name);
        opaque::look_at_call(weaver, call, name);
        stop::look_at_call(weaver, call, name);
    }
}

/// Operations whose residues are computed in line.
fn is_inline(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Sub
            | Mul
            | Div
            | Neg
            | Fma
            | MulAdd
            | Sqrt
            | Abs
            | CopySign
            | Fmin
            | Fmax
            | Minimum
            | Maximum
            | MinimumNum
            | MaximumNum
    )
}

/// The arithmetic for values of a type in the function at hand.
fn arithmetic<'a>(weaver: &Weaver<'a>, like: Type) -> Arithmetic<'a> {
    let features = ir::string_attribute(weaver.function, "target-features");
    let fused = features.is_some_and(|features| features.split(',').any(|name| name == "+fma"));
    Arithmetic::new(weaver.builder, like, fused)
}

fn known(arithmetic: &Arithmetic, value: Value, shadow: &[Value]) -> Known {
    Known {
        value: arithmetic.widened(value),
        residue: shadow[0],
        bound: shadow[1],
    }
}

/// Conversions between floating-point formats are no operations on reals.
fn passed_on(weaver: &mut Weaver, operation: &Operation) -> LeafShadow {
    let (_, value, shadow) = &operation.operands[0];
    // The wider of the two formats is the one to compute in.
    let types = [ir::type_of(*value), ir::type_of(operation.instruction)];
    let widest = types
        .into_iter()
        .max_by_key(|ty| shape::fp_kind(*ty))
        .expect("there are two");
    let arithmetic = arithmetic(weaver, widest);
    let rounded = arithmetic.rounded(&known(&arithmetic, *value, shadow), operation.instruction);
    vec![rounded.residue, rounded.bound, shadow[2]]
}

/// Integers are exact; what a format has no room for is the residue.
fn from_integer(weaver: &mut Weaver, operation: &Operation) -> LeafShadow {
    let builder = weaver.builder;
    let instruction = operation.instruction;
    let ty = ir::type_of(instruction);
    let integer = ir::operand(instruction, 0);
    let signed = operation.op == Op::FromSigned;
    let width = ir::int_width(shape::scalar(ir::type_of(integer)));
    let room = shape::fp_kind(ty).map_or(0, FpKind::precision);
    let mut fresh = cells::fresh(builder, ty);
    if width > 64 || width <= room {
        return fresh;
    }
    let double = builder.types.shaped(builder.types.double, ty);
    let (to_real, to_integer) = match signed {
        true => (ir::Opcode::LLVMSIToFP, "llvm.fptosi.sat"),
        false => (ir::Opcode::LLVMUIToFP, "llvm.fptoui.sat"),
    };
    let near = builder.cast(to_real, integer, double);
    let own = builder.convert(instruction, double);
    let lost = builder.binary(ir::Opcode::LLVMFSub, near, own);
    fresh[0] = lost;
    if width > 53 {
        let types = [ir::type_of(integer), double];
        let back = builder.intrinsic(to_integer, &types, &[near]);
        let rest = builder.binary(ir::Opcode::LLVMSub, integer, back);
        let rest = builder.cast(ir::Opcode::LLVMSIToFP, rest, double);
        fresh[0] = builder.binary(ir::Opcode::LLVMFAdd, lost, rest);
    }
    fresh
}

/// A vector reduced to a scalar: lane after lane, in the working format; the last step goes to the
/// program's result.
fn folded(weaver: &mut Weaver, operation: &Operation) -> LeafShadow {
    telling::begin(weaver, operation);
    let builder = weaver.builder;
    let result = operation.instruction;
    let arithmetic = arithmetic(weaver, ir::type_of(result));
    let op = operation.op.info().folds.expect("a reduction");
    let mut parts: Vec<(Known, Value)> = Vec::new();
    for (_, value, shadow) in &operation.operands {
        let is_vector = ir::type_kind(ir::type_of(*value)) == ir::TypeKind::LLVMVectorTypeKind;
        for lane in 0..shape::lanes(ir::type_of(*value)) {
            let of = |value: Value| match is_vector {
                true => builder.extract_lane(value, lane),
                false => value,
            };
            let shadow: LeafShadow = shadow.iter().map(|component| of(*component)).collect();
            parts.push((known(&arithmetic, of(*value), &shadow), shadow[2]));
        }
    }
    let mut parts = parts.into_iter();
    let (mut sum, mut meta) = parts.next().expect("vectors have lanes");
    for (part, part_meta) in parts {
        sum = match op {
            Op::Add => arithmetic.sum(&sum, &part, None),
            Op::Mul => arithmetic.product(&sum, &part, None),
            _ => {
                let smaller = matches!(op, Op::Fmin | Op::Minimum | Op::MinimumNum);
                let name = if smaller {
                    "llvm.minnum"
                } else {
                    "llvm.maxnum"
                };
                let ty = ir::type_of(sum.value);
                let chosen = builder.intrinsic(name, &[ty], &[sum.value, part.value]);
                arithmetic.choice(&sum, &part, chosen, smaller)
            }
        };
        meta = telling::either(builder, meta, part_meta);
    }
    let rounded = arithmetic.rounded(&sum, result);
    telling::result(weaver, operation, rounded, Some(meta), None)
}
