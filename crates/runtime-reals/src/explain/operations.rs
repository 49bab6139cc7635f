//! Operations that instrumented code reports: their residues, local errors, influences and expressions.

use core::cmp::Ordering;

use lostbits_abi::{
    explain::{Event, Exact, NOTHING, Operation, Thread, cause, intervention, meta},
    kind::FpKind,
    ops::Op,
};

use super::{
    confirmation, detection,
    double_double::DoubleDouble,
    event::{self, exact, is_exactly_nonfinite, kind_of, real, tail, value},
    expression,
    fast_path::lanes_in,
    functions, intervening, limit,
    measure::{self, Bits, Measured, Ulps, Verdict},
    precision_specific,
    state::{State, if_recording},
    trace::ThreadTrace,
    underflow,
};
use crate::environment::in_default_environment;

/// Values with at most this error have no influences.
pub(super) const ACCURATE_ULPS: Ulps = Ulps(4.0);
/// The first executions of an operation of which all expressions are kept; later ever fewer are.
pub(super) const ALWAYS_KEPT: u64 = 1 << 10;

/// Whether the expression of an operation's `times`th execution with an error is kept.
pub(super) fn keeps_expression(times: u64) -> bool {
    match times {
        0..ALWAYS_KEPT => true,
        ALWAYS_KEPT..65_536 => times.is_multiple_of(64),
        _ => times.is_multiple_of(1024),
    }
}

/// Residue and bound where the exact value is unknown: nothing is blamed before a run in high precision decides.
const UNKNOWN: (f64, f64) = (0.0, f64::INFINITY);

/// Computes the exact result of an operation, and handles it if needed.
pub fn evaluate(event: &mut Event) {
    in_default_environment(|| compute_residue(event));
    report_if_needed(event);
}

/// Handles an operation whose residue is known, if it is sampled, inaccurate and influenced, or over the threshold.
pub fn report_if_needed(event: &mut Event) {
    if detection::is_active() {
        return;
    }
    let kind = kind_of(event);
    let value = event.values[0];
    let accurate =
        event.residues[0].abs() * measure::power_of_two(kind.precision() as i32 - 3) <= value.abs();
    let influences = (1..=usize::from(event.operands).min(3))
        .map(|index| meta::influences(event.metas[index]))
        .find(|influences| *influences != 0);
    event.metas[0] = meta::new(event.node, 0);
    let sampled = ThreadTrace::of_event(event).is_sampled();
    if sampled || (!accurate && (influences.is_some() || exceeds_limit(event))) {
        if_recording(|state| state.operation(event));
    }
}

/// Whether the result's error exceeds the threshold of local errors.
pub(super) fn exceeds_limit(event: &Event) -> bool {
    !(event.residues[0].abs() * limit(event.kind) <= event.values[0].abs())
}

/// Computes the residue of the result from the exact operands.
fn compute_residue(event: &mut Event) {
    if detection::has_unknown_operands(event) {
        (event.residues[0], event.bounds[0]) = UNKNOWN;
        return;
    }
    let count = usize::from(event.operands).min(3);
    let mut operands = [DoubleDouble::ZERO; 3];
    for (index, operand) in operands.iter_mut().enumerate().take(count) {
        *operand = real(event, index + 1);
    }
    let bounds = &event.bounds[1..=count];
    let is_bounded = bounds.iter().all(|bound| *bound <= f64::MAX);
    let is_unbounded = !is_bounded && event.values[0].is_finite();
    // A bound that is lost leaves the residue, which may well be right: a run in high precision decides, and interventions go on.
    let bounds = if is_unbounded { &[][..] } else { bounds };
    let Some((result, bound)) = functions::evaluate(event.op, &operands[..count], bounds) else {
        // Exact arithmetic gives this operation no meaning: take the program's result.
        event.residues[0] = 0.0;
        event.bounds[0] = 0.0;
        return;
    };
    let bound = match is_unbounded {
        true => f64::INFINITY,
        false => bound + underflow::loss_of_function(event),
    };
    let residue = match intervening::at(event.site) {
        0 => result.minus(DoubleDouble::sum(event.values[0], tail(event, 0))),
        left_out => under_intervention(event, count, result, left_out),
    };
    let residue = residue.high + residue.low;
    (event.residues[0], event.bounds[0]) = match event.values[0].is_finite() {
        false => (f64::NAN, bound),
        true if residue.is_finite() => confirmation::confirmed((residue, bound)),
        // The root of a value that may be below zero, or a result beyond the range of doubles.
        true => UNKNOWN,
    };
}

/// The result's residue without its own error, or without what it inherits: exact arithmetic on the operands that the
/// program had separates the two.
#[cold]
fn under_intervention(
    event: &Event,
    count: usize,
    result: DoubleDouble,
    left_out: u8,
) -> DoubleDouble {
    let mut operands = [DoubleDouble::ZERO; 3];
    for (index, operand) in operands.iter_mut().enumerate().take(count) {
        *operand = DoubleDouble::sum(event.values[index + 1], tail(event, index + 1));
    }
    let computed = DoubleDouble::sum(event.values[0], tail(event, 0));
    let between = functions::evaluate(event.op, &operands[..count], &[]);
    let between = between.map_or(computed, |(exact, _)| exact);
    let from = match left_out & intervention::WITHOUT_OWN_ERROR {
        0 => computed,
        _ => between,
    };
    let to = match left_out & intervention::WITHOUT_INHERITED_ERROR {
        0 => result,
        _ => between,
    };
    let residue = to.minus(from);
    if left_out & intervention::ROUNDED_TO_FLOAT == 0 {
        return residue;
    }
    let rounded = computed.plus(residue.high).high as f32;
    DoubleDouble::sum(f64::from(rounded), 0.0).minus(computed)
}

impl State {
    /// An event from instrumented code.
    pub fn handle(&mut self, event: &mut Event) {
        if !self.try_fast_path(event) {
            self.operation(event);
        }
    }

    /// Lanes of a vector; most do what they did before.
    pub fn handle_lanes(&mut self, thread: &mut Thread) {
        let trace = ThreadTrace::of(thread);
        self.count_known_lanes(&mut thread.lanes, trace);
        for lane in lanes_in(thread.lanes.reported) {
            event::load_lane(&mut thread.event, &thread.lanes, lane);
            self.handle(&mut thread.event);
            event::store_lane(&thread.event, &mut thread.lanes, lane);
        }
    }

    /// An operation whose result is inaccurate, where influences meet, or that is sampled.
    pub fn operation(&mut self, event: &mut Event) {
        let trace = ThreadTrace::of_event(event);
        let sampled = trace.is_sampled();
        let kind = kind_of(event);
        let is_inline_code = self.settings.precision == 0;
        if is_inline_code && !event.residues[0].is_finite() && event.values[0].is_finite() {
            // The inline code overflowed or divided by zero.
            in_default_environment(|| compute_residue(event));
        }
        if precision_specific::apply(event)
            && let Some(header) = self.analysis.header()
        {
            header.reinterpreted += 1;
        }
        if self.settings.precision == 0 {
            underflow::set_exact_of_floats(event);
        }
        let total = value(event, 0);
        let underflow_loss = underflow::bits_lost(event, self.local_ulps);
        let accurate = underflow_loss.is_none() && total.verdict(ACCURATE_ULPS) == Verdict::Within;
        let is_sum = matches!(Op::from_u16(event.op), Some(Op::Add | Op::Sub));
        let mut influences = match accurate {
            true => 0,
            false if is_exactly_nonfinite(event, 0) => self.inherited_nonfinite(event),
            false => self.inherited(event, is_sum),
        };
        let mut found = Finding::NONE;
        if !event.values[0].is_finite() {
            found = Finding::new(self.first_nonfinite(event), Bits::ALL);
            self.first_causes |= found.causes;
            if self.settings.precision == 0 {
                // From exact operands it is what exact arithmetic makes of them; otherwise that is unknown.
                event.bounds[0] = if has_exact_operands(event) {
                    0.0
                } else {
                    f64::INFINITY
                };
            }
        } else if divides_by_zero(event) {
            influences = 0;
            found = Finding::new(cause::DIVISION_BY_ZERO, Bits::ALL);
        } else if let Some(lost) = underflow_loss {
            // Sums that small are exact.
            let is_cause = !is_sum && underflow::begins_here(event);
            found = Finding::new(if is_cause { cause::UNDERFLOW } else { 0 }, lost);
        } else if !accurate && !precision_specific::is_split(event) {
            let local = self.local_error(event, kind);
            match local.map_or(Verdict::Within, |local| local.verdict(self.local_ulps)) {
                _ if is_never_blamed(event.op) => {
                    if influences == 0 && total.verdict(self.local_ulps) == Verdict::Over {
                        event.metas[0] = meta::new(event.node, 0);
                        influences = self.blame(event, 0);
                    }
                }
                Verdict::Over => {
                    let bits = local.map_or(Bits::ZERO, |local| local.approximate_bits());
                    found = Finding::new(cause::LOCAL, bits);
                }
                Verdict::Undecided => found.undecided = true,
                Verdict::Within
                    if influences == 0 && total.verdict(self.local_ulps) == Verdict::Over =>
                {
                    found = Finding::new(cause::ACCUMULATED, total.approximate_bits());
                }
                Verdict::Within => {}
            }
        }
        if found.causes != 0 {
            let own = self.sets.singleton(event.site);
            influences = self.sets.union(influences, own);
        }
        event.metas[0] = meta::new(event.node, self.propagated_set(event, influences));
        if sampled || found.causes != 0 || found.undecided {
            self.record(event, trace, found, sampled);
        }
        // Instrumented code does not write these.
        event.exact = [Exact::NONE; 4];
    }

    /// A result's influences as they propagate. A value that is zero in exact arithmetic may compensate for something: its set
    /// is numbered, so that a sum with it is reported; see [`compensates`].
    #[inline]
    pub(super) fn propagated_set(&mut self, event: &Event, influences: u32) -> u32 {
        match exact_is_zero(event.values[0], event.residues[0], event.bounds[0]) {
            true => self.sets.as_number(influences),
            false => self.sets.as_bits(influences),
        }
    }

    /// The influences on operands that are infinite or NaN. Where the exact result is not finite either, errors of other
    /// operands did not cause it.
    #[cold]
    fn inherited_nonfinite(&mut self, event: &Event) -> u32 {
        let mut all = 0;
        for index in 1..=usize::from(event.operands).min(3) {
            if !event.values[index].is_finite() || is_exactly_nonfinite(event, index) {
                all = self.sets.union(all, meta::influences(event.metas[index]));
            }
        }
        all
    }

    /// Whether the operation made an infinity or NaN from finite operands.
    fn first_nonfinite(&self, event: &Event) -> u32 {
        let operands = &event.values[1..=usize::from(event.operands).min(3)];
        let made_here = |holds: fn(f64) -> bool| operands.iter().all(|value| !holds(*value));
        if event.values[0].is_nan() && made_here(f64::is_nan) {
            cause::NOT_A_NUMBER
        } else if event.values[0].is_infinite() && made_here(|value| !value.is_finite()) {
            cause::INFINITY
        } else {
            0
        }
    }

    /// The error that the operation has for exact operands, rounded to the format; none where it is always small.
    fn local_error(&self, event: &Event, kind: FpKind) -> Option<Measured> {
        let count = usize::from(event.operands).min(3);
        if Op::from_u16(event.op).is_some_and(Op::is_call) {
            return Some(Measured {
                residue: event.tails[0],
                ..value(event, 0)
            });
        }
        if !can_amplify(event.op) {
            return None;
        }
        if kind == FpKind::X87 {
            return local_error_of_x87(event, count);
        }
        let mut rounded = [DoubleDouble::ZERO; 3];
        for (index, rounded) in (1..=count).zip(&mut rounded) {
            let exact = event.values[index] + event.residues[index];
            rounded.high = round_to(kind, exact);
        }
        let here = native(event.op, kind, &rounded[..count])?;
        let residue = DoubleDouble::sum(event.values[0], -here).plus(event.residues[0]);
        Some(Measured {
            kind,
            value: here,
            residue: residue.high + residue.low,
            bound: event.bounds[0],
        })
    }

    /// Adds an execution to the operation's entry.
    fn record(&mut self, event: &Event, trace: ThreadTrace, found: Finding, sampled: bool) {
        let Finding {
            causes,
            bits,
            undecided,
        } = found;
        let settings = self.settings;
        let Some(entry) = self.analysis.operation(event.site) else {
            return;
        };
        entry.causes |= causes;
        entry.undecided += u64::from(undecided);
        let mut worst = false;
        let errors = trace.errors(event.site);
        if causes != 0 {
            entry.erroneous += 1;
            entry.sum_bits += summand(bits);
            worst = errors.add(causes, bits.0);
            if worst && is_worse(entry, bits, &event.values) {
                entry.worst_bits = bits.0;
                entry.worst_values = event.values;
                entry.worst_real = exact(event, 0);
            }
        }
        if sampled || (causes != 0 && (worst || keeps_expression(errors.count))) {
            let lost = (causes != 0).then_some(bits);
            let (node, value) = (event.node, event.values[0]);
            expression::record_execution(entry, trace, node, value, lost, &settings);
        }
    }
}

/// Whether an execution is worse than all that were recorded. Of two threads' that are equally bad, the order of their values
/// decides, and not which came first.
pub(super) fn is_worse(entry: &Operation, Bits(bits): Bits, values: &[f64; 4]) -> bool {
    let before = || {
        let pairs = values.iter().zip(&entry.worst_values);
        pairs
            .map(|(new, old)| new.total_cmp(old))
            .find(|order| order.is_ne())
            == Some(Ordering::Less)
    };
    entry.erroneous == 1 || bits > entry.worst_bits || bits == entry.worst_bits && before()
}

/// Bits of which sums are exact, whatever the order: multiples of 2^-20.
pub(super) fn summand(Bits(bits): Bits) -> f64 {
    const SHIFT: f64 = 1.5 * (1u64 << 32) as f64;
    (bits + SHIFT) - SHIFT
}

/// Whether only the program's divisor is a number: in exact arithmetic it is zero. Numbers of high precision know.
fn divides_by_zero(event: &Event) -> bool {
    event.op == Op::Div as u16
        && is_exactly_nonfinite(event, 0)
        && event.values[0].is_finite()
        && event.values[2] != 0.0
        && event.residues[2] == -event.values[2]
        && event.bounds[2] == 0.0
}

fn has_exact_operands(event: &Event) -> bool {
    (1..=usize::from(event.operands).min(3)).all(|index| {
        event.values[index].is_finite()
            && event.residues[index] == 0.0
            && event.bounds[index] == 0.0
    })
}

/// Whether an operation makes no error of its own: it changes a sign, or selects. Blame goes to what computed its operand.
pub(super) fn is_never_blamed(op: u16) -> bool {
    use Op::*;
    Op::from_u16(op).is_some_and(|op| {
        matches!(
            op,
            Neg | Abs
                | CopySign
                | Fmin
                | Fmax
                | Minimum
                | Maximum
                | MinimumNum
                | MaximumNum
                | Extend
                | Canonicalize
        )
    })
}

/// What an execution of an operation contributes.
#[derive(Clone, Copy)]
struct Finding {
    /// Of [`cause`].
    causes: u32,
    bits: Bits,
    undecided: bool,
}

impl Finding {
    const NONE: Finding = Finding::new(0, Bits::ZERO);

    const fn new(causes: u32, bits: Bits) -> Finding {
        Finding {
            causes,
            bits,
            undecided: false,
        }
    }
}

/// Whether a term is zero in exact arithmetic and reduces the error of the other term. A term that underflowed does not.
pub(super) fn compensates(event: &Event, index: usize) -> bool {
    let (value, residue) = (event.values[index], event.residues[index]);
    let underflowed = value == 0.0 && event.exact[index].fraction != 0.0;
    !underflowed
        && exact_is_zero(value, residue, event.bounds[index])
        && event.residues[0].abs() <= event.residues[3 - index].abs()
}

/// Whether a value is zero in exact arithmetic.
#[inline]
pub(super) fn exact_is_zero(value: f64, residue: f64, bound: f64) -> bool {
    (value + residue).abs() <= value.abs() * NOTHING + bound
}

/// Whether an operation can amplify a small error; others have no local error worth computing.
fn can_amplify(op: u16) -> bool {
    Op::from_u16(op).is_some_and(|op| op.info().stability.can_be_unstable())
}

/// x87 values do not fit into doubles: computes the operation exactly, on rounded operands.
fn local_error_of_x87(event: &Event, count: usize) -> Option<Measured> {
    let mut rounded = [DoubleDouble::ZERO; 3];
    for (index, rounded) in (1..=count).zip(&mut rounded) {
        *rounded = rounded_to_x87(real(event, index));
    }
    let (here, _) =
        in_default_environment(|| functions::evaluate(event.op, &rounded[..count], &[]))?;
    let residue = real(event, 0).minus(here);
    Some(Measured {
        residue: residue.high + residue.low,
        ..value(event, 0)
    })
}

/// Rounds to 64 bits, of which the high double has 53.
fn rounded_to_x87(real: DoubleDouble) -> DoubleDouble {
    let unit = measure::power_of_two(measure::exponent(real.high) - 63);
    let coarse = 1.5 * measure::power_of_two(52) * unit;
    DoubleDouble {
        high: real.high,
        low: (real.low + coarse) - coarse,
    }
}

/// The program's own operation, on operands of its format.
fn native(op: u16, kind: FpKind, operands: &[DoubleDouble]) -> Option<f64> {
    let exact = match (Op::from_u16(op)?, operands) {
        (Op::Add, [x, y]) => x.high + y.high,
        (Op::Sub, [x, y]) => x.high - y.high,
        // Where the processor can fuse them, the pass has made an `fma` of it.
        (Op::MulAdd, [x, y, z]) => round_to(kind, x.high * y.high) + z.high,
        _ => {
            in_default_environment(|| functions::evaluate(op, operands, &[]))?
                .0
                .high
        }
    };
    Some(round_to(kind, exact))
}

/// Rounds a double to a narrower format; x87 is not narrower.
#[inline]
pub(super) fn round_to(kind: FpKind, value: f64) -> f64 {
    match kind {
        FpKind::Double | FpKind::X87 => value,
        FpKind::Float => f64::from(value as f32),
        FpKind::Half | FpKind::BFloat => {
            let lost = 53 - kind.precision();
            let half = 1u64 << (lost - 1);
            let bits = value.to_bits();
            let even = (bits >> lost) & 1;
            f64::from_bits((bits + half - 1 + even) & !((1u64 << lost) - 1))
        }
    }
}
