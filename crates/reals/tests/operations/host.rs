//! The operations as this machine computes them: instructions, and libm by the names in the table.

use std::ffi::{CString, c_int, c_long, c_void};

use lostbits_abi::ops::{Op, Operand, Outcome};

type Function = Box<dyn Fn(&[f64]) -> Option<f64>>;

/// The host's operation on doubles; its result is `None` where C leaves it undefined.
pub fn host(op: Op) -> Option<Function> {
    instruction(op).or_else(|| library(op))
}

fn instruction(op: Op) -> Option<Function> {
    let function: fn(&[f64]) -> Option<f64> = match op {
        Op::Add | Op::ReduceAdd => |x| Some(x[0] + x[1]),
        Op::Sub => |x| Some(x[0] - x[1]),
        Op::Mul | Op::ReduceMul => |x| Some(x[0] * x[1]),
        Op::Div => |x| Some(x[0] / x[1]),
        Op::Neg => |x| Some(-x[0]),
        Op::MulAdd => |x| Some(x[0].mul_add(x[1], x[2])),
        Op::Powi => |x| Some(x[0].powi(x[1] as i32)),
        Op::ToSigned => |x| (x[0].abs() < 9e18).then(|| (x[0] as i64) as f64),
        Op::ToUnsigned => |x| (0.0..1e19).contains(&x[0]).then(|| (x[0] as u64) as f64),
        // In exact arithmetic these do nothing.
        Op::Extend
        | Op::Truncate
        | Op::FromSigned
        | Op::FromUnsigned
        | Op::Canonicalize
        | Op::ComplexPart => |x| Some(x[0]),
        Op::ReduceMin | Op::ReduceMax | Op::ReduceMinimum | Op::ReduceMaximum => |x| Some(x[0]),
        _ => return None,
    };
    Some(Box::new(function))
}

fn library(op: Op) -> Option<Function> {
    let symbol = symbol(op.info().library.first()?)?;
    // SAFETY: the table's operands and outcome are the C prototype, pointers for second results
    // aside, which the special cases have.
    unsafe {
        Some(match op {
            Op::Frexp => {
                let f: extern "C" fn(f64, &mut c_int) -> f64 = std::mem::transmute(symbol);
                Box::new(move |x| Some(f(x[0], &mut 0)))
            }
            Op::Modf => {
                let f: extern "C" fn(f64, &mut f64) -> f64 = std::mem::transmute(symbol);
                Box::new(move |x| Some(f(x[0], &mut 0.0)))
            }
            Op::Sincos | Op::SincosPi => {
                let f: extern "C" fn(f64, &mut f64, &mut f64) = std::mem::transmute(symbol);
                Box::new(move |x| {
                    let mut sine = 0.0;
                    f(x[0], &mut sine, &mut 0.0);
                    Some(sine)
                })
            }
            Op::Ilogb => {
                let f: extern "C" fn(f64) -> c_int = std::mem::transmute(symbol);
                Box::new(move |x| x[0].is_normal().then(|| f64::from(f(x[0]))))
            }
            _ => by_prototype(op, symbol)?,
        })
    }
}

/// # Safety
/// The symbol must have the prototype of the row.
unsafe fn by_prototype(op: Op, symbol: *mut c_void) -> Option<Function> {
    use Operand::{Integer, Real};
    let info = op.info();
    // SAFETY: by the caller.
    unsafe {
        Some(match (info.operands, info.outcome) {
            ([Real], Outcome::Real) => {
                let f: extern "C" fn(f64) -> f64 = std::mem::transmute(symbol);
                Box::new(move |x| Some(f(x[0])))
            }
            ([Real], Outcome::Integer) => {
                let f: extern "C" fn(f64) -> c_long = std::mem::transmute(symbol);
                Box::new(move |x| (x[0].abs() < 9e18).then(|| f(x[0]) as f64))
            }
            ([Real, Real], Outcome::Real) => {
                let f: extern "C" fn(f64, f64) -> f64 = std::mem::transmute(symbol);
                Box::new(move |x| Some(f(x[0], x[1])))
            }
            ([Real, Integer], Outcome::Real) => {
                let f: extern "C" fn(f64, c_int) -> f64 = std::mem::transmute(symbol);
                Box::new(move |x| Some(f(x[0], x[1] as c_int)))
            }
            ([Integer, Real], Outcome::Real) => {
                let f: extern "C" fn(c_int, f64) -> f64 = std::mem::transmute(symbol);
                Box::new(move |x| Some(f(x[0] as c_int, x[1])))
            }
            ([Real, Real, Real], Outcome::Real) => {
                let f: extern "C" fn(f64, f64, f64) -> f64 = std::mem::transmute(symbol);
                Box::new(move |x| Some(f(x[0], x[1], x[2])))
            }
            _ => return None,
        })
    }
}

pub fn symbol(name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).unwrap();
    // SAFETY: libm is never closed, so that the pointers stay good.
    let pointer = unsafe {
        let libm = libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW);
        assert!(!libm.is_null(), "this test needs glibc's libm.so.6");
        libc::dlsym(libm, name.as_ptr())
    };
    (!pointer.is_null()).then_some(pointer)
}
