//! Doubles in the hexadecimal notation of C.

/// As C's `%a` prints it: exact, and read by C compilers, `strtod` and our own readers.
pub fn hexadecimal(value: f64) -> String {
    const FRACTION_BITS: u32 = 52;
    let bits = value.to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let biased = (bits >> FRACTION_BITS & 0x7ff) as i32;
    if !value.is_finite() {
        return format!("{value:?}");
    }
    let (leading, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, biased - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x{leading}{point}{digits}p{exponent:+}")
}
