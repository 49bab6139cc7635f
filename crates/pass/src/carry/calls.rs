//! Shadows across calls: thread-local slots for arguments and for the result.
//!
//! A caller leaves each floating-point argument's cells in the argument slot, at an offset both sides
//! derive from the function's type; the callee decodes them against the values that arrived, and
//! clears them. So it does not matter who called: from uninstrumented code, the cells do not fit the
//! values and the shadows are fresh. Results go the other way by the return slot.

use std::collections::HashMap;

use lostbits_abi::{
    functions,
    kind::FpKind,
    ops::Op,
    shadow::{ARGUMENT_BYTES, RETURN_BYTES},
    site::{Lost, What},
    variables::{self, ThreadLocal},
};

use super::{
    FunctionInstrumenter, Shadow, fortran,
    guard::CellPlace,
    lending,
    library::{is_library_operation, operands_of_call, operation_of},
    markers::marker_of,
    sorting,
};
use crate::{
    builder,
    ir::{self, Block, Opcode, Type, Value},
    mutants::{self, Mutant},
    prepare::complex,
    shape::{self, Leaf},
    sites::Description,
};

/// Slots and what is in them are aligned so.
pub(super) const SLOT_ALIGNMENT: u64 = 16;

/// The addresses of this thread's slots, asked for once in a function.
#[derive(Default)]
pub(super) struct Slots {
    arguments: Option<Value>,
    returned: Option<Value>,
    pub(super) variadic: Option<Value>,
    /// The variadic slot as it was when the function was entered.
    pub(super) variadic_copy: Option<Value>,
}

/// A slot: its planes follow each other, `stride` bytes apart.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub address: Value,
    pub stride: u64,
}

impl FunctionInstrumenter<'_> {
    /// Moves the builder, as all that ask for slots do.
    pub(super) fn argument_slot(&mut self) -> Slot {
        let address = match self.slots.arguments {
            Some(address) => address,
            None => self.thread_slot(variables::ARGUMENTS),
        };
        self.slots.arguments = Some(address).filter(|_| !self.is_guarded());
        Slot {
            address,
            stride: ARGUMENT_BYTES,
        }
    }

    pub(super) fn return_slot(&mut self) -> Slot {
        let address = match self.slots.returned {
            Some(address) => address,
            None => self.thread_slot(variables::RETURN),
        };
        self.slots.returned = Some(address).filter(|_| !self.is_guarded());
        Slot {
            address,
            stride: RETURN_BYTES,
        }
    }

    /// The address of a thread-local slot, computed at the function's entry; where shadow code is guarded,
    /// there where it is needed.
    pub(super) fn thread_slot(&mut self, slot: ThreadLocal) -> Value {
        self.thread_local(slot, slot.bytes * self.slot_planes())
    }

    /// How many cells of a leaf a slot holds.
    pub(super) fn slot_planes(&self) -> u64 {
        let planes = || lostbits_abi::shadow::planes(self.domain.mode()).len() as u64;
        self.domain.slot_planes().unwrap_or_else(planes)
    }

    /// The address of a thread-local variable of this mode, computed at the function's entry.
    pub fn thread_variable(&mut self, variable: ThreadLocal) -> Value {
        self.thread_local(variable, variable.bytes)
    }

    fn thread_local(&mut self, variable: ThreadLocal, bytes: u64) -> Value {
        let name = variable.symbol(self.domain.mode());
        let variable = self.builder.shared_thread_local(&name, bytes);
        if !self.is_guarded() {
            self.builder
                .before(ir::first_insertion_point(ir::entry(self.function)));
        }
        let pointer = self.builder.types.pointer;
        self.builder
            .intrinsic("llvm.threadlocal.address", &[pointer], &[variable])
    }

    /// Writes the cells of a leaf, the validating first. A signal handler may use the same slots in
    /// between: in this order, and read in the opposite one, the cells then do not fit the value
    /// rather than a wrong shadow seeming to fit.
    fn store_in_slot(
        &mut self,
        slot: Slot,
        offset: u64,
        value: Value,
        leaf: &Leaf,
        shadow: &[Value],
    ) {
        let member = self.builder.member(value, &leaf.path);
        let word = shadow.first().map(|word| self.local(*word));
        let cells = self.domain.encode(self.builder, member, shadow);
        for (index, cell) in (0u64..).zip(cells) {
            let address = self.cell_address(slot, index, offset + leaf.offset);
            let alignment = slot_alignment(offset + leaf.offset);
            let writer = self.builder.store_in_order(cell, address, alignment);
            if let Some(word) = word {
                self.note_write(writer, 0, member, word, CellPlace::Slot);
            }
        }
    }

    /// Takes the shadow of `value` out of a slot, and clears the slot.
    fn take_from_slot(
        &mut self,
        slot: Slot,
        offset: u64,
        value: Value,
        leaves: &[Leaf],
        site: u32,
    ) -> Shadow {
        let mut shadow = Shadow::new();
        for leaf in leaves {
            let cells = self.take_cells(slot, offset + leaf.offset, leaf.ty);
            let member = self.builder.member(value, &leaf.path);
            self.note_read(&cells, member, None);
            let decoded = self.domain.decode(self.builder, member, &cells);
            let domain = self.domain;
            shadow.push(domain.receive(self, site, member, decoded));
        }
        shadow
    }

    /// The order matters, see [`Self::store_in_slot`].
    pub(super) fn take_cells(&self, slot: Slot, offset: u64, leaf: Type) -> Vec<Value> {
        let alignment = slot_alignment(offset);
        let types = self.domain.cells(self.builder, leaf);
        let places: Vec<(Type, Value)> = (0u64..)
            .zip(types)
            .map(|(index, ty)| (ty, self.cell_address(slot, index, offset)))
            .collect();
        let load =
            |(ty, address): &(Type, Value)| self.builder.load_in_order(*ty, *address, alignment);
        let mut cells: Vec<Value> = places.iter().rev().map(load).collect();
        cells.reverse();
        for (ty, address) in places {
            self.builder
                .store_in_order(builder::null(ty), address, alignment);
        }
        cells
    }

    /// Behind a call, and behind the address of the slot if that was computed there.
    fn after_slot(&self, call: Value, address: Value) {
        match self.is_guarded() {
            true => self.builder.after(address),
            false => self.after(call),
        }
    }

    pub(super) fn cell_address(&self, slot: Slot, plane: u64, offset: u64) -> Value {
        self.builder
            .offset(slot.address, plane * slot.stride + offset)
    }

    // ---- the callee's side ----

    pub(super) fn receive_arguments(&mut self) {
        let function = self.function;
        let types = ir::parameter_types(ir::function_type(function));
        let by_value = |index| ir::by_value_type(function, index);
        for argument in lay_out_arguments(self, &types, by_value) {
            let value = ir::parameters(function)[argument.index as usize];
            self.builder
                .before(ir::first_insertion_point(ir::entry(function)));
            let slot = self.argument_slot();
            self.builder
                .before(ir::first_free_point(ir::entry(function), slot.address));
            match argument.by_value {
                Some(bytes) if self.domain.storage().is_some() => {
                    let from = self.builder.offset(slot.address, argument.offset);
                    self.copy_from_caller(value, from, bytes);
                }
                Some(bytes) => {
                    let from = self.builder.offset(slot.address, argument.offset);
                    let bytes = builder::integer(self.builder.types.i64, bytes);
                    self.exchange_with_slot(value, from, slot.stride, bytes, false);
                }
                None => {
                    let leaves = self.leaves_of(value);
                    let site = self.entry_site(&leaves[0]);
                    let shadow = self.take_from_slot(slot, argument.offset, value, &leaves, site);
                    self.count(ir::entry(function), site, leaves.len() as u32);
                    self.set(value, shadow);
                }
            }
        }
        self.receive_variadic_arguments();
    }

    /// Where shadows are kept elsewhere, the caller says where the memory is that was passed by value.
    fn copy_from_caller(&self, to: Value, slot: Value, bytes: u64) {
        let builder = self.builder;
        let types = builder.types;
        let from = builder.load_in_order(types.pointer, slot, 8);
        builder.store_in_order(builder::null(types.pointer), slot, 8);
        builder.call_runtime(
            functions::SHADOW_COPY,
            &[to, from, builder::integer(types.i64, bytes)],
        );
    }

    /// The site table lists every function that takes memory, even one that computes nothing, and every name under which
    /// other modules may call a function: others are reported as not compiled by lostbits.
    pub(super) fn register_function(&mut self) {
        let types = ir::parameter_types(ir::function_type(self.function));
        let takes_memory = types.contains(&self.builder.types.pointer);
        let aliases = ir::exported_aliases(self.builder.module(), self.function);
        let is_exported = !ir::is_local(self.function);
        if takes_memory {
            let own = is_exported.then(|| ir::name(self.function));
            for name in own.iter().chain(&aliases) {
                lending::mark_compiled(self, name);
            }
        }
        if !self.domain.lists_functions() {
            return;
        }
        let entry = || Description {
            what: What::Argument,
            kind: Some(FpKind::Double),
            lanes: 1,
            callee: "",
            note: None,
        };
        if takes_memory && is_exported {
            self.module.sites.at_entry(self.function, entry());
        }
        for alias in &aliases {
            let sites = &mut self.module.sites;
            sites.at_entry_of_alias(alias, self.function, entry());
        }
    }

    fn entry_site(&mut self, leaf: &Leaf) -> u32 {
        let lanes = shape::lanes(leaf.ty);
        let what = Description {
            what: What::Argument,
            kind: Some(leaf.kind),
            lanes,
            callee: "",
            note: None,
        };
        self.module.sites.at_entry(self.function, what)
    }

    pub(super) fn visit_return(&mut self, instruction: Value) {
        let Some(value) = ir::operands(instruction).first().copied() else {
            return;
        };
        self.return_integers(instruction, value);
        let leaves = self.leaves_of(value);
        if let Some(leaf) = leaves.first().filter(|_| self.domain.lists_functions()) {
            // The tables are to know every function that gives a number back, even one that computes nothing.
            self.entry_site(leaf);
        }
        if mutants::is_active(Mutant::ResultNotSent) {
            return;
        }
        // What a tail call left in the slot is already what our caller shall find.
        if leaves.is_empty() || is_result_of_tail_call(value) || !fits_return(self, value) {
            return;
        }
        self.builder.before(instruction);
        let slot = self.return_slot();
        self.builder.before(instruction);
        for (leaf, shadow) in leaves.iter().zip(self.shadow(value)) {
            self.store_in_slot(slot, 0, value, leaf, &shadow);
        }
    }

    // ---- the caller's side ----

    pub(super) fn visit_call(&mut self, call: Value) {
        let callee = ir::callee(call);
        if ir::is_inline_assembly(callee) {
            return self.stop_tracking(call, Lost::InlineAssembly);
        }
        let Some(function) = ir::as_function(callee) else {
            return self.follow_call(call, "");
        };
        if let Some(name) = ir::intrinsic_name(function) {
            return self.visit_intrinsic(call, name);
        }
        let name = ir::name(function);
        let domain = self.domain;
        if domain.replaces_call(self, call, &name) {
            return;
        }
        if ir::is_declaration(function) {
            lending::follow_allocation(self, call, &name);
        }
        if let Some(marker) = marker_of(call) {
            return self.visit_marker(call, marker);
        }
        match name.as_str() {
            // Its parts are used as what they stand for.
            _ if ir::is_marked(call, complex::MARK) => {}
            _ if !ir::is_declaration(function) => self.follow_call(call, &name),
            "memcpy" | "memmove" | "mempcpy" => self.copy_shadows(call, true),
            "memset" => self.clear_filled(call, ir::operand(call, 0), ir::operand(call, 2)),
            "bzero" => self.clear_filled(call, ir::operand(call, 0), ir::operand(call, 1)),
            "calloc" => self.clear_allocated(call),
            "realloc" => self.move_reallocated(call),
            _ if fortran::moves_or_computes(self, call, &name) => {}
            _ if sorting::follow(self, call, &name) => {}
            _ => match operation_of(&name) {
                Some((op, kind)) if is_library_operation(call, kind) => {
                    self.operate(call, op, &operands_of_call(call), &name)
                }
                _ => {
                    let domain = self.domain;
                    domain.observe_external_call(self, call, &name);
                    lending::follow(self, call, &name);
                    self.follow_call(call, &name)
                }
            },
        }
    }

    fn visit_intrinsic(&mut self, call: Value, name: &str) {
        match name {
            "llvm.memcpy" | "llvm.memcpy.inline" => self.copy_shadows(call, false),
            "llvm.memmove" => self.copy_shadows(call, true),
            "llvm.memset" | "llvm.memset.inline" => {
                self.clear_filled(call, ir::operand(call, 0), ir::operand(call, 2))
            }
            "llvm.masked.load" | "llvm.masked.gather" => self.visit_masked_load(call, name),
            "llvm.masked.store" | "llvm.masked.scatter" => self.visit_masked_store(call, name),
            "llvm.va_start" => self.start_variadic(call),
            "llvm.va_copy" => self.copy_variadic(call),
            "llvm.arithmetic.fence" => {
                let source = ir::operand(call, 0);
                self.map(call, source, |_, component| component)
            }
            _ => match Op::from_intrinsic(name) {
                Some(op) => self.operate(call, op, &ir::arguments(call), ""),
                None => self.stop_tracking(call, Lost::UnknownOperation),
            },
        }
    }

    /// A call of a function that may be instrumented, or not.
    fn follow_call(&mut self, call: Value, name: &str) {
        self.steer_arguments(call);
        self.send_arguments(call);
        let leaves = self.leaves_of(call);
        if leaves.is_empty() || ir::is_must_tail(call) {
            return;
        }
        if !fits_return(self, call) {
            return self.stop_tracking(call, Lost::TooManyBytes);
        }
        self.after(call);
        let slot = self.return_slot();
        let site = self.site(call, What::Return, &leaves[0], name);
        self.after_slot(call, slot.address);
        let mut shadow = self.take_from_slot(slot, 0, call, &leaves, site);
        if let Some(storage) = self.domain.storage() {
            for (leaf, shadow) in leaves.iter().zip(&mut shadow) {
                let member = self.builder.member(call, &leaf.path);
                *shadow = storage.copy_result(self, member, shadow);
            }
        }
        self.count(ir::parent_block(call), site, leaves.len() as u32);
        self.set(call, shadow);
    }

    /// Functions that are only declared may not be instrumented: printing, for one.
    fn steer_arguments(&mut self, call: Value) {
        let Some(storage) = self.domain.storage() else {
            return;
        };
        let is_declared = ir::as_function(ir::callee(call)).is_some_and(ir::is_declaration);
        if !is_declared || ir::is_must_tail(call) {
            return;
        }
        for (index, argument) in (0..).zip(ir::arguments(call)) {
            if shape::fp_kind(ir::type_of(argument)).is_none() {
                continue;
            }
            let shadow = self.leaf_shadow(argument);
            self.builder.before(call);
            let steered = storage.steer(self, argument, &shadow);
            if steered != argument {
                ir::set_operand(call, index, steered);
                self.set(steered, vec![shadow]);
            }
        }
    }

    fn send_arguments(&mut self, call: Value) {
        if mutants::is_active(Mutant::ArgumentsNotSent) {
            return;
        }
        let function_type = ir::called_function_type(call);
        let arguments = ir::arguments(call);
        let fixed = ir::parameter_types(function_type);
        let by_value = |index| ir::call_by_value_type(call, index);
        for argument in lay_out_arguments(self, &fixed, by_value) {
            let value = arguments[argument.index as usize];
            self.builder.before(call);
            let slot = self.argument_slot();
            self.builder.before(call);
            match argument.by_value {
                Some(_) if self.domain.storage().is_some() => {
                    let to = self.builder.offset(slot.address, argument.offset);
                    self.builder.store_in_order(value, to, 8);
                }
                Some(bytes) => {
                    let to = self.builder.offset(slot.address, argument.offset);
                    let bytes = builder::integer(self.builder.types.i64, bytes);
                    self.exchange_with_slot(value, to, slot.stride, bytes, true);
                }
                None => {
                    let leaves = self.leaves_of(value);
                    // The frame is given back before a tail call; what refers to it must not cross.
                    let is_left = self.domain.storage().is_some() && ir::is_must_tail(call);
                    let shadow = match is_left {
                        true => self.fresh(value),
                        false => self.shadow(value),
                    };
                    for (leaf, shadow) in leaves.iter().zip(shadow) {
                        self.store_in_slot(slot, argument.offset, value, leaf, &shadow);
                    }
                }
            }
        }
        self.send_integers(call);
        if ir::is_variadic(function_type) {
            self.send_variadic_arguments(call, fixed.len());
        }
    }

    /// What follows an invoke is in its normal destination; where that has other predecessors, a block of its own is put
    /// between.
    pub(super) fn split_invoke_edges(&mut self) {
        let blocks = ir::blocks(self.function);
        // Counted beforehand: of two invokes with one destination, both edges are split.
        let mut predecessors: HashMap<Block, usize> = HashMap::new();
        for successor in blocks.iter().flat_map(|block| ir::successors(*block)) {
            *predecessors.entry(successor).or_default() += 1;
        }
        for block in &blocks {
            let last = ir::terminator(*block);
            let is_followed = ir::opcode(last) == Opcode::LLVMInvoke
                && (!self.leaves_of(last).is_empty()
                    || self.gives_integers(last)
                    || self.domain.follows_lent_memory()
                    || sorting::is_sort(last));
            if !is_followed {
                continue;
            }
            let destination = ir::normal_destination(last);
            if predecessors[&destination] > 1 {
                ir::split_edge(*block, destination);
            }
        }
    }
}

/// Where an argument lies in the slot.
pub(super) struct SlotArgument {
    pub index: u32,
    pub offset: u64,
    /// Bytes of an argument that is passed by value through memory.
    pub by_value: Option<u64>,
}

/// The arguments that have shadows, in the order both sides agree on; those that do not fit are left
/// out.
pub(super) fn lay_out_arguments(
    cx: &FunctionInstrumenter,
    types: &[Type],
    by_value: impl Fn(u32) -> Option<Type>,
) -> Vec<SlotArgument> {
    let mut placed = Vec::new();
    let mut offset = 0u64;
    for (index, ty) in (0..).zip(types) {
        let memory = by_value(index);
        if memory.is_none() && shape::leaves(cx.layout, *ty).is_empty() {
            continue;
        }
        let bytes = cx.layout.stride(memory.unwrap_or(*ty));
        let end = offset + bytes.next_multiple_of(SLOT_ALIGNMENT);
        if end <= ARGUMENT_BYTES {
            placed.push(SlotArgument {
                index,
                offset,
                by_value: memory.map(|_| bytes),
            });
        }
        offset = end;
    }
    placed
}

fn fits_return(cx: &FunctionInstrumenter, value: Value) -> bool {
    cx.layout.stride(ir::type_of(value)) <= RETURN_BYTES
}

pub(super) fn slot_alignment(offset: u64) -> u32 {
    match offset {
        0 => SLOT_ALIGNMENT as u32,
        offset => 1 << offset.trailing_zeros().min(4),
    }
}

fn is_result_of_tail_call(value: Value) -> bool {
    ir::is_instruction(value) && ir::opcode(value) == Opcode::LLVMCall && ir::is_must_tail(value)
}
