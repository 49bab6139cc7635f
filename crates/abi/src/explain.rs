//! Mode `explain`: trace nodes, events, and the analysis that a process leaves. Instrumented code, runtime and tool
//! share them.
//!
//! The analysis is in its own file beside the run record ([`ANALYSIS_SUFFIX`]), mapped while the program runs, so that it
//! survives however the process ends. The file is a [`Header`] and *entries*, each with an [`EntryHeader`]; everything is plain old data without
//! pointers.
//!
//! Sites are numbered through all modules in the order of the run record (*global* sites).

pub mod intervention;
pub mod python;
mod recorded;
mod settings;

use crate::{conversion::Conversion, ops::Op};

pub use crate::environment::{
    CONFIRM as CONFIRM_ENV, DETECT as DETECT_ENV, EXPLAIN_SETTINGS as SETTINGS_ENV,
    HIDE_CONSTANTS as HIDE_ENV, INTERVENTIONS_FILE as INTERVENTIONS_FILE_ENV,
    MEASURE as MEASURE_ENV, ROUND_TO_FLOAT as ROUND_TO_FLOAT_ENV, START_AT as START_ENV,
    STOP_AT as STOP_ENV, TRACE_FROM as TRACE_FROM_ENV, WRAP as WRAP_ENV,
};
pub use recorded::RecordedExecution;
pub use settings::Settings;

pub const MAGIC: u64 = u64::from_le_bytes(*b"LBexpl01");

/// The analysis of a process is in the file of its record with this behind the name.
pub const ANALYSIS_SUFFIX: &str = ".analysis";

// ---- the trace ----

/// Nodes in a thread's ring; there is room for more after its end, so that a block's nodes need not wrap.
pub const RING_NODES: usize = 1 << 16;
/// The most nodes that are written after one check of the counter.
pub const MOST_BLOCK_NODES: usize = 1 << 10;

/// One operation as it was executed. Its own value is known to whoever refers to it.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct Node {
    pub operands: [f64; 2],
    /// See [`node_site`].
    pub site: u32,
    /// The lower half of the thread's counter. It says whether the node was overwritten.
    pub number: u32,
    /// The operands' nodes; 0 for what was not computed.
    pub from: [u32; 2],
}

/// A node's site and operation in one word.
pub mod node_site {
    const SITE_BITS: u32 = 24;

    pub const fn join(site: u32, op: u16) -> u32 {
        site | (op as u32) << SITE_BITS
    }

    /// The global site and the operation.
    #[inline]
    pub const fn split(word: u32) -> (u32, u16) {
        (word & ((1 << SITE_BITS) - 1), (word >> SITE_BITS) as u16)
    }
}

/// The site of the second node of an operation with three operands.
pub const CONTINUED: u32 = u32::MAX;

/// A thread's part of the trace; instrumented code reads and writes it.
#[repr(C)]
pub struct Thread {
    /// Nodes written so far.
    pub counter: u64,
    /// Blocks whose `(counter + SAMPLE_SHIFT) & sample_mask` is below [`SAMPLED_NODES`] report every
    /// operation to the runtime.
    pub sample_mask: u64,
    /// Blocks whose `counter & trace_mask` is below [`TRACED_NODES`] write their nodes.
    pub trace_mask: u64,
    pub ring: *mut Node,
    /// Not 0: within a function that counts as one operation; nothing is checked there.
    pub blind: u64,
    pub event: Event,
    pub lanes: Lanes,
    /// Where the trace that was asked for besides began, and from where on another may be; the runtime's.
    pub asked_at: u64,
    pub ask_again_at: u64,
    /// A byte for each site, by its number in the record, for the first [`INTERVENTION_SITES`]; see [`intervention`].
    pub interventions: *const u8,
    /// How the next output is printed; instrumented code writes it before it reports one.
    pub conversion: Conversion,
    /// Fortran's formats of the output statements that were begun last, the runtime's.
    pub formats: [StatementFormat; MOST_FORMATS],
    /// The format that is replaced next.
    pub oldest_format: u32,
    /// What the function was called with that returns; instrumented code writes it before it reports a result.
    pub call: Call,
}

/// The most arguments of a call that are recorded.
pub const MOST_ARGUMENTS: usize = 4;

/// The numbers that a function was called with, where its results are judged ([`crate::judge::RESULT`]).
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Call {
    pub values: [f64; MOST_ARGUMENTS],
    /// As [`Event`] has them.
    pub residues: [f64; MOST_ARGUMENTS],
    pub bounds: [f64; MOST_ARGUMENTS],
    pub count: u32,
    /// Not 0: the function can see more than these: pointers, structures, further arguments.
    pub has_others: u32,
}

impl Call {
    pub const NONE: Call = Call {
        values: [0.0; MOST_ARGUMENTS],
        residues: [0.0; MOST_ARGUMENTS],
        bounds: [0.0; MOST_ARGUMENTS],
        count: 0,
        has_others: 1,
    };

    /// Whether everything that the function was given has no error, so that it made all of its result's error itself.
    pub fn is_exact(&self) -> bool {
        let mut errors = self.residues.iter().chain(&self.bounds);
        self.has_others == 0 && errors.all(|error| *error == 0.0)
    }
}

/// The results of calls with exact arguments.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct OwnError {
    /// How many were decided.
    pub calls: u64,
    /// Of the worst: bits lost, the result, its exact value, and the call.
    pub worst_bits: f64,
    pub value: f64,
    pub exact: Exact,
    pub call: Call,
}

impl OwnError {
    pub const NONE: OwnError = OwnError {
        calls: 0,
        worst_bits: 0.0,
        value: 0.0,
        exact: Exact::NONE,
        call: Call::NONE,
    };
}

/// Output statements of Fortran that a thread can be within at once: a function that prints may be called by another's list.
pub const MOST_FORMATS: usize = 4;

/// The format of an output statement of Fortran.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct StatementFormat {
    /// What the runtime library calls the statement by; 0: none.
    pub cookie: usize,
    pub text: *const u8,
    pub length: usize,
    /// Items printed so far.
    pub items: u64,
}

pub const INTERVENTION_SITES: usize = 1 << 24;

pub const SAMPLED_NODES: u64 = 1 << 11;
pub const TRACED_NODES: u64 = RING_NODES as u64;
/// The last of the nodes that are written are sampled: their history is there. Right for all masks.
pub const SAMPLE_SHIFT: u64 = 0u64.wrapping_sub(TRACED_NODES - SAMPLED_NODES);

/// An operation that is reported to the runtime. Index 0 is the result, the operands follow.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Event {
    /// Global.
    pub site: u32,
    pub op: u16,
    /// [`crate::kind::FpKind`] of the result.
    pub kind: u8,
    /// How many operands there are.
    pub operands: u8,
    /// The node of the result.
    pub node: u32,
    /// Whether there is anything to report: lanes of a vector are reported one by one, if any is.
    pub reported: u32,
    /// Values as doubles …
    pub values: [f64; 4],
    /// … and the rest of wider ones; of the result of a function that counts as one operation, the error of the function itself.
    pub tails: [f64; 4],
    /// The exact value minus the program's.
    pub residues: [f64; 4],
    /// A bound on the error of the residue.
    pub bounds: [f64; 4],
    /// See [`meta`].
    pub metas: [u64; 4],
    /// Exact values that value and residue cannot express, because they are no doubles. Only high precision knows them.
    pub exact: [Exact; 4],
}

/// Vectors with more lanes are reported lane by lane.
pub const MOST_LANES: usize = 8;

/// An operation on vectors that is reported to the runtime, all its lanes at once. The fields are those of [`Event`]; a
/// lane's node is in its result's meta word.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Lanes {
    pub values: [[f64; MOST_LANES]; 4],
    pub residues: [[f64; MOST_LANES]; 4],
    pub bounds: [[f64; MOST_LANES]; 4],
    pub metas: [[u64; MOST_LANES]; 4],
    pub site: u32,
    pub op: u16,
    pub kind: u8,
    pub operands: u8,
    /// A bit for each lane that is to be reported.
    pub reported: u32,
}

/// An exact value: the nearest double, and more where that is not enough.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Exact {
    /// Zero or infinite where the number is too small or too large.
    pub nearest: f64,
    /// Where that cannot express it, it is `fraction`·2^`exponent`; 0 where it does.
    pub fraction: f64,
    pub exponent: i64,
}

impl Exact {
    pub const NONE: Exact = Exact::of(0.0);

    pub const fn of(nearest: f64) -> Exact {
        Exact {
            nearest,
            fraction: 0.0,
            exponent: 0,
        }
    }

    pub fn negated(self) -> Exact {
        Exact {
            nearest: -self.nearest,
            fraction: -self.fraction,
            ..self
        }
    }
}

/// A value's meta word: its node in the lower half, its influences in the upper.
pub mod meta {
    #[inline]
    pub const fn new(node: u32, influences: u32) -> u64 {
        node as u64 | (influences as u64) << 32
    }

    #[inline]
    pub const fn node(meta: u64) -> u32 {
        meta as u32
    }

    #[inline]
    pub const fn influences(meta: u64) -> u32 {
        (meta >> 32) as u32
    }
}

/// A set of candidates, as a word: bits of the first ones, which unite by `or`; or the number of a list, where it
/// contains later ones, or where the runtime must see every set it is united with.
pub mod set;

/// A sum cancels if this times its magnitude is less than that of a term.
pub const CANCELLATION_FACTOR: f64 = (1 << CANCELLATION_BITS) as f64;
/// The binary logarithm of [`CANCELLATION_FACTOR`]: the leading bits that are lost.
pub const CANCELLATION_BITS: u32 = 3;

/// Whether instrumented code of mode `explain` computes the operation's shadow itself, in line. The runtime evaluates all others.
#[inline(always)]
pub const fn is_inline(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Sub
            | Mul
            | Div
            | Neg
            | Fma
            | MulAdd
            | Sqrt
            | Abs
            | CopySign
            | Fmin
            | Fmax
            | Minimum
            | Maximum
            | MinimumNum
            | MaximumNum
    )
}

/// Where errors meet, the larger bound counts, not the sum. Verdicts allow for this factor.
pub const ALLOWANCE: f64 = 16.0;

/// A result that is smaller may have lost what no double holds: its residue is not to be trusted to [`LEAST_STEP`].
pub const TINY: f64 = f64::MIN_POSITIVE * (1u64 << 55) as f64;

/// The distance of doubles near zero.
pub const LEAST_STEP: f64 = 5e-324;

/// A value whose exact one is smaller by this factor is zero in exact arithmetic.
pub const NOTHING: f64 = 1e-9;

/// How a double's shadow is kept in the planes: its residue, its bound with a signature of the value, its meta
/// word. (A float's: residue as float, bound and signature in halves of a word, node, influences.)
pub mod cell;

// ---- the analysis ----

/// The header and the first entry begin at multiples of this.
pub const ENTRY_ALIGNMENT: usize = 64;

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Header {
    pub magic: u64,
    pub abi_version: u32,
    pub process: u32,
    /// Bytes used, header included.
    pub length: u64,
    pub settings: Settings,
    /// Sets of influences that were merged for lack of space.
    pub sets_lost: u64,
    /// Entries for which there was no space.
    pub entries_lost: u64,
    /// Events that could not be recorded because a signal handler interrupted the runtime, or another thread held its state.
    pub events_lost: u64,
    /// Outputs before which numbers too small for their format had appeared; the fast shadows do not see their errors.
    pub after_underflow: u64,
    /// Results that exact arithmetic gives another meaning: precision-specific roundings. Only events know them, so a program that
    /// reports no operations follows other errors than one that does.
    pub reinterpreted: u64,
    /// Outputs that a run which only detects could not judge because of the bounds of residues.
    pub in_doubt_by_bounds: u64,
}

/// How far the bits of a residue are shifted by which a run perturbs its lowest bits: these are as good as random wherever residues are
/// not short. An infinite residue has none there, and keeps its value.
pub const PERTURBING_SHIFT: u32 = 20;

/// What an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum EntryKind {
    Operation = 1,
    Spot = 2,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EntryHeader {
    /// An [`EntryKind`].
    pub kind: u32,
    /// Bytes of the entry, this header included.
    pub length: u32,
}

/// Why an operation is a candidate; a set of bits.
pub mod cause {
    /// It lost bits itself: its error, were its operands exact and then rounded.
    pub const LOCAL: u32 = 1;
    /// Rounding errors added up here until they showed.
    pub const ACCUMULATED: u32 = 2;
    /// It made a NaN from numbers.
    pub const NOT_A_NUMBER: u32 = 4;
    /// It made an infinity from finite numbers.
    pub const INFINITY: u32 = 8;
    /// Its result was too small for its format.
    pub const UNDERFLOW: u32 = 16;
    /// Its divisor is zero in exact arithmetic, and a number in the program: rounding noise. Only high precision knows.
    pub const DIVISION_BY_ZERO: u32 = 32;
}

/// An operation that was checked.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Operation {
    pub header: EntryHeader,
    pub site: u32,
    /// Of [`cause`]; 0: not a candidate so far.
    pub causes: u32,
    /// Executions that the expression and its ranges cover.
    pub seen: u64,
    /// Executions that lost more than the threshold.
    pub erroneous: u64,
    /// Of these, those that the `erroneous` ranges cover.
    pub erroneous_seen: u64,
    /// Executions whose error could not be decided at this precision.
    pub undecided: u64,
    pub worst_bits: f64,
    pub sum_bits: f64,
    /// At the worst: result, operands, and the result of the exact operands.
    pub worst_values: [f64; 4],
    pub worst_real: Exact,
    pub positions: u32,
    /// The most bits lost of the executions seen: their values are the expression's worst.
    pub worst_seen: f64,
    /// The symbolic expression; the first is its root.
    pub expression: [Position; MOST_POSITIONS],
}

pub const MOST_POSITIONS: usize = 48;

/// What a position of an expression is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PositionKind {
    Nothing = 0,
    Operation = 1,
    /// The same value in all executions seen.
    Constant = 2,
    Variable = 3,
}

impl PositionKind {
    pub fn from_u8(raw: u8) -> PositionKind {
        match raw {
            1 => PositionKind::Operation,
            2 => PositionKind::Constant,
            3 => PositionKind::Variable,
            _ => PositionKind::Nothing,
        }
    }
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Position {
    /// A [`PositionKind`].
    pub kind: u8,
    /// Positions of one class have always had equal values.
    pub class: u8,
    pub depth: u8,
    pub operands: u8,
    /// Positions of the operands.
    pub from: [u8; 3],
    pub reserved: u8,
    /// An [`crate::ops::Op`].
    pub op: u32,
    /// Global; 0xffff_ffff if the operation was met at several.
    pub site: u32,
    pub all: Range,
    pub erroneous: Range,
    /// The value when the expression was seen first, and when its root was at its worst.
    pub first: f64,
    pub worst: f64,
}

/// The values seen, by sign.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Range {
    /// Smallest and largest below zero; if there is none, the first is above the second.
    pub negative: [f64; 2],
    /// Smallest and largest above zero; likewise.
    pub positive: [f64; 2],
    pub zeros: u32,
    pub not_numbers: u32,
}

impl Range {
    pub const EMPTY: Range = Range {
        negative: [f64::INFINITY, f64::NEG_INFINITY],
        positive: [f64::INFINITY, f64::NEG_INFINITY],
        zeros: 0,
        not_numbers: 0,
    };

    #[inline]
    pub fn add(&mut self, value: f64) {
        let side = if value > 0.0 {
            &mut self.positive
        } else if value < 0.0 {
            &mut self.negative
        } else if value == 0.0 {
            self.zeros = self.zeros.saturating_add(1);
            return;
        } else {
            self.not_numbers = self.not_numbers.saturating_add(1);
            return;
        };
        if value < side[0] {
            side[0] = value;
        }
        if value > side[1] {
            side[1] = value;
        }
    }

    /// Smallest and largest of all, if there was any number.
    pub fn whole(&self) -> Option<[f64; 2]> {
        let zero = if self.zeros > 0 { 0.0 } else { f64::NAN };
        let smallest = self.negative[0].min(self.positive[0]).min(zero);
        let largest = self.negative[1].max(self.positive[1]).max(zero);
        (smallest <= largest).then_some([smallest, largest])
    }
}

/// Where an error shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum SpotKind {
    Output = 1,
    Comparison = 2,
    Conversion = 3,
}

impl SpotKind {
    pub fn from_u32(raw: u32) -> Option<SpotKind> {
        [SpotKind::Output, SpotKind::Comparison, SpotKind::Conversion]
            .into_iter()
            .find(|kind| *kind as u32 == raw)
    }
}

pub const MOST_INFLUENCES: usize = 24;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Spot {
    pub header: EntryHeader,
    pub site: u32,
    /// A [`SpotKind`].
    pub kind: u32,
    /// How often it was checked; outputs always are.
    pub seen: u64,
    pub erroneous: u64,
    pub undecided: u64,
    /// Outputs that lost more bits than the threshold in digits that are not printed.
    pub hidden: u64,
    /// Outputs: bits lost. Decisions have none.
    pub worst_bits: f64,
    pub sum_bits: f64,
    /// Which execution was the worst (decisions: the first wrong one), from 1 on.
    pub worst_execution: u64,
    /// The value or operands then; of a decision that is recorded by [`RecordedExecution`] the difference of the operands, or
    /// how much the operand is above the integer …
    pub worst_values: [f64; 2],
    /// … and their exact values.
    pub worst_reals: [Exact; 2],
    /// Outputs: what the value has beyond its double, the exact value minus `worst_reals`, and the conversion.
    pub worst_tails: [f64; 2],
    pub worst_conversion: Conversion,
    pub influences: [Influence; MOST_INFLUENCES],
    /// Erroneous executions with influences that no longer fitted in.
    pub influences_lost: u64,
    /// Erroneous executions that nothing influenced.
    pub unexplained: u64,
    /// Outputs that are consistent with 0: the rounding noise of operands that cancel in exact arithmetic.
    pub zeros: u64,
    /// Of these, the largest value, and the size of the operands that it is noise of.
    pub largest_zero: [f64; 2],
    /// Decisions that mean something else in exact arithmetic, so that either outcome is right.
    pub excused: u64,
    /// Erroneous outputs that are infinite or NaN, whose exact value this precision does not know.
    pub unknown_exact: u64,
    /// Where Python called, of wrong executions.
    pub python: [python::Call; python::CALLS],
    /// Results of functions: the call that returned the worst, and the error that the function makes itself.
    pub worst_call: Call,
    pub own: OwnError,
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Influence {
    /// The candidate's global site.
    pub site: u32,
    pub used: u32,
    /// In how many erroneous executions.
    pub times: u64,
    pub worst_bits: f64,
}
