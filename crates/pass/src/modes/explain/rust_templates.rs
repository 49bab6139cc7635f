//! How Rust's formatting macros print an argument. From Rust 1.93 on, `format_args!` becomes a template of bytes beside
//! the array of arguments: pieces of text, and placeholders with their flags, width and precision.
//!
//! # What it can miss
//!
//! Older versions of Rust, and a precision that an argument gives in code that is not optimised: there lost bits decide.

use lostbits_abi::conversion::{Conversion, Notation};

use super::conversions::Printed;
use crate::ir::{self, Opcode, Value};

/// Bytes of an `Argument`; where the function that formats, or a count, is in it.
const SIZE: i64 = 16;
const FORMATTER: i64 = 8;

/// An argument in the array that is formatted.
#[derive(Clone, Copy)]
pub struct Place {
    array: Value,
    index: usize,
}

impl Place {
    /// The argument whose formatting function is stored at this address.
    pub fn of_formatter(address: Value) -> Option<Place> {
        let (array, offset) = ir::base_and_offset(address);
        let start = offset - FORMATTER;
        let index = usize::try_from(start / SIZE).ok()?;
        (start % SIZE == 0).then_some(Place { array, index })
    }

    /// Where an argument is copied that a function returned.
    pub fn of_copy(returned: Value) -> Option<Place> {
        let is_copy = |user: &Value| {
            let is_call = ir::is_instruction(*user) && ir::is_call(*user);
            let function = is_call.then(|| ir::callee(*user)).and_then(ir::as_function);
            function.and_then(ir::intrinsic_name) == Some("llvm.memcpy")
                && ir::operand(*user, 1) == returned
        };
        let to = ir::operand(ir::uses(returned).into_iter().find(is_copy)?, 0);
        if let (array, offset) = ir::base_and_offset(to)
            && (array != to || !is_step(to))
        {
            let index = usize::try_from(offset / SIZE).ok()?;
            return (offset % SIZE == 0).then_some(Place { array, index });
        }
        let index = usize::try_from(ir::constant_integer(ir::operand(to, 1))?).ok()?;
        let array = ir::operand(to, 0);
        (ir::operands(to).len() == 2).then_some(Place { array, index })
    }

    /// The call that gets template and array, and the template.
    fn template(&self) -> Option<(Value, Vec<u8>)> {
        ir::uses(self.array).into_iter().find_map(|user| {
            if !ir::is_instruction(user) || !ir::is_call(user) {
                return None;
            }
            let arguments = ir::arguments(user);
            let pair = arguments.windows(2).find(|pair| pair[1] == self.array)?;
            let bytes = ir::constant_integers(pair[0])?.into_iter();
            let bytes: Option<Vec<u8>> = bytes.map(|byte| u8::try_from(byte).ok()).collect();
            Some((user, bytes?))
        })
    }

    /// How the argument is printed, by a function that uses `notation` if there is a precision; and the call before which the
    /// precision is known, if it is not known earlier.
    pub fn printed(&self, notation: Notation) -> (Printed, Option<Value>) {
        let unknown = (Printed::UNKNOWN, None);
        let Some((call, template)) = self.template() else {
            return unknown;
        };
        match precision_of(&template, self.index) {
            Some(Precision::Shortest) => (Printed::As(Conversion::SHORTEST), None),
            Some(Precision::Digits(digits)) => {
                (Printed::As(Conversion::new(notation, digits.into())), None)
            }
            Some(Precision::Argument(index)) => match self.count(index, call) {
                Some(digits) => {
                    let printed = Printed::WithDigits {
                        notation,
                        digits,
                        less: 0,
                    };
                    (printed, Some(call))
                }
                None => unknown,
            },
            None => unknown,
        }
    }

    /// The count that is stored as an argument, in the block of the call.
    fn count(&self, index: u16, call: Value) -> Option<Value> {
        const BITS: u32 = 16;
        let at = i64::from(index) * SIZE + FORMATTER;
        let block = ir::instructions(ir::parent_block(call)).into_iter();
        let stores = block
            .take_while(|one| *one != call)
            .filter(|one| ir::opcode(*one) == Opcode::LLVMStore)
            .filter(|one| ir::base_and_offset(ir::operand(*one, 1)) == (self.array, at));
        let value = ir::operand(stores.last()?, 0);
        let ty = ir::type_of(value);
        let is_count =
            ir::type_kind(ty) == ir::TypeKind::LLVMIntegerTypeKind && ir::int_width(ty) == BITS;
        is_count.then_some(value)
    }
}

fn is_step(pointer: Value) -> bool {
    ir::is_instruction(pointer) && ir::opcode(pointer) == Opcode::LLVMGetElementPtr
}

/// The precision of a placeholder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Precision {
    Digits(u16),
    /// The index of the argument that gives it.
    Argument(u16),
    /// None.
    Shortest,
}

/// The most precise placeholder of an argument. None if there is none, or the template cannot be read.
fn precision_of(template: &[u8], argument: usize) -> Option<Precision> {
    let mut reader = Reader(template);
    let (mut next, mut found) = (0, None);
    loop {
        match reader.byte()? {
            0 => return found,
            text @ 1..=0x7f => reader.skip(text.into())?,
            0x80 => {
                let text = reader.half()?;
                reader.skip(text.into())?;
            }
            placeholder @ 0xc0..=0xff => {
                let has = |bit: u8| placeholder & bit != 0;
                if has(1) {
                    reader.skip(4)?;
                }
                if has(2) {
                    reader.skip(2)?;
                }
                let precision = if has(4) { Some(reader.half()?) } else { None };
                if has(8) {
                    next = reader.half()?.into();
                }
                let precision = match precision {
                    Some(index) if has(32) => Precision::Argument(index),
                    Some(digits) => Precision::Digits(digits),
                    None => Precision::Shortest,
                };
                if next == argument {
                    found = found.max(Some(precision));
                }
                next += 1;
            }
            _ => return None,
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn half(&mut self) -> Option<u16> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*first))
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.get(bytes..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `"{:.3} {} {:e} {:?} {:.2e} {:.w$} {:.*}\n"`, as Rust 1.95 compiles it.
    const TEMPLATE: &[u8] =
        b"\xc5 \0\0p\x03\0\x01 \xc0\x01 \xc0\x01 \xc0\x01 \xc5 \0\0p\x02\0\x01 \xe5 \0\0p\x06\0\
        \x01 \xed \0\0p\x08\0\x07\0\x01\n\0";

    #[test]
    fn placeholders_have_their_precision() {
        use Precision::{Argument, Digits, Shortest};
        let found: Vec<Option<Precision>> = (0..9)
            .map(|argument| precision_of(TEMPLATE, argument))
            .collect();
        let expected = [
            Some(Digits(3)),
            Some(Shortest),
            Some(Shortest),
            Some(Shortest),
            Some(Digits(2)),
            Some(Argument(6)),
            None,
            Some(Argument(8)),
            None,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_most_precise_placeholder_counts() {
        // `"{0:.2}{0:>10.4}"`.
        let twice = b"\xc5 \0\0p\x02\0\xcf \0\08\x0a\0\x04\0\0\0\0";
        assert_eq!(precision_of(twice, 0), Some(Precision::Digits(4)));
        // `"{0:.2}{0}"`.
        let shortest = b"\xc5 \0\0p\x02\0\xc8\0\0\0";
        assert_eq!(precision_of(shortest, 0), Some(Precision::Shortest));
    }

    #[test]
    fn what_is_no_template_has_no_precision() {
        for bytes in [&b""[..], b"\x05ab", b"\x90\0", b"\xc5 \0", b"\xc0"] {
            assert_eq!(precision_of(bytes, 0), None, "{bytes:?}");
        }
    }
}
