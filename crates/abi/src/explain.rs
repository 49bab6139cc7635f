//! What instrumented code, runtime and tool share in mode `explain`: trace nodes, events, and the
//! analysis that a process leaves behind.
//!
//! The analysis lies in a file of its own beside the run record, mapped while the program runs: whatever
//! ends the process, what was found is there. The file is a [`Header`] and *entries*, each with an
//! [`EntryHeader`]; everything is plain old data without pointers.
//!
//! Sites are numbered through all modules in the order of the run record (*global* sites).

/// Where the runtime keeps the analysis: a path, `%p` in it is the process id.
pub const OUT_ENV: &str = "LOSTBITS_EXPLAIN";
/// Settings, as `name=number` separated by commas; see [`Settings`].
pub const SETTINGS_ENV: &str = "LOSTBITS_EXPLAIN_SETTINGS";

/// For the pass: nothing is looked at before this function is entered first …
pub const START_ENV: &str = "LOSTBITS_START_AT";
/// … or from where this one is entered.
pub const STOP_ENV: &str = "LOSTBITS_STOP_AT";

/// For the pass: functions that are one operation, as `name=reference` separated by commas; without a reference their own
/// results are exact.
pub const WRAP_ENV: &str = "LOSTBITS_WRAP";

/// For the pass: if set, the optimiser is not to know the program's floating-point constants, so that it computes nothing
/// with them.
pub const HIDE_ENV: &str = "LOSTBITS_HIDE_CONSTANTS";

pub const MAGIC: u64 = u64::from_le_bytes(*b"LBexpl01");

/// What the user may set.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Settings {
    /// Operations that lose more bits than this are candidates (`local`).
    pub min_local_bits: f64,
    /// Outputs that lost more bits than this are erroneous (`output`).
    pub min_output_bits: f64,
    /// Deepest level of an expression (`depth`).
    pub depth: u32,
    /// To which depth the equality of subexpressions is looked at (`equality`).
    pub equality_depth: u32,
    /// Bits of the shadow reals throughout; 0: adaptive (`precision`). A runtime that cannot do it leaves 0
    /// in the header, by which the tool knows.
    pub precision: u32,
    /// Whether a function is waited for before anything counts (`waiting`); 0 once it was entered.
    pub waiting: u32,
}

impl Settings {
    pub const DEFAULT: Settings = Settings {
        min_local_bits: 5.0,
        min_output_bits: 5.0,
        depth: 8,
        equality_depth: 5,
        precision: 0,
        waiting: 0,
    };
}

// ---- the trace ----

/// Nodes in a thread's ring; more lie behind its end, so that a block's nodes need not wrap.
pub const RING_NODES: usize = 1 << 16;
/// The most nodes that are written behind one look at the counter.
pub const MOST_BLOCK_NODES: usize = 1 << 10;

/// One operation as it was executed. Its own value is known to whoever refers to it.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct Node {
    pub operands: [f64; 2],
    /// See [`node_site`].
    pub site: u32,
    /// The lower half of the thread's counter; nodes are overwritten, this tells by what.
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
    /// Blocks whose `(counter + SAMPLE_SHIFT) & sample_mask` is below [`SAMPLED_NODES`] tell the runtime of
    /// every operation.
    pub sample_mask: u64,
    /// Blocks whose `counter & trace_mask` is below [`TRACED_NODES`] write their nodes.
    pub trace_mask: u64,
    pub ring: *mut Node,
    /// Not 0: within a function that is one operation; nothing there is looked at.
    pub blind: u64,
    pub event: Event,
    pub lanes: Lanes,
    /// Where the trace that was asked for besides began, and from where on another may be; the runtime's.
    pub asked_at: u64,
    pub ask_again_at: u64,
}

pub const SAMPLED_NODES: u64 = 1 << 11;
pub const TRACED_NODES: u64 = RING_NODES as u64;
/// The last of the nodes that are written are sampled: their history is there. Right for all masks.
pub const SAMPLE_SHIFT: u64 = 0u64.wrapping_sub(TRACED_NODES - SAMPLED_NODES);

/// An operation that is told to the runtime. Index 0 is the result, the operands follow.
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
    /// Whether there is anything to tell: lanes of a vector are told one by one, if any is.
    pub told: u32,
    /// Values as doubles …
    pub values: [f64; 4],
    /// … and what is left of wider ones; of a function's result that is one operation, what the function itself is off.
    pub tails: [f64; 4],
    /// Real minus program value.
    pub residues: [f64; 4],
    /// How far the residue may be off.
    pub bounds: [f64; 4],
    /// See [`meta`].
    pub metas: [u64; 4],
    /// Reals that value and residue do not tell, because they are no doubles; only numbers of many bits know them.
    pub exact: [Exact; 4],
}

/// Vectors with more lanes are told lane by lane.
pub const MOST_LANES: usize = 8;

/// An operation on vectors that is told to the runtime, all its lanes at once. What each field means stands at
/// [`Event`]; a lane's node is in its result's meta word.
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
    /// A bit for each lane of which there is something to tell.
    pub told: u32,
}

/// A real number, as near as a double comes, and beyond.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Exact {
    /// Zero or infinite where the number is too small or too large.
    pub nearest: f64,
    /// Where that does not tell it, it is `fraction`·2^`exponent`; 0 where it does.
    pub fraction: f64,
    pub exponent: i64,
}

impl Exact {
    pub const UNTOLD: Exact = Exact::of(0.0);

    pub const fn of(nearest: f64) -> Exact {
        Exact {
            nearest,
            fraction: 0.0,
            exponent: 0,
        }
    }
}

/// A value's meta word: its node in the lower half, its influences in the upper.
pub mod meta {
    pub const fn new(node: u32, influences: u32) -> u64 {
        node as u64 | (influences as u64) << 32
    }

    pub const fn node(meta: u64) -> u32 {
        meta as u32
    }

    pub const fn influences(meta: u64) -> u32 {
        (meta >> 32) as u32
    }
}

/// A set of candidates, as a word: bits of the first ones, which unite by `or`; or the number of a list, where later
/// ones are in it, or where the runtime wants to hear whom it meets.
pub mod set {
    pub const EMPTY: u32 = 0;
    /// How many candidates have bits.
    pub const BITS: usize = 31;
    const NUMBERED: u32 = 1 << BITS;

    pub const fn of_bit(bit: usize) -> u32 {
        1 << bit
    }

    pub const fn numbered(number: u32) -> u32 {
        number | NUMBERED
    }

    pub const fn is_number(set: u32) -> bool {
        set & NUMBERED != 0
    }

    pub const fn number(set: u32) -> usize {
        (set & !NUMBERED) as usize
    }

    pub fn bits(set: u32) -> impl Iterator<Item = usize> {
        (0..BITS).filter(move |bit| set & of_bit(*bit) != 0)
    }

    /// Whether `x | y` is the union.
    #[inline]
    pub const fn are_united_by_bits(x: u32, y: u32) -> bool {
        !is_number(x | y) || x == EMPTY || y == EMPTY || x == y
    }
}

/// Bounds of errors that met were not added but compared: verdicts allow for so many of them.
pub const ALLOWANCE: f64 = 16.0;

/// A result that is smaller may have lost what no double holds: its residue is not to be trusted to [`LEAST_STEP`].
pub const TINY: f64 = f64::MIN_POSITIVE * (1u64 << 55) as f64;

/// The distance of doubles near zero.
pub const LEAST_STEP: f64 = 5e-324;

/// A value whose real one is so much smaller is nothing in the reals.
pub const NOTHING: f64 = 1e-9;

/// How a double's shadow lies in the planes: its residue, its bound with a signature of the value, its meta
/// word. (A float's: residue as float, bound and signature in halves of a word, node, influences.)
pub mod cell {
    /// Set in a bound (which has no sign) where a `float` was made a double to be passed behind `…`.
    pub const WAS_FLOAT: u64 = 1 << 63;

    /// Set there beside a `long double`, whose significand looks like a double. Behind `…` the format tells which.
    pub const IS_X87: u64 = WAS_FLOAT;

    /// What tells whether a cell was stored with this value; 0 for zero.
    #[inline]
    pub const fn signature(bits: u64) -> u32 {
        (bits ^ (bits >> 32)) as u32
    }

    #[inline]
    pub const fn float_signature(bits: u32) -> u16 {
        (bits ^ (bits >> 16)) as u16
    }

    /// The bound and signature of a double's cell, if it was stored with the value of these bits.
    #[inline]
    pub fn bound(cell: u64, bits: u64) -> Option<f64> {
        (cell as u32 == signature(bits)).then(|| f64::from_bits(cell & !(0xffff_ffff | WAS_FLOAT)))
    }

    #[inline]
    pub fn float_bound(cell: u32, bits: u32) -> Option<f64> {
        (cell as u16 == float_signature(bits)).then(|| f64::from(f32::from_bits(cell & !0xffff)))
    }
}

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
    /// Sets of influences that could not be told apart any more.
    pub sets_lost: u64,
    /// Entries for which there was no space.
    pub entries_lost: u64,
    /// What was told while a signal handler or another thread was in the way.
    pub events_lost: u64,
    /// Outputs before which numbers too small for their format had appeared; the fast shadows do not see their errors.
    pub after_underflow: u64,
}

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
    /// It made a not-a-number of numbers.
    pub const NOT_A_NUMBER: u32 = 4;
    /// It made an infinity of finite numbers.
    pub const INFINITY: u32 = 8;
    /// Its result was too small for its format.
    pub const UNDERFLOW: u32 = 16;
}

/// An operation that was looked at.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Operation {
    pub header: EntryHeader,
    pub site: u32,
    /// Of [`cause`]; 0: no candidate so far.
    pub causes: u32,
    /// Executions that the expression and its ranges tell of.
    pub seen: u64,
    /// Executions that lost more than the threshold.
    pub erroneous: u64,
    /// Of these, those that `erroneous` ranges tell of.
    pub erroneous_seen: u64,
    /// Executions whose error could not be decided at this precision.
    pub undecided: u64,
    pub worst_bits: f64,
    pub sum_bits: f64,
    /// At the worst: result, operands, and the result with the operands' reals.
    pub worst_values: [f64; 4],
    pub worst_real: Exact,
    pub positions: u32,
    /// The most bits lost of the executions seen: their values are the expression's worst.
    pub worst_seen: f64,
    /// The symbolic expression; the first is its root.
    pub expression: [Position; MOST_POSITIONS],
}

pub const MOST_POSITIONS: usize = 48;

/// What stands at a position of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Stands {
    Nothing = 0,
    Operation = 1,
    /// The same value in all executions seen.
    Constant = 2,
    Variable = 3,
}

impl Stands {
    pub fn from_u8(raw: u8) -> Stands {
        match raw {
            1 => Stands::Operation,
            2 => Stands::Constant,
            3 => Stands::Variable,
            _ => Stands::Nothing,
        }
    }
}

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Position {
    /// A [`Stands`].
    pub stands: u8,
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
    /// How often it was looked at closely; outputs always are.
    pub seen: u64,
    pub erroneous: u64,
    pub undecided: u64,
    /// Outputs: bits lost. Decisions have none.
    pub worst_bits: f64,
    pub sum_bits: f64,
    /// At the worst (decisions: the first wrong one): the value or operands …
    pub worst_values: [f64; 2],
    /// … and their reals.
    pub worst_reals: [Exact; 2],
    pub influences: [Influence; MOST_INFLUENCES],
    /// Erroneous executions with influences that no longer fitted in.
    pub influences_lost: u64,
    /// Erroneous executions that nothing influenced.
    pub unexplained: u64,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_kept_by_sign() {
        let mut range = Range::EMPTY;
        assert_eq!(range.whole(), None);
        for value in [2.0, -3.0, 0.5, -1.0, f64::NAN] {
            range.add(value);
        }
        assert_eq!(range.negative, [-3.0, -1.0]);
        assert_eq!(range.positive, [0.5, 2.0]);
        assert_eq!(range.whole(), Some([-3.0, 2.0]));
        assert_eq!(range.not_numbers, 1);
        let mut zero = Range::EMPTY;
        zero.add(-0.0);
        assert_eq!(zero.whole(), Some([0.0, 0.0]));
    }
}
