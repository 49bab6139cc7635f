//! Outputs of `vprintf` and similar functions: the arguments are in a list (x86-64 System V ABI), and only the format says
//! which of them are floating-point numbers.
//!
//! # What it can miss
//!
//! Formats with numbered arguments (`%1$g`): reading stops there. In high precision, `long double`.

use lostbits_abi::explain::Event;

use super::stored;

/// `va_list`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct List {
    integers: u32,
    vectors: u32,
    overflow: usize,
    registers: usize,
}

/// Where the integer and vector parts of the register save area end.
const INTEGERS_END: u32 = 48;
const VECTORS_END: u32 = 176;

impl List {
    fn integer(&mut self) {
        match self.integers < INTEGERS_END {
            true => self.integers += 8,
            false => self.overflow += 8,
        }
    }

    /// The address of the next double.
    fn double(&mut self) -> usize {
        if self.vectors < VECTORS_END {
            self.vectors += 16;
            return self.registers + self.vectors as usize - 16;
        }
        self.overflow += 8;
        self.overflow - 8
    }

    fn long_double(&mut self) -> usize {
        self.overflow = self.overflow.next_multiple_of(16) + 16;
        self.overflow - 16
    }
}

/// The argument that a conversion takes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Taken {
    Integer,
    Double,
    LongDouble,
    Nothing,
}

/// Iterates over the conversions of a format.
struct Conversions<'a> {
    rest: &'a [u8],
    /// After a `%`.
    within: bool,
    long: bool,
}

impl<'a> Conversions<'a> {
    fn new(format: &'a [u8]) -> Conversions<'a> {
        Conversions {
            rest: format,
            within: false,
            long: false,
        }
    }
}

impl Iterator for Conversions<'_> {
    type Item = Taken;

    fn next(&mut self) -> Option<Taken> {
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            if !self.within {
                self.within = *first == b'%';
                self.long = false;
                continue;
            }
            let taken = match first {
                // A width or precision; the conversion follows.
                b'*' => return Some(Taken::Integer),
                b'L' => {
                    self.long = true;
                    continue;
                }
                b'#' | b' ' | b'+' | b'-' | b'.' | b'\'' | b'I' | b'0'..=b'9' => continue,
                b'h' | b'l' | b'q' | b'j' | b'z' | b't' => continue,
                b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => match self.long {
                    true => Taken::LongDouble,
                    false => Taken::Double,
                },
                b'%' | b'm' => Taken::Nothing,
                b'$' => return None,
                _ => Taken::Integer,
            };
            self.within = false;
            return Some(taken);
        }
    }
}

/// Calls `at` with the address of each floating-point argument, and whether it is `long double`.
fn numbers(format: &[u8], list: &List, mut at: impl FnMut(usize, bool)) {
    let mut list = *list;
    for taken in Conversions::new(format) {
        match taken {
            Taken::Integer => list.integer(),
            Taken::Nothing => {}
            Taken::LongDouble => at(list.long_double(), true),
            Taken::Double => at(list.double(), false),
        }
    }
}

/// Calls `at` with the address of each double.
pub fn doubles(format: &[u8], list: &List, mut at: impl FnMut(usize)) {
    numbers(format, list, |address, is_long| {
        if !is_long {
            at(address);
        }
    });
}

/// Puts each floating-point argument into `event` as its first operand, and calls `judge`.
///
/// # Safety
///
/// The list holds what the format says.
pub unsafe fn each(format: &[u8], list: &List, event: &mut Event, mut judge: impl FnMut(&Event)) {
    numbers(format, list, |at, is_long| {
        // SAFETY: the format says that such an argument is at this address.
        unsafe {
            match is_long {
                true => stored::put_x87(event, at),
                false => stored::put_variadic(event, at),
            }
        }
        judge(event);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(format: &[u8]) -> std::vec::Vec<Taken> {
        Conversions::new(format).collect()
    }

    extern crate std;

    #[test]
    fn conversions_take_their_arguments() {
        use Taken::*;
        assert_eq!(taken(b"x = %.17g, %5d%%\n"), [Double, Integer, Nothing]);
        assert_eq!(
            taken(b"%*.*f %Lg %s"),
            [Integer, Integer, Double, LongDouble, Integer]
        );
        assert_eq!(taken(b"%-08.3lf%hhu%"), [Double, Integer]);
        assert_eq!(taken(b"nothing"), []);
        assert_eq!(taken(b"%1$g %g"), []);
    }

    #[test]
    fn arguments_continue_in_memory() {
        let mut list = List {
            integers: 40,
            vectors: 160,
            overflow: 1000,
            registers: 0,
        };
        list.integer();
        list.integer();
        assert_eq!((list.integers, list.overflow), (48, 1008));
        assert_eq!([list.double(), list.double()], [160, 1008]);
        assert_eq!(list.long_double(), 1024);
        assert_eq!(list.overflow, 1040);
    }
}
