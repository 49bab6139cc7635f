//! What happens when something is told: local errors, influences, spots.

use core::{
    cell::UnsafeCell,
    ffi::CStr,
    sync::atomic::{
        AtomicBool,
        Ordering::{Acquire, Relaxed, Release},
    },
};

use lostbits_abi::{
    explain::{Event, OUT_ENV, SETTINGS_ENV, Settings, Spot, SpotKind, Thread, cause, cell, meta},
    kind::FpKind,
    ops::Op,
    shadow,
};
use lostbits_runtime::sys;

use super::{
    analysis::Analysis,
    expression::{self, Concrete, Occasion},
    functions,
    influences::Sets,
    measure::{self, ALL_BITS, ALLOWANCE, Value, Verdict, steps_of},
    real::Real,
    set_limits, trace,
};
use crate::environment::undisturbed;

/// Values that are off by no more have no influences.
const ACCURATE_STEPS: f64 = 4.0;
/// Executions of an operation whose expressions are all looked at; later one in [`THINNED`].
const CLOSELY: u64 = 1 << 10;
const THINNED: u64 = 64;

pub struct State {
    settings: Settings,
    /// The thresholds in steps.
    local_steps: f64,
    output_steps: f64,
    analysis: Analysis,
    sets: Sets,
}

struct Shared {
    busy: AtomicBool,
    started: AtomicBool,
    state: UnsafeCell<State>,
}

// SAFETY: the state is used only by who has set `busy`.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    busy: AtomicBool::new(false),
    started: AtomicBool::new(false),
    state: UnsafeCell::new(State {
        settings: Settings::DEFAULT,
        local_steps: 0.0,
        output_steps: 0.0,
        analysis: Analysis::new(),
        sets: Sets::new(),
    }),
};

/// How often somebody else's turn is waited for.
const PATIENCE: u32 = 10_000;

/// Does `work` with the state, undisturbed and undisturbing; not at all if another is too long at it
/// (a signal handler that interrupted us would wait for ever).
pub fn with_state(work: impl FnOnce(&mut State)) {
    let mut tries = 0;
    while SHARED
        .busy
        .compare_exchange_weak(false, true, Acquire, Relaxed)
        .is_err()
    {
        tries += 1;
        if tries > PATIENCE {
            return;
        }
        if tries % 64 == 0 {
            sys::yield_processor();
        }
    }
    undisturbed(|| work(unsafe { &mut *SHARED.state.get() }));
    SHARED.busy.store(false, Release);
}

/// Whether what is told counts; see [`look`].
static LOOKING: AtomicBool = AtomicBool::new(true);

/// Does `work` with the state unless nobody wants to look now.
pub fn if_looking(work: impl FnOnce(&mut State)) {
    if LOOKING.load(Relaxed) {
        with_state(work);
    }
}

/// The user's functions were entered from which, or until which, there is something to look at.
pub fn look(looks: bool) {
    LOOKING.store(looks, Relaxed);
    with_state(|state| {
        if let Some(header) = state.analysis.header().filter(|_| looks) {
            header.settings.waiting = 0;
        }
    });
}

/// Reads the settings and opens the file, once.
pub fn start() {
    if SHARED.started.swap(true, Acquire) {
        return;
    }
    with_state(|state| {
        state.settings = read_settings();
        LOOKING.store(state.settings.waiting == 0, Relaxed);
        set_limits(state.settings.min_local_bits);
        state.local_steps = steps_of(state.settings.min_local_bits);
        state.output_steps = steps_of(state.settings.min_output_bits);
        const NAME: &CStr = c"LOSTBITS_EXPLAIN";
        const _: () = assert!(lostbits_runtime::equal(
            OUT_ENV,
            match NAME.to_str() {
                Ok(name) => name,
                Err(_) => "",
            }
        ));
        let template = lostbits_runtime::environment(NAME).filter(|value| !value.is_empty());
        state.analysis.open(template, state.settings);
    });
    unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
}

unsafe extern "C" fn after_fork_in_child() {
    // The parent's other threads are not here: whoever was busy will not finish.
    SHARED.busy.store(false, Release);
    with_state(|state| state.analysis.follow_fork());
}

fn read_settings() -> Settings {
    const NAME: &CStr = c"LOSTBITS_EXPLAIN_SETTINGS";
    const _: () = assert!(lostbits_runtime::equal(
        SETTINGS_ENV,
        match NAME.to_str() {
            Ok(name) => name,
            Err(_) => "",
        }
    ));
    let mut settings = Settings::DEFAULT;
    let text = lostbits_runtime::environment(NAME).unwrap_or_default();
    for setting in text.split(|byte| *byte == b',') {
        let Some(at) = setting.iter().position(|byte| *byte == b'=') else {
            continue;
        };
        let Some(number) = number(&setting[at + 1..]) else {
            continue;
        };
        match &setting[..at] {
            b"local" => settings.min_local_bits = number,
            b"output" => settings.min_output_bits = number,
            b"depth" => settings.depth = number as u32,
            b"equality" => settings.equality_depth = number as u32,
            b"waiting" => settings.waiting = number as u32,
            _ => {}
        }
    }
    settings
}

/// Digits, perhaps with a point.
fn number(text: &[u8]) -> Option<f64> {
    let mut parts = text.split(|byte| *byte == b'.');
    let mut value = 0.0;
    for byte in parts.next()? {
        value = value * 10.0 + f64::from(byte.checked_sub(b'0').filter(|digit| *digit < 10)?);
    }
    let mut unit = 0.1;
    for byte in parts.next().unwrap_or_default() {
        value += unit * f64::from(byte.checked_sub(b'0').filter(|digit| *digit < 10)?);
        unit /= 10.0;
    }
    (!text.is_empty()).then_some(value)
}

/// The format of an event's result or operands.
fn kind_of(event: &Event) -> FpKind {
    FpKind::from_u8(event.kind).unwrap_or(FpKind::Double)
}

fn tail(event: &Event, index: usize) -> f64 {
    match kind_of(event) {
        FpKind::X87 => event.tails[index],
        _ => 0.0,
    }
}

/// The real value of a result or operand.
fn real(event: &Event, index: usize) -> Real {
    Real::sum(event.values[index], tail(event, index)).plus(event.residues[index])
}

/// Finds the real result of an operation, and tells of it where that is called for.
pub fn evaluate(event: &mut Event) {
    undisturbed(|| find_residue(event));
    let kind = kind_of(event);
    let value = event.values[0];
    let accurate =
        event.residues[0].abs() * measure::power_of_two(kind.precision() as i32 - 3) <= value.abs();
    let influences = (1..=usize::from(event.operands).min(3))
        .map(|index| meta::influences(event.metas[index]))
        .find(|influences| *influences != 0);
    event.metas[0] = meta::new(event.node, 0);
    let sampled = trace::is_sampled(trace::thread_of(event));
    if sampled || (!accurate && (influences.is_some() || is_over(event))) {
        if_looking(|state| state.operation(event));
    }
}

fn is_over(event: &Event) -> bool {
    let limit = unsafe {
        (&raw const super::LIMITS)
            .cast::<f64>()
            .add(usize::from(event.kind))
            .read()
    };
    !(event.residues[0].abs() * limit <= event.values[0].abs())
}

/// Finds the residue of the result from the operands' reals.
fn find_residue(event: &mut Event) {
    let count = usize::from(event.operands).min(3);
    let mut operands = [Real::ZERO; 3];
    for index in 0..count {
        operands[index] = real(event, index + 1);
    }
    let bounds = &event.bounds[1..=count];
    let Some((result, bound)) = functions::evaluate(event.op, &operands[..count], bounds) else {
        // Nothing is known of such an operation in the reals: the program's word is taken.
        event.residues[0] = 0.0;
        event.bounds[0] = 0.0;
        return;
    };
    let residue = result.minus(Real::sum(event.values[0], tail(event, 0)));
    event.residues[0] = match event.values[0].is_finite() {
        true => residue.high + residue.low,
        false => f64::NAN,
    };
    event.bounds[0] = bound;
}

/// A result or operand with its format.
fn value(event: &Event, index: usize) -> Value {
    Value {
        kind: kind_of(event),
        value: event.values[index],
        residue: event.residues[index],
        bound: event.bounds[index],
    }
}

impl State {
    /// An operation with a result that is far off, where influences meet, or that is looked at by chance.
    pub fn operation(&mut self, event: &mut Event) {
        let thread = trace::thread_of(event);
        let sampled = trace::is_sampled(thread);
        let kind = kind_of(event);
        if !event.residues[0].is_finite() && event.values[0].is_finite() {
            // The fast way overflowed or divided by zero.
            find_residue(event);
        }
        let total = value(event, 0);
        let accurate = total.verdict(ACCURATE_STEPS) == Verdict::Within;
        let mut influences = if accurate { 0 } else { self.inherited(event) };
        let mut causes = 0;
        let mut bits = 0.0;
        let mut undecided = false;
        if !event.values[0].is_finite() {
            causes = self.first_without_number(event);
            bits = ALL_BITS;
        } else if !accurate {
            let local = self.local_error(event, kind);
            match local.map_or(Verdict::Within, |local| local.verdict(self.local_steps)) {
                Verdict::Over => {
                    causes = cause::LOCAL;
                    bits = local.map_or(0.0, |local| local.about_bits());
                }
                Verdict::Undecided => undecided = true,
                Verdict::Within
                    if influences == 0 && total.verdict(self.local_steps) == Verdict::Over =>
                {
                    causes = cause::ACCUMULATED;
                    bits = total.bits();
                }
                Verdict::Within => {}
            }
        }
        if causes != 0 {
            let own = self.sets.only(event.site);
            influences = self.sets.union(influences, own);
        }
        event.metas[0] = meta::new(event.node, influences);
        if sampled || causes != 0 || undecided {
            self.note(event, thread, causes, bits, undecided, sampled);
        }
    }

    /// The operands' influences, without those of a term that only compensates: one that is nothing in the
    /// reals, and makes the result better than the other operand (the paper's section 5.3).
    fn inherited(&mut self, event: &Event) -> u32 {
        let is_sum = matches!(Op::from_u16(event.op), Some(Op::Add | Op::Sub));
        let mut all = 0;
        for index in 1..=usize::from(event.operands).min(3) {
            let influences = meta::influences(event.metas[index]);
            if influences == 0 || (is_sum && compensates(event, index)) {
                continue;
            }
            all = self.sets.union(all, influences);
        }
        all
    }

    /// Whether the operation made an infinity or not-a-number of numbers.
    fn first_without_number(&self, event: &Event) -> u32 {
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

    /// What the operation would make of exact operands, rounded; none where that is always good.
    fn local_error(&self, event: &Event, kind: FpKind) -> Option<Value> {
        let count = usize::from(event.operands).min(3);
        if !can_amplify(event.op) {
            return None;
        }
        if kind == FpKind::X87 {
            return Some(local_error_of_x87(event, count));
        }
        let mut rounded = [Real::ZERO; 3];
        for index in 0..count {
            let exact = event.values[index + 1] + event.residues[index + 1];
            rounded[index].high = round_to(kind, exact);
        }
        let here = native(event.op, kind, &rounded[..count])?;
        let residue = Real::sum(event.values[0], -here).plus(event.residues[0]);
        Some(Value {
            kind,
            value: here,
            residue: residue.high + residue.low,
            bound: event.bounds[0],
        })
    }

    /// Keeps an execution with the operation's entry.
    fn note(
        &mut self,
        event: &Event,
        thread: *mut Thread,
        causes: u32,
        bits: f64,
        undecided: bool,
        sampled: bool,
    ) {
        let settings = self.settings;
        let Some(entry) = self.analysis.operation(event.site) else {
            return;
        };
        entry.causes |= causes;
        entry.undecided += u64::from(undecided);
        let mut worst = false;
        if causes != 0 {
            entry.erroneous += 1;
            entry.sum_bits += bits;
            if bits > entry.worst_bits || entry.erroneous == 1 {
                worst = true;
                entry.worst_bits = bits;
                entry.worst_values = event.values;
                entry.worst_real = real(event, 0).high;
            }
        }
        let closely = entry.erroneous <= CLOSELY || entry.erroneous % THINNED == 0;
        if sampled || (causes != 0 && (worst || closely)) {
            entry.seen += 1;
            entry.erroneous_seen += u64::from(causes != 0);
            let concrete = Concrete::of(thread, event.node, event.values[0], settings.depth);
            let occasion = Occasion {
                erroneous: causes != 0,
                worst,
                equality_depth: settings.equality_depth,
            };
            expression::generalise(entry, &concrete, occasion);
        }
    }

    /// A comparison or a conversion.
    pub fn decision(&mut self, event: &Event) {
        let operands = &event.values[1..=usize::from(event.operands).min(2)];
        if operands.iter().any(|value| !value.is_finite()) {
            return;
        }
        let [x, y] = [1, 2].map(|index| meta::node(event.metas[index]));
        if event.operands == 2 && x != 0 && x == y {
            // One value, compared with itself: whatever it is in the reals, it is on both sides.
            return;
        }
        if event.operands == 2 && asks_for_a_rest(event) {
            return;
        }
        let (kind, verdict) = match event.operands {
            2 => (SpotKind::Comparison, compare(event)),
            _ => (SpotKind::Conversion, convert(event)),
        };
        if verdict == Verdict::Within {
            return;
        }
        let influences = self.influences_of_operands(event, verdict);
        let Some(spot) = self.analysis.spot(event.site, kind) else {
            return;
        };
        spot.seen += 1;
        if verdict == Verdict::Undecided {
            spot.undecided += 1;
            return;
        }
        spot.erroneous += 1;
        if spot.erroneous == 1 {
            for index in 0..usize::from(event.operands).min(2) {
                spot.worst_values[index] = event.values[index + 1];
                spot.worst_reals[index] = real(event, index + 1).high;
            }
        }
        credit(spot, self.sets.members(influences), 0.0);
    }

    fn influences_of_operands(&mut self, event: &Event, verdict: Verdict) -> u32 {
        let mut all = 0;
        for index in 1..=usize::from(event.operands).min(2) {
            all = self.sets.union(all, meta::influences(event.metas[index]));
        }
        if all != 0 || verdict != Verdict::Over {
            return all;
        }
        // Nothing stood out: what computed the operand that is further off is the cause.
        let further = match event.residues[2].abs() > event.residues[1].abs() && event.operands == 2
        {
            true => 2,
            false => 1,
        };
        self.blame(event, further)
    }

    /// Makes the operation that computed a value a cause of accumulated error.
    fn blame(&mut self, event: &Event, index: usize) -> u32 {
        let thread = trace::thread_of(event);
        let number = meta::node(event.metas[index]);
        let Some(executed) = trace::find(thread, number) else {
            return 0;
        };
        let settings = self.settings;
        let bits = value(event, index).bits();
        let value = event.values[index];
        let worst_real = real(event, index).high;
        if let Some(entry) = self.analysis.operation(executed.site) {
            entry.causes |= cause::ACCUMULATED;
            entry.erroneous += 1;
            entry.sum_bits += bits;
            let worst = bits > entry.worst_bits || entry.erroneous == 1;
            if worst {
                entry.worst_bits = bits;
                entry.worst_values = [
                    value,
                    executed.values[0],
                    executed.values[1],
                    executed.values[2],
                ];
                entry.worst_real = worst_real;
            }
            if worst || entry.erroneous <= CLOSELY {
                entry.seen += 1;
                entry.erroneous_seen += 1;
                let concrete = Concrete::of(thread, number, value, settings.depth);
                let occasion = Occasion {
                    erroneous: true,
                    worst,
                    equality_depth: settings.equality_depth,
                };
                expression::generalise(entry, &concrete, occasion);
            }
        }
        self.sets.only(executed.site)
    }

    /// A value leaves the program; it stands at `index` of the event.
    pub fn output(&mut self, event: &Event, index: usize) {
        let (value, residue) = (event.values[index], event.residues[index]);
        let mut influences = meta::influences(event.metas[index]);
        let known = meta::node(event.metas[index]) != 0 || influences != 0 || residue != 0.0;
        let measured = self::value(event, index);
        // A not-a-number that nothing is known of came so from outside.
        let (bits, verdict) = match value.is_finite() || known {
            true => (measured.bits(), measured.verdict(self.output_steps)),
            false => (0.0, Verdict::Within),
        };
        if verdict == Verdict::Over && influences == 0 {
            influences = self.blame(event, index);
        }
        let worst_real = real(event, index).high;
        let Some(spot) = self.analysis.spot(event.site, SpotKind::Output) else {
            return;
        };
        spot.seen += 1;
        if verdict == Verdict::Undecided {
            spot.undecided += 1;
            return;
        }
        spot.sum_bits += bits;
        if bits > spot.worst_bits || spot.seen == 1 {
            spot.worst_bits = bits;
            spot.worst_values[0] = value;
            spot.worst_reals[0] = worst_real;
        }
        if verdict == Verdict::Over {
            spot.erroneous += 1;
            credit(spot, self.sets.members(influences), bits);
        }
    }

    /// Memory leaves the program: every value in it that was computed.
    pub unsafe fn output_memory(
        &mut self,
        start: usize,
        bytes: usize,
        site: u32,
        thread: *mut Thread,
    ) {
        let planes = shadow::planes(lostbits_abi::mode::Mode::Explain);
        let mirror = |address: usize, plane: usize| {
            address.wrapping_sub(shadow::distance(planes[plane]) as usize)
        };
        // The thread's own event, so that the trace is found from it.
        let event = unsafe { &mut (*thread).event };
        *event = EMPTY;
        event.site = site;
        event.operands = 1;
        let mut at = start.next_multiple_of(4);
        while at + 4 <= start + bytes {
            let double = at % 8 == 0 && at + 8 <= start + bytes;
            let word = unsafe { (at as *const u32).read() };
            if double {
                let value = unsafe { (at as *const u64).read() };
                let read = |plane| unsafe { (mirror(at, plane) as *const u64).read() };
                let known = cell::bound(read(1), value).filter(|_| read(2) != 0);
                if let Some(bound) = known {
                    event.kind = FpKind::Double as u8;
                    event.values[1] = f64::from_bits(value);
                    event.residues[1] = f64::from_bits(read(0));
                    event.bounds[1] = bound;
                    event.metas[1] = read(2);
                    self.output(event, 1);
                    at += 8;
                    continue;
                }
            }
            let read = |plane| unsafe { (mirror(at, plane) as *const u32).read() };
            let meta = meta::new(read(2), read(3));
            if let Some(bound) = cell::float_bound(read(1), word).filter(|_| meta != 0) {
                event.kind = FpKind::Float as u8;
                event.values[1] = f64::from(f32::from_bits(word));
                event.residues[1] = f64::from(f32::from_bits(read(0)));
                event.bounds[1] = bound;
                event.metas[1] = meta;
                self.output(event, 1);
            }
            at += 4;
        }
    }
}

const EMPTY: Event = Event {
    site: 0,
    op: 0,
    kind: 0,
    operands: 0,
    node: 0,
    told: 1,
    values: [0.0; 4],
    tails: [0.0; 4],
    residues: [0.0; 4],
    bounds: [0.0; 4],
    metas: [0; 4],
};

/// Whether a term is nothing in the reals and brings the sum nearer to what the other term stands for.
fn compensates(event: &Event, index: usize) -> bool {
    let other = 3 - index;
    let (value, residue) = (event.values[index], event.residues[index]);
    let rest = (value + residue).abs();
    let is_nothing = rest <= value.abs() * 1e-9 + event.bounds[index];
    is_nothing && event.residues[0].abs() <= event.residues[other].abs()
}

/// Whether an operation can make much of a small error: those that cannot have no local error worth looking at.
fn can_amplify(op: u16) -> bool {
    Op::from_u16(op).is_some_and(|op| op.info().stability.can_be_unstable())
}

/// x87 values do not fit into doubles: what the operands' residues do to the result is measured at once.
fn local_error_of_x87(event: &Event, count: usize) -> Value {
    let mut exact = *event;
    for index in 1..=count {
        exact.residues[index] = 0.0;
        exact.bounds[index] = 0.0;
    }
    find_residue(&mut exact);
    let mut local = value(event, 0);
    local.residue -= exact.residues[0];
    local
}

/// The program's own operation, on operands that fit its format.
fn native(op: u16, kind: FpKind, operands: &[Real]) -> Option<f64> {
    let exact = match (Op::from_u16(op)?, operands) {
        (Op::Add, [x, y]) => x.high + y.high,
        (Op::Sub, [x, y]) => x.high - y.high,
        // Where the processor could fuse them, the pass has made a true `fma` of it.
        (Op::MulAdd, [x, y, z]) => round_to(kind, x.high * y.high) + z.high,
        _ => functions::evaluate(op, operands, &[])?.0.high,
    };
    Some(round_to(kind, exact))
}

/// A double in a narrower format; x87 is not.
fn round_to(kind: FpKind, value: f64) -> f64 {
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

/// Whether a comparison is decided otherwise in the reals.
fn compare(event: &Event) -> Verdict {
    let difference = real(event, 1).minus(real(event, 2));
    let doubt = ALLOWANCE * (event.bounds[1] + event.bounds[2]);
    let program = event.values[0] != 0.0;
    let holds = |sign: i32| holds(event.op, sign) == program;
    if !(doubt <= f64::MAX) {
        return Verdict::Undecided;
    }
    let sign = difference.sign();
    let (low, high) = (
        difference.plus(-doubt).sign(),
        difference.plus(doubt).sign(),
    );
    match (holds(sign), holds(low) && holds(high) && holds(sign)) {
        (_, true) => Verdict::Within,
        (false, _) if low == sign && high == sign => Verdict::Over,
        _ => Verdict::Undecided,
    }
}

/// Whether a rounding error, caught by a compensated sum or product, is compared with zero: the program asks what
/// was lost, and in the reals that is always nothing.
fn asks_for_a_rest(event: &Event) -> bool {
    let is_zero = |index: usize| event.values[index] == 0.0 && event.residues[index] == 0.0;
    let is_rest = |index: usize| {
        let (value, residue) = (event.values[index], event.residues[index]);
        value != 0.0 && (value + residue).abs() <= value.abs() * 1e-9 + event.bounds[index]
    };
    (is_zero(1) && is_rest(2)) || (is_zero(2) && is_rest(1))
}

/// Whether a predicate of LLVM's holds for numbers whose difference has this sign.
fn holds(predicate: u16, sign: i32) -> bool {
    let bits = match sign {
        0 => 1,
        1 => 2,
        _ => 4,
    };
    predicate & bits != 0
}

/// Whether a conversion to an integer is another one in the reals.
fn convert(event: &Event) -> Verdict {
    let whole = |real: Real| match Op::from_u16(event.op) {
        Some(Op::ToSigned | Op::ToUnsigned) => Some(real.truncated()),
        Some(op) => functions::evaluate(op as u16, &[real], &[]).map(|(whole, _)| whole),
        None => None,
    };
    let x = real(event, 1);
    let doubt = ALLOWANCE * event.bounds[1];
    let program = Real::sum(event.values[0], 0.0);
    // Out of the integers' range the program's result means nothing.
    if event.values[0].abs() >= 9e18 {
        return Verdict::Within;
    }
    let same = |x: Real| whole(x).is_none_or(|whole| whole.minus(program).sign() == 0);
    let (low, here, high) = (same(x.plus(-doubt)), same(x), same(x.plus(doubt)));
    match (low && high && here, here || low || high) {
        (true, _) => Verdict::Within,
        (_, false) => Verdict::Over,
        _ => Verdict::Undecided,
    }
}

/// Notes at a spot who influenced an error of so many bits.
fn credit(spot: &mut Spot, influences: &[u32], bits: f64) {
    if influences.is_empty() {
        spot.unexplained += 1;
    }
    for site in influences {
        let place = spot
            .influences
            .iter_mut()
            .find(|influence| influence.used == 0 || influence.site == *site);
        match place {
            Some(influence) => {
                influence.used = 1;
                influence.site = *site;
                influence.times += 1;
                influence.worst_bits = influence.worst_bits.max(bits);
            }
            None => spot.influences_lost += 1,
        }
    }
}
