//! Polynomials with rational coefficients over classes of the e-graph.
//!
//! Herbie-like rule sets spend most of an e-graph on associativity and distributivity. Here each class carries the
//! polynomial that its sums and products make ([`super::analysis`]), so that (x + 1) − x is 1 and
//! b² − (b² − 4ac) is 4ac without a search.

use std::collections::BTreeMap;

use egg::Id;
use rug::{Rational, ops::Pow};

/// Longer ones are left alone.
const LONGEST: usize = 10;
const HIGHEST_DEGREE: u32 = 6;

/// Atoms with their exponents, in order.
pub type Monomial = Vec<(Id, u32)>;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Polynomial {
    pub terms: BTreeMap<Monomial, Rational>,
}

impl Polynomial {
    pub fn constant(value: Rational) -> Polynomial {
        let mut terms = BTreeMap::new();
        if value != 0 {
            terms.insert(Vec::new(), value);
        }
        Polynomial { terms }
    }

    pub fn atom(id: Id) -> Polynomial {
        Polynomial {
            terms: BTreeMap::from([(vec![(id, 1)], Rational::from(1))]),
        }
    }

    /// Its value, if it has no atoms.
    pub fn value(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(Rational::new()),
            1 => self.terms.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    pub fn plus(&self, other: &Polynomial, factor: &Rational) -> Option<Polynomial> {
        let mut terms = self.terms.clone();
        for (monomial, coefficient) in &other.terms {
            let sum = terms.entry(monomial.clone()).or_default();
            *sum += Rational::from(coefficient * factor);
            if *sum == 0 {
                terms.remove(monomial);
            }
        }
        bounded(terms)
    }

    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        if self.terms.len() * other.terms.len() > 4 * LONGEST {
            return None;
        }
        let mut terms: BTreeMap<Monomial, Rational> = BTreeMap::new();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let monomial = product(left, right);
                let degree: u32 = monomial.iter().map(|(_, exponent)| exponent).sum();
                if degree > HIGHEST_DEGREE {
                    return None;
                }
                let sum = terms.entry(monomial.clone()).or_default();
                *sum += Rational::from(a * b);
                if *sum == 0 {
                    terms.remove(&monomial);
                }
            }
        }
        bounded(terms)
    }

    pub fn scaled(&self, factor: &Rational) -> Polynomial {
        let scale = |(monomial, coefficient): (&Monomial, &Rational)| {
            (monomial.clone(), Rational::from(coefficient * factor))
        };
        Polynomial {
            terms: self.terms.iter().map(scale).collect(),
        }
    }

    pub fn power(&self, exponent: u32) -> Option<Polynomial> {
        let mut power = Polynomial::constant(Rational::from(1));
        for _ in 0..exponent {
            power = power.times(self)?;
        }
        Some(power)
    }

    /// How much there is to write.
    pub fn size(&self) -> usize {
        let of = |monomial: &Monomial| 1 + monomial.iter().map(|(_, e)| *e as usize).sum::<usize>();
        self.terms.keys().map(of).sum()
    }

    /// The same with each atom replaced.
    pub fn renamed(&self, name: impl Fn(Id) -> Id) -> Polynomial {
        let mut terms: BTreeMap<Monomial, Rational> = BTreeMap::new();
        for (monomial, coefficient) in &self.terms {
            let mut renamed = Monomial::new();
            for (atom, exponent) in monomial {
                renamed = product(&renamed, &[(name(*atom), *exponent)]);
            }
            let sum = terms.entry(renamed.clone()).or_default();
            *sum += coefficient;
            if *sum == 0 {
                terms.remove(&renamed);
            }
        }
        Polynomial { terms }
    }
}

fn bounded(terms: BTreeMap<Monomial, Rational>) -> Option<Polynomial> {
    (terms.len() <= LONGEST).then_some(Polynomial { terms })
}

fn product(left: &[(Id, u32)], right: &[(Id, u32)]) -> Monomial {
    let mut factors: BTreeMap<Id, u32> = left.iter().copied().collect();
    for (atom, exponent) in right {
        *factors.entry(*atom).or_default() += exponent;
    }
    factors.into_iter().collect()
}

/// A rational as a small whole number.
pub fn small_whole(value: &Rational, most: u32) -> Option<u32> {
    let whole = (*value.denom() == 1).then(|| value.numer().to_u32())??;
    (whole <= most).then_some(whole)
}

/// The exact root of a square.
pub fn root(value: &Rational) -> Option<Rational> {
    if *value < 0 {
        return None;
    }
    let root = |x: &rug::Integer| {
        let root = x.clone().sqrt();
        (rug::Integer::from((&root).pow(2)) == *x).then_some(root)
    };
    Some(Rational::from((root(value.numer())?, root(value.denom())?)))
}
