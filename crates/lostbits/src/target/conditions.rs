//! Condition numbers of traced operations, fast: from operands and result.
//!
//! The numbers are those of the operation table (Atomu, POPL 2020, Table 2); where the result is known they
//! need no second call of a library function. Everything else asks the table.

use lostbits_abi::ops::Op;

/// The largest condition number over the operands; infinite where the result is zero by cancellation.
pub fn largest(op: Op, x: f64, y: f64, result: f64) -> f64 {
    use Op::*;
    match op {
        Add | Sub | Fma | MulAdd => sum(x.abs().max(y.abs()), result.abs()),
        Mul | Div => 1.0,
        Sqrt | Rsqrt => 0.5,
        Sin | Cos => x.abs() * (1.0 - result * result).max(0.0).sqrt() / result.abs(),
        Tan => x.abs() * (1.0 + result * result) / result.abs(),
        Exp => x.abs(),
        Log => 1.0 / result.abs(),
        Log10 => std::f64::consts::LOG10_E / result.abs(),
        Log2 => std::f64::consts::LOG2_E / result.abs(),
        Log1p if result != 0.0 => (x / (1.0 + x) / result).abs(),
        Pow if result > 0.0 => y.abs().max(result.ln().abs()),
        // At a jump nothing is amplified: the path is another.
        Compare | Floor | Ceil | Trunc | Round | RoundEven | Rint | Nearbyint => 0.0,
        Truncate => 1.0,
        _ => from_table(op, x, y),
    }
}

fn sum(larger: f64, result: f64) -> f64 {
    if larger == 0.0 { 0.0 } else { larger / result }
}

fn from_table(op: Op, x: f64, y: f64) -> f64 {
    let operands = [x, y];
    let arity = op.info().arity().min(2);
    let numbers = op.condition(&operands[..arity]);
    numbers.into_iter().fold(0.0, f64::max)
}

/// The magnitudes of the partial derivatives.
pub fn slopes(op: Op, x: f64, y: f64, result: f64) -> [f64; 2] {
    use Op::*;
    let of_x = match op {
        Sin | Cos => (1.0 - result * result).max(0.0).sqrt(),
        Tan => 1.0 + result * result,
        Exp => result.abs(),
        Log => (1.0 / x).abs(),
        Log10 => (std::f64::consts::LOG10_E / x).abs(),
        Log2 => (std::f64::consts::LOG2_E / x).abs(),
        Log1p => (1.0 / (1.0 + x)).abs(),
        Pow if x != 0.0 => {
            return [(y * result / x).abs(), (result * x.abs().ln()).abs()];
        }
        Atan => 1.0 / (1.0 + x * x),
        Floor | Ceil | Trunc | Round | RoundEven | Rint | Nearbyint => 0.0,
        Rem => return [1.0, ((x - result) / y).abs()],
        _ => {
            let arity = op.info().arity().min(2);
            let numbers = op.condition(&[x, y][..arity]);
            let slope = |number: f64, operand: f64| {
                if operand == 0.0 || !number.is_finite() {
                    0.0
                } else {
                    (number * result / operand).abs()
                }
            };
            return [slope(numbers[0], x), slope(numbers[1], y)];
        }
    };
    [of_x, 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_numbers_are_the_tables() {
        let cases = [
            (Op::Sin, 3.1f64, 0.0, 3.1f64.sin()),
            (Op::Cos, 1.5, 0.0, 1.5f64.cos()),
            (Op::Tan, 1.5, 0.0, 1.5f64.tan()),
            (Op::Exp, -30.0, 0.0, (-30.0f64).exp()),
            (Op::Log, 1.01, 0.0, 1.01f64.ln()),
            (Op::Log10, 1.01, 0.0, 1.01f64.log10()),
            (Op::Log2, 0.98, 0.0, 0.98f64.log2()),
            (Op::Log1p, 0.3, 0.0, 0.3f64.ln_1p()),
            (Op::Pow, 1.3, 40.0, 1.3f64.powf(40.0)),
            (Op::Add, 1.0, -0.999, 1.0 - 0.999),
            (Op::Sub, 1.0, 0.999, 1.0 - 0.999),
        ];
        for (op, x, y, result) in cases {
            let table = from_table(op, x, y);
            let fast = largest(op, x, y, result);
            assert!((fast / table - 1.0).abs() < 1e-9, "{op:?}: {fast} {table}");
            let [slope, _] = slopes(op, x, y, result);
            let number = op.condition(&[x, y][..op.info().arity()])[0];
            let expected = number * result.abs() / x.abs();
            assert!(
                (slope / expected - 1.0).abs() < 1e-9,
                "{op:?}: {slope} {expected}"
            );
        }
    }
}
