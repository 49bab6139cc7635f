//! The operation table: every floating-point operation the system knows, one row each.
//!
//! The rows are in `ops/table.rs` as an exported macro, [`operations!`](crate::operations), which passes them to a macro of the
//! caller. The enum [`Op`], its [`OpInfo`], the look-ups by name and the
//! condition numbers derive from them here; the evaluation by MPFR and the tests of every row derive
//! from them in the crate `lostbits`. Adding an operation is adding a row (and, where the mathematics
//! is new, its condition-number formula in [`condition`]).
//!
//! The condition numbers are those of Atomu (POPL 2020, Table 2) extended to the rest of C's libm.
//! Deviations: the table's root for arcsin is misprinted there (it covers only 1 − x²), and
//! atan2 uses the quadrant, not arctan(y/x).
//!
//! What the table can miss: functions of complex numbers, C23's narrowing arithmetic (`fadd`,
//! `daddl`), vector math libraries other than glibc's, and names that a program defines itself: a
//! function of its own called `gamma` is taken for the library's.

pub mod condition;
mod lookup;
mod table;

use crate::kind::FpKind;
use condition::{Operands, Padded};

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Real,
    /// A count, exponent or order is exact, its condition number 0; an integer that is converted
    /// passes on what error it has.
    Integer,
}

/// What an operation gives. A second result (`sincos`, `modf`) is described by [`OpInfo::second`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Real,
    Integer,
    /// A truth value or a class: no number.
    Truth,
}

/// What an operation does to errors of its operands, and whether it adds one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stability {
    /// The result is never rounded. Where `danger` is given, a small error of an operand can
    /// nevertheless become a large one of the result: at jumps, or by cancellation.
    Exact { danger: Option<Danger> },
    /// Every condition number is at most `bound`.
    Stable { bound: f64 },
    /// A condition number grows without bound (as far as the format goes) in the danger zone.
    Unstable { danger: Danger },
}

/// Where an operation amplifies errors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Danger {
    /// For people, the operands being x, y, z.
    pub zone: &'static str,
    /// Operands inside the zone: a condition number there exceeds 1000.
    pub witness: &'static [f64],
}

impl Stability {
    pub fn danger(self) -> Option<Danger> {
        match self {
            Stability::Exact { danger } => danger,
            Stability::Stable { .. } => None,
            Stability::Unstable { danger } => Some(danger),
        }
    }

    pub fn is_exact(self) -> bool {
        matches!(self, Stability::Exact { .. })
    }

    pub fn can_be_unstable(self) -> bool {
        self.danger().is_some()
    }
}

// The words of the table's column `stability`.
const fn exact() -> Stability {
    Stability::Exact { danger: None }
}
const fn exact_but(zone: &'static str, witness: &'static [f64]) -> Stability {
    Stability::Exact {
        danger: Some(Danger { zone, witness }),
    }
}
const fn stable(bound: f64) -> Stability {
    Stability::Stable { bound }
}
const fn unstable(zone: &'static str, witness: &'static [f64]) -> Stability {
    Stability::Unstable {
        danger: Danger { zone, witness },
    }
}

/// A row of the table, without its functions.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    pub op: Op,
    /// Short, unique, for reports.
    pub name: &'static str,
    /// In the order of the LLVM or C operands. A C function's further pointer arguments (`frexp`)
    /// are results, and a reduction's last operand is a whole vector.
    pub operands: &'static [Operand],
    pub outcome: Outcome,
    /// Where there are two results: the operation that gives the second from the same operands.
    pub second: Option<Op>,
    /// Where a vector is reduced: the operation between its lanes.
    pub folds: Option<Op>,
    /// The LLVM instruction.
    pub opcode: Option<&'static str>,
    /// LLVM intrinsics, without `llvm.` and without the type's suffix.
    pub intrinsics: &'static [&'static str],
    /// C names for `double`; [`OpInfo::library_names`] derives the other formats.
    pub library: &'static [&'static str],
    /// The operator of FPBench's FPCore.
    pub fpcore: Option<&'static str>,
    pub stability: Stability,
}

impl OpInfo {
    pub fn arity(&self) -> usize {
        self.operands.len()
    }

    /// All C names with the format each works on.
    pub fn library_names(&self) -> impl Iterator<Item = (String, FpKind)> {
        self.library
            .iter()
            .flat_map(|base| lookup::c_variants(base))
    }
}

impl Op {
    /// The operation that a call of a function of the program's own is, by its operands.
    pub fn call_of(operands: usize) -> Op {
        match operands {
            0 | 1 => Op::Call1,
            2 => Op::Call2,
            _ => Op::Call3,
        }
    }

    pub fn is_call(self) -> bool {
        matches!(self, Op::Call1 | Op::Call2 | Op::Call3)
    }

    /// Whether the result is discrete (a comparison, an integer), or jumps as if it were (a rounding, a remainder).
    pub fn is_discrete(self) -> bool {
        self.is_remainder() || self.rounds_to_integer() || self.info().outcome != Outcome::Real
    }

    /// Whether the result is a whole number of the operand's type, which has it exactly.
    pub fn rounds_to_integer(self) -> bool {
        use Op::*;
        matches!(
            self,
            Floor | Ceil | Trunc | Round | RoundEven | Rint | Nearbyint
        )
    }

    /// Remainders jump where they reach their divisor.
    pub fn is_remainder(self) -> bool {
        matches!(self, Op::Rem | Op::Remainder | Op::Modulo)
    }
}

macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

macro_rules! define {
    ($(
        $number:literal $variant:ident = $source:ident :: $function:ident {
            $name:literal, [$($operand:ident)*] -> $outcome:ident
                $(and $second:ident)? $(folding $folds:ident)?,
            opcode: [$($opcode:literal)?], intrinsics: [$($intrinsic:literal)*],
            library: [$($library:literal)*], fortran: [$($fortran:literal)*],
            fpcore: [$($fpcore:literal)?], condition: $condition:ident, $stability:expr
        }
    )*) => {
        /// A floating-point operation. The numbers are stable: site tables hold them.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op {
            $(#[doc = $name] $variant = $number,)*
        }

        impl Op {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// Inlined, or the runtime would link what the look-ups need.
            #[inline]
            pub fn from_u16(raw: u16) -> Option<Op> {
                match raw {
                    $($number => Some(Op::$variant),)*
                    _ => None,
                }
            }

            pub fn info(self) -> &'static OpInfo {
                match self {
                    $(Op::$variant => {
                        const INFO: &OpInfo = &OpInfo {
                            op: Op::$variant,
                            name: $name,
                            operands: &[$(Operand::$operand),*],
                            outcome: Outcome::$outcome,
                            second: optional!($(Op::$second)?),
                            folds: optional!($(Op::$folds)?),
                            opcode: optional!($($opcode)?),
                            intrinsics: &[$($intrinsic),*],
                            library: &[$($library),*],
                            fpcore: optional!($($fpcore)?),
                            stability: $stability,
                        };
                        INFO
                    })*
                }
            }

            /// The condition number for each operand: how many times larger the relative error of the
            /// result is than that of the operand. Operands the operation lacks get 0. Limits are
            /// taken where the formula itself is 0/0; NaN where the operation is not defined, or an
            /// operand is infinite or NaN. Of a reduction, give the start value and the lanes: the
            /// first number is the largest over all of them.
            ///
            /// Kept out of [`OpInfo`] so that whoever asks only for names does not link libm.
            pub fn condition(self, operands: &[f64]) -> [f64; 3] {
                if operands.iter().any(|operand| !operand.is_finite()) {
                    return [f64::NAN; 3];
                }
                match self {
                    $(Op::$variant => {
                        condition::$condition(Operands::of(operands)).padded()
                    })*
                }
            }

            /// The names by which flang's runtime knows it, without `_FortranA`, kind and suffix.
            fn fortran(self) -> &'static [&'static str] {
                match self {
                    $(Op::$variant => &[$($fortran),*],)*
                }
            }
        }
    };
}
crate::operations!(define);

impl Op {
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// By the LLVM instruction: `fadd`.
    pub fn from_opcode(opcode: &str) -> Option<Op> {
        lookup::opcode(opcode)
    }

    /// By the LLVM intrinsic: `llvm.sqrt`, with or without the types' suffix. The constrained
    /// (`llvm.experimental.constrained.fadd`) and vector-predicated (`llvm.vp.fadd`) forms of
    /// intrinsics and instructions are known too.
    pub fn from_intrinsic(name: &str) -> Option<Op> {
        lookup::intrinsic(name)
    }

    /// By the symbol of a library function: C's `sinf`, glibc's `__exp_finite` and
    /// `_ZGVdN4v_sin`, compiler-rt's `__powidf2`, flang's `_FortranAModReal8`; with the format it
    /// works on.
    pub fn from_library(symbol: &str) -> Option<(Op, FpKind)> {
        lookup::library(symbol)
    }

    /// By the operator of FPCore; `-` has two meanings, distinguished by the number of operands.
    pub fn from_fpcore(operator: &str, arity: usize) -> Option<Op> {
        lookup::fpcore(operator, arity)
    }

    /// By [`OpInfo::name`].
    pub fn from_name(name: &str) -> Option<Op> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }
}
