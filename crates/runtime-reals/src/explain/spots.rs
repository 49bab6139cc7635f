//! Spots: decisions and outputs, where errors show.

use lostbits_abi::{
    explain::{Event, Exact, Spot, SpotKind, TINY, Thread, cause, meta, set},
    ops::Op,
};

use super::{
    event::{exact, kind_of, real, value},
    expression, formatted, functions,
    measure::{ALLOWANCE, Value, Verdict, power_of_two},
    operations::CLOSELY,
    real::Real,
    state::State,
    stored, trace, tricks, underflow,
};

impl State {
    /// A comparison or a conversion.
    pub fn decision(&mut self, event: &Event) {
        let verdict = match is_finite(event) {
            true => of_numbers(event),
            false => without_number(event),
        };
        self.decided(event, verdict);
    }

    /// The same, where it is known whether the reals decide otherwise.
    pub fn decided(&mut self, event: &Event, verdict: Verdict) {
        let [x, y] = [1, 2].map(|index| meta::node(event.metas[index]));
        if event.operands == 2 && x != 0 && x == y {
            // One value, compared with itself: whatever it is in the reals, it is on both sides.
            return;
        }
        if event.operands == 2 && asks_for_a_rest(event) {
            return;
        }
        let kind = kind_of_spot(event);
        if verdict == Verdict::Within || is_about_infinity(event) {
            return;
        }
        if verdict == Verdict::Undecided && self.is_known_for_doubt(event.site) {
            return;
        }
        let thread = trace::thread_of(event);
        let is_half = |index| tricks::is_half(thread, event, index);
        if operands(event).any(is_half)
            || (event.operands == 2
                && is_finite(event)
                && tricks::asks_for_its_error(thread, event))
        {
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
                spot.worst_reals[index] = exact(event, index + 1);
            }
        }
        credit(
            spot,
            self.sets.members(influences, &mut [0; set::BITS]),
            0.0,
        );
    }

    /// Counts one more doubt at a spot that had so many that it is looked at closely no more.
    fn is_known_for_doubt(&mut self, site: u32) -> bool {
        let spot = self.analysis.known_spot(site);
        let Some(spot) = spot.filter(|spot| spot.undecided >= CLOSELY) else {
            return false;
        };
        spot.seen += 1;
        spot.undecided += 1;
        true
    }

    fn influences_of_operands(&mut self, event: &Event, verdict: Verdict) -> u32 {
        let mut all = 0;
        for index in operands(event) {
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
        let worst_real = exact(event, index);
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
                expression::see(entry, thread, number, value, Some(bits), &settings);
            }
        }
        self.sets.only(executed.site)
    }

    /// An output is next to nothing and came of what underflowed. Bounds are coarse there; the trace knows better whether
    /// it lost more than what lies between two numbers so small.
    #[cold]
    fn after_underflow(&mut self, event: &Event, index: usize) -> Verdict {
        if let Some(header) = self.analysis.header() {
            header.after_underflow += 1;
        }
        let kind = kind_of(event);
        let size = event.values[index].abs() * power_of_two(-(kind.precision() as i32));
        let step = size.max(underflow::least_step(kind));
        match self.most_lost(event, index) > self.output_steps * step {
            true => Verdict::Undecided,
            false => Verdict::Within,
        }
    }

    fn most_lost(&self, event: &Event, index: usize) -> f64 {
        let node = meta::node(event.metas[index]);
        let depth = self.settings.depth;
        underflow::most_lost(trace::thread_of(event), node, event.values[index], depth)
    }

    /// A value leaves the program; it stands at `index` of the event.
    pub fn output(&mut self, event: &Event, index: usize) {
        let (value, residue) = (event.values[index], event.residues[index]);
        let mut influences = meta::influences(event.metas[index]);
        let known = meta::node(event.metas[index]) != 0 || influences != 0 || residue != 0.0;
        let measured = self::value(event, index);
        let expected = self.is_expected(event, index);
        // A not-a-number that nothing is known of came so from outside.
        let (bits, verdict) = match (value.is_finite() || known) && !expected {
            true => (measured.bits(), measured.verdict(self.output_steps)),
            false => (0.0, Verdict::Within),
        };
        let verdict = match verdict {
            Verdict::Undecided if self.settings.precision == 0 && is_tiny(&measured) => {
                self.after_underflow(event, index)
            }
            verdict => verdict,
        };
        if verdict == Verdict::Over && influences == 0 {
            influences = self.blame(event, index);
        }
        let worst_real = exact(event, index);
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
            credit(
                spot,
                self.sets.members(influences, &mut [0; set::BITS]),
                bits,
            );
        }
    }

    /// Whether an output is no approximation of its real value and not meant to be: the upper half of a number, or the
    /// error of the output before it, so that both together are the number (double-doubles are printed so).
    fn is_expected(&mut self, event: &Event, index: usize) -> bool {
        let before = core::mem::replace(&mut self.last_output_residue, event.residues[index]);
        let value = event.values[index];
        if !value.is_finite() {
            return false;
        }
        let is_error = |error: f64| value != 0.0 && (error - value).abs() <= value.abs() * LIKE;
        let is_rest = is_error(before) && is_error(-event.residues[index]);
        is_rest || tricks::is_half(trace::thread_of(event), event, index)
    }

    /// Memory leaves the program: every value in it that was computed.
    pub unsafe fn output_memory(
        &mut self,
        start: usize,
        bytes: usize,
        site: u32,
        thread: *mut Thread,
    ) {
        let event = unsafe { event_for(thread, site) };
        let end = start + bytes;
        let mut at = start.next_multiple_of(4);
        while at + 4 <= end {
            // SAFETY: the program puts all of it out.
            let size = unsafe { stored::put_computed(event, at, end) };
            if size.is_some() {
                self.output(event, 1);
            }
            at += size.unwrap_or(4);
        }
    }
}

impl State {
    /// The arguments of `vprintf` and its like.
    pub unsafe fn output_formatted(
        &mut self,
        format: &[u8],
        list: &formatted::List,
        site: u32,
        thread: *mut Thread,
    ) {
        unsafe {
            let event = event_for(thread, site);
            formatted::each(format, list, event, |event| self.output(event, 1));
        }
    }
}

/// Whether a value and all that is known of its error are next to nothing.
fn is_tiny(measured: &Value) -> bool {
    [measured.value, measured.residue, measured.bound]
        .iter()
        .all(|size| size.abs() < TINY)
}

/// The thread's own event, so that the trace is found from it.
unsafe fn event_for<'a>(thread: *mut Thread, site: u32) -> &'a mut Event {
    let event = unsafe { &mut (*thread).event };
    *event = EMPTY;
    event.site = site;
    event.operands = 1;
    event
}

/// How far an error that is printed may be off itself.
const LIKE: f64 = 1.0 / 1024.0;

pub(super) const EMPTY: Event = Event {
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
    exact: [Exact::UNTOLD; 4],
};

fn kind_of_spot(event: &Event) -> SpotKind {
    match event.operands {
        2 => SpotKind::Comparison,
        _ => SpotKind::Conversion,
    }
}

/// Where the operands of a decision stand.
fn operands(event: &Event) -> core::ops::RangeInclusive<usize> {
    1..=usize::from(event.operands).min(2)
}

fn is_finite(event: &Event) -> bool {
    operands(event).all(|index| event.values[index].is_finite())
}

/// Whether an operand is an infinity, or no number, that came from outside: to be compared with it tells what has
/// overflowed.
fn is_about_infinity(event: &Event) -> bool {
    operands(event).any(|index| !event.values[index].is_finite() && event.metas[index] == 0)
}

/// A decision about what is no number, or infinite: in the reals it may be a number.
fn without_number(event: &Event) -> Verdict {
    let told = operands(event).all(|index| event.exact[index].fraction != 0.0);
    if !told {
        let thread = trace::thread_of(event);
        let mut operands = operands(event);
        return match operands.any(|index| divides_by_zero(thread, event, index)) {
            true => Verdict::Within,
            false => Verdict::Undecided,
        };
    }
    // Out of the integers' range the program's result means nothing.
    match event.exact[1].nearest.abs() < LARGEST_INTEGER {
        true => Verdict::Over,
        false => Verdict::Within,
    }
}

/// Whether a value is what it is in the reals, too.
fn divides_by_zero(thread: *const Thread, event: &Event, index: usize) -> bool {
    let made_by = trace::find(thread, meta::node(event.metas[index]));
    !event.values[index].is_finite()
        && made_by.is_some_and(|made_by| made_by.op == Op::Div as u16 && made_by.values[1] == 0.0)
}

const LARGEST_INTEGER: f64 = 9e18;

/// Whether a decision about numbers is another one in the reals.
fn of_numbers(event: &Event) -> Verdict {
    match event.operands {
        2 => compare(event),
        _ => convert(event),
    }
}

fn compare(event: &Event) -> Verdict {
    let difference = real(event, 1).minus(real(event, 2));
    let doubt = ALLOWANCE * (event.bounds[1] + event.bounds[2]);
    if !(doubt <= f64::MAX) {
        return Verdict::Undecided;
    }
    let ends = [
        difference.plus(-doubt).sign(),
        difference.plus(doubt).sign(),
    ];
    of_signs(event.op, event.values[0] != 0.0, difference.sign(), ends)
}

/// Whether a decision is another one in the reals, where the difference has this sign, and these at the ends of
/// what it may be.
pub fn of_signs(predicate: u16, program: bool, sign: i32, [low, high]: [i32; 2]) -> Verdict {
    let holds = |sign: i32| holds(predicate, sign) == program;
    match (holds(sign), holds(low) && holds(high) && holds(sign)) {
        (_, true) => Verdict::Within,
        (false, _) if low == sign && high == sign => Verdict::Over,
        _ => Verdict::Undecided,
    }
}

/// Whether a rounding error, caught by a compensated sum or product, is compared with zero or another: the program asks
/// what was lost, and in the reals that is always nothing.
fn asks_for_a_rest(event: &Event) -> bool {
    let is_zero = |index: usize| event.values[index] == 0.0 && event.residues[index] == 0.0;
    let [x, y] = [1, 2].map(|index| is_rest(event, index));
    (x || is_zero(1)) && (y || is_zero(2)) && (x || y)
}

/// Whether a value is nothing in the reals.
fn is_rest(event: &Event, index: usize) -> bool {
    let (value, residue) = (event.values[index], event.residues[index]);
    value != 0.0
        && value.is_finite()
        && (value + residue).abs() <= value.abs() * 1e-9 + event.bounds[index]
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
    if event.values[0].abs() >= LARGEST_INTEGER {
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
