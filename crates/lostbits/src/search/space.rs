//! The inputs a search may try: for each parameter a range of floating-point numbers, counted one by one.
//!
//! Numbers of a format lie in a row; a number's *ordinal* is its place there, so that neighbours differ by
//! one, and uniform ordinals are uniform bit patterns.

use lostbits_abi::kind::FpKind;

use crate::{failure::Failure, target::Parameter};

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
    /// Everything finite, but for what `ranges` (name, low, high) says.
    pub fn new(parameters: &[Parameter], ranges: &[(String, f64, f64)]) -> Result<Space, Failure> {
        let names = || parameters.iter().map(|parameter| parameter.name.clone());
        if let Some((name, ..)) = ranges
            .iter()
            .find(|(name, ..)| !names().any(|known| is_named(&known, name)))
        {
            return Err(Failure::RangeOfNothing {
                name: name.clone(),
                variables: whole_names(names()).join(", "),
            });
        }
        let axis = |parameter: &Parameter| {
            let largest = largest(parameter.kind);
            let range = ranges
                .iter()
                .rev()
                .find(|(name, ..)| is_named(&parameter.name, name));
            let (low, high) = range.map_or((-largest, largest), |(_, low, high)| (*low, *high));
            let mut axis = Axis {
                name: parameter.name.clone(),
                kind: parameter.kind,
                low: i64::MIN,
                high: i64::MAX,
            };
            (axis.low, axis.high) = (axis.ordinal(low), axis.ordinal(high));
            axis
        };
        Ok(Space {
            axes: parameters.iter().map(axis).collect(),
        })
    }

    pub fn width(&self) -> usize {
        self.axes.len()
    }
}

/// Whether a name is that of a parameter, or of the array whose element it is.
pub fn is_named(parameter: &str, name: &str) -> bool {
    parameter == name || parameter.split('[').next() == Some(name)
}

/// Parameters as a user calls them: an array has one name.
fn whole_names(names: impl Iterator<Item = String>) -> Vec<String> {
    let whole = |name: String| name.split('[').next().unwrap_or_default().to_owned();
    let mut all: Vec<String> = names.map(whole).collect();
    all.dedup();
    all
}

fn largest(kind: FpKind) -> f64 {
    match kind {
        FpKind::Half => 65504.0,
        FpKind::BFloat | FpKind::Float => f64::from(f32::MAX),
        FpKind::Double | FpKind::X87 => f64::MAX,
    }
}

/// The place of a double among all doubles; that of both zeros is 0.
pub fn ordinal(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 {
        i64::MIN.wrapping_sub(bits)
    } else {
        bits
    }
}

pub fn from_ordinal(ordinal: i64) -> f64 {
    if ordinal < 0 {
        -f64::from_bits(ordinal.unsigned_abs())
    } else {
        f64::from_bits(ordinal as u64)
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
        let place = whole.signum() * (whole.abs() >> self.missing());
        place.clamp(self.low, self.high)
    }

    pub fn value(&self, place: i64) -> f64 {
        let place = place.clamp(self.low, self.high);
        let value = from_ordinal(place.signum() * (place.abs() << self.missing()));
        match self.kind {
            FpKind::Float => f64::from(value as f32),
            _ => value,
        }
    }

    /// As many places as the range has.
    pub fn places(&self) -> u64 {
        self.high.abs_diff(self.low).saturating_add(1)
    }

    /// A number of the format near `value`, if it is in the range.
    pub fn fitted(&self, value: f64) -> Option<f64> {
        if value.is_nan() {
            return None;
        }
        let whole = ordinal(value);
        let place = whole.signum() * (whole.abs() >> self.missing());
        (self.low..=self.high)
            .contains(&place)
            .then(|| self.value(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(kind: FpKind, range: Option<(f64, f64)>) -> Axis {
        let parameter = Parameter {
            name: "x".into(),
            kind,
        };
        let ranges: Vec<_> = range
            .map(|(low, high)| ("x".to_owned(), low, high))
            .into_iter()
            .collect();
        Space::new(&[parameter], &ranges).unwrap().axes.remove(0)
    }

    #[test]
    fn ordinals_count_doubles() {
        for value in [0.0, 1.0, -1.0, f64::MAX, f64::MIN_POSITIVE, -5e-324] {
            assert_eq!(from_ordinal(ordinal(value)), value);
        }
        assert_eq!(ordinal(5e-324), 1);
        assert_eq!(ordinal(-5e-324), -1);
        assert_eq!(ordinal(1.0f64.next_up()), ordinal(1.0) + 1);
        assert_eq!(ordinal(-0.0), 0);
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
