//! The state of the analysis: one for the process, its lock, its settings.

use core::{
    cell::UnsafeCell,
    ffi::CStr,
    sync::atomic::{
        AtomicBool, AtomicU64, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release, SeqCst},
        compiler_fence,
    },
};

use lostbits_abi::explain::{OUT_ENV, SETTINGS_ENV, Settings};
use lostbits_runtime::sys;

use super::{
    analysis::Analysis,
    influences::Sets,
    measure::{power_of_two, steps_of},
    set_limits, trace,
};

pub struct State {
    pub(super) settings: Settings,
    /// The thresholds in steps.
    pub(super) local_steps: f64,
    /// The logarithm of that one, times 2⁵².
    pub(super) local_steps_logarithm: i64,
    pub(super) output_steps: f64,
    pub(super) analysis: Analysis,
    pub(super) sets: Sets,
    /// What the output before was off by.
    pub(super) last_output_residue: f64,
    /// The kinds of causes that made no numbers of numbers so far.
    pub(super) first_causes: u32,
}

struct Shared {
    /// The thread that uses the state, by [`sys::thread_pointer`]; 0: nobody.
    user: AtomicUsize,
    /// What was told in vain since somebody last had the state.
    missed: AtomicU64,
    started: AtomicBool,
    state: UnsafeCell<State>,
}

// SAFETY: the state is used only by who has set `user`.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared {
    user: AtomicUsize::new(0),
    missed: AtomicU64::new(0),
    started: AtomicBool::new(false),
    state: UnsafeCell::new(State {
        settings: Settings::DEFAULT,
        local_steps: 0.0,
        local_steps_logarithm: 0,
        output_steps: 0.0,
        analysis: Analysis::new(),
        sets: Sets::new(),
        last_output_residue: 0.0,
        first_causes: 0,
    }),
};

/// How often somebody else's turn is waited for.
const PATIENCE: u32 = 10_000;

/// Does `work` with the state; not at all, and counted, if we are a signal handler that interrupted this
/// very thread at it, or if another thread is too long at it.
#[inline]
pub fn with_state(work: impl FnOnce(&mut State)) {
    if !take() {
        SHARED.missed.fetch_add(1, Relaxed);
        return;
    }
    // SAFETY: taken.
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
        // A signal handler may come between, but it will be gone when we go on.
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
        tries += 1;
        if user == this_thread || tries > PATIENCE {
            return false;
        }
        if tries % 64 == 0 {
            sys::yield_processor();
        }
    }
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
        state.local_steps_logarithm = (state.settings.min_local_bits * power_of_two(52)) as i64;
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
    SHARED.user.store(0, Release);
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
            b"precision" => settings.precision = number as u32,
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
