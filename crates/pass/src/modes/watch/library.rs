//! Library functions: rule SIN, for every function of the operation table.

use lostbits_abi::{functions, kind::FpKind, ops::Op};

use super::quick_tests;
use crate::{
    builder,
    carry::{FunctionInstrumenter, Operation, Shadow},
    ir::{self, Value},
    modes::tags::{bits, reshaped, tag_check, union_of_operands, word_of_site, word_type},
    shape,
};

/// The runtime knows the functions' inflation factors; a call more beside a call.
pub fn call(cx: &mut FunctionInstrumenter, operation: &Operation) -> Shadow {
    let result = operation.instruction;
    let kind = shape::fp_kind(ir::type_of(result));
    // Converting x87 values would raise flags, and vectors' lanes are not worth taking apart.
    let is_simple = shape::lanes(ir::type_of(result)) == 1 && kind != Some(FpKind::X87);
    let (Some(kind), Some((_, x, x_tag)), true) = (kind, operation.operands.first(), is_simple)
    else {
        return union_of_operands(cx, operation);
    };
    let jumps = operation.op.is_remainder();
    let builder = cx.builder;
    let types = builder.types;
    let double = types.double;
    let (y, y_tag) = match operation.operands.get(1) {
        Some((_, y, tag)) => (*y, tag[0]),
        None => (builder::null(double), builder::null(types.i64)),
    };
    let as_double = |value| builder.as_double(value);
    let wide = |tag| reshaped(builder, tag, types.i64);
    let own = word_of_site(types.i64, operation.site);
    let arguments = [
        builder::integer(types.i32, operation.op as u64 | (kind as u64) << 16),
        as_double(*x),
        as_double(y),
        as_double(result),
        wide(x_tag[0]),
        wide(y_tag),
        own,
    ];
    let tag = builder.call_runtime(functions::WATCH_LIBRARY, &arguments);
    let mut seen = builder.equal(tag, own);
    let values = [bits(builder, *x), bits(builder, y)];
    let word = word_type(builder, ir::type_of(result));
    let mut shadow = reshaped(builder, tag, word);
    let mut said = own;
    if jumps {
        // A discrete factor: what depends on a tag, or is next to a jump, is not to be trusted.
        said = builder.or(arguments[4], arguments[5]);
        let tagged = builder.differ(said, builder::null(types.i64));
        seen = builder.or(seen, tagged);
        shadow = reshaped(builder, said, word);
    }
    let checked: Vec<Value> = operation
        .operands
        .iter()
        .map(|(_, x, _)| *x)
        .chain([result])
        .collect();
    cx.guard(
        result,
        move |builder| match jumps {
            true => quick_tests::always(builder),
            false => quick_tests::extreme(builder, &checked),
        },
        |cx| builder::integer(cx.builder.types.int(1), 1),
    );
    cx.check(tag_check(operation.site, seen, values, said));
    vec![vec![shadow]]
}

/// Functions that may inflate errors, also where they are intrinsics (in Rust, and in C without `errno`).
pub fn inflates(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Sin | Cos
            | Tan
            | SinPi
            | CosPi
            | TanPi
            | Acos
            | Acosh
            | Exp
            | Exp2
            | Exp10
            | Sinh
            | Cosh
            | Log
            | Log2
            | Log10
            | Pow
            | Lgamma
            | Tgamma
            | J0
            | J1
            | Y0
            | Y1
            | Fdim
    )
}
