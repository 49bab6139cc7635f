//! Where instructions and functions come from, in the source.

use std::ffi::c_uint;

use super::Value;

#[repr(C)]
struct SourceLocation {
    text: [*const u8; 3],
    lengths: [usize; 3],
    line: c_uint,
    column: c_uint,
}

unsafe extern "C" {
    fn lostbits_source_location(
        instruction: Value,
        own_code: bool,
        out: *mut SourceLocation,
    ) -> bool;
    fn lostbits_subprogram_location(function: Value, out: *mut SourceLocation) -> bool;
}

/// Where an instruction comes from, in the source.
pub struct Location {
    pub file: String,
    pub directory: String,
    pub function: String,
    pub line: u32,
    pub column: u32,
}

impl SourceLocation {
    fn read(fill: impl FnOnce(*mut SourceLocation) -> bool) -> Option<Location> {
        let mut raw = SourceLocation {
            text: [std::ptr::null(); 3],
            lengths: [0; 3],
            line: 0,
            column: 0,
        };
        if !fill(&mut raw) {
            return None;
        }
        let text = |index: usize| match raw.lengths[index] {
            0 => String::new(),
            // SAFETY: the shim points into strings of the module's metadata.
            length => unsafe {
                let bytes = std::slice::from_raw_parts(raw.text[index], length);
                String::from_utf8_lossy(bytes).into_owned()
            },
        };
        Some(Location {
            file: text(0),
            directory: text(1),
            function: text(2),
            line: raw.line,
            column: raw.column,
        })
    }
}

pub fn location(instruction: Value) -> Option<Location> {
    SourceLocation::read(|out| unsafe { lostbits_source_location(instruction, false, out) })
}

/// Where the program's own code is, if the instruction was inlined from a library.
pub fn own_location(instruction: Value) -> Option<Location> {
    SourceLocation::read(|out| unsafe { lostbits_source_location(instruction, true, out) })
}

pub fn function_location(function: Value) -> Option<Location> {
    SourceLocation::read(|out| unsafe { lostbits_subprogram_location(function, out) })
}
