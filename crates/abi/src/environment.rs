//! Every environment variable that lostbits reads or sets, in one table.
//!
//! The tool and the plugin use the constants, the runtime the C strings of the same names in [`c`]. The README lists those
//! that users set; the others are between the parts of lostbits.

macro_rules! environment_variables {
    ($($(#[doc = $doc:literal])* $name:ident = $variable:literal;)*) => {
        $(
            $(#[doc = $doc])*
            pub const $name: &str = $variable;
        )*

        /// The names as C strings.
        pub mod c {
            use core::ffi::CStr;

            $(pub const $name: &CStr = match CStr::from_bytes_with_nul(concat!($variable, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("the name contains NUL"),
            };)*
        }

        /// All names.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

environment_variables! {
    // ---- set by users, read by the tool ----

    /// The name of the mode to compile for, unless `--lostbits-mode` is given. Read by the compiler wrappers.
    MODE = "LOSTBITS_MODE";
    /// The folder with the plugin and the packed runtimes.
    HOME = "LOSTBITS_HOME";
    /// The C compiler to use instead of clang-22.
    CC = "LOSTBITS_CC";
    /// The C++ compiler to use instead of clang++-22.
    CXX = "LOSTBITS_CXX";
    /// The Fortran compiler to use instead of flang-22.
    FC = "LOSTBITS_FC";
    /// The Rust compiler to use instead of rustc.
    RUSTC = "LOSTBITS_RUSTC";

    // ---- set by the tool or by users, read by the plugin ----

    /// The name of the mode. The tool sets it for every compiler that it starts with the plugin.
    PASS_MODE = "LOSTBITS_PASS_MODE";
    /// Functions that mode `explain` treats as one operation, as `name=reference` separated by commas; the results of one without a
    /// reference count as exact. The tool sets it from `lostbits.toml` unless the user did.
    WRAP = "LOSTBITS_WRAP";
    /// A function of the program: mode `explain` counts events from its first call on.
    START_AT = "LOSTBITS_START_AT";
    /// A function of the program: mode `explain` counts no events after its first call.
    STOP_AT = "LOSTBITS_STOP_AT";
    /// If set, to anything: the optimiser does not see the program's floating-point constants and so folds nothing. The tool sets it
    /// to analyse results that the compiler computed.
    HIDE_CONSTANTS = "LOSTBITS_HIDE_CONSTANTS";
    /// If set, to anything: operations of mode `explain` can count as rounded to `float`. The tool sets it for `--what-if`.
    ROUND_TO_FLOAT = "LOSTBITS_ROUND_TO_FLOAT";
    /// If set, to anything: mode `explain` only detects whether an output or decision may be wrong, and explains nothing. The tool sets
    /// it for the build and the run of a first pass.
    DETECT = "LOSTBITS_DETECT";
    /// If set, to anything: mode `explain` only follows errors to outputs and decisions, and runs can intervene; it explains nothing.
    /// The tool sets it for the build and the runs of an error budget.
    MEASURE = "LOSTBITS_MEASURE";
    /// If set: residues of mode `explain` are confirmed by runs that perturb them, and bounds only say that a residue is unknown. For
    /// the run of a program that only detects, a decimal number: the lowest bits of residues that it perturbs. The tool sets it
    /// where bounds leave results undecided.
    CONFIRM = "LOSTBITS_CONFIRM";
    /// For a program of mode `explain`: the path of a file with one byte for each site, in the order of the record, which says
    /// how the run intervenes there ([`crate::explain::intervention`]). Set by the tool, read by the runtime.
    INTERVENTIONS_FILE = "LOSTBITS_INTERVENTIONS_FILE";
    /// What counts as an output besides what the program writes: names of [`Judged`](crate::judge::Judged), separated by
    /// commas. The tool sets it for `--judge`.
    JUDGE = "LOSTBITS_JUDGE";
    /// If set, to anything: code expects floating-point data below 1 TiB of the address space. Otherwise only code for shared libraries
    /// and code that calls `mmap` does.
    LOW_ADDRESSES = "LOSTBITS_LOW_ADDRESSES";
    /// `off`: programs are linked without the layer that sends shadows along with MPI's messages, and programs that have it do not
    /// use it. For jobs of which some processes are not built by lostbits.
    MPI = "LOSTBITS_MPI";
    /// If set, to anything: programs of mode `watch` record error paths.
    WATCH_PATHS = "LOSTBITS_WATCH_PATHS";
    /// If set, to anything: mode `watch` propagates errors to first order instead. Only the benchmarks set it.
    WATCH_APPROXIMATE = "LOSTBITS_WATCH_APPROXIMATE";
    /// If set, to anything: mode `watch` detects cancellation without propagating it. Only the benchmarks set it.
    WATCH_CANCELLATION_ONLY = "LOSTBITS_WATCH_CANCELLATION_ONLY";

    /// The name of a function: the plugin panics when it instruments it. Only tests set it.
    PASS_PANIC_IN = "LOSTBITS_TEST_PANIC_IN";
    /// The name of a mutant of the plugin, in builds with the feature `mutants`. Only tests set it.
    PASS_MUTANT = "LOSTBITS_TEST_MUTANT";

    // ---- set by the tool or by users, read by the runtime ----

    /// The path of the run record; `%p` in it is the process id. Unset: no record. Programs of mode `explain` write their analysis
    /// beside it ([`ANALYSIS_SUFFIX`](crate::explain::ANALYSIS_SUFFIX)).
    RECORD = "LOSTBITS_OUT";
    /// The settings of mode `explain`, as [`Settings::encode`](crate::explain::Settings::encode) writes them.
    EXPLAIN_SETTINGS = "LOSTBITS_EXPLAIN_SETTINGS";
    /// A decimal number: from this node on, a thread of mode `explain` writes all its nodes. The tool sets it for the second run of a
    /// program, so that the end of a long run can be looked into as its beginning can.
    TRACE_FROM = "LOSTBITS_TRACE_FROM";
    /// The thresholds of mode `watch`, as [`Thresholds::encode`](crate::watch::Thresholds::encode) writes them.
    WATCH_THRESHOLDS = "LOSTBITS_TAU";
    /// Bits of the numbers of mode `reals`, a decimal number from 53 to 4096.
    PRECISION = "LOSTBITS_PRECISION";
    /// If set and not `0`: decisions and outputs of mode `reals` follow the high-precision numbers; only outputs do if it is
    /// [`STEER_OUTPUTS`].
    STEER = "LOSTBITS_STEER";

    // ---- set by the tool for compilers that a build calls ----

    /// The path of a file to which the compiler wrappers append what they compile and link. Set by `lostbits build`.
    BUILD_LOG = "LOSTBITS_BUILD_LOG";

    // ---- set by the tool for programs that users wrote ----

    /// The call whose result an external oracle of `lostbits search` is to compute.
    CALL = "LOSTBITS_CALL";
}

/// A decimal number that the tool wrote.
pub fn number(text: &[u8]) -> u64 {
    let digits = text.iter().map(|digit| u64::from(digit.wrapping_sub(b'0')));
    digits.fold(0, |all: u64, digit| {
        all.wrapping_mul(10).wrapping_add(digit)
    })
}

/// The value of [`STEER`] by which outputs follow the high-precision numbers, and decisions are the program's.
pub const STEER_OUTPUTS: &str = "outputs";

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_distinct_and_ours() {
        let distinct: HashSet<&str> = ALL.iter().copied().collect();
        assert_eq!(distinct.len(), ALL.len());
        assert!(ALL.iter().all(|name| name.starts_with("LOSTBITS_")));
        assert_eq!(c::RECORD.to_str(), Ok(RECORD));
    }
}
