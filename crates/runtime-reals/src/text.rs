//! Numbers as text, for whoever asks.

use gmp_mpfr_sys::mpfr::{self, rnd_t};
use lostbits_abi::kind::FpKind;

use crate::{environment::undisturbed, exchange::Scratch, memory, number::Slot, start};

/// Significant decimal digits.
const DIGITS: usize = 40;
/// What `mpfr_get_str` may write: digits, sign and NUL.
const ROOM: usize = DIGITS + 8;

/// Writes the number of the value at `address` as `-0.ddd…e±n`, ended by NUL; gives 1, 0 if the number is
/// just the value, or -1 if the buffer is too small.
pub unsafe fn write(address: usize, kind: FpKind, buffer: *mut u8, bytes: usize) -> i32 {
    start::once();
    let mut slot = Slot::new();
    let (shadow, value) = unsafe { memory::load_any(&mut slot, address, kind) };
    if shadow == 0 {
        slot.set_value(value);
    }
    let mut line = Line {
        buffer,
        bytes,
        length: 0,
    };
    undisturbed(|| unsafe { put_number(&mut line, &slot) });
    line.put(0);
    match line.length <= bytes {
        true => i32::from(shadow != 0),
        false => -1,
    }
}

struct Line {
    buffer: *mut u8,
    bytes: usize,
    length: usize,
}

impl Line {
    fn put(&mut self, byte: u8) {
        if self.length < self.bytes {
            // SAFETY: within the caller's buffer.
            unsafe { self.buffer.add(self.length).write(byte) };
        }
        self.length += 1;
    }

    fn put_all(&mut self, text: &[u8]) {
        text.iter().for_each(|byte| self.put(*byte));
    }

    fn put_integer(&mut self, number: i64) {
        if number < 0 {
            self.put(b'-');
        }
        self.put_natural(number.unsigned_abs());
    }

    fn put_natural(&mut self, number: u64) {
        if number >= 10 {
            self.put_natural(number / 10);
        }
        self.put(b'0' + (number % 10) as u8);
    }
}

unsafe fn put_number(line: &mut Line, slot: &Slot) {
    let mut digits = [0u8; ROOM];
    let mut exponent = 0;
    let mut scratch = Scratch::new();
    let number = scratch.lend(&slot.number);
    unsafe {
        let to = digits.as_mut_ptr().cast();
        mpfr::get_str(to, &mut exponent, 10, DIGITS, &number, rnd_t::RNDN);
    }
    let end = digits.iter().position(|byte| *byte == 0).unwrap_or(0);
    let text = digits.get(..end).unwrap_or_default();
    let (sign, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    if sign {
        line.put(b'-');
    }
    if slot.number.is_regular() {
        line.put_all(b"0.");
        line.put_all(text);
        line.put(b'e');
        line.put_integer(exponent);
    } else {
        match text {
            [b'@', b'I', ..] => line.put_all(b"inf"),
            [b'@', ..] => line.put_all(b"nan"),
            _ => line.put(b'0'),
        }
    }
}
