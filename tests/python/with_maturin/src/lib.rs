//! The smaller root of x^2 - 2 b x + 1, computed with a cancellation; and the same for all numbers of a buffer.
use pyo3::{buffer::PyBuffer, prelude::*};

#[pyfunction]
fn root(b: f64) -> f64 {
    let wide = (b * b - 1.0).sqrt();
    b - wide // PLANTED
}

#[pyfunction]
fn scaled(b: f64) -> f64 {
    3.0 * b
}

#[pyfunction]
fn roots(py: Python, numbers: PyBuffer<f64>) -> PyResult<()> {
    for number in numbers.as_mut_slice(py).unwrap() {
        number.set(root(number.get()));
    }
    Ok(())
}

#[pyfunction]
fn total(py: Python, numbers: PyBuffer<f64>) -> f64 {
    numbers.as_slice(py).unwrap().iter().map(|number| number.get()).sum()
}

#[pymodule]
fn with_maturin(module: &Bound<PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(root, module)?)?;
    module.add_function(wrap_pyfunction!(scaled, module)?)?;
    module.add_function(wrap_pyfunction!(roots, module)?)?;
    module.add_function(wrap_pyfunction!(total, module)?)
}
