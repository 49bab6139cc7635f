//! Outputs: values that leave the program, where errors show.

use lostbits_abi::{
    conversion::Conversion,
    explain::{Call, Event, OwnError, Spot, SpotKind, TINY, meta, set},
    kind::FpKind,
};

use super::{
    detection,
    double_double::DoubleDouble,
    event::{EMPTY, exact, is_exactly_nonfinite, kind_of, real, tail},
    formatted,
    influences::Sets,
    intervening,
    measure::{Bits, Measured, Verdict, power_of_two},
    precision_specific,
    printed::Printed,
    python,
    state::State,
    stored,
    trace::ThreadTrace,
    underflow,
    zeros::Zero,
};

impl State {
    /// A value leaves the program; it is at `index` of the event.
    pub fn output(&mut self, event: &Event, index: usize) {
        self.judge(event, index, None);
    }

    /// A function returns the value at index 1; the thread has the call.
    pub fn result(&mut self, event: &Event) {
        let call = ThreadTrace::of_event(event).call();
        self.judge(event, 1, Some(&call));
    }

    fn judge(&mut self, event: &Event, index: usize, call: Option<&Call>) {
        let (value, residue) = (event.values[index], event.residues[index]);
        let measured = super::event::value(event, index);
        // Where nothing is explained there are no meta words.
        let detects = detection::is_active();
        let meta = if detects { 0 } else { event.metas[index] };
        let mut influences = meta::influences(meta);
        let was_computed = meta != 0 || residue != 0.0 || (detects && measured.bound != 0.0);
        let is_expected = self.is_expected(event, index) && !detects;
        // A NaN or infinity that the program did not compute is an input.
        let is_judged =
            (value.is_finite() || was_computed) && !is_expected && !is_left_as_it_is(event, index);
        let (bits, by_bits) = match is_judged {
            true => (measured.bits(), measured.verdict(self.output_ulps)),
            false => (Bits::ZERO, Verdict::Within),
        };
        let conversion = ThreadTrace::of_event(event).conversion();
        let by_digits = match is_judged {
            true => as_printed(event, index, conversion).verdict(self.settings.min_digits),
            false => None,
        };
        let verdict = match self.joined(by_bits, by_digits) {
            Verdict::Undecided
                if self.settings.precision == 0 && !detects && is_tiny(&measured) =>
            {
                self.after_underflow(event, index)
            }
            Verdict::Over if self.is_unknown(event, index) => Verdict::Undecided,
            verdict => verdict,
        };
        if detects && verdict == Verdict::Undecided {
            self.note_doubt();
        }
        let verdict = match detects {
            true => self.surely(&measured, verdict),
            false => verdict,
        };
        let recorded = intervening::recorded_execution(event.site);
        let zero = match verdict {
            Verdict::Over if recorded.is_none() && !detects => self.zero(event, index, &measured),
            _ => Zero::Not,
        };
        let verdict = match zero {
            Zero::NoiseOf(scale) => return self.record_zero(event.site, value, scale),
            Zero::Perhaps => Verdict::Undecided,
            Zero::Not => verdict,
        };
        if verdict == Verdict::Over && influences == 0 && !detects {
            influences = self.blame(event, index);
        }
        let is_hidden = by_bits == Verdict::Over && verdict == Verdict::Within;
        let Some(entry) = self.analysis.spot(event.site, SpotKind::Output) else {
            return;
        };
        entry.seen += 1;
        if recorded == Some(entry.seen) {
            record_worst(entry, event, index, bits, conversion);
            entry.worst_call = call.copied().unwrap_or(Call::NONE);
        }
        if verdict == Verdict::Undecided {
            entry.undecided += 1;
            return;
        }
        entry.hidden += u64::from(is_hidden);
        entry.sum_bits += bits.0;
        // A wrong output is worse than one whose lost bits are not printed, however many these are.
        let is_first =
            entry.worst_execution == 0 || (verdict == Verdict::Over && entry.erroneous == 0);
        let is_comparable = verdict == Verdict::Over || entry.erroneous == 0;
        let is_worst = is_first || (is_comparable && bits.0 > entry.worst_bits);
        if recorded.is_none() && is_worst {
            record_worst(entry, event, index, bits, conversion);
            entry.worst_call = call.copied().unwrap_or(Call::NONE);
        }
        if let Some(call) = call.filter(|call| call.is_exact()) {
            record_own(&mut entry.own, event, index, bits, call);
        }
        if verdict == Verdict::Over {
            entry.erroneous += 1;
            python::note_caller(&mut entry.python, bits.0);
            credit(entry, &self.sets, influences, bits);
        }
        if verdict == Verdict::Over && self.is_unknown_nonfinite(event, index) {
            self.note_unknown_exact(event.site);
        }
    }

    /// An output that is consistent with 0.
    fn record_zero(&mut self, site: u32, value: f64, scale: f64) {
        let Some(entry) = self.analysis.spot(site, SpotKind::Output) else {
            return;
        };
        entry.seen += 1;
        entry.zeros += 1;
        if value.abs() >= entry.largest_zero[0].abs() {
            entry.largest_zero = [value, scale];
        }
    }

    /// Whether not even high precision knows what an infinity or NaN should have been.
    fn is_unknown(&self, event: &Event, index: usize) -> bool {
        let is_bounded = event.bounds[index] <= f64::MAX;
        self.settings.precision != 0 && !event.values[index].is_finite() && !is_bounded
    }

    /// Whether an infinity or NaN may be a number in exact arithmetic: residues cannot say, unless its operands were
    /// exact ([`State::operation`]). High-precision numbers know.
    fn is_unknown_nonfinite(&self, event: &Event, index: usize) -> bool {
        self.settings.precision == 0
            && !event.values[index].is_finite()
            && event.bounds[index] != 0.0
    }

    #[cold]
    fn note_unknown_exact(&mut self, site: u32) {
        if let Some(entry) = self.analysis.known_spot(site) {
            entry.unknown_exact += 1;
        }
    }

    /// The verdict of lost bits and that of printed digits together.
    fn joined(&self, by_bits: Verdict, by_digits: Option<Verdict>) -> Verdict {
        let Some(by_digits) = by_digits else {
            return by_bits;
        };
        let counts_bits = self.settings.counts_unprinted_bits != 0;
        let counts_digits = self.settings.min_digits != 0;
        match (counts_bits, counts_digits) {
            (true, false) => by_bits,
            (false, true) => by_digits,
            (true, true) => by_bits.either(by_digits),
            (false, false) => by_bits.both(by_digits),
        }
    }

    /// A tiny output depends on a result that underflowed. Bounds are coarse there; the trace says whether more was lost than
    /// the distance of such small numbers.
    #[cold]
    fn after_underflow(&mut self, event: &Event, index: usize) -> Verdict {
        if let Some(header) = self.analysis.header() {
            header.after_underflow += 1;
        }
        let kind = kind_of(event);
        let size = event.values[index].abs() * power_of_two(-(kind.precision() as i32));
        let ulp = size.max(underflow::least_step(kind));
        let node = meta::node(event.metas[index]);
        let trace = ThreadTrace::of_event(event);
        let loss = underflow::max_loss(trace, node, event.values[index], self.settings.depth);
        match loss > self.output_ulps.0 * ulp {
            true => Verdict::Undecided,
            false => Verdict::Within,
        }
    }

    /// Whether an output is not meant to approximate its exact value: the upper half of a number, or the error of the
    /// previous output, so that both together are the number (how double-doubles are printed).
    fn is_expected(&mut self, event: &Event, index: usize) -> bool {
        let before = core::mem::replace(&mut self.last_output_residue, event.residues[index]);
        let value = event.values[index];
        if !value.is_finite() {
            return false;
        }
        let is_error =
            |error: f64| value != 0.0 && (error - value).abs() <= value.abs() * ERROR_TOLERANCE;
        let is_error_of_previous = is_error(before) && is_error(-event.residues[index]);
        is_error_of_previous || precision_specific::is_veltkamp_half(event, index)
    }

    /// Memory leaves the program: reports every computed value in it.
    ///
    /// # Safety
    ///
    /// The program reads all of the range.
    pub unsafe fn output_memory(
        &mut self,
        start: usize,
        bytes: usize,
        site: u32,
        trace: ThreadTrace,
    ) {
        let event = event_for(trace, site);
        let detects = detection::is_active();
        let end = start + bytes;
        let mut at = start.next_multiple_of(4);
        while at + 4 <= end {
            // SAFETY: at least 4 bytes of the range follow.
            let size = unsafe { stored::put_computed(event, at, end, detects) };
            if size.is_some() {
                self.output(event, 1);
            }
            at += size.unwrap_or(4);
        }
    }

    /// The arguments of `vprintf` and similar functions.
    ///
    /// # Safety
    ///
    /// The list holds what the format says.
    pub unsafe fn output_formatted(
        &mut self,
        format: &[u8],
        list: &formatted::List,
        site: u32,
        trace: ThreadTrace,
    ) {
        let event = event_for(trace, site);
        // SAFETY: the caller's promise.
        unsafe {
            formatted::each(format, list, event, |event, conversion| {
                trace.set_conversion(conversion);
                self.output(event, 1);
            });
        }
    }
}

/// Whether no error that a run leaves in made an infinity or NaN: without these errors it is the same.
fn is_left_as_it_is(event: &Event, index: usize) -> bool {
    let (value, exact) = (event.values[index], &event.exact[index]);
    intervening::is_active()
        && !value.is_finite()
        && is_exactly_nonfinite(event, index)
        && (exact.nearest == value || exact.nearest.is_nan() && value.is_nan())
}

fn record_worst(entry: &mut Spot, event: &Event, index: usize, bits: Bits, conversion: Conversion) {
    entry.worst_bits = bits.0;
    entry.worst_execution = entry.seen;
    entry.worst_values[0] = event.values[index];
    entry.worst_reals[0] = exact(event, index);
    entry.worst_tails = [tail(event, index), real(event, index).low];
    entry.worst_conversion = conversion;
}

/// A result of a call with exact arguments.
fn record_own(own: &mut OwnError, event: &Event, index: usize, bits: Bits, call: &Call) {
    if own.calls == 0 || bits.0 > own.worst_bits {
        own.worst_bits = bits.0;
        own.value = event.values[index];
        own.exact = exact(event, index);
        own.call = *call;
    }
    own.calls += 1;
}

/// The relative error that a printed error may have.
const ERROR_TOLERANCE: f64 = 1.0 / 1024.0;

fn as_printed(event: &Event, index: usize, conversion: Conversion) -> Printed {
    // High precision knows more of the exact value than value and residue express.
    let is_beyond_doubles = event.exact[index].fraction != 0.0;
    Printed {
        value: DoubleDouble::sum(event.values[index], tail(event, index)),
        residue: event.residues[index],
        bound: event.bounds[index],
        conversion: match is_beyond_doubles {
            true => Conversion::UNKNOWN,
            false => conversion,
        },
    }
}

/// Whether a value and all that is known about its error are tiny.
fn is_tiny(measured: &Measured) -> bool {
    [measured.value, measured.residue, measured.bound]
        .iter()
        .all(|size| size.abs() < TINY)
}

/// The thread's own event, so that the trace is found from it.
fn event_for<'a>(trace: ThreadTrace, site: u32) -> &'a mut Event {
    let event = trace.begin_event(site, 0, FpKind::Double);
    *event = Event {
        site,
        operands: 1,
        ..EMPTY
    };
    event
}

/// Records at an output or decision which candidates influenced an error of this many bits.
pub(super) fn credit(entry: &mut Spot, sets: &Sets, influences: u32, bits: Bits) {
    let mut room = [0; set::BITS];
    let sites = sets.members(influences, &mut room);
    if sites.is_empty() {
        entry.unexplained += 1;
    }
    for site in sites {
        let influence = entry
            .influences
            .iter_mut()
            .find(|influence| influence.used == 0 || influence.site == *site);
        match influence {
            Some(influence) => {
                influence.used = 1;
                influence.site = *site;
                influence.times += 1;
                influence.worst_bits = influence.worst_bits.max(bits.0);
            }
            None => entry.influences_lost += 1,
        }
    }
}
