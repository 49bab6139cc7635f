//! Shadows at the program's own precision, to prove the machinery.
//!
//! A shadow is a second value of the same type, computed from the operands' shadows by the same
//! operation. It must equal the program's value bit for bit (NaN payloads aside) at every operation,
//! load, argument, return and comparison; any difference is a hole in the carrying of shadows.
//!
//! In memory, one plane keeps the value a shadow was stored with and another the shadow. Library
//! functions are not called twice (they set `errno`): their operands are compared, and the shadow of
//! the result is the result.

use lostbits_abi::{functions, mode::Mode, ops::Op};

use super::lanes::bits;
use crate::{
    builder::Builder,
    carry::{
        Check, Decoded, Domain, FunctionInstrumenter, LeafShadow, Observation, Operation,
        Preparation, Shadow, ShadowFormat, ShadowRules,
    },
    ir::{self, Opcode, Type, Value},
    shape,
};

pub struct Same;

impl Domain for Same {
    fn mode(&self) -> Mode {
        Mode::Same
    }
}

impl ShadowFormat for Same {
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
}

impl ShadowRules for Same {
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

    fn operate(&self, cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
        let instruction = operation.instruction;
        let leaves = cx.leaves_of(instruction);
        let is_comparison = ir::opcode(instruction) == Opcode::LLVMFCmp;
        if operation.is_library_call || (leaves.is_empty() && !is_comparison) {
            for (_, value, shadow) in &operation.operands {
                check(cx, operation.site, *value, shadow[0]);
            }
            return cx.fresh(instruction);
        }
        let replaced: Vec<_> = operation
            .operands
            .iter()
            .map(|(index, _, shadow)| (*index, shadow[0]))
            .collect();
        let clone = cx.builder.insert_clone(instruction, &replaced);
        if is_comparison {
            let differs = cx.builder.differ(instruction, clone);
            cx.check(Check {
                site: operation.site,
                flags: differs,
                report: functions::SAME_REPORT,
                values: vec![instruction, clone],
                nans_are_equal: None,
            });
            return Vec::new();
        }
        let mut shadows = Vec::new();
        for leaf in &leaves {
            let value = cx.builder.member(instruction, &leaf.path);
            let mut shadow = cx.builder.member(clone, &leaf.path);
            if operation.op == Op::Mul {
                // Under -ffp-contract=fast the back end would fuse the copy where it could not
                // fuse the original.
                shadow = cx.builder.fence(shadow);
            }
            check(cx, operation.site, value, shadow);
            shadows.push(vec![shadow]);
        }
        shadows
    }

    fn receive(
        &self,
        cx: &mut FunctionInstrumenter,
        site: u32,
        value: Value,
        decoded: Decoded,
    ) -> LeafShadow {
        let Some(valid) = decoded.valid else {
            return decoded.shadow;
        };
        let builder = &cx.builder;
        let fresh = builder.any_lane(builder.not(valid));
        cx.count_fresh(site, fresh);
        check(cx, site, value, decoded.shadow[0]);
        decoded.shadow
    }
}

impl Observation for Same {
    fn counts_executions(&self) -> bool {
        true
    }
}

impl Preparation for Same {
    fn needs_defined_values(&self) -> bool {
        true
    }
}

/// Compares a value with its shadow.
fn check(cx: &mut FunctionInstrumenter, site: u32, value: Value, shadow: Value) {
    if value == shadow {
        return;
    }
    let builder = &cx.builder;
    let (program, shadow) = (bits(builder, value), bits(builder, shadow));
    let differs = builder.differ(program, shadow);
    let nans_are_equal = shape::fp_kind(ir::type_of(value));
    cx.check(Check {
        site,
        flags: differs,
        report: functions::SAME_REPORT,
        values: vec![program, shadow],
        nans_are_equal,
    });
}
