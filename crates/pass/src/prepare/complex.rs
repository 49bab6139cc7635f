//! Functions of complex numbers: quotients, exponentials, logarithms, roots, powers, sines.
//!
//! They are functions of the C library, of the compiler's or of Fortran's runtime, which is not instrumented, so their
//! results would count as exact. Instead each part of a result is computed once more from operations that domains
//! know, and the program's own number goes on with that computation's exact value:
//! `__lostbits_stands_for(again, part)`. What `again` itself loses does not matter: it is a part of its shadow.
//!
//! The program's call stays as it is. What is added counts as shadow code: it leaves the floating-point flags alone
//! where the program reads them (`environment.rs`).
//!
//! # What it can miss
//!
//! Formats but `float` and `double`, inverse functions, and tangents, which have no formula here that does not overflow
//! before they do: their results count as exact, and reports name them. Numbers whose product or modulus overflows though the result
//! does not.

use lostbits_abi::{kind::FpKind, symbols};

use crate::{
    builder::{self, Builder},
    ir::{self, Function, Opcode, Type, Value},
    shape,
};

/// On calls whose results are computed once more, and on powers of two that are made from bits.
pub const MARK: &str = "lostbits.complex";

/// Real and imaginary part.
type Complex = [Value; 2];

#[derive(Clone, Copy, PartialEq, Debug)]
enum Operation {
    Divide,
    Exponential,
    Logarithm,
    Root,
    Power,
    IntegerPower,
    Sine,
    Cosine,
    HyperbolicSine,
    HyperbolicCosine,
    Modulus,
    Argument,
}

/// Names for `double` and for `float`. Modulus and argument of a `double complex`, which is passed as two numbers, are operations of the
/// table (`carry/library.rs`).
const FUNCTIONS: [(&str, &str, Operation); 12] = [
    ("__divdc3", "__divsc3", Operation::Divide),
    ("cexp", "cexpf", Operation::Exponential),
    ("clog", "clogf", Operation::Logarithm),
    ("csqrt", "csqrtf", Operation::Root),
    ("cpow", "cpowf", Operation::Power),
    ("_FortranAzpowi", "_FortranAcpowi", Operation::IntegerPower),
    ("csin", "csinf", Operation::Sine),
    ("ccos", "ccosf", Operation::Cosine),
    ("csinh", "csinhf", Operation::HyperbolicSine),
    ("ccosh", "ccoshf", Operation::HyperbolicCosine),
    ("", "cabsf", Operation::Modulus),
    ("", "cargf", Operation::Argument),
];

pub fn open_functions(builder: &Builder, function: Function) {
    for call in ir::all_instructions(function) {
        if let Some((operation, kind)) = operation_of(call) {
            open(builder, call, operation, kind);
        }
    }
}

/// A library function's name with another signature is a function of the program's own.
fn operation_of(call: Value) -> Option<(Operation, FpKind)> {
    if ir::opcode(call) != Opcode::LLVMCall || ir::is_must_tail(call) {
        return None;
    }
    let function = ir::as_function(ir::callee(call)).filter(|it| ir::is_declaration(*it))?;
    let name = ir::name(function);
    let of_row = |(double, float, operation): &(&str, &str, Operation)| match name.as_str() {
        it if it == *double => Some((*operation, FpKind::Double)),
        it if it == *float => Some((*operation, FpKind::Float)),
        _ => None,
    };
    let (operation, kind) = FUNCTIONS.iter().find_map(of_row)?;
    let reals = |values: &[Value]| -> Option<u32> {
        let lanes = values.iter().map(|value| {
            let ty = ir::type_of(*value);
            let is_real = shape::fp_kind(ty) == Some(kind);
            is_real.then(|| shape::lanes(ty))
        });
        lanes.sum()
    };
    let arguments = ir::arguments(call);
    let (wanted, numbers) = match operation {
        Operation::Divide | Operation::Power => (4, &arguments[..]),
        Operation::IntegerPower => (2, arguments.split_last()?.1),
        _ => (2, &arguments[..]),
    };
    let results = match ir::type_kind(ir::type_of(call)) {
        ir::TypeKind::LLVMStructTypeKind => {
            let members = ir::struct_elements(ir::type_of(call));
            let are_real = members.iter().all(|ty| shape::fp_kind(*ty) == Some(kind));
            are_real.then_some(members.len() as u32)
        }
        _ => reals(&[call]),
    };
    let expected = match operation {
        Operation::Modulus | Operation::Argument => 1,
        _ => 2,
    };
    (results == Some(expected) && reals(numbers) == Some(wanted)).then_some((operation, kind))
}

fn open(builder: &Builder, call: Value, operation: Operation, kind: FpKind) {
    let users = ir::uses(call);
    ir::mark(call, MARK);
    builder.after(call);
    let number = match kind {
        FpKind::Float => builder.types.float,
        _ => builder.types.double,
    };
    let again = Again {
        b: builder,
        number,
        bits: builder.types.int(kind.storage_bits()),
    };
    let shape = ir::type_kind(ir::type_of(call));
    let part = |index: u32| match shape {
        ir::TypeKind::LLVMVectorTypeKind => builder.extract_lane(call, index),
        ir::TypeKind::LLVMStructTypeKind => builder.member(call, &[index]),
        _ => call,
    };
    let given = [part(0), part(1)];
    let stands = builder.declare(&again.marker(), number, &[number, number]);
    let mut rebuilt = call;
    for (index, computed) in (0u32..).zip(again.result(operation, call, given)) {
        let known = builder.call(stands, &[computed, given[index as usize]]);
        rebuilt = match shape {
            ir::TypeKind::LLVMVectorTypeKind => {
                let at = builder::integer(builder.types.i32, u64::from(index));
                builder.insert_element(rebuilt, known, at)
            }
            ir::TypeKind::LLVMStructTypeKind => builder.insert_member(rebuilt, known, index),
            _ => known,
        };
    }
    for user in users {
        ir::replace_operand(user, call, rebuilt);
    }
}

/// Computes a result once more.
struct Again<'a> {
    b: &'a Builder,
    number: Type,
    /// Integers of the same size.
    bits: Type,
}

impl Again<'_> {
    fn marker(&self) -> String {
        let is_double = self.number == self.b.types.double;
        let suffix = if is_double { "" } else { "f" };
        format!("{}{suffix}", symbols::STANDS_FOR)
    }

    /// Its parts: of most functions two.
    fn result(&self, operation: Operation, call: Value, given: Complex) -> Vec<Value> {
        let numbers = self.numbers(call);
        let z = [numbers[0], numbers[1]];
        let result = match operation {
            Operation::Modulus => return vec![self.hypot(z[0], z[1])],
            Operation::Argument => return vec![self.angle(z[0], z[1])],
            Operation::Divide => self.quotient(z, [numbers[2], numbers[3]]),
            Operation::Exponential => self.exponential(z),
            Operation::Logarithm => self.logarithm(z),
            Operation::Root => self.root(z),
            Operation::Power => self.power(z, [numbers[2], numbers[3]], given),
            Operation::IntegerPower => {
                let last = *ir::arguments(call).last().expect("operation_of found it");
                let exponent = self.b.cast(Opcode::LLVMSIToFP, last, self.number);
                self.power(z, [exponent, self.real(0.0)], given)
            }
            Operation::Sine => {
                let [s, c, sh, ch] = self.circular(z[0], z[1]);
                [self.mul(s, ch), self.mul(c, sh)]
            }
            Operation::Cosine => {
                let [s, c, sh, ch] = self.circular(z[0], z[1]);
                [self.mul(c, ch), self.b.negate(self.mul(s, sh))]
            }
            Operation::HyperbolicSine => {
                let [s, c, sh, ch] = self.circular(z[1], z[0]);
                [self.mul(sh, c), self.mul(ch, s)]
            }
            Operation::HyperbolicCosine => {
                let [s, c, sh, ch] = self.circular(z[1], z[0]);
                [self.mul(ch, c), self.mul(sh, s)]
            }
        };
        result.to_vec()
    }

    /// The arguments, part by part.
    fn numbers(&self, call: Value) -> Vec<Value> {
        let parts = ir::arguments(call).into_iter().flat_map(|argument| {
            match ir::type_kind(ir::type_of(argument)) {
                ir::TypeKind::LLVMVectorTypeKind => vec![
                    self.b.extract_lane(argument, 0),
                    self.b.extract_lane(argument, 1),
                ],
                _ => vec![argument],
            }
        });
        parts.collect()
    }

    /// The divisor is scaled by a power of two, that its square does neither overflow nor underflow.
    fn quotient(&self, [a, b]: Complex, [c, d]: Complex) -> Complex {
        let scale = self.scale(c, d);
        let (c, d) = (self.mul(c, scale), self.mul(d, scale));
        let norm = self.add(self.mul(c, c), self.mul(d, d));
        let real = self.add(self.mul(a, c), self.mul(b, d));
        let imaginary = self.sub(self.mul(b, c), self.mul(a, d));
        [real, imaginary].map(|part| self.mul(self.div(part, norm), scale))
    }

    /// The power of two that brings the larger of two magnitudes to [1, 2).
    fn scale(&self, c: Value, d: Value) -> Value {
        let (fraction, bias) = match self.number == self.b.types.double {
            true => (52, 1023u64),
            false => (23, 127),
        };
        let magnitude = |x: Value| self.b.bitcast(self.b.magnitude(x), self.bits);
        let larger = self
            .b
            .intrinsic("llvm.umax", &[self.bits], &[magnitude(c), magnitude(d)]);
        let exponents = builder::integer(self.bits, (2 * bias + 1) << fraction);
        let exponent = self.b.and(larger, exponents);
        let most = builder::integer(self.bits, (2 * bias) << fraction);
        let lowered = self.b.binary(Opcode::LLVMSub, most, exponent);
        // Of the largest numbers, a denormal power of two.
        let least = builder::integer(self.bits, 1 << (fraction - 1));
        let is_normal = self.b.compare(ir::IntPredicate::LLVMIntULT, exponent, most);
        let bits = self.b.select(is_normal, lowered, least);
        let scale = self.b.bitcast(bits, self.number);
        ir::mark(scale, MARK);
        scale
    }

    fn exponential(&self, [a, b]: Complex) -> Complex {
        let size = self.function("llvm.exp", a);
        self.polar(size, b)
    }

    fn polar(&self, size: Value, angle: Value) -> Complex {
        [
            self.mul(size, self.function("llvm.cos", angle)),
            self.mul(size, self.function("llvm.sin", angle)),
        ]
    }

    fn logarithm(&self, [a, b]: Complex) -> Complex {
        let size = self.hypot(a, b);
        [self.function("llvm.log", size), self.angle(a, b)]
    }

    /// The larger part first, whose sum cancels nothing.
    fn root(&self, [a, b]: Complex) -> Complex {
        let sum = self.add(self.hypot(a, b), self.b.magnitude(a));
        let larger = self.function("llvm.sqrt", self.mul(sum, self.real(0.5)));
        let divisor = self.or_one(larger, self.is_zero(larger));
        let smaller = self.div(self.b.magnitude(b), self.add(divisor, divisor));
        let sign = self.b.bitcast(a, self.bits);
        let is_right = self
            .b
            .compare(ir::IntPredicate::LLVMIntSGE, sign, builder::null(self.bits));
        let imaginary = self.b.select(is_right, smaller, larger);
        [
            self.b.select(is_right, larger, smaller),
            self.b
                .intrinsic("llvm.copysign", &[self.number], &[imaginary, b]),
        ]
    }

    /// Powers of zero are what the library says.
    fn power(&self, [a, b]: Complex, [c, d]: Complex, given: Complex) -> Complex {
        let size = self.hypot(a, b);
        let is_zero = self.is_zero(size);
        let log = self.function("llvm.log", self.or_one(size, is_zero));
        let angle = self.angle(a, b);
        let growth = self.sub(self.mul(c, log), self.mul(d, angle));
        let turn = self.add(self.mul(d, log), self.mul(c, angle));
        let [real, imaginary] = self.polar(self.function("llvm.exp", growth), turn);
        [
            self.b.select(is_zero, given[0], real),
            self.b.select(is_zero, given[1], imaginary),
        ]
    }

    /// Sine and cosine of one number, hyperbolic sine and cosine of another.
    fn circular(&self, x: Value, y: Value) -> [Value; 4] {
        [
            self.function("llvm.sin", x),
            self.function("llvm.cos", x),
            self.function("llvm.sinh", y),
            self.function("llvm.cosh", y),
        ]
    }

    fn is_zero(&self, value: Value) -> Value {
        let bits = self.b.bitcast(value, self.bits);
        self.b.equal(bits, builder::null(self.bits))
    }

    fn or_one(&self, value: Value, is_zero: Value) -> Value {
        self.b.select(is_zero, self.real(1.0), value)
    }

    fn hypot(&self, a: Value, b: Value) -> Value {
        let is_double = self.number == self.b.types.double;
        let name = if is_double { "hypot" } else { "hypotf" };
        let hypot = self.b.declare(name, self.number, &[self.number; 2]);
        self.b.call(hypot, &[a, b])
    }

    fn angle(&self, a: Value, b: Value) -> Value {
        self.b.intrinsic("llvm.atan2", &[self.number], &[b, a])
    }

    fn function(&self, intrinsic: &str, x: Value) -> Value {
        self.b.intrinsic(intrinsic, &[self.number], &[x])
    }

    fn real(&self, value: f64) -> Value {
        builder::real(self.number, value)
    }

    fn add(&self, x: Value, y: Value) -> Value {
        self.b.binary(Opcode::LLVMFAdd, x, y)
    }

    fn sub(&self, x: Value, y: Value) -> Value {
        self.b.binary(Opcode::LLVMFSub, x, y)
    }

    fn mul(&self, x: Value, y: Value) -> Value {
        self.b.binary(Opcode::LLVMFMul, x, y)
    }

    fn div(&self, x: Value, y: Value) -> Value {
        self.b.binary(Opcode::LLVMFDiv, x, y)
    }
}
