//! The runtime: what lives inside an analysed program.
//!
//! It reserves the shadow planes, keeps the run record, and lets shadows follow copied memory. It is
//! a guest in someone else's program, hence its manners:
//!
//! - it never prints, with one exception: where shadows cannot be had at all the program could only
//!   crash, so it says in one sentence what to do and ends the process with exit code 2;
//! - it leaves errno, the floating-point environment, signal dispositions and the exit code alone;
//! - it never allocates from the program's heap, and keeps no file descriptor open;
//! - it talks to the kernel directly ([`sys`]), so functions of the program that happen to be called
//!   `open` or `mmap` are not mistaken for the C library's, and no call is a cancellation point;
//! - it holds its lock only with signals blocked and never while code of the program runs.
//!
//! `no_std` is meant literally: the compiler then refuses whatever would allocate. (The static
//! library contains the standard library nevertheless, because `abi` uses it; packing drops it.)
//!
//! A process may hold several copies of the runtime (an executable and libraries that were loaded
//! with `RTLD_LOCAL`). They share the planes; each keeps a record of its own.
//!
//! # What it can miss
//!
//! - A process made by a bare `clone` or `fork` system call runs no fork handlers and counts into
//!   its parent's record. (`vfork` and `posix_spawn` children run no code of ours and are no trouble.)
//! - Programs that count their address space notice the planes: `mlockall` fails (with the privilege to
//!   lock any amount, it would exhaust the memory), and under a limit that the program sets itself
//!   (`RLIMIT_AS`, `RLIMIT_DATA`) later allocations fail.

#![no_std]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("lostbits knows the address space of Linux on x86-64 only");

#[cfg(test)]
extern crate std;

mod fortran;
mod heap;
mod lock;
pub mod path;
mod planes;
mod record;
pub mod record_file;
mod registry;
mod same;
mod search;
mod shadows;
mod symbolic;
pub mod sys;
mod watch;
mod ways;

pub use registry::environment;

use core::ffi::{c_int, c_void};

use lostbits_abi::{
    site::SiteTotals,
    symbols::{self, ModuleDescriptor},
};

pub use shadows::{Owning, own};

/// Defines an exported function and proves that its name is the one in the contract (attributes take
/// literals only, so the name has to be written twice). The caller's module has `symbols` in scope.
#[macro_export]
macro_rules! export {
    ($(
        $(#[$doc:meta])*
        $constant:ident = $name:literal
        fn $function:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)? $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// To be called by instrumented code only, with the arguments the contract names.
        #[unsafe(export_name = $name)]
        pub unsafe extern "C" fn $function($($parameter: $type),*) $(-> $result)? $body

        const _: () = assert!($crate::equal(symbols::$constant, $name));
    )*};
}

export! {
    /// A module was loaded.
    REGISTER = "__lostbits_register_abi1"
    fn register(descriptor: *mut ModuleDescriptor) {
        unsafe { registry::register(descriptor) }
    }

    /// A result, which the pass has told of before.
    OUTPUT = "__lostbits_output"
    fn output(_value: f64) {}

    /// A module is about to be unloaded, or the process is ending.
    UNREGISTER = "__lostbits_unregister"
    fn unregister(descriptor: *mut ModuleDescriptor) {
        unsafe { registry::unregister(descriptor) }
    }

    /// Memory was copied.
    SHADOW_COPY = "__lostbits_shadow_copy"
    fn shadow_copy(destination: *mut c_void, source: *const c_void, bytes: usize) {
        unsafe { shadows::copy(destination as usize, source as usize, bytes) }
    }

    /// Fortran's runtime library moved an array.
    FORTRAN_ASSIGNED = "__lostbits_fortran_assigned"
    fn fortran_assigned(to: *const fortran::Descriptor, from: *const fortran::Descriptor) {
        unsafe {
            if let (Some(to), Some(from)) = (to.as_ref(), from.as_ref()) {
                fortran::assigned(to, from)
            }
        }
    }

    /// It appended elements to an array.
    FORTRAN_PUSHED = "__lostbits_fortran_pushed"
    fn fortran_pushed(to: *const fortran::Constructed<'static>, from: *const fortran::Descriptor) {
        unsafe { fortran::pushed(&*to, &*from) }
    }

    /// It appended one.
    FORTRAN_PUSHED_ONE = "__lostbits_fortran_pushed_one"
    fn fortran_pushed_one(to: *const fortran::Constructed<'static>, from: *const c_void) {
        unsafe { fortran::pushed_one(&*to, from as usize) }
    }

    /// It puts an array out.
    FORTRAN_PUT_OUT = "__lostbits_fortran_put_out"
    fn fortran_put_out(
        array: *const fortran::Descriptor,
        tell: fortran::Tell,
        site: u64,
        thread: *mut c_void
    ) {
        unsafe { fortran::put_out(&*array, tell, site, thread) }
    }

    /// It puts a namelist out.
    FORTRAN_PUT_OUT_NAMELIST = "__lostbits_fortran_put_out_namelist"
    fn fortran_put_out_namelist(
        group: *const fortran::Namelist<'static>,
        tell: fortran::Tell,
        site: u64,
        thread: *mut c_void
    ) {
        unsafe { fortran::put_out_namelist(&*group, tell, site, thread) }
    }

    /// Memory was filled, or handed out zeroed.
    SHADOW_CLEAR = "__lostbits_shadow_clear"
    fn shadow_clear(destination: *mut c_void, bytes: usize) {
        unsafe { shadows::clear(destination as usize, bytes) }
    }

    /// The size of a heap block that is going to be reallocated.
    HEAP_SIZE = "__lostbits_heap_size"
    fn heap_size(block: *mut c_void) -> usize {
        unsafe { heap::size(block) }
    }

    /// A heap block was reallocated.
    SHADOW_MOVED = "__lostbits_shadow_moved"
    fn shadow_moved(
        new: *mut c_void,
        old: *const c_void,
        old_bytes: usize,
        new_bytes: usize
    ) {
        unsafe { heap::moved(new as usize, old as usize, old_bytes, new_bytes) }
    }

    /// Mode `same` compared a shadow with the program's value.
    SAME_DIFFERS = "__lostbits_same_differs"
    fn same_differs(
        totals: *mut SiteTotals,
        differs: c_int,
        program_bits: u64,
        shadow_bits: u64
    ) {
        if differs != 0 {
            unsafe { same::count_difference(totals, program_bits, shadow_bits) }
        }
    }

    /// Mode `watch` looked at a result or a decision.
    WATCH_SAW = "__lostbits_watch_saw"
    fn watch_saw(totals: *mut SiteTotals, seen: c_int, x: u64, y: u64, word: u64) {
        if seen != 0 {
            unsafe { watch::saw(totals, x, y, word) }
        }
    }

    /// Mode `watch` worked on a tagged value.
    WATCH_WAY = "__lostbits_watch_way"
    fn watch_way(
        totals: *mut SiteTotals,
        seen: c_int,
        result: u64,
        result_tag: u64,
        x: u64,
        x_tag: u64,
        y: u64,
        y_tag: u64,
        z: u64,
        z_tag: u64
    ) {
        if seen != 0 {
            let operands = [[x, x_tag], [y, y_tag], [z, z_tag]];
            unsafe { ways::told(totals, [result, result_tag], operands) }
        }
    }

    /// Mode `watch` asks for the tag of a library function's result.
    WATCH_LIBRARY = "__lostbits_watch_library"
    fn watch_library(
        op: u32,
        x: f64,
        y: f64,
        result: f64,
        x_tag: u64,
        y_tag: u64,
        own_tag: u64
    ) -> u64 {
        watch::library(op, [x, y], result, [x_tag, y_tag], own_tag)
    }

    /// `lostbits search` asks whose rows the events of a trace point to.
    SEARCH_MODULES = "__lostbits_search_modules"
    fn search_modules() -> *const ModuleDescriptor {
        registry::first_module()
    }
}

const VERSION_BYTES: usize = lostbits_abi::VERSION.len() + 1;

/// The version as a C string; the driver compares it with its own.
#[unsafe(export_name = "__lostbits_version")]
pub static VERSION: [u8; VERSION_BYTES] = nul_terminated(lostbits_abi::VERSION);

const _: () = assert!(equal(symbols::VERSION, "__lostbits_version"));
const _: () = assert!(equal(symbols::WATCH_LIMITS, "__lostbits_watch_limits"));
const _: () = assert!(equal(symbols::WATCH_ALIVE, "__lostbits_watch_alive"));
const _: () = assert!(equal(symbols::SEARCH_TRACE, "__lostbits_search_trace"));

const fn nul_terminated(text: &str) -> [u8; VERSION_BYTES] {
    let mut bytes = [0; VERSION_BYTES];
    let mut at = 0;
    while at < text.len() {
        bytes[at] = text.as_bytes()[at];
        at += 1;
    }
    bytes
}

/// Whether two texts are equal, for the compiler to find out.
pub const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
