//! Numbers that functions pass as integers: unions, `std::variant`, structures of a float and an int, which the ABI puts
//! into integer registers. What such an integer carries (see [`super::bits`]) lies in the slots of arguments and
//! results, where no number's cells are; who takes a number out of the integer finds out whether it fits.
//!
//! # What it can miss
//!
//! Integers of 32 bits (a union of a float and an int), which are far too many; in high precision, floats.

use lostbits_abi::shadow::{ARGUMENT_BYTES, RETURN_BYTES};

use super::{
    FunctionInstrumenter, LeafShadow,
    calls::{SLOT_ALIGNMENT, Slot, SlotArgument, lay_out_arguments, slot_alignment},
    memory::{Place, has_no_mirror},
};
use crate::ir::{self, Layout, Opcode, Type, TypeKind, Value};

/// An integer within a type that can hold a number: the indices that lead to it, and bytes from the start.
struct Integer {
    path: Vec<u32>,
    offset: u64,
    ty: Type,
}

fn is_wide_integer(ty: Type) -> bool {
    ir::type_kind(ty) == TypeKind::LLVMIntegerTypeKind && ir::int_width(ty) == 64
}

/// The integers of a type that fits into registers: itself, or members of a structure.
fn integers(layout: Layout, ty: Type) -> Vec<Integer> {
    let members = match ir::type_kind(ty) {
        TypeKind::LLVMStructTypeKind => ir::struct_elements(ty),
        _ if is_wide_integer(ty) => {
            let path = Vec::new();
            return vec![Integer {
                path,
                offset: 0,
                ty,
            }];
        }
        _ => return Vec::new(),
    };
    (0..)
        .zip(members)
        .filter(|(_, member)| is_wide_integer(*member))
        .map(|(index, member)| Integer {
            path: vec![index],
            offset: layout.offset(ty, index),
            ty: member,
        })
        .filter(|integer| integer.offset + 8 <= RETURN_BYTES)
        .collect()
}

/// Where the integers among the arguments lie in the slot: behind the numbers.
fn lay_out_integers(
    cx: &FunctionInstrumenter,
    types: &[Type],
    by_value: impl Fn(u32) -> Option<Type>,
) -> Vec<(u32, u64)> {
    let end_of = |placed: &SlotArgument| {
        let ty = types[placed.index as usize];
        placed.offset + placed.by_value.unwrap_or(cx.layout.stride(ty))
    };
    let numbers = lay_out_arguments(cx, types, by_value);
    let start = numbers.iter().map(end_of).max().unwrap_or(0);
    let offsets = (start.next_multiple_of(SLOT_ALIGNMENT)..).step_by(SLOT_ALIGNMENT as usize);
    let integers = (0..)
        .zip(types)
        .filter(|(_, ty)| is_wide_integer(**ty))
        .map(|(index, _)| index);
    integers
        .zip(offsets)
        .filter(|(_, offset)| offset + SLOT_ALIGNMENT <= ARGUMENT_BYTES)
        .collect()
}

/// The call that an integer is a part of the result of, and which part.
fn result_of_call(value: Value) -> Option<(Value, Vec<u32>)> {
    let is_part = ir::opcode(value) == Opcode::LLVMExtractValue;
    let (call, path) = match is_part {
        true => (ir::operand(value, 0), ir::indices(value)),
        false => (value, Vec::new()),
    };
    (ir::is_instruction(call) && may_give_numbers(call)).then_some((call, path))
}

/// Functions of the program's own, or such as may be.
fn may_give_numbers(call: Value) -> bool {
    let is_call = matches!(ir::opcode(call), Opcode::LLVMCall | Opcode::LLVMInvoke);
    if !is_call || ir::is_must_tail(call) || ir::is_inline_assembly(ir::callee(call)) {
        return false;
    }
    let function = ir::as_function(ir::callee(call));
    function.and_then(ir::intrinsic_name).is_none()
}

impl FunctionInstrumenter<'_> {
    /// Whether the result of a call holds integers that may be numbers.
    pub(super) fn gives_integers(&self, call: Value) -> bool {
        self.domain.tracks_integer_arguments()
            && may_give_numbers(call)
            && !integers(self.layout, ir::type_of(call)).is_empty()
    }

    /// Whether an integer came from a caller or from a function that was called.
    pub(super) fn was_passed(&self, value: Value) -> bool {
        match ir::is_instruction(value) {
            true => self.result_integer(value).is_some(),
            false => self.offset_of_parameter(value).is_some(),
        }
    }

    fn result_integer(&self, value: Value) -> Option<(Value, Integer)> {
        let (call, path) =
            result_of_call(value).filter(|_| self.domain.tracks_integer_arguments())?;
        let integer = integers(self.layout, ir::type_of(call))
            .into_iter()
            .find(|integer| integer.path == path)?;
        Some((call, integer))
    }

    fn offset_of_parameter(&self, value: Value) -> Option<u64> {
        let is_followed =
            self.domain.tracks_integer_arguments() && is_wide_integer(ir::type_of(value));
        let parameters = is_followed.then(|| ir::parameters(self.function))?;
        let index = parameters
            .iter()
            .position(|parameter| *parameter == value)?;
        let types = ir::parameter_types(ir::function_type(self.function));
        let by_value = |index| ir::by_value_type(self.function, index);
        lay_out_integers(self, &types, by_value)
            .into_iter()
            .find(|(at, _)| *at as usize == index)
            .map(|(_, offset)| offset)
    }

    /// What such an integer carries.
    pub(super) fn take_passed(&mut self, value: Value) -> LeafShadow {
        match ir::is_instruction(value) {
            true => self.take_result(value),
            false => self.take_parameter(value),
        }
    }

    fn take_parameter(&mut self, parameter: Value) -> LeafShadow {
        let offset = self
            .offset_of_parameter(parameter)
            .expect("it was found to be passed");
        let entry = ir::entry(self.function);
        self.builder.before(ir::first_insertion_point(entry));
        let slot = self.argument_slot();
        self.builder
            .before(ir::first_free_point(entry, slot.address));
        self.take_integer(slot, offset, parameter)
    }

    fn take_integer(&self, slot: Slot, offset: u64, value: Value) -> LeafShadow {
        let cells = self.take_cells(slot, offset, ir::type_of(value));
        self.domain.decode(self.builder, value, &cells).shadow
    }

    fn take_result(&mut self, value: Value) -> LeafShadow {
        let (call, integer) = self
            .result_integer(value)
            .expect("it was found to be passed");
        // The slot is cleared when it is read, so that one of several equal parts reads it for all.
        let first = ir::uses(call)
            .into_iter()
            .find(|other| *other != value && result_of_call(*other) == result_of_call(value));
        if let Some(Some(known)) = first.and_then(|first| self.bits.get(&first)) {
            return known.clone();
        }
        self.take_from_result(call, &integer)
    }

    fn take_from_result(&mut self, call: Value, integer: &Integer) -> LeafShadow {
        self.after(call);
        let slot = self.return_slot();
        self.after(call);
        let member = self.builder.member(call, &integer.path);
        let carried = self.take_integer(slot, integer.offset, member);
        match self.domain.storage() {
            Some(storage) => storage.copy_result(self, member, &carried),
            None => carried,
        }
    }

    fn leave_in_slot(&self, slot: Slot, offset: u64, value: Value, carried: &[Value]) {
        let words = self.domain.encode(self.builder, value, carried);
        for (plane, word) in (0u64..).zip(words) {
            let address = self.cell_address(slot, plane, offset);
            self.builder
                .store_in_order(word, address, slot_alignment(offset));
        }
    }

    /// The arguments of a call.
    pub(super) fn send_integers(&mut self, call: Value) {
        if !self.domain.tracks_integer_arguments() {
            return;
        }
        let arguments = ir::arguments(call);
        let types = ir::parameter_types(ir::called_function_type(call));
        let by_value = |index| ir::call_by_value_type(call, index);
        for (index, offset) in lay_out_integers(self, &types, by_value) {
            let value = arguments[index as usize];
            // The frame is given back before a tail call; what refers to it must not cross.
            let is_left = self.domain.storage().is_some() && ir::is_must_tail(call);
            let Some(carried) = self.bits_shadow(value).filter(|_| !is_left) else {
                continue;
            };
            self.builder.before(call);
            let slot = self.argument_slot();
            self.builder.before(call);
            self.leave_in_slot(slot, offset, value, &carried);
        }
    }

    /// The result of this function.
    pub(super) fn return_integers(&mut self, instruction: Value, value: Value) {
        if !self.domain.tracks_integer_arguments() {
            return;
        }
        for integer in integers(self.layout, ir::type_of(value)) {
            let Some(carried) = self.carried_by_member(value, &integer) else {
                continue;
            };
            self.builder.before(instruction);
            let slot = self.return_slot();
            self.builder.before(instruction);
            let member = self.builder.member(value, &integer.path);
            self.leave_in_slot(slot, integer.offset, member, &carried);
        }
    }

    /// A structure that is stored as a whole, as it came from a function.
    pub(super) fn store_integers(&mut self, store: Value, value: Value, pointer: Value) {
        let is_structure = ir::type_kind(ir::type_of(value)) == TypeKind::LLVMStructTypeKind;
        if !is_structure || !self.domain.tracks_integer_arguments() {
            return;
        }
        for integer in integers(self.layout, ir::type_of(value)) {
            let Some(carried) = self.carried_by_member(value, &integer) else {
                continue;
            };
            self.builder.before(store);
            let member = self.builder.member(value, &integer.path);
            if let Some(storage) = self.domain.storage() {
                let address = self.builder.offset(pointer, integer.offset);
                storage.store(self, address, member, &carried);
                continue;
            }
            let place = Place {
                pointer,
                offset: integer.offset,
                alignment: ir::alignment(store),
            };
            self.store_shadow(&place, member, &carried, None);
        }
    }

    fn carried_by_member(&mut self, value: Value, integer: &Integer) -> Option<LeafShadow> {
        if integer.path.is_empty() {
            return self.bits_shadow(value);
        }
        if !ir::is_instruction(value) {
            return None;
        }
        match ir::opcode(value) {
            Opcode::LLVMInsertValue if ir::indices(value) == integer.path => {
                self.bits_shadow(ir::operand(value, 1))
            }
            Opcode::LLVMInsertValue => self.carried_by_member(ir::operand(value, 0), integer),
            Opcode::LLVMLoad if !has_no_mirror(ir::operand(value, 0)) => {
                Some(self.load_member(value, integer))
            }
            _ if may_give_numbers(value) => Some(self.take_from_result(value, integer)),
            _ => None,
        }
    }

    fn load_member(&mut self, load: Value, integer: &Integer) -> LeafShadow {
        self.builder.after(load);
        let pointer = ir::operand(load, 0);
        if let Some(storage) = self.domain.storage() {
            let address = self.builder.offset(pointer, integer.offset);
            let member = self.builder.member(load, &integer.path);
            return storage.load(self, address, member);
        }
        let place = Place {
            pointer,
            offset: integer.offset,
            alignment: ir::alignment(load),
        };
        self.load_cells(&place, integer.ty)
    }
}
