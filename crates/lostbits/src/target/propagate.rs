//! What the errors of a run's operations do to its result, to first order, from its trace.
//!
//! This is the chain of condition numbers from an operation to the output (FPCC's idea), in absolute
//! terms: each value carries the error that is known exactly (the rounding errors of sums, products,
//! quotients and roots can be computed, and so can their derivatives) and a bound for what is
//! not (library functions; constants that look rounded). The origin of an operand is found by its bits:
//! the latest result that had them. So no shadows have to be carried, and nothing costs more than the
//! trace itself.
//!
//! What it can miss: values that went through code without a trace are taken for exact; two values that
//! have the same bits by chance are mixed up; jumps (rounding to integers, branches) are followed as the
//! program took them.

use lostbits_abi::{kind::FpKind, ops::Op};

use crate::numeric::Relative;

use super::conditions::slopes;

/// An error: what is known of it, and a bound for the rest. Absolute.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Deviation {
    pub known: f64,
    pub bound: f64,
}

impl Deviation {
    pub fn magnitude(self) -> f64 {
        self.known.abs() + self.bound
    }

    /// The relative error of a computed value: against what would have been right.
    pub fn relative(self, computed: f64) -> Relative {
        let size = self.magnitude();
        if size == 0.0 || size.is_nan() || !computed.is_finite() {
            return Relative::NONE;
        }
        let right = (computed + self.known).abs();
        Relative::new(match computed {
            0.0 => 1.0,
            _ => size / right.max(size * 1e-300),
        })
    }
}

pub struct Operation {
    pub op: Op,
    pub kind: FpKind,
    pub x: f64,
    pub y: f64,
    pub result: f64,
    pub x_is_constant: bool,
    pub y_is_constant: bool,
}

const SLOTS: usize = 1 << 13;

/// The deviations of the values that a run has computed so far, by their bits without the sign.
pub struct Deviations {
    keys: Box<[u64; SLOTS]>,
    values: Box<[Deviation; SLOTS]>,
    /// Whether results with these bits had several deviations, or were made of such.
    several: Box<[bool; SLOTS]>,
    used: Vec<u32>,
    zero: LatestZero,
    /// Keys of the call's input.
    inputs: Vec<u64>,
}

/// Whether a zero that comes out may be the latest zero that was computed: zeros are common, and many that
/// are returned are constants. One that went into a further result was made for that.
#[derive(Clone, Copy, Default)]
pub struct LatestZero {
    may_come_out: bool,
}

impl LatestZero {
    pub fn see(&mut self, op: Op, operands: [(f64, bool); 2], result: f64) {
        if op == Op::Compare {
            return;
        }
        let is_operand = operands
            .iter()
            .any(|(value, is_constant)| *value == 0.0 && !is_constant);
        if result == 0.0 {
            // A remainder's zero is a decision: what is returned then is a constant.
            self.may_come_out = op != Op::Rem;
        } else if is_operand {
            self.may_come_out = false;
        }
    }

    pub fn is_meant_by(self, output: f64) -> bool {
        output != 0.0 || self.may_come_out
    }
}

impl Default for Deviations {
    fn default() -> Deviations {
        Deviations {
            keys: Box::new([0; SLOTS]),
            values: Box::new([Deviation::default(); SLOTS]),
            several: Box::new([false; SLOTS]),
            used: Vec::new(),
            zero: LatestZero::default(),
            inputs: Vec::new(),
        }
    }
}

impl Deviations {
    /// A call with this input begins.
    pub fn begin(&mut self, input: &[f64]) {
        self.inputs.clear();
        self.inputs.extend(input.iter().map(|number| key(*number)));
        self.zero = LatestZero::default();
        for slot in self.used.drain(..) {
            self.keys[slot as usize] = 0;
        }
    }

    pub fn of(&self, value: f64) -> Deviation {
        let key = key(value);
        let slot = self.slot(key);
        if self.keys[slot] == key {
            self.values[slot]
        } else {
            Deviation::default()
        }
    }

    /// Where a key is, or would be.
    fn slot(&self, key: u64) -> usize {
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize;
        while self.keys[slot] != 0 && self.keys[slot] != key {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    /// An operation was executed. Beyond what the table holds, results are taken for exact.
    pub fn add(&mut self, operation: &Operation) {
        if operation.op == Op::Compare {
            return;
        }
        let operands = [
            (operation.x, operation.x_is_constant),
            (operation.y, operation.y_is_constant),
        ];
        self.zero.see(operation.op, operands, operation.result);
        let key = key(operation.result);
        // Zero has a key too: a result that cancelled wholly has an error.
        let slot = self.slot(key);
        let is_new = self.keys[slot] == 0;
        let [mut x, y] = self.operands(operation);
        let several = self.has_several(operation.x) || self.has_several(operation.y);
        // `sqrt(b*b - 4*a*c) - b`: where two numbers of different origin have the same bits, their errors do not cancel.
        let cancels = operation.result == 0.0
            && matches!(operation.op, Op::Add | Op::Sub | Op::Fma | Op::MulAdd);
        if cancels && (several || self.inputs.contains(&self::key(operation.x))) {
            x = Deviation::default();
        }
        let deviation = of_result(operation, x, y);
        if is_new {
            if self.used.len() > SLOTS / 2 || deviation == Deviation::default() && !several {
                return;
            }
            self.used.push(slot as u32);
            self.keys[slot] = key;
            self.several[slot] = several;
        } else {
            self.several[slot] |= several || self.values[slot] != deviation;
        }
        self.values[slot] = deviation;
    }

    fn has_several(&self, value: f64) -> bool {
        let key = key(value);
        let slot = self.slot(key);
        self.keys[slot] == key && self.several[slot]
    }

    fn operands(&self, operation: &Operation) -> [Deviation; 2] {
        let operand = |value, is_constant| {
            if is_constant {
                of_constant(value, operation.kind)
            } else {
                signed(self.of(value), value)
            }
        };
        [
            operand(operation.x, operation.x_is_constant),
            operand(operation.y, operation.y_is_constant),
        ]
    }

    /// The relative error of an output.
    pub fn relative(&self, output: f64) -> Relative {
        if !self.zero.is_meant_by(output) {
            return Relative::NONE;
        }
        signed(self.of(output), output).relative(output)
    }
}

/// Never 0, which marks a free slot.
fn key(value: f64) -> u64 {
    (value.to_bits() << 1) | 1
}

/// Deviations are kept for the value without its sign.
fn signed(deviation: Deviation, value: f64) -> Deviation {
    Deviation {
        known: if value.is_sign_negative() {
            -deviation.known
        } else {
            deviation.known
        },
        bound: deviation.bound,
    }
}

/// A constant with many digits was most likely rounded when it was written down.
fn of_constant(value: f64, kind: FpKind) -> Deviation {
    const FEW: u32 = 26;
    let zeros = value.to_bits().trailing_zeros();
    let bound = match kind {
        FpKind::Double if zeros < 52 - FEW => value.abs() * unit(kind) / 2.0,
        _ => 0.0,
    };
    Deviation { known: 0.0, bound }
}

/// Half a unit in the last place of numbers near one.
fn unit(kind: FpKind) -> f64 {
    // By bits: this is asked for every constant of every run, and exp2 is a call.
    f64::from_bits((1023 - u64::from(kind.precision())) << 52)
}

fn of_result(operation: &Operation, x: Deviation, y: Deviation) -> Deviation {
    use Op::*;
    let Operation {
        op,
        kind,
        x: a,
        y: b,
        result,
        ..
    } = *operation;
    let (known, bound) = match op {
        Add | Fma | MulAdd => (
            x.known + y.known + sum_rest(a, b, result),
            x.bound + y.bound,
        ),
        Sub => (
            x.known - y.known + sum_rest(a, -b, result),
            x.bound + y.bound,
        ),
        Mul => (
            x.known * b + y.known * a + product_rest(a, b, result),
            x.bound * b.abs() + y.bound * a.abs(),
        ),
        Div => (
            (x.known - result * y.known + a - result * b - product_rest(result, b, result * b)) / b,
            (x.bound + result.abs() * y.bound) / b.abs(),
        ),
        Sqrt if result != 0.0 => {
            let rest = a - result * result - product_rest(result, result, result * result);
            ((x.known + rest) / (2.0 * result), x.bound / (2.0 * result))
        }
        Truncate => (x.known + (a - result), x.bound),
        Floor | Ceil | Trunc | Round | RoundEven | Rint | Nearbyint => (0.0, 0.0),
        Ldexp | Scalbn if a != 0.0 => (x.known * (result / a), x.bound * (result / a).abs()),
        _ => {
            let [of_x, of_y] = slopes(op, a, b, result);
            let y = if op.info().arity() > 1 {
                y.magnitude()
            } else {
                0.0
            };
            let inherited = of_x * x.magnitude() + of_y * y;
            (0.0, inherited + result.abs() * unit(kind))
        }
    };
    let deviation = Deviation {
        known: if result.is_sign_negative() {
            -known
        } else {
            known
        },
        bound,
    };
    match deviation.known.is_finite() && deviation.bound.is_finite() {
        true if result.is_finite() => underflowed(operation, deviation),
        _ => overflowed(operation, x, y),
    }
}

/// A product or quotient that became zero or subnormal has an error that its rest does not show.
fn underflowed(operation: &Operation, mut deviation: Deviation) -> Deviation {
    let Operation {
        op, x, y, result, ..
    } = *operation;
    let is_small = result.abs() < f64::MIN_POSITIVE && x != 0.0 && (op == Op::Div || y != 0.0);
    if is_small && matches!(op, Op::Mul | Op::Div) && y.is_finite() {
        deviation.bound += f64::MIN_POSITIVE;
    }
    deviation
}

/// An infinite result of finite operands could be any number; so could what is made of it.
fn overflowed(operation: &Operation, x: Deviation, y: Deviation) -> Deviation {
    let Operation {
        x: a, y: b, result, ..
    } = *operation;
    let begins = result.is_infinite() && a.is_finite() && b.is_finite() && !is_pole(operation);
    let goes_on = x.bound.is_infinite() || y.bound.is_infinite();
    let bound = match result.is_finite() {
        false if begins || goes_on => f64::INFINITY,
        true if goes_on => result.abs().max(f64::MIN_POSITIVE),
        _ => 0.0,
    };
    Deviation { known: 0.0, bound }
}

/// Where the right result is infinite, too.
fn is_pole(operation: &Operation) -> bool {
    match operation.op {
        Op::Div => operation.y == 0.0,
        Op::Add | Op::Sub | Op::Mul => false,
        // Whether a function has a pole here or overflows is not asked.
        _ => true,
    }
}

/// x + y - result, exactly (Knuth's two-sum) where nothing overflows.
fn sum_rest(x: f64, y: f64, result: f64) -> f64 {
    let sum = x + y;
    let from_y = sum - x;
    let rest = (x - (sum - from_y)) + (y - from_y);
    rest + (sum - result)
}

/// x · y - result.
fn product_rest(x: f64, y: f64, result: f64) -> f64 {
    let product = x * y;
    x.mul_add(y, -product) + (product - result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(op: Op, x: f64, y: f64, result: f64) -> Operation {
        Operation {
            op,
            kind: FpKind::Double,
            x,
            y,
            result,
            x_is_constant: false,
            y_is_constant: false,
        }
    }

    /// x / x² at 1e200 is 0 and should be 1e-200; 1 / 0 is rightly infinite.
    #[test]
    fn overflow_is_an_error_and_a_pole_is_none() {
        let mut deviations = Deviations::default();
        deviations.add(&operation(Op::Mul, 1e200, 1e200, f64::INFINITY));
        deviations.add(&operation(Op::Div, 1e200, f64::INFINITY, 0.0));
        assert_eq!(deviations.relative(0.0).get(), 1.0);
        deviations.begin(&[]);
        deviations.add(&operation(Op::Div, 1.0, 0.0, f64::INFINITY));
        deviations.add(&operation(Op::Div, 1.0, f64::INFINITY, 0.0));
        assert_eq!(deviations.relative(0.0).get(), 0.0);
    }

    /// (1 - cos x) / x² at 1e-7: the paper's Figure 1 has a relative error of 8e-4.
    #[test]
    fn the_first_figure_of_atomu() {
        let x = 1e-7f64;
        let cosine = x.cos();
        let (difference, square) = (1.0 - cosine, x * x);
        let quotient = difference / square;
        let mut deviations = Deviations::default();
        deviations.add(&operation(Op::Cos, x, x, cosine));
        deviations.add(&operation(Op::Sub, 1.0, cosine, difference));
        deviations.add(&operation(Op::Mul, x, x, square));
        deviations.add(&operation(Op::Div, difference, square, quotient));
        let error = deviations.relative(quotient).get();
        assert!((1e-4..1e-1).contains(&error), "{error}");
        deviations.begin(&[]);
        assert_eq!(deviations.relative(quotient).get(), 0.0);
    }

    /// Known errors are the true ones, to first order.
    #[test]
    fn rounding_errors_are_known() {
        let tenth = 1.0 / 10.0;
        let mut deviations = Deviations::default();
        deviations.add(&operation(Op::Div, 1.0, 10.0, tenth));
        let sum = tenth + 0.2;
        deviations.add(&operation(Op::Add, tenth, 0.2, sum));
        let left = sum - 0.3;
        deviations.add(&operation(Op::Sub, sum, 0.3, left));
        // The real number 0.1, and the doubles 0.2 and 0.3.
        let truth = {
            use rug::Float;
            let tenth = Float::with_val(200, 1) / 10u32;
            let sum = Float::with_val(200, &tenth + 0.2f64);
            Float::with_val(200, &sum - 0.3f64).to_f64()
        };
        let expected = ((left - truth) / truth).abs();
        let found = deviations.relative(left).get();
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    }

    /// sin(x + h) - sin(x - h) where h is absorbed: 0, and wrong. sqrt(b² - c) - b, too.
    #[test]
    fn errors_of_numbers_with_the_same_bits_do_not_cancel() {
        let (x, h) = (1e16, 1e-6);
        let sine = f64::sin(x);
        let mut deviations = Deviations::default();
        deviations.begin(&[x]);
        for operation in [
            operation(Op::Add, x, h, x),
            operation(Op::Sub, x, h, x),
            operation(Op::Sin, x, x, sine),
            operation(Op::Sin, x, x, sine),
            operation(Op::Sub, sine, sine, 0.0),
        ] {
            deviations.add(&operation);
        }
        assert_eq!(deviations.relative(0.0).get(), 1.0);
        let b = 1e9;
        deviations.begin(&[b]);
        deviations.add(&operation(Op::Mul, b, b, b * b));
        deviations.add(&operation(Op::Sub, b * b, 4.0, b * b));
        deviations.add(&operation(Op::Sqrt, b * b, b * b, b));
        deviations.add(&operation(Op::Sub, b, b, 0.0));
        assert_eq!(deviations.relative(0.0).get(), 1.0);
    }

    #[test]
    fn exact_arithmetic_has_no_error() {
        let mut deviations = Deviations::default();
        deviations.add(&operation(Op::Sub, 1.5, 1.25, 0.25));
        deviations.add(&operation(Op::Mul, 0.25, 3.0, 0.75));
        assert_eq!(deviations.relative(0.75).get(), 0.0);
    }
}
