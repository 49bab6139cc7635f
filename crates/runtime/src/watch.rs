//! Mode `watch`: thresholds, the tags of library functions' results, and what was found.
//!
//! Amplification factors are estimated from exponents, to within a bit or two: nothing here does
//! floating-point arithmetic, because that would raise flags in the program's environment. The factors are
//! those of the operation table; the tests compare the estimates with it.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use lostbits_abi::{
    environment,
    kind::FpKind,
    ops::Op,
    tag,
    totals::{SharedTotals, SiteTotals},
    variable_symbol, variables,
    watch::{NO_QUICK_TESTS, Thresholds, WatchLimits},
};

/// By format; the first row belongs to none. Thresholds for double and float as in the paper, the others in proportion.
/// Written once, before any instrumented code runs.
#[unsafe(export_name = variable_symbol!(WATCH_LIMITS))]
pub static mut LIMITS: variables::layout::WATCH_LIMITS = [
    WatchLimits::NONE,
    WatchLimits::new(9, 2, FpKind::Half.precision()),
    WatchLimits::new(6, 2, FpKind::BFloat.precision()),
    WatchLimits::of(Thresholds::DEFAULT.float, FpKind::Float),
    WatchLimits::of(Thresholds::DEFAULT.double, FpKind::Double),
    WatchLimits::new(58, 4, FpKind::X87.precision()),
];

/// See [`variables::WATCH_ALIVE`].
#[unsafe(export_name = variable_symbol!(WATCH_ALIVE))]
pub static ALIVE: variables::layout::WATCH_ALIVE = AtomicU32::new(0);

/// Reads the thresholds from the environment.
pub fn read_limits() {
    let Some(text) = crate::registry::environment(environment::c::WATCH_THRESHOLDS) else {
        return;
    };
    let thresholds = Thresholds::parse(text);
    for (kind, format) in [
        (FpKind::Double, thresholds.double),
        (FpKind::Float, thresholds.float),
    ] {
        let limits = (&raw mut LIMITS).cast::<WatchLimits>();
        // SAFETY: `kind` is an index of the array, and nothing else accesses it: this is called once, at the first
        // registration, before instrumented code runs.
        unsafe {
            limits
                .add(kind as usize)
                .write(WatchLimits::of(format, kind))
        };
    }
    if !thresholds.allow_quick_tests() {
        ALIVE.fetch_or(NO_QUICK_TESTS, Relaxed);
    }
}

/// Counts an amplified error or an unstable decision with the tag word that was found.
///
/// # Safety
///
/// `totals` are those of a site of mode `watch`, or null.
pub unsafe fn count(totals: *mut SiteTotals, operands: [u64; 2], word: u64) {
    // A word of fewer bits has fewer buckets; what is above them is signature.
    let width = match word {
        0..=0xffff => 16,
        0x1_0000..=0xffff_ffff => 32,
        _ => 64,
    };
    // SAFETY: instrumented code and the runtime access totals atomically.
    if let Some(totals) = unsafe { SharedTotals::at(totals) } {
        totals.count_amplified(operands, word & tag::set_mask(width));
    }
}

/// The tag of a library function's result (rule SIN of the paper, for every function). `what` is the operation and,
/// in the upper half, the format; `own` is the tag of a result whose error the function itself amplifies.
pub fn library(what: u32, operands: [f64; 2], result: f64, tags: [u64; 2], own: u64) -> u64 {
    let kind = (what >> 16) as usize;
    let (Some(op), true) = (Op::from_u16(what as u16), kind < FpKind::TABLE_LENGTH) else {
        return tags[0] | tags[1];
    };
    // SAFETY: `kind` is an index of the array, which nothing writes once instrumented code runs.
    let limits = unsafe { (&raw const LIMITS).cast::<WatchLimits>().add(kind).read() };
    let [x, y] = operands.map(exponent);
    let mut factor = factor(op, x, y, exponent(result));
    if let Some(gap) = distance_to_jump(op, operands[1], result) {
        factor.largest = factor.largest.max(x.saturating_sub(gap));
    }
    if factor.largest > limits.cancelled {
        own
    } else {
        let keep = |tag, factor| if factor < -limits.suppressed { 0 } else { tag };
        keep(tags[0], factor.of_x) | keep(tags[1], factor.of_y)
    }
}

/// Binary logarithms of amplification factors, rounded.
struct Factor {
    of_x: i32,
    of_y: i32,
    largest: i32,
}

/// The amplification factors |x f'(x) / f(x)|, from the exponents of operands and result.
fn factor(op: Op, x: i32, y: i32, result: i32) -> Factor {
    use Op::*;
    let of_x = match op {
        // x cot x and the like: as large as the result is small.
        Sin | SinPi | Lgamma | Tgamma | J0 | J1 | Y0 | Y1 => x.saturating_sub(result).max(0),
        // What is left of x after something was taken away.
        Rem | Remainder | Modulo | Fdim => x.saturating_sub(result),
        // x tan x: the square of a small x.
        Cos | CosPi if x < 0 => x.saturating_add(x),
        Cos | CosPi => x.saturating_sub(result),
        Tan | TanPi => x.saturating_add(result.max(result.saturating_neg())).max(0),
        Log | Log2 | Log10 => result.saturating_neg(),
        Acos | Acosh => x
            .saturating_sub(result.saturating_add(result))
            .min(SURE)
            .max(x.saturating_sub(result)),
        Exp | Exp2 | Exp10 => x,
        Sinh => x.max(0),
        Cosh => x.min(0).saturating_add(x),
        Atan => x.max(0).saturating_neg(),
        Pow => y,
        _ => 0,
    };
    let of_y = match op {
        // y log x is the logarithm of the result.
        Pow => bit_length(result),
        _ => 0,
    };
    Factor {
        of_x,
        of_y,
        largest: of_x.max(of_y),
    }
}

/// A remainder jumps where it reaches its divisor, or half of it: the exponent of what is left up to there.
fn distance_to_jump(op: Op, divisor: f64, remainder: f64) -> Option<i32> {
    const ONE_EXPONENT: u64 = 1 << 52;
    const WITHOUT_SIGN: u64 = u64::MAX >> 1;
    let [divisor, bits] = [divisor, remainder].map(|value| value.to_bits() & WITHOUT_SIGN);
    let jump = match op {
        Op::Rem | Op::Modulo => divisor,
        Op::Remainder => divisor.saturating_sub(ONE_EXPONENT),
        _ => return None,
    };
    // In units in the last place; no less than one, since it has not jumped.
    let apart = jump.abs_diff(bits).max(1);
    let log2 = 63 - apart.leading_zeros() as i32;
    (apart < ONE_EXPONENT).then(|| exponent(remainder) - 52 + log2)
}

/// Larger than any threshold.
const SURE: i32 = 4096;

/// The exponent of an exponent's magnitude: how large the logarithm of a value is.
fn bit_length(exponent: i32) -> i32 {
    31 - (exponent.unsigned_abs().max(1)).leading_zeros() as i32
}

/// The unbiased exponent; that of zero is far below all others.
fn exponent(value: f64) -> i32 {
    let biased = ((value.to_bits() >> 52) & 0x7ff) as i32;
    if biased == 0 { -SURE } else { biased - 1023 }
}

#[cfg(test)]
mod tests {
    use lostbits_abi::totals::WatchTotals;

    use super::*;

    /// The estimate must be on the right side of both thresholds wherever the true factor is clearly
    /// on one.
    fn agrees(op: Op, operands: [f64; 2], result: f64) {
        let [x, y] = operands.map(exponent);
        let estimate = factor(op, x, y, exponent(result)).largest;
        let arity = op.info().arity();
        let conditions = op.condition(&operands[..arity]);
        let truth = conditions[..arity]
            .iter()
            .fold(0.0f64, |a, b| a.max(*b))
            .log2();
        if truth > 50.0 {
            assert!(estimate > 45, "{op:?} {operands:?}: {estimate} for {truth}");
        }
        if truth < 40.0 {
            assert!(estimate < 46, "{op:?} {operands:?}: {estimate} for {truth}");
        }
    }

    #[test]
    fn functions_amplify_where_their_condition_is_large() {
        use std::f64::consts::PI;
        let kpi = 1e15f64 * PI;
        for x in [
            1.0,
            PI,
            2.0 * PI,
            1e-3,
            1e-300,
            3.0,
            100.0,
            1.5e8,
            kpi,
            1e300,
        ] {
            agrees(Op::Sin, [x, 0.0], x.sin());
            agrees(Op::Cos, [x, 0.0], x.cos());
            agrees(Op::Tan, [x, 0.0], x.tan());
            agrees(Op::Exp, [x.min(700.0), 0.0], x.min(700.0).exp());
            agrees(Op::Atan, [x, 0.0], x.atan());
        }
        let one = 1.0f64;
        for x in [one.next_up(), one.next_down(), 0.5, 2.0, 1e-300, 1e300] {
            agrees(Op::Log, [x, 0.0], x.ln());
            agrees(Op::Log2, [x, 0.0], x.log2());
            agrees(Op::Log10, [x, 0.0], x.log10());
        }
        for x in [one.next_down(), 0.5, -0.5, 1e-10] {
            agrees(Op::Acos, [x, 0.0], x.acos());
        }
        for (x, y) in [(2.0f64, 10.0f64), (1.0000001, 1e6), (one.next_up(), 1e16)] {
            agrees(Op::Pow, [x, y], x.powf(y));
        }
    }

    #[test]
    fn small_factors_suppress_and_large_ones_replace() {
        let tagged = tag::signature(64) | 1;
        let own = tag::signature(64) | 2;
        let judge = |op: Op, x: f64, result: f64| {
            library(of_double(op), [x, 0.0], result, [tagged, 0], own)
        };
        assert_eq!(judge(Op::Cos, 1e-3, 1.0), 0);
        assert_eq!(judge(Op::Exp, 1e-3, 1.001), 0);
        assert_eq!(judge(Op::Sin, 1.0, 0.84), tagged);
        assert_eq!(judge(Op::Sin, 1e300, 0.5), own);
        assert_eq!(judge(Op::Sqrt, 2.0, 1.4), tagged);
    }

    fn of_double(op: Op) -> u32 {
        op as u32 | (FpKind::Double as u32) << 16
    }

    /// Remainders jump: from below at the divisor, and where nothing is left.
    #[test]
    fn remainders_are_noticed_next_to_their_jumps() {
        let own = tag::signature(64) | 2;
        let judge = |op: Op, x: f64, y: f64, result: f64| {
            library(of_double(op), [x, y], result, [0, 0], own) == own
        };
        let below = 6.0f64.next_down();
        assert!(judge(Op::Rem, below, 2.0, below % 2.0));
        assert!(judge(
            Op::Rem,
            6.0f64.next_up(),
            2.0,
            6.0f64.next_up() % 2.0
        ));
        assert!(judge(Op::Rem, 6.0, 2.0, 0.0));
        assert!(!judge(Op::Rem, 5.0, 2.0, 1.0));
        assert!(!judge(Op::Rem, 5.9, 2.0, 5.9 % 2.0));
        assert!(judge(
            Op::Remainder,
            5.0f64.next_down(),
            2.0,
            1.0f64.next_down()
        ));
        assert!(!judge(Op::Remainder, 5.9, 2.0, -0.1));
        let float = Op::Sin as u32 | (FpKind::Float as u32) << 16;
        let operands = [f64::from(core::f32::consts::PI), 0.0];
        let result = f64::from(1e-7f32);
        assert_eq!(library(float, operands, result, [0, 0], own), own);
        let double = of_double(Op::Sin);
        assert_eq!(library(double, operands, result, [0, 0], own), 0);
    }

    #[test]
    fn tags_are_united_without_their_signatures() {
        let mut totals = SiteTotals::default();
        for (operands, word) in [
            ([1, 2], tag::signature(64) | 1),
            ([3, 4], tag::signature(32) | 4),
            ([3, 4], 0),
        ] {
            // SAFETY: the totals are a local variable of this thread.
            unsafe { count(&mut totals, operands, word) };
        }
        let expected = WatchTotals {
            times: 3,
            tags: 5,
            operands: [1, 2],
        };
        assert_eq!(totals.watch(), expected);
    }
}
