//! The ways of tags: which operations handed a tag on, and from which they had it.
//!
//! Only in programs compiled with [`WAYS_ENV`] set: every operation on a tagged value is told to the runtime, with
//! the bits and tags of operands and result. The runtime finds out by these where an operand came from
//! (`runtime/src/ways.rs`), and keeps it in a site of its own beside the operation's.

use lostbits_abi::symbols::{WATCH_WAY, WAY_NOTE, WAY_OPERANDS};

use crate::{
    builder,
    carry::{Look, Weaver},
    domain::{Operation, Shadow, tags::bits},
    ir::{self, Value},
    shape,
};

pub use lostbits_abi::symbols::WATCH_WAYS_ENV as WAYS_ENV;

/// Tells of an operation that has been given its `shadow`. What has several results, or lanes that do not belong
/// to each other, is not told: there a way is interrupted.
pub fn tell(weaver: &mut Weaver, operation: &Operation, shadow: &Shadow) {
    let builder = weaver.builder;
    let i64 = builder.types.i64;
    let result = match &shadow[..] {
        [] => None,
        [leaf] => Some((operation.instruction, leaf[0])),
        _ => return,
    };
    let operands: Vec<(Value, Value)> = operation
        .operands
        .iter()
        .take(WAY_OPERANDS)
        .filter_map(|(_, value, tag)| Some((*value, *tag.first()?)))
        .collect();
    let Some((first, _)) = operands.first() else {
        return;
    };
    let lanes = shape::lanes(ir::type_of(*first));
    let has_lanes = |(value, tag): &(Value, Value)| {
        [value, tag].map(|of| shape::lanes(ir::type_of(*of))) == [lanes; 2]
    };
    if !operands.iter().chain(&result).all(has_lanes) {
        return;
    }
    let nothing = builder::null(builder.types.shaped(i64, ir::type_of(*first)));
    let mut values: Vec<Value> = Vec::new();
    let mut any = builder::null(ir::type_of(nothing));
    let told = result.into_iter().chain(operands.iter().copied());
    if result.is_none() {
        values.extend([nothing; 2]);
    }
    for (value, tag) in told {
        let wide = |word| builder.resize_unsigned(word, ir::type_of(nothing));
        let tag = wide(tag);
        values.extend([wide(bits(builder, value)), tag]);
        any = builder.or(any, tag);
    }
    if ir::is_null(any) {
        return;
    }
    values.resize(2 + 2 * WAY_OPERANDS, nothing);
    let flags = builder.differ(any, nothing);
    let site = weaver.note_site(operation, WAY_NOTE);
    weaver.look(Look {
        site,
        flags,
        report: WATCH_WAY,
        values,
        not_numbers: None,
    });
}
