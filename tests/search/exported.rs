//! What Rust exports can be called.

#[unsafe(no_mangle)]
pub extern "C" fn versine(x: f64) -> f64 {
    (1.0 - x.cos()) / (x * x) // guilty
}

pub fn kept_inside(x: f64) -> f64 {
    x - 1.0
}
