//! The state of the analysis: one for the process, with its lock and its settings.

use core::{
    cell::UnsafeCell,
    sync::atomic::{
        AtomicBool, AtomicU64, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release, SeqCst},
        compiler_fence,
    },
};

use lostbits_abi::{environment, explain::Settings, mode::Mode};
use lostbits_runtime::sys;

use super::{
    analysis::Analysis,
    confirmation, detection, high_precision,
    influences::Sets,
    intervening,
    measure::{Bits, Ulps, power_of_two},
    set_limits, trace,
};
use crate::{settings, start::ensure_started};

pub struct State {
    pub(super) settings: Settings,
    /// The thresholds in ulps.
    pub(super) local_ulps: Ulps,
    /// log₂ of `local_ulps`, times 2⁵².
    pub(super) local_ulps_log2: i64,
    pub(super) output_ulps: Ulps,
    pub(super) analysis: Analysis,
    pub(super) sets: Sets,
    /// The residue of the previous output.
    pub(super) last_output_residue: f64,
    /// The kinds of causes for which a NaN or infinity came from finite operands so far.
    pub(super) first_causes: u32,
}

struct Shared {
    /// The thread that uses the state, by [`sys::thread_pointer`]; 0 if none.
    user: AtomicUsize,
    /// The thread that another has waited for in vain.
    stuck: AtomicUsize,
    /// Events that did not get the state since it was last available.
    missed: AtomicU64,
    started: AtomicBool,
    state: UnsafeCell<State>,
}

// SAFETY: only the thread that has set `user` uses the state.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    user: AtomicUsize::new(0),
    stuck: AtomicUsize::new(0),
    missed: AtomicU64::new(0),
    started: AtomicBool::new(false),
    state: UnsafeCell::new(State {
        settings: Settings::DEFAULT,
        local_ulps: Ulps(0.0),
        local_ulps_log2: 0,
        output_ulps: Ulps(0.0),
        analysis: Analysis::new(),
        sets: Sets::new(),
        last_output_residue: 0.0,
        first_causes: 0,
    }),
};

/// How often a thread retries while another uses the state, and yields the processor: for about a second. Events are short, but
/// a thread that uses the state may itself have to wait for a processor.
const PATIENCE: u32 = 64_000_000;
/// The same once a thread was waited for in vain.
const LITTLE_PATIENCE: u32 = 10_000;

/// Runs `work` with the state. Does not run it but counts the event as missed if this is a signal handler that interrupted the
/// same thread here, or if another thread takes too long.
#[inline]
pub fn with_state(work: impl FnOnce(&mut State)) {
    if !take() {
        SHARED.missed.fetch_add(1, Relaxed);
        return;
    }
    // SAFETY: `take` gave this thread the state.
    let state = unsafe { &mut *SHARED.state.get() };
    work(state);
    if SHARED.missed.load(Relaxed) != 0 {
        state.note_missed();
    }
    SHARED.user.store(0, Release);
}

/// Whether the state is ours now.
#[inline]
fn take() -> bool {
    let this_thread = sys::thread_pointer();
    if trace::is_only_thread() && SHARED.user.load(Relaxed) == 0 {
        // A signal handler may interrupt here, but it releases the state before we continue.
        SHARED.user.store(this_thread, Relaxed);
        compiler_fence(SeqCst);
        return true;
    }
    take_among_others(this_thread)
}

#[cold]
fn take_among_others(this_thread: usize) -> bool {
    let mut tries = 0;
    while let Err(user) = SHARED
        .user
        .compare_exchange_weak(0, this_thread, Acquire, Relaxed)
    {
        // A thread that a signal stopped here keeps the state for as long as the handler waits.
        let patience = match SHARED.stuck.load(Relaxed) == user {
            true => LITTLE_PATIENCE,
            false => PATIENCE,
        };
        tries += 1;
        if user == this_thread {
            return false;
        }
        if tries > patience {
            SHARED.stuck.store(user, Relaxed);
            return false;
        }
        if tries % 64 == 0 {
            sys::yield_processor();
        }
    }
    SHARED.stuck.store(0, Relaxed);
    true
}

impl State {
    #[cold]
    fn note_missed(&mut self) {
        if let Some(header) = self.analysis.header() {
            header.events_lost += SHARED.missed.swap(0, Relaxed);
        }
    }
}

/// Whether events are recorded; see [`set_recording`].
static RECORDING: AtomicBool = AtomicBool::new(true);

/// Runs `work` with the state if events are recorded now.
pub fn if_recording(work: impl FnOnce(&mut State)) {
    if RECORDING.load(Relaxed) {
        with_state(work);
    }
}

/// Starts or stops recording: the program entered the user's `--start-at` or `--stop-at` function.
pub fn set_recording(records: bool) {
    RECORDING.store(records, Relaxed);
    with_state(|state| {
        if let Some(header) = state.analysis.header().filter(|_| records) {
            header.settings.waiting = 0;
        }
    });
}

/// Reads the settings and opens the file, once.
pub fn start() {
    if SHARED.started.swap(true, Acquire) {
        return;
    }
    intervening::read();
    with_state(|state| {
        state.settings = read_settings();
        detection::start();
        confirmation::start();
        trace::start();
        RECORDING.store(state.settings.waiting == 0, Relaxed);
        set_limits(state.settings.min_local_bits);
        high_precision::set_noise_is_zero(state.settings.confirmed != 0);
        state.local_ulps = Ulps::of(Bits(state.settings.min_local_bits));
        state.local_ulps_log2 = (state.settings.min_local_bits * power_of_two(52)) as i64;
        state.output_ulps = Ulps::of(Bits(state.settings.min_output_bits));
        state.analysis.open(state.settings);
    });
    // SAFETY: `after_fork_in_child` is an `extern "C"` function without arguments.
    unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
}

unsafe extern "C" fn after_fork_in_child() {
    // The parent's other threads do not exist here: a thread that used the state will not release it.
    SHARED.user.store(0, Release);
    with_state(|state| state.analysis.follow_fork());
}

/// A program that nobody gave settings says itself how precisely it measures.
fn read_settings() -> Settings {
    let text = lostbits_runtime::environment(environment::c::EXPLAIN_SETTINGS);
    let mut settings = text.map_or(Settings::DEFAULT, Settings::parse);
    if lostbits_runtime::has_module_of(Mode::ExplainReals) {
        ensure_started();
        settings.precision = settings::precision() as u32;
    }
    settings
}
