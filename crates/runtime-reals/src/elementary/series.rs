//! Sums of power series with coefficients 1/(a·b·c…), a, b, c… whole numbers, such as the exponential series.
//!
//! Blocks of terms are summed with precomputed powers (Smith). Coefficients of neighbouring terms have a common denominator of
//! one limb, so a term costs one multiplication by a limb.

use super::fixed::Fixed;

/// The most terms: those of an exponential in [`super::fixed::MOST`] limbs.
const MOST: usize = 72;
/// Powers in a block. Even, so that blocks of alternating series begin with a positive term.
const BLOCK: usize = 6;

/// The coefficients of a series.
pub struct Series {
    count: usize,
    /// Term k is `numerators[k]` divided by all `divisors[j]` with j ≤ k.
    numerators: [u64; MOST],
    divisors: [u64; MOST],
    alternates: bool,
}

impl Series {
    /// Coefficient k is coefficient k − 1 divided by `ratio(k)`, for k ≥ 1. x is below 2^−`bits`; `length` limbs are needed.
    pub fn new(ratio: impl Fn(u64) -> u64, alternates: bool, bits: u32, length: usize) -> Series {
        let mut series = Series {
            count: 0,
            numerators: [1; MOST],
            divisors: [1; MOST],
            alternates,
        };
        let wanted = 64 * length as u32;
        let mut size = 0;
        let mut group = 0;
        while size < wanted && series.count < MOST {
            let k = series.count;
            let factor = if k == 0 { 1 } else { ratio(k as u64) };
            match series.divisors[group].checked_mul(factor) {
                // The preceding terms of the group get the factor in their numerators.
                Some(whole) if whole >> 62 == 0 => {
                    series.divisors[group] = whole;
                    let before = &mut series.numerators[group..k];
                    before.iter_mut().for_each(|numerator| *numerator *= factor);
                }
                _ => {
                    group = k;
                    series.divisors[group] = factor;
                }
            }
            if k > 0 {
                size += bits + factor.ilog2();
            }
            series.count += 1;
        }
        series
    }

    /// Coefficients 1/(2k + 1), whose common denominator is one limb; for x below 2^−`bits`, if few terms suffice.
    pub fn of_odd_fractions(alternates: bool, bits: i64, length: usize) -> Option<Series> {
        /// A common multiple of 1, 3, 5, … 31.
        const COMMON: u64 = 27 * 25 * 7 * 11 * 13 * 17 * 19 * 23 * 29 * 31;
        const FEW: usize = 16;
        let count = 1 + (64 * length) / bits.max(1) as usize;
        let mut series = Series {
            count,
            numerators: [1; MOST],
            divisors: [1; MOST],
            alternates,
        };
        let numerators = series.numerators.iter_mut().take(count);
        for (odd, numerator) in (1..).step_by(2).zip(numerators) {
            *numerator = COMMON / odd;
        }
        series.divisors[0] = COMMON;
        (count <= FEW).then_some(series)
    }

    /// Σ ±c(k)·x^k, for x ≥ 0.
    pub fn sum(&self, x: &Fixed, length: usize) -> Fixed {
        self.sum_of(&Powers::new(x, length), length)
    }

    pub fn sum_of(&self, Powers(powers): &Powers, length: usize) -> Fixed {
        // Products alternate between two buffers.
        let (mut sum, mut other) = (Fixed::ZERO, Fixed::ZERO);
        let (mut sum, mut other) = (&mut sum, &mut other);
        for k in (0..self.count).rev() {
            let (block, power) = (k / BLOCK, k % BLOCK);
            let numerator = self.numerators[k];
            let is_negative = self.alternates && k % 2 == 1;
            match (power, is_negative) {
                (0, _) => sum.set_whole(sum.whole(length).wrapping_add(numerator), length),
                (_, false) => sum.add_times(&powers[power], numerator, length),
                (_, true) => sum.subtract_times(&powers[power], numerator, length),
            }
            if self.divisors[k] != 1 {
                sum.divide(self.divisors[k], length);
            }
            if power == 0 && block > 0 {
                other.set_product(sum, &powers[BLOCK], length);
                core::mem::swap(&mut sum, &mut other);
            }
        }
        *sum
    }
}

/// The powers of a number ≥ 0 that a block needs.
pub struct Powers([Fixed; BLOCK + 1]);

impl Powers {
    pub fn new(x: &Fixed, length: usize) -> Powers {
        let mut powers = [Fixed::ZERO; BLOCK + 1];
        powers[1] = *x;
        for power in 2..=BLOCK {
            let (below, above) = powers.split_at_mut(power);
            // Squares are cheaper.
            let (a, b) = match power % 2 {
                0 => (&below[power / 2], &below[power / 2]),
                _ => (&below[power - 1], x),
            };
            above[0].set_product(a, b, length);
        }
        Powers(powers)
    }
}
