//! The kind of a root cause, from its worst execution.

use lostbits_abi::{explain::cause, kind::FpKind, ops::Op};

use super::{blame::Evidence, budget::SHARE_OF_A_CAUSE, findings::RootCause};
use crate::cancellation::{Amplification, amplification_of_values};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It made a NaN of numbers.
    NotANumber,
    /// It made an infinity of finite numbers.
    Infinity,
    /// Its divisor is zero in exact arithmetic, and rounding noise in the program.
    DivisionByZero,
    /// This many leading bits of the operands cancelled.
    Cancellation { bits: u32 },
    /// Relative errors grow by two to this power.
    Amplification { log2: i32 },
    /// The result was too small for its format.
    Underflow,
    /// Rounding errors added up.
    Accumulation,
    /// An operand had underflowed before.
    Underflowed,
    /// Any other loss of bits.
    Loss,
}

impl Kind {
    pub fn of(cause: &RootCause) -> Kind {
        if cause.makes_not_a_number() {
            Kind::NotANumber
        } else if cause.makes_infinity() {
            Kind::Infinity
        } else if cause.divides_by_zero() {
            Kind::DivisionByZero
        } else if cause.causes & cause::LOCAL != 0 {
            local(cause)
        } else if cause.causes & cause::UNDERFLOW != 0 {
            Kind::Underflow
        } else if rests_on_underflow(cause) {
            Kind::Underflowed
        } else {
            Kind::Accumulation
        }
    }

    /// For programs that read the report.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NotANumber => "nan",
            Kind::Infinity => "infinity",
            Kind::DivisionByZero => "division-by-zero",
            Kind::Cancellation { .. } => "cancellation",
            Kind::Amplification { .. } => "amplification",
            Kind::Underflow | Kind::Underflowed => "underflow",
            Kind::Accumulation => "accumulation",
            Kind::Loss => "loss",
        }
    }
}

/// A factor that is too small for its format, in a result that should not be.
fn rests_on_underflow(cause: &RootCause) -> bool {
    let kind = cause.site.kind.unwrap_or(FpKind::Double);
    let factors = match cause.op {
        Op::Mul | Op::Div => &cause.worst_operands[..],
        _ => &[],
    };
    let is_left_over = |operand: &f64| is_too_small(*operand, kind);
    factors.iter().any(is_left_over) && !is_too_small(cause.worst_real.nearest, kind)
}

fn local(cause: &RootCause) -> Kind {
    let kind = cause.site.kind.unwrap_or(FpKind::Double);
    let amplification = match (cause.op, cause.worst_operands.as_slice()) {
        (Op::Fma | Op::MulAdd, [x, y, z]) => amplification_of_values(Op::Add, kind, [x * y, *z]),
        (op, [x, y, ..]) => amplification_of_values(op, kind, [*x, *y]),
        (op, [x]) => amplification_of_values(op, kind, [*x, 0.0]),
        (_, []) => None,
    };
    match amplification {
        Some(Amplification::Cancelled(bits)) if is_too_mild(cause, bits) => Kind::Accumulation,
        Some(Amplification::Cancelled(bits)) => Kind::Cancellation { bits },
        Some(Amplification::Factor { log2 }) => Kind::Amplification { log2 },
        None if is_too_small(cause.worst_real.nearest, kind) => Kind::Underflow,
        None => Kind::Loss,
    }
}

/// Whether a statement that makes an error cannot have made it by cancelling so few bits: rounding errors of many executions
/// added up.
fn is_too_mild(cause: &RootCause, bits: u32) -> bool {
    let makes =
        matches!(&cause.evidence, Evidence::Proved(proof) if proof.share >= SHARE_OF_A_CAUSE);
    let kind = cause.site.kind.unwrap_or(FpKind::Double);
    let all = f64::from(kind.precision());
    let mut lost = cause
        .outputs
        .iter()
        .map(|reached| reached.worst_bits.min(all));
    let explained = f64::from(bits + ROUNDED_BITS);
    makes && cause.executions > 1 && !cause.outputs.is_empty() && lost.all(|lost| lost > explained)
}

/// What the roundings of one execution may lose besides what its cancellation amplifies.
const ROUNDED_BITS: u32 = 3;

fn is_too_small(real: f64, kind: FpKind) -> bool {
    let smallest = match kind {
        FpKind::Half => 2f64.powi(-14),
        FpKind::BFloat | FpKind::Float => f32::MIN_POSITIVE.into(),
        FpKind::Double | FpKind::X87 => f64::MIN_POSITIVE,
    };
    real.abs() < smallest
}
