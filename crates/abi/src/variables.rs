//! The variables that instrumented code and the runtime share, in two tables.
//!
//! [`RuntimeVariable`]s are defined by the runtime, as `static NAME: layout::NAME` with the symbol from
//! [`variable_symbol!`](crate::variable_symbol). [`ThreadLocal`]s are defined by every instrumented module that needs them; the
//! linker keeps one.

use core::sync::atomic::{AtomicU32, AtomicU64};

use crate::{
    functions::Runtime,
    kind::FpKind,
    mode::Mode,
    shadow::{ARGUMENT_BYTES, RETURN_BYTES, VARIADIC_BYTES},
    symbolic::Graph,
    trace::Trace,
    watch::{STRETCH_ROWS, WatchLimits},
};

/// A row of the table of variables that the runtime defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuntimeVariable {
    pub symbol: &'static str,
    /// The smaller of the runtimes that have it.
    pub runtime: Runtime,
}

macro_rules! runtime_variables {
    ($(
        $runtime:ident {$(
            $(#[doc = $doc:literal])*
            $name:ident = $symbol:literal: $type:ty;
        )*}
    )*) => {
        $($(
            $(#[doc = $doc])*
            pub const $name: RuntimeVariable = RuntimeVariable {
                symbol: $symbol,
                runtime: Runtime::$runtime,
            };
        )*)*

        pub const ALL: &[RuntimeVariable] = &[$($($name),*),*];

        /// The types of the variables.
        #[allow(non_camel_case_types, reason = "each has the name of its variable's constant")]
        pub mod layout {
            use super::*;
            $($(pub type $name = $type;)*)*
        }

        /// The symbol of a variable as a literal, for attributes.
        #[macro_export]
        macro_rules! variable_symbol {
            $($(($name) => { $symbol };)*)*
        }
    };
}

runtime_variables! {
    Plain {
        /// The version as a C string, in the runtime and in the plugin; the tool compares it with its own.
        VERSION = "__lostbits_version": [u8; crate::VERSION.len() + 1];
        /// The thresholds of mode `watch` by format; the runtime reads them from
        /// [`WATCH_THRESHOLDS`](crate::environment::WATCH_THRESHOLDS).
        WATCH_LIMITS = "__lostbits_watch_limits": [WatchLimits; FpKind::TABLE_LENGTH];
        /// Whether memory or a slot may hold tags, and what follows: [`ALIVE`](crate::watch::ALIVE) and the bits beside it.
        WATCH_ALIVE = "__lostbits_watch_alive": AtomicU32;
        /// While [`COUNTS_DOWN`](crate::watch::COUNTS_DOWN) is set: how many regions without tags run until the runtime checks
        /// whether any memory still holds a tag.
        WATCH_COUNTDOWN = "__lostbits_watch_countdown": AtomicU32;
        /// The stretches of shadow memory that may hold tags, by [`stretch`](crate::watch::stretch) and in its row where
        /// that is free.
        WATCH_STRETCHES = "__lostbits_watch_stretches": [AtomicU64; STRETCH_ROWS];
        /// What mode `search` traced since the trace's length was last set to zero.
        SEARCH_TRACE = "__lostbits_search_trace": Trace;
        /// What mode `symbolic` recorded since the graph was last begun.
        SYMBOLIC_GRAPH = "__lostbits_symbolic_graph": Graph;
    }
    WithMpfr {
        /// By format: a residue times this above the value's magnitude is an error over the threshold of `explain`.
        EXPLAIN_LIMITS = "__lostbits_explain_limits": [f64; FpKind::TABLE_LENGTH];
        /// The lowest bits of residues that a run perturbs; see [`CONFIRM`](crate::environment::CONFIRM).
        EXPLAIN_PERTURBATION = "__lostbits_explain_perturbation": u64;
        /// How many threads have asked for their part of the trace.
        EXPLAIN_THREADS = "__lostbits_explain_threads": AtomicU64;
    }
}

/// A thread-local variable that instrumented modules define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadLocal {
    prefix: &'static str,
    /// Its size; of a slot for shadows that cross calls, the size in each plane.
    pub bytes: u64,
    /// Whether each mode has its own, so that modules of different modes do not read each other's.
    is_of_mode: bool,
}

impl ThreadLocal {
    pub fn symbol(self, mode: Mode) -> String {
        match self.is_of_mode {
            true => format!("{}{}", self.prefix, mode.name()),
            false => self.prefix.to_owned(),
        }
    }
}

/// Shadows of arguments.
pub const ARGUMENTS: ThreadLocal = of_mode("__lostbits_arguments_", ARGUMENT_BYTES);
/// Shadows of a result.
pub const RETURN: ThreadLocal = of_mode("__lostbits_return_", RETURN_BYTES);
/// Shadows of variadic arguments.
pub const VARIADIC: ThreadLocal = of_mode("__lostbits_variadic_", VARIADIC_BYTES);
/// The address of the thread's [`Frames`](crate::numbers::Frames).
pub const FRAMES: ThreadLocal = of_mode("__lostbits_frames_", 8);
/// The address of the thread's [`Thread`](crate::explain::Thread).
pub const EXPLAIN_SLOT: ThreadLocal = ThreadLocal {
    prefix: "__lostbits_explain_slot",
    bytes: 8,
    is_of_mode: false,
};

/// The innermost sort of the C library's that is under way in the thread.
pub const SORT: ThreadLocal = of_mode("__lostbits_sort_", 8);

const fn of_mode(prefix: &'static str, bytes: u64) -> ThreadLocal {
    ThreadLocal {
        prefix,
        bytes,
        is_of_mode: true,
    }
}
