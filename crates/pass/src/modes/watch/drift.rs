//! Drift: comparisons of a value that a loop increases by the same step again and again, as in `while (t < T) t += dt;`.
//!
//! Rounding errors of the steps add up without any cancellation, so no tag shows them, and after many steps the value is
//! farther from its limit than nearly equal values are. But its exact value is known: start + count · step. Instrumented code
//! counts the steps, which costs an integer addition a step, and where the value comes near the limit it compares the
//! exact value, by integers. A comparison is flagged only if it takes the other branch, so steps without rounding errors are
//! never flagged.
//!
//! A loop in registers has a phi, whose count is another phi. A variable in memory (code that is not optimised) has its
//! start, step and count in memory too; another step starts anew from the value that was reached.
//!
//! What it can miss: steps that change from time to time, sums in arrays and structures, and comparisons of what is computed from
//! such a value.

use lostbits_abi::kind::FpKind;

use super::{
    harmless_patterns::{is_for_mirror, is_input},
    values::{exponent_mask, is_zero},
};
use crate::{
    builder::{self, Builder},
    carry::FunctionInstrumenter,
    ir::{self, Block, IntPredicate, Opcode, Value},
    modes::tags::bits,
    shape,
};

/// Unrolled loops have chains of steps.
const MOST_STEPS: u64 = 16;

/// More bits than this are not between a step and a limit that it reaches.
const MOST_SHIFT: u64 = 70;

/// A comparison of a sequence's value with a limit.
#[derive(Clone, Copy)]
pub struct Drift {
    sequence: Sequence,
    value: Value,
    limit: Value,
    kind: FpKind,
    /// LLVM's predicate for the value on the left.
    predicate: u32,
}

/// start + count · step. Start and step are bits.
#[derive(Clone, Copy)]
struct Sequence {
    start: Value,
    step: Value,
    count: Value,
    /// Whether start and step have no errors themselves.
    has_exact_parts: bool,
}

/// A step from one value to the next.
struct Step {
    previous: Value,
    step: Value,
    subtracts: bool,
}

impl Drift {
    /// Emits the counting and leaves the builder behind the comparison.
    pub fn of(
        cx: &mut FunctionInstrumenter,
        comparison: Value,
        values: [Value; 2],
    ) -> Option<Drift> {
        if ir::opcode(comparison) != Opcode::LLVMFCmp {
            return None;
        }
        let ty = ir::type_of(values[0]);
        let kind = shape::fp_kind(ty).filter(|_| shape::lanes(ty) == 1)?;
        if !matches!(kind, FpKind::Double | FpKind::Float)
            || values.iter().all(|value| ir::is_constant(*value))
        {
            return None;
        }
        let predicate = ir::comparison_predicate(comparison);
        let [x, y] = values;
        let found = [(x, y, predicate), (y, x, swapped(predicate))]
            .into_iter()
            .find_map(|(value, limit, predicate)| {
                let counted = in_registers(cx, value).or_else(|| in_memory(cx, value, comparison));
                counted.map(|sequence| Drift {
                    sequence,
                    value,
                    limit,
                    kind,
                    predicate,
                })
            });
        cx.builder.after(comparison);
        found
    }

    pub fn has_zero_limit(&self) -> bool {
        is_zero(self.limit)
    }

    /// Whether the sequence and the limit have no errors themselves: then the exact comparison is the right one, however near
    /// the value is to the limit.
    pub fn is_proof(&self) -> bool {
        self.sequence.has_exact_parts && is_input(self.limit)
    }

    /// Whether the value is no larger than a few steps, as an `i1`.
    pub fn is_small(&self, builder: &Builder) -> Value {
        let word = ir::type_of(self.sequence.step);
        let without_sign = builder::splat(word, (1 << (self.kind.storage_bits() - 1)) - 1);
        let magnitude = |bits| builder.and(bits, without_sign);
        let twice = builder::splat(word, 1 << (self.kind.precision() - 1));
        let most = builder.binary(Opcode::LLVMAdd, magnitude(self.sequence.step), twice);
        let value = magnitude(bits(builder, self.value));
        builder.compare(IntPredicate::LLVMIntULT, value, most)
    }

    /// Whether exact arithmetic takes a different branch than `decided`, both as `i1`.
    pub fn decides_otherwise(&self, builder: &Builder, decided: Value) -> Value {
        let types = builder.types;
        let (long, wide) = (types.i64, types.int(128));
        let number = |value| builder::integer(long, value);
        let limit = bits(builder, self.limit);
        let parts = |word| Parts::of(builder, self.kind, word);
        let (start, step, limit) = (
            parts(self.sequence.start),
            parts(self.sequence.step),
            parts(limit),
        );
        // In halves of the units of the step's last place, so that the last bit can say that something is below it.
        let shift = |of: &Parts| {
            let apart = builder.binary(Opcode::LLVMSub, of.exponent, step.exponent);
            builder.binary(Opcode::LLVMAdd, apart, number(1))
        };
        let signed = |magnitude, of: &Parts| {
            let negated = builder.binary(Opcode::LLVMSub, builder::null(wide), magnitude);
            builder.select(of.is_negative, negated, magnitude)
        };
        let aligned = |of: &Parts| signed(shifted(builder, of.significand, shift(of)), of);
        let [count, significand] = [self.sequence.count, step.significand]
            .map(|value| builder.resize_unsigned(value, wide));
        let moved = builder.binary(Opcode::LLVMMul, count, significand);
        let moved = signed(builder.shift_left(moved, 1), &step);
        let reached = builder.binary(Opcode::LLVMAdd, aligned(&start), moved);
        let beyond = builder.binary(Opcode::LLVMSub, reached, aligned(&limit));
        let zero = builder::null(wide);
        let relations = [
            (IntPredicate::LLVMIntEQ, 1),
            (IntPredicate::LLVMIntSGT, 2),
            (IntPredicate::LLVMIntSLT, 4),
        ];
        let exact = relations
            .into_iter()
            .filter(|(_, bit)| self.predicate & bit != 0)
            .map(|(relation, _)| builder.compare(relation, beyond, zero))
            .reduce(|a, b| builder.or(a, b))
            .unwrap_or_else(|| builder::null(types.int(1)));
        let fits =
            |of: &Parts| builder.compare(IntPredicate::LLVMIntSLE, shift(of), number(MOST_SHIFT));
        let known = builder.and(fits(&start), fits(&limit));
        let known = builder.and(known, builder.differ(self.sequence.count, number(0)));
        builder.and(known, builder.differ(exact, decided))
    }
}

/// LLVM's predicate with its operands swapped: a bit each for equal, greater, less and unordered.
fn swapped(predicate: u32) -> u32 {
    (predicate & 0b1001) | ((predicate & 2) << 1) | ((predicate & 4) >> 1)
}

/// The fields of a number, as 64-bit integers.
struct Parts {
    is_negative: Value,
    exponent: Value,
    significand: Value,
}

impl Parts {
    fn of(builder: &Builder, kind: FpKind, word: Value) -> Parts {
        let fraction_bits = u64::from(kind.precision() - 1);
        let long = builder.types.i64;
        let number = |value| builder::integer(long, value);
        let narrow = builder::null(ir::type_of(word));
        let is_negative = builder.compare(IntPredicate::LLVMIntSLT, word, narrow);
        let word = builder.resize_unsigned(word, long);
        let biased = builder.shift_right(word, fraction_bits);
        let biased = builder.and(biased, number(exponent_mask(kind)));
        let fraction = builder.and(word, number((1 << fraction_bits) - 1));
        let is_subnormal = builder.equal(biased, number(0));
        let leading = builder.or(fraction, number(1 << fraction_bits));
        Parts {
            is_negative,
            exponent: builder.select(is_subnormal, number(1), biased),
            significand: builder.select(is_subnormal, fraction, leading),
        }
    }
}

/// A significand times two to the power of `by`, in 128 bits; the last bit is set if something is below it.
fn shifted(builder: &Builder, significand: Value, by: Value) -> Value {
    let (long, wide) = (builder.types.i64, builder.types.int(128));
    let number = |value| builder::integer(long, value);
    let significand = builder.resize_unsigned(significand, wide);
    let within = |amount: Value, most: u64| {
        let is_more = builder.compare(IntPredicate::LLVMIntUGT, amount, number(most));
        builder.resize_unsigned(builder.select(is_more, number(most), amount), wide)
    };
    let is_left = builder.compare(IntPredicate::LLVMIntSGE, by, number(0));
    let negated = builder.binary(Opcode::LLVMSub, number(0), by);
    let left = builder.binary(Opcode::LLVMShl, significand, within(by, MOST_SHIFT));
    let amount = within(negated, 64);
    let right = builder.binary(Opcode::LLVMLShr, significand, amount);
    let back = builder.binary(Opcode::LLVMShl, right, amount);
    let rest = builder.resize_unsigned(builder.differ(back, significand), wide);
    builder.select(is_left, left, builder.or(right, rest))
}

/// The bits of a step, negative where it is subtracted.
fn directed(builder: &Builder, word: Value, step: &Step) -> Value {
    let ty = ir::type_of(word);
    match step.subtracts {
        true => builder.xor(word, builder::splat(ty, 1 << (ir::int_width(ty) - 1))),
        false => word,
    }
}

/// The ways to see a sum as a step.
fn steps(value: Value) -> Vec<Step> {
    if !ir::is_instruction(value) {
        return Vec::new();
    }
    let step = |index: u32, subtracts| Step {
        previous: ir::operand(value, 1 - index),
        step: ir::operand(value, index),
        subtracts,
    };
    match ir::opcode(value) {
        Opcode::LLVMFAdd => vec![step(1, false), step(0, false)],
        Opcode::LLVMFSub => vec![step(1, true)],
        _ => Vec::new(),
    }
}

// ---- in registers ----

/// Start, step and count of a value that is a phi, or some steps behind one.
fn in_registers(cx: &mut FunctionInstrumenter, value: Value) -> Option<Sequence> {
    if !ir::is_instruction(value) {
        return None;
    }
    let sums = match ir::is_phi(value) {
        true => ir::incoming(value)
            .into_iter()
            .map(|(from, _)| from)
            .collect(),
        false => vec![value],
    };
    let candidates = sums.into_iter().flat_map(steps);
    candidates
        .into_iter()
        .find_map(|step| counted_by_phi(cx, value, &step))
}

/// How many of these steps lead from `phi` to `value`.
fn distance(value: Value, phi: Value, like: &Step) -> Option<u64> {
    let mut at = value;
    for count in 0..MOST_STEPS {
        if at == phi {
            return Some(count);
        }
        let is_like = |step: &Step| step.step == like.step && step.subtracts == like.subtracts;
        at = steps(at).into_iter().find(is_like)?.previous;
    }
    None
}

fn counted_by_phi(cx: &mut FunctionInstrumenter, value: Value, step: &Step) -> Option<Sequence> {
    let mut phi = value;
    for _ in 0..MOST_STEPS {
        if !ir::is_instruction(phi) || ir::is_phi(phi) {
            break;
        }
        let is_like = |other: &Step| other.step == step.step && other.subtracts == step.subtracts;
        phi = steps(phi).into_iter().find(is_like)?.previous;
    }
    if !ir::is_instruction(phi) || !ir::is_phi(phi) {
        return None;
    }
    let behind = distance(value, phi, step)?;
    let edges: Vec<(Value, Block, Option<u64>)> = ir::incoming(phi)
        .into_iter()
        .map(|(from, block)| (from, block, distance(from, phi, step)))
        .collect();
    let latches: Vec<Block> = edges
        .iter()
        .filter(|(_, _, count)| count.is_some())
        .map(|(_, block, _)| *block)
        .collect();
    let mut outside = edges.iter().filter(|(_, _, count)| count.is_none());
    let (start, _, _) = *outside.next()?;
    let is_one_loop = outside.next().is_none() && !latches.is_empty();
    let header = ir::parent_block(phi);
    if !is_one_loop || !is_invariant(step.step, header, &latches) {
        return None;
    }
    let long = cx.builder.types.i64;
    let number = |value| builder::integer(long, value);
    let count = cx.builder.phi(long, header);
    for (_, block, steps) in edges {
        let counted = match steps {
            None => number(0),
            Some(steps) => {
                cx.builder.before(ir::terminator(block));
                let counted = cx.builder.binary(Opcode::LLVMAdd, count, number(steps));
                cx.keep_in_place(counted);
                counted
            }
        };
        ir::add_incoming(count, counted, block);
    }
    cx.builder.before(ir::first_insertion_point(header));
    let start_bits = bits(cx.builder, start);
    let plain_step = bits(cx.builder, step.step);
    let step_bits = directed(cx.builder, plain_step, step);
    let reached = cx.builder.binary(Opcode::LLVMAdd, count, number(behind));
    for made in [start_bits, plain_step, step_bits, reached] {
        cx.keep_in_place(made);
    }
    Some(Sequence {
        start: start_bits,
        step: step_bits,
        count: reached,
        has_exact_parts: is_input(start) && is_input(step.step),
    })
}

/// Whether a step is the same in every turn of a loop.
fn is_invariant(step: Value, header: Block, latches: &[Block]) -> bool {
    if !ir::is_instruction(step) {
        return true;
    }
    let mut inside = vec![header];
    let mut next: Vec<Block> = latches.to_vec();
    while let Some(block) = next.pop() {
        if !inside.contains(&block) {
            inside.push(block);
            next.extend(ir::predecessors(block));
        }
    }
    !inside.contains(&ir::parent_block(step))
}

// ---- in memory ----

/// Start, step and count of a variable in memory that nothing but loads and stores uses.
fn in_memory(cx: &mut FunctionInstrumenter, value: Value, comparison: Value) -> Option<Sequence> {
    let is = |value: Value, opcode| ir::is_instruction(value) && ir::opcode(value) == opcode;
    let variable = is(value, Opcode::LLVMLoad).then(|| ir::operand(value, 0))?;
    if !is(variable, Opcode::LLVMAlloca) {
        return None;
    }
    let users = ir::uses(variable);
    let is_access = |user: &Value| match ir::opcode(*user) {
        Opcode::LLVMLoad => true,
        Opcode::LLVMStore => ir::operand(*user, 0) != variable,
        Opcode::LLVMPtrToInt => is_for_mirror(*user),
        _ => false,
    };
    if !users.iter().all(is_access) {
        return None;
    }
    let update = |store: Value| {
        let from_itself = |step: &Step| {
            is(step.previous, Opcode::LLVMLoad) && ir::operand(step.previous, 0) == variable
        };
        steps(ir::operand(store, 0)).into_iter().find(from_itself)
    };
    let stores: Vec<(Value, Option<Step>)> = users
        .into_iter()
        .filter(|user| ir::opcode(*user) == Opcode::LLVMStore)
        .map(|store| (store, update(store)))
        .collect();
    if !stores.iter().any(|(_, step)| step.is_some()) {
        return None;
    }
    let has_exact_parts = stores.iter().all(|(store, step)| match step {
        Some(step) => is_input(step.step),
        None => is_input(ir::operand(*store, 0)),
    });
    let types = cx.builder.types;
    let word = ir::type_of(bits(cx.builder, value));
    const ALIGNMENT: u32 = 8;
    let entry = ir::first_instruction(ir::entry(ir::parent_function(comparison)));
    let [start, step, count] = [word, word, types.i64].map(|ty| {
        let memory = cx.builder.alloca_at(entry, ty, ALIGNMENT);
        cx.keep_in_place(memory);
        (memory, ty)
    });
    let mut made = Vec::new();
    let b = cx.builder;
    let set = |(memory, _), value| b.store(value, memory, ALIGNMENT);
    let get = |(memory, ty)| b.load(ty, memory, ALIGNMENT);
    b.before(entry);
    made.extend([start, step, count].map(|variable| set(variable, builder::null(variable.1))));
    for (store, update) in stores {
        b.after(store);
        let Some(update) = update else {
            made.extend([step, count].map(|variable| set(variable, builder::null(variable.1))));
            continue;
        };
        let own = directed(b, bits(b, update.step), &update);
        let same = b.equal(get(step), own);
        let previous = bits(b, update.previous);
        let from = b.select(same, get(start), previous);
        let counted = b.select(same, get(count), builder::null(types.i64));
        let counted = b.binary(Opcode::LLVMAdd, counted, builder::integer(types.i64, 1));
        set(start, from);
        set(step, own);
        let last = set(count, counted);
        let mut at = ir::next(store);
        while at != last {
            made.push(at);
            at = ir::next(at);
        }
        made.push(last);
    }
    b.after(comparison);
    let found = [start, step, count].map(get);
    made.extend(found);
    made.into_iter().for_each(|made| cx.keep_in_place(made));
    let [start, step, count] = found;
    Some(Sequence {
        start,
        step,
        count,
        has_exact_parts,
    })
}
