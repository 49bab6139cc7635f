//! What is proved about a repair.

use std::fmt::{self, Display};

use crate::fpcore::number::Number;

/// A number of three digits that is at least another, so that a box printed lies in the box proved.
struct Short(f64);

fn above(x: f64) -> Short {
    let near = format!("{x:.2e}").parse::<f64>().unwrap_or(x);
    if near >= x {
        return Short(near);
    }
    let unit = 10f64.powf(x.abs().log10().floor() - 2.0);
    let next = format!("{:.2e}", near + unit).parse::<f64>().unwrap_or(x);
    Short(if next >= x { next } else { x })
}

impl std::ops::Neg for Short {
    type Output = Short;

    fn neg(self) -> Short {
        Short(-self.0)
    }
}

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Number::from_f64(self.0 + 0.0).text)
    }
}

/// A bound on the error over boxes.
#[derive(Clone, PartialEq, Debug)]
pub struct Proof {
    /// The error is at most this.
    pub ulps: u32,
    /// Assumed of library functions.
    pub libm_ulps: u32,
    /// A range of each variable.
    pub boxes: Vec<Vec<(f64, f64)>>,
    /// Of the numbers in the ranges, how many are in the boxes.
    pub share: f64,
    /// And how many lead to the original, which is not worse than itself.
    pub kept: f64,
    /// Of the numbers that people use, how many are neither in the boxes nor lead to the original.
    pub everyday_open: f64,
    /// The library functions of which this is assumed.
    pub functions: Vec<String>,
}

impl Proof {
    pub fn is_complete(&self) -> bool {
        self.share >= 1.0
    }

    /// Where it holds, for people.
    pub fn place(&self, names: &[String]) -> String {
        if self.is_complete() {
            return "over the whole range".to_owned();
        }
        let one = |ranges: &Vec<(f64, f64)>| {
            let sides = names.iter().zip(ranges);
            let sides: Vec<String> = sides
                .map(|(name, (low, high))| {
                    format!("{name} in [{}, {}]", above(*low), -above(-*high))
                })
                .collect();
            sides.join(", ")
        };
        let most = if names.len() == 1 { 3 } else { 1 };
        let shown: Vec<String> = self.boxes.iter().take(most).map(one).collect();
        let more = match self.boxes.len().saturating_sub(most) {
            0 => String::new(),
            1 => " and 1 more box".to_owned(),
            n => format!(" and {n} more boxes"),
        };
        format!("for {}{more}", shown.join("; "))
    }
}
