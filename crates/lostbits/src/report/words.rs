//! Small pieces of text that all reports share: counts, names, source locations.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use lostbits_abi::{kind::FpKind, site::Site};

use crate::printable::printable;
pub use crate::{
    demangle::demangle,
    notation::{count, number, times},
};

/// How the program ended, unless it exited with code 0.
pub fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("the program was killed by signal {signal}\n"),
        (None, Some(0)) => String::new(),
        (None, code) => format!(
            "the program exited with code {}\n",
            code.unwrap_or_default()
        ),
    }
}

/// `1 execution`, `2 executions`.
pub fn executions(times: u64) -> String {
    count(times, "execution", "executions")
}

/// A symbol as its author wrote it, safe to print.
pub fn function_name(symbol: &str) -> String {
    printable(&demangle(symbol)).into_owned()
}

/// ` in f`, if the function is known.
pub fn in_function(site: &Site) -> String {
    match site.function.as_str() {
        "" => String::new(),
        function => format!(" in `{}`", function_name(function)),
    }
}

/// `file:line:column`, as far as known.
pub fn location(site: &Site) -> String {
    let file = printable(&site.file);
    match (&*file, site.line, site.column) {
        ("", _, _) => "(unknown line)".to_owned(),
        (file, 0, _) => file.to_owned(),
        (file, line, 0) => format!("{file}:{line}"),
        (file, line, column) => format!("{file}:{line}:{column}"),
    }
}

/// A value in decimal and by its bits; by its bits alone where the record does not hold all of them.
pub fn value(bits: u64, kind: Option<FpKind>) -> String {
    match kind {
        Some(FpKind::Double) => format!("{:e} (0x{bits:016x})", f64::from_bits(bits)),
        Some(FpKind::Float) => format!("{:e} (0x{:08x})", f32::from_bits(bits as u32), bits as u32),
        _ => format!("0x{bits:016x}"),
    }
}
