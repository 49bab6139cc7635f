//! The inputs a search may try: for each parameter a range of floating-point numbers, counted one by one.
//!
//! The numbers of a format are ordered; a number's *ordinal* is its position among them, so that neighbours differ by
//! one, and uniform ordinals are uniform bit patterns.

use lostbits_abi::kind::FpKind;

use crate::{
    inputs::{NamedRange, is_named},
    numeric::{Random, from_ordinal, ordinal},
    target::Parameter,
};

#[derive(Clone, PartialEq, Debug)]
pub struct Space {
    pub axes: Vec<Axis>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    pub name: String,
    pub kind: FpKind,
    pub low: i64,
    pub high: i64,
}

impl Space {
    /// All finite numbers of the formats, unless `ranges` says otherwise; the last range of a name counts.
    pub fn new(parameters: &[Parameter], ranges: &[NamedRange]) -> Space {
        let axis = |parameter: &Parameter| {
            let largest = largest(parameter.kind);
            let range = ranges
                .iter()
                .rev()
                .find(|range| is_named(&parameter.name, &range.name));
            let (low, high) = range.map_or((-largest, largest), |named| {
                (named.range.low, named.range.high)
            });
            let mut axis = Axis {
                name: parameter.name.clone(),
                kind: parameter.kind,
                low: i64::MIN,
                high: i64::MAX,
            };
            (axis.low, axis.high) = (axis.ordinal(low), axis.ordinal(high));
            axis
        };
        Space {
            axes: parameters.iter().map(axis).collect(),
        }
    }

    pub fn width(&self) -> usize {
        self.axes.len()
    }
}

fn largest(kind: FpKind) -> f64 {
    match kind {
        FpKind::Half => 65504.0,
        FpKind::BFloat | FpKind::Float => f64::from(f32::MAX),
        FpKind::Double | FpKind::X87 => f64::MAX,
    }
}

impl Axis {
    /// Bits of a double that the format lacks.
    fn missing(&self) -> u32 {
        53u32.saturating_sub(self.kind.precision())
    }

    /// The nearest number of the format towards zero, within the range.
    pub fn ordinal(&self, value: f64) -> i64 {
        let whole = ordinal(value);
        let position = whole.signum() * (whole.abs() >> self.missing());
        position.clamp(self.low, self.high)
    }

    pub fn value(&self, position: i64) -> f64 {
        let position = position.clamp(self.low, self.high);
        let value = from_ordinal(position.signum() * (position.abs() << self.missing()));
        match self.kind {
            FpKind::Float => f64::from(value as f32),
            _ => value,
        }
    }

    /// The smallest and the largest number of the range.
    pub fn ends(&self) -> (f64, f64) {
        (self.value(self.low), self.value(self.high))
    }

    /// How many positions the range has.
    pub fn count(&self) -> u64 {
        self.high.abs_diff(self.low).saturating_add(1)
    }

    /// A position of the range, all equally likely.
    pub fn draw(&self, random: &mut Random) -> i64 {
        self.low.wrapping_add(random.below(self.count()) as i64)
    }

    /// A number of the format near `value`, if it is in the range.
    pub fn fitted(&self, value: f64) -> Option<f64> {
        if value.is_nan() {
            return None;
        }
        let whole = ordinal(value);
        let position = whole.signum() * (whole.abs() >> self.missing());
        (self.low..=self.high)
            .contains(&position)
            .then(|| self.value(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::Range;

    fn axis(kind: FpKind, range: Option<(f64, f64)>) -> Axis {
        let parameter = Parameter {
            name: "x".into(),
            kind,
        };
        let ranges: Vec<_> = range
            .map(|(low, high)| NamedRange {
                name: "x".to_owned(),
                range: Range { low, high },
            })
            .into_iter()
            .collect();
        Space::new(&[parameter], &ranges).axes.remove(0)
    }

    #[test]
    fn ranges_hold_and_formats_are_kept() {
        let narrow = axis(FpKind::Double, Some((-1.0, 2.0)));
        assert_eq!(narrow.value(i64::MAX), 2.0);
        assert_eq!(narrow.value(i64::MIN), -1.0);
        assert_eq!(narrow.fitted(3.0), None);
        let single = axis(FpKind::Float, None);
        let third = single.fitted(1.0 / 3.0).unwrap();
        assert_eq!(f64::from(third as f32), third);
        let next = single.value(single.ordinal(third) + 1);
        assert_eq!(next, f64::from((third as f32).next_up()));
    }
}
