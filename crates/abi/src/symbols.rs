//! Names that are in neither table, and the names from before the tables: [`crate::functions`] and [`crate::variables`]
//! replace them.
//!
//! All symbols begin with [`PREFIX`]; the rest of the runtime is made local when it is packed, so that it
//! cannot clash with the program's own libraries.

pub use crate::{
    descriptor::ModuleDescriptor,
    watch::{PATH_OPERANDS as WAY_OPERANDS, QUICK_TESTS_HOLD, WatchLimits},
};

pub const PREFIX: &str = "__lostbits";

/// `void(ModuleDescriptor *)`: called first of all constructors of a module. The name carries the
/// ABI version, so that objects of another version cannot be linked with this runtime.
pub const REGISTER: &str = crate::functions::REGISTER.symbol;
/// `void(ModuleDescriptor *)`: called when the module's library is unloaded.
pub const UNREGISTER: &str = "__lostbits_unregister";

/// `void(void *dst, const void *src, size_t bytes)`: shadows follow a copy of memory.
pub const SHADOW_COPY: &str = "__lostbits_shadow_copy";
/// `void(void *dst, size_t bytes)`: memory was filled or handed out zeroed; old shadows are void.
pub const SHADOW_CLEAR: &str = "__lostbits_shadow_clear";
/// `size_t(void *)`: the size of a heap block, asked for before it is reallocated.
pub const HEAP_SIZE: &str = "__lostbits_heap_size";
/// `void(void *new, const void *old, size_t old_bytes, size_t new_bytes)`: after `realloc`.
pub const SHADOW_MOVED: &str = "__lostbits_shadow_moved";

/// `void(const Descriptor *to, const Descriptor *from)`: Fortran's runtime library moved an array.
pub const FORTRAN_ASSIGNED: &str = "__lostbits_fortran_assigned";
/// `void(const ArrayConstructorVector *, const Descriptor *from)`: it appended elements.
pub const FORTRAN_PUSHED: &str = "__lostbits_fortran_pushed";
/// `void(const ArrayConstructorVector *, const void *from)`: it appended one.
pub const FORTRAN_PUSHED_ONE: &str = "__lostbits_fortran_pushed_one";
/// `void(const Descriptor *, void (*tell)(const void *, uint64_t bytes, uint64_t site, Thread *), uint64_t site,
/// Thread *)`: it puts an array out.
pub const FORTRAN_PUT_OUT: &str = "__lostbits_fortran_put_out";
/// The same with a `NamelistGroup`.
pub const FORTRAN_PUT_OUT_NAMELIST: &str = "__lostbits_fortran_put_out_namelist";

/// `void(SiteTotals *, int differs, uint64_t program_bits, uint64_t shadow_bits)`: mode `same` saw
/// (or, with `differs` 0, did not see) a difference.
pub const SAME_DIFFERS: &str = "__lostbits_same_differs";

/// `void(SiteTotals *, int seen, uint64_t x, uint64_t y, uint64_t tag)`: mode `watch` saw (or not) that
/// a result was inflated, or that a decision depends on an inflated error. `x` and `y` are the operands'
/// bits, `tag` is the tag word that led here.
pub const WATCH_SAW: &str = "__lostbits_watch_saw";
/// `uint64_t(uint32_t op, double x, double y, double result, uint64_t x_tag, uint64_t y_tag, uint64_t
/// own_tag)`: the tag of a library function's result, all in words of 64 bits.
pub const WATCH_LIBRARY: &str = "__lostbits_watch_library";
/// `void(SiteTotals *, int seen, uint64_t …)`: mode `watch` worked on a tagged value. Bits and tag of the result and of
/// [`WAY_OPERANDS`] operands follow. Only in programs compiled with [`WATCH_WAYS_ENV`] set. The totals are those of
/// a site with the note [`WAY_NOTE`], and hold addresses of such totals: `fresh` its own, `program_bits` and
/// `shadow_bits` those of operations from which it had an operand.
pub const WATCH_WAY: &str = "__lostbits_watch_way";
pub const WAY_NOTE: crate::site::Note = crate::site::Note::ErrorPath;
pub const WATCH_WAYS_ENV: &str = crate::environment::WATCH_PATHS;
/// `WatchLimits[6]`, by [`crate::kind::FpKind`]: the thresholds, which the runtime reads from
/// [`WATCH_LIMITS_ENV`].
pub const WATCH_LIMITS: &str = "__lostbits_watch_limits";
/// `uint32_t`: bit 0 is set when a tag first leaves the code that made it, and stays so; bit 1 if the quick
/// tests do not hold for the thresholds.
pub const WATCH_ALIVE: &str = "__lostbits_watch_alive";
/// Thresholds as `tau_c,tau_s,tau_c,tau_s`: for double, then for float. A fifth number that is not 0 switches the
/// quick tests off.
pub const WATCH_LIMITS_ENV: &str = crate::environment::WATCH_THRESHOLDS;

/// `Thread *(Thread **slot)`: this thread's part of the trace, kept in the thread-local
/// [`EXPLAIN_SLOT`]; see [`crate::explain`].
pub const EXPLAIN_THREAD: &str = "__lostbits_explain_thread";
pub const EXPLAIN_SLOT: &str = "__lostbits_explain_slot";
/// `void(Event *)`: an operation that may be a candidate, or is sampled. The runtime may change the
/// result's residue, bound and meta word.
pub const EXPLAIN_TELL: &str = "__lostbits_explain_tell";
/// `void(Lanes *)`: the same for the lanes of a vector.
pub const EXPLAIN_TELL_LANES: &str = "__lostbits_explain_tell_lanes";
/// `void(Event *)`: an operation whose real result the runtime is to find.
pub const EXPLAIN_EVALUATE: &str = "__lostbits_explain_evaluate";
/// `void(Event *)`: a comparison (`values[0]` is its outcome, 0 or 1; `op` an LLVM predicate) or a
/// conversion to an integer (`values[0]`) that may be decided otherwise in the reals.
pub const EXPLAIN_DECIDED: &str = "__lostbits_explain_decided";
/// `void(Event *)`: `values[1]` leaves the program.
pub const EXPLAIN_OUTPUT: &str = "__lostbits_explain_output";
/// `void(const void *, uint64_t bytes, uint64_t site, Thread *)`: memory leaves the program, formats unknown.
pub const EXPLAIN_OUTPUT_MEMORY: &str = "__lostbits_explain_output_memory";
/// The arguments of a format leave the program: (format, `va_list`, global site, thread).
pub const EXPLAIN_OUTPUT_FORMATTED: &str = "__lostbits_explain_output_formatted";
/// `void(void)`: the program is about to look at its floating-point flags; those that shadow code raised are lowered.
pub const EXPLAIN_STOPS: &str = "__lostbits_explain_stops";
/// `double[6]`, by [`crate::kind::FpKind`]: a residue times this above the value's magnitude is an error
/// over the threshold.
pub const EXPLAIN_LIMITS: &str = "__lostbits_explain_limits";
/// `uint64_t`: how many threads have ever asked for their part of the trace.
pub const EXPLAIN_THREADS: &str = "__lostbits_explain_threads";

/// `int(uint32_t op, uint32_t precision, uint32_t count, const double (*operands)[2], double
/// (*result)[2])`: an operation of the table by MPFR, numbers given as unevaluated sums of two doubles; 0
/// where the reals give it no meaning. Only in the runtime with MPFR.
pub const REALS_LIBRARY: &str = "__lostbits_reals_library";

/// What mode `reals` calls. A shadow is a `uint64_t`, see [`crate::numbers`]; functions that make one get
/// the slot to use, give it back, or give 0. Of two functions that differ by their format only, the
/// first is for `double`, the second for `float`.
macro_rules! reals {
    ($($(#[$doc:meta])* [$($constant:ident)+] = $name:literal)*) => {
        $(reals!(one [$(#[$doc])*] [$($constant)+] $name);)*
    };
    (one [$($doc:tt)*] [$double:ident $float:ident] $name:literal) => {
        $($doc)*
        pub const $double: &str = concat!("__lostbits_reals_", $name, "_double");
        $($doc)*
        pub const $float: &str = concat!("__lostbits_reals_", $name, "_float");
    };
    (one [$($doc:tt)*] [$constant:ident] $name:literal) => {
        $($doc)*
        pub const $constant: &str = concat!("__lostbits_reals_", $name);
    };
}

reals! {
    /// `uint64_t(Frames **, uint64_t slots)`: the frame of a function that is entered.
    [REALS_ENTER] = "enter"
    /// `shadow(slot, SiteTotals *, shadow x, shadow y, T x, T y, T result)`.
    [REALS_ADD REALS_ADD_FLOAT] = "add"
    [REALS_SUB REALS_SUB_FLOAT] = "sub"
    [REALS_MUL REALS_MUL_FLOAT] = "mul"
    [REALS_DIV REALS_DIV_FLOAT] = "div"
    /// `shadow(slot, SiteTotals *, shadow x, shadow y, shadow z, T x, T y, T z, T result)`.
    [REALS_FMA REALS_FMA_FLOAT] = "fma"
    /// The same, where the program may have rounded the product.
    [REALS_MULADD REALS_MULADD_FLOAT] = "muladd"
    /// `shadow(slot, SiteTotals *, shadow x, T x, T result)`.
    [REALS_SQRT REALS_SQRT_FLOAT] = "sqrt"
    /// `shadow(slot, SiteTotals *, uint32_t op, uint32_t count, Operand *)`: the result is behind the operands.
    [REALS_OPERATE] = "operate"
    /// `shadow(slot, shadow)`: a copy.
    [REALS_COPY] = "copy"
    /// `shadow(slot, const void *, T)`: of a value that was loaded.
    [REALS_LOAD REALS_LOAD_FLOAT] = "load"
    /// `shadow(slot, const void *, Operand *)`.
    [REALS_LOAD_ANY] = "load_any"
    /// `void(void *, shadow, T)`: with a value that is being stored.
    [REALS_STORE REALS_STORE_FLOAT] = "store"
    /// `void(void *, Operand *)`.
    [REALS_STORE_ANY] = "store_any"
    /// `void(void *, const void *cells, uint64_t stride, uint64_t bytes)`: variadic arguments, from the slot of a call.
    [REALS_SPREAD] = "spread"
    /// `uint32_t(SiteTotals *, uint32_t predicate, shadow x, shadow y, T x, T y, uint32_t decided)`: what
    /// the program is to go on with.
    [REALS_COMPARE REALS_COMPARE_FLOAT] = "compare"
    /// `uint32_t(SiteTotals *, uint32_t predicate, Operand *, uint32_t decided)`.
    [REALS_COMPARE_ANY] = "compare_any"
    /// `uint64_t(SiteTotals *, uint32_t op, uint32_t width, Operand *, uint64_t result)`: likewise.
    [REALS_INTEGER] = "integer"
    /// `T(shadow, T)`: what a function that may not be instrumented is given.
    [REALS_STEER REALS_STEER_FLOAT] = "steer"
    /// `int(const void *value, int kind, char *buffer, size_t bytes)`: the number of a value in memory as
    /// decimal text; for other tools, by `dlsym`. Gives 1, or 0 where the text is the value itself because
    /// it has no number of its own.
    [REALS_OF] = "of"
    /// `void(const double *value, double computed, double (*result)[2])`: the number of a double in memory, and
    /// `computed` minus that number, rounded to doubles; for searches, by `dlsym`.
    [REALS_DEVIATION] = "deviation"
}

/// What mode `explain-reals` calls beside [`REALS_ENTER`], [`REALS_COPY`] and what moves numbers to memory and back:
/// functions like those of mode `reals`, which are told the global site and the thread
/// ([`crate::explain::Thread`]) in the place of the site's totals, and decide nothing.
macro_rules! explain_reals {
    ($([$double:ident $float:ident] = $name:literal)*) => {$(
        pub const $double: &str = concat!("__lostbits_explain_reals_", $name, "_double");
        pub const $float: &str = concat!("__lostbits_explain_reals_", $name, "_float");
    )*};
}

explain_reals! {
    [EXPLAIN_REALS_ADD EXPLAIN_REALS_ADD_FLOAT] = "add"
    [EXPLAIN_REALS_SUB EXPLAIN_REALS_SUB_FLOAT] = "sub"
    [EXPLAIN_REALS_MUL EXPLAIN_REALS_MUL_FLOAT] = "mul"
    [EXPLAIN_REALS_DIV EXPLAIN_REALS_DIV_FLOAT] = "div"
    [EXPLAIN_REALS_FMA EXPLAIN_REALS_FMA_FLOAT] = "fma"
    [EXPLAIN_REALS_MULADD EXPLAIN_REALS_MULADD_FLOAT] = "muladd"
    [EXPLAIN_REALS_SQRT EXPLAIN_REALS_SQRT_FLOAT] = "sqrt"
}

/// `shadow(slot, uint64_t site, Thread *, uint32_t op, uint32_t count, Operand *)`: the result is behind the operands.
pub const EXPLAIN_REALS_OPERATE: &str = "__lostbits_explain_reals_operate";
/// `shadow(slot, shadow, uint64_t before, uint64_t after, uint32_t kind)`: of bits with another sign or exponent.
pub const EXPLAIN_REALS_RESCALE: &str = "__lostbits_explain_reals_rescale";
/// `double(shadow, double value)`: what a value is off.
pub const EXPLAIN_REALS_RESIDUE: &str = "__lostbits_explain_reals_residue";
/// `shadow(slot, uint64_t site, Thread *, uint32_t op, Operand *, double residue, double bound, double own)`: as
/// [`EXPLAIN_CALLED`]; the result is behind the operands.
pub const EXPLAIN_REALS_CALLED: &str = "__lostbits_explain_reals_called";
/// `void(uint64_t site, Thread *, uint32_t predicate, Operand *, uint32_t decided)`.
pub const EXPLAIN_REALS_COMPARE: &str = "__lostbits_explain_reals_compare";
/// `void(uint64_t site, Thread *, uint32_t op, Operand *, double result)`: a conversion to an integer.
pub const EXPLAIN_REALS_INTEGER: &str = "__lostbits_explain_reals_integer";
/// `void(uint64_t site, Thread *, Operand *)`: a value leaves the program.
pub const EXPLAIN_REALS_OUTPUT: &str = "__lostbits_explain_reals_output";
/// `void(const void *, uint64_t bytes, uint64_t site, Thread *)`: as [`EXPLAIN_OUTPUT_MEMORY`].
pub const EXPLAIN_REALS_OUTPUT_MEMORY: &str = "__lostbits_explain_reals_output_memory";
/// `void(const char *format, va_list, i64 site, ptr thread)`.
pub const EXPLAIN_REALS_OUTPUT_FORMATTED: &str = "__lostbits_explain_reals_output_formatted";

/// `Frames *`, in thread-local storage: see [`crate::numbers::Frames`].
pub const FRAMES: &str = "__lostbits_frames_";
/// `void(double)`: does nothing; programs call it through `include/lostbits.h` with results to be looked at.
pub const OUTPUT: &str = "__lostbits_output";

/// A function that is one operation has returned: (event).
pub const EXPLAIN_CALLED: &str = "__lostbits_explain_called";
/// `void(uint64_t)`: from now on what instrumented code tells counts (1), or not (0).
pub const EXPLAIN_LOOK: &str = "__lostbits_explain_look";

/// `int(int last, int test)`: a mark of `include/lostbits.h`, which the pass takes out. No function.
pub const CONVERGENCE: &str = "__lostbits_convergence";

/// [`crate::trace::Trace`]: what mode `search` saw since its length was last set to zero.
pub const SEARCH_TRACE: &str = "__lostbits_search_trace";
/// `const ModuleDescriptor *()`: the modules that are loaded, linked by `next`.
pub const SEARCH_MODULES: &str = "__lostbits_search_modules";

/// [`crate::symbolic::Graph`]: what mode `symbolic` recorded since it was last begun.
pub const SYMBOLIC_GRAPH: &str = "__lostbits_symbolic_graph";
/// `uint32_t(const void *row, uint32_t x, uint32_t y, uint32_t z, double x, double y, double z, double
/// result)`: an operation on nodes (0: none) with these values; gives the node of its result.
pub const SYMBOLIC_OPERATE: &str = "__lostbits_symbolic_operate";
/// `void(const void *row, uint32_t detail, uint32_t x, uint32_t y, double x, double y)`: a comparison; see
/// [`crate::symbolic::comparison_detail`].
pub const SYMBOLIC_COMPARE: &str = "__lostbits_symbolic_compare";
/// `void(const void *row, uint32_t x, double x, double result)`: a value goes where nodes do not: it
/// became an integer, or the operand of something that is not followed.
pub const SYMBOLIC_PIN: &str = "__lostbits_symbolic_pin";
/// `void(void *, uint64_t bytes, uint32_t index)`: the number at this address (of 4 or 8 bytes) is an input.
pub const SYMBOLIC_INPUT: &str = "__lostbits_symbolic_input";
/// `void(const void *, uint64_t bytes, uint32_t index)`: likewise, an output.
pub const SYMBOLIC_OUTPUT: &str = "__lostbits_symbolic_output";

/// Thread-local slots for shadows that cross calls; the mode's name is appended, so that modules of
/// different modes do not read each other's.
pub const ARGUMENTS: &str = "__lostbits_arguments_";
pub const RETURN: &str = "__lostbits_return_";
pub const VARIADIC: &str = "__lostbits_variadic_";

/// `const char[]` in the plugin and the runtime: the version, checked by the driver.
pub const VERSION: &str = "__lostbits_version";
