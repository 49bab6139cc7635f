//! Variadic arguments, as the x86-64 System V ABI passes them.
//!
//! The callee finds its variadic arguments in memory that its prologue and its caller's code wrote
//! without our seeing it: a register save area and an overflow area on the stack. The caller leaves
//! the cells of floating-point arguments in a slot laid out like those two areas; the callee
//! copies the slot when it is entered, and lays the copy over the areas' mirrors at `va_start`.
//! The first word of the slot, where integer registers would be, holds the size of the overflow part.

use lostbits_abi::{
    kind::FpKind,
    shadow::{SAVE_AREA_BYTES, SAVE_AREA_VECTOR_BYTES, SAVE_AREA_VECTORS, VARIADIC_BYTES},
    variables,
};

use super::{
    FunctionInstrumenter,
    calls::{SLOT_ALIGNMENT, Slot},
    guard::CellPlace,
};
use crate::{
    builder,
    ir::{self, Type, Value},
    shape,
};

/// Fields of `va_list`, and its size.
const OVERFLOW_AREA_FIELD: u64 = 8;
const SAVE_AREA_FIELD: u64 = 16;
const VA_LIST_BYTES: u64 = 24;

const INTEGER_REGISTERS: u64 = 6;
const VECTOR_REGISTERS: u64 = 8;

impl FunctionInstrumenter<'_> {
    fn variadic_slot(&mut self) -> Slot {
        let address = match self.slots.variadic {
            Some(address) => address,
            None => self.thread_slot(variables::VARIADIC),
        };
        self.slots.variadic = Some(address).filter(|_| !self.is_guarded());
        Slot {
            address,
            stride: VARIADIC_BYTES,
        }
    }

    pub(super) fn send_variadic_arguments(&mut self, call: Value, fixed: usize) {
        let arguments = ir::arguments(call);
        let mut places = VariadicLayout::default();
        let mut sent = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let by_value = ir::call_by_value_type(call, index as u32);
            let place = places.next(self, ir::type_of(*argument), by_value);
            let is_sent = index >= fixed && shape::fp_kind(ir::type_of(*argument)).is_some();
            if let Some(offset) = place.filter(|_| is_sent) {
                sent.push((*argument, offset));
            }
        }
        if sent.is_empty() {
            return;
        }
        self.builder.before(call);
        let slot = self.variadic_slot();
        self.builder.before(call);
        for (argument, offset) in sent {
            let shadow = self.leaf_shadow(argument);
            let word = shadow.first().map(|word| self.local(*word));
            let cells = self.domain.encode_variadic(self.builder, argument, &shadow);
            for (plane, cell) in (0u64..).zip(cells) {
                let address = self
                    .builder
                    .offset(slot.address, plane * slot.stride + offset);
                let writer = self.builder.store_in_order(cell, address, 8);
                if let Some(word) = word {
                    self.note_write(writer, 0, argument, word, CellPlace::Slot);
                }
            }
        }
        let overflow = builder::integer(self.builder.types.i64, places.overflow_bytes());
        self.builder
            .store(overflow, slot.address, SLOT_ALIGNMENT as u32);
    }

    /// Other calls will use the slot before `va_start` is reached, perhaps; so it is copied at once.
    pub(super) fn receive_variadic_arguments(&mut self) {
        if !ir::is_variadic(ir::function_type(self.function)) {
            return;
        }
        let entry = ir::entry(self.function);
        self.builder.before(ir::first_insertion_point(entry));
        let slot = self.variadic_slot();
        let types = self.builder.types;
        let planes = self.slot_planes();
        self.builder
            .before(ir::first_free_point(entry, slot.address));
        let area = types.array(types.i8, planes * VARIADIC_BYTES);
        let copy = self.builder.alloca(area, SLOT_ALIGNMENT as u32);
        let bytes = builder::integer(types.i64, planes * VARIADIC_BYTES);
        let copied = self.builder.copy_memory(copy, slot.address, bytes, false);
        let cleared = self.builder.clear_memory(slot.address, bytes);
        self.slots.variadic_copy = Some(copy);
        // At once, whether there are tags or not: `va_start` may come when there are.
        self.guards
            .in_place
            .extend([slot.address, copy, copied, cleared]);
    }

    pub(super) fn start_variadic(&mut self, call: Value) {
        let Some(copy) = self.slots.variadic_copy else {
            return;
        };
        let list = ir::operand(call, 0);
        let types = self.builder.types;
        // Where the areas are is read from the list, which the program will change.
        self.guards.ends.insert(ir::next(call));
        self.builder.after(call);
        let field = |offset| {
            self.builder
                .load(types.pointer, self.builder.offset(list, offset), 8)
        };
        let (save, overflow) = (field(SAVE_AREA_FIELD), field(OVERFLOW_AREA_FIELD));
        let vectors = SAVE_AREA_BYTES - SAVE_AREA_VECTORS;
        self.lay_over(
            self.builder.offset(save, SAVE_AREA_VECTORS),
            self.builder.offset(copy, SAVE_AREA_VECTORS),
            builder::integer(types.i64, vectors),
        );
        let overflow_bytes = self.builder.load(types.i64, copy, SLOT_ALIGNMENT as u32);
        let overflow_copy = self.builder.offset(copy, SAVE_AREA_BYTES);
        self.lay_over(overflow, overflow_copy, overflow_bytes);
    }

    fn lay_over(&mut self, memory: Value, copy: Value, bytes: Value) {
        match self.domain.storage() {
            Some(storage) => storage.store_variadic(self, memory, copy, VARIADIC_BYTES, bytes),
            None => self.exchange_with_slot(memory, copy, VARIADIC_BYTES, bytes, false),
        }
    }

    /// Only the list is copied, not what it leads to; but the list itself may lie over old cells.
    pub(super) fn copy_variadic(&mut self, call: Value) {
        let bytes = builder::integer(self.builder.types.i64, VA_LIST_BYTES);
        self.clear_filled(call, ir::operand(call, 0), bytes);
    }
}

/// Where arguments go, one after another.
#[derive(Default)]
struct VariadicLayout {
    integers: u64,
    vectors: u64,
    overflow: u64,
}

impl VariadicLayout {
    /// The offset of the next argument in the save and overflow areas; none if it is beyond the slot
    /// or of no interest.
    fn next(&mut self, cx: &FunctionInstrumenter, ty: Type, by_value: Option<Type>) -> Option<u64> {
        if let Some(memory) = by_value {
            return self.in_memory(cx.layout.stride(memory), 8);
        }
        match shape::fp_kind(ty) {
            Some(FpKind::X87) => self.in_memory(16, 16),
            Some(_) if self.vectors < VECTOR_REGISTERS => {
                self.vectors += 1;
                let register = (self.vectors - 1) * SAVE_AREA_VECTOR_BYTES;
                Some(SAVE_AREA_VECTORS + register)
            }
            Some(_) => self.in_memory(cx.layout.stride(ty), 8),
            None if self.integers < INTEGER_REGISTERS => {
                self.integers += 1;
                None
            }
            None => self.in_memory(8, 8),
        }
    }

    fn in_memory(&mut self, bytes: u64, alignment: u64) -> Option<u64> {
        let start = self.overflow.next_multiple_of(alignment);
        self.overflow = start + bytes.next_multiple_of(8);
        (SAVE_AREA_BYTES + self.overflow <= VARIADIC_BYTES).then_some(SAVE_AREA_BYTES + start)
    }

    fn overflow_bytes(&self) -> u64 {
        self.overflow.min(VARIADIC_BYTES - SAVE_AREA_BYTES)
    }
}
