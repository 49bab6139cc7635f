//! Functions of the program's own that are one operation: as in mode `explain`, with residues that the runtime finds.

use lostbits_abi::symbols;

use super::{explain::wrapping, put_operand};
use crate::{
    builder,
    carry::Weaver,
    domain::Operation,
    ir::{self, TypeKind, Value},
    shape,
};

pub fn calls(weaver: &mut Weaver, call: Value, name: &str) -> bool {
    let Some((wrap, _)) = wrapping::wrapped(call, name) else {
        return false;
    };
    let operation = wrapping::operation(weaver, call, wrap);
    let thread = weaver.tracer().thread;
    let before = wrapping::close_eyes(weaver.builder, call, thread);
    weaver.after(call);
    let found = wrapping::found(weaver, wrap, &in_doubles(weaver, &operation));
    let b = weaver.builder;
    b.store(before, wrapping::eyes(b, thread), 8);
    let slot = weaver.slot();
    let area = put_operands(weaver, &operation);
    let (site, thread) = weaver.global_site(operation.site);
    let types = b.types;
    let (double, pointer) = (types.double, types.pointer);
    let parameters = [
        types.i64, types.i64, pointer, types.i32, pointer, double, double, double,
    ];
    let function = b.declare(symbols::EXPLAIN_REALS_CALLED, types.i64, &parameters);
    let op = builder::integer(types.i32, operation.op as u64);
    let arguments = [
        slot,
        site,
        thread,
        op,
        area,
        found.residue,
        found.bound,
        found.own,
    ];
    let shadow = b.call(function, &arguments);
    weaver.set(call, vec![vec![shadow]]);
    true
}

/// With residues for numbers.
fn in_doubles(weaver: &Weaver, operation: &Operation) -> Operation {
    let b = weaver.builder;
    let (i64, double) = (b.types.i64, b.types.double);
    let residue = b.declare(symbols::EXPLAIN_REALS_RESIDUE, double, &[i64, double]);
    let operands = operation.operands.iter().map(|(index, value, shadow)| {
        let residue = b.call(residue, &[shadow[0], b.as_double(*value)]);
        (*index, *value, vec![residue])
    });
    Operation {
        operands: operands.collect(),
        demanded: operation.demanded.clone(),
        ..*operation
    }
}

/// The arguments that are numbers of any kind, as many as the operation has, and the result behind them.
fn put_operands(weaver: &mut Weaver, operation: &Operation) -> Value {
    let call = operation.instruction;
    let mut operands = Vec::new();
    for (index, value) in (0u32..).zip(ir::arguments(call)) {
        let mut known = operation.operands.iter().filter(|(at, _, _)| *at == index);
        let ty = ir::type_of(value);
        let is_integer = ir::type_kind(ty) == TypeKind::LLVMIntegerTypeKind;
        match known.next() {
            Some((_, value, shadow)) => operands.push((*value, shadow[0])),
            None if is_integer && (2..=64).contains(&ir::int_width(shape::scalar(ty))) => {
                operands.push((value, builder::null(weaver.builder.types.i64)));
            }
            None => {}
        }
    }
    operands.truncate(operation.op.info().arity());
    let missing = operation.op.info().arity() - operands.len();
    let nothing = builder::null(weaver.builder.types.i64);
    operands.extend(std::iter::repeat_n((nothing, nothing), missing));
    operands.push((call, nothing));
    let area = weaver.operand_area(operands.len() as u64);
    for (index, (value, shadow)) in (0..).zip(operands) {
        put_operand(weaver, area, index, value, shadow);
    }
    area
}
