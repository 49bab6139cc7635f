//! What Fortran's runtime library does with arrays, read from its descriptors.
//!
//! The library is not instrumented. Where it only moves values (assignment, array constructors, `reshape`), shadows
//! are moved after it, in the order of elements. Where it prints an array, every contiguous part is reported.
//!
//! The layouts are those of LLVM 22's flang (`ISO_Fortran_binding.h`, `namelist.h`, `array-constructor.h`). What it can
//! miss: arrays that the library moves while they grow.

use core::{
    ffi::{c_char, c_void},
    slice,
};

use lostbits_abi::{explain::Thread, functions::ReportMemory};

use crate::{planes, shadows, value_index::ValueIndex};

const MOST_DIMENSIONS: usize = 15;

#[repr(C)]
pub struct Dimension {
    lower_bound: i64,
    extent: i64,
    /// Bytes from one element to the next.
    stride: i64,
}

#[repr(C)]
pub struct Descriptor {
    base: usize,
    element_bytes: usize,
    version: i32,
    rank: u8,
    kind: i8,
    attribute: u8,
    extra: u8,
    dimensions: [Dimension; MOST_DIMENSIONS],
}

#[repr(C)]
pub struct Constructed<'a> {
    to: &'a Descriptor,
    next: i64,
}

#[repr(C)]
pub struct Namelist<'a> {
    name: *const c_char,
    count: usize,
    items: *const NamelistItem<'a>,
}

#[repr(C)]
struct NamelistItem<'a> {
    name: *const c_char,
    descriptor: &'a Descriptor,
}

impl Descriptor {
    fn dimensions(&self) -> &[Dimension] {
        // Only `rank` of them exist in memory.
        let rank = usize::from(self.rank).min(MOST_DIMENSIONS);
        // SAFETY: `rank` is at most the length of the array.
        unsafe { slice::from_raw_parts((&raw const self.dimensions).cast(), rank) }
    }

    fn elements(&self) -> Elements<'_> {
        let is_empty = self.base == 0
            || self
                .dimensions()
                .iter()
                .any(|dimension| dimension.extent <= 0);
        Elements {
            of: self,
            at: [0; MOST_DIMENSIONS],
            is_over: is_empty,
        }
    }

    /// How many numbers, texts or truth values are printed of it; none for derived types.
    pub fn items(&self) -> Option<u64> {
        const COMPLEX: core::ops::RangeInclusive<i8> = 32..=38;
        const STRUCTURE: i8 = 42;
        let extents = self.dimensions().iter().map(|one| one.extent.max(0) as u64);
        let elements = extents.fold(1, u64::saturating_mul);
        match self.kind {
            STRUCTURE | ..=0 => None,
            kind if COMPLEX.contains(&kind) => Some(elements.saturating_mul(2)),
            _ => Some(elements),
        }
    }

    /// Calls `each` with start and size of every contiguous part.
    fn contiguous_parts(&self, mut each: impl FnMut(usize, usize)) {
        let mut elements = self.elements().peekable();
        while let Some(start) = elements.next() {
            let mut end = start + self.element_bytes;
            while elements.next_if_eq(&end).is_some() {
                end += self.element_bytes;
            }
            each(start, end - start);
        }
    }
}

/// The addresses of elements, the first dimension fastest.
struct Elements<'a> {
    of: &'a Descriptor,
    at: [i64; MOST_DIMENSIONS],
    is_over: bool,
}

impl Iterator for Elements<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.is_over {
            return None;
        }
        let dimensions = self.of.dimensions();
        let steps = self.at.iter().zip(dimensions);
        let offset: i64 = steps.map(|(at, one)| at.wrapping_mul(one.stride)).sum();
        self.is_over = true;
        for (at, dimension) in self.at.iter_mut().zip(dimensions) {
            *at += 1;
            if *at < dimension.extent {
                self.is_over = false;
                break;
            }
            *at = 0;
        }
        Some(self.of.base.wrapping_add(offset as usize))
    }
}

/// The elements of `from` were assigned to `to`, in their order; a scalar to all of them.
///
/// # Safety
///
/// Both describe arrays that the program owns.
pub unsafe fn assigned(to: &Descriptor, from: &Descriptor) {
    if to.element_bytes != from.element_bytes {
        // Converted.
        return;
    }
    let bytes = to.element_bytes;
    let scalar = (from.rank == 0)
        .then_some(from.base)
        .filter(|base| *base != 0);
    let sources = from.elements().chain(scalar.into_iter().cycle());
    for (to, from) in to.elements().zip(sources) {
        // SAFETY: the library has just copied the element.
        unsafe { shadows::copy(to, from, bytes) };
    }
}

/// Elements were appended to an array that is being constructed.
///
/// # Safety
///
/// Both describe arrays that the program owns.
pub unsafe fn appended(constructed: &Constructed, from: &Descriptor) {
    let to = constructed.to;
    if to.element_bytes != from.element_bytes {
        return;
    }
    let count = from.elements().count();
    let first = (constructed.next as usize).wrapping_sub(count);
    for (index, source) in from.elements().enumerate() {
        let target = to.base.wrapping_add((first + index) * to.element_bytes);
        // SAFETY: the library has just copied the element.
        unsafe { shadows::copy(target, source, to.element_bytes) };
    }
}

/// One element was appended.
///
/// # Safety
///
/// `constructed` describes an array that the program owns, and `from` is the address of an element.
pub unsafe fn appended_one(constructed: &Constructed, from: usize) {
    let to = constructed.to;
    let index = (constructed.next as usize).wrapping_sub(1);
    let target = to.base.wrapping_add(index.wrapping_mul(to.element_bytes));
    // SAFETY: the library has just copied the element.
    unsafe { shadows::copy(target, from, to.element_bytes) };
}

/// The elements of `to` are some of those of `from` and `other`, in an order of the library's (`pack`, `spread`, `cshift`).
///
/// # Safety
///
/// All describe arrays that the program owns.
pub unsafe fn rearranged(to: &Descriptor, from: &Descriptor, other: Option<&Descriptor>) {
    let bytes = from.element_bytes;
    if to.element_bytes != bytes {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(index) = indexed(from, other) {
            to.elements().for_each(|element| index.restore(element));
        }
    }
}

/// The value at `to` is an element of `from` (`maxval`).
///
/// # Safety
///
/// The array is one that the program owns, and there is a value of its type at `to`.
pub unsafe fn chosen(to: usize, from: &Descriptor) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Some(index) = indexed(from, None) {
            index.restore(to);
        }
    }
}

/// # Safety
///
/// Both describe arrays that the program owns.
unsafe fn indexed(from: &Descriptor, other: Option<&Descriptor>) -> Option<ValueIndex> {
    let bytes = from.element_bytes;
    let other = other.filter(|other| other.element_bytes == bytes);
    let others = other.into_iter().flat_map(Descriptor::elements);
    let elements = from.elements().chain(others);
    let is_mirrored = |element: &usize| planes::is_mirrored(*element, bytes);
    let elements = elements.filter(is_mirrored);
    let count = from.elements().count() + other.map_or(0, |other| other.elements().count());
    // SAFETY: the caller's promise.
    unsafe { ValueIndex::of_units(elements, count, bytes) }
}

/// An array is printed.
///
/// # Safety
///
/// `array` describes memory that the program owns; `report` is the runtime's function for it and `thread` this thread's.
pub unsafe fn output(array: &Descriptor, report: ReportMemory, site: u64, thread: *mut Thread) {
    array.contiguous_parts(|start, bytes| {
        // SAFETY: the caller's promise.
        unsafe { report(start as *const c_void, bytes as u64, site, thread) }
    });
}

/// A namelist is printed.
///
/// # Safety
///
/// As for [`output`], for every item.
pub unsafe fn output_namelist(
    group: &Namelist,
    report: ReportMemory,
    site: u64,
    thread: *mut Thread,
) {
    // SAFETY: the compiler made the group, with as many items as it says.
    let items = unsafe { slice::from_raw_parts(group.items, group.count) };
    for item in items {
        // SAFETY: the caller's promise.
        unsafe { output(item.descriptor, report, site, thread) };
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn array(base: usize, shape: &[(i64, i64)]) -> Descriptor {
        Descriptor {
            base,
            element_bytes: 8,
            version: 0,
            rank: shape.len() as u8,
            kind: 0,
            attribute: 0,
            extra: 0,
            dimensions: core::array::from_fn(|index| {
                let (extent, stride) = shape.get(index).copied().unwrap_or((7, 7));
                Dimension {
                    lower_bound: 1,
                    extent,
                    stride,
                }
            }),
        }
    }

    fn elements(array: &Descriptor) -> Vec<usize> {
        array.elements().collect()
    }

    fn contiguous_parts(array: &Descriptor) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        array.contiguous_parts(|start, bytes| all.push((start, bytes)));
        all
    }

    #[test]
    fn complex_numbers_are_two_items() {
        let mut one = array(1000, &[(3, 8), (2, 24)]);
        one.kind = 28;
        assert_eq!(one.items(), Some(6));
        one.kind = 35;
        assert_eq!(one.items(), Some(12));
        one.kind = 42;
        assert_eq!(one.items(), None);
    }

    #[test]
    fn elements_come_in_fortrans_order() {
        assert_eq!(elements(&array(1000, &[])), [1000]);
        assert_eq!(
            elements(&array(1000, &[(2, 8), (2, 80)])),
            [1000, 1008, 1080, 1088]
        );
        assert_eq!(elements(&array(1000, &[(3, -16)])), [1000, 984, 968]);
        assert!(elements(&array(1000, &[(2, 8), (0, 80)])).is_empty());
        assert!(elements(&array(0, &[(2, 8)])).is_empty());
    }

    #[test]
    fn contiguous_elements_are_one_part() {
        assert_eq!(
            contiguous_parts(&array(1000, &[(4, 8), (2, 32)])),
            [(1000, 64)]
        );
        assert_eq!(
            contiguous_parts(&array(1000, &[(2, 8), (2, 80)])),
            [(1000, 16), (1080, 16)]
        );
        assert_eq!(
            contiguous_parts(&array(1000, &[(2, 24)])),
            [(1000, 8), (1024, 8)]
        );
    }
}
