//! Fortran's formats: the edit descriptor of an item of an output statement (Fortran 2018, 13.3).
//!
//! # What it can miss
//!
//! Formats with a scale factor (`1P`), and descriptors whose digits depend on the number (`EN`, `EX`, `G0`, `DT`): there the
//! conversion is unknown, or the shortest.

use lostbits_abi::conversion::{Conversion, Notation};

/// How deep groups may nest.
const DEEPEST: u32 = 20;
/// An array of more items is checked for this many; formats are shorter.
const MOST_CHECKED: u64 = 256;

/// The conversion of the items from `first` on; unknown if they have several.
pub fn conversion(format: &[u8], first: u64, items: u64) -> Conversion {
    let Some(format) = Format::new(format) else {
        return Conversion::UNKNOWN;
    };
    let of = |item| format.conversion(item).unwrap_or(Conversion::UNKNOWN);
    let conversion = of(first);
    let checked = items.min(MOST_CHECKED);
    match (1..checked).all(|more| of(first.saturating_add(more)) == conversion) {
        true => conversion,
        false => Conversion::UNKNOWN,
    }
}

/// A format whose descriptors are counted.
struct Format<'a> {
    /// What is within the outermost parentheses.
    text: &'a [u8],
    /// Data edit descriptors of all of it, and before the group to which control reverts.
    all: u64,
    before_last_group: u64,
}

impl<'a> Format<'a> {
    fn new(text: &'a [u8]) -> Option<Format<'a>> {
        let start = text.iter().position(|byte| *byte == b'(')?;
        let text = &text[start + 1..];
        let mut reader = Reader::new(text);
        let mut count = Count {
            wanted: None,
            seen: 0,
            found: None,
            before_last_group: 0,
        };
        reader.list(&mut count, 0)?;
        Some(Format {
            text,
            all: count.seen,
            before_last_group: count.before_last_group,
        })
    }

    fn conversion(&self, item: u64) -> Option<Conversion> {
        let wanted = if item < self.all {
            item
        } else {
            let reverted = self.all - self.before_last_group;
            self.before_last_group + (item - self.all).checked_rem(reverted)?
        };
        let mut count = Count {
            wanted: Some(wanted),
            seen: 0,
            found: None,
            before_last_group: 0,
        };
        Reader::new(self.text).list(&mut count, 0)?;
        count.found
    }
}

struct Count {
    /// The index of the wanted descriptor.
    wanted: Option<u64>,
    seen: u64,
    found: Option<Conversion>,
    before_last_group: u64,
}

impl Count {
    fn add(&mut self, times: u64, conversion: Conversion) {
        let end = self.seen.saturating_add(times);
        if self
            .wanted
            .is_some_and(|wanted| (self.seen..end).contains(&wanted))
        {
            self.found = Some(conversion);
        }
        self.seen = end;
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8]) -> Reader<'a> {
        Reader { text, at: 0 }
    }

    /// The next character that is not blank, as upper case.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        self.text.get(self.at).map(u8::to_ascii_uppercase)
    }

    fn take(&mut self) -> Option<u8> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn take_if(&mut self, wanted: u8) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = None;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            self.at += 1;
            let so_far: u64 = number.unwrap_or(0);
            number = Some(
                so_far
                    .saturating_mul(10)
                    .saturating_add(u64::from(digit - b'0')),
            );
        }
        number
    }

    /// Reads up to the closing parenthesis. None if it cannot be understood.
    fn list(&mut self, count: &mut Count, depth: u32) -> Option<()> {
        loop {
            let is_unlimited = self.take_if(b'*');
            let repeat = self.number();
            let times = if is_unlimited {
                u64::MAX
            } else {
                repeat.unwrap_or(1)
            };
            match self.take()? {
                b')' => return Some(()),
                b'(' => self.group(times, count, depth)?,
                quote @ (b'\'' | b'"') => self.quoted(quote)?,
                b'H' => self.at += repeat? as usize,
                b',' | b'/' | b':' | b'X' | b'S' => {}
                b'+' | b'-' => _ = self.number(),
                // A scale factor changes what is printed, or how many digits.
                b'P' if repeat != Some(0) => return None,
                b'P' => {}
                b'T' => {
                    _ = self.take_if(b'L') || self.take_if(b'R');
                    self.number();
                }
                b'B' if self.take_if(b'N') || self.take_if(b'Z') => {}
                b'R' => _ = self.take(),
                letter => self.data(letter, times, count)?,
            }
            // `SP`, `SS`, `DC` and the like.
            if self
                .text
                .get(self.at.wrapping_sub(1))
                .map(u8::to_ascii_uppercase)
                == Some(b'S')
            {
                _ = self.take_if(b'P') || self.take_if(b'S') || self.take_if(b'U');
            }
        }
    }

    fn group(&mut self, times: u64, count: &mut Count, depth: u32) -> Option<()> {
        if depth >= DEEPEST {
            return None;
        }
        if depth == 0 {
            count.before_last_group = count.seen;
        }
        let start = self.at;
        let mut inside = Count {
            wanted: None,
            seen: 0,
            found: None,
            before_last_group: 0,
        };
        self.list(&mut inside, depth + 1)?;
        let all = inside.seen.saturating_mul(times);
        let wanted = count
            .wanted
            .and_then(|wanted| wanted.checked_sub(count.seen));
        if let Some(wanted) = wanted.filter(|wanted| *wanted < all) {
            inside.wanted = Some(wanted % inside.seen);
            inside.seen = 0;
            let mut again = Reader {
                text: self.text,
                at: start,
            };
            again.list(&mut inside, depth + 1)?;
            count.found = inside.found;
        }
        count.seen = count.seen.saturating_add(all);
        Some(())
    }

    fn quoted(&mut self, quote: u8) -> Option<()> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.iter().position(|byte| *byte == quote)? + 1;
        Some(())
    }

    /// A data edit descriptor.
    fn data(&mut self, letter: u8, times: u64, count: &mut Count) -> Option<()> {
        let second = match letter {
            b'E' => match self.peek() {
                Some(second @ (b'N' | b'S' | b'X')) => {
                    self.at += 1;
                    second
                }
                _ => b' ',
            },
            b'D' if self.peek() == Some(b'T') => return None,
            // `DC` and `DP`: the decimal mark.
            b'D' if self.take_if(b'C') || self.take_if(b'P') => return Some(()),
            b'I' | b'B' | b'O' | b'Z' | b'F' | b'G' | b'L' | b'A' | b'D' => b' ',
            _ => return None,
        };
        let width = self.number();
        let digits = if self.take_if(b'.') {
            self.number()
        } else {
            None
        };
        if digits.is_some() && self.take_if(b'E') {
            self.number();
        }
        let digits = digits.and_then(|digits| u32::try_from(digits).ok());
        let new = |notation, digits| Conversion::new(notation, digits).in_upper_case();
        let conversion = match (letter, second, digits) {
            (b'F', _, Some(digits)) => new(Notation::Fixed, digits),
            (b'E', b'S', Some(digits)) => new(Notation::Scientific, digits),
            // 0.1234E-05: as many significant digits.
            (b'E', b' ', Some(digits @ 1..)) | (b'D', _, Some(digits @ 1..)) => {
                new(Notation::Scientific, digits - 1)
            }
            (b'G', _, Some(digits)) => new(Notation::General, digits),
            (b'G', _, None) if width == Some(0) => Conversion::SHORTEST,
            _ => Conversion::UNKNOWN,
        };
        count.add(times, conversion);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern crate std;
    use std::{format, string::String, vec::Vec};

    fn shown(conversion: Conversion) -> String {
        let letter = match conversion.notation() {
            Notation::Scientific => 'e',
            Notation::Fixed => 'f',
            Notation::General => 'g',
            Notation::Shortest => return "s".into(),
            _ => return "?".into(),
        };
        format!("{letter}{}", conversion.digits())
    }

    fn items(text: &str, items: u64) -> String {
        let each = (0..items).map(|item| shown(conversion(text.as_bytes(), item, 1)));
        each.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn items_have_their_descriptors() {
        assert_eq!(items("(F8.3,ES12.4,1X,I4,2E14.6)", 5), "f3 e4 ? e5 e5");
        assert_eq!(items("( a , f 10.5 )", 2), "? f5");
        assert_eq!(items("('it''s (F1.2)', \"x\", 3Habc, d20.10)", 1), "e9");
        assert_eq!(
            items("(g12.4,g0,en12.3,f8.2,sp,f8.1,s,f8.0)", 6),
            "g4 s ? f2 f1 f0"
        );
        assert_eq!(items("(T10,TL3,TR2,F8.3E2,/,BN,RN,DC,F7.1)", 2), "f3 f1");
    }

    #[test]
    fn groups_repeat_and_control_reverts_to_the_last() {
        assert_eq!(items("(2(F8.1,2F8.2))", 8), "f1 f2 f2 f1 f2 f2 f1 f2");
        assert_eq!(
            items("(F8.1,2(F8.2,F8.3))", 9),
            "f1 f2 f3 f2 f3 f2 f3 f2 f3"
        );
        assert_eq!(items("(F8.1,(F8.2),F8.3)", 6), "f1 f2 f3 f2 f3 f2");
        assert_eq!(items("(F8.1,F8.2)", 4), "f1 f2 f1 f2");
        assert_eq!(items("(A,*(F8.2,:,', '))", 4), "? f2 f2 f2");
        assert_eq!(items("(2(F8.1,2(F8.2,F8.3)))", 6), "f1 f2 f3 f2 f3 f1");
    }

    #[test]
    fn arrays_have_one_conversion_or_none() {
        let of = |text: &str, first, count| shown(conversion(text.as_bytes(), first, count));
        assert_eq!(of("(I4,3F10.5)", 1, 3), "f5");
        assert_eq!(of("(F8.3,ES12.4)", 0, 2), "?");
        assert_eq!(of("(10F8.3)", 0, 1 << 40), "f3");
    }

    #[test]
    fn what_cannot_be_understood_is_unknown() {
        for text in [
            "",
            "F8.3",
            "(1PE12.4)",
            "(F8.3",
            "(Q8.3)",
            "(dt'x'(3))",
            "('open)",
        ] {
            assert_eq!(items(text, 1), "?", "{text}");
        }
    }
}
