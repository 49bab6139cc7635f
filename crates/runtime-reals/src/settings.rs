//! Settings from environment variables, read once.

use core::{
    ffi::CStr,
    sync::atomic::{AtomicI64, AtomicU32, AtomicUsize, Ordering::Relaxed},
};

use lostbits_abi::{
    environment::{STEER_OUTPUTS, c},
    numbers::MOST_BITS,
};
use lostbits_runtime::environment;

use crate::shared;

const DEFAULT_PRECISION: i64 = 1000;
/// The precision of a double. It requests emulation: numbers are rounded to the program's formats and must equal the
/// program's values.
const PROGRAMS_OWN: i64 = 53;

static PRECISION: AtomicI64 = AtomicI64::new(DEFAULT_PRECISION);
/// Bits of numbers beyond the precision: results are truncated, not rounded.
pub const SPARE_BITS: i64 = 8;
static LIMBS: AtomicUsize = AtomicUsize::new(limbs_for(DEFAULT_PRECISION));
static SLACK: AtomicU32 = AtomicU32::new(slack_for(DEFAULT_PRECISION));
static FLAGS: AtomicU32 = AtomicU32::new(0);
const STEER: u32 = 1;
const EMULATE: u32 = 2;
const OWN_DECISIONS: u32 = 4;

pub fn read() {
    let asked = environment(c::PRECISION)
        .and_then(number)
        .unwrap_or(DEFAULT_PRECISION)
        .clamp(PROGRAMS_OWN, MOST_BITS as i64);
    // Numbers in memory have the first copy's precision, even if the environment changed since.
    let first = &shared::block().precision;
    let asked = match first.compare_exchange(0, asked as u32, Relaxed, Relaxed) {
        Ok(_) => asked,
        Err(before) => i64::from(before),
    };
    let mut flags = 0;
    if asked == PROGRAMS_OWN {
        flags |= EMULATE;
    }
    if is_on(c::STEER) {
        flags |= STEER;
    }
    if environment(c::STEER).is_some_and(|value| value == STEER_OUTPUTS.as_bytes()) {
        flags |= OWN_DECISIONS;
    }
    // Under emulation, sums and products are exact before they are rounded to the format.
    let precision = if flags & EMULATE != 0 {
        MOST_BITS as i64
    } else {
        asked
    };
    PRECISION.store(precision, Relaxed);
    LIMBS.store(limbs_for(precision), Relaxed);
    SLACK.store(slack_for(precision), Relaxed);
    FLAGS.store(flags, Relaxed);
}

fn is_on(name: &CStr) -> bool {
    environment(name).is_some_and(|value| value != b"" && value != b"0")
}

fn number(text: &[u8]) -> Option<i64> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(*byte - b'0'));
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter()
        .try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
}

#[inline(always)]
pub fn precision() -> i64 {
    PRECISION.load(Relaxed)
}

/// The most limbs a number has.
#[inline(always)]
pub fn limbs() -> usize {
    LIMBS.load(Relaxed)
}

/// Enough limbs even if the highest one has a single bit.
pub const fn limbs_for(precision: i64) -> usize {
    ((precision + SPARE_BITS) as usize + 63).div_ceil(64)
}

/// The fewest bits that full-length numbers have beyond precision and spare bits.
#[inline(always)]
pub fn slack() -> u32 {
    SLACK.load(Relaxed)
}

pub const fn slack_for(precision: i64) -> u32 {
    64 * limbs_for(precision) as u32 - 63 - (precision + SPARE_BITS) as u32
}

/// Whether the run is steered: outputs follow exact arithmetic, and mostly decisions do.
#[inline(always)]
pub fn steers() -> bool {
    FLAGS.load(Relaxed) & STEER != 0
}

/// Whether decisions follow exact arithmetic.
#[inline(always)]
pub fn steers_decisions() -> bool {
    FLAGS.load(Relaxed) & (STEER | OWN_DECISIONS) == STEER
}

/// Whether numbers are rounded to the program's formats.
#[inline(always)]
pub fn emulates() -> bool {
    FLAGS.load(Relaxed) & EMULATE != 0
}
