//! Numbers as C literals.

use rug::Float;

use super::Untranslatable;
use crate::fpcore::{
    ast::{Constant, Format},
    evaluate::reals::constant_value,
    number::Number,
};

pub(super) fn number(number: &Number, format: Format) -> Result<String, Untranslatable> {
    Ok(match format {
        Format::Binary32 => single(number.to_f32()),
        Format::Binary64 => double(number.to_f64()),
        Format::Binary80 => extended(&number.to_float(64)),
        Format::Integer => whole(&number.to_float(128)),
        Format::Real => return Err(Untranslatable::NoFormat("real")),
    })
}

pub(super) fn constant(constant: Constant, format: Format) -> Result<String, Untranslatable> {
    let value = |precision| constant_value(constant, precision);
    Ok(match format {
        Format::Binary32 => single(value(24).to_f32()),
        Format::Binary64 => double(value(53).to_f64()),
        Format::Binary80 => extended(&value(64)),
        Format::Integer => whole(&value(53)),
        Format::Real => return Err(Untranslatable::NoFormat("real")),
    })
}

fn special(is_nan: bool, negative: bool) -> String {
    match (is_nan, negative) {
        (true, _) => "NAN",
        (false, true) => "-INFINITY",
        (false, false) => "INFINITY",
    }
    .to_owned()
}

fn double(x: f64) -> String {
    if x.is_finite() {
        format!("{x:?}")
    } else {
        special(x.is_nan(), x < 0.0)
    }
}

fn single(x: f32) -> String {
    if x.is_finite() {
        format!("{x:?}f")
    } else {
        special(x.is_nan(), x < 0.0)
    }
}

fn extended(x: &Float) -> String {
    if x.is_finite() {
        // 21 digits distinguish all numbers of 64 bits.
        format!("{x:.21e}L")
    } else {
        special(x.is_nan(), x.is_sign_negative())
    }
}

/// Rounded to nearest; what does not fit in 64 bits is the least number, as the conversion of C gives on
/// this machine.
fn whole(x: &Float) -> String {
    let rounded = x.to_integer_round(rug::float::Round::Nearest);
    match rounded.and_then(|(whole, _)| whole.to_i64()) {
        Some(i64::MIN) | None => "(-9223372036854775807LL - 1)".to_owned(),
        Some(whole) => whole.to_string(),
    }
}
