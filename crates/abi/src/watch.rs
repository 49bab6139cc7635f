//! Mode `watch`: thresholds, and the paths of errors.

use crate::kind::FpKind;

/// Bits of [`WATCH_ALIVE`](crate::variables::WATCH_ALIVE): memory or a slot may hold tags.
pub const ALIVE: u32 = 1;
/// The thresholds are too low for the quick tests.
pub const NO_QUICK_TESTS: u32 = 2;
/// Regions without tags count down until the runtime checks whether tags are left.
pub const COUNTS_DOWN: u32 = 4;

/// Shadow memory is divided into stretches of 2 to this many bytes, which are known to hold no tags or may hold some.
pub const STRETCH_SHIFT: u32 = 15;
/// Rows of the table of stretches, a power of two.
pub const STRETCH_ROWS: usize = 1 << 14;

/// The stretch of a cell's address; its lower bits are the first row of the table to check.
pub const fn stretch(cell: u64) -> u64 {
    cell >> STRETCH_SHIFT
}

/// The two thresholds of the paper for one format, in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatThresholds {
    /// More cancelled bits than this amplify an error (τc).
    pub cancelled: u32,
    /// An operand larger by more bits than this suppresses the other's error (τs).
    pub suppressed: u32,
}

/// What users set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    pub double: FormatThresholds,
    pub float: FormatThresholds,
    /// Whether quick tests may decide that an operation needs no exact check. Off only in tests of the quick tests.
    pub quick_tests: bool,
}

impl Thresholds {
    /// The paper's choice for double, and in proportion for float.
    pub const DEFAULT: Thresholds = Thresholds {
        double: FormatThresholds {
            cancelled: 48,
            suppressed: 4,
        },
        float: FormatThresholds {
            cancelled: 19,
            suppressed: 4,
        },
        quick_tests: true,
    };

    /// As [`WATCH_THRESHOLDS`](crate::environment::WATCH_THRESHOLDS) holds them: `τc,τs,τc,τs`, for double and then for float;
    /// a fifth number 1 switches the quick tests off.
    pub fn encode(&self) -> String {
        let Thresholds {
            double,
            float,
            quick_tests,
        } = self;
        let four = format!(
            "{},{},{},{}",
            double.cancelled, double.suppressed, float.cancelled, float.suppressed
        );
        match quick_tests {
            true => four,
            false => four + ",1",
        }
    }

    /// Reads what [`Thresholds::encode`] wrote, numbers of up to four digits. A pair that is missing or no numbers keeps its
    /// defaults.
    ///
    /// Inlined, because the runtime must not link this crate's use of the standard library.
    #[inline]
    pub fn parse(text: &[u8]) -> Thresholds {
        let mut thresholds = Thresholds::DEFAULT;
        let mut numbers = text.split(|byte| *byte == b',').map(number);
        let mut next = || numbers.next().flatten();
        for format in [&mut thresholds.double, &mut thresholds.float] {
            if let (Some(cancelled), Some(suppressed)) = (next(), next()) {
                *format = FormatThresholds {
                    cancelled,
                    suppressed,
                };
            }
        }
        thresholds.quick_tests = next().is_none_or(|distrust| distrust == 0);
        thresholds
    }

    /// Whether the quick tests never miss anything at these thresholds, and are not switched off.
    #[inline]
    pub fn allow_quick_tests(&self) -> bool {
        self.quick_tests
            && self.double.cancelled >= QUICK_TESTS_HOLD[0] as u32
            && self.float.cancelled >= QUICK_TESTS_HOLD[1] as u32
    }
}

/// A number of up to four digits.
#[inline]
fn number(text: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(*byte - b'0'));
    if text.is_empty() || text.len() > 4 {
        return None;
    }
    text.iter()
        .try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
}

/// What instrumented code compares with, derived from the thresholds of one format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct WatchLimits {
    /// More cancelled bits than this amplify an error (τc).
    pub cancelled: i32,
    /// An operand larger by more bits than this suppresses the other's error (τs).
    pub suppressed: i32,
    /// Operands of a comparison that are fewer units in the last place apart than this cancel more
    /// than `cancelled` bits.
    pub near: u64,
    /// A result whose bits, without the sign, are more than this below an operand's may have cancelled
    /// more than `cancelled` bits; one whose are not has not.
    pub apart: i64,
}

impl WatchLimits {
    pub const NONE: WatchLimits = WatchLimits::new(0, 0, 0);

    pub const fn of(thresholds: FormatThresholds, kind: FpKind) -> WatchLimits {
        let FormatThresholds {
            cancelled,
            suppressed,
        } = thresholds;
        WatchLimits::new(cancelled as i32, suppressed as i32, kind.precision())
    }

    /// For a format with `precision` bits of significand.
    pub const fn new(cancelled: i32, suppressed: i32, precision: u32) -> WatchLimits {
        let room = precision as i32 - 1 - cancelled;
        let near = if room < 0 || room > 62 { 0 } else { 1 << room };
        let apart = if precision < 2 || cancelled < 4 {
            0
        } else {
            (cancelled as i64 - 3) << (precision - 1)
        };
        WatchLimits {
            cancelled,
            suppressed,
            near,
            apart,
        }
    }
}

/// The lowest thresholds τc, for double and for float, for which the pass's quick tests miss nothing.
pub const QUICK_TESTS_HOLD: [i32; 2] = [36, 18];

/// How many operands [`WATCH_PATH`](crate::functions::WATCH_PATH) reports.
pub const PATH_OPERANDS: usize = 3;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn thresholds_survive_the_environment(bits in any::<[u16; 4]>(), quick_tests in any::<bool>()) {
            let [a, b, c, d] = bits.map(|bits| u32::from(bits) % 10_000);
            let thresholds = Thresholds {
                double: FormatThresholds { cancelled: a, suppressed: b },
                float: FormatThresholds { cancelled: c, suppressed: d },
                quick_tests,
            };
            prop_assert_eq!(Thresholds::parse(thresholds.encode().as_bytes()), thresholds);
        }
    }

    #[test]
    fn thresholds_that_cannot_be_read_keep_their_defaults() {
        for text in ["", "48", "x,4", "48,4,19,-4", "48,4,,", "48000,4"] {
            assert_eq!(
                Thresholds::parse(text.as_bytes()),
                Thresholds::DEFAULT,
                "{text}"
            );
        }
        assert!(!Thresholds::parse(b"48,4,19,4,1").quick_tests);
        assert_eq!(Thresholds::parse(b"40,5").double.cancelled, 40);
    }

    #[test]
    fn low_thresholds_forbid_quick_tests() {
        let allow = |text: &str| Thresholds::parse(text.as_bytes()).allow_quick_tests();
        assert!(allow("48,4,19,4") && allow("36,4,18,4"));
        assert!(!allow("35,4,19,4") && !allow("48,4,17,4") && !allow("48,4,19,4,1"));
    }
}
