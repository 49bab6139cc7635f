//! While a program runs, signals meant for it reach it.
//!
//! What a terminal sends (Ctrl-C) goes to the whole process group: the program has it already, and the
//! tool must only stay alive to gather the record. What another process sends to the tool alone (`kill`,
//! a batch system's time limit) is passed on, and no further run begins; but SIGUSR1 is kept where somebody observes the run, and means:
//! what was seen so far?

use std::{
    mem::zeroed,
    ptr::null_mut,
    sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst},
};

use libc::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, c_int, c_void, siginfo_t};

const FORWARDED: [c_int; 6] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];

/// The process that gets the signals; 0 for none yet.
static TARGET: AtomicI32 = AtomicI32::new(0);
/// A signal that arrived before the process to forward it to was known.
static EARLY: AtomicI32 = AtomicI32::new(0);
/// Whether SIGUSR1 is a question to the tool, and whether one was asked.
static OBSERVED: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether somebody wants an end.
static ENDED: AtomicBool = AtomicBool::new(false);
const ENDING: [c_int; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Handlers are reset when the program starts, so it has its own dispositions.
pub struct Forwarding(());

impl Forwarding {
    pub fn start(observed: bool) -> Forwarding {
        OBSERVED.store(observed, SeqCst);
        for signal in FORWARDED {
            install(signal);
        }
        Forwarding(())
    }

    pub fn to(&self, process: u32) {
        TARGET.store(process as i32, SeqCst);
        let early = EARLY.swap(0, SeqCst);
        if early != 0 {
            // SAFETY: the process is our child and has not been waited for.
            unsafe { libc::kill(process as i32, early) };
        }
    }
}

impl Drop for Forwarding {
    /// The process is gone, and another may get its number.
    fn drop(&mut self) {
        TARGET.store(0, SeqCst);
    }
}

/// Whether a signal asked the tool or the program to end.
pub fn was_ended() -> bool {
    ENDED.load(SeqCst)
}

/// Whether there was a question since this was last called.
pub fn was_asked() -> bool {
    ASKED.swap(false, SeqCst)
}

/// A signal that the tool's own caller ignores (`nohup`) stays ignored, for the program too.
fn install(signal: c_int) {
    // SAFETY: zeroed is a valid `sigaction`; the handler is async-signal-safe.
    unsafe {
        let mut old: libc::sigaction = zeroed();
        if libc::sigaction(signal, null_mut(), &mut old) == 0 && old.sa_sigaction == libc::SIG_IGN {
            return;
        }
        let mut new: libc::sigaction = zeroed();
        new.sa_sigaction = forward as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(signal, &new, null_mut());
    }
}

extern "C" fn forward(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    if signal == SIGUSR1 && OBSERVED.load(SeqCst) {
        return ASKED.store(true, SeqCst);
    }
    if ENDING.contains(&signal) {
        ENDED.store(true, SeqCst);
    }
    let target = TARGET.load(SeqCst);
    // SAFETY: the kernel hands a valid `info`; `kill` is async-signal-safe.
    unsafe {
        // Codes above 0 are the kernel's own, as from a terminal.
        if (*info).si_code > 0 {
            return;
        }
        match target {
            0 => EARLY.store(signal, SeqCst),
            target => {
                libc::kill(target, signal);
            }
        }
    }
}
