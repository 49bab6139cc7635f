//! Memory that instrumented code lends to functions that are not instrumented.

/// A block of memory, as the call site knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Lent {
    pub address: u64,
    /// Bytes from there to the end of the object; 0 if only the allocator knows.
    pub bytes: u64,
    /// Not 0 if the program's types say that the function may write numbers there.
    pub has_numbers: u64,
}

/// The most blocks that are followed in a call.
pub const MOST_LENT: usize = 8;
