// Calls across the C ABI in both directions: libm by extern "C", qsort with a Rust callback, variadic
// printf-family with doubles, repr(C) structs by value.
use std::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn erf(x: f64) -> f64;
    fn cbrtf(x: f32) -> f32;
    fn lgamma(x: f64) -> f64;
    fn frexp(x: f64, exponent: *mut c_int) -> f64;
    fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
    fn qsort(
        base: *mut c_void,
        n: usize,
        size: usize,
        compare: extern "C" fn(*const c_void, *const c_void) -> c_int,
    );
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Mixed {
    x: f64,
    y: f32,
    n: i32,
    tail: [f64; 3],
}

extern "C" fn by_sine(a: *const c_void, b: *const c_void) -> c_int {
    // SAFETY: qsort hands out pointers into the array of f64 below.
    let (a, b) = unsafe { (*a.cast::<f64>(), *b.cast::<f64>()) };
    a.sin()
        .partial_cmp(&b.sin())
        .map_or(0, |order| order as c_int)
}

#[inline(never)]
extern "C" fn turn(m: Mixed, s: f32) -> Mixed {
    Mixed {
        x: m.x * f64::from(s),
        y: m.y + s,
        n: m.n + 1,
        tail: [m.tail[2], m.tail[0] / 3.0, m.tail[1] + m.x],
    }
}

fn main() {
    let seed: f64 = std::hint::black_box(0.71);
    let callback: extern "C" fn(Mixed, f32) -> Mixed = std::hint::black_box(turn);
    let mut m = Mixed {
        x: seed,
        y: 0.2,
        n: 0,
        tail: [1.5, seed, -seed],
    };
    let mut values: Vec<f64> = (0..50).map(|i| i as f64 * seed).collect();
    // SAFETY: the arguments are what the C library asks for.
    unsafe {
        qsort(values.as_mut_ptr().cast(), values.len(), 8, by_sine);
        for (i, x) in values.iter().enumerate().step_by(7) {
            let mut exponent = 0;
            let parts = (
                erf(x / 9.0),
                lgamma(x + 1.5),
                frexp(x + 0.1, &mut exponent),
                cbrtf(*x as f32),
            );
            println!(
                "{i} {:016x} {:016x} {:016x} {exponent} {:08x}",
                parts.0.to_bits(),
                parts.1.to_bits(),
                (parts.2 * 3.0).to_bits(),
                parts.3.to_bits()
            );
            let mut text = [0u8; 128];
            let length = snprintf(
                text.as_mut_ptr().cast(),
                text.len(),
                c"%.17g %d %a".as_ptr(),
                x / 3.0,
                exponent,
                parts.0,
            );
            let back = strtod(text.as_ptr().cast(), std::ptr::null_mut());
            println!(
                "{} {}",
                String::from_utf8_lossy(&text[..length as usize]),
                back == x / 3.0
            );
            m = callback(m, 0.9);
            println!(
                "{:016x} {:08x} {} {:016x}",
                m.x.to_bits(),
                m.y.to_bits(),
                m.n,
                m.tail[1].to_bits()
            );
        }
    }
}
