//! Numbers in memory, with the cells beside them; see [`lostbits_abi::explain::cell`].

use lostbits_abi::{
    explain::{Event, cell, meta},
    kind::FpKind,
    mode::Mode,
    shadow,
};

use super::measure::power_of_two;

/// Bytes from one `long double` to the next.
const X87_BYTES: usize = 16;

/// What a plane says of an address.
unsafe fn word<T>(at: usize, plane: usize) -> T {
    let planes = shadow::planes(Mode::Explain);
    let mirror = at.wrapping_sub(shadow::distance(planes[plane]) as usize);
    unsafe { (mirror as *const T).read() }
}

/// Puts the number at an address into an event, as its first operand, if it was computed; gives its size.
///
/// # Safety
///
/// There is memory up to `end`, which `at` is at least 4 bytes before, and at a multiple of 4.
pub unsafe fn put_computed(event: &mut Event, at: usize, end: usize) -> Option<usize> {
    let is_wide = at.is_multiple_of(8) && at + 8 <= end;
    let wide = is_wide.then(|| unsafe { put_wide(event, at, end) });
    wide.flatten()
        .or_else(|| unsafe { put_float(event, at) }.then_some(4))
}

unsafe fn put_wide(event: &mut Event, at: usize, end: usize) -> Option<usize> {
    let bits = unsafe { (at as *const u64).read() };
    let stored: u64 = unsafe { word(at, 1) };
    let is_long = stored & cell::IS_X87 != 0;
    cell::bound(stored, bits)?;
    if unsafe { word::<u64>(at, 2) } == 0 || (is_long && at + X87_BYTES > end) {
        return None;
    }
    match is_long {
        true => unsafe { put_x87(event, at) },
        false => unsafe { put_double(event, at) },
    }
    Some(if is_long { X87_BYTES } else { 8 })
}

unsafe fn put_float(event: &mut Event, at: usize) -> bool {
    let bits = unsafe { (at as *const u32).read() };
    let meta = unsafe { meta::new(word(at, 2), word(at, 3)) };
    let bound = cell::float_bound(unsafe { word(at, 1) }, bits);
    let Some(bound) = bound.filter(|_| meta != 0) else {
        return false;
    };
    event.kind = FpKind::Float as u8;
    event.values[1] = f64::from(f32::from_bits(bits));
    event.residues[1] = f64::from(unsafe { word::<f32>(at, 0) });
    event.bounds[1] = bound;
    event.metas[1] = meta;
    true
}

/// A double; without a cell of its own it is exact.
pub unsafe fn put_double(event: &mut Event, at: usize) {
    let bits = unsafe { (at as *const u64).read() };
    event.kind = FpKind::Double as u8;
    event.values[1] = f64::from_bits(bits);
    unsafe { put_shadow(event, at, bits) };
}

/// A `float` that was passed as a double behind `…`, or a double that was one from the start.
pub unsafe fn put_variadic(event: &mut Event, at: usize) {
    unsafe {
        put_double(event, at);
        let bits = (at as *const u64).read();
        let stored: u64 = word(at, 1);
        if stored & cell::WAS_FLOAT != 0 && cell::bound(stored, bits).is_some() {
            event.kind = FpKind::Float as u8;
        }
    }
}

/// A `long double`; likewise.
pub unsafe fn put_x87(event: &mut Event, at: usize) {
    let significand = unsafe { (at as *const u64).read() };
    let high = unsafe { ((at + 8) as *const u16).read() };
    event.kind = FpKind::X87 as u8;
    (event.values[1], event.tails[1]) = in_two(significand, high);
    unsafe { put_shadow(event, at, significand) };
}

unsafe fn put_shadow(event: &mut Event, at: usize, bits: u64) {
    let bound = cell::bound(unsafe { word(at, 1) }, bits);
    let known = bound.is_some();
    event.residues[1] = if known { unsafe { word(at, 0) } } else { 0.0 };
    event.bounds[1] = bound.unwrap_or(0.0);
    event.metas[1] = if known { unsafe { word(at, 2) } } else { 0 };
}

/// The double next to an x87 number, and what is left of it.
fn in_two(significand: u64, high: u16) -> (f64, f64) {
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
    // In two steps, because a significand is 2^63: what it is scaled by may be no double where the result is.
    let half = exponent / 2;
    part * power_of_two(half) * power_of_two(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::in_two;

    const ONE: u16 = 0x3fff;

    #[test]
    fn long_doubles_come_in_two_parts() {
        assert_eq!(in_two(1 << 63, ONE), (1.0, 0.0));
        assert_eq!(in_two(0, 0x8000), (0.0, 0.0));
        assert_eq!(in_two(3 << 62, ONE | 0x8000), (-1.5, 0.0));
        // 1 + 2^-63, and the number before 2.
        assert_eq!(in_two(1 << 63 | 1, ONE), (1.0, f64::EPSILON / 2048.0));
        assert_eq!(in_two(u64::MAX, ONE), (2.0, -f64::EPSILON / 2048.0));
        // 2^1024 is no double, 2^-1074 is one.
        assert_eq!(in_two(1 << 63, ONE + 1024), (f64::INFINITY, 0.0));
        assert_eq!(in_two(1 << 63, ONE - 1074), (5e-324, 0.0));
        assert_eq!(in_two(1 << 63, 0xffff), (f64::NEG_INFINITY, 0.0));
        assert!(in_two(3 << 62, 0x7fff).0.is_nan());
    }
}
