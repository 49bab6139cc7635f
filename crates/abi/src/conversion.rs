//! How numbers become text: the conversion of an output, and the formats of C that say which it is.
//!
//! The pass knows most conversions when it compiles; the runtime reads the rest from formats and streams, judges an output by
//! the digits that are printed, and leaves the conversion of the worst one for the tool, which makes both texts from it.
//!
//! Functions that the runtime calls are inlined: it must not link this crate's use of the standard library.

/// How the digits of a number are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Notation {
    /// No text, or one that is not known.
    Unknown = 0,
    /// One digit before the point, as many as asked for after it: `%.3e`. This and the next three have the numbers of C++'s
    /// `chars_format`.
    Scientific = 1,
    /// As many digits as asked for after the point: `%.3f`.
    Fixed = 2,
    /// As many significant digits as asked for, without zeros at the end: `%.3g`.
    General = 3,
    /// Hexadecimal digits: `%a`.
    Hexadecimal = 4,
    /// The fewest digits that give the number back: Rust's `{}`, Fortran's list-directed output.
    Shortest = 5,
}

/// The conversion of an output in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Conversion(pub u32);

/// Digits if a format does not say how many.
const DEFAULT_DIGITS: u32 = 6;
const MOST_DIGITS: u32 = 0xff_ffff;

impl Conversion {
    pub const UNKNOWN: Conversion = Conversion(0);
    pub const SHORTEST: Conversion = Conversion::new(Notation::Shortest, 0);
    /// `%f`, as `std::to_string` uses it.
    pub const DEFAULT_FIXED: Conversion = Conversion::new(Notation::Fixed, DEFAULT_DIGITS);
    /// Where the digits begin.
    pub const DIGITS_SHIFT: u32 = 8;
    /// Set if the exponent has an upper-case letter.
    pub const UPPER_CASE: u32 = 1 << 7;

    #[inline]
    pub const fn new(notation: Notation, digits: u32) -> Conversion {
        let digits = if digits > MOST_DIGITS {
            MOST_DIGITS
        } else {
            digits
        };
        Conversion(notation as u32 | digits << Conversion::DIGITS_SHIFT)
    }

    #[inline]
    pub const fn in_upper_case(self) -> Conversion {
        Conversion(self.0 | Conversion::UPPER_CASE)
    }

    #[inline]
    pub const fn is_upper_case(self) -> bool {
        self.0 & Conversion::UPPER_CASE != 0
    }

    #[inline]
    pub const fn notation(self) -> Notation {
        match self.0 & 0x7f {
            1 => Notation::Scientific,
            2 => Notation::Fixed,
            3 => Notation::General,
            4 => Notation::Hexadecimal,
            5 => Notation::Shortest,
            _ => Notation::Unknown,
        }
    }

    #[inline]
    pub const fn digits(self) -> u32 {
        self.0 >> Conversion::DIGITS_SHIFT
    }

    /// The place of the last digit that is printed; none if the number decides how many are.
    #[inline]
    pub const fn last_digit(self) -> Option<LastDigit> {
        match self.notation() {
            Notation::Fixed => Some(LastDigit::AfterPoint(self.digits())),
            Notation::Scientific => Some(LastDigit::Significant(self.digits() + 1)),
            Notation::General if self.digits() == 0 => Some(LastDigit::Significant(1)),
            Notation::General => Some(LastDigit::Significant(self.digits())),
            Notation::Unknown | Notation::Hexadecimal | Notation::Shortest => None,
        }
    }

    /// The conversion of a C++ stream.
    #[inline]
    pub const fn of_stream(flags: u32, precision: i64) -> Conversion {
        const FIXED: u32 = 1 << 2;
        const SCIENTIFIC: u32 = 1 << 8;
        const UPPER: u32 = 1 << 14;
        let notation = match (flags & FIXED != 0, flags & SCIENTIFIC != 0) {
            (true, true) => Notation::Hexadecimal,
            (true, false) => Notation::Fixed,
            (false, true) => Notation::Scientific,
            (false, false) => Notation::General,
        };
        let conversion = Conversion::with_precision(notation, precision);
        match flags & UPPER != 0 {
            true => conversion.in_upper_case(),
            false => conversion,
        }
    }

    /// A negative precision counts as none.
    #[inline]
    pub const fn with_precision(notation: Notation, precision: i64) -> Conversion {
        let digits = match precision {
            ..0 => DEFAULT_DIGITS,
            precision if precision > MOST_DIGITS as i64 => MOST_DIGITS,
            precision => precision as u32,
        };
        Conversion::new(notation, digits)
    }
}

/// The place of a number's last printed digit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastDigit {
    /// Its position after the point; 0 is the digit before it.
    AfterPoint(u32),
    /// Its position after the first digit that is not zero, from 1.
    Significant(u32),
}

/// The argument that a part of a format of C takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// An integer or a pointer.
    Integer,
    /// A width or precision (`*`) of the conversion that follows.
    Setting,
    Double(Precision),
    LongDouble(Precision),
    Nothing,
}

/// A conversion whose digits an argument may give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    Known(Conversion),
    /// The argument before the number; the conversion lacks its digits.
    Argument(Conversion),
}

/// Iterates over the conversions of a format of C.
pub struct Conversions<'a> {
    rest: &'a [u8],
    /// After a `%`.
    within: bool,
    long: bool,
    /// After the point: the digits so far.
    precision: Option<u32>,
    is_argument: bool,
}

impl<'a> Conversions<'a> {
    #[inline]
    pub fn new(format: &'a [u8]) -> Conversions<'a> {
        Conversions {
            rest: format,
            within: false,
            long: false,
            precision: None,
            is_argument: false,
        }
    }

    #[inline]
    fn conversion(&self, letter: u8) -> Precision {
        let notation = match letter | 0x20 {
            b'e' => Notation::Scientific,
            b'f' => Notation::Fixed,
            b'g' => Notation::General,
            _ => Notation::Hexadecimal,
        };
        let digits = self.precision.unwrap_or(DEFAULT_DIGITS);
        let mut conversion = Conversion::new(notation, digits);
        if letter & 0x20 == 0 {
            conversion = conversion.in_upper_case();
        }
        match self.is_argument {
            true => Precision::Argument(Conversion(conversion.0 & 0xff)),
            false => Precision::Known(conversion),
        }
    }
}

impl Iterator for Conversions<'_> {
    type Item = Taken;

    #[inline]
    fn next(&mut self) -> Option<Taken> {
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            if !self.within {
                self.within = *first == b'%';
                self.long = false;
                self.precision = None;
                self.is_argument = false;
                continue;
            }
            let taken = match *first {
                b'*' => {
                    self.is_argument = self.precision.is_some();
                    return Some(Taken::Setting);
                }
                b'L' => {
                    self.long = true;
                    continue;
                }
                b'.' => {
                    self.precision = Some(0);
                    continue;
                }
                digit @ b'0'..=b'9' => {
                    let more = |digits: u32| {
                        digits
                            .saturating_mul(10)
                            .saturating_add((digit - b'0').into())
                    };
                    self.precision = self.precision.map(more);
                    continue;
                }
                b'#' | b' ' | b'+' | b'-' | b'\'' | b'I' => continue,
                b'h' | b'l' | b'q' | b'j' | b'z' | b't' => continue,
                letter @ (b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A') => {
                    let conversion = self.conversion(letter);
                    match self.long {
                        true => Taken::LongDouble(conversion),
                        false => Taken::Double(conversion),
                    }
                }
                b'%' | b'm' => Taken::Nothing,
                b'$' => return None,
                _ => Taken::Integer,
            };
            self.within = false;
            return Some(taken);
        }
    }
}

/// The conversion of the variadic argument at this index, and the index of the argument that gives its digits.
#[inline]
pub fn of_argument(format: &[u8], index: usize) -> Option<(Conversion, Option<usize>)> {
    let mut next = 0;
    for taken in Conversions::new(format) {
        match taken {
            Taken::Double(precision) | Taken::LongDouble(precision) if next == index => {
                return Some(match precision {
                    Precision::Known(conversion) => (conversion, None),
                    Precision::Argument(conversion) => (conversion, Some(next.checked_sub(1)?)),
                });
            }
            Taken::Nothing => continue,
            _ => next += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(format: &[u8]) -> Vec<Taken> {
        Conversions::new(format).collect()
    }

    fn known(notation: Notation, digits: u32) -> Precision {
        Precision::Known(Conversion::new(notation, digits))
    }

    #[test]
    fn conversions_take_their_arguments() {
        use Notation::*;
        use Taken::*;
        assert_eq!(
            taken(b"x = %.17g, %5d%%\n"),
            [Double(known(General, 17)), Integer, Nothing]
        );
        assert_eq!(
            taken(b"%*.*f %Lg %s"),
            [
                Setting,
                Setting,
                Double(Precision::Argument(Conversion::new(Fixed, 0))),
                LongDouble(known(General, 6)),
                Integer
            ]
        );
        assert_eq!(taken(b"%-08.3lf%hhu%"), [Double(known(Fixed, 3)), Integer]);
        assert_eq!(taken(b"%*f"), [Setting, Double(known(Fixed, 6))]);
        assert_eq!(
            taken(b"%.f %a"),
            [Double(known(Fixed, 0)), Double(known(Hexadecimal, 6))]
        );
        assert_eq!(taken(b"nothing"), []);
        assert_eq!(taken(b"%1$g %g"), []);
    }

    #[test]
    fn arguments_have_their_conversions() {
        let format = b"%s: %10.4e, %.*g\n";
        let scientific = Conversion::new(Notation::Scientific, 4);
        assert_eq!(of_argument(format, 0), None);
        assert_eq!(of_argument(format, 1), Some((scientific, None)));
        assert_eq!(
            of_argument(format, 3),
            Some((Conversion::new(Notation::General, 0), Some(2)))
        );
        assert_eq!(of_argument(format, 4), None);
        let (upper, _) = of_argument(b"%.2E", 0).expect("a number");
        assert!(upper.is_upper_case());
        assert_eq!(
            (upper.notation(), upper.digits()),
            (Notation::Scientific, 2)
        );
    }

    #[test]
    fn streams_have_conversions() {
        assert_eq!(
            Conversion::of_stream(0x1002, 6),
            Conversion::new(Notation::General, 6)
        );
        assert_eq!(
            Conversion::of_stream(1 << 2, 3),
            Conversion::new(Notation::Fixed, 3)
        );
        assert_eq!(
            Conversion::of_stream(1 << 8, -1),
            Conversion::new(Notation::Scientific, 6)
        );
        assert_eq!(Conversion::of_stream(1 << 2 | 1 << 8, 3).last_digit(), None);
    }

    #[test]
    fn the_last_digit_has_a_place() {
        let last = |notation, digits| Conversion::new(notation, digits).last_digit();
        assert_eq!(last(Notation::Fixed, 0), Some(LastDigit::AfterPoint(0)));
        assert_eq!(
            last(Notation::Scientific, 3),
            Some(LastDigit::Significant(4))
        );
        assert_eq!(last(Notation::General, 0), Some(LastDigit::Significant(1)));
        assert_eq!(last(Notation::Shortest, 0), None);
    }
}
