//! Every function that the runtime exports, in one table.
//!
//! A row states the function's constant, its symbol, its signature, the runtime that has it, the modes whose code calls
//! it, and what it does. Everything else derives from the row:
//!
//! - **The pass** declares and calls it from the descriptor, without types at the call site:
//!   `builder.call_runtime(functions::SHADOW_COPY, &[to, from, bytes])`. The descriptor of a function that exists for
//!   `double` and `float` comes from [`FormatFunctions::of`].
//! - **The runtimes** define it through `lostbits_runtime::export!`, which takes the symbol from [`runtime_symbol!`] and
//!   does not compile if the Rust signature differs from the one in [`signature`].
//! - **The tests** compare the symbols of the packed objects with [`exported_symbols`].
//!
//! To change a function, change its row; the compiler then names the definition that no longer fits.
//!
//! Parameter types are Rust's. [`AbiValue`] says how each is passed; types that only one runtime knows (Fortran's
//! descriptors, `va_list`) are `c_void` here. A *shadow* of mode `reals` is the address of a slot, or 0 if the exact value is
//! the program's; a function that makes one gets the slot to use and returns its address, or 0. Instrumented code
//! computes with both as integers, so both are `u64`.

use core::ffi::{c_char, c_int, c_void};

use crate::{
    descriptor::ModuleDescriptor,
    explain::{Event, Lanes, Thread},
    kind::FpKind,
    lending::Lent,
    mode::Mode,
    numbers::{Frames, Operand},
    site::SiteTotals,
    variables,
};

/// How LLVM passes a parameter or a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AbiType {
    Void,
    I32,
    I64,
    F32,
    F64,
    Pointer,
}

/// A Rust type that crosses the boundary between instrumented code and the runtime.
pub trait AbiValue {
    const TYPE: AbiType;
}

macro_rules! abi_values {
    ($($rust:ty => $abi:ident),*) => {
        $(impl AbiValue for $rust {
            const TYPE: AbiType = AbiType::$abi;
        })*
    };
}

abi_values!(() => Void, u32 => I32, c_int => I32, u64 => I64, usize => I64, f32 => F32, f64 => F64, ReportMemory => Pointer);

impl<T> AbiValue for *const T {
    const TYPE: AbiType = AbiType::Pointer;
}

impl<T> AbiValue for *mut T {
    const TYPE: AbiType = AbiType::Pointer;
}

/// What Fortran's output functions call for each contiguous part of an array: the signature of
/// [`EXPLAIN_OUTPUT_MEMORY`] and [`EXPLAIN_REALS_OUTPUT_MEMORY`].
pub type ReportMemory = signature::EXPLAIN_OUTPUT_MEMORY;

/// A packed runtime. [`Runtime::WithMpfr`] has everything that [`Runtime::Plain`] has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Runtime {
    Plain,
    WithMpfr,
}

impl Runtime {
    /// The runtime that programs of a mode are linked with.
    pub fn of_mode(mode: Mode) -> Runtime {
        match mode.needs_reals() {
            true => Runtime::WithMpfr,
            false => Runtime::Plain,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuntimeFunction {
    pub symbol: &'static str,
    pub parameters: &'static [AbiType],
    pub result: AbiType,
    /// The smaller of the runtimes that have it.
    pub runtime: Runtime,
    /// The modes whose programs may call it.
    pub modes: &'static [Mode],
}

/// A function that exists once for each of the two frequent formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatFunctions {
    pub double: RuntimeFunction,
    pub float: RuntimeFunction,
}

impl FormatFunctions {
    /// None for formats that use the function for operands of any format.
    pub const fn of(self, kind: FpKind) -> Option<RuntimeFunction> {
        match kind {
            FpKind::Double => Some(self.double),
            FpKind::Float => Some(self.float),
            _ => None,
        }
    }
}

/// The sorted symbols of all functions and variables that a packed runtime exports.
pub fn exported_symbols(runtime: Runtime) -> Vec<&'static str> {
    let functions = ALL
        .iter()
        .map(|function| (function.symbol, function.runtime));
    let variables = variables::ALL
        .iter()
        .map(|variable| (variable.symbol, variable.runtime));
    let mut symbols: Vec<&str> = functions
        .chain(variables)
        .filter(|(_, smallest)| *smallest <= runtime)
        .map(|(symbol, _)| symbol)
        .collect();
    symbols.sort();
    symbols
}

/// Functions of the C library that packed runtimes replace, weakly, so that the program's own definitions are used instead.
pub const REPLACED: [&str; 2] = ["sigaction", "signal"];

const ANY_MODE: &[Mode] = &[
    Mode::Same,
    Mode::Carry,
    Mode::Watch,
    Mode::Explain,
    Mode::Search,
    Mode::Reals,
    Mode::ExplainReals,
    Mode::Symbolic,
];
const SAME: &[Mode] = &[Mode::Same];
const WATCH: &[Mode] = &[Mode::Watch];
const SEARCH: &[Mode] = &[Mode::Search, Mode::Symbolic];
const SYMBOLIC: &[Mode] = &[Mode::Symbolic];
const EXPLAIN: &[Mode] = &[Mode::Explain];
const EXPLAIN_ANY: &[Mode] = &[Mode::Explain, Mode::ExplainReals];
const REALS: &[Mode] = &[Mode::Reals];
const REALS_ANY: &[Mode] = &[Mode::Reals, Mode::ExplainReals];
const EXPLAIN_REALS: &[Mode] = &[Mode::ExplainReals];
const WITH_MPFR: &[Mode] = &[Mode::Explain, Mode::Reals, Mode::ExplainReals];

macro_rules! runtime_functions {
    (
        functions {$(
            $runtime:ident for $modes:ident {$(
                $(#[doc = $doc:literal])*
                $name:ident = $symbol:literal $(+ $suffix:ident)? ($($parameter:ident: $type:ty),* $(,)?)
                    $(-> $result:ty)?;
            )*}
        )*}
        functions of $format:ident {$(
            $format_runtime:ident for $format_modes:ident {$(
                $(#[doc = $format_doc:literal])*
                $format_name:ident = $format_symbol:literal ($($format_parameter:ident: $format_type:ty),* $(,)?)
                    $(-> $format_result:ty)?;
            )*}
        )*}
    ) => {
        $($(
            $(#[doc = $doc])*
            pub const $name: RuntimeFunction = RuntimeFunction {
                symbol: concat!($symbol $(, $crate::$suffix!())?),
                parameters: &[$(<$type as AbiValue>::TYPE),*],
                result: <result!($($result)?) as AbiValue>::TYPE,
                runtime: Runtime::$runtime,
                modes: $modes,
            };
        )*)*

        $($(
            $(#[doc = $format_doc])*
            pub const $format_name: FormatFunctions = FormatFunctions {
                double: {
                    #[allow(dead_code, reason = "the result may be of another type")]
                    type $format = f64;
                    RuntimeFunction {
                        symbol: concat!($format_symbol, "_double"),
                        parameters: &[$(<$format_type as AbiValue>::TYPE),*],
                        result: <result!($($format_result)?) as AbiValue>::TYPE,
                        runtime: Runtime::$format_runtime,
                        modes: $format_modes,
                    }
                },
                float: {
                    #[allow(dead_code, reason = "the result may be of another type")]
                    type $format = f32;
                    RuntimeFunction {
                        symbol: concat!($format_symbol, "_float"),
                        parameters: &[$(<$format_type as AbiValue>::TYPE),*],
                        result: <result!($($format_result)?) as AbiValue>::TYPE,
                        runtime: Runtime::$format_runtime,
                        modes: $format_modes,
                    }
                },
            };
        )*)*

        /// All functions; those of two formats count twice.
        pub const ALL: &[RuntimeFunction] = &[
            $($($name,)*)*
            $($($format_name.double, $format_name.float,)*)*
        ];

        /// The signatures that the runtimes' definitions must have.
        #[allow(non_camel_case_types, reason = "each has the name of its function's constant")]
        pub mod signature {
            use super::*;
            $($(
                pub type $name = unsafe extern "C" fn($($parameter: $type),*) $(-> $result)?;
            )*)*
            $($(
                pub type $format_name<$format> =
                    unsafe extern "C" fn($($format_parameter: $format_type),*) $(-> $format_result)?;
            )*)*
        }

        /// The symbol of a function as a literal, for attributes: `runtime_symbol!(SHADOW_COPY)`,
        /// `runtime_symbol!(REALS_ADD[f64])`.
        #[macro_export]
        macro_rules! runtime_symbol {
            $($(($name) => { concat!($symbol $(, $crate::$suffix!())?) };)*)*
            $($(
                ($format_name[f64]) => { concat!($format_symbol, "_double") };
                ($format_name[f32]) => { concat!($format_symbol, "_float") };
            )*)*
        }
    };
}

/// What a function without a result returns.
macro_rules! result {
    () => {
        ()
    };
    ($result:ty) => {
        $result
    };
}

runtime_functions! {
    functions {
        Plain for ANY_MODE {
            /// A module was loaded. Called before all other constructors of the module. The symbol carries the ABI version, so
            /// that an object of another version does not link with this runtime.
            REGISTER = "__lostbits_register_abi" + abi_version (descriptor: *mut ModuleDescriptor);
            /// A module is about to be unloaded, or the process is about to end.
            UNREGISTER = "__lostbits_unregister" (descriptor: *mut ModuleDescriptor);
            /// The planes that modules of this process use, as bits: what the layer for MPI sends along with messages.
            PLANES_IN_USE = "__lostbits_planes_in_use" () -> u32;
            /// Shadows follow a copy of memory.
            SHADOW_COPY = "__lostbits_shadow_copy" (destination: *mut c_void, source: *const c_void, bytes: usize);
            /// Shadows that have owners follow a byte or two of a number that is copied piece by piece.
            SHADOW_COPY_PIECE = "__lostbits_shadow_copy_piece"
                (destination: *mut c_void, source: *const c_void, bytes: usize);
            /// Memory was filled, or allocated with zeros: its old shadows are invalid.
            SHADOW_CLEAR = "__lostbits_shadow_clear" (destination: *mut c_void, bytes: usize);
            /// The size of a heap block that is about to be reallocated.
            HEAP_SIZE = "__lostbits_heap_size" (block: *mut c_void) -> usize;
            /// `realloc` returned: shadows follow the block.
            SHADOW_MOVED = "__lostbits_shadow_moved"
                (new: *mut c_void, old: *const c_void, old_bytes: usize, new_bytes: usize);
            /// The C library is about to sort `count` elements of `size` bytes. `current` is the thread's [`SORT`](variables::SORT).
            SORT_BEGIN = "__lostbits_sort_begin"
                (current: *mut c_void, base: *mut c_void, count: usize, size: usize, comparison: *const c_void);
            /// Two elements are about to be compared: gives them their shadows, and returns the program's comparison.
            SORT_COMPARED = "__lostbits_sort_compared"
                (current: *mut c_void, a: *const c_void, b: *const c_void) -> *const c_void;
            /// The C library has sorted: shadows follow the elements.
            SORT_END = "__lostbits_sort_end" (current: *mut c_void, base: *mut c_void);
            /// Instrumented code allocated a heap block, whose extent is known from then on.
            ALLOCATED = "__lostbits_allocated" (block: *mut c_void, bytes: usize);
            /// Instrumented code is about to free a heap block.
            FREED = "__lostbits_freed" (block: *mut c_void);
            /// Code that is not instrumented is about to get these blocks of memory. The result is for [`RETURNED`].
            LENT = "__lostbits_lent" (blocks: *const Lent, count: usize) -> *mut c_void;
            /// It returned: shadows follow what it moved. What else it wrote is counted in the totals of the call's site.
            RETURNED = "__lostbits_returned" (lent: *mut c_void, totals: *mut SiteTotals);
            /// Fortran's runtime library assigned the array `from` (a `Descriptor`) to the array `to`.
            FORTRAN_ASSIGNED = "__lostbits_fortran_assigned" (to: *const c_void, from: *const c_void);
            /// Fortran's runtime library appended an array (a `Descriptor`) to an array constructor
            /// (an `ArrayConstructorVector`).
            FORTRAN_APPENDED = "__lostbits_fortran_appended" (to: *const c_void, from: *const c_void);
            /// Fortran's runtime library appended one element to an array constructor.
            FORTRAN_APPENDED_ONE = "__lostbits_fortran_appended_one" (to: *const c_void, from: *const c_void);
            /// Fortran's runtime library made the array `to` of elements of the arrays `from` and `other` (which may be null).
            FORTRAN_REARRANGED = "__lostbits_fortran_rearranged"
                (to: *const c_void, from: *const c_void, other: *const c_void);
            /// Fortran's runtime library chose an element of the array `from`; a copy of it is at `to`.
            FORTRAN_CHOSEN = "__lostbits_fortran_chosen" (to: *const c_void, from: *const c_void);
            /// Does nothing. Programs call it through `include/lostbits.h` with a result; the pass treats the call as an output.
            OUTPUT = "__lostbits_output" (value: f64);
        }
        Plain for SAME {
            /// Mode `same` compared a shadow with the program's value; they differ unless `differs` is 0.
            SAME_REPORT = "__lostbits_same_report"
                (totals: *mut SiteTotals, differs: c_int, program_bits: u64, shadow_bits: u64);
        }
        Plain for WATCH {
            /// Mode `watch` checked a result or a decision; its error is amplified unless `found` is 0. `x` and `y` are the bits of the
            /// operands, `tag` is the tag word that was found.
            WATCH_REPORT = "__lostbits_watch_report" (totals: *mut SiteTotals, found: c_int, x: u64, y: u64, tag: u64);
            /// Mode `watch` computed with a tagged value, unless `found` is 0: bits and tags of the result and of up to
            /// [`PATH_OPERANDS`](crate::watch::PATH_OPERANDS) operands. Only in programs compiled with
            /// [`WATCH_PATHS`](crate::environment::WATCH_PATHS) set.
            WATCH_PATH = "__lostbits_watch_path" (
                totals: *mut SiteTotals, found: c_int, result: u64, result_tag: u64,
                x: u64, x_tag: u64, y: u64, y_tag: u64, z: u64, z_tag: u64,
            );
            /// The tag of a library function's result. `op` has the operation in its lower half and the format in its upper half;
            /// `own_tag` is the tag that the result gets if the function itself amplifies an error.
            WATCH_LIBRARY = "__lostbits_watch_library"
                (op: u32, x: f64, y: f64, result: f64, x_tag: u64, y_tag: u64, own_tag: u64) -> u64;
            /// Tags may have been written to these cells of shadow memory, or to a slot; `cells` is 0 where it is not known which.
            WATCH_STORED = "__lostbits_watch_stored" (cells: usize, bytes: usize);
            /// The countdown has ended: the runtime checks whether tags are left.
            WATCH_SCAN = "__lostbits_watch_scan" ();
        }
        Plain for SEARCH {
            /// The loaded modules, linked by `next`. `lostbits search` finds it by `dlsym`.
            SEARCH_MODULES = "__lostbits_search_modules" () -> *const ModuleDescriptor;
        }
        Plain for SYMBOLIC {
            /// An operation on nodes (0: a constant) with these values; returns the node of its result.
            SYMBOLIC_OPERATE = "__lostbits_symbolic_operate" (
                row: *const c_void, x: u32, y: u32, z: u32, x_value: f64, y_value: f64, z_value: f64, result: f64,
            ) -> u32;
            /// A comparison; `detail` is a [`comparison_detail`](crate::symbolic::comparison_detail).
            SYMBOLIC_COMPARE = "__lostbits_symbolic_compare"
                (row: *const c_void, detail: u32, x: u32, y: u32, x_value: f64, y_value: f64);
            /// A value goes where nodes do not follow it: it became an integer, or the operand of an untracked operation.
            SYMBOLIC_PIN = "__lostbits_symbolic_pin" (row: *const c_void, x: u32, x_value: f64, result: f64);
            /// The number at this address (of 4 or 8 bytes) is an input. Called by the code that calls the target.
            SYMBOLIC_INPUT = "__lostbits_symbolic_input" (address: *mut c_void, bytes: usize, index: u32);
            /// The number at this address (of 4 or 8 bytes) is an output. Called by the code that calls the target.
            SYMBOLIC_OUTPUT = "__lostbits_symbolic_output" (address: *const c_void, bytes: usize, index: u32);
        }
        Plain for EXPLAIN_ANY {
            /// Fortran's runtime library prints an array (a `Descriptor`).
            FORTRAN_OUTPUT = "__lostbits_fortran_output"
                (array: *const c_void, report: ReportMemory, site: u64, thread: *mut Thread);
            /// Fortran's runtime library prints a namelist (a `NamelistGroup`).
            FORTRAN_OUTPUT_NAMELIST = "__lostbits_fortran_output_namelist"
                (group: *const c_void, report: ReportMemory, site: u64, thread: *mut Thread);
        }
        WithMpfr for EXPLAIN_ANY {
            /// This thread's part of the trace, kept in the thread-local
            /// [`EXPLAIN_SLOT`](crate::variables::EXPLAIN_SLOT).
            EXPLAIN_THREAD = "__lostbits_explain_thread" (slot: *mut *mut Thread) -> *mut Thread;
            /// Events count from now on (1) or no longer (0).
            EXPLAIN_SWITCH = "__lostbits_explain_switch" (counts: u64);
            /// The program is about to read its floating-point flags: those that only shadow code raised are cleared.
            EXPLAIN_CLEAR_FLAGS = "__lostbits_explain_clear_flags" ();
            /// The next output is the variadic argument at `index` of a format of C.
            CONVERSION_OF_FORMAT = "__lostbits_conversion_of_format"
                (format: *const c_char, index: u64, thread: *mut Thread);
            /// The next output goes to a C++ stream, at the distance `precision` of whose `ios_base` the precision is, and the
            /// flags at `flags`.
            CONVERSION_OF_STREAM = "__lostbits_conversion_of_stream"
                (stream: *const c_void, precision: u64, flags: u64, thread: *mut Thread);
            /// The next output goes to a Rust `Formatter`; `notation` is the [`Notation`](crate::conversion::Notation) for numbers
            /// with a precision.
            CONVERSION_OF_FORMATTER = "__lostbits_conversion_of_formatter"
                (formatter: *const c_void, notation: u32, thread: *mut Thread);
            /// An output statement of Fortran with a format begins, or is no longer known if the text is null.
            FORTRAN_FORMAT = "__lostbits_fortran_format"
                (cookie: *const c_void, text: *const c_void, length: u64, thread: *mut Thread);
            /// The next output is the next item of such a statement.
            FORTRAN_ITEM = "__lostbits_fortran_item" (cookie: *const c_void, thread: *mut Thread);
            /// The next outputs are those of an array (a `Descriptor`).
            FORTRAN_ITEMS = "__lostbits_fortran_items"
                (cookie: *const c_void, array: *const c_void, thread: *mut Thread);
        }
        WithMpfr for EXPLAIN {
            /// An operation that may be a candidate, or is sampled. The runtime may change the result's residue, bound and
            /// meta word.
            EXPLAIN_REPORT = "__lostbits_explain_report" (event: *mut Event);
            /// The sites of a set of influences, for a message to another process of the same program. Writes at most 64 and returns
            /// their number.
            EXPLAIN_SENT_SET = "__lostbits_explain_sent_set" (set: u32, sites: *mut u32) -> u32;
            /// The set of influences that consists of these sites.
            EXPLAIN_RECEIVED_SET = "__lostbits_explain_received_set" (sites: *const u32, count: u32) -> u32;
            /// Where the runtime's sets of influences are, for one-sided communication: the sites of bits, the places of lists (start
            /// and length, in words), and the lists.
            EXPLAIN_TABLES = "__lostbits_explain_tables" (at: *mut *const c_void, bytes: *mut u64);
            /// A reduction of MPI is about to be called at this site, plus one. Returns what was said before; the layer for MPI
            /// says 0.
            EXPLAIN_REDUCTION = "__lostbits_explain_reduction" (site: u64) -> u64;
            /// A number of such a reduction's result: the value, the error that the reduction made, the whole residue (which the
            /// runtime may change), and its influences. Returns the result's influences.
            EXPLAIN_REDUCED = "__lostbits_explain_reduced"
                (site: u64, value: *const f64, own: *const f64, residue: *mut f64, set: u32, is_float: u32) -> u32;
            /// As [`EXPLAIN_REPORT`], for the lanes of a vector.
            EXPLAIN_REPORT_LANES = "__lostbits_explain_report_lanes" (lanes: *mut Lanes);
            /// An operation whose exact result the runtime is to compute.
            EXPLAIN_EVALUATE = "__lostbits_explain_evaluate" (event: *mut Event);
            /// A function that is one operation returned; its residue is known.
            EXPLAIN_CALLED = "__lostbits_explain_called" (event: *mut Event);
            /// A comparison (`values[0]` is its outcome, 0 or 1; `op` an LLVM predicate) or a conversion to an integer
            /// (`values[0]`) that may have a different outcome in exact arithmetic.
            EXPLAIN_DECISION = "__lostbits_explain_decision" (event: *mut Event);
            /// A result underflowed in a module that only detects errors, so no residue holds what it lost.
            EXPLAIN_UNDERFLOW = "__lostbits_explain_underflow" ();
            /// `values[1]` leaves the program.
            EXPLAIN_OUTPUT = "__lostbits_explain_output" (event: *mut Event);
            /// `values[1]` is returned to a caller; the thread has the call.
            EXPLAIN_RESULT = "__lostbits_explain_result" (event: *mut Event);
            /// Memory leaves the program, in unknown formats.
            EXPLAIN_OUTPUT_MEMORY = "__lostbits_explain_output_memory"
                (start: *const c_void, bytes: u64, site: u64, thread: *mut Thread);
            /// The arguments of a format string (a `va_list`) leave the program.
            EXPLAIN_OUTPUT_FORMATTED = "__lostbits_explain_output_formatted"
                (format: *const c_char, arguments: *const c_void, site: u64, thread: *mut Thread);
        }
        WithMpfr for REALS_ANY {
            /// A function with this many slots is entered; returns its frame.
            REALS_ENTER = "__lostbits_reals_enter" (frames: *mut *mut Frames, slots: u64) -> u64;
            /// Copies a number to another slot.
            REALS_COPY = "__lostbits_reals_copy" (slot: u64, shadow: u64) -> u64;
            /// A value of any format was loaded.
            REALS_LOAD_ANY = "__lostbits_reals_load_any"
                (slot: u64, address: *const c_void, value: *const Operand) -> u64;
            /// A value of any format is being stored.
            REALS_STORE_ANY = "__lostbits_reals_store_any" (address: *mut c_void, value: *const Operand);
            /// Variadic arguments arrived: their numbers go from the cells of a call to memory.
            REALS_SPREAD = "__lostbits_reals_spread"
                (address: *mut c_void, cells: *const c_void, stride: u64, bytes: u64);
        }
        WithMpfr for REALS {
            /// Any operation with a floating-point result, which comes after the operands.
            REALS_OPERATE = "__lostbits_reals_operate"
                (slot: u64, totals: *mut SiteTotals, op: u32, count: u32, operands: *const Operand) -> u64;
            /// A comparison of two operands of any format; returns the outcome to continue with.
            REALS_COMPARE_ANY = "__lostbits_reals_compare_any"
                (totals: *mut SiteTotals, predicate: u32, operands: *const [Operand; 2], decided: u32) -> u32;
            /// A conversion to an integer of `width` bits; returns the integer to continue with.
            REALS_INTEGER = "__lostbits_reals_integer"
                (totals: *mut SiteTotals, op: u32, width: u32, operand: *const Operand, result: u64) -> u64;
            /// The number of a value in memory as decimal text; other tools find it by `dlsym`. Returns 1, or 0 where the text is
            /// the value itself because it has no number of its own.
            REALS_OF = "__lostbits_reals_of"
                (value: *const c_void, kind: c_int, buffer: *mut c_char, bytes: usize) -> c_int;
            /// The number of a double in memory, and `computed` minus that number, both rounded to doubles;
            /// `lostbits search` finds it by `dlsym`.
            REALS_DEVIATION = "__lostbits_reals_deviation" (value: *const f64, computed: f64, result: *mut [f64; 2]);
        }
        WithMpfr for WITH_MPFR {
            /// An operation of the table by MPFR, with numbers given as unevaluated sums of two doubles; returns 0 where
            /// exact arithmetic gives it no meaning. Only tests call it.
            REALS_LIBRARY = "__lostbits_reals_library" (
                op: u32, precision: u32, count: u32, operands: *const [f64; 2], result: *mut [f64; 2],
            ) -> c_int;
        }
        WithMpfr for EXPLAIN_REALS {
            /// As [`REALS_OPERATE`], with the global site and the thread in place of the totals.
            EXPLAIN_REALS_OPERATE = "__lostbits_explain_reals_operate" (
                slot: u64, site: u64, thread: *mut Thread, op: u32, count: u32, operands: *const Operand,
            ) -> u64;
            /// The number of a value whose sign or exponent was changed as an integer.
            EXPLAIN_REALS_RESCALE = "__lostbits_explain_reals_rescale"
                (slot: u64, shadow: u64, before: u64, after: u64, kind: u32) -> u64;
            /// A number minus the program's value.
            EXPLAIN_REALS_RESIDUE = "__lostbits_explain_reals_residue" (shadow: u64, value: f64) -> f64;
            /// As [`EXPLAIN_CALLED`]; the result comes after the operands.
            EXPLAIN_REALS_CALLED = "__lostbits_explain_reals_called" (
                slot: u64, site: u64, thread: *mut Thread, op: u32, operands: *const Operand,
                residue: f64, bound: f64, own: f64,
            ) -> u64;
            /// A comparison of two operands.
            EXPLAIN_REALS_COMPARE = "__lostbits_explain_reals_compare"
                (site: u64, thread: *mut Thread, predicate: u32, operands: *const [Operand; 2], decided: u32);
            /// A conversion to an integer.
            EXPLAIN_REALS_INTEGER = "__lostbits_explain_reals_integer"
                (site: u64, thread: *mut Thread, op: u32, operand: *const Operand, result: f64);
            /// A value leaves the program.
            EXPLAIN_REALS_OUTPUT = "__lostbits_explain_reals_output"
                (site: u64, thread: *mut Thread, operand: *const Operand);
            /// As [`EXPLAIN_OUTPUT_MEMORY`].
            EXPLAIN_REALS_OUTPUT_MEMORY = "__lostbits_explain_reals_output_memory"
                (start: *const c_void, bytes: u64, site: u64, thread: *mut Thread);
            /// As [`EXPLAIN_OUTPUT_FORMATTED`].
            EXPLAIN_REALS_OUTPUT_FORMATTED = "__lostbits_explain_reals_output_formatted"
                (format: *const c_char, arguments: *const c_void, site: u64, thread: *mut Thread);
        }
    }
    functions of T {
        WithMpfr for REALS_ANY {
            /// A value was loaded.
            REALS_LOAD = "__lostbits_reals_load" (slot: u64, address: *const c_void, value: T) -> u64;
            /// A value is being stored.
            REALS_STORE = "__lostbits_reals_store" (address: *mut c_void, shadow: u64, value: T);
        }
        WithMpfr for REALS {
            /// `x + y`.
            REALS_ADD = "__lostbits_reals_add"
                (slot: u64, totals: *mut SiteTotals, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T) -> u64;
            /// `x - y`.
            REALS_SUB = "__lostbits_reals_sub"
                (slot: u64, totals: *mut SiteTotals, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T) -> u64;
            /// `x * y`.
            REALS_MUL = "__lostbits_reals_mul"
                (slot: u64, totals: *mut SiteTotals, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T) -> u64;
            /// `x / y`.
            REALS_DIV = "__lostbits_reals_div"
                (slot: u64, totals: *mut SiteTotals, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T) -> u64;
            /// `x * y + z`, rounded once.
            REALS_FMA = "__lostbits_reals_fma" (
                slot: u64, totals: *mut SiteTotals, x_shadow: u64, y_shadow: u64, z_shadow: u64,
                x: T, y: T, z: T, result: T,
            ) -> u64;
            /// `x * y + z`, where the program may have rounded the product.
            REALS_MULADD = "__lostbits_reals_muladd" (
                slot: u64, totals: *mut SiteTotals, x_shadow: u64, y_shadow: u64, z_shadow: u64,
                x: T, y: T, z: T, result: T,
            ) -> u64;
            /// The square root of `x`.
            REALS_SQRT = "__lostbits_reals_sqrt"
                (slot: u64, totals: *mut SiteTotals, x_shadow: u64, x: T, result: T) -> u64;
            /// A comparison; returns the outcome to continue with.
            REALS_COMPARE = "__lostbits_reals_compare" (
                totals: *mut SiteTotals, predicate: u32, x_shadow: u64, y_shadow: u64, x: T, y: T, decided: u32,
            ) -> u32;
            /// The value that a function which may not be instrumented is called with.
            REALS_STEER = "__lostbits_reals_steer" (shadow: u64, value: T) -> T;
        }
        WithMpfr for EXPLAIN_REALS {
            /// `x + y`.
            EXPLAIN_REALS_ADD = "__lostbits_explain_reals_add" (
                slot: u64, site: u64, thread: *mut Thread, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T,
            ) -> u64;
            /// `x - y`.
            EXPLAIN_REALS_SUB = "__lostbits_explain_reals_sub" (
                slot: u64, site: u64, thread: *mut Thread, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T,
            ) -> u64;
            /// `x * y`.
            EXPLAIN_REALS_MUL = "__lostbits_explain_reals_mul" (
                slot: u64, site: u64, thread: *mut Thread, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T,
            ) -> u64;
            /// `x / y`.
            EXPLAIN_REALS_DIV = "__lostbits_explain_reals_div" (
                slot: u64, site: u64, thread: *mut Thread, x_shadow: u64, y_shadow: u64, x: T, y: T, result: T,
            ) -> u64;
            /// `x * y + z`, rounded once.
            EXPLAIN_REALS_FMA = "__lostbits_explain_reals_fma" (
                slot: u64, site: u64, thread: *mut Thread, x_shadow: u64, y_shadow: u64, z_shadow: u64,
                x: T, y: T, z: T, result: T,
            ) -> u64;
            /// `x * y + z`, where the program may have rounded the product.
            EXPLAIN_REALS_MULADD = "__lostbits_explain_reals_muladd" (
                slot: u64, site: u64, thread: *mut Thread, x_shadow: u64, y_shadow: u64, z_shadow: u64,
                x: T, y: T, z: T, result: T,
            ) -> u64;
            /// The square root of `x`.
            EXPLAIN_REALS_SQRT = "__lostbits_explain_reals_sqrt"
                (slot: u64, site: u64, thread: *mut Thread, x_shadow: u64, x: T, result: T) -> u64;
        }
    }
}
