//! What the environment asks for, read once.

use core::{
    ffi::CStr,
    sync::atomic::{AtomicI64, AtomicU32, AtomicUsize, Ordering::Relaxed},
};

use lostbits_abi::numbers::MOST_BITS;
use lostbits_runtime::environment;

use crate::shared;

const DEFAULT_PRECISION: i64 = 1000;
/// A double's own precision: then numbers are rounded to the program's formats, and must equal the
/// program's values.
const PROGRAMS_OWN: i64 = 53;

static PRECISION: AtomicI64 = AtomicI64::new(DEFAULT_PRECISION);
/// Numbers have so many bits more than they must, because they are cut off and not rounded.
pub const SPARE_BITS: i64 = 8;
static LIMBS: AtomicUsize = AtomicUsize::new(limbs_for(DEFAULT_PRECISION));
static SLACK: AtomicU32 = AtomicU32::new(slack_for(DEFAULT_PRECISION));
static FLAGS: AtomicU32 = AtomicU32::new(0);
const STEER: u32 = 1;
const EMULATE: u32 = 2;

pub fn read() {
    let asked = environment(c"LOSTBITS_PRECISION")
        .and_then(number)
        .unwrap_or(DEFAULT_PRECISION)
        .clamp(PROGRAMS_OWN, MOST_BITS as i64);
    // What is in memory has the first copy's precision, whatever became of the environment since.
    let first = &shared::block().precision;
    let asked = match first.compare_exchange(0, asked as u32, Relaxed, Relaxed) {
        Ok(_) => asked,
        Err(before) => i64::from(before),
    };
    let mut flags = 0;
    if asked == PROGRAMS_OWN {
        flags |= EMULATE;
    }
    if is_on(c"LOSTBITS_STEER") {
        flags |= STEER;
    }
    // Sums and products are exact then, before they are rounded to the format.
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

/// The most limbs of a number.
#[inline(always)]
pub fn limbs() -> usize {
    LIMBS.load(Relaxed)
}

/// The highest limb may have a single bit.
pub const fn limbs_for(precision: i64) -> usize {
    ((precision + SPARE_BITS) as usize + 63).div_ceil(64)
}

/// The bits that numbers of all limbs have beyond those that they must have, at least.
#[inline(always)]
pub fn slack() -> u32 {
    SLACK.load(Relaxed)
}

pub const fn slack_for(precision: i64) -> u32 {
    64 * limbs_for(precision) as u32 - 63 - (precision + SPARE_BITS) as u32
}

/// Whether decisions and outputs follow the reals.
#[inline(always)]
pub fn steers() -> bool {
    FLAGS.load(Relaxed) & STEER != 0
}

/// Whether numbers are rounded to the program's formats.
#[inline(always)]
pub fn emulates() -> bool {
    FLAGS.load(Relaxed) & EMULATE != 0
}
