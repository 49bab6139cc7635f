//! Error paths: which operations passed a tag on, and from which operations they received it.
//!
//! Only in programs compiled with [`ERROR_PATHS_ENV`] set: every operation on a tagged value is reported to the runtime, with
//! the bits and tags of operands and result. The runtime finds out by these where an operand came from
//! (`runtime/src/error_paths.rs`), and keeps it in a site of its own beside the operation's.

use lostbits_abi::{environment, functions, site::Note, watch::PATH_OPERANDS};

use crate::{
    builder,
    carry::{Check, FunctionInstrumenter, Operation, Shadow},
    ir::{self, Value},
    modes::tags::bits,
    shape,
};

pub const ERROR_PATHS_ENV: &str = environment::WATCH_PATHS;

/// Reports an operation that has been given its `shadow`. What has several results, or lanes that do not belong
/// to each other, is not reported: there an error path is interrupted.
pub fn report(cx: &mut FunctionInstrumenter, operation: &Operation, shadow: &Shadow) {
    let builder = cx.builder;
    let i64 = builder.types.i64;
    let result = match &shadow[..] {
        [] => None,
        [leaf] => Some((operation.instruction, leaf[0])),
        _ => return,
    };
    let operands: Vec<(Value, Value)> = operation
        .operands
        .iter()
        .take(PATH_OPERANDS)
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
    let reported = result.into_iter().chain(operands.iter().copied());
    if result.is_none() {
        values.extend([nothing; 2]);
    }
    for (value, tag) in reported {
        let wide = |word| builder.resize_unsigned(word, ir::type_of(nothing));
        let tag = wide(tag);
        values.extend([wide(bits(builder, value)), tag]);
        any = builder.or(any, tag);
    }
    if ir::is_null(any) {
        return;
    }
    values.resize(2 + 2 * PATH_OPERANDS, nothing);
    let flags = builder.differ(any, nothing);
    let site = cx.note_site(operation, Note::ErrorPath);
    cx.check(Check {
        site,
        flags,
        report: functions::WATCH_PATH,
        values,
        nans_are_equal: None,
    });
}
