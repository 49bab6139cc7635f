//! Frames of the Python interpreter, as the analysis of mode `explain` holds them.

/// The innermost frames that are kept.
pub const FRAMES: usize = 3;
pub const FILE_BYTES: usize = 160;
pub const FUNCTION_BYTES: usize = 56;

/// A line of Python that was being executed. Texts are cut, a file's name at its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Frame {
    /// 0: none.
    pub line: u32,
    pub file_bytes: u16,
    pub function_bytes: u16,
    pub file: [u8; FILE_BYTES],
    pub function: [u8; FUNCTION_BYTES],
}

impl Frame {
    pub const NONE: Frame = Frame {
        line: 0,
        file_bytes: 0,
        function_bytes: 0,
        file: [0; FILE_BYTES],
        function: [0; FUNCTION_BYTES],
    };

    #[inline]
    pub fn set_file(&mut self, text: &[u8]) {
        let end = text
            .get(text.len().saturating_sub(FILE_BYTES)..)
            .unwrap_or(&[]);
        self.file_bytes = copy(end, &mut self.file);
    }

    #[inline]
    pub fn set_function(&mut self, text: &[u8]) {
        self.function_bytes = copy(text, &mut self.function);
    }

    pub fn file(&self) -> &[u8] {
        self.file.get(..usize::from(self.file_bytes)).unwrap_or(&[])
    }

    pub fn function(&self) -> &[u8] {
        self.function
            .get(..usize::from(self.function_bytes))
            .unwrap_or(&[])
    }
}

/// Calls from different lines that are kept for an output or decision.
pub const CALLS: usize = 4;

/// Where Python called instrumented code with a wrong result.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Call {
    /// Innermost first.
    pub frames: [Frame; FRAMES],
    /// Wrong results that this line got; 0: none.
    pub erroneous: u64,
    pub worst_bits: f64,
}

impl Call {
    pub const NONE: Call = Call {
        frames: [Frame::NONE; FRAMES],
        erroneous: 0,
        worst_bits: 0.0,
    };

    /// Adds a wrong result to the calls of a place; where there are too many, the worst stay.
    #[inline]
    pub fn add(calls: &mut [Call; CALLS], frames: &[Frame; FRAMES], bits: f64) {
        let mut at = 0;
        for (index, call) in calls.iter().enumerate() {
            if call.erroneous == 0 || call.frames[0] == frames[0] {
                at = index;
                break;
            }
            if call.worst_bits < calls[at].worst_bits {
                at = index;
            }
        }
        let call = &mut calls[at];
        if call.frames[0] != frames[0] {
            if call.erroneous > 0 && bits <= call.worst_bits {
                return;
            }
            *call = Call::NONE;
        }
        if call.erroneous == 0 || bits > call.worst_bits {
            call.frames = *frames;
            call.worst_bits = bits;
        }
        call.erroneous += 1;
    }
}

#[inline]
fn copy(from: &[u8], to: &mut [u8]) -> u16 {
    let length = from.len().min(to.len());
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
    length as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_where_they_say_least() {
        let mut frame = Frame::NONE;
        frame.set_file(b"/a/test.py");
        frame.set_function(b"test_root");
        assert_eq!(
            (frame.file(), frame.function()),
            (&b"/a/test.py"[..], &b"test_root"[..])
        );
        let long = [&[b'x'; 400][..], b"/test.py"].concat();
        frame.set_file(&long);
        frame.set_function(&long);
        assert_eq!(frame.file().len(), FILE_BYTES);
        assert!(frame.file().ends_with(b"x/test.py"));
        assert_eq!(frame.function(), &[b'x'; FUNCTION_BYTES]);
    }

    #[test]
    fn the_worst_calls_are_kept() {
        let at = |line| {
            [
                Frame {
                    line,
                    ..Frame::NONE
                },
                Frame::NONE,
                Frame::NONE,
            ]
        };
        let mut calls = [Call::NONE; CALLS];
        for (line, bits) in [
            (1, 10.0),
            (2, 20.0),
            (1, 12.0),
            (3, 5.0),
            (4, 30.0),
            (5, 40.0),
            (6, 1.0),
        ] {
            Call::add(&mut calls, &at(line), bits);
        }
        let kept = calls.map(|call| (call.frames[0].line, call.erroneous, call.worst_bits));
        assert_eq!(
            kept,
            [(1, 2, 12.0), (2, 1, 20.0), (5, 1, 40.0), (4, 1, 30.0)]
        );
    }

    #[test]
    fn a_damaged_file_cannot_make_texts_longer_than_they_are() {
        let frame = Frame {
            file_bytes: u16::MAX,
            function_bytes: u16::MAX,
            ..Frame::NONE
        };
        assert_eq!((frame.file(), frame.function()), (&b""[..], &b""[..]));
    }
}
