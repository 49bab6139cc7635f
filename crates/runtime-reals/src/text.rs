//! Exact values as text, for other tools.

use gmp_mpfr_sys::mpfr::{self, rnd_t};
use lostbits_abi::kind::FpKind;

use crate::{environment::in_default_environment, exchange::Scratch, memory, number::Slot, start};

/// Significant decimal digits.
const DIGITS: usize = 40;
/// Bytes that `mpfr_get_str` may write: digits, sign and NUL.
const ROOM: usize = DIGITS + 8;

/// Writes the exact value of the value at `address` as `-0.ddd…e±n`, ended by NUL. Returns 1; 0 if it is the value itself;
/// -1 if the buffer is too small.
///
/// # Safety
///
/// `address` is that of a value of this kind, and `buffer` has `bytes` bytes.
pub unsafe fn write(address: usize, kind: FpKind, buffer: *mut u8, bytes: usize) -> i32 {
    start::ensure_started();
    let mut slot = Slot::new();
    // SAFETY: the caller's promise.
    let has_shadow = unsafe { memory::load_number(&mut slot, address, kind) };
    let mut line = Line {
        buffer,
        bytes,
        length: 0,
    };
    in_default_environment(|| put_number(&mut line, &slot));
    line.put(0);
    match line.length <= bytes {
        true => i32::from(has_shadow),
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
            // SAFETY: `length` is below `bytes`, the size of the buffer.
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

fn put_number(line: &mut Line, slot: &Slot) {
    let mut digits = [0u8; ROOM];
    let mut exponent = 0;
    let mut scratch = Scratch::new();
    let number = scratch.lend(&slot.number);
    // SAFETY: `digits` has room for DIGITS digits, sign and NUL; `number` is a valid MPFR number.
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
