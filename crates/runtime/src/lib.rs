//! The runtime that is linked into an analysed program.
//!
//! It reserves the shadow planes, keeps the run record, and moves shadows with copied memory. Because it runs inside
//! someone else's program, it follows these rules:
//!
//! - It never prints, with two exceptions: where the program could only crash (no address space for shadows, code of two
//!   versions), it writes one sentence that says what to do and ends the process with exit code 2; where it crashes because data has no
//!   shadow memory, a sentence names the reason first ([`faults`]).
//! - It leaves errno, the floating-point environment, signal dispositions as the program sees them, and the exit code alone.
//! - It never allocates from the program's heap, and keeps no file descriptor open.
//! - It makes system calls directly ([`sys`]), so that a program's own function `open` or `mmap` is not called by mistake, and
//!   no call is a cancellation point.
//! - It holds its lock only with signals blocked, and never while code of the program runs.
//!
//! The crate is `no_std` so that the compiler refuses whatever would allocate. (The static library contains the standard
//! library nevertheless, because `abi` uses it; packing drops it.)
//!
//! A process may contain several copies of the runtime (an executable and libraries loaded with `RTLD_LOCAL`). They
//! share the planes; each keeps its own record.
//!
//! # What it can miss
//!
//! - A process made by a direct `clone` or `fork` system call runs no fork handlers and counts into its parent's record.
//!   (Children of `vfork` and `posix_spawn` run no instrumented code.)
//! - Programs that count their address space notice the planes: `mlockall` fails (with the privilege to lock any amount, it
//!   would exhaust the memory), and under a limit that the program sets itself (`RLIMIT_AS`, `RLIMIT_DATA`) later
//!   allocations fail.

#![no_std]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("lostbits knows the address space of Linux on x86-64 only");

#[cfg(test)]
extern crate std;

mod error_paths;
mod extents;
mod faults;
pub mod fortran;
mod heap;
mod layout;
mod lending;
mod lock;
pub mod path;
mod planes;
mod record;
pub mod record_file;
mod registry;
mod same;
mod search;
mod sentence;
mod shadows;
mod sorting;
mod symbolic;
pub mod sys;
mod tagged_memory;
mod value_index;
mod versions;
mod watch;

pub use registry::{append_record_name, environment, has_module_of};

use core::ffi::{c_int, c_void};

/// For [`export!`], which is used in crates that may not depend on `abi` by this name.
#[doc(hidden)]
pub use lostbits_abi as abi;
use lostbits_abi::{
    descriptor::ModuleDescriptor,
    explain::Thread,
    functions::ReportMemory,
    lending::{Lent, MOST_LENT},
    site::SiteTotals,
    variable_symbol, variables,
};

pub use shadows::{Owning, own};

/// Defines functions of the table in `lostbits_abi::functions`, each under its row's symbol. A definition whose signature differs
/// from its row does not compile. A function that exists for `double` and `float` names its format:
///
/// ```ignore
/// export! {
///     /// Memory was copied.
///     SHADOW_COPY fn shadow_copy(destination: *mut c_void, source: *const c_void, bytes: usize) { … }
///
///     /// A value was loaded.
///     REALS_LOAD[f64] fn load_double(slot: u64, address: *const c_void, value: f64) -> u64 { … }
/// }
/// ```
#[macro_export]
macro_rules! export {
    ($(
        $(#[$doc:meta])*
        $constant:ident $([$format:ident])?
        fn $function:ident($($parameter:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// Only instrumented code may call it, with arguments as the table describes them.
        #[unsafe(export_name = $crate::abi::runtime_symbol!($constant $([$format])?))]
        pub unsafe extern "C" fn $function($($parameter: $type),*) $(-> $result)? $body

        const _: $crate::abi::functions::signature::$constant $(<$format>)? = $function;
    )*};
}

export! {
    /// A module was loaded.
    REGISTER
    fn register(descriptor: *mut ModuleDescriptor) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { registry::register(descriptor) }
    }

    /// A result; the pass has reported it as an output.
    OUTPUT
    fn output(_value: f64) {}

    /// A module is about to be unloaded, or the process is ending.
    UNREGISTER
    fn unregister(descriptor: *mut ModuleDescriptor) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { registry::unregister(descriptor) }
    }

    /// Which planes are in use.
    PLANES_IN_USE
    fn planes_in_use() -> u32 {
        planes::in_use()
    }

    /// Memory was copied.
    SHADOW_COPY
    fn shadow_copy(destination: *mut c_void, source: *const c_void, bytes: usize) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { shadows::copy(destination as usize, source as usize, bytes) }
    }

    /// A piece of a number was copied.
    SHADOW_COPY_PIECE
    fn shadow_copy_piece(destination: *mut c_void, source: *const c_void, bytes: usize) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { shadows::copy_piece(destination as usize, source as usize, bytes) }
    }

    /// Fortran's runtime library assigned an array.
    FORTRAN_ASSIGNED
    fn fortran_assigned(to: *const c_void, from: *const c_void) {
        let (to, from) = (to.cast::<fortran::Descriptor>(), from.cast::<fortran::Descriptor>());
        // SAFETY: instrumented code passes what the table describes.
        unsafe {
            if let (Some(to), Some(from)) = (to.as_ref(), from.as_ref()) {
                fortran::assigned(to, from)
            }
        }
    }

    /// Fortran's runtime library appended an array to an array constructor.
    FORTRAN_APPENDED
    fn fortran_appended(to: *const c_void, from: *const c_void) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { fortran::appended(&*to.cast(), &*from.cast()) }
    }

    /// Fortran's runtime library appended one element.
    FORTRAN_APPENDED_ONE
    fn fortran_appended_one(to: *const c_void, from: *const c_void) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { fortran::appended_one(&*to.cast(), from as usize) }
    }

    /// Fortran's runtime library rearranged an array.
    FORTRAN_REARRANGED
    fn fortran_rearranged(to: *const c_void, from: *const c_void, other: *const c_void) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe {
            if let (Some(to), Some(from)) = (to.cast::<fortran::Descriptor>().as_ref(), from.cast::<fortran::Descriptor>().as_ref()) {
                fortran::rearranged(to, from, other.cast::<fortran::Descriptor>().as_ref())
            }
        }
    }

    /// Fortran's runtime library chose an element of an array.
    FORTRAN_CHOSEN
    fn fortran_chosen(to: *const c_void, from: *const c_void) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe {
            if let Some(from) = from.cast::<fortran::Descriptor>().as_ref() {
                fortran::chosen(to as usize, from)
            }
        }
    }

    /// Fortran's runtime library prints an array.
    FORTRAN_OUTPUT
    fn fortran_output(array: *const c_void, report: ReportMemory, site: u64, thread: *mut Thread) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { fortran::output(&*array.cast(), report, site, thread) }
    }

    /// Fortran's runtime library prints a namelist.
    FORTRAN_OUTPUT_NAMELIST
    fn fortran_output_namelist(group: *const c_void, report: ReportMemory, site: u64, thread: *mut Thread) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { fortran::output_namelist(&*group.cast(), report, site, thread) }
    }

    /// Memory was filled, or allocated with zeros.
    SHADOW_CLEAR
    fn shadow_clear(destination: *mut c_void, bytes: usize) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { shadows::clear(destination as usize, bytes) }
    }

    /// The C library is about to sort.
    SORT_BEGIN
    fn sort_begin(current: *mut c_void, base: *mut c_void, count: usize, size: usize, comparison: *const c_void) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { sorting::begin(current.cast(), base as usize, count, size, comparison as usize) }
    }

    /// The C library is about to compare two elements.
    SORT_COMPARED
    fn sort_compared(current: *mut c_void, a: *const c_void, b: *const c_void) -> *const c_void {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { sorting::compared(current.cast(), a as usize, b as usize) as *const c_void }
    }

    /// The C library has sorted.
    SORT_END
    fn sort_end(current: *mut c_void, base: *mut c_void) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { sorting::end(current.cast(), base as usize) }
    }

    /// A heap block was allocated.
    ALLOCATED
    fn allocated(block: *mut c_void, bytes: usize) {
        extents::add(block as usize, bytes)
    }

    /// A heap block is about to be freed.
    FREED
    fn freed(block: *mut c_void) {
        extents::remove(block as usize)
    }

    /// Code that is not instrumented is about to get memory.
    LENT
    fn lent(blocks: *const Lent, count: usize) -> *mut c_void {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { lending::lent(core::slice::from_raw_parts(blocks, count.min(MOST_LENT))).cast() }
    }

    /// Code that is not instrumented returned.
    RETURNED
    fn returned(lent: *mut c_void, totals: *mut SiteTotals) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { lending::returned(lent.cast(), totals) }
    }

    /// The size of a heap block that is about to be reallocated.
    HEAP_SIZE
    fn heap_size(block: *mut c_void) -> usize {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { heap::size(block) }
    }

    /// A heap block was reallocated.
    SHADOW_MOVED
    fn shadow_moved(
        new: *mut c_void,
        old: *const c_void,
        old_bytes: usize,
        new_bytes: usize
    ) {
        // SAFETY: instrumented code passes what the table describes.
        unsafe { heap::moved(new as usize, old as usize, old_bytes, new_bytes) }
    }

    /// Mode `same` compared a shadow with the program's value.
    SAME_REPORT
    fn same_report(
        totals: *mut SiteTotals,
        differs: c_int,
        program_bits: u64,
        shadow_bits: u64
    ) {
        if differs != 0 {
            // SAFETY: instrumented code passes what the table describes.
            unsafe { same::count_difference(totals, program_bits, shadow_bits) }
        }
    }

    /// Mode `watch` checked a result or a decision.
    WATCH_REPORT
    fn watch_report(totals: *mut SiteTotals, found: c_int, x: u64, y: u64, tag: u64) {
        if found != 0 {
            // SAFETY: instrumented code passes what the table describes.
            unsafe { watch::count(totals, [x, y], tag) }
        }
    }

    /// Mode `watch` computed with a tagged value.
    WATCH_PATH
    fn watch_path(
        totals: *mut SiteTotals,
        found: c_int,
        result: u64,
        result_tag: u64,
        x: u64,
        x_tag: u64,
        y: u64,
        y_tag: u64,
        z: u64,
        z_tag: u64
    ) {
        if found != 0 {
            let operands = [[x, x_tag], [y, y_tag], [z, z_tag]];
            // SAFETY: instrumented code passes what the table describes.
            unsafe { error_paths::count(totals, [result, result_tag], operands) }
        }
    }

    /// The tag of a library function's result, for mode `watch`.
    WATCH_LIBRARY
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

    /// Tags may have been written to these cells.
    WATCH_STORED
    fn watch_stored(cells: usize, bytes: usize) {
        tagged_memory::stored(cells, bytes)
    }

    /// The countdown has ended.
    WATCH_SCAN
    fn watch_scan() {
        tagged_memory::scan()
    }

    /// The modules whose rows the events of a trace point to, for `lostbits search`.
    SEARCH_MODULES
    fn search_modules() -> *const ModuleDescriptor {
        registry::first_module()
    }
}

/// The version as a C string; the driver compares it with its own.
#[unsafe(export_name = variable_symbol!(VERSION))]
pub static VERSION: variables::layout::VERSION = nul_terminated(lostbits_abi::VERSION);

const fn nul_terminated(text: &str) -> variables::layout::VERSION {
    let mut bytes = [0; size_of::<variables::layout::VERSION>()];
    let mut at = 0;
    while at < text.len() {
        bytes[at] = text.as_bytes()[at];
        at += 1;
    }
    bytes
}
