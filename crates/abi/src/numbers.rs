//! Where the high-precision numbers of values in registers are kept.
//!
//! Each thread has a stack of *frames*, one for each active function. A frame is an array of *slots*, and a slot holds one
//! high-precision number. A shadow is the address of a slot, or 0: the exact value is the program's. Where an address
//! must fit into 32 bits (beside a `float` that crosses a call), it is given as the number of the slot among all slots of all
//! threads.

/// Bytes of a slot: a number's head, two words and 68 limbs (the most bits, some to spare, and two limbs for products), in
/// whole cache lines.
pub const SLOT_BYTES: u64 = 640;
/// The most bits a number can have.
pub const MOST_BITS: u64 = 4096;

/// The room of one thread's frames.
pub const ROOM_BYTES: u64 = SLOT_BYTES << 22;
pub const ROOMS: u64 = 1024;
/// Where the rooms begin. The first slot of a room is no number's but holds [`Frames`].
pub const FRAMES_START: u64 = 6 << 40;

/// Set in a variadic argument's cell beside the slot's number if the argument is an x87 number.
pub const VARIADIC_X87: u64 = 1 << 32;
/// Set there if it is a `float`, passed as a double.
pub const VARIADIC_FLOAT: u64 = 1 << 33;

/// The address of a slot by its number.
pub const fn slot_address(number: u32) -> u64 {
    match number {
        0 => 0,
        number => FRAMES_START + number as u64 * SLOT_BYTES,
    }
}

/// The state of a thread's room. Its address is in thread-local storage, under
/// [`crate::variables::FRAMES`].
#[repr(C)]
pub struct Frames {
    /// Where the next frame begins.
    pub top: u64,
    pub end: u64,
}

/// An operand or a result, for operations that are not frequent.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Operand {
    /// The shadow.
    pub slot: u64,
    /// The value: its bits, of an x87 number those of the significand, or an integer.
    pub bits: u64,
    /// An x87 number's sign and exponent.
    pub high: u32,
    /// A [`crate::kind::FpKind`], or [`SIGNED`] or [`UNSIGNED`].
    pub kind: u32,
}

/// The kinds of integer operands.
pub const SIGNED: u32 = 0x100;
pub const UNSIGNED: u32 = 0x200;

// The number of a slot fits into 32 bits, rooms are whole pages, a slot holds the largest number, and all
// rooms are below the lowest plane.
const _: () = {
    assert!(ROOM_BYTES * ROOMS / SLOT_BYTES <= 1 << 32);
    assert!(ROOM_BYTES.is_multiple_of(4096));
    assert!(40 + MOST_BITS / 8 + 32 <= SLOT_BYTES);
    let (lowest, _) = crate::shadow::APP_REGIONS[0];
    let planes = lowest - crate::shadow::distance(crate::shadow::PLANES - 1);
    assert!(FRAMES_START + ROOM_BYTES * ROOMS < planes);
};
