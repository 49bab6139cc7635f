//! A sentence that is put together without a heap.

/// A sentence of limited length; the rest of a very long one is cut off.
pub struct Sentence {
    bytes: [u8; 1024],
    length: usize,
}

impl Sentence {
    pub const fn new() -> Sentence {
        Sentence {
            bytes: [0; 1024],
            length: 0,
        }
    }

    pub fn add(&mut self, text: &[u8]) {
        let room = self.bytes.iter_mut().skip(self.length);
        self.length += room.zip(text).map(|(to, from)| *to = *from).count();
    }

    pub fn add_number(&mut self, number: u32) {
        self.add_digits(number as usize, 10);
    }

    pub fn add_address(&mut self, address: usize) {
        self.add(b"0x");
        self.add_digits(address, 16);
    }

    fn add_digits(&mut self, number: usize, base: usize) {
        if number >= base {
            self.add_digits(number / base, base);
        }
        self.add(&[b"0123456789abcdef"[number % base]]);
    }

    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_addresses_are_written_in_their_base() {
        let mut sentence = Sentence::new();
        sentence.add_number(1070);
        sentence.add(b" ");
        sentence.add_address(0xc0_00f0);
        assert_eq!(sentence.bytes(), b"1070 0xc000f0");
    }
}
