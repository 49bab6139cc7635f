//! Names a fault in shadow memory: "segmentation fault" alone accuses the program of what lostbits cannot do.
//!
//! Planes mirror the addresses where Linux puts a program. Memory elsewhere (`mmap` with a hint, MAP_32BIT in code that does
//! not expect it) has mirrors that are not mapped, and the first access to its shadow faults. A handler for SIGSEGV writes one
//! sentence then, and only then: if the address is a distance below memory that the program has. Then, and for every
//! other fault, the program goes on as if there were no handler: it dies of the signal, or its own handler runs.
//!
//! The program does not see the handler: `sigaction` and `signal` of the C library are replaced by functions that keep the
//! program's own action beside ours. Without them, Rust's standard library and Open MPI would not install their own handlers. Only where the
//! process uses these replacements is the handler installed: in executables, not in libraries that an interpreter loads.
//!
//! What it can miss: an overflowing stack without an alternative one, actions set by direct system calls or `sysv_signal` (which
//! replace the handler), memory that another mode's plane happens to serve.

use core::{
    ffi::{c_int, c_void},
    mem, ptr,
    sync::atomic::{
        AtomicBool, AtomicI32, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
    },
};

use lostbits_abi::shadow::LOW_END;

use crate::{planes, sentence::Sentence, sys};

unsafe extern "C" {
    /// The C library's own, whoever defines `sigaction`.
    fn __sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
    /// Another name of the C library's `signal`.
    fn ssignal(signal: c_int, handler: libc::sighandler_t) -> libc::sighandler_t;
}

static IS_INSTALLED: AtomicBool = AtomicBool::new(false);
static WAS_NAMED: AtomicBool = AtomicBool::new(false);
/// What the program wants for SIGSEGV.
static HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS: AtomicI32 = AtomicI32::new(0);

/// Installs the handler where the program will not see it.
pub fn install() {
    // `scripts/pack-runtime.sh` gives `program_sigaction` this name, too; another definition may have taken it.
    if !core::ptr::eq(libc::sigaction as *const (), program_sigaction as *const ()) {
        return;
    }
    // SAFETY: zeros are valid for all fields; the C library writes `before`.
    let before = unsafe {
        let mut before: libc::sigaction = mem::zeroed();
        __sigaction(libc::SIGSEGV, ptr::null(), &mut before);
        before
    };
    IS_INSTALLED.store(true, Release);
    // SAFETY: the program's own action, set once more.
    unsafe { program_sigaction(libc::SIGSEGV, &before, ptr::null_mut()) };
}

/// The C library's function for the program; SIGSEGV keeps our handler before the program's.
///
/// # Safety
///
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn program_sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        if signal != libc::SIGSEGV || !IS_INSTALLED.load(Acquire) {
            return __sigaction(signal, new, old);
        }
        let wanted = new.as_ref().copied();
        let ours = wanted.map(|wanted| behind_ours(&wanted));
        let mut before: libc::sigaction = mem::zeroed();
        let result = __sigaction(
            signal,
            ours.as_ref().map_or(ptr::null(), |ours| ours),
            &mut before,
        );
        if result != 0 {
            return result;
        }
        if before.sa_sigaction == on_fault as *const () as usize {
            before.sa_sigaction = HANDLER.load(Relaxed);
            before.sa_flags = FLAGS.load(Relaxed);
        }
        if let Some(wanted) = wanted {
            HANDLER.store(wanted.sa_sigaction, Relaxed);
            FLAGS.store(wanted.sa_flags, Relaxed);
        }
        if !old.is_null() {
            old.write(before);
        }
        result
    }
}

/// Our handler with the program's stack and mask; it stays where the program's would be reset. A signal that is ignored needs none: a fault kills nevertheless.
fn behind_ours(wanted: &libc::sigaction) -> libc::sigaction {
    let mut ours = *wanted;
    if wanted.sa_sigaction != libc::SIG_IGN {
        ours.sa_sigaction = on_fault as *const () as usize;
        ours.sa_flags = (ours.sa_flags | libc::SA_SIGINFO) & !libc::SA_RESETHAND;
    }
    ours
}

/// The C library's function for the program.
///
/// # Safety
///
/// As for the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn program_signal(
    signal: c_int,
    handler: libc::sighandler_t,
) -> libc::sighandler_t {
    // SAFETY: the caller's promise; zeros are valid for all fields.
    unsafe {
        if signal != libc::SIGSEGV || !IS_INSTALLED.load(Acquire) || handler == libc::SIG_ERR {
            return ssignal(signal, handler);
        }
        let mut new: libc::sigaction = mem::zeroed();
        let mut old: libc::sigaction = mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = libc::SA_RESTART;
        libc::sigaddset(&mut new.sa_mask, signal);
        match program_sigaction(signal, &new, &mut old) {
            0 => old.sa_sigaction,
            _ => libc::SIG_ERR,
        }
    }
}

/// Async-signal-safe: atomics and system calls.
unsafe extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid `info`, whose address is set for faults.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    let is_access = code == SEGV_MAPERR || code == SEGV_ACCERR;
    if is_access
        && let Some(reason) = reason(address)
        && !WAS_NAMED.swap(true, Relaxed)
    {
        sys::say(reason.bytes());
    }
    let (handler, flags) = (HANDLER.load(Relaxed), FLAGS.load(Relaxed));
    if handler == libc::SIG_DFL {
        // SAFETY: zeros are the default action. The fault happens again once this returns; a signal that was sent does not.
        unsafe { __sigaction(signal, &mem::zeroed(), ptr::null_mut()) };
        if code <= 0 {
            sys::raise(signal);
        }
        return;
    }
    if flags & libc::SA_RESETHAND != 0 {
        HANDLER.store(libc::SIG_DFL, Relaxed);
    }
    type Handler = unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
    // SAFETY: the program gave this function for the signal; those of one parameter ignore the others.
    unsafe { mem::transmute::<usize, Handler>(handler)(signal, info, context) }
}

const SEGV_MAPERR: c_int = 1;
const SEGV_ACCERR: c_int = 2;

/// Why an access to this address faulted, if it was one to the shadow of memory that the program has.
fn reason(address: usize) -> Option<Sentence> {
    let data = planes::shadowed(address)
        .find(|data| !planes::is_shadow(*data) && sys::is_mapped(*data, 1))?;
    let mut sentence = Sentence::new();
    sentence.add(b"lostbits: shadow memory cannot hold the program's data at ");
    sentence.add_address(data);
    sentence.add(match data {
        _ if planes::is_shadow(address) => b", because the program unmapped or protected addresses that lostbits uses: let \
            it map memory without MAP_FIXED; ".as_slice(),
        0..LOW_END_ADDRESS => b", below 1 TiB: compile all of the program with LOSTBITS_LOW_ADDRESSES=1; ",
        _ => b", which Linux gives only to programs that ask for this address: let it map memory without a hint; ",
    });
    sentence.add(b"the fault is not the program's.\n");
    Some(sentence)
}

const LOW_END_ADDRESS: usize = LOW_END as usize;
