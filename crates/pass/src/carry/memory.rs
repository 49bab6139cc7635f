//! Shadows in memory: cells in the mirrored planes, written and read beside the program's accesses.

use lostbits_abi::{
    functions,
    shadow::distance,
    site::{Lost, What},
};

use super::{FunctionInstrumenter, Shadow, guard::CellPlace};
use crate::{
    ir::{self, Type, Value},
    mutants::{self, Mutant},
    shape,
};

/// Copies of up to this many bytes are made in line.
const INLINE_COPY_BYTES: u64 = 128;

impl FunctionInstrumenter<'_> {
    fn planes(&self) -> &'static [usize] {
        lostbits_abi::shadow::planes(self.domain.mode())
    }

    pub(super) fn visit_load(&mut self, load: Value) {
        let leaves = self.leaves_of(load);
        let pointer = ir::operand(load, 0);
        if leaves.is_empty() {
            return;
        }
        if ir::is_atomic(load) && !self.domain.tracks_atomics() {
            return self.stop_tracking(load, Lost::Atomic);
        }
        let forgets = mutants::is_active(Mutant::LoadWithoutCell);
        if forgets || has_no_mirror(pointer) || ir::points_to_constant(pointer) {
            self.builder.after(load);
            let fresh = self.fresh(load);
            return self.set(load, fresh);
        }
        let is_atomic = ir::is_atomic(load);
        if is_atomic {
            self.lock_load(load);
        }
        let site = self.site(load, What::Load, &leaves[0], "");
        self.builder.after(load);
        let mut shadow = Shadow::new();
        for leaf in &leaves {
            let place = Place {
                pointer,
                offset: leaf.offset,
                alignment: ir::alignment(load),
            };
            let value = self.builder.member(load, &leaf.path);
            if let Some(storage) = self.domain.storage() {
                let address = self.builder.offset(pointer, leaf.offset);
                shadow.push(storage.load(self, address, value));
                if is_atomic {
                    self.leave_lock();
                }
                continue;
            }
            let cells = self.load_cells(&place, leaf.ty);
            if is_atomic {
                self.leave_lock();
            }
            self.note_read(&cells, value, whole(&leaf.path, pointer));
            let decoded = self.domain.decode(self.builder, value, &cells);
            self.refresh_cell(&cells, value, &decoded.shadow);
            let domain = self.domain;
            shadow.push(domain.receive(self, site, value, decoded));
        }
        let lanes = leaves.iter().map(|leaf| shape::lanes(leaf.ty)).sum();
        self.count(ir::parent_block(load), site, lanes);
        self.set(load, shadow);
    }

    pub(super) fn visit_store(&mut self, store: Value) {
        let (value, pointer) = (ir::operand(store, 0), ir::operand(store, 1));
        if has_no_mirror(pointer) {
            return;
        }
        self.store_integers(store, value, pointer);
        let alignment = ir::alignment(store);
        let leaves = self.leaves_of(value);
        if leaves.is_empty() {
            return self.store_bits(store, value, pointer);
        }
        self.builder.before(store);
        for (leaf, shadow) in leaves.iter().zip(self.shadow(value)) {
            let member = self.builder.member(value, &leaf.path);
            if let Some(storage) = self.domain.storage() {
                let address = self.builder.offset(pointer, leaf.offset);
                storage.store(self, address, member, &shadow);
                continue;
            }
            let place = Place {
                pointer,
                offset: leaf.offset,
                alignment,
            };
            self.store_shadow(&place, member, &shadow, whole(&leaf.path, pointer));
        }
    }

    /// Integers may be floating-point values on their way: sorting by swapping words, structs copied
    /// in pieces. A stored zero may be a floating-point one, so it voids what was there.
    fn store_bits(&mut self, store: Value, value: Value, pointer: Value) {
        if !shape::can_hold_bits(self.layout, ir::type_of(value)) {
            return self.store_piece(store, value, pointer);
        }
        let place = Place {
            pointer,
            offset: 0,
            alignment: ir::alignment(store),
        };
        if let Some(storage) = self.domain.storage() {
            if ir::is_null(value) {
                self.builder.before(store);
                let bytes = self.layout.stride(ir::type_of(value));
                let bytes = crate::builder::integer(self.builder.types.i64, bytes);
                self.clear_shadows(pointer, bytes);
            } else if let Some(shadow) = self.bits_shadow(value) {
                self.builder.before(store);
                storage.store(self, pointer, value, &shadow);
            }
            return;
        }
        if ir::is_null(value) {
            self.builder.before(store);
            let fresh = self.domain.fresh(self.builder, value);
            self.store_shadow(&place, value, &fresh, Some(pointer));
        } else if let Some(shadow) = self.bits_shadow(value) {
            self.builder.before(store);
            self.store_shadow(&place, value, &shadow, Some(pointer));
        }
    }

    /// A byte or two that come from memory may be a piece of a number that is copied byte by byte. Pieces of its cells go
    /// along: they fit the value again once all of it is there.
    fn store_piece(&mut self, store: Value, value: Value, pointer: Value) {
        let is_piece = ir::type_kind(ir::type_of(value)) == ir::TypeKind::LLVMIntegerTypeKind
            && matches!(ir::int_width(ir::type_of(value)), 8 | 16);
        let is_loaded = is_piece
            && ir::is_instruction(value)
            && ir::opcode(value) == ir::Opcode::LLVMLoad
            && !ir::is_atomic(value);
        let is_followed = is_loaded && !ir::is_atomic(store) && !self.is_guarded();
        if !is_followed || has_no_mirror(ir::operand(value, 0)) {
            return;
        }
        let from = ir::operand(value, 0);
        if self.domain.storage().is_some() {
            self.builder.before(store);
            let bytes = self.layout.stride(ir::type_of(value));
            let bytes = crate::builder::integer(self.builder.types.i64, bytes);
            self.builder
                .call_runtime(functions::SHADOW_COPY_PIECE, &[pointer, from, bytes]);
            return;
        }
        for plane in self.planes() {
            self.builder.after(value);
            let mirror = self.builder.mirror(from, distance(*plane));
            let piece = self.builder.load(ir::type_of(value), mirror, 1);
            self.builder.before(store);
            let mirror = self.builder.mirror(pointer, distance(*plane));
            self.builder.store(piece, mirror, 1);
        }
    }

    pub(super) fn load_cells(&self, place: &Place, leaf: Type) -> Vec<Value> {
        let types = self.domain.cells(self.builder, leaf);
        let load = |(plane, ty): (&usize, Type)| {
            let mirror = self.builder.mirror(place.pointer, distance(*plane));
            let address = self.builder.offset(mirror, place.offset);
            self.builder.load(ty, address, place.alignment())
        };
        self.planes().iter().zip(types).map(load).collect()
    }

    /// Writes the cells of a scalar or vector; `whole` is the pointer if nothing else is stored with it.
    pub(super) fn store_shadow(
        &mut self,
        place: &Place,
        value: Value,
        shadow: &[Value],
        whole: Option<Value>,
    ) {
        if mutants::is_active(Mutant::StoreWithoutCell) {
            return;
        }
        let word = shadow.first().map(|word| self.local(*word));
        let cells = self.domain.encode(self.builder, value, shadow);
        for (plane, cell) in self.planes().iter().zip(cells) {
            let mirror = self.builder.mirror(place.pointer, distance(*plane));
            let address = self.builder.offset(mirror, place.offset);
            let writer = self.builder.store(cell, address, place.alignment());
            if let Some(word) = word {
                let place = whole.map_or(CellPlace::Mirror, CellPlace::MirrorOf);
                self.note_write(writer, 0, value, word, place);
            }
        }
    }

    // ---- whole stretches ----

    pub(super) fn copy_shadows(&mut self, call: Value, overlapping: bool) {
        let (to, from) = (ir::operand(call, 0), ir::operand(call, 1));
        let bytes = ir::operand(call, 2);
        let forgets = mutants::is_active(Mutant::CopyWithoutShadows);
        if forgets || has_no_mirror(to) || has_no_mirror(from) {
            return;
        }
        self.builder.before(call);
        match ir::constant_integer(bytes) {
            // Nothing that small holds a shadow.
            Some(..=1) => {}
            Some(..=INLINE_COPY_BYTES) if self.domain.storage().is_none() => {
                for plane in self.planes() {
                    let to = self.builder.mirror(to, distance(*plane));
                    let from = self.builder.mirror(from, distance(*plane));
                    self.builder.copy_memory(to, from, bytes, overlapping);
                }
            }
            _ => {
                let types = self.builder.types;
                let bytes = self.builder.resize_unsigned(bytes, types.i64);
                self.builder
                    .call_runtime(functions::SHADOW_COPY, &[to, from, bytes]);
            }
        }
    }

    /// `bytes` from `to` on were filled by `call`.
    pub(super) fn clear_filled(&mut self, call: Value, to: Value, bytes: Value) {
        self.after(call);
        self.clear_shadows(to, bytes);
    }

    fn clear_shadows(&self, to: Value, bytes: Value) {
        if has_no_mirror(to) {
            return;
        }
        let is_small = matches!(ir::constant_integer(bytes), Some(..=INLINE_COPY_BYTES));
        if is_small && self.domain.storage().is_none() {
            for plane in self.planes() {
                self.builder
                    .clear_memory(self.builder.mirror(to, distance(*plane)), bytes);
            }
            return;
        }
        let types = self.builder.types;
        let bytes = self.builder.resize_unsigned(bytes, types.i64);
        self.builder
            .call_runtime(functions::SHADOW_CLEAR, &[to, bytes]);
    }

    /// `calloc(count, size)`: memory that may have had another life is zero now.
    pub(super) fn clear_allocated(&mut self, call: Value) {
        let (count, size) = (ir::operand(call, 0), ir::operand(call, 1));
        self.after(call);
        // The product cannot overflow if the allocation succeeded; if it failed, the pointer is
        // null and the runtime does nothing.
        let bytes = self.builder.binary(ir::Opcode::LLVMMul, count, size);
        self.clear_shadows(call, bytes);
    }

    /// `realloc(old, size)`: shadows follow a block that moved.
    pub(super) fn move_reallocated(&mut self, call: Value) {
        let (old, size) = (ir::operand(call, 0), ir::operand(call, 1));
        self.builder.before(call);
        let old_size = self.builder.call_runtime(functions::HEAP_SIZE, &[old]);
        self.after(call);
        self.builder
            .call_runtime(functions::SHADOW_MOVED, &[call, old, old_size, size]);
    }

    // ---- vectors of which some lanes are accessed ----

    /// `llvm.masked.load` and `llvm.masked.gather`: like a load, the cells of the lanes left out being
    /// those of the value that is passed through.
    pub(super) fn visit_masked_load(&mut self, call: Value, name: &str) {
        let Some(leaf) = self.leaves_of(call).into_iter().next() else {
            return;
        };
        let arguments = ir::arguments(call);
        let pointer = arguments[0];
        if has_no_mirror(pointer) {
            return self.stop_tracking(call, Lost::UnknownOperation);
        }
        let passed = *arguments
            .last()
            .expect("a masked load passes something through");
        let passed_shadow = self.leaf_shadow(passed);
        let site = self.site(call, What::Load, &leaf, "");
        self.builder.after(call);
        if let Some(storage) = self.domain.storage() {
            let (mask, step) = (
                arguments[arguments.len() - 2],
                self.layout.stride(shape::scalar(leaf.ty)),
            );
            let mut shadow = passed_shadow[0];
            for lane in 0..shape::lanes(leaf.ty) {
                let value = self.builder.extract_lane(call, lane);
                let address = self.lane_address(pointer, mask, lane, step);
                let loaded = storage.load(self, address, value)[0];
                let on = self.builder.extract_lane(mask, lane);
                let kept = self.builder.extract_lane(shadow, lane);
                let chosen = self.builder.select(on, loaded, kept);
                let index = crate::builder::integer(self.builder.types.i32, u64::from(lane));
                shadow = self.builder.insert_element(shadow, chosen, index);
            }
            self.count(ir::parent_block(call), site, shape::lanes(leaf.ty));
            return self.set(call, vec![vec![shadow]]);
        }
        let passed_cells = self.domain.encode(self.builder, passed, &passed_shadow);
        let mut cells = Vec::new();
        for (plane, passed) in self.planes().iter().zip(passed_cells) {
            let mirror = self.builder.mirror(pointer, distance(*plane));
            let mut arguments = arguments.clone();
            arguments[0] = mirror;
            *arguments.last_mut().expect("as above") = passed;
            let types = [ir::type_of(passed), ir::type_of(mirror)];
            cells.push(self.builder.intrinsic(name, &types, &arguments));
        }
        self.note_masked_read(&cells, call, passed);
        let decoded = self.domain.decode(self.builder, call, &cells);
        let domain = self.domain;
        let shadow = domain.receive(self, site, call, decoded);
        self.count(ir::parent_block(call), site, shape::lanes(leaf.ty));
        self.set(call, vec![shadow]);
    }

    /// `llvm.masked.store` and `llvm.masked.scatter`.
    pub(super) fn visit_masked_store(&mut self, call: Value, name: &str) {
        let arguments = ir::arguments(call);
        let (value, pointer) = (arguments[0], arguments[1]);
        if self.leaves_of(value).is_empty() || has_no_mirror(pointer) {
            return;
        }
        let shadow = self.leaf_shadow(value);
        self.builder.before(call);
        if let Some(storage) = self.domain.storage() {
            let (mask, ty) = (arguments[arguments.len() - 1], ir::type_of(value));
            let step = self.layout.stride(shape::scalar(ty));
            for lane in 0..shape::lanes(ty) {
                let value = self.builder.extract_lane(value, lane);
                let address = self.lane_address(pointer, mask, lane, step);
                let lane = self.builder.extract_lane(shadow[0], lane);
                storage.store(self, address, value, &[lane]);
            }
            return;
        }
        let word = shadow.first().map(|word| self.local(*word));
        let cells = self.domain.encode(self.builder, value, &shadow);
        for (plane, cell) in self.planes().iter().zip(cells) {
            let mirror = self.builder.mirror(pointer, distance(*plane));
            let mut arguments = arguments.clone();
            arguments[0] = cell;
            arguments[1] = mirror;
            let types = [ir::type_of(cell), ir::type_of(mirror)];
            let writer = self.builder.intrinsic(name, &types, &arguments);
            if let Some(word) = word {
                self.note_write(writer, 0, value, word, CellPlace::Mirror);
            }
        }
    }

    /// The address of a lane that is accessed if its bit of the mask is set; null if it is not.
    fn lane_address(&self, pointer: Value, mask: Value, lane: u32, step: u64) -> Value {
        let builder = self.builder;
        let address = match ir::type_kind(ir::type_of(pointer)) {
            ir::TypeKind::LLVMVectorTypeKind => builder.extract_lane(pointer, lane),
            _ => builder.offset(pointer, u64::from(lane) * step),
        };
        let null = crate::builder::null(builder.types.pointer);
        builder.select(builder.extract_lane(mask, lane), address, null)
    }

    /// Copies the cells of `bytes` of memory at `pointer` to or from a slot; the slot has the planes
    /// one after another, `stride` apart.
    pub(super) fn exchange_with_slot(
        &self,
        pointer: Value,
        slot: Value,
        stride: u64,
        bytes: Value,
        into_slot: bool,
    ) {
        for (index, plane) in (0u64..).zip(self.planes()) {
            let mirror = self.builder.mirror(pointer, distance(*plane));
            let in_slot = self.builder.offset(slot, index * stride);
            let (to, from) = if into_slot {
                (in_slot, mirror)
            } else {
                (mirror, in_slot)
            };
            self.builder.copy_memory(to, from, bytes, false);
        }
    }
}

/// A place in memory, some bytes behind a pointer of which an alignment is known.
pub(super) struct Place {
    pub pointer: Value,
    pub offset: u64,
    pub alignment: u32,
}

impl Place {
    fn alignment(&self) -> u32 {
        match self.offset {
            0 => self.alignment.max(1),
            offset => self
                .alignment
                .max(1)
                .min(1 << offset.trailing_zeros().min(6)),
        }
    }
}

/// The pointer, where all that is accessed by it is one leaf.
fn whole(path: &[u32], pointer: Value) -> Option<Value> {
    path.is_empty().then_some(pointer)
}

/// Segments other than the flat one (thread-control blocks and the like) are not mirrored.
pub(super) fn has_no_mirror(pointer: Value) -> bool {
    let ty = shape::scalar(ir::type_of(pointer));
    ir::address_space(ty) != 0
}
