use std::slice;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Point {
    x: f64,
    y: f32,
}

/// # Safety
/// `v` points to `n` doubles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn shapes_fold(
    v: *mut f64,
    n: usize,
    f: extern "C" fn(f64, f32) -> f64,
) -> f64 {
    let v = unsafe { slice::from_raw_parts_mut(v, n) };
    v.sort_by(|a, b| a.total_cmp(b));
    v.iter_mut().fold(0.5, |sum, x| {
        *x = f(*x, 0.3) / 3.0;
        sum * 0.75 + *x
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn shapes_move(p: Point, by: f64) -> Point {
    Point {
        x: p.x + by,
        y: (f64::from(p.y) * by) as f32,
    }
}
