//! Library functions: rule SIN, for every function of the operation table.

use lostbits_abi::{kind::FpKind, ops::Op, symbols};

use super::quick;
use crate::{
    builder,
    carry::Weaver,
    domain::{
        Operation, Shadow,
        tags::{bits, reshaped, saw, united, word_of_site, word_type},
    },
    ir::{self, Value},
    shape,
};

/// The runtime knows the functions' inflation factors; a call more beside a call.
pub fn call(weaver: &mut Weaver, operation: &Operation) -> Shadow {
    let result = operation.instruction;
    let kind = shape::fp_kind(ir::type_of(result));
    // Converting x87 values would raise flags, and vectors' lanes are not worth taking apart.
    let is_simple = shape::lanes(ir::type_of(result)) == 1 && kind != Some(FpKind::X87);
    let (Some(kind), Some((_, x, x_tag)), true) = (kind, operation.operands.first(), is_simple)
    else {
        return united(weaver, operation);
    };
    let jumps = is_remainder(operation.op);
    let builder = weaver.builder;
    let types = builder.types;
    let double = types.double;
    let parameters = [
        types.i32, double, double, double, types.i64, types.i64, types.i64,
    ];
    let judge = builder.declare(symbols::WATCH_LIBRARY, types.i64, &parameters);
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
    let tag = builder.call(judge, &arguments);
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
    let looked_at: Vec<Value> = operation
        .operands
        .iter()
        .map(|(_, x, _)| *x)
        .chain([result])
        .collect();
    weaver.guard(
        result,
        move |builder| match jumps {
            true => quick::always(builder),
            false => quick::extreme(builder, &looked_at),
        },
        |weaver| builder::integer(weaver.builder.types.int(1), 1),
    );
    weaver.look(saw(operation.site, seen, values, said));
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

/// Remainders jump, and the values next to a jump need be neither large nor small.
pub fn is_remainder(op: Op) -> bool {
    matches!(op, Op::Rem | Op::Remainder | Op::Modulo)
}
