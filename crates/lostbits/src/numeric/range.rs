//! Intervals of doubles.

use serde::{Deserialize, Serialize};

/// All doubles from the first to the second, both included.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    /// All finite numbers.
    pub const ALL: Range = Range {
        low: -f64::MAX,
        high: f64::MAX,
    };

    pub fn intersected(self, other: Range) -> Range {
        Range {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
        }
    }

    /// The smallest range that contains both.
    pub fn hull(self, other: Range) -> Range {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Range {
                low: self.low.min(other.low),
                high: self.high.max(other.high),
            },
        }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}
