//! Where instructions and functions come from, in the source.

use std::ffi::c_uint;

use super::{Function, Module, Value};

#[repr(C)]
struct SourceLocation {
    text: [*const u8; 3],
    lengths: [usize; 3],
    line: c_uint,
    column: c_uint,
    ordinal: c_uint,
}

unsafe extern "C" {
    fn lostbits_source_location(
        instruction: Value,
        scope: LocationScope,
        out: *mut SourceLocation,
    ) -> bool;
    fn lostbits_caller_location(
        instruction: Value,
        scope: LocationScope,
        out: *mut SourceLocation,
    ) -> bool;
    fn lostbits_is_c_library_function(module: Module, name: *const u8, length: usize) -> bool;
    fn lostbits_subprogram_location(function: Function, out: *mut SourceLocation) -> bool;
    fn lostbits_value_name(
        instruction: Value,
        value: Value,
        out: *mut u8,
        room: usize,
        is_own: *mut bool,
    ) -> usize;
    fn lostbits_literal(instruction: Value, value: Value, out: *mut f64) -> bool;
}

/// Where an instruction comes from, in the source.
pub struct Location {
    pub file: String,
    pub directory: String,
    pub function: String,
    pub line: u32,
    pub column: u32,
    /// Which of several operations at this location, if discriminators distinguish them.
    pub ordinal: u32,
}

impl SourceLocation {
    fn read(fill: impl FnOnce(*mut SourceLocation) -> bool) -> Option<Location> {
        let mut raw = SourceLocation {
            text: [std::ptr::null(); 3],
            lengths: [0; 3],
            line: 0,
            column: 0,
            ordinal: 0,
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
            function: as_written(&text(2)).to_owned(),
            line: raw.line,
            column: raw.column,
            ordinal: raw.ordinal,
        })
    }
}

/// The function of the source. Compilers make functions of its parallel parts (OpenMP).
fn as_written(function: &str) -> &str {
    [".omp_outlined", "..omp_par"]
        .into_iter()
        .filter_map(|mark| function.find(mark))
        .min()
        .map_or(function, |end| &function[..end])
}

/// Whose line is wanted of an instruction that was inlined.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum LocationScope {
    Innermost,
    /// Of code that is not the standard library's.
    OutsideStandardLibrary,
    /// Of the program's own code, which is no library's.
    Own,
}

pub fn location(instruction: Value, scope: LocationScope) -> Option<Location> {
    // SAFETY: the shim fills in the structure.
    SourceLocation::read(|out| unsafe { lostbits_source_location(instruction, scope, out) })
}

/// Where the program called what an instruction was inlined from, if its place is not in the program's own file.
pub fn caller_location(instruction: Value, scope: LocationScope) -> Option<Location> {
    // SAFETY: as above.
    SourceLocation::read(|out| unsafe { lostbits_caller_location(instruction, scope, out) })
}

/// Whether a function is given memory with numbers, by types and debug information, that it may write.
pub fn takes_number_memory(call: Value) -> bool {
    super::api::lostbits_takes_number_memory(call)
}

/// Bytes from a pointer to the end of the variable it points into; 0 if that is not known.
pub fn object_bytes(call: Value, pointer: Value) -> u64 {
    super::api::lostbits_object_bytes(call, pointer)
}

/// Whether LLVM knows a function of C's library by this name.
pub fn is_c_library_function(module: Module, name: &str) -> bool {
    // SAFETY: the name is only read.
    unsafe { lostbits_is_c_library_function(module, name.as_ptr(), name.len()) }
}

pub fn function_location(function: Function) -> Option<Location> {
    // SAFETY: as above.
    SourceLocation::read(|out| unsafe { lostbits_subprogram_location(function, out) })
}

/// What the program calls a value.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct ValueName {
    pub text: String,
    /// It is a name of the function in which contains the operation, not of one that this was inlined into.
    pub is_own: bool,
}

/// The variable, field or element that an operand is, by debug information.
pub fn value_name(instruction: Value, operand: Value) -> Option<ValueName> {
    const LONGEST: usize = 48;
    let mut bytes = [0; LONGEST];
    let mut is_own = false;
    // SAFETY: no more is written than there is room for.
    let length = unsafe {
        lostbits_value_name(
            instruction,
            operand,
            bytes.as_mut_ptr(),
            LONGEST,
            &mut is_own,
        )
    };
    let text = std::str::from_utf8(&bytes[..length]).ok()?;
    (length > 0).then(|| ValueName {
        text: text.to_owned(),
        is_own,
    })
}

/// The number that an operand is in the source.
pub fn literal(instruction: Value, operand: Value) -> Option<f64> {
    let mut number = 0.0;
    // SAFETY: one number is written.
    unsafe { lostbits_literal(instruction, operand, &mut number) }.then_some(number)
}
