//! Random numbers that depend on the seed alone, on every machine.
//!
//! The generator is SplitMix64 (Steele, Lea, Flood 2014) by the crate `rand_xoshiro`, which keeps its output
//! stable. Searches, samples and the random programs of the tests all draw from it.

use rand_xoshiro::{
    SplitMix64,
    rand_core::{Rng, SeedableRng},
};

use super::{Range, from_ordinal, ordinal};

#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::seed_from_u64(seed))
    }

    /// A stream of its own for each name, so that what one function draws does not move another's numbers.
    pub fn named(seed: u64, name: &str) -> Random {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Random::new(name.bytes().fold(seed ^ 0xcbf2_9ce4_8422_2325, mix))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// From the standard normal distribution (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// A double of the range, all equally likely: every exponent gets its share.
    pub fn double(&mut self, range: Range) -> f64 {
        let (low, high) = (ordinal(range.low), ordinal(range.high));
        let count = high.abs_diff(low).saturating_add(1);
        from_ordinal(low.wrapping_add(self.below(count) as i64))
    }

    /// A real number of the range, all equally likely, rounded.
    pub fn real(&mut self, range: Range) -> f64 {
        let drawn = range.low + (range.high - range.low) * self.unit();
        drawn.clamp(range.low, range.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds are part of what users note down: a new version of the crate must not change what they mean.
    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        let mut random = Random::new(1);
        let drawn = [random.bits(), random.bits()];
        assert_eq!(drawn, [0x910a_2dec_8902_5cc1, 0xbeeb_8da1_658e_ec67]);
        assert_ne!(Random::named(1, "f").bits(), Random::named(1, "g").bits());
    }

    #[test]
    fn numbers_lie_in_their_range() {
        let mut random = Random::new(3);
        let range = Range {
            low: -1.0,
            high: 1e-300,
        };
        for _ in 0..1000 {
            assert!(range.contains(random.double(range)));
            assert!(range.contains(random.real(range)));
            assert!(Range::ALL.contains(random.double(Range::ALL)));
        }
    }
}
