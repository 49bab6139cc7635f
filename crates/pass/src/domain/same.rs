//! Shadows at the program's own precision, to prove the machinery.
//!
//! A shadow is a second value of the same type, computed from the operands' shadows by the same
//! operation. It must equal the program's value bit for bit (NaN payloads aside) at every operation,
//! load, argument, return and comparison; any difference is a hole in the carrying of shadows.
//!
//! In memory, one plane keeps the value a shadow was stored with and another the shadow. Library
//! functions are not called twice (they set `errno`): their operands are compared, and the shadow of
//! the result is the result.

use lostbits_abi::{mode::Mode, ops::Op, symbols};

use super::{Decoded, Domain, LeafShadow, Operation, Shadow};
use crate::{
    builder::Builder,
    carry::{Look, Weaver},
    ir::{self, Opcode, Type, TypeKind, Value},
    shape,
};

pub struct Same;

impl Domain for Same {
    fn mode(&self) -> Mode {
        Mode::Same
    }

    fn counts(&self) -> bool {
        true
    }

    fn needs_defined_values(&self) -> bool {
        true
    }

    fn components(&self, _: &Builder, leaf: Type) -> Vec<Type> {
        vec![leaf]
    }

    fn fresh(&self, _: &Builder, value: Value) -> LeafShadow {
        vec![value]
    }

    fn cells(&self, _: &Builder, leaf: Type) -> Vec<Type> {
        vec![leaf, leaf]
    }

    fn encode(&self, _: &Builder, value: Value, shadow: &[Value]) -> Vec<Value> {
        vec![value, shadow[0]]
    }

    fn decode(&self, builder: &Builder, value: Value, cells: &[Value]) -> Decoded {
        let valid = builder.equal(bits(builder, value), bits(builder, cells[0]));
        Decoded {
            shadow: vec![builder.select(valid, cells[1], value)],
            valid: Some(valid),
        }
    }

    fn bitcast(&self, builder: &Builder, _: Value, shadow: &[Value], to: Type) -> LeafShadow {
        vec![builder.bitcast(shadow[0], to)]
    }

    fn move_bits(
        &self,
        builder: &Builder,
        instruction: Value,
        operands: &[(u32, LeafShadow)],
    ) -> LeafShadow {
        let replaced: Vec<_> = operands
            .iter()
            .map(|(index, shadow)| (*index, shadow[0]))
            .collect();
        vec![builder.insert_clone(instruction, &replaced)]
    }

    fn operate(&self, weaver: &mut Weaver, operation: &Operation) -> Shadow {
        let instruction = operation.instruction;
        let leaves = weaver.leaves_of(instruction);
        let is_comparison = ir::opcode(instruction) == Opcode::LLVMFCmp;
        if operation.is_library_call || (leaves.is_empty() && !is_comparison) {
            for (_, value, shadow) in &operation.operands {
                look(weaver, operation.site, *value, shadow[0]);
            }
            return weaver.fresh(instruction);
        }
        let replaced: Vec<_> = operation
            .operands
            .iter()
            .map(|(index, _, shadow)| (*index, shadow[0]))
            .collect();
        let clone = weaver.builder.insert_clone(instruction, &replaced);
        if is_comparison {
            let differs = weaver.builder.differ(instruction, clone);
            weaver.look(Look {
                site: operation.site,
                flags: differs,
                report: symbols::SAME_DIFFERS,
                values: vec![instruction, clone],
                not_numbers: None,
            });
            return Vec::new();
        }
        let mut shadows = Vec::new();
        for leaf in &leaves {
            let value = weaver.builder.member(instruction, &leaf.path);
            let mut shadow = weaver.builder.member(clone, &leaf.path);
            if operation.op == Op::Mul {
                // Under -ffp-contract=fast the back end would fuse the copy where it could not
                // fuse the original.
                shadow = weaver.builder.fence(shadow);
            }
            look(weaver, operation.site, value, shadow);
            shadows.push(vec![shadow]);
        }
        shadows
    }

    fn arrived(
        &self,
        weaver: &mut Weaver,
        site: u32,
        value: Value,
        decoded: Decoded,
    ) -> LeafShadow {
        let Some(valid) = decoded.valid else {
            return decoded.shadow;
        };
        let builder = &weaver.builder;
        let fresh = builder.any_lane(builder.not(valid));
        weaver.count_fresh(site, fresh);
        look(weaver, site, value, decoded.shadow[0]);
        decoded.shadow
    }
}

/// Compares a value with its shadow.
fn look(weaver: &mut Weaver, site: u32, value: Value, shadow: Value) {
    if value == shadow {
        return;
    }
    let builder = &weaver.builder;
    let (program, shadow) = (bits(builder, value), bits(builder, shadow));
    let differs = builder.differ(program, shadow);
    let not_numbers = shape::fp_kind(ir::type_of(value));
    weaver.look(Look {
        site,
        flags: differs,
        report: symbols::SAME_DIFFERS,
        values: vec![program, shadow],
        not_numbers,
    });
}

/// A value as integers of the same shape.
pub(super) fn bits(builder: &Builder, value: Value) -> Value {
    let ty = ir::type_of(value);
    let scalar = shape::scalar(ty);
    if ir::type_kind(scalar) == TypeKind::LLVMIntegerTypeKind {
        return value;
    }
    let width = shape::fp_kind(scalar).map_or(64, |kind| kind.storage_bits());
    builder.bitcast(value, builder.types.shaped(builder.types.int(width), ty))
}
