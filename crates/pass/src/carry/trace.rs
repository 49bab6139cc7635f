//! The trace: each executed operation leaves a node in its thread's ring, for the domain that asks for it.
//!
//! A block takes all its nodes at once, at its beginning: one look at the thread's counter, whose
//! increment is known when the block is done.

use std::mem::offset_of;

use lostbits_abi::{
    explain::{
        MOST_BLOCK_NODES, Node, RING_NODES, SAMPLE_SHIFT, SAMPLED_NODES, TRACED_NODES, Thread,
    },
    kind::FpKind,
    mode::Mode,
    site::What,
    symbols,
};

use super::Weaver;
use crate::{
    builder::{self, Builder},
    ir::{self, Block, IntPredicate, Type, Value},
    sites::Description,
};

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
    /// The address of the first.
    address: Value,
    /// Its number in the upper half, the module's first site in the lower.
    header: Value,
    /// Its number alone; the last numbers before the counter's lower half is full run over, no harm.
    number: Value,
    /// Whether the block tells everything (an `i1`).
    pub sampled: Value,
    /// Whether the block writes its nodes (an `i1`).
    pub traced: Value,
    /// By format: a factor by which errors of so much more than a step reach their value; not a number if the
    /// block is sampled or traced, so that one comparison asks for all of it.
    reach: [Value; FpKind::ALL.len()],
    advance: Value,
    nodes: u64,
}

/// What errors of four steps have to be multiplied by to be as large as their values.
pub fn reach(kind: FpKind) -> f64 {
    ((1u64 << (kind.precision() - 3)) as f64).max(1.0)
}

impl BlockTrace {
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

/// Where a node goes: its index among the block's.
#[derive(Clone, Copy)]
pub struct NodePlace {
    trace: BlockTrace,
    index: u64,
}

impl NodePlace {
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

impl Weaver<'_> {
    /// Moves the builder.
    pub fn tracer(&mut self) -> Tracer {
        if let Some(tracer) = self.tracer {
            return tracer;
        }
        let builder = self.builder;
        builder.before(ir::first_insertion_point(ir::entry(self.function)));
        let types = builder.types;
        let variable = builder.shared_thread_local(symbols::EXPLAIN_SLOT, 8);
        let pointer = types.pointer;
        let slot = builder.intrinsic("llvm.threadlocal.address", &[pointer], &[variable]);
        let begin = builder.declare(symbols::EXPLAIN_THREAD, pointer, &[pointer]);
        let thread = builder.call(begin, &[slot]);
        let ring_at = builder.offset(thread, offset_of!(Thread, ring) as u64);
        let ring = builder.load(types.pointer, ring_at, 8);
        let first_site = self.module.load_first_site(builder);
        let tracer = Tracer {
            thread,
            ring,
            first_site,
        };
        self.tracer = Some(tracer);
        tracer
    }

    /// The number of a site among all, and this thread; of a function that has a tracer.
    pub fn global_site(&self, site: u32) -> (Value, Value) {
        let tracer = self.tracer_known();
        let site = builder::integer(self.builder.types.i64, site.into());
        let site = self
            .builder
            .binary(ir::Opcode::LLVMAdd, tracer.first_site, site);
        (site, tracer.thread)
    }

    /// What the function is instrumented for.
    pub fn mode(&self) -> Mode {
        self.domain.mode()
    }

    /// As above, of a function that has traced something.
    pub fn tracer_known(&self) -> Tracer {
        self.tracer.expect("a block of the function is traced")
    }

    /// The limit over which an error of the format counts, loaded where the builder stands.
    pub fn limit_here(&self, kind: FpKind) -> Value {
        let limits = self.builder.external(symbols::EXPLAIN_LIMITS);
        let at = self.builder.offset(limits, kind as u64 * 8);
        self.builder.load(self.builder.types.double, at, 8)
    }

    /// Whether a second thread computes something, where that is known, as an `i1`: what only one thread counts needs no
    /// atomic addition, which in a small loop costs as much as all the rest.
    pub(super) fn is_shared_by_threads(&self) -> Option<Value> {
        // A function that traces has made its thread known.
        self.tracer?;
        let b = self.builder;
        let threads = b.external(symbols::EXPLAIN_THREADS);
        let threads = b.load_shared(b.types.i64, threads, 8);
        let one = builder::integer(b.types.i64, 1);
        Some(b.compare(IntPredicate::LLVMIntUGT, threads, one))
    }

    /// `site` is executed whenever the block of `instruction` is.
    pub fn count_here(&mut self, instruction: Value, site: u32, times: u32) {
        self.count(ir::parent_block(instruction), site, times);
    }

    /// The site of an instruction that has no value of its own in any format.
    pub fn site_of_double(&mut self, instruction: Value, what: What, note: &str) -> u32 {
        let description = Description {
            what,
            kind: Some(FpKind::Double),
            lanes: 1,
            callee: note,
        };
        self.module
            .sites
            .at(instruction, self.function, description)
    }

    /// The nodes of a block of the program's. Moves the builder.
    pub fn block_trace(&mut self, block: Block) -> BlockTrace {
        if let Some(trace) = self.block_traces.get(&block) {
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
        let address = builder.displaced(tracer.ring, bytes);
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
        let wanted = builder.or(sampled, traced);
        let trace = BlockTrace {
            address,
            header,
            number: builder.and(counter, word(u32::MAX.into())),
            sampled,
            traced,
            reach: FpKind::ALL.map(|kind| {
                let double = builder.types.double;
                let usual = builder::real(double, reach(kind));
                builder.select(wanted, builder::real(double, f64::NAN), usual)
            }),
            advance,
            nodes: 0,
        };
        self.block_traces.insert(block, trace);
        trace
    }

    /// A place for one more node; none if the block has too many.
    pub fn next_node(&mut self, block: Block) -> Option<NodePlace> {
        let trace = self.block_traces.get_mut(&block)?;
        if trace.nodes as usize >= MOST_BLOCK_NODES {
            return None;
        }
        let index = trace.nodes;
        trace.nodes += 1;
        Some(NodePlace {
            trace: *trace,
            index,
        })
    }

    pub(super) fn finish_traces(&mut self) {
        for trace in self.block_traces.values() {
            let nodes = builder::integer(self.builder.types.i64, trace.nodes);
            ir::set_operand(trace.advance, 1, nodes);
        }
    }
}
