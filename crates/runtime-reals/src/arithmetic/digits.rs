//! Products of numbers of 17 limbs, the length of 1000 bits, on processors that multiply eight 52-bit digits at once (AVX-512
//! with IFMA and VBMI): 0.55 times as long as [`rows`](super::rows) take.
//!
//! Limbs become digits. Eight digits are 52 bytes, so one permutation of bytes and one shift make a vector of them. The first
//! factor is shifted up by 28 bits, so that digit 19 of the product begins at limb 15. Digits from there on are computed, in
//! three vectors of eight columns each. Column c is the sum of all a[c − j] · b[j]: a *window* of eight neighbouring digits
//! of `a` is multiplied by one digit of `b`, lower and upper halves separately.
//!
//! The carries of lower columns are omitted: less than 2^57 units of limb 15, where the lowest limb kept is limb 16.

use core::arch::x86_64::*;

use super::vectors::{Aligned, Row};

const DIGIT_BITS: isize = 52;
/// The first factor is shifted up by this many bits.
const LOWER: isize = 28;
/// Bytes of eight digits.
const EIGHT_BYTES: isize = 52;
/// Bytes of two digits.
const PAIR_BYTES: usize = 13;

/// Which bytes of a vector of limbs eight digits come from, and how far to shift them down.
struct Split {
    bytes: Aligned<[u8; 64]>,
    there: u64,
    is_rounding_constant: Aligned<[u64; 8]>,
}

impl Split {
    /// The first digit begins `start` bits above the first limb; bits below that limb are zero.
    const fn new(start: isize) -> Split {
        let (mut bytes, mut there, mut is_rounding_constant) = ([0; 64], 0, [0; 8]);
        let mut at = 0;
        while at < 64 {
            let first = start + DIGIT_BITS * (at as isize / 8);
            let byte = first.div_euclid(8) + at as isize % 8;
            if byte >= 0 {
                bytes[at] = byte as u8;
                there |= 1 << at;
            }
            is_rounding_constant[at / 8] = first.rem_euclid(8) as u64;
            at += 1;
        }
        Split {
            bytes: Aligned(bytes),
            there,
            is_rounding_constant: Aligned(is_rounding_constant),
        }
    }

    /// Products ignore the bits above a digit's 52.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi")]
    fn digits(&'static self, limbs: __m512i) -> __m512i {
        let bytes = _mm512_maskz_permutexvar_epi8(self.there, self.bytes.load(), limbs);
        _mm512_srlv_epi64(bytes, self.is_rounding_constant.load())
    }
}

/// Eight digits of a number that is shifted up by `lower` bits, from a vector that begins with limb `limb`.
const fn split(eight: isize, lower: isize, limb: i32) -> Split {
    Split::new(8 * eight * DIGIT_BITS - lower - 64 * limb as isize)
}

/// The first limb of the vectors with the second and third eight digits.
const SECOND_LIMB: i32 = 6;
const THIRD_LIMB: i32 = 12;

const fn splits(lower: isize) -> [Split; 3] {
    [
        split(0, lower, 0),
        split(1, lower, SECOND_LIMB),
        split(2, lower, THIRD_LIMB),
    ]
}

static FIRST: [Split; 3] = splits(LOWER);
static SECOND: [Split; 3] = splits(0);

/// The digits of a number, as the splits say.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn digits_of(row: &Row, [first, second, third]: &'static [Split; 3]) -> [__m512i; 3] {
    let [low, high, top] = row.vectors();
    [
        first.digits(low),
        second.digits(_mm512_alignr_epi64::<SECOND_LIMB>(high, low)),
        third.digits(_mm512_alignr_epi64::<{ THIRD_LIMB - 8 }>(top, high)),
    ]
}

/// Where the bytes of pairs of digits go (16 bytes each): the first one to byte `start`.
const fn joined(start: isize) -> Aligned<[u8; 64]> {
    let mut bytes = [0; 64];
    let mut at = 0;
    while at < 64 {
        let from = at as isize - start;
        if 0 <= from && from < EIGHT_BYTES {
            let from = from as usize;
            bytes[at] = (from / PAIR_BYTES * 16 + from % PAIR_BYTES) as u8;
        }
        at += 1;
    }
    Aligned(bytes)
}

static JOINED: Aligned<[u8; 64]> = joined(0);
/// Six limbs end within the eight digits; the rest of these begins the seventh limb.
static REST: Aligned<[u8; 64]> = joined(-48);
static BEHIND_REST: Aligned<[u8; 64]> = joined(4);
const REST_BYTES: u64 = 0xf;

/// The highest 17 limbs of a product.
pub struct Product {
    pub row: Row,
    /// It has as many limbs as its factors together, not one less.
    pub is_longer: bool,
}

/// The product of two rows whose highest limbs are not zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub fn product(a: &Row, b: &Row) -> Product {
    highest(limbs(columns::<0>(a, b)))
}

/// The highest 17 of 6, 7 and 7 limbs; the highest nonzero limb is the 18th or 19th.
#[inline]
#[target_feature(enable = "avx512f")]
fn highest([low, middle, high]: [__m512i; 3]) -> Product {
    static LOW: [Aligned<[u64; 8]>; 2] = [consecutive(1, 6), consecutive(2, 6)];
    static HIGH: [Aligned<[u64; 8]>; 2] = [consecutive(3, 7), consecutive(4, 7)];
    let last = _mm512_castsi512_si128(_mm512_alignr_epi64::<4>(high, high));
    let [second, first] = [
        _mm_cvtsi128_si64(last) as u64,
        _mm_cvtsi128_si64(_mm_unpackhi_epi64(last, last)) as u64,
    ];
    let is_longer = first != 0;
    let case = usize::from(is_longer);
    Product {
        row: Row {
            low: _mm512_permutex2var_epi64(low, LOW[case].load(), middle),
            high: _mm512_permutex2var_epi64(middle, HIGH[case].load(), high),
            top: if is_longer { first } else { second },
        },
        is_longer,
    }
}

/// Eight consecutive limbs of two vectors, the first of which holds `held`.
const fn consecutive(first: u64, held: u64) -> Aligned<[u64; 8]> {
    const SECOND: u64 = 8;
    let mut places = [0; 8];
    let mut at = 0;
    while at < 8 {
        let limb = first + at as u64;
        places[at] = if limb < held {
            limb
        } else {
            SECOND + limb - held
        };
        at += 1;
    }
    Aligned(places)
}

/// Writes the limbs 16 to 33 of a product.
///
/// # Safety
///
/// The processor [has IFMA](super::processor::has_ifma). Both numbers have 17 limbs, and `out` has room for 20; the last two
/// get unspecified values.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub unsafe fn upper_half(out: *mut u64, a: *const u64, b: *const u64) {
    // SAFETY: the three stores cover the limbs 0 to 19 of `out`.
    unsafe {
        let [low, middle, high] = limbs(columns::<1>(&Row::load(a), &Row::load(b)));
        // Each store overwrites the surplus limbs of the one before.
        _mm512_storeu_si512(out.cast(), _mm512_alignr_epi64::<1>(low, low));
        _mm512_storeu_si512(out.add(5).cast(), middle);
        _mm512_storeu_si512(out.add(12).cast(), high);
    }
}

/// The columns 19 to 42, before carries. The function is long, and the compiler inlines it only into a single caller; so each
/// caller has its own copy.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn columns<const CALLER: u8>(a: &Row, b: &Row) -> [__m512i; 3] {
    let zero = _mm512_setzero_si512();
    let ([a0, a1, a2], b) = (digits_of(a, &FIRST), digits_of(b, &SECOND));
    // SAFETY: `j` is below 24, the number of digits. Volatile, because the compiler would extract digits from the vectors,
    // which is slower.
    let digit = |j: usize| unsafe {
        let digits = b.as_ptr().cast::<i64>();
        _mm512_set1_epi64(digits.add(j).read_volatile())
    };
    // Two sums for most columns: additions to one sum would wait for each other.
    let (mut low, mut high) = ([[zero; 2]; 3], [[zero; 2]; 3]);
    macro_rules! add {
        ($first:literal $window:expr; $($vector:literal)*) => {
            let window = $window;
            $(
                let factor = digit((19 + 8 * $vector as i32 - $first) as usize);
                let sum = ($first & 1) as usize;
                low[$vector][sum] = _mm512_madd52lo_epu64(low[$vector][sum], window, factor);
                high[$vector][sum] = _mm512_madd52hi_epu64(high[$vector][sum], window, factor);
            )*
        };
    }
    macro_rules! windows {
        ($upper:ident, $lower:ident, $($first:literal at $place:literal: $($vector:literal)*;)*) => {
            $(add!($first _mm512_alignr_epi64::<$place>($upper, $lower); $($vector)*);)*
        };
    }
    windows!(a0, zero, -1 at 7: 0;);
    add!(0 a0; 0);
    windows!(a1, a0, 1 at 1: 0; 2 at 2: 0; 3 at 3: 0; 4 at 4: 0; 5 at 5: 0; 6 at 6: 0; 7 at 7: 0 1;);
    add!(8 a1; 0 1);
    windows!(a2, a1, 9 at 1: 0 1; 10 at 2: 0 1; 11 at 3: 0 1; 12 at 4: 0 1; 13 at 5: 0 1; 14 at 6: 0 1; 15 at 7: 0 1 2;);
    add!(16 a2; 0 1 2);
    windows!(zero, a2, 17 at 1: 0 1 2; 18 at 2: 0 1 2; 19 at 3: 0 1 2; 20 at 4: 1 2; 21 at 5: 1 2;);
    let both = |[even, odd]: [__m512i; 2]| _mm512_add_epi64(even, odd);
    add_vectors(low.map(both), one_up(high.map(both)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add_vectors([a0, a1, a2]: [__m512i; 3], [b0, b1, b2]: [__m512i; 3]) -> [__m512i; 3] {
    [
        _mm512_add_epi64(a0, b0),
        _mm512_add_epi64(a1, b1),
        _mm512_add_epi64(a2, b2),
    ]
}

/// Moves each digit up by one place.
#[inline]
#[target_feature(enable = "avx512f")]
fn one_up([x0, x1, x2]: [__m512i; 3]) -> [__m512i; 3] {
    [
        _mm512_alignr_epi64::<7>(x0, _mm512_setzero_si512()),
        _mm512_alignr_epi64::<7>(x1, x0),
        _mm512_alignr_epi64::<7>(x2, x1),
    ]
}

/// Propagates carries and joins columns to limbs: 6, 7 and 7 of them, the lowest first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn limbs(columns: [__m512i; 3]) -> [__m512i; 3] {
    let [low, middle, high] = carried(columns).map(|eight| pairs(eight));
    let rest = _mm512_permutexvar_epi8(REST.load(), low);
    [
        _mm512_permutexvar_epi8(JOINED.load(), low),
        _mm512_mask_permutexvar_epi8(rest, !REST_BYTES, BEHIND_REST.load(), middle),
        _mm512_permutexvar_epi8(JOINED.load(), high),
    ]
}

const MOST: i64 = (1 << DIGIT_BITS) - 1;

#[inline]
#[target_feature(enable = "avx512f")]
fn carried(columns: [__m512i; 3]) -> [__m512i; 3] {
    let most = _mm512_set1_epi64(MOST);
    let low = |sum| _mm512_and_si512(sum, most);
    let carries = columns.map(|sum| _mm512_srli_epi64::<{ DIGIT_BITS as u32 }>(sum));
    let digits = add_vectors(columns.map(low), one_up(carries));
    let over = digits.map(|digit| _mm512_cmpgt_epu64_mask(digit, most));
    match over {
        [0, 0, 0] => digits,
        _ => carried_again(digits, over),
    }
}

/// Carries were small, so a second carry occurs only where digits are nearly all ones; it may then go far.
#[cold]
#[target_feature(enable = "avx512f")]
fn carried_again(digits: [__m512i; 3], over: [u8; 3]) -> [__m512i; 3] {
    let (most, one) = (_mm512_set1_epi64(MOST), _mm512_set1_epi64(1));
    let join = |[low, middle, high]: [u8; 3]| u32::from_le_bytes([low, middle, high, 0]);
    // A digit of all ones passes a carry on, as ones do in a sum of integers.
    let full = join(digits.map(|digit| _mm512_cmpeq_epu64_mask(digit, most)));
    let given = ((join(over) << 1) + full) ^ full;
    let [low, middle, high, _] = given.to_le_bytes();
    let [d0, d1, d2] = digits;
    let more = |digit, given| {
        let sum = _mm512_mask_add_epi64(digit, given, digit, one);
        _mm512_and_si512(sum, most)
    };
    [more(d0, low), more(d1, middle), more(d2, high)]
}

/// Joins pairs of digits to numbers of 104 bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn pairs(digits: __m512i) -> __m512i {
    const GONE: i64 = 64;
    let ups = _mm512_set4_epi64(GONE, 52, GONE, 52);
    let downs = _mm512_set4_epi64(12, 0, 12, 0);
    let exchanged = _mm512_shuffle_epi32::<0b01_00_11_10>(digits);
    _mm512_or_si512(
        _mm512_sllv_epi64(exchanged, ups),
        _mm512_srlv_epi64(digits, downs),
    )
}
