//! Expressions: what led to a value. A concrete expression comes from the trace; a symbolic one generalises over all
//! executions of a site.
//!
//! Generalisation is anti-unification (Plotkin), done incrementally: an operation that another execution does not have in the
//! same position becomes a variable, and so does a constant that changes. Positions that have always had equal values form a
//! class, and variables of one class are one variable.
//!
//! Where it deviates: an execution without error does not remove the last operation below the root (except the root's own, of
//! a loop's previous iteration). The report should show the cause, not what it has in common with a harmless special case,
//! such as a first iteration that the compiler peeled off.
//!
//! What it can miss: traces are bounded in depth and by the ring. Older operations become leaves.

use lostbits_abi::{
    explain::{MOST_POSITIONS, Operation, Position, PositionKind, Range, Settings},
    ops::Op,
};

use super::{
    classes::{ANY_CLASS, refine},
    measure::Bits,
    trace::ThreadTrace,
};

/// A node of a concrete expression.
#[derive(Clone, Copy)]
pub struct Term {
    pub value: f64,
    /// None for a leaf.
    pub op: Option<Op>,
    pub site: u32,
    pub depth: u8,
    pub operands: u8,
    pub from: [u8; 3],
}

/// A concrete expression; the root comes first.
pub(super) struct Concrete {
    pub(super) terms: [Term; MOST_POSITIONS],
    count: usize,
}

const LEAF: Term = Term {
    value: 0.0,
    op: None,
    site: u32::MAX,
    depth: 0,
    operands: 0,
    from: [0; 3],
};

impl Concrete {
    /// The expression of the value that `node` computed, breadth first.
    pub(super) fn of(trace: ThreadTrace, node: u32, value: f64, depth: u32) -> Concrete {
        let mut whole = Concrete {
            terms: [LEAF; MOST_POSITIONS],
            count: 1,
        };
        let mut nodes = [0u32; MOST_POSITIONS];
        whole.terms[0].value = value;
        nodes[0] = node;
        let mut at = 0;
        while at < whole.count {
            if u32::from(whole.terms[at].depth) < depth {
                whole.expand(trace, at, &mut nodes);
            }
            at += 1;
        }
        whole
    }

    fn expand(&mut self, trace: ThreadTrace, at: usize, nodes: &mut [u32; MOST_POSITIONS]) {
        let Some(executed) = trace.find(nodes[at]) else {
            return;
        };
        let Some(op) = Op::from_u16(executed.op) else {
            return;
        };
        let operands = op.info().arity().min(3);
        if self.count + operands > MOST_POSITIONS {
            return;
        }
        self.terms[at].op = Some(op);
        self.terms[at].site = executed.site;
        self.terms[at].operands = operands as u8;
        for index in 0..operands {
            self.terms[at].from[index] = self.count as u8;
            self.terms[self.count] = Term {
                value: executed.values[index],
                depth: self.terms[at].depth + 1,
                ..LEAF
            };
            nodes[self.count] = executed.from[index];
            self.count += 1;
        }
    }

    /// Whether the root's operands are all leaves or results of the root's own site.
    fn is_leaf_only(&self) -> bool {
        let root = &self.terms[0];
        root.from[..usize::from(root.operands)]
            .iter()
            .map(|from| &self.terms[usize::from(*from)])
            .all(|term| term.op.is_none() || term.site == root.site)
    }

    #[cfg(test)]
    fn from_terms(terms: &[Term]) -> Concrete {
        let mut whole = Concrete {
            terms: [LEAF; MOST_POSITIONS],
            count: terms.len(),
        };
        whole.terms[..terms.len()].copy_from_slice(terms);
        whole
    }
}

const EMPTY_POSITION: Position = Position {
    kind: PositionKind::Nothing as u8,
    class: 0,
    depth: 0,
    operands: 0,
    from: [0; 3],
    reserved: 0,
    op: 0,
    site: u32::MAX,
    all: Range::EMPTY,
    erroneous: Range::EMPTY,
    first: 0.0,
    worst: 0.0,
};

pub const NO_EXPRESSION: [Position; MOST_POSITIONS] = [EMPTY_POSITION; MOST_POSITIONS];

/// What an execution contributes.
#[derive(Clone, Copy)]
struct Execution {
    erroneous: bool,
    worst: bool,
    /// The least of the threads' first values counts as the first.
    is_first_of_thread: bool,
    equality_depth: u32,
}

/// Executions of an operation for which a missing trace is requested.
const REQUESTED_TRACES: u64 = 64;

/// Adds an execution that computed `value` to its operation's expression, if it was traced; `lost` is the number of bits it
/// lost, if it had an error.
pub fn record_execution(
    operation: &mut Operation,
    trace: ThreadTrace,
    node: u32,
    value: f64,
    lost: Option<Bits>,
    settings: &Settings,
) {
    if !trace.is_warm() {
        if lost.is_some() && operation.erroneous_seen < REQUESTED_TRACES {
            trace.request();
        }
        return;
    }
    let is_first = operation.erroneous_seen == 0;
    // Of two threads' that are equally bad, the order of their values decides.
    let is_before = || value.total_cmp(&operation.expression[0].worst).is_lt();
    let errors = trace.errors(operation.site);
    let is_of_another_thread = errors.count == 1;
    errors.seen += 1;
    let worst = lost.is_some_and(|Bits(bits)| {
        let is_as_bad = bits == operation.worst_seen && is_of_another_thread && is_before();
        is_first || bits > operation.worst_seen || is_as_bad
    });
    if let Some(bits) = lost.filter(|_| worst) {
        operation.worst_seen = bits.0;
    }
    operation.seen += 1;
    operation.erroneous_seen += u64::from(lost.is_some());
    let concrete = Concrete::of(trace, node, value, settings.depth);
    let execution = Execution {
        erroneous: lost.is_some(),
        worst,
        is_first_of_thread: errors.seen == 1,
        equality_depth: settings.equality_depth,
    };
    generalise(operation, &concrete, execution);
}

/// Adds one more execution to an operation's expression.
fn generalise(operation: &mut Operation, concrete: &Concrete, execution: Execution) {
    if operation.positions == 0 {
        operation.positions = restart(&mut operation.expression, concrete);
    } else if may_grow(&operation.expression) && !concrete.is_leaf_only() {
        let before = operation.expression;
        operation.positions = restart(&mut operation.expression, concrete);
        inherit_ranges(&mut operation.expression, &before);
    }
    let positions = &mut operation.expression;
    let mut values = [None; MOST_POSITIONS];
    walk(positions, concrete, &mut values, execution.erroneous);
    refine(positions, &values, execution.equality_depth);
    if execution.erroneous && concrete.is_leaf_only() {
        positions[0].reserved = STAYS_LEAF_ONLY;
    }
    for (position, value) in positions.iter_mut().zip(values) {
        let Some(value) = value else { continue };
        position.all.add(value);
        if execution.erroneous {
            position.erroneous.add(value);
        }
        if execution.worst {
            position.worst = value;
        }
        if execution.is_first_of_thread && value.total_cmp(&position.first).is_lt() {
            position.first = value;
        }
    }
}

/// Starts with the expression of one execution; returns how many positions it has.
fn restart(positions: &mut [Position; MOST_POSITIONS], concrete: &Concrete) -> u32 {
    *positions = NO_EXPRESSION;
    for (position, term) in positions.iter_mut().zip(&concrete.terms[..concrete.count]) {
        *position = begin(term);
    }
    concrete.count as u32
}

/// Set at the root if an execution without any operation below it had an error.
const STAYS_LEAF_ONLY: u8 = 1;

/// Whether the root's operands are all leaves, and no execution with an error was like that.
fn may_grow(positions: &[Position; MOST_POSITIONS]) -> bool {
    positions[0].reserved != STAYS_LEAF_ONLY && operations_below(positions) == 0
}

/// How many of the root's operands are operations of other sites.
fn operations_below(positions: &[Position; MOST_POSITIONS]) -> usize {
    let root = &positions[0];
    root.from[..usize::from(root.operands)]
        .iter()
        .filter(|from| is_another_operation(&positions[usize::from(**from)], root.site))
        .count()
}

fn is_another_operation(position: &Position, site: u32) -> bool {
    position.kind == PositionKind::Operation as u8 && position.site != site
}

/// Copies what is known about values, as far as both have the same positions: ranges, what varies, and which differ.
fn inherit_ranges(positions: &mut [Position; MOST_POSITIONS], known: &[Position; MOST_POSITIONS]) {
    positions.iter_mut().for_each(|one| one.class = ANY_CLASS);
    let mut pairs = [(0u8, 0u8); MOST_POSITIONS];
    let mut count = 1;
    let mut at = 0;
    while at < count {
        let (to, from) = pairs[at];
        at += 1;
        let known = &known[from as usize];
        let position = &mut positions[to as usize];
        position.all = known.all;
        position.first = known.first;
        position.class = known.class;
        match (
            PositionKind::from_u8(position.kind),
            PositionKind::from_u8(known.kind),
        ) {
            (PositionKind::Operation, PositionKind::Operation) if is_same(position, known) => {
                for index in 0..usize::from(position.operands) {
                    pairs[count] = (position.from[index], known.from[index]);
                    count += 1;
                }
            }
            // It varies; `walk` adds the value.
            (PositionKind::Constant, PositionKind::Variable | PositionKind::Operation) => {
                position.kind = PositionKind::Variable as u8;
            }
            _ => {}
        }
    }
}

fn is_same(one: &Position, other: &Position) -> bool {
    let is_call = Op::from_u16(one.op as u16).is_some_and(Op::is_call);
    one.op == other.op && one.operands == other.operands && (!is_call || one.site == other.site)
}

fn begin(term: &Term) -> Position {
    Position {
        kind: match term.op {
            Some(_) => PositionKind::Operation,
            None => PositionKind::Constant,
        } as u8,
        depth: term.depth,
        operands: term.operands,
        from: term.from,
        op: term.op.map_or(0, |op| op as u32),
        site: term.site,
        first: term.value,
        worst: term.value,
        ..EMPTY_POSITION
    }
}

/// Walks both from the root, collects the values, and makes variables where they differ.
fn walk(
    positions: &mut [Position; MOST_POSITIONS],
    concrete: &Concrete,
    values: &mut [Option<f64>; MOST_POSITIONS],
    erroneous: bool,
) {
    // Pairs of position and term, breadth first; a position has one parent.
    let mut pairs = [(0u8, 0u8); MOST_POSITIONS];
    let mut count = 1;
    let mut at = 0;
    let mut below = operations_below(positions);
    let root_site = positions[0].site;
    while at < count {
        let (position_at, term_at) = pairs[at];
        at += 1;
        let term = &concrete.terms[term_at as usize];
        values[position_at as usize] = Some(term.value);
        let position = &mut positions[position_at as usize];
        match PositionKind::from_u8(position.kind) {
            PositionKind::Operation => {
                // Only the site says which function is called.
                let is_same_function =
                    !term.op.is_some_and(Op::is_call) || term.site == position.site;
                let same = term.op.is_some_and(|op| op as u32 == position.op)
                    && term.operands == position.operands
                    && is_same_function;
                let is_other = position.depth == 1 && is_another_operation(position, root_site);
                if term.op.is_none() && !erroneous && is_other && below == 1 {
                    continue;
                }
                if !same {
                    below -= usize::from(is_other);
                    position.kind = PositionKind::Variable as u8;
                    let from = position.from;
                    let operands = position.operands;
                    drop_below(positions, from, operands);
                    continue;
                }
                if position.site != term.site {
                    position.site = u32::MAX;
                }
                for index in 0..usize::from(term.operands) {
                    pairs[count] = (position.from[index], term.from[index]);
                    count += 1;
                }
            }
            PositionKind::Constant if position.first.to_bits() != term.value.to_bits() => {
                position.kind = PositionKind::Variable as u8;
            }
            _ => {}
        }
    }
}

fn drop_below(positions: &mut [Position; MOST_POSITIONS], from: [u8; 3], operands: u8) {
    for index in 0..usize::from(operands) {
        let below = positions[from[index] as usize];
        positions[from[index] as usize].kind = PositionKind::Nothing as u8;
        drop_below(positions, below.from, below.operands);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::{boxed::Box, format, string::String, vec::Vec};

    use super::*;

    fn leaf(value: f64, depth: u8) -> Term {
        Term {
            value,
            depth,
            ..LEAF
        }
    }

    fn node(op: Op, value: f64, depth: u8, from: &[u8]) -> Term {
        let mut places = [0; 3];
        places[..from.len()].copy_from_slice(from);
        Term {
            value,
            op: Some(op),
            site: depth.into(),
            depth,
            operands: from.len() as u8,
            from: places,
        }
    }

    /// x·x − y
    fn square_minus(x: f64, y: f64) -> Concrete {
        Concrete::from_terms(&[
            node(Op::Sub, x * x - y, 0, &[1, 2]),
            node(Op::Mul, x * x, 1, &[3, 4]),
            leaf(y, 1),
            leaf(x, 2),
            leaf(x, 2),
        ])
    }

    fn empty() -> Box<Operation> {
        // SAFETY: zeros are a valid operation without positions.
        let mut operation: Box<Operation> = unsafe { Box::new(core::mem::zeroed()) };
        operation.expression = NO_EXPRESSION;
        operation
    }

    fn show(operation: &Operation, at: usize) -> String {
        let position = &operation.expression[at];
        match PositionKind::from_u8(position.kind) {
            PositionKind::Constant => format!("{}", position.first),
            PositionKind::Variable => format!("v{}", position.class),
            PositionKind::Nothing => "?".into(),
            PositionKind::Operation => {
                let operands: Vec<String> = (0..position.operands as usize)
                    .map(|index| show(operation, position.from[index] as usize))
                    .collect();
                format!(
                    "({} {})",
                    Op::from_u16(position.op as u16).unwrap().info().name,
                    operands.join(" ")
                )
            }
        }
    }

    fn plain() -> Execution {
        Execution {
            erroneous: false,
            worst: false,
            is_first_of_thread: false,
            equality_depth: 5,
        }
    }

    #[test]
    fn positions_that_change_together_are_one_variable() {
        let mut operation = empty();
        generalise(&mut operation, &square_minus(3.0, 1.0), plain());
        assert_eq!(show(&operation, 0), "(sub (mul 3 3) 1)");
        generalise(&mut operation, &square_minus(4.0, 1.0), plain());
        assert_eq!(show(&operation, 0), "(sub (mul v3 v3) 1)");
        generalise(&mut operation, &square_minus(5.0, 2.0), plain());
        assert_eq!(show(&operation, 0), "(sub (mul v3 v3) v2)");
        assert_eq!(operation.expression[3].all.whole(), Some([3.0, 5.0]));
    }

    #[test]
    fn positions_that_were_equal_by_chance_split() {
        let mut operation = empty();
        generalise(&mut operation, &square_minus(1.0, 1.0), plain());
        generalise(&mut operation, &square_minus(2.0, 3.0), plain());
        let positions = &operation.expression;
        assert_eq!(positions[3].class, positions[4].class);
        assert_ne!(positions[2].class, positions[3].class);
    }

    #[test]
    fn a_different_operation_in_a_position_makes_a_variable() {
        let mut operation = empty();
        generalise(&mut operation, &square_minus(3.0, 1.0), plain());
        let other = Concrete::from_terms(&[
            node(Op::Sub, 1.0, 0, &[1, 2]),
            node(Op::Add, 3.0, 1, &[3, 4]),
            leaf(2.0, 1),
            leaf(1.0, 2),
            leaf(2.0, 2),
        ]);
        generalise(&mut operation, &other, plain());
        assert_eq!(show(&operation, 0), "(sub v1 v2)");
        // The variable's range covers both.
        assert_eq!(operation.expression[1].all.whole(), Some([3.0, 9.0]));
        // A leaf in place of an operation.
        let short = Concrete::from_terms(&[leaf(7.0, 0)]);
        generalise(&mut operation, &short, plain());
        assert_eq!(show(&operation, 0), "v0");
    }

    #[test]
    fn an_execution_without_error_keeps_the_last_operation() {
        let short =
            Concrete::from_terms(&[node(Op::Sub, 1.0, 0, &[1, 2]), leaf(3.0, 1), leaf(2.0, 1)]);
        let mut operation = empty();
        generalise(&mut operation, &short, plain());
        assert_eq!(show(&operation, 0), "(sub 3 2)");
        generalise(&mut operation, &square_minus(2.0, 5.0), plain());
        assert_eq!(show(&operation, 0), "(sub (mul 2 2) v2)");
        assert_eq!(operation.expression[2].all.whole(), Some([2.0, 5.0]));
        generalise(&mut operation, &short, plain());
        generalise(&mut operation, &square_minus(7.0, 2.0), plain());
        assert_eq!(show(&operation, 0), "(sub (mul v3 v3) v2)");
        assert_eq!(operation.expression[3].all.whole(), Some([2.0, 7.0]));
        // An execution with an error removes it, for good.
        let wrong = Execution {
            erroneous: true,
            worst: true,
            ..plain()
        };
        generalise(&mut operation, &short, wrong);
        generalise(&mut operation, &square_minus(7.0, 2.0), plain());
        assert_eq!(show(&operation, 0), "(sub v1 v2)");
    }

    #[test]
    fn ranges_of_erroneous_executions_are_separate() {
        let mut operation = empty();
        generalise(&mut operation, &square_minus(3.0, 1.0), plain());
        let wrong = Execution {
            erroneous: true,
            worst: true,
            ..plain()
        };
        generalise(&mut operation, &square_minus(8.0, 64.0), wrong);
        let y = &operation.expression[2];
        assert_eq!(y.all.whole(), Some([1.0, 64.0]));
        assert_eq!(y.erroneous.whole(), Some([64.0, 64.0]));
        assert_eq!((y.first, y.worst), (1.0, 64.0));
    }
}
