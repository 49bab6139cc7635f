//! What the program calls the operands of an operation; written into the site table, so that expressions speak of the
//! program's variables. The names themselves come from `src/names/names.cpp`.
//!
//! Copies of an operation (inlined, unrolled) are one site: a name is kept only if they agree on it; elements of one array
//! agree on the array. Names of the function that contains the operation count more than those of a function that
//! it was inlined into. A literal must be the same number in all copies: else it is an argument of what was inlined.

use lostbits_abi::site::literal_name;

use crate::ir::ValueName;

/// Represents, in a name, an index that no variable holds.
const UNKNOWN: &str = "…";

/// What one copy of an operation has for an operand.
pub enum OperandName {
    Variable(ValueName),
    Literal(f64),
}

/// Joined over the copies of an operation.
#[derive(Default)]
pub struct OperandNames {
    operands: Vec<Joined>,
    /// The optimiser may exchange operands, in one copy and not in the other.
    commutes: bool,
}

#[derive(Clone, Default)]
struct Joined {
    /// Whether there was a name at all, and one of the function's own.
    rank: u8,
    text: String,
    /// A copy has no name: which element it names is unknown.
    is_partial: bool,
    /// Copies have different names.
    differs: bool,
    /// By its bits.
    literal: Option<u64>,
    /// A copy has no literal, or another one.
    varies: bool,
}

impl OperandNames {
    pub fn join(&mut self, names: &[Option<OperandName>], commutes: bool) {
        self.commutes |= commutes;
        let longest = self.operands.len().max(names.len());
        self.operands.resize(longest, Joined::default());
        for (known, name) in self.operands.iter_mut().zip(names) {
            match name {
                Some(OperandName::Variable(name)) => known.join(name, commutes),
                Some(OperandName::Literal(number)) => known.join_literal(*number),
                None => known.join_unnamed(),
            }
        }
    }

    /// None at all if no operand has one.
    pub fn into_texts(self) -> Vec<String> {
        let is_doubtful = |name: &Joined| name.differs || (name.rank > 0 && name.is_partial);
        // Not the literals: no copy has anything else in their place.
        let are_doubtful = self.commutes && self.operands.iter().any(is_doubtful);
        let text = |name: Joined| match name.literal() {
            Some(number) => literal_name(number),
            None if are_doubtful || name.differs => String::new(),
            None if name.is_partial => of_any_element(&name.text),
            None => name.text,
        };
        let texts: Vec<String> = self.operands.into_iter().map(text).collect();
        match texts.iter().all(String::is_empty) {
            true => Vec::new(),
            false => texts,
        }
    }
}

impl Joined {
    fn literal(&self) -> Option<f64> {
        self.literal.filter(|_| !self.varies).map(f64::from_bits)
    }

    fn join_literal(&mut self, number: f64) {
        let bits = number.to_bits();
        self.varies |= *self.literal.get_or_insert(bits) != bits;
        self.is_partial = true;
    }

    fn join_unnamed(&mut self) {
        self.varies = true;
        self.is_partial = true;
    }

    fn join(&mut self, name: &ValueName, commutes: bool) {
        self.varies = true;
        let rank = if name.is_own { 2 } else { 1 };
        let common = match self.rank {
            0 => Some(name.text.clone()),
            _ => common(&self.text, &name.text),
        };
        match common {
            Some(text) => self.text = text,
            None if commutes || rank == self.rank => self.differs = true,
            None if rank > self.rank => self.text = name.text.clone(),
            None => {}
        }
        self.rank = self.rank.max(rank);
    }
}

/// A name's parts: what is in brackets is an index, in every second place.
fn parts(name: &str) -> Vec<&str> {
    name.split(['[', ']', '(', ')']).collect()
}

/// The name of both: where indices differ, of any element.
fn common(first: &str, second: &str) -> Option<String> {
    if first == second {
        return Some(first.to_owned());
    }
    let (one, other) = (parts(first), parts(second));
    let agree = one.len() == other.len()
        && (one.iter().zip(&other).enumerate())
            .all(|(place, (one, other))| place % 2 == 1 || one == other);
    agree.then(|| {
        with_indices(first, |place| {
            (one[place] == other[place]).then(|| one[place])
        })
    })
}

/// The name of any element of an array, where `name` is that of one.
pub fn of_any_element(name: &str) -> String {
    with_indices(name, |_| None)
}

/// A name with other indices in their places; without one, it is not known.
fn with_indices<'a>(name: &str, index: impl Fn(usize) -> Option<&'a str>) -> String {
    let mut text = String::new();
    let mut rest = name;
    for (place, part) in parts(name).into_iter().enumerate() {
        match place % 2 {
            0 => text += part,
            _ => text += index(place).unwrap_or(UNKNOWN),
        }
        rest = &rest[part.len()..];
        let bracket = rest.chars().next();
        text.extend(bracket);
        rest = &rest[bracket.map_or(0, char::len_utf8)..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(text: &str) -> Option<OperandName> {
        Some(OperandName::Variable(ValueName {
            text: text.to_owned(),
            is_own: true,
        }))
    }

    fn literal(number: f64) -> Option<OperandName> {
        Some(OperandName::Literal(number))
    }

    fn joined(copies: &[[Option<OperandName>; 2]], commutes: bool) -> Vec<String> {
        let mut names = OperandNames::default();
        copies.iter().for_each(|copy| names.join(copy, commutes));
        names.into_texts()
    }

    #[test]
    fn a_literal_is_the_same_in_all_copies() {
        let same = [[called("x"), literal(1e16)], [called("x"), literal(1e16)]];
        assert_eq!(joined(&same, true), ["x", "=1e16"]);
        let other = [[called("x"), literal(1e16)], [called("x"), literal(2.0)]];
        assert_eq!(joined(&other, true), ["x", ""]);
        let unknown = [[None, literal(1e16)], [None, None]];
        assert!(joined(&unknown, true).is_empty());
    }

    /// A function's argument, which a copy was given as a number.
    #[test]
    fn a_name_is_more_than_a_literal() {
        let copies = [[called("x"), literal(1e16)], [called("x"), called("y")]];
        assert_eq!(joined(&copies, false), ["x", "y"]);
    }

    #[test]
    fn operands_that_are_exchanged_are_no_literals() {
        let copies = [[None, literal(1e16)], [literal(1e16), None]];
        assert!(joined(&copies, true).is_empty());
        let renamed = [[called("x"), literal(1e16)], [called("y"), literal(1e16)]];
        assert_eq!(joined(&renamed, true), ["", "=1e16"]);
    }
}
