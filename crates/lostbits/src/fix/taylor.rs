//! Taylor models: a polynomial with exact coefficients, and a proved bound on what it leaves out.
//!
//! f(x) = x^k · (c₀ + c₁x + … + ρ(x)·xⁿ) with |ρ| ≤ `rest` for 0 < |x| ≤ `radius`. Each operation on models bounds what it
//! cuts off (Makino and Berz); functions are composed from their own series, whose remainders are classical. Bounds are
//! computed in doubles with [`SLACK`] to spare.

use egg::{Id, Language};
use lostbits_abi::ops::Op;
use rug::Rational;

use super::math::{Math, Term};

/// Coefficients that are kept.
const LENGTH: usize = 22;
const SLACK: f64 = 1.0 + 1e-10;

#[derive(Clone, Debug)]
pub struct Model {
    pub order: i32,
    pub coefficients: Vec<Rational>,
    pub rest: f64,
    pub radius: f64,
}

/// The model of a term of one variable around 0; none where it has none with rational coefficients.
pub fn model(term: &Term, radius: f64) -> Option<Model> {
    let mut models: Vec<Model> = Vec::new();
    for node in term.iter() {
        let of = |id: &Id| models[usize::from(*id)].clone();
        let model = match node {
            Math::Number(value) => Model::constant(value.clone(), radius),
            Math::Constant(_) => return None,
            Math::Variable(_) => Model {
                order: 1,
                ..Model::constant(Rational::from(1), radius)
            },
            Math::Unary(op, [x]) => of(x).function(*op)?,
            Math::Binary(op, [x, y]) => binary(*op, of(x), of(y))?,
            Math::Ternary(Op::Fma, [x, y, z]) => of(x).times(&of(y)).plus(&of(z)),
            Math::Ternary(..) => return None,
        };
        if !model.rest.is_finite() {
            return None;
        }
        models.push(model);
    }
    models.pop().map(Model::normal)
}

fn binary(op: Op, x: Model, y: Model) -> Option<Model> {
    Some(match op {
        Op::Add => x.plus(&y),
        Op::Sub => x.plus(&y.negative()),
        Op::Mul => x.times(&y),
        Op::Div => x.times(&y.reciprocal()?),
        Op::Pow => {
            let exponent = y.value()?;
            let whole = (*exponent.denom() == 1).then(|| exponent.numer().to_i32())??;
            let mut power = Model::constant(Rational::from(1), x.radius);
            for _ in 0..whole.unsigned_abs().min(9) {
                power = power.times(&x);
            }
            match whole {
                0..=8 => power,
                -8..0 => power.reciprocal()?,
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// Rounded up.
fn size(value: &Rational) -> f64 {
    value.to_f64().abs() * SLACK
}

impl Model {
    fn constant(value: Rational, radius: f64) -> Model {
        let mut coefficients = vec![Rational::new(); LENGTH];
        coefficients[0] = value;
        Model {
            order: 0,
            coefficients,
            rest: 0.0,
            radius,
        }
    }

    fn value(&self) -> Option<Rational> {
        let is_constant =
            self.order == 0 && self.rest == 0.0 && self.coefficients[1..].iter().all(|c| *c == 0);
        is_constant.then(|| self.coefficients[0].clone())
    }

    /// Without leading zeros.
    fn normal(mut self) -> Model {
        while self.coefficients.len() > 1 && self.coefficients[0] == 0 {
            self.coefficients.remove(0);
            self.order += 1;
        }
        self
    }

    fn negative(mut self) -> Model {
        for coefficient in &mut self.coefficients {
            *coefficient = Rational::from(-&*coefficient);
        }
        self
    }

    /// An upper bound of |f / x^k|.
    pub fn largest(&self) -> f64 {
        let powers = self.coefficients.iter().rev();
        powers.fold(self.rest, |sum, c| (sum * self.radius + size(c)) * SLACK)
    }

    /// The same with the order lowered and at most this number of coefficients.
    fn aligned(&self, order: i32, length: usize) -> Model {
        let shift = (self.order - order) as usize;
        let mut coefficients = vec![Rational::new(); shift];
        coefficients.extend_from_slice(&self.coefficients);
        let mut rest = self.rest;
        while coefficients.len() > length {
            let last = coefficients.pop().unwrap_or_default();
            rest = (rest * self.radius + size(&last)) * SLACK;
        }
        Model {
            order,
            coefficients,
            rest,
            radius: self.radius,
        }
    }

    fn plus(&self, other: &Model) -> Model {
        let order = self.order.min(other.order);
        let end = |model: &Model| model.order - order + model.coefficients.len() as i32;
        let length = end(self).min(end(other)).clamp(1, LENGTH as i32) as usize;
        let (mut sum, other) = (self.aligned(order, length), other.aligned(order, length));
        for (a, b) in sum.coefficients.iter_mut().zip(&other.coefficients) {
            *a += b;
        }
        sum.rest = (sum.rest + other.rest) * SLACK;
        sum.normal()
    }

    fn times(&self, other: &Model) -> Model {
        let length = self.coefficients.len().min(other.coefficients.len());
        let mut coefficients = vec![Rational::new(); length];
        let mut rest = 0.0;
        for (i, a) in self.coefficients.iter().enumerate() {
            for (j, b) in other.coefficients.iter().enumerate() {
                if i + j < length {
                    coefficients[i + j] += Rational::from(a * b);
                } else {
                    rest += size(a) * size(b) * self.radius.powi((i + j - length) as i32);
                }
            }
        }
        let tail = |model: &Model| {
            model.rest * self.radius.powi((model.coefficients.len() - length) as i32)
        };
        rest += tail(self) * other.largest() + tail(other) * self.largest();
        Model {
            order: self.order + other.order,
            coefficients,
            rest: rest * SLACK,
            radius: self.radius,
        }
        .normal()
    }

    /// 1/f, where the rest is small beside the leading coefficient.
    fn reciprocal(&self) -> Option<Model> {
        let normal = self.clone().normal();
        let first = normal.coefficients.first().filter(|c| **c != 0)?.clone();
        let scaled = normal.scaled(&first.clone().recip());
        let around = scaled.minus_leading_one();
        let series: Vec<Rational> = (0..=LENGTH)
            .map(|n| Rational::from(if n % 2 == 0 { 1 } else { -1 }))
            .collect();
        let inverse = around.composed(&series, |_, most| 1.0 / (1.0 - most))?;
        let mut inverse = inverse.scaled(&first.recip());
        inverse.order -= normal.order;
        Some(inverse)
    }

    fn scaled(&self, factor: &Rational) -> Model {
        let mut scaled = self.clone();
        for coefficient in &mut scaled.coefficients {
            *coefficient *= factor;
        }
        scaled.rest = self.rest * size(factor);
        scaled
    }

    /// f/x^k − 1, for a leading coefficient of 1.
    fn minus_leading_one(&self) -> Model {
        let mut around = self.clone();
        around.order = 0;
        around.coefficients[0] = Rational::new();
        around.normal()
    }

    /// Σ series[j] uʲ, where the function's own remainder after n terms is at most `remainder(n, |u|)` · |u|ⁿ.
    fn composed(&self, series: &[Rational], remainder: fn(usize, f64) -> f64) -> Option<Model> {
        let inner = self.clone().normal();
        let is_zero = inner.coefficients.iter().all(|c| *c == 0) && inner.rest == 0.0;
        if is_zero {
            return Some(Model::constant(series[0].clone(), self.radius));
        }
        if inner.order < 1 {
            return None;
        }
        let largest = inner.largest();
        let most = largest * self.radius.powi(inner.order) * SLACK;
        if most >= 0.95 {
            return None;
        }
        let count = series.len() - 1;
        let mut sum = Model::constant(series[count - 1].clone(), self.radius);
        for coefficient in series[..count - 1].iter().rev() {
            let constant = Model::constant(coefficient.clone(), self.radius);
            sum = sum.times(&inner).plus(&constant);
        }
        let end = sum.order + sum.coefficients.len() as i32;
        let power = inner.order * count as i32;
        if power < end {
            return None;
        }
        let own = remainder(count, most) * largest.powi(count as i32);
        sum.rest = (sum.rest + own * self.radius.powi(power - end)) * SLACK;
        Some(sum)
    }

    fn function(&self, op: Op) -> Option<Model> {
        let factorial = |n: usize| (1..=n).fold(Rational::from(1), |f, k| f * (k as u32));
        let over_factorial = |n: usize| factorial(n).recip();
        let signs = |n: usize| Rational::from([0, 1, 0, -1][n % 4]);
        let cosines = |n: usize| Rational::from([1, 0, -1, 0][n % 4]);
        let table = |of: &dyn Fn(usize) -> Rational| (0..=LENGTH).map(of).collect::<Vec<_>>();
        let entire = |n: usize, most: f64| most.exp() / (1..=n).map(|k| k as f64).product::<f64>();
        let geometric = |n: usize, most: f64| 1.0 / (n as f64 * (1.0 - most));
        Some(match op {
            Op::Neg => self.clone().negative(),
            Op::Sin => self.composed(&table(&|n| over_factorial(n) * signs(n)), entire)?,
            Op::Cos => self.composed(&table(&|n| over_factorial(n) * cosines(n)), entire)?,
            Op::Tan => {
                let cosine = self.function(Op::Cos)?;
                self.function(Op::Sin)?.times(&cosine.reciprocal()?)
            }
            Op::Exp => self.composed(&table(&over_factorial), entire)?,
            Op::Expm1 => {
                let mut series = table(&over_factorial);
                series[0] = Rational::new();
                self.composed(&series, entire)?
            }
            Op::Sinh => {
                let odd = |n: usize| over_factorial(n) * Rational::from((n % 2) as u32);
                self.composed(&table(&odd), entire)?
            }
            Op::Cosh => {
                let even = |n: usize| over_factorial(n) * Rational::from(((n + 1) % 2) as u32);
                self.composed(&table(&even), entire)?
            }
            Op::Tanh => {
                let cosine = self.function(Op::Cosh)?;
                self.function(Op::Sinh)?.times(&cosine.reciprocal()?)
            }
            Op::Log1p => self.composed(&table(&logarithm), geometric)?,
            Op::Log => {
                let one = Model::constant(Rational::from(-1), self.radius);
                self.plus(&one).composed(&table(&logarithm), geometric)?
            }
            Op::Atan => {
                let of = |n: usize| match n {
                    0 => Rational::new(),
                    n => signs(n) / (n as u32),
                };
                self.composed(&table(&of), geometric)?
            }
            Op::Sqrt => {
                let one = Model::constant(Rational::from(-1), self.radius);
                // The binomial coefficients of ½ are below 1.
                self.plus(&one)
                    .composed(&table(&binomial_of_half), |_, most| 1.0 / (1.0 - most))?
            }
            _ => return None,
        })
    }
}

fn logarithm(n: usize) -> Rational {
    match n {
        0 => Rational::new(),
        n => Rational::from((if n % 2 == 1 { 1 } else { -1 }, n as u32)),
    }
}

fn binomial_of_half(n: usize) -> Rational {
    let factor = |f: Rational, k: usize| f * Rational::from((1 - 2 * k as i64, 2 * (k as i64 + 1)));
    (0..n).fold(Rational::from(1), factor)
}

/// x^k · P(x), in powers of x² where only those occur.
pub fn polynomial(variable: u32, order: i32, coefficients: &[Rational]) -> Term {
    let mut term = Term::default();
    let x = term.add(Math::Variable(variable));
    let is_even = coefficients.iter().skip(1).step_by(2).all(|c| *c == 0);
    let (base, step) = match is_even && coefficients.len() > 2 {
        true => (term.add(Math::Binary(Op::Mul, [x, x])), 2),
        false => (x, 1),
    };
    let used: Vec<&Rational> = coefficients.iter().step_by(step).collect();
    let mut sum: Option<Id> = None;
    for coefficient in used.iter().rev() {
        let number = Math::Number((*coefficient).clone());
        sum = Some(match sum {
            None => term.add(number),
            Some(sum) if **coefficient == 0 => term.add(Math::Binary(Op::Mul, [sum, base])),
            Some(sum) => {
                let number = term.add(number);
                term.add(Math::Ternary(Op::Fma, [sum, base, number]))
            }
        });
    }
    let mut value = sum.unwrap_or(x);
    for _ in 0..order.unsigned_abs() {
        let op = if order > 0 { Op::Mul } else { Op::Div };
        value = term.add(Math::Binary(op, [value, x]));
    }
    super::math::part(&term, value)
}

/// Whether a term computes with anything but sums and products (there is nothing to gain otherwise).
pub fn has_functions(term: &Term) -> bool {
    term.iter().any(|node| {
        !node.children().is_empty()
            && !matches!(
                node.op(),
                Some(Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Fma)
            )
    })
}
