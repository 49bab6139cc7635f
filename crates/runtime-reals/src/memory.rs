//! High-precision numbers of values in memory.
//!
//! A value's cell in the owning plane holds the index of an *object*: the number, the value it was stored with, and the
//! value's address. The cell owns the object: a store overwrites the object in place, a copy of memory copies objects,
//! clearing frees them. Cell 0 means that the exact value is the program's own.
//!
//! A number is used only if value, format and address match those it was stored with. So memory written by other code, and
//! cells of another copy of the runtime, do no harm. Threads that race for a value may leak an object, or leave one whose
//! parts do not match, which is then ignored.
//!
//! # Safety of all functions here
//!
//! Addresses are those of values that the program accesses at this moment. Their cells are readable and writable: the planes
//! mirror all memory of the program and stay mapped. Objects lie in memory that [`shared::reserve`] mapped for good: an
//! index below [`is_in_use`]'s limit is that of an object. Fields may be overwritten by threads that race with us; they are
//! plain integers, checked before use.

use core::{
    arch::x86_64::{_MM_HINT_T0, _mm_prefetch},
    ptr,
    sync::atomic::{
        AtomicU32, AtomicUsize,
        Ordering::{AcqRel, Relaxed},
    },
};

use lostbits_abi::{
    kind::FpKind,
    numbers::{self, VARIADIC_FLOAT, VARIADIC_X87},
    shadow::{OWNING_PLANE, alias, distance},
};
use lostbits_runtime::Owning;

use crate::{
    arithmetic,
    number::{Shadow, Slot, is_regular_size},
    own_error::OwnError,
    settings,
    shared::{self, OBJECTS, OBJECTS_BYTES, block},
    start,
    value::Value,
};

const DISTANCE: usize = distance(OWNING_PLANE) as usize;
/// Values of 16 bits have cells as large as two of them; every second one has its cell in a plane that no number of these modes
/// uses otherwise.
const HALF_DISTANCE: usize = distance(HALF_PLANE) as usize;
const HALF_PLANE: usize = 0;
const HALF: usize = 2;
/// The distance of cells.
const CELL: usize = 4;

#[repr(C)]
struct Object {
    /// The address of the value; 0 if the object is free.
    owner: u64,
    /// Of the value it was stored with.
    fingerprint: u64,
    size: i64,
    /// As in the slot.
    meta: u64,
    own_error: OwnError,
    /// The number of limbs.
    count: u16,
    kind: u8,
    negative: u8,
    /// The index of the next free object, if this one is free. It shares memory with no other field, because threads that
    /// race for a value may write to an object that one of them has freed.
    next: u32,
}

/// Bits of `negative`: the number's sign; the value was promoted from `float` to be passed as a variadic argument.
const NEGATIVE: u8 = 1;
const WAS_FLOAT: u8 = 2;

const HEAD: usize = size_of::<Object>();

static STRIDE: AtomicUsize = AtomicUsize::new(0);

static OWNING: Owning = Owning { copy, clear };

/// Call once, when the precision is known.
pub fn prepare() {
    STRIDE.store(HEAD + settings::limbs() * 8, Relaxed);
    lostbits_runtime::own(&OWNING);
}

/// An object comes after its limbs, so that at 1000 bits these begin at a cache line.
#[inline]
fn object(index: u32) -> *mut Object {
    let behind = (index as usize + 1) * STRIDE.load(Relaxed);
    (OBJECTS + behind - HEAD) as *mut Object
}

/// Whether an object has room for `count` limbs.
fn fits(count: usize) -> bool {
    count <= settings::limbs()
}

fn limbs(object: *mut Object) -> *mut u64 {
    object.cast::<u64>().wrapping_sub(settings::limbs())
}

#[inline]
fn cell(address: usize) -> *mut u32 {
    let address = alias(address as u64) as usize;
    match address % CELL {
        HALF => address.wrapping_sub(HALF + HALF_DISTANCE) as *mut u32,
        _ => address.wrapping_sub(DISTANCE) as *mut u32,
    }
}

// ---- one value ----

/// Copies the number of the value at `address` into `slot`, if it has one. Address 0 means a lane of a vector that is not
/// accessed.
///
/// # Safety
///
/// See the module.
#[inline]
pub unsafe fn load(slot: &mut Slot, address: usize, value: Value) -> Shadow<'_> {
    if address == 0 {
        return Shadow::NONE;
    }
    // SAFETY: the cell of a value that the program accesses.
    let index = unsafe { cell(address).read_unaligned() };
    if index == 0 {
        return Shadow::NONE;
    }
    // SAFETY: as above.
    unsafe { load_object(slot, address, value.fingerprint(), value.kind as u8, index) }
}

/// # Safety
///
/// See the module.
unsafe fn load_object(
    slot: &mut Slot,
    address: usize,
    expected: u64,
    of_kind: u8,
    index: u32,
) -> Shadow<'_> {
    start::ensure_started();
    if !is_in_use(index) {
        return Shadow::NONE;
    }
    let from = object(index);
    fetch_ahead(from);
    // SAFETY: the index is in use, so the object and its limbs are mapped. Racing threads may change them meanwhile: `fits`
    // keeps the copy within bounds, and parts that do not match are rejected.
    unsafe {
        let Object {
            owner,
            fingerprint,
            size,
            meta,
            own_error,
            count,
            kind,
            negative,
            ..
        } = ptr::read(from);
        let is_its = owner == address as u64 && fingerprint == expected && kind == of_kind;
        let count = usize::from(count);
        if !is_its || !fits(count) {
            return Shadow::NONE;
        }
        let limbs = core::slice::from_raw_parts(limbs(from), count);
        // A racing thread may have written only a part of it.
        let is_whole = limbs.last().is_some_and(|top| *top != 0);
        if is_regular_size(size) && !is_whole {
            return Shadow::NONE;
        }
        let sign = if negative & NEGATIVE != 0 { -1 } else { 1 };
        slot.set(sign, size, limbs);
        slot.meta = meta;
        slot.own_error = own_error;
    }
    Shadow::of(slot)
}

/// Prefetches an object's limbs while its header is loaded: their number is known only then.
#[inline(always)]
fn fetch_ahead(object: *mut Object) {
    const LINE: usize = 64;
    let limbs = settings::limbs() * 8;
    for line in 1..=limbs / LINE {
        let at = object.cast::<i8>().wrapping_sub(line * LINE);
        // SAFETY: a prefetch has no effect on the program, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
}

fn is_in_use(index: u32) -> bool {
    index < block().objects.load(Relaxed)
}

/// Records that the value at `address` is now `value`, with this shadow.
///
/// # Safety
///
/// See the module.
#[inline]
pub unsafe fn store(address: usize, shadow: Shadow, value: Value) {
    if address == 0 {
        return;
    }
    // SAFETY: the cell of a value that the program stores; `object_for` gives an object of that cell.
    unsafe {
        let Some(Slot {
            number,
            meta,
            own_error,
            ..
        }) = shadow.slot()
        else {
            if cell(address).read_unaligned() != 0 {
                clear_cell(address);
            }
            return;
        };
        let index = object_for(address);
        let to = object(index);
        (*to).meta = *meta;
        (*to).own_error = *own_error;
        write_header(to, address, value, number.size);
        let from = number.limbs();
        (*to).count = from.len() as u16;
        (*to).negative = u8::from(number.sign < 0);
        arithmetic::copy_number(limbs(to), from.as_ptr(), from.len());
        cell(address).write_unaligned(index);
    }
}

/// # Safety
///
/// `to` is an object.
unsafe fn write_header(to: *mut Object, address: usize, value: Value, size: i64) {
    // SAFETY: the caller's promise.
    unsafe {
        (*to).owner = address as u64;
        (*to).fingerprint = value.fingerprint();
        (*to).size = size;
        (*to).kind = value.kind as u8;
    }
}

/// The index of an object that `address` may write to: its own, or a new one.
///
/// # Safety
///
/// See the module.
#[inline]
unsafe fn object_for(address: usize) -> u32 {
    // SAFETY: the cell of a value that the program accesses, and an object whose index is in use.
    unsafe {
        let index = cell(address).read_unaligned();
        if index != 0 && is_in_use(index) && (*object(index)).owner == address as u64 {
            return index;
        }
    }
    allocate()
}

/// Sets a cell to 0 and returns its index; atomically where it is aligned, so that no two threads free the same object.
///
/// # Safety
///
/// See the module.
unsafe fn swap_out_cell(address: usize) -> u32 {
    let cell = cell(address);
    // SAFETY: the cell of a value that the program accesses.
    unsafe {
        if cell.is_aligned() {
            AtomicU32::from_ptr(cell).swap(0, AcqRel)
        } else {
            let index = cell.read_unaligned();
            cell.write_unaligned(0);
            index
        }
    }
}

/// Sets a cell to 0 and frees its object.
///
/// # Safety
///
/// See the module.
unsafe fn clear_cell(address: usize) {
    start::ensure_started();
    // SAFETY: the cell of a value that the program accesses, and an object whose index is in use.
    unsafe {
        let index = swap_out_cell(address);
        if index == 0 || !is_in_use(index) {
            return;
        }
        let object = object(index);
        if (*object).owner == address as u64 {
            (*object).owner = 0;
            free(index);
        }
    }
}

#[cold]
fn allocate() -> u32 {
    start::ensure_started();
    // SAFETY: indices in the list were freed, so they are those of objects.
    let freed = block()
        .free_objects
        .pop(|index| unsafe { (*object(index)).next });
    if let Some(index) = freed {
        return index;
    }
    let index = block().objects.fetch_add(1, Relaxed);
    if index == u32::MAX || (index as usize + 2) * STRIDE.load(Relaxed) > OBJECTS_BYTES {
        shared::out_of_memory();
    }
    index
}

/// # Safety
///
/// The object is in use, and no cell refers to it any more.
unsafe fn free(index: u32) {
    // SAFETY: the caller's promise; only a free object's `next` is written.
    block().free_objects.push(index, |next| unsafe {
        (*object(index)).next = next;
    });
}

// ---- ranges of memory ----

/// Copies the objects of a range of memory. Only cells at multiples of 2 in the source are found.
///
/// # Safety
///
/// See the module.
unsafe fn copy(destination: usize, source: usize, bytes: usize) {
    let first = source.next_multiple_of(CELL) - source;
    let count = bytes.saturating_sub(first) / CELL;
    let one = |index: usize| {
        let offset = first + index * CELL;
        // SAFETY: both addresses are within the ranges.
        unsafe {
            let (to, from) = (destination + offset, source + offset);
            copy_one(to, from);
            if cell(from + HALF).read() != 0 || cell(to + HALF).read_unaligned() != 0 {
                copy_one(to + HALF, from + HALF);
            }
        }
    };
    if destination > source {
        (0..count).rev().for_each(one);
    } else {
        (0..count).for_each(one);
    }
}

/// # Safety
///
/// See the module.
unsafe fn copy_one(destination: usize, source: usize) {
    // SAFETY: the cells of values that the program copies; objects in use, with limbs that `fits` checked.
    unsafe {
        let index = cell(source).read();
        if index == 0 {
            if cell(destination).read_unaligned() != 0 {
                clear_cell(destination);
            }
            return;
        }
        if !is_in_use(index) || (*object(index)).owner != source as u64 {
            return;
        }
        let from = object(index);
        let (to_index, count) = (object_for(destination), usize::from((*from).count));
        let to = object(to_index);
        if fits(count) {
            let next = (*to).next;
            ptr::copy_nonoverlapping(from, to, 1);
            (*to).next = next;
            arithmetic::copy_number(limbs(to), limbs(from), count);
        }
        (*to).owner = destination as u64;
        cell(destination).write_unaligned(to_index);
    }
}

/// # Safety
///
/// See the module.
unsafe fn clear(destination: usize, bytes: usize) {
    let first = destination & !(CELL - 1);
    for address in (first..destination + bytes).step_by(CELL) {
        // SAFETY: the cells of memory that the program overwrites, at multiples of 4.
        unsafe {
            for half in [address, address + HALF] {
                if cell(half).read() != 0 {
                    clear_cell(half);
                }
            }
        }
    }
}

/// Gives variadic arguments in memory the shadows that the caller passed. Its cells are in two rows, `stride` apart: values,
/// and the numbers of their slots.
///
/// # Safety
///
/// See the module; `cells` are the `bytes` bytes of the first row, in the caller's argument slots, and `address` is the
/// arguments' memory.
pub unsafe fn spread(address: usize, cells: usize, stride: usize, bytes: usize) {
    for offset in (0..bytes).step_by(8) {
        // SAFETY: the caller's promise; the slots belong to the caller's frame.
        unsafe {
            let word = ((cells + stride + offset) as *const u64).read_unaligned();
            let kind = match word & VARIADIC_X87 {
                0 => FpKind::Double,
                _ => FpKind::X87,
            };
            let shadow = Shadow::from_word(numbers::slot_address(word as u32));
            if shadow.is_none() {
                continue;
            }
            let value = value_at(address + offset, kind);
            if value == value_at(cells + offset, kind) {
                store(address + offset, shadow, value);
                if word & VARIADIC_FLOAT != 0 {
                    (*object(cell(address + offset).read_unaligned())).negative |= WAS_FLOAT;
                }
            }
        }
    }
}

/// Whether the double at `address` was promoted from `float` to be passed as a variadic argument.
///
/// # Safety
///
/// See the module.
pub unsafe fn was_float(address: usize) -> bool {
    // SAFETY: `kind_at` checked that the cell owns an object.
    unsafe {
        kind_at(address).is_some()
            && (*object(cell(address).read_unaligned())).negative & WAS_FLOAT != 0
    }
}

/// The value of this format at `address`, and its shadow, whose number is copied into `slot`.
///
/// # Safety
///
/// See the module.
pub unsafe fn load_any(slot: &mut Slot, address: usize, kind: FpKind) -> (Shadow<'_>, Value) {
    // SAFETY: the caller's promise.
    unsafe {
        let value = value_at(address, kind);
        (load(slot, address, value), value)
    }
}

/// Sets `slot` to the exact value of the value at `address`; returns whether it has a shadow.
///
/// # Safety
///
/// See the module.
pub unsafe fn load_number(slot: &mut Slot, address: usize, kind: FpKind) -> bool {
    // SAFETY: the caller's promise.
    let (shadow, value) = unsafe { load_any(slot, address, kind) };
    let has_shadow = !shadow.is_none();
    if !has_shadow {
        slot.set_value(value);
    }
    has_shadow
}

/// The format of the value at `address`, if it has a shadow.
///
/// # Safety
///
/// See the module.
pub unsafe fn kind_at(address: usize) -> Option<FpKind> {
    // SAFETY: the cell of a value that the program accesses.
    let index = unsafe { cell(address).read_unaligned() };
    if index == 0 || !is_in_use(index) {
        return None;
    }
    // SAFETY: the index is in use.
    let Object { owner, kind, .. } = unsafe { ptr::read(object(index)) };
    FpKind::from_u8(kind).filter(|_| owner == address as u64)
}

/// # Safety
///
/// A value of this format is at `address`.
pub unsafe fn value_at(address: usize, kind: FpKind) -> Value {
    let pointer = address as *const u8;
    // SAFETY: the caller's promise; formats of 16 and 32 bits are read as such, x87 numbers as 8 and 2 bytes.
    unsafe {
        let word = match kind.storage_bits() {
            16 => u64::from(pointer.cast::<u16>().read_unaligned()),
            32 => u64::from(pointer.cast::<u32>().read_unaligned()),
            _ => pointer.cast::<u64>().read_unaligned(),
        };
        let high = match kind {
            FpKind::X87 => pointer.add(8).cast::<u16>().read_unaligned(),
            _ => 0,
        };
        Value {
            kind,
            bits: word,
            high,
        }
    }
}
