//! The contract between the LLVM pass, the runtime and the tool.
//!
//! Everything that two of the three must agree on is here, once:
//!
//! - the functions and variables of the runtime ([`functions`], [`variables`]), and what a module hands to it
//!   ([`descriptor`]);
//! - environment variables ([`environment`]) and the settings in them ([`explain::Settings`], [`watch::Thresholds`]);
//! - operations ([`ops`]), formats ([`kind`]) and modes ([`mode`]);
//! - sites and how a module describes them ([`site`]), and what is counted for a site ([`totals`]);
//! - the run record ([`record`]) and the analysis of mode `explain` ([`explain`]);
//! - where shadows are ([`shadow`], [`numbers`]), and what they are: tags ([`tag`]), traces ([`trace`]), graphs ([`symbolic`]).
//!
//! The crate is plain data without dependencies, because it is linked into a compiler, into analysed programs and into the
//! tool.

pub mod conversion;
pub mod descriptor;
pub mod environment;
pub mod explain;
pub mod functions;
pub mod judge;
pub mod kind;
pub mod lending;
pub mod mode;
pub mod numbers;
pub mod ops;
pub mod record;
pub mod shadow;
pub mod site;
pub mod symbolic;
pub mod symbols;
pub mod tag;
pub mod totals;
pub mod trace;
pub mod variables;
pub mod watch;

/// [`ABI_VERSION`] as a literal, so that a symbol can carry it.
#[doc(hidden)]
#[macro_export]
macro_rules! abi_version {
    () => {
        9
    };
}

/// Changes whenever instrumented code and the runtime, or a record and the tool, would
/// misunderstand each other. Objects and records of another number are refused with a sentence.
pub const ABI_VERSION: u32 = abi_version!();

/// The version users see: `lostbits --version`, site tables and records carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
