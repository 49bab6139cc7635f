//! Bits of error as Herbgrind counts them, in the format of the result.

use lostbits::{fpcore::ast::Format, numeric::Bits};
use lostbits_abi::kind::FpKind;
use rug::Float;

/// Errors above this are significant.
pub const SIGNIFICANT: Bits = Bits::new(5.0);

pub fn bits(computed: &Float, exact: &Float, format: Format) -> Bits {
    let kind = match format {
        Format::Binary32 => FpKind::Float,
        Format::Binary80 => FpKind::X87,
        _ => FpKind::Double,
    };
    Bits::in_format(kind, computed, exact)
}
