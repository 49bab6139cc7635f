//! Residues: what an operation on program values with residues gives, emitted in line.
//!
//! The real value behind a program value v is v + r ± e: r is a double, computed by error-free
//! transformations (two-sum, two-product; EFTSanitizer, OOPSLA 2022), e estimates what r itself may be off by
//! (first-order). Formats narrower than double are computed in double, where their
//! products are exact; x87 values in their own format.

use super::{confirmation, detection};
use crate::{
    builder::{self, Builder},
    ir::{self, Opcode, RealPredicate, Type, Value},
    mutants::{self, Mutant},
    shape,
};
use lostbits_abi::{
    explain::{ALLOWANCE, LEAST_STEP},
    kind::FpKind,
    ops::Op,
};

/// A value in the working format, with its residue and the residue's bound as doubles.
#[derive(Clone, Copy)]
pub struct Known {
    pub value: Value,
    pub residue: Value,
    pub bound: Value,
}

pub struct Arithmetic<'a> {
    b: &'a Builder,
    /// The working format, in the shape of the operation.
    wide: Type,
    /// Double, in the same shape.
    double: Type,
    /// Whether results in the working format are the program's own.
    is_own: bool,
    /// Whether the processor multiplies and adds in one.
    fused: bool,
    /// What is left out of the result's residue, where that is chosen at run time.
    intervention: Option<Intervention>,
    /// Bounds may be a little coarser where that is cheaper; see [`detection`].
    only_detects: bool,
    /// Bounds only say whether a residue is known; see [`confirmation`].
    trusts_residues: bool,
}

/// What is left out of a result's residue, each as an `i1`.
#[derive(Clone, Copy)]
pub struct Intervention {
    /// The operation's own rounding error: it counts as computed exactly.
    pub own: Value,
    /// What comes from its operands' residues: they count as computed exactly.
    pub inherited: Value,
}

/// 2¹⁰⁰⁰.
const MOST_DIVISOR: f64 = f64::from_bits((1000 + 1023) << 52);

/// 2⁻⁵¹: two roundings and some.
const SLACK: f64 = 4.440_892_098_500_626e-16;

impl<'a> Arithmetic<'a> {
    /// For operations on values of type `like`.
    pub fn new(b: &'a Builder, like: Type, fused: bool) -> Arithmetic<'a> {
        let kind = shape::fp_kind(like);
        let double = b.types.shaped(b.types.double, like);
        Arithmetic {
            b,
            wide: if kind == Some(FpKind::X87) {
                like
            } else {
                double
            },
            double,
            is_own: matches!(kind, Some(FpKind::X87 | FpKind::Double)),
            fused,
            intervention: None,
            only_detects: detection::is_active() && !confirmation::trusts_residues(),
            trusts_residues: confirmation::trusts_residues(),
        }
    }

    /// The same for an operation on which a run may intervene.
    pub fn under(self, intervention: Intervention) -> Arithmetic<'a> {
        Arithmetic {
            intervention: Some(intervention),
            ..self
        }
    }

    /// The operation's own rounding error, unless it is left out.
    fn own(&self, error: Value) -> Value {
        self.unless(error, |intervention| intervention.own)
    }

    /// What the operands' residues make of the result's, unless that is left out.
    fn inherited(&self, carried: Value) -> Value {
        self.unless(carried, |intervention| intervention.inherited)
    }

    fn unless(&self, part: Value, left_out: impl Fn(&Intervention) -> Value) -> Value {
        match &self.intervention {
            Some(intervention) if !ir::is_null(part) => {
                let none = builder::null(ir::type_of(part));
                self.b.select(left_out(intervention), none, part)
            }
            _ => part,
        }
    }

    pub fn widened(&self, value: Value) -> Value {
        self.b.convert(value, self.wide)
    }

    pub fn as_double(&self, value: Value) -> Value {
        self.b.convert(value, self.double)
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

    fn abs(&self, x: Value) -> Value {
        self.b.magnitude(x)
    }

    /// As `add`, where one of them may be known to be nothing: constants have no residues.
    fn plus(&self, x: Value, y: Value) -> Value {
        match (ir::is_null(x), ir::is_null(y)) {
            (true, _) => y,
            (_, true) => x,
            _ => self.add(x, y),
        }
    }

    fn times(&self, x: Value, y: Value) -> Value {
        match ir::is_null(x) || ir::is_null(y) {
            true => builder::null(self.double),
            false => self.mul(x, y),
        }
    }

    /// Bounds of errors that meet: the larger. Their sum would be safe, and useless: errors that are not
    /// independent (a compensated sum subtracts what it has just added) would seem to double at every step.
    /// Verdicts allow for it.
    fn larger(&self, x: Value, y: Value) -> Value {
        if ir::is_null(x) || ir::is_null(y) {
            return self.plus(x, y);
        }
        let first = self.b.compare_reals(RealPredicate::LLVMRealOGT, x, y);
        self.b.select(first, x, y)
    }

    /// The first, or the second if that is smaller or the first no number.
    fn smaller(&self, x: Value, y: Value) -> Value {
        let first = self.b.compare_reals(RealPredicate::LLVMRealOLT, x, y);
        self.b.select(first, x, y)
    }

    /// A bound with what is lost where `carried` is added to an exact error: nothing if it is nothing.
    fn with_rounding(&self, bound: Value, carried: Value, residue: Value) -> Value {
        if ir::is_null(carried) || self.trusts_residues {
            return bound;
        }
        let size = self.abs(residue);
        if self.only_detects {
            // Where errors are exact this is not. It matters only to decisions between equal numbers, which are explained then.
            return self.plus_product(bound, size, builder::real(self.double, SLACK));
        }
        self.plus(bound, self.smaller(self.slack(size), self.abs(carried)))
    }

    /// `x + y · z`, rounded once where that is cheap.
    fn plus_product(&self, x: Value, y: Value, z: Value) -> Value {
        if ir::is_null(y) || ir::is_null(z) {
            return x;
        }
        match self.fused && !ir::is_null(x) {
            true => self.b.intrinsic("llvm.fma", &[self.double], &[y, z, x]),
            false => self.plus(x, self.mul(y, z)),
        }
    }

    fn slack(&self, x: Value) -> Value {
        self.mul(x, builder::real(self.double, SLACK))
    }

    /// What was rounded off in `sum` = x + y.
    fn sum_error(&self, x: Value, y: Value, sum: Value) -> Value {
        let of_y = self.sub(sum, x);
        let of_x = self.sub(sum, of_y);
        self.add(self.sub(x, of_x), self.sub(y, of_y))
    }

    /// What was rounded off in `product` = x · y.
    fn product_error(&self, x: Value, y: Value, product: Value) -> Value {
        if !self.is_own || mutants::is_active(Mutant::ProductIsExact) {
            // Narrower formats: the product is exact in double.
            return builder::null(self.wide);
        }
        if self.fused {
            let minus = self.b.negate(product);
            return self.b.intrinsic("llvm.fma", &[self.wide], &[x, y, minus]);
        }
        let ((xh, xl), (yh, yl)) = (self.split(x), self.split(y));
        let rest = self.sub(self.mul(xh, yh), product);
        let rest = self.add(rest, self.mul(xh, yl));
        let rest = self.add(rest, self.mul(xl, yh));
        self.add(rest, self.mul(xl, yl))
    }

    /// Veltkamp's splitting in halves.
    fn split(&self, x: Value) -> (Value, Value) {
        let bits = if self.wide == self.double { 27 } else { 32 };
        let factor = builder::real(self.wide, ((1u64 << bits) + 1) as f64);
        let scaled = self.mul(x, factor);
        let high = self.sub(scaled, self.sub(scaled, x));
        (high, self.sub(x, high))
    }

    /// The difference between a result in the working format and the program's.
    fn narrowing(&self, wide: Value, result: Value) -> Option<Value> {
        (!self.is_own).then(|| self.sub(wide, self.widened(result)))
    }

    /// x + y (or x − y, the caller having negated y), `result` being the program's.
    pub fn sum(&self, x: &Known, y: &Known, result: Option<Value>) -> Known {
        let sum = match result {
            Some(result) if self.is_own => result,
            _ => self.add(x.value, y.value),
        };
        let mut error = self.as_double(self.sum_error(x.value, y.value, sum));
        if let Some(narrowing) = result.and_then(|result| self.narrowing(sum, result)) {
            error = self.plus(error, narrowing);
        }
        let carried = self.inherited(self.plus(x.residue, y.residue));
        let residue = self.plus(carried, self.own(error));
        let bound = self.with_rounding(self.larger(x.bound, y.bound), carried, residue);
        Known {
            value: result.map_or(sum, |result| self.widened(result)),
            residue,
            bound,
        }
    }

    pub fn negated(&self, x: &Known) -> Known {
        Known {
            value: self.b.negate(x.value),
            residue: match mutants::is_active(Mutant::DifferenceAdds) {
                true => x.residue,
                false => self.b.negate(x.residue),
            },
            bound: x.bound,
        }
    }

    /// x · y without what the program's rounding took: the part of the residue that the operands' bring.
    fn carried_product(&self, x: &Known, y: &Known) -> (Value, Value) {
        let (xv, yv) = (self.as_double(x.value), self.as_double(y.value));
        let (x_real, y_real) = (self.plus(xv, x.residue), self.plus(yv, y.residue));
        let carried = self.plus(self.times(xv, y.residue), self.times(x.residue, y_real));
        let carried = self.inherited(carried);
        let bounds = match self.trusts_residues {
            true => self.larger(x.bound, y.bound),
            false => self.larger(
                self.times(self.abs(x_real), y.bound),
                self.times(self.abs(y_real), x.bound),
            ),
        };
        (carried, bounds)
    }

    /// `error` and what the operands' residues bring.
    fn carried_with(&self, error: Value, x: &Known, y: &Known) -> Value {
        let (xv, yv) = (self.as_double(x.value), self.as_double(y.value));
        let y_real = self.plus(yv, y.residue);
        let residue = self.plus_product(error, xv, y.residue);
        self.plus_product(residue, x.residue, y_real)
    }

    fn product_bound(&self, x: &Known, y: &Known) -> Value {
        let size = |of: &Known| self.abs(self.plus(self.as_double(of.value), of.residue));
        let part = |bound: Value, of: &Known| match ir::is_null(bound) {
            true => bound,
            false => self.mul(size(of), bound),
        };
        self.larger(part(y.bound, x), part(x.bound, y))
    }

    pub fn product(&self, x: &Known, y: &Known, result: Option<Value>) -> Known {
        let product = match result {
            Some(result) if self.is_own => result,
            _ => self.mul(x.value, y.value),
        };
        let mut error = self.as_double(self.product_error(x.value, y.value, product));
        if let Some(narrowing) = result.and_then(|result| self.narrowing(product, result)) {
            error = self.plus(error, narrowing);
        }
        // Both parts of the residue in one sum, where neither can be left out.
        let (carried, residue, bound) = match self.only_detects && self.intervention.is_none() {
            true => {
                let is_exact = ir::is_null(x.residue) && ir::is_null(y.residue);
                let residue = self.carried_with(error, x, y);
                let carried = if is_exact { x.residue } else { residue };
                (carried, residue, self.product_bound(x, y))
            }
            false => {
                let (carried, bound) = self.carried_product(x, y);
                (carried, self.plus(carried, self.own(error)), bound)
            }
        };
        Known {
            value: result.map_or(product, |result| self.widened(result)),
            residue,
            bound: self.with_rounding(bound, carried, residue),
        }
    }

    pub fn fused(&self, x: &Known, y: &Known, z: &Known, result: Value) -> Known {
        let product = self.mul(x.value, y.value);
        let product_error = self.product_error(x.value, y.value, product);
        let sum = self.add(product, z.value);
        let sum_error = self.sum_error(product, z.value, sum);
        let wide = self.widened(result);
        // The program rounded once: sum may differ from its result.
        let error = self.add(self.sub(sum, wide), self.plus(sum_error, product_error));
        let (carried, bound) = self.carried_product(x, y);
        let carried = self.plus(carried, self.inherited(z.residue));
        let residue = self.plus(carried, self.own(self.as_double(error)));
        let bound = self.with_rounding(self.larger(bound, z.bound), carried, residue);
        Known {
            value: wide,
            residue,
            bound,
        }
    }

    /// `x − q·y` for the program's quotient (or root) q, nearly exactly.
    fn remainder(&self, x: Value, q: Value, y: Value) -> Value {
        if self.only_detects && self.fused && self.is_own && self.wide == self.double {
            // Exact, because the quotient is rounded correctly.
            return self
                .b
                .intrinsic("llvm.fma", &[self.wide], &[self.b.negate(q), y, x]);
        }
        let product = self.mul(q, y);
        let error = self.product_error(q, y, product);
        self.as_double(self.sub(self.sub(x, product), error))
    }

    pub fn quotient(&self, x: &Known, y: &Known, result: Value) -> Known {
        let q = self.widened(result);
        let qd = self.as_double(q);
        let remainder = self.own(self.remainder(x.value, q, y.value));
        let of_y = self.mul(qd, y.residue);
        let carried = self.add(remainder, self.inherited(x.residue));
        let numerator = self.sub(carried, self.inherited(of_y));
        let divisor = self.add(self.as_double(y.value), y.residue);
        let size = self.abs(divisor);
        let (residue, over_size) = self.quotients(numerator, divisor);
        if self.trusts_residues {
            let bound = self.larger(x.bound, y.bound);
            return Known {
                value: q,
                residue,
                bound,
            };
        }
        let parts = self.add(
            self.abs(remainder),
            self.add(self.abs(x.residue), self.abs(of_y)),
        );
        let reach = self.add(self.abs(qd), self.abs(residue));
        let bounds = self.larger(x.bound, self.mul(reach, y.bound));
        let bound = over_size(self.add(bounds, self.slack(parts)));
        let bound = self.add(bound, self.slack(self.abs(residue)));
        // The bound is first-order: it says nothing where the divisor itself is in doubt.
        let sure = self.mul(y.bound, builder::real(self.double, (1u64 << 20) as f64));
        let mut sure = self.b.compare_reals(RealPredicate::LLVMRealOLE, sure, size);
        if self.only_detects {
            // The inverse of a larger one has fewer bits.
            let most = builder::real(self.double, MOST_DIVISOR);
            let is_invertible = self.b.compare_reals(RealPredicate::LLVMRealOLE, size, most);
            sure = self.b.and(sure, is_invertible);
        }
        let unknown = builder::real(self.double, f64::INFINITY);
        Known {
            value: q,
            residue,
            bound: self.b.select(sure, bound, unknown),
        }
    }

    /// `x / y`, and how magnitudes are divided by that of y. One division for both, where a pass only detects: the slack of bounds
    /// covers that the quotient is rounded twice.
    fn quotients(&self, x: Value, y: Value) -> (Value, impl Fn(Value) -> Value) {
        let inverse = self
            .only_detects
            .then(|| self.div(builder::real(self.double, 1.0), y));
        let residue = match inverse {
            Some(inverse) => self.mul(x, inverse),
            None => self.div(x, y),
        };
        let divide = move |size: Value| match inverse {
            Some(inverse) => self.mul(size, self.abs(inverse)),
            None => self.div(size, self.abs(y)),
        };
        (residue, divide)
    }

    /// As [`Self::root`], without roots of its own: to first order, and the bound has the second.
    fn root_to_first_order(&self, x: &Known, root: Value, over: Value) -> Known {
        let rd = self.as_double(root);
        let (residue, divide) = self.quotients(over, self.add(rd, rd));
        let none = builder::null(self.double);
        let is_exact = self.b.compare_reals(RealPredicate::LLVMRealOEQ, over, none);
        let residue = self.b.select(is_exact, none, residue);
        let bounds = self.add(x.bound, self.mul(residue, residue));
        let is_none = self
            .b
            .compare_reals(RealPredicate::LLVMRealOEQ, bounds, none);
        let bound = self.b.select(is_none, none, divide(bounds));
        Known {
            value: root,
            residue,
            bound: self.add(bound, self.slack(self.abs(residue))),
        }
    }

    pub fn root(&self, x: &Known, result: Value) -> Known {
        let root = self.widened(result);
        let rd = self.as_double(root);
        let remainder = self.own(self.remainder(x.value, root, root));
        let over = self.add(remainder, self.inherited(x.residue));
        if self.only_detects {
            return self.root_to_first_order(x, root, over);
        }
        let square = self.not_below_zero(self.add(self.mul(rd, rd), over), x.bound);
        let real_root = self.b.intrinsic("llvm.sqrt", &[self.double], &[square]);
        let divisor = self.add(rd, real_root);
        let residue = self.div(over, divisor);
        let none = builder::null(self.double);
        let is_none = |value| {
            self.b
                .compare_reals(RealPredicate::LLVMRealOEQ, value, none)
        };
        let exact = self.b.or(is_none(over), is_none(divisor));
        let residue = self.b.select(exact, none, residue);
        if self.trusts_residues {
            return Known {
                value: root,
                residue,
                bound: x.bound,
            };
        }
        // Near zero a root moves more than its slope says, but never more than by the root of the bound.
        let most = self.b.intrinsic("llvm.sqrt", &[self.double], &[x.bound]);
        let carried = self.smaller(self.div(x.bound, divisor), most);
        Known {
            value: root,
            residue,
            bound: self.add(carried, self.slack(self.abs(residue))),
        }
    }

    /// The bound of a product or quotient where it is `small`, given what it is but for underflow. What it lost is in no
    /// residue, and in the product with an operand's bound that may vanish, too: unless a factor is certainly zero, it has an error
    /// by the least step.
    pub fn bound_of_small(&self, op: Op, small: Value, bound: Value, operands: &[Known]) -> Value {
        let lost = self.has_lost(op, small, operands);
        let step = builder::real(self.double, LEAST_STEP);
        let none = builder::null(self.double);
        self.larger(self.b.select(lost, step, none), bound)
    }

    /// Where a product or quotient that is `small` has lost something: no factor is certainly zero.
    pub fn has_lost(&self, op: Op, small: Value, operands: &[Known]) -> Value {
        let none = builder::null(self.double);
        let discrete_factors = match op {
            Op::Div => &operands[..1],
            _ => &operands[..2],
        };
        discrete_factors.iter().fold(small, |lost, factor| {
            let most = self.plus(self.abs(factor.value), factor.bound);
            let is_some = self.b.compare_reals(RealPredicate::LLVMRealUNE, most, none);
            self.b.and(lost, is_some)
        })
    }

    /// Zero for what is below it by no more than it may be off.
    fn not_below_zero(&self, x: Value, bound: Value) -> Value {
        let none = builder::null(self.double);
        let lowest = self.mul(bound, builder::real(self.double, -ALLOWANCE));
        let below = self.b.compare_reals(RealPredicate::LLVMRealOLT, x, none);
        let perhaps = self.b.compare_reals(RealPredicate::LLVMRealOGE, x, lowest);
        self.b.select(self.b.and(below, perhaps), none, x)
    }

    /// The value of a conversion between floating-point formats, or whatever else passes a real on.
    pub fn rounded(&self, x: &Known, result: Value) -> Known {
        let lost = self.as_double(self.sub(x.value, self.widened(result)));
        let residue = self.add(self.own(lost), self.inherited(x.residue));
        let bound = match self.trusts_residues {
            true => x.bound,
            false => self.add(x.bound, self.slack(self.abs(residue))),
        };
        Known {
            value: self.widened(result),
            residue,
            bound,
        }
    }

    /// The real difference between two values, as a double, and how far it may be off.
    pub fn difference(&self, x: &Known, y: &Known) -> (Value, Value) {
        let values = self.as_double(self.sub(x.value, y.value));
        let residues = self.sub(x.residue, y.residue);
        let difference = self.add(values, residues);
        (difference, self.larger(x.bound, y.bound))
    }

    /// The smaller (or larger) of two reals, the program's choice being `result`.
    pub fn choice(&self, x: &Known, y: &Known, result: Value, smaller: bool) -> Known {
        let (difference, _) = self.difference(x, y);
        let predicate = match smaller {
            true => RealPredicate::LLVMRealOLT,
            false => RealPredicate::LLVMRealOGT,
        };
        let first = self
            .b
            .compare_reals(predicate, difference, builder::null(self.double));
        let chosen = Known {
            value: self.b.select(first, x.value, y.value),
            residue: match mutants::is_active(Mutant::ChoiceTakesOther) {
                true => self.b.select(first, y.residue, x.residue),
                false => self.b.select(first, x.residue, y.residue),
            },
            bound: self.b.select(first, x.bound, y.bound),
        };
        let lost = self.as_double(self.sub(chosen.value, self.widened(result)));
        Known {
            value: self.widened(result),
            residue: self.add(lost, chosen.residue),
            bound: chosen.bound,
        }
    }

    /// A value that was given the sign it has now: `from` is what it was.
    pub fn resigned(&self, from: &Known, result: Value) -> Known {
        let wide = self.widened(result);
        let (before, after) = (self.as_double(from.value), self.as_double(wide));
        let bits = self.b.types.shaped(self.b.types.i64, self.double);
        let signs = self
            .b
            .xor(self.b.bitcast(before, bits), self.b.bitcast(after, bits));
        let turned = self
            .b
            .compare(ir::IntPredicate::LLVMIntSLT, signs, builder::null(bits));
        Known {
            value: wide,
            residue: match mutants::is_active(Mutant::NegationKeepsSign) {
                true => from.residue,
                false => self
                    .b
                    .select(turned, self.b.negate(from.residue), from.residue),
            },
            bound: from.bound,
        }
    }

    /// The magnitude of a value, whose real one may have the other sign.
    pub fn absolute(&self, from: &Known, result: Value) -> Known {
        let mut known = self.resigned(from, result);
        let size = self.b.magnitude(self.as_double(known.value));
        let is_below = self.below_zero(size, known.residue);
        known.residue = self.mirrored(is_below, size, known.residue);
        known
    }

    /// The magnitude of one value with the sign of another; both real values may have other signs.
    pub fn signed_like(&self, from: &Known, sign: &Known, result: Value) -> Known {
        let sizes = self.absolute(from, self.b.magnitude(result));
        let size = self.as_double(sizes.value);
        let like = self.as_double(sign.value);
        let turned = self.resigned(sign, self.b.magnitude(sign.value)).residue;
        let is_other = self.below_zero(self.b.magnitude(like), turned);
        let upright = Known {
            value: sizes.value,
            residue: self.mirrored(is_other, size, sizes.residue),
            bound: sizes.bound,
        };
        self.resigned(&upright, result)
    }

    /// Whether a positive value is below zero in exact arithmetic.
    fn below_zero(&self, size: Value, residue: Value) -> Value {
        let nothing = self.b.negate(size);
        self.b
            .compare_reals(RealPredicate::LLVMRealOLT, residue, nothing)
    }

    /// The residue of a value whose real one is taken with the opposite sign, where that is so.
    fn mirrored(&self, is_so: Value, value: Value, residue: Value) -> Value {
        let twice = self.add(value, value);
        let opposite = self.b.negate(self.add(twice, residue));
        self.b.select(is_so, opposite, residue)
    }
}
