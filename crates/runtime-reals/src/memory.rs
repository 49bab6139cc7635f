//! Numbers of values that lie in memory.
//!
//! A value's cell in the owning plane holds the index of an *object*: the number, the value it was stored
//! with, and the address of the cell. The cell owns the object: a store into it overwrites the object in
//! place, a copy of memory copies objects, clearing frees them. A cell of 0 says that the real value is
//! exactly the program's, whatever that is.
//!
//! A number is read only if value, format and address are those it was stored with; so memory that other
//! code wrote, and cells of another copy of the runtime, do no harm. Threads that race for a value may
//! leave an object that nobody owns, or one whose parts do not fit, which is not believed.

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
    shadow::{OWNING_PLANE, distance},
};
use lostbits_runtime::Owning;

use crate::{
    arithmetic,
    number::{Slot, marks_regular},
    settings,
    shared::{self, OBJECTS, OBJECTS_BYTES, block},
    start,
    value::Value,
};

const DISTANCE: usize = distance(OWNING_PLANE) as usize;
/// What cells lie apart.
const CELL: usize = 4;

#[repr(C)]
struct Object {
    /// The address of the value; 0 if nobody owns the object.
    owner: u64,
    /// Of the value.
    fingerprint: u64,
    size: i64,
    /// As in the slot.
    meta: u64,
    order: i64,
    /// Limbs.
    count: u16,
    kind: u8,
    negative: u8,
    /// The index of the next object that is free, if this one is. Nothing else is kept here: threads that
    /// race for a value may write to an object that one of them has freed.
    next: u32,
}

/// Bits of `negative`: the number's sign; the value, a double, was a `float` before it was passed behind `…`.
const NEGATIVE: u8 = 1;
const WAS_FLOAT: u8 = 2;

const HEAD: usize = size_of::<Object>();

static STRIDE: AtomicUsize = AtomicUsize::new(0);

static OWNING: Owning = Owning { copy, clear };

/// To be called once, when the precision is known.
pub fn prepare() {
    STRIDE.store(HEAD + settings::limbs() * 8, Relaxed);
    lostbits_runtime::own(&OWNING);
}

/// Behind its limbs, which so begin where lines of the cache do, at 1000 bits.
#[inline]
fn object(index: u32) -> *mut Object {
    let behind = (index as usize + 1) * STRIDE.load(Relaxed);
    (OBJECTS + behind - HEAD) as *mut Object
}

/// Whether an object has room for so many limbs.
fn fits(count: usize) -> bool {
    count <= settings::limbs()
}

unsafe fn limbs(object: *mut Object) -> *mut u64 {
    unsafe { object.cast::<u64>().sub(settings::limbs()) }
}

#[inline]
fn cell(address: usize) -> *mut u32 {
    address.wrapping_sub(DISTANCE) as *mut u32
}

// ---- one value ----

/// The number of the value at `address`, copied into `slot`; 0 if there is none. An address of 0 is that
/// of a vector's lane that is not accessed.
#[inline]
pub unsafe fn load(slot: *mut Slot, address: usize, value: Value) -> u64 {
    if address == 0 {
        return 0;
    }
    let index = unsafe { cell(address).read_unaligned() };
    if index == 0 {
        return 0;
    }
    unsafe { load_object(slot, address, value.fingerprint(), value.kind as u8, index) }
}

unsafe fn load_object(
    slot: *mut Slot,
    address: usize,
    expected: u64,
    of_kind: u8,
    index: u32,
) -> u64 {
    start::once();
    if !is_in_use(index) {
        return 0;
    }
    let from = object(index);
    fetch_ahead(from);
    unsafe {
        let Object {
            owner,
            fingerprint,
            size,
            meta,
            order,
            count,
            kind,
            negative,
            ..
        } = ptr::read(from);
        let is_its = owner == address as u64 && fingerprint == expected && kind == of_kind;
        let count = usize::from(count);
        if !is_its || !fits(count) {
            return 0;
        }
        let limbs = core::slice::from_raw_parts(limbs(from), count);
        // Whoever races for the value may have left half of it.
        let is_whole = limbs.last().is_some_and(|top| *top != 0);
        if marks_regular(size) && !is_whole {
            return 0;
        }
        let sign = if negative & NEGATIVE != 0 { -1 } else { 1 };
        (*slot).set(sign, size, limbs);
        (*slot).meta = meta;
        (*slot).order = order;
    }
    slot as u64
}

/// Fetches an object's limbs while its head is waited for: how long the number is stands there.
#[inline(always)]
fn fetch_ahead(object: *mut Object) {
    const LINE: usize = 64;
    let limbs = settings::limbs() * 8;
    for line in 1..=limbs / LINE {
        let at = object.cast::<i8>().wrapping_sub(line * LINE);
        // SAFETY: anything may be fetched.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
}

fn is_in_use(index: u32) -> bool {
    index < block().objects.load(Relaxed)
}

/// The value at `address` is now `value`, with the number in `slot` (or exact, if that is 0).
#[inline]
pub unsafe fn store(address: usize, slot: u64, value: Value) {
    if address == 0 {
        return;
    }
    unsafe {
        if slot == 0 {
            if cell(address).read_unaligned() != 0 {
                forget(address);
            }
            return;
        }
        let Slot {
            number,
            meta,
            order,
            ..
        } = &*(slot as *const Slot);
        let index = own(address);
        let to = object(index);
        (*to).meta = *meta;
        (*to).order = *order;
        write_head(to, address, value, number.size);
        let from = number.limbs();
        (*to).count = from.len() as u16;
        (*to).negative = u8::from(number.sign < 0);
        arithmetic::copy_number(limbs(to), from.as_ptr(), from.len());
        cell(address).write_unaligned(index);
    }
}

unsafe fn write_head(to: *mut Object, address: usize, value: Value, size: i64) {
    unsafe {
        (*to).owner = address as u64;
        (*to).fingerprint = value.fingerprint();
        (*to).size = size;
        (*to).kind = value.kind as u8;
    }
}

/// An object that `address` may write to: its own, or a new one.
#[inline]
unsafe fn own(address: usize) -> u32 {
    let index = unsafe { cell(address).read_unaligned() };
    if index != 0 && is_in_use(index) && unsafe { (*object(index)).owner } == address as u64 {
        return index;
    }
    unsafe { allocate() }
}

/// Empties a cell; at once, where the processor can, so that no two threads free the same object.
unsafe fn take_cell(address: usize) -> u32 {
    let cell = cell(address);
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

/// Empties a cell and frees its object.
unsafe fn forget(address: usize) {
    start::once();
    unsafe {
        let index = take_cell(address);
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
unsafe fn allocate() -> u32 {
    start::once();
    let freed = block()
        .free_objects
        .take(|index| unsafe { (*object(index)).next });
    if let Some(index) = freed {
        return index;
    }
    let index = block().objects.fetch_add(1, Relaxed);
    if index == u32::MAX || (index as usize + 2) * STRIDE.load(Relaxed) > OBJECTS_BYTES {
        shared::give_up_for_memory();
    }
    index
}

unsafe fn free(index: u32) {
    block().free_objects.give(index, |next| unsafe {
        (*object(index)).next = next;
    });
}

// ---- stretches of memory ----

/// Cells are found at multiples of 4 in the source: what lies elsewhere is left behind.
unsafe fn copy(destination: usize, source: usize, bytes: usize) {
    let first = source.next_multiple_of(CELL) - source;
    let count = bytes.saturating_sub(first) / CELL;
    let one = |index: usize| {
        let offset = first + index * CELL;
        unsafe { copy_one(destination + offset, source + offset) };
    };
    if destination > source {
        (0..count).rev().for_each(one);
    } else {
        (0..count).for_each(one);
    }
}

unsafe fn copy_one(destination: usize, source: usize) {
    unsafe {
        let index = cell(source).read();
        if index == 0 {
            if cell(destination).read_unaligned() != 0 {
                forget(destination);
            }
            return;
        }
        if !is_in_use(index) || (*object(index)).owner != source as u64 {
            return;
        }
        let from = object(index);
        let (to_index, count) = (own(destination), usize::from((*from).count));
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

unsafe fn clear(destination: usize, bytes: usize) {
    let first = destination & !(CELL - 1);
    for address in (first..destination + bytes).step_by(CELL) {
        unsafe {
            if cell(address).read() != 0 {
                forget(address);
            }
        }
    }
}

/// Lays the cells of variadic arguments over the memory where their values are. The cells are in two
/// rows, `stride` apart: values, and the numbers of their slots.
pub unsafe fn spread(address: usize, cells: usize, stride: usize, bytes: usize) {
    for offset in (0..bytes).step_by(8) {
        unsafe {
            let word = ((cells + stride + offset) as *const u64).read_unaligned();
            let kind = match word & VARIADIC_X87 {
                0 => FpKind::Double,
                _ => FpKind::X87,
            };
            let slot = numbers::slot_address(word as u32);
            if slot == 0 {
                continue;
            }
            let value = value_at(address + offset, kind);
            if value == value_at(cells + offset, kind) {
                store(address + offset, slot, value);
                if word & VARIADIC_FLOAT != 0 {
                    (*object(cell(address + offset).read_unaligned())).negative |= WAS_FLOAT;
                }
            }
        }
    }
}

/// Whether the double at `address` was passed behind `…` as a `float`.
pub unsafe fn was_float(address: usize) -> bool {
    unsafe {
        kind_at(address).is_some()
            && (*object(cell(address).read_unaligned())).negative & WAS_FLOAT != 0
    }
}

/// The number of a value of this format at `address`, wherever it came from.
pub unsafe fn load_any(slot: *mut Slot, address: usize, kind: FpKind) -> (u64, Value) {
    let value = unsafe { value_at(address, kind) };
    (unsafe { load(slot, address, value) }, value)
}

/// The format of the value at `address`, if it has a number.
pub unsafe fn kind_at(address: usize) -> Option<FpKind> {
    let index = unsafe { cell(address).read_unaligned() };
    if index == 0 || !is_in_use(index) {
        return None;
    }
    let Object { owner, kind, .. } = unsafe { ptr::read(object(index)) };
    FpKind::from_u8(kind).filter(|_| owner == address as u64)
}

pub unsafe fn value_at(address: usize, kind: FpKind) -> Value {
    let pointer = address as *const u8;
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
