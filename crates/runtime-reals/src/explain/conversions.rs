//! How the next output is printed, where only the running program knows: formats that are no constants, C++ streams, Rust
//! formatters, Fortran's formats.
//!
//! Layouts are those of libstdc++, libc++ and flang 22, and of Rust's standard library from 1.87 on.

use core::ffi::{CStr, c_char, c_void};

use lostbits_abi::{
    conversion::{Conversion, Notation, of_argument},
    explain::{MOST_FORMATS, StatementFormat, Thread},
};
use lostbits_runtime::{export, fortran::Descriptor};

use super::{fortran_format, trace::ThreadTrace};

/// From the start of a C++ object's table of functions to the distance of its first virtual base.
const VIRTUAL_BASE: isize = -24;

/// The conversion of a C++ stream.
///
/// # Safety
///
/// `stream` points to a `basic_ostream` whose `ios_base` has its precision and flags at these distances.
unsafe fn of_stream(stream: *const c_void, precision: u64, flags: u64) -> Conversion {
    // SAFETY: `basic_ios` is a virtual base, and begins with its `ios_base`.
    unsafe {
        let table = stream.cast::<*const u8>().read();
        let base = table.offset(VIRTUAL_BASE).cast::<isize>().read();
        let ios = stream.byte_offset(base).cast::<u8>();
        let precision = ios.add(precision as usize).cast::<i64>().read();
        let flags = ios.add(flags as usize).cast::<u32>().read();
        Conversion::of_stream(flags, precision)
    }
}

/// A Rust `Formatter`.
#[repr(C)]
struct Formatter {
    buffer: [usize; 2],
    flags: u32,
    width: u16,
    precision: u16,
}

impl Formatter {
    fn conversion(&self, notation: Notation) -> Conversion {
        const HAS_PRECISION: u32 = 1 << 28;
        const HAS_WIDTH: u32 = 1 << 27;
        const FILL: u32 = (1 << 21) - 1;
        let has = |flag: u32| self.flags & flag != 0;
        // What a `Formatter` of another layout would hardly satisfy.
        let is_plausible = char::from_u32(self.flags & FILL).is_some_and(|fill| fill >= ' ')
            && (has(HAS_WIDTH) || self.width == 0)
            && (has(HAS_PRECISION) || self.precision == 0);
        match (is_plausible, has(HAS_PRECISION)) {
            (false, _) => Conversion::UNKNOWN,
            (true, false) => Conversion::SHORTEST,
            (true, true) => Conversion::new(notation, self.precision.into()),
        }
    }
}

/// The formats of a thread's statements.
///
/// # Safety
///
/// `thread` is the calling thread's, and no other reference to its formats exists.
unsafe fn formats<'a>(thread: *mut Thread) -> &'a mut [StatementFormat; MOST_FORMATS] {
    // SAFETY: the caller's promise.
    unsafe { &mut (*thread).formats }
}

/// The conversion of the next items of a statement of Fortran; unknown if they have several, or no known one.
///
/// # Safety
///
/// As for [`formats`]; the statement's format is still there.
unsafe fn next_items(cookie: *const c_void, items: u64, thread: *mut Thread) -> Conversion {
    // SAFETY: the caller's promise.
    let formats = unsafe { formats(thread) };
    let own = |format: &&mut StatementFormat| format.cookie == cookie as usize;
    let Some(format) = formats.iter_mut().find(own) else {
        return Conversion::UNKNOWN;
    };
    let first = format.items;
    format.items = first.saturating_add(items);
    // SAFETY: the program may not change or free a format before its statement ends.
    let text = unsafe { core::slice::from_raw_parts(format.text, format.length) };
    fortran_format::conversion(text, first, items)
}

export! {
    /// The next output is an argument of a format of C.
    CONVERSION_OF_FORMAT
    fn conversion_of_format(format: *const c_char, index: u64, thread: *mut Thread) {
        // SAFETY: the program passes this format to an output function; the thread is its own.
        let (format, trace) = unsafe { (CStr::from_ptr(format).to_bytes(), ThreadTrace::new(thread)) };
        trace.set_conversion(match of_argument(format, index as usize) {
            Some((conversion, None)) => conversion,
            _ => Conversion::UNKNOWN,
        });
    }

    /// The next output goes to a C++ stream.
    CONVERSION_OF_STREAM
    fn conversion_of_stream(stream: *const c_void, precision: u64, flags: u64, thread: *mut Thread) {
        // SAFETY: the program passes this stream to its library's operator, whose layout the pass knows.
        unsafe { ThreadTrace::new(thread).set_conversion(of_stream(stream, precision, flags)) };
    }

    /// The next output goes to a Rust formatter.
    CONVERSION_OF_FORMATTER
    fn conversion_of_formatter(formatter: *const c_void, notation: u32, thread: *mut Thread) {
        let notation = Conversion(notation).notation();
        // SAFETY: the program passes this formatter, of at least 24 bytes, to the standard library.
        unsafe {
            let formatter = &*formatter.cast::<Formatter>();
            ThreadTrace::new(thread).set_conversion(formatter.conversion(notation));
        }
    }

    /// An output statement of Fortran begins.
    FORTRAN_FORMAT
    fn fortran_format(cookie: *const c_void, text: *const c_void, length: u64, thread: *mut Thread) {
        // SAFETY: instrumented code passes its thread.
        let (formats, oldest) = unsafe { (formats(thread), &mut (*thread).oldest_format) };
        let known = formats.iter().position(|format| format.cookie == cookie as usize);
        if text.is_null() {
            // A format that is not known from here on.
            known.into_iter().for_each(|place| formats[place].cookie = 0);
            return;
        }
        let place = known.unwrap_or_else(|| {
            *oldest = (*oldest + 1) % MOST_FORMATS as u32;
            *oldest as usize
        });
        formats[place] = StatementFormat {
            cookie: cookie as usize,
            text: text.cast(),
            length: length as usize,
            items: 0,
        };
    }

    /// The next output is an item of such a statement.
    FORTRAN_ITEM
    fn fortran_item(cookie: *const c_void, thread: *mut Thread) {
        // SAFETY: instrumented code passes its thread; the statement has not ended.
        unsafe { ThreadTrace::new(thread).set_conversion(next_items(cookie, 1, thread)) };
    }

    /// The next outputs are an array.
    FORTRAN_ITEMS
    fn fortran_items(cookie: *const c_void, array: *const c_void, thread: *mut Thread) {
        // SAFETY: the program passes this descriptor to its library; the thread is its own, the statement has not ended.
        unsafe {
            let items = (*array.cast::<Descriptor>()).items();
            // After an item of unknown size, nothing of the statement is known.
            let known = next_items(cookie, items.unwrap_or(u64::MAX), thread);
            ThreadTrace::new(thread).set_conversion(match items {
                Some(_) => known,
                None => Conversion::UNKNOWN,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_formatters_say_their_precision() {
        let formatter = |flags, width, precision| Formatter {
            buffer: [0; 2],
            flags,
            width,
            precision,
        };
        let conversion = |formatter: Formatter| formatter.conversion(Notation::Fixed);
        assert_eq!(
            conversion(formatter(0x6000_0020, 0, 0)),
            Conversion::SHORTEST
        );
        assert_eq!(
            conversion(formatter(0x7000_0020, 0, 3)),
            Conversion::new(Notation::Fixed, 3)
        );
        assert_eq!(
            conversion(formatter(0x7800_0020, 9, 0)),
            Conversion::new(Notation::Fixed, 0)
        );
        // Something else.
        assert_eq!(
            conversion(formatter(0x6000_0020, 7, 0)),
            Conversion::UNKNOWN
        );
        assert_eq!(
            conversion(formatter(0x6000_0000, 0, 0)),
            Conversion::UNKNOWN
        );
    }
}
