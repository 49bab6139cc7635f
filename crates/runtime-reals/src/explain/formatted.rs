//! Outputs of `vprintf` and similar functions: the arguments are in a list (x86-64 System V ABI), and only the format says
//! which of them are floating-point numbers.
//!
//! # What it can miss
//!
//! Formats with numbered arguments (`%1$g`): reading stops there. In high precision, `long double`.

use lostbits_abi::{
    conversion::{Conversion, Conversions, Precision, Taken},
    explain::Event,
};

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
    /// The address of the next integer or pointer.
    fn integer(&mut self) -> usize {
        if self.integers < INTEGERS_END {
            self.integers += 8;
            return self.registers + self.integers as usize - 8;
        }
        self.overflow += 8;
        self.overflow - 8
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

/// Calls `at` with the address of each floating-point argument, whether it is `long double`, and its conversion.
///
/// # Safety
///
/// The list holds what the format says.
unsafe fn numbers(format: &[u8], list: &List, mut at: impl FnMut(usize, bool, Conversion)) {
    let mut list = *list;
    let mut setting = 0;
    for taken in Conversions::new(format) {
        match taken {
            Taken::Integer => _ = list.integer(),
            // SAFETY: the format says that an `int` is at this address.
            Taken::Setting => setting = unsafe { (list.integer() as *const i32).read() },
            Taken::Nothing => {}
            Taken::LongDouble(precision) => {
                at(list.long_double(), true, with_setting(precision, setting));
            }
            Taken::Double(precision) => at(list.double(), false, with_setting(precision, setting)),
        }
    }
}

fn with_setting(precision: Precision, setting: i32) -> Conversion {
    match precision {
        Precision::Known(conversion) => conversion,
        Precision::Argument(conversion) => {
            let is_upper_case = conversion.is_upper_case();
            let conversion = Conversion::with_precision(conversion.notation(), setting.into());
            match is_upper_case {
                true => conversion.in_upper_case(),
                false => conversion,
            }
        }
    }
}

/// Calls `at` with the address of each double, and its conversion.
///
/// # Safety
///
/// The list holds what the format says.
pub unsafe fn doubles(format: &[u8], list: &List, mut at: impl FnMut(usize, Conversion)) {
    // SAFETY: the caller's promise.
    unsafe {
        numbers(format, list, |address, is_long, conversion| {
            if !is_long {
                at(address, conversion);
            }
        });
    }
}

/// Puts each floating-point argument into `event` as its first operand, and calls `judge`.
///
/// # Safety
///
/// The list holds what the format says.
pub unsafe fn each(
    format: &[u8],
    list: &List,
    event: &mut Event,
    mut judge: impl FnMut(&Event, Conversion),
) {
    // SAFETY: the caller's promise; the format says that such an argument is at this address.
    unsafe {
        numbers(format, list, |at, is_long, conversion| {
            match is_long {
                true => stored::put_x87(event, at),
                false => stored::put_variadic(event, at),
            }
            judge(event, conversion);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_continue_in_memory() {
        let mut list = List {
            integers: 40,
            vectors: 160,
            overflow: 1000,
            registers: 0,
        };
        assert_eq!([list.integer(), list.integer()], [40, 1000]);
        assert_eq!((list.integers, list.overflow), (48, 1008));
        assert_eq!([list.double(), list.double()], [160, 1008]);
        assert_eq!(list.long_double(), 1024);
        assert_eq!(list.overflow, 1040);
    }
}
