//! A form of the original expression, and where it is known to be equal to it.

use super::{
    compensate,
    corrected::{arguments, corrected},
    interval::Interval,
    machine::Width,
    math::Term,
    subject::Subject,
};

#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub term: Term,
    /// The ranges under which the rules were applied.
    pub domain: Vec<Interval>,
    /// Forms between the original and this one, each made from the one before by the rules.
    pub by_way_of: Vec<Term>,
    /// Of a series, the proved bound on its relative distance from the original in the domain.
    pub remainder: Option<f64>,
    /// The term from which this one was made by error-free transformations, and by which.
    pub made_from: Option<(Term, Transformation)>,
}

/// Transformations that add what is 0 in exact arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transformation {
    /// Kahan's difference of products.
    Products,
    /// The rounding error of a function's argument, carried over by the derivative.
    Arguments,
    /// A second word for every value.
    SecondWord,
}

impl Transformation {
    pub fn apply(self, term: &Term, width: Width) -> Option<Term> {
        match self {
            Transformation::Products => compensate::products(term),
            Transformation::Arguments => arguments(term, width),
            Transformation::SecondWord => corrected(term, width),
        }
    }

    /// As a chain of rules has it.
    pub fn name(self) -> &'static str {
        match self {
            Transformation::Products => "compensated-products",
            Transformation::Arguments => "compensated-arguments",
            Transformation::SecondWord => "second-word",
        }
    }

    pub fn sentence(self) -> &'static str {
        match self {
            Transformation::Products => {
                "ab − cd by fma: the rounding error of a product is added back"
            }
            Transformation::Arguments => {
                "f(a + b) → f(s) + r·f′(s): the rounding error r of the argument's sum s is carried over"
            }
            Transformation::SecondWord => {
                "compensated arithmetic: the rounding error of each operation is computed and added back"
            }
        }
    }

    pub const ALL: [Transformation; 3] = [
        Transformation::Products,
        Transformation::Arguments,
        Transformation::SecondWord,
    ];
}

impl Candidate {
    /// The original itself.
    pub fn original(subject: &Subject) -> Candidate {
        Candidate {
            term: subject.original.clone(),
            domain: subject.intervals(),
            by_way_of: Vec::new(),
            remainder: None,
            made_from: None,
        }
    }

    /// The candidate transformed; none where the transformation changes nothing.
    pub fn transformed(&self, by: Transformation, width: Width) -> Option<Candidate> {
        Some(Candidate {
            term: by.apply(&self.term, width)?,
            made_from: Some((self.term.clone(), by)),
            ..self.clone()
        })
    }

    /// Whether the candidate is valid on all of a box.
    pub fn covers(&self, domain: &[Interval]) -> bool {
        let inside = |(valid, here): (&Interval, &Interval)| {
            valid.low <= here.low && here.high <= valid.high && (!valid.nonzero || here.nonzero)
        };
        self.domain.iter().zip(domain).all(inside)
    }

    pub fn is_valid_at(&self, inputs: &[f64]) -> bool {
        let inside = |(x, values): (&f64, &Interval)| {
            values.low <= *x && *x <= values.high && !(values.nonzero && *x == 0.0)
        };
        inputs.iter().zip(&self.domain).all(inside)
    }
}
