//! Paths in fixed buffers: the record's name is made without allocating.

use crate::sys;

pub const PATH_BYTES: usize = libc::PATH_MAX as usize;

/// A path that does not fit.
pub struct TooLong;

/// A path, ended by NUL.
#[derive(Clone)]
pub struct Path {
    bytes: [u8; PATH_BYTES],
    length: usize,
}

impl Default for Path {
    fn default() -> Path {
        Path::new()
    }
}

impl Path {
    pub const fn new() -> Path {
        Path {
            bytes: [0; PATH_BYTES],
            length: 0,
        }
    }

    /// Without the NUL.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// With the NUL, for the kernel.
    pub fn with_nul(&self) -> &[u8] {
        self.bytes
            .get(..self.length.saturating_add(1))
            .unwrap_or_default()
    }

    pub fn clear(&mut self) {
        self.truncate(0);
    }

    pub fn truncate(&mut self, length: usize) {
        if let Some(tail) = self.bytes.get_mut(length..) {
            tail.fill(0);
            self.length = self.length.min(length);
        }
    }

    pub fn push(&mut self, byte: u8) -> Result<(), TooLong> {
        if self.length.saturating_add(1) >= PATH_BYTES {
            return Err(TooLong);
        }
        *self.bytes.get_mut(self.length).ok_or(TooLong)? = byte;
        self.length = self.length.saturating_add(1);
        Ok(())
    }

    pub fn append(&mut self, text: &[u8]) -> Result<(), TooLong> {
        text.iter().try_for_each(|byte| self.push(*byte))
    }

    pub fn append_number(&mut self, number: u32) -> Result<(), TooLong> {
        if number >= 10 {
            self.append_number(number / 10)?;
        }
        self.push(b'0' + (number % 10) as u8)
    }

    /// Appends `template` with `%p` replaced by the process id and `%%` by `%`. Any other `%` is kept.
    pub fn append_expanded(&mut self, template: &[u8], process: u32) -> Result<(), TooLong> {
        let mut rest = template;
        loop {
            rest = match rest {
                [] => return Ok(()),
                [b'%', b'p', tail @ ..] => {
                    self.append_number(process)?;
                    tail
                }
                [b'%', b'%', tail @ ..] => {
                    self.push(b'%')?;
                    tail
                }
                [byte, tail @ ..] => {
                    self.push(*byte)?;
                    tail
                }
            }
        }
    }

    /// Appends `template` as a template that names the same file wherever the program goes: a
    /// relative one gets the working directory before it.
    pub fn append_absolute(&mut self, template: &[u8]) -> Result<(), TooLong> {
        if template.first() != Some(&b'/') {
            let mut directory = [0; PATH_BYTES];
            let length = sys::working_directory(&mut directory).map_err(|_| TooLong)?;
            for byte in directory.get(..length).unwrap_or_default() {
                if *byte == b'%' {
                    self.push(b'%')?;
                }
                self.push(*byte)?;
            }
            self.push(b'/')?;
        }
        self.append(template)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(template: &str, process: u32) -> std::string::String {
        let mut path = Path::new();
        assert!(path.append_expanded(template.as_bytes(), process).is_ok());
        assert_eq!(path.with_nul().last(), Some(&0));
        std::string::String::from_utf8(path.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn percent_p_is_the_process() {
        assert_eq!(expanded("/a/run-%p.rec", 4090), "/a/run-4090.rec");
        assert_eq!(expanded("%p%p", 7), "77");
    }

    #[test]
    fn percent_percent_is_percent_and_the_rest_is_kept() {
        assert_eq!(expanded("%%p %d 50%", 1), "%p %d 50%");
    }

    #[test]
    fn a_path_keeps_its_nul_and_refuses_more() {
        let mut path = Path::new();
        assert!(path.append(&[b'x'; PATH_BYTES - 1]).is_ok());
        assert!(path.push(b'x').is_err());
        assert_eq!(path.with_nul().len(), PATH_BYTES);
        assert_eq!(path.with_nul().last(), Some(&0));
    }

    #[test]
    fn truncation_leaves_nothing_behind() {
        let mut path = Path::new();
        assert!(path.append(b"abcdef").is_ok());
        path.truncate(2);
        assert_eq!(path.with_nul(), b"ab\0");
    }
}
