//! The floating-point formats the system follows.

/// A floating-point format. `Fp128` and others are seen but not followed: their values are lost
/// shadows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum FpKind {
    Half = 1,
    BFloat = 2,
    Float = 3,
    Double = 4,
    /// x87 extended precision: 80 bits of value in 16 bytes of memory.
    X87 = 5,
}

impl FpKind {
    pub const ALL: [FpKind; 5] = [
        FpKind::Half,
        FpKind::BFloat,
        FpKind::Float,
        FpKind::Double,
        FpKind::X87,
    ];

    /// The length of an array that is indexed by `kind as usize`; its first element belongs to no format.
    pub const TABLE_LENGTH: usize = 6;

    #[inline]
    pub fn from_u8(raw: u8) -> Option<FpKind> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == raw)
    }

    /// The name a C programmer would use.
    pub fn c_name(self) -> &'static str {
        match self {
            FpKind::Half => "_Float16",
            FpKind::BFloat => "__bf16",
            FpKind::Float => "float",
            FpKind::Double => "double",
            FpKind::X87 => "long double",
        }
    }

    /// Bits of the whole format.
    pub const fn storage_bits(self) -> u32 {
        match self {
            FpKind::Half | FpKind::BFloat => 16,
            FpKind::Float => 32,
            FpKind::Double => 64,
            FpKind::X87 => 80,
        }
    }

    /// Bits of significand, the hidden bit included.
    #[inline]
    pub const fn precision(self) -> u32 {
        match self {
            FpKind::Half => 11,
            FpKind::BFloat => 8,
            FpKind::Float => 24,
            FpKind::Double => 53,
            FpKind::X87 => 64,
        }
    }
}
