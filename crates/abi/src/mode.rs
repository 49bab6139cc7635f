//! Modes: what a program is instrumented for.

/// The instrumentation of a module. A mode is a shadow domain in the pass and, where the domain
/// needs one, a part of the runtime.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum Mode {
    /// Not instrumented at all: the plain compiler.
    Off = 0,
    /// Shadows at the program's own precision; they must equal the program everywhere.
    Same = 1,
    /// Tag masks are propagated and nothing is computed: the cost of the propagation alone.
    Carry = 2,
    /// Tags of amplified (the paper: *inflated*) errors with their origins; decisions that depend on tagged values.
    Watch = 3,
    /// Residues, influences and traces: the root causes of error.
    Explain = 4,
    /// A trace of operations with operands and results, for `lostbits search`; no shadows.
    Search = 5,
    /// A high-precision number beside every value, computed by MPFR.
    Reals = 6,
    /// Root causes of error as in `explain`, measured in high precision as in `reals`.
    ExplainReals = 7,
    /// The graph of operations on marked inputs, for `lostbits search --strategy symbolic`.
    Symbolic = 8,
}

impl Mode {
    pub const ALL: [Mode; 9] = [
        Mode::Off,
        Mode::Same,
        Mode::Carry,
        Mode::Watch,
        Mode::Explain,
        Mode::Search,
        Mode::Reals,
        Mode::ExplainReals,
        Mode::Symbolic,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Same => "same",
            Mode::Carry => "carry",
            Mode::Watch => "watch",
            Mode::Explain => "explain",
            Mode::Search => "search",
            Mode::Reals => "reals",
            Mode::ExplainReals => "explain-reals",
            Mode::Symbolic => "symbolic",
        }
    }

    pub fn from_name(name: &str) -> Option<Mode> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Inlined into the runtime, which must not need the standard library for it.
    #[inline]
    pub fn from_u32(raw: u32) -> Option<Mode> {
        Self::ALL.into_iter().find(|mode| *mode as u32 == raw)
    }

    /// Whether this mode finds root causes.
    pub fn explains(self) -> bool {
        matches!(self, Mode::Explain | Mode::ExplainReals)
    }

    /// Whether the runtime of this mode computes with MPFR.
    pub fn needs_reals(self) -> bool {
        matches!(self, Mode::Reals | Mode::Explain | Mode::ExplainReals)
    }
}

pub use crate::environment::PASS_MODE as PASS_MODE_ENV;
