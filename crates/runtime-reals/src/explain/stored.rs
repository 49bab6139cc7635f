//! Values in memory and the cells of their shadows; see [`lostbits_abi::explain::cell`].
//!
//! # Safety of all functions here
//!
//! A value of the format is at the address, and the program reads it at this moment. Then its cells are readable: the planes
//! mirror all memory of the program.

use lostbits_abi::{
    explain::{Event, cell, meta},
    kind::FpKind,
    mode::Mode,
    shadow,
};

use super::measure::power_of_two;

/// Bytes from one `long double` to the next.
const X87_BYTES: usize = 16;

/// The word that a plane holds for an address.
///
/// # Safety
///
/// See the module; T is at most as large as the value.
unsafe fn word<T>(at: usize, plane: usize) -> T {
    let planes = shadow::planes(Mode::Explain);
    let mirror = (shadow::alias(at as u64) - shadow::distance(planes[plane])) as usize;
    // SAFETY: the cell of a value that the program reads.
    unsafe { (mirror as *const T).read() }
}

/// Puts the value at an address into an event, as its first operand, if it was computed; returns its size. Without meta words
/// (`detects`) only a residue or a bound says that it was: exact values are left out.
///
/// # Safety
///
/// `at` is a multiple of 4, and the program reads all memory from `at` to `end`, at least 4 bytes.
pub unsafe fn put_computed(
    event: &mut Event,
    at: usize,
    end: usize,
    detects: bool,
) -> Option<usize> {
    let is_wide = at.is_multiple_of(8) && at + 8 <= end;
    // SAFETY: `is_wide` checks that 8 bytes are there; 4 bytes always are.
    unsafe {
        let wide = is_wide.then(|| put_wide(event, at, end, detects)).flatten();
        wide.or_else(|| put_float(event, at, detects).then_some(4))
    }
}

/// # Safety
///
/// As for [`put_computed`], with at least 8 bytes and a multiple of 8.
unsafe fn put_wide(event: &mut Event, at: usize, end: usize, detects: bool) -> Option<usize> {
    // SAFETY: 8 bytes are there; an x87 number is read only if all its bytes are.
    unsafe {
        let bits = (at as *const u64).read();
        let stored: u64 = word(at, 1);
        let is_long = stored & cell::IS_X87 != 0;
        let bound = cell::bound(stored, bits)?;
        let was_computed = match detects {
            true => bound != 0.0 || word::<f64>(at, 0) != 0.0,
            false => word::<u64>(at, 2) != 0,
        };
        if !was_computed || (is_long && at + X87_BYTES > end) {
            return None;
        }
        match is_long {
            true => put_x87(event, at),
            false => put_double(event, at),
        }
        Some(if is_long { X87_BYTES } else { 8 })
    }
}

/// # Safety
///
/// See the module.
unsafe fn put_float(event: &mut Event, at: usize, detects: bool) -> bool {
    // SAFETY: 4 bytes are there; a float's cells have 4 bytes in each plane.
    let (bits, residue, stored, meta) = unsafe {
        let bits = (at as *const u32).read();
        let meta: u64 = meta::new(word(at, 2), word(at, 3));
        (bits, word::<f32>(at, 0), word(at, 1), meta)
    };
    let was_computed = |bound: &f64| match detects {
        true => *bound != 0.0 || residue != 0.0,
        false => meta != 0,
    };
    let Some(bound) = cell::float_bound(stored, bits).filter(was_computed) else {
        return false;
    };
    event.kind = FpKind::Float as u8;
    event.values[1] = f64::from(f32::from_bits(bits));
    event.residues[1] = f64::from(residue);
    event.bounds[1] = bound;
    event.metas[1] = meta;
    true
}

/// A double; it is exact if its cell does not match.
///
/// # Safety
///
/// See the module.
unsafe fn put_double(event: &mut Event, at: usize) {
    // SAFETY: a double is there.
    let bits = unsafe { (at as *const u64).read() };
    event.kind = FpKind::Double as u8;
    event.values[1] = f64::from_bits(bits);
    // SAFETY: as above.
    unsafe { put_shadow(event, at, bits) };
}

/// A variadic argument: a double, or a `float` that was promoted.
///
/// # Safety
///
/// See the module.
pub unsafe fn put_variadic(event: &mut Event, at: usize) {
    // SAFETY: a double is there.
    unsafe {
        put_double(event, at);
        let bits = (at as *const u64).read();
        let stored: u64 = word(at, 1);
        if stored & cell::WAS_FLOAT != 0 && cell::bound(stored, bits).is_some() {
            event.kind = FpKind::Float as u8;
        }
    }
}

/// A `long double`; it is exact if its cell does not match.
///
/// # Safety
///
/// See the module.
pub unsafe fn put_x87(event: &mut Event, at: usize) {
    // SAFETY: an x87 number is there, of which 10 bytes count.
    let (significand, high) =
        unsafe { ((at as *const u64).read(), ((at + 8) as *const u16).read()) };
    event.kind = FpKind::X87 as u8;
    (event.values[1], event.tails[1]) = split_x87(significand, high);
    // SAFETY: as above.
    unsafe { put_shadow(event, at, significand) };
}

/// # Safety
///
/// See the module; the value has at least 8 bytes.
unsafe fn put_shadow(event: &mut Event, at: usize, bits: u64) {
    // SAFETY: the cells of a value of at least 8 bytes have 8 bytes in each plane.
    let (residue, stored, meta) = unsafe { (word(at, 0), word(at, 1), word(at, 2)) };
    let bound = cell::bound(stored, bits);
    let is_known = bound.is_some();
    event.residues[1] = if is_known { residue } else { 0.0 };
    event.bounds[1] = bound.unwrap_or(0.0);
    event.metas[1] = if is_known { meta } else { 0 };
}

/// The double nearest to an x87 number, and the rest.
fn split_x87(significand: u64, high: u16) -> (f64, f64) {
    const EXPONENT: u16 = 0x7fff;
    const BIAS: i32 = 16383 + 63;
    let sign = if high > EXPONENT { -1.0 } else { 1.0 };
    if high & EXPONENT == EXPONENT {
        let is_infinity = significand << 1 == 0;
        let value = if is_infinity { f64::INFINITY } else { f64::NAN };
        return (sign * value, 0.0);
    }
    let exponent = i32::from(high & EXPONENT) - BIAS;
    let near = significand as f64;
    let rest = (i128::from(significand) - near as i128) as f64;
    let near = sign * scaled(near, exponent);
    match near.is_finite() {
        true => (near, sign * scaled(rest, exponent)),
        false => (near, 0.0),
    }
}

fn scaled(part: f64, exponent: i32) -> f64 {
    if part == 0.0 {
        return 0.0;
    }
    // In two factors: a significand is up to 2^64, so one factor may not be a double where the result is.
    let half = exponent / 2;
    part * power_of_two(half) * power_of_two(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::split_x87;

    const ONE: u16 = 0x3fff;

    #[test]
    fn a_long_double_becomes_two_doubles() {
        assert_eq!(split_x87(1 << 63, ONE), (1.0, 0.0));
        assert_eq!(split_x87(0, 0x8000), (0.0, 0.0));
        assert_eq!(split_x87(3 << 62, ONE | 0x8000), (-1.5, 0.0));
        // 1 + 2^-63, and the number below 2.
        assert_eq!(split_x87(1 << 63 | 1, ONE), (1.0, f64::EPSILON / 2048.0));
        assert_eq!(split_x87(u64::MAX, ONE), (2.0, -f64::EPSILON / 2048.0));
        // 2^1024 is not a double, 2^-1074 is.
        assert_eq!(split_x87(1 << 63, ONE + 1024), (f64::INFINITY, 0.0));
        assert_eq!(split_x87(1 << 63, ONE - 1074), (5e-324, 0.0));
        assert_eq!(split_x87(1 << 63, 0xffff), (f64::NEG_INFINITY, 0.0));
        assert!(split_x87(3 << 62, 0x7fff).0.is_nan());
    }
}
