//! The trace: each executed operation leaves a node in its thread's ring, for the domain that asks for it.
//!
//! A block takes all its nodes at once, at its beginning: one access to the thread's counter, whose
//! increment is known when the block is done.

use std::{collections::HashMap, mem::offset_of};

use lostbits_abi::{
    explain::{
        MOST_BLOCK_NODES, Node, RING_NODES, SAMPLE_SHIFT, SAMPLED_NODES, TRACED_NODES, Thread,
    },
    functions,
    kind::FpKind,
    variables,
};

use crate::{
    builder::{self, Builder},
    carry::FunctionInstrumenter,
    ir::{self, Block, IntPredicate, Type, Value},
};

/// The traces of one function.
#[derive(Default)]
struct Traces {
    tracer: Option<Tracer>,
    blocks: HashMap<Block, BlockTrace>,
}

/// What a function reads once.
#[derive(Clone, Copy)]
pub struct Tracer {
    /// The thread's part.
    pub thread: Value,
    ring: Value,
    /// The module's first global site, as 64 bits.
    pub first_site: Value,
}

/// A block's nodes.
#[derive(Clone, Copy)]
pub struct BlockTrace {
    /// The thread's counter when the block began.
    counter: Value,
    /// The address of the first.
    address: Value,
    /// Its number in the upper half, the module's first site in the lower.
    header: Value,
    /// Its number alone; the last numbers before the counter's lower half is full run over, no harm.
    number: Value,
    /// Whether the block reports everything (an `i1`).
    pub sampled: Value,
    /// Whether the block writes its nodes (an `i1`).
    pub traced: Value,
    /// By format: a factor by which errors of so much more than a step reach their value; not a number if the
    /// block is sampled or traced, so that one comparison asks for all of it. Its last bits say which of both.
    reach: [Value; FpKind::ALL.len()],
    advance: Value,
    nodes: u64,
}

/// What errors of four steps have to be multiplied by to be as large as their values.
pub fn reach(kind: FpKind) -> f64 {
    ((1u64 << (kind.precision() - 3)) as f64).max(1.0)
}

impl BlockTrace {
    pub fn counter(&self) -> Value {
        self.counter
    }

    /// The same in a function that is called with the block's counter, the [`place`] of its first node, and a reach.
    pub fn at_place(
        b: &Builder,
        thread: Value,
        first_site: Value,
        [counter, place, reach]: [Value; 3],
    ) -> BlockTrace {
        let i64 = b.types.i64;
        let add = |x, y| b.binary(ir::Opcode::LLVMAdd, x, y);
        let word = |value: u64| builder::integer(i64, value);
        let index = b.shift_right(place, 32);
        let slot = add(b.and(counter, word(RING_NODES as u64 - 1)), index);
        let bytes = b.shift_left(slot, size_of::<Node>().trailing_zeros().into());
        let flags = b.bitcast(reach, i64);
        let has = |bit: u64| b.differ(b.and(flags, word(bit)), word(0));
        BlockTrace {
            counter,
            address: b.index_bytes(load_ring(b, thread), bytes),
            header: add(add(b.shift_left(counter, 32), first_site), place),
            number: add(b.and(counter, word(u32::MAX.into())), index),
            sampled: has(SAMPLED),
            traced: has(TRACED),
            reach: [reach; FpKind::ALL.len()],
            advance: counter,
            nodes: 0,
        }
    }

    pub fn slot(&self, index: u64) -> NodeSlot {
        NodeSlot {
            trace: *self,
            index,
        }
    }

    /// The last of the instructions that make it.
    pub fn end(&self) -> Value {
        self.reach[self.reach.len() - 1]
    }

    pub fn reach(&self, kind: FpKind) -> Value {
        let position = FpKind::ALL.iter().position(|known| *known == kind);
        self.reach[position.expect("all formats are there")]
    }

    /// The numbers of nodes, as `i64`s in a shape.
    pub fn numbers(&self, builder: &Builder, indices: &[u64], ty: Type) -> Value {
        let first = builder.broadcast(self.number, ty);
        builder.binary(ir::Opcode::LLVMAdd, first, builder::integers(ty, indices))
    }
}

/// Bits of a reach that is not a number.
const SAMPLED: u64 = 1;
const TRACED: u64 = 2;

/// A node's index in its block and its site (joined with its operation) in one word, which is a constant.
pub fn place(b: &Builder, slot: Option<NodeSlot>, site: u32) -> Value {
    let index = slot.map_or(0, |slot| slot.index);
    builder::integer(b.types.i64, index << 32 | u64::from(site))
}

fn load_ring(b: &Builder, thread: Value) -> Value {
    let ring_at = b.offset(thread, offset_of!(Thread, ring) as u64);
    b.load(b.types.pointer, ring_at, 8)
}

/// Where a node goes: its index among the block's.
#[derive(Clone, Copy)]
pub struct NodeSlot {
    trace: BlockTrace,
    index: u64,
}

impl NodeSlot {
    pub fn address(&self, builder: &Builder) -> Value {
        builder.offset(self.trace.address, self.index * size_of::<Node>() as u64)
    }

    /// The node's number and its site (joined with its operation) in one word.
    pub fn header(&self, builder: &Builder, site: u32) -> Value {
        let part = builder::integer(builder.types.i64, self.index << 32 | u64::from(site));
        builder.binary(ir::Opcode::LLVMAdd, self.trace.header, part)
    }

    pub fn index(&self) -> u64 {
        self.index
    }

    /// As an `i64`.
    pub fn number(&self, builder: &Builder) -> Value {
        let index = builder::integer(builder.types.i64, self.index);
        builder.binary(ir::Opcode::LLVMAdd, self.trace.number, index)
    }
}

/// The thread and the block nodes of the function that is instrumented.
pub trait Tracing {
    /// Moves the builder.
    fn tracer(&mut self) -> Tracer;

    /// The number of a site among all, and this thread; of a function that has a tracer.
    fn global_site(&self, site: u32) -> (Value, Value);

    /// As above, of a function that has traced something.
    fn known_tracer(&self) -> Tracer;

    /// The nodes of a block of the program's. Moves the builder.
    fn block_trace(&mut self, block: Block) -> BlockTrace;

    /// A place for one more node; none if the block has too many.
    fn next_node(&mut self, block: Block) -> Option<NodeSlot>;
}

impl Tracing for FunctionInstrumenter<'_> {
    fn tracer(&mut self) -> Tracer {
        if let Some(tracer) = self.extension::<Traces>().tracer {
            return tracer;
        }
        let builder = self.builder;
        let slot = self.thread_variable(variables::EXPLAIN_SLOT);
        let thread = builder.call_runtime(functions::EXPLAIN_THREAD, &[slot]);
        let ring = load_ring(builder, thread);
        let first_site = self.load_first_site();
        let tracer = Tracer {
            thread,
            ring,
            first_site,
        };
        self.extension::<Traces>().tracer = Some(tracer);
        tracer
    }

    fn global_site(&self, site: u32) -> (Value, Value) {
        let tracer = self.known_tracer();
        let site = builder::integer(self.builder.types.i64, site.into());
        let site = self
            .builder
            .binary(ir::Opcode::LLVMAdd, tracer.first_site, site);
        (site, tracer.thread)
    }

    fn known_tracer(&self) -> Tracer {
        tracer_of(self).expect("a block of the function is traced")
    }

    fn block_trace(&mut self, block: Block) -> BlockTrace {
        if let Some(trace) = self.extension::<Traces>().blocks.get(&block) {
            return *trace;
        }
        let tracer = self.tracer();
        let builder = self.builder;
        match block == ir::entry(self.function) {
            true => builder.after(tracer.first_site),
            false => builder.before(ir::first_insertion_point(block)),
        }
        let i64 = builder.types.i64;
        let word = |value: u64| builder::integer(i64, value);
        let counter = builder.load(i64, tracer.thread, 8);
        // The increment is put in when the block is done.
        let advance = builder.binary(ir::Opcode::LLVMAdd, counter, word(1));
        builder.store(advance, tracer.thread, 8);
        let slot = builder.and(counter, word(RING_NODES as u64 - 1));
        let bytes = builder.shift_left(slot, size_of::<Node>().trailing_zeros().into());
        let address = builder.index_bytes(tracer.ring, bytes);
        let header = builder.binary(
            ir::Opcode::LLVMAdd,
            builder.shift_left(counter, 32),
            tracer.first_site,
        );
        let is_within = |counter: Value, mask: usize, nodes: u64| {
            let mask_at = builder.offset(tracer.thread, mask as u64);
            let within = builder.and(counter, builder.load(i64, mask_at, 8));
            builder.compare(IntPredicate::LLVMIntULT, within, word(nodes))
        };
        let shifted = builder.binary(ir::Opcode::LLVMAdd, counter, word(SAMPLE_SHIFT));
        let sampled = is_within(shifted, offset_of!(Thread, sample_mask), SAMPLED_NODES);
        let traced = is_within(counter, offset_of!(Thread, trace_mask), TRACED_NODES);
        let flag = |flag: Value, bit: u64| {
            let word = builder.resize_unsigned(flag, i64);
            builder.shift_left(word, bit.trailing_zeros().into())
        };
        let flags = builder.or(flag(sampled, SAMPLED), flag(traced, TRACED));
        let no_number = builder.or(flags, word(f64::NAN.to_bits()));
        let wanted = builder.differ(flags, word(0));
        let trace = BlockTrace {
            counter,
            address,
            header,
            number: builder.and(counter, word(u32::MAX.into())),
            sampled,
            traced,
            reach: FpKind::ALL.map(|kind| {
                let bits = builder.select(wanted, no_number, word(reach(kind).to_bits()));
                builder.bitcast(bits, builder.types.double)
            }),
            advance,
            nodes: 0,
        };
        self.extension::<Traces>().blocks.insert(block, trace);
        trace
    }

    fn next_node(&mut self, block: Block) -> Option<NodeSlot> {
        let trace = self.extension::<Traces>().blocks.get_mut(&block)?;
        if trace.nodes as usize >= MOST_BLOCK_NODES {
            return None;
        }
        let index = trace.nodes;
        trace.nodes += 1;
        Some(NodeSlot {
            trace: *trace,
            index,
        })
    }
}

/// The limit over which an error of the format counts.
pub fn load_limit(b: &Builder, kind: FpKind) -> Value {
    let limits = b.runtime_variable(variables::EXPLAIN_LIMITS);
    let at = b.offset(limits, kind as u64 * 8);
    b.load(b.types.double, at, 8)
}

fn tracer_of(cx: &FunctionInstrumenter) -> Option<Tracer> {
    cx.existing_extension::<Traces>()?.tracer
}

/// Whether a second thread runs instrumented code, as an `i1`; known in functions that trace.
pub fn has_several_threads(cx: &FunctionInstrumenter) -> Option<Value> {
    tracer_of(cx)?;
    let b = cx.builder;
    let threads = b.runtime_variable(variables::EXPLAIN_THREADS);
    let threads = b.load_shared(b.types.i64, threads, 8);
    let one = builder::integer(b.types.i64, 1);
    Some(b.compare(IntPredicate::LLVMIntUGT, threads, one))
}

/// Sets the increments of the thread's counter, which are known when all nodes are.
pub fn complete_traces(cx: &mut FunctionInstrumenter) {
    let i64 = cx.builder.types.i64;
    for trace in cx.extension::<Traces>().blocks.values() {
        ir::set_operand(trace.advance, 1, builder::integer(i64, trace.nodes));
    }
}
