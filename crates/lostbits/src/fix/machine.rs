//! Terms as the machine computes them: each operation in the format, library functions by this machine's libm.
//!
//! The same as [`crate::fpcore::evaluate::machine`], but for straight-line terms and many inputs at a time, because
//! the search evaluates thousands of candidates. A test holds the two against each other.

use std::{ffi::CStr, sync::OnceLock};

use lostbits_abi::ops::Op;
use rug::Rational;

use super::math::{CONSTANTS, Math, Term};
use crate::fpcore::{ast::Format, evaluate::reals::constant_value};

unsafe extern "C" {
    safe fn asinh(x: f64) -> f64;
    safe fn acosh(x: f64) -> f64;
    safe fn atanh(x: f64) -> f64;
    safe fn asinhf(x: f32) -> f32;
    safe fn acoshf(x: f32) -> f32;
    safe fn atanhf(x: f32) -> f32;
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn erff(x: f32) -> f32;
    safe fn erfcf(x: f32) -> f32;
}

/// C's cube root. Rust's own `cbrt` is another function than glibc's, and rounds differently.
fn cbrt_of_libm(x: f64) -> f64 {
    static CBRT: OnceLock<usize> = OnceLock::new();
    let place = *CBRT.get_or_init(|| in_libm(c"cbrt"));
    // SAFETY: the symbol of this name is a function of a double.
    unsafe { std::mem::transmute::<usize, extern "C" fn(f64) -> f64>(place)(x) }
}

fn cbrtf_of_libm(x: f32) -> f32 {
    static CBRT: OnceLock<usize> = OnceLock::new();
    let place = *CBRT.get_or_init(|| in_libm(c"cbrtf"));
    // SAFETY: the symbol of this name is a function of a float.
    unsafe { std::mem::transmute::<usize, extern "C" fn(f32) -> f32>(place)(x) }
}

/// The address of a function of libm, which is never unloaded.
fn in_libm(name: &CStr) -> usize {
    // SAFETY: both names are C strings.
    let symbol = unsafe {
        let libm = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW);
        assert!(!libm.is_null(), "every Linux with glibc has libm.so.6");
        libc::dlsym(libm, name.as_ptr())
    };
    assert!(!symbol.is_null(), "libm has {name:?}");
    symbol as usize
}

/// The formats that are repaired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    Single,
    Double,
}

impl Width {
    pub fn of(format: Format) -> Option<Width> {
        match format {
            Format::Binary32 => Some(Width::Single),
            Format::Binary64 => Some(Width::Double),
            _ => None,
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Width::Single => 24,
            Width::Double => 53,
        }
    }

    pub fn round(self, x: f64) -> f64 {
        match self {
            Width::Single => f64::from(x as f32),
            Width::Double => x,
        }
    }
}

macro_rules! define_apply {
    ($name:ident, $type:ty, $asinh:ident, $acosh:ident, $atanh:ident, $erf:ident, $erfc:ident, $cbrt:ident) => {
        fn $name(op: Op, x: &[$type]) -> Option<$type> {
            Some(match op {
                Op::Add => x[0] + x[1],
                Op::Sub => x[0] - x[1],
                Op::Mul => x[0] * x[1],
                Op::Div => x[0] / x[1],
                Op::Neg => -x[0],
                Op::Abs => x[0].abs(),
                Op::Sqrt => x[0].sqrt(),
                Op::Fma => x[0].mul_add(x[1], x[2]),
                Op::Cbrt => $cbrt(x[0]),
                Op::Hypot => x[0].hypot(x[1]),
                Op::Sin => x[0].sin(),
                Op::Cos => x[0].cos(),
                Op::Tan => x[0].tan(),
                Op::Asin => x[0].asin(),
                Op::Acos => x[0].acos(),
                Op::Atan => x[0].atan(),
                Op::Atan2 => x[0].atan2(x[1]),
                Op::Sinh => x[0].sinh(),
                Op::Cosh => x[0].cosh(),
                Op::Tanh => x[0].tanh(),
                Op::Asinh => $asinh(x[0]),
                Op::Acosh => $acosh(x[0]),
                Op::Atanh => $atanh(x[0]),
                Op::Exp => x[0].exp(),
                Op::Exp2 => x[0].exp2(),
                Op::Expm1 => x[0].exp_m1(),
                Op::Log => x[0].ln(),
                Op::Log2 => x[0].log2(),
                Op::Log10 => x[0].log10(),
                Op::Log1p => x[0].ln_1p(),
                Op::Pow => x[0].powf(x[1]),
                Op::Erf => $erf(x[0]),
                Op::Erfc => $erfc(x[0]),
                Op::Fmin => x[0].min(x[1]),
                Op::Fmax => x[0].max(x[1]),
                Op::Fdim => (x[0] - x[1]).max(0.0),
                Op::Floor => x[0].floor(),
                Op::Ceil => x[0].ceil(),
                Op::Trunc => x[0].trunc(),
                Op::CopySign => x[0].copysign(x[1]),
                Op::Rem => x[0] % x[1],
                _ => return None,
            })
        }
    };
}
define_apply!(double, f64, asinh, acosh, atanh, erf, erfc, cbrt_of_libm);
define_apply!(
    single,
    f32,
    asinhf,
    acoshf,
    atanhf,
    erff,
    erfcf,
    cbrtf_of_libm
);

/// One operation; none where the search has no such operation.
pub fn apply(op: Op, x: &[f64], width: Width) -> Option<f64> {
    match width {
        Width::Double => double(op, x),
        Width::Single => {
            let mut narrow = [0f32; 3];
            for (to, from) in narrow.iter_mut().zip(x) {
                *to = *from as f32;
            }
            single(op, &narrow[..x.len()]).map(f64::from)
        }
    }
}

/// Whether the operation is among those that [`apply`] computes.
pub fn is_known(op: Op) -> bool {
    double(op, &[0.5, 0.5, 0.5]).is_some()
}

/// A leaf's value.
pub fn leaf(node: &Math, inputs: &[f64], width: Width) -> f64 {
    match node {
        Math::Number(value) => number(value, width),
        Math::Constant(index) => {
            constant_value(CONSTANTS[usize::from(*index)], width.bits()).to_f64()
        }
        Math::Variable(index) => inputs[*index as usize],
        _ => f64::NAN,
    }
}

/// The nearest number of the format, which is what a fraction of two of its numbers computes to.
pub fn number(value: &Rational, width: Width) -> f64 {
    let rounded = rug::Float::with_val(width.bits(), value);
    match width {
        Width::Double => rounded.to_f64(),
        Width::Single => f64::from(rounded.to_f32()),
    }
}

/// The values of all nodes for an input.
pub fn trace(term: &Term, inputs: &[f64], width: Width) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::with_capacity(term.len());
    for node in term.iter() {
        let value = match node.op() {
            None => leaf(node, inputs, width),
            Some(op) => {
                let mut operands = [0.0; 3];
                let children = egg::Language::children(node);
                for (operand, id) in operands.iter_mut().zip(children) {
                    *operand = values[usize::from(*id)];
                }
                apply(op, &operands[..children.len()], width).unwrap_or(f64::NAN)
            }
        };
        values.push(value);
    }
    values
}

/// The value for an input.
pub fn evaluate(term: &Term, inputs: &[f64], width: Width) -> f64 {
    trace(term, inputs, width)
        .last()
        .copied()
        .unwrap_or(f64::NAN)
}
