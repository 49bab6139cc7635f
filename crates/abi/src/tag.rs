//! Tag words: one for each floating-point value, as wide as the value.
//!
//! A word of zeros says that the value is untagged. Any other is a signature, the same in every tagged
//! word of that width, and a set: which *buckets* of sites the tag came from. Words are united by
//! bitwise or, which keeps the signature and unites the sets.
//!
//! In memory a word is kept as the value's bits exclusive-or the word. So a load knows whether the word
//! belongs to the value that is now there: what does not give a signature was not stored with it.
//! The sign bits of all widths are clear, so that sign-bit tricks (`x ^ signbit`, `x & ~signbit`)
//! leave a word as it is.

/// The signature of a tagged word of `width` bits, the set being empty.
pub const fn signature(width: u32) -> u64 {
    let pattern: u64 = 0x2b5d_632b_5d63_2b5d;
    (pattern >> (64 - width)) & !set_mask(width)
}

/// A bit that every tagged word has, by how far it is below the sign bit.
pub const MARK_BELOW_SIGN: u32 = 2;

/// Buckets in a word of `width` bits.
pub const fn buckets(width: u32) -> u32 {
    match width {
        64 => 24,
        32 => 8,
        _ => 4,
    }
}

pub const fn set_mask(width: u32) -> u64 {
    (1 << buckets(width)) - 1
}

/// The set that represents one site. Sites are numbered from 0 in each module.
pub const fn set_of_site(site: u32, width: u32) -> u64 {
    1 << (site % buckets(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_leave_room_for_sets_and_have_no_sign_bits() {
        for width in [16, 32, 64] {
            assert_ne!(signature(width), 0);
            assert_eq!(signature(width) & set_mask(width), 0);
            assert_eq!(signature(width) >> (width - 1), 0);
            assert!(signature(width) < 1 << (width - 1));
            assert_eq!(signature(width) >> (width - 1 - MARK_BELOW_SIGN) & 1, 1);
        }
    }

    /// What makes a set of a wide word, folded, that of the same site in a narrow one.
    #[test]
    fn the_buckets_of_narrower_words_divide_those_of_wider() {
        assert_eq!(buckets(64) % buckets(32), 0);
        assert_eq!(buckets(32) % buckets(16), 0);
    }
}
