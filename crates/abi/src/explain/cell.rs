/// Set in a bound (which has no sign) where a `float` was converted to a double because the argument is variadic.
pub const WAS_FLOAT: u64 = 1 << 63;

/// Set there beside a `long double`, whose significand resembles a double. For variadic arguments the format says which it is.
pub const IS_X87: u64 = WAS_FLOAT;

/// Identifies the value that a cell was stored with; 0 for zero.
#[inline]
pub const fn signature(bits: u64) -> u32 {
    (bits ^ (bits >> 32)) as u32
}

#[inline]
pub const fn float_signature(bits: u32) -> u16 {
    (bits ^ (bits >> 16)) as u16
}

/// The bound and signature of a double's cell, if it was stored with the value of these bits.
#[inline]
pub fn bound(cell: u64, bits: u64) -> Option<f64> {
    (cell as u32 == signature(bits)).then(|| f64::from_bits(cell & !(0xffff_ffff | WAS_FLOAT)))
}

#[inline]
pub fn float_bound(cell: u32, bits: u32) -> Option<f64> {
    (cell as u16 == float_signature(bits)).then(|| f64::from(f32::from_bits(cell & !0xffff)))
}
