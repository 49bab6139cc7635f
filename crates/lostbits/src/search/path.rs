//! Lines through the space of inputs: positions on a line, in order, and the input at each.

use lostbits_abi::kind::FpKind;

use super::space::{Axis, Space};
use crate::numeric::ordinal;

/// A line through a point.
#[derive(Clone, Debug)]
pub enum Path {
    /// One parameter takes all its values.
    Along { base: Vec<f64>, axis: usize },
    /// Several parameters grow or shrink together: each is multiplied by a power of the same factor. So
    /// the line meets cancellations that no single parameter reaches.
    Scaled { base: Vec<f64>, powers: Vec<i32> },
}

/// The largest factor of a scaled line; the smallest is its inverse.
const LARGEST_FACTOR: f64 = 1_073_741_824.0;

impl Path {
    pub fn along(base: &[f64], axis: usize) -> Path {
        Path::Along {
            base: base.to_vec(),
            axis,
        }
    }

    pub fn scaled(base: &[f64], powers: Vec<i32>) -> Path {
        Path::Scaled {
            base: base.to_vec(),
            powers,
        }
    }

    /// The axis along which positions are counted: a parameter, or a factor.
    pub fn axis(&self, space: &Space) -> Axis {
        match self {
            Path::Along { axis, .. } => space.axes[*axis].clone(),
            Path::Scaled { .. } => Axis {
                name: "factor".to_owned(),
                kind: FpKind::Double,
                low: ordinal(1.0 / LARGEST_FACTOR),
                high: ordinal(LARGEST_FACTOR),
            },
        }
    }

    /// Where the point itself is on the line.
    pub fn origin(&self) -> f64 {
        match self {
            Path::Along { base, axis } => base[*axis],
            Path::Scaled { .. } => 1.0,
        }
    }

    /// The input at a position; what a range does not allow stays at its end.
    pub fn input(&self, space: &Space, position: i64) -> Vec<f64> {
        match self {
            Path::Along { base, axis } => {
                let mut input = base.clone();
                input[*axis] = space.axes[*axis].value(position);
                input
            }
            Path::Scaled { base, powers } => {
                let factor = self.axis(space).value(position);
                let moved = base.iter().zip(powers).zip(&space.axes);
                moved
                    .map(|((value, power), axis)| {
                        axis.value(axis.ordinal(value * factor.powi(*power)))
                    })
                    .collect()
            }
        }
    }
}
