//! Small pieces of plain language: counts, names, places.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use lostbits_abi::{kind::FpKind, site::Site};

/// A number with thousands parted: `1,234,567`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 site`, `2 sites`.
pub fn count(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(value), if value == 1 { one } else { many })
}

/// `once`, `2 times`.
pub fn times(times: u64) -> String {
    match times {
        1 => "once".to_owned(),
        _ => format!("{} times", number(times)),
    }
}

/// Says how the program ended, unless it ended well.
pub fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("the program was ended by signal {signal}\n"),
        (None, Some(0)) => String::new(),
        (None, code) => format!(
            "the program ended with exit code {}\n",
            code.unwrap_or_default()
        ),
    }
}

/// A symbol as its author wrote it, in Rust, C++ or C.
pub fn demangle(symbol: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return format!("{name:#}");
    }
    cpp(symbol)
        .or_else(|| fortran(symbol))
        .unwrap_or_else(|| symbol.to_owned())
}

/// Only what is mangled: a function of C called `f` would be read as the type `float`.
fn cpp(symbol: &str) -> Option<String> {
    let options = cpp_demangle::DemangleOptions::new()
        .no_params()
        .no_return_type();
    let mangled = symbol.starts_with("_Z").then_some(symbol)?;
    let name = cpp_demangle::Symbol::new(mangled).ok()?;
    name.demangle_with_options(&options).ok()
}

/// flang's names: `_QQmain` is the main program, `_QPname` a procedure, `_QMmoduleFname` and
/// `_QMmodulePname` one of a module, `_QFhostPname` one inside another.
fn fortran(symbol: &str) -> Option<String> {
    let mangled = symbol.strip_prefix("_Q")?;
    if mangled == "Qmain" {
        return Some("main program".to_owned());
    }
    let parts = mangled
        .split(|character: char| character.is_ascii_uppercase())
        .filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("::"))
}

/// ` in f`, if the function is known.
pub fn inside(site: &Site) -> String {
    match site.function.as_str() {
        "" => String::new(),
        function => format!(" in `{}`", demangle(function)),
    }
}

/// `file:line:column`, as far as known.
pub fn place(site: &Site) -> String {
    match (site.file.as_str(), site.line, site.column) {
        ("", _, _) => "(no line known)".to_owned(),
        (file, 0, _) => file.to_owned(),
        (file, line, 0) => format!("{file}:{line}"),
        (file, line, column) => format!("{file}:{line}:{column}"),
    }
}

/// A value by its bits, where the record holds all of them.
pub fn value(bits: u64, kind: Option<FpKind>) -> String {
    match kind {
        Some(FpKind::Double) => format!("{:e} (0x{bits:016x})", f64::from_bits(bits)),
        Some(FpKind::Float) => format!("{:e} (0x{:08x})", f32::from_bits(bits as u32), bits as u32),
        _ => format!("0x{bits:016x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(number),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(count(1, "site", "sites"), "1 site");
        assert_eq!(count(0, "site", "sites"), "0 sites");
    }

    #[test]
    fn names_of_four_languages() {
        let names = [
            "_RNvCs1234_7mycrate3foo",
            "_ZN7mycrate3foo17h0123456789abcdefE",
            "_ZN4math3sumEPKdi",
            "_QPsaxpy",
            "_QMlinalgPsolve",
            "_QQmain",
            "main",
            "f",
        ];
        let expected = [
            "mycrate::foo",
            "mycrate::foo",
            "math::sum",
            "saxpy",
            "linalg::solve",
            "main program",
            "main",
            "f",
        ];
        assert_eq!(names.map(demangle), expected);
    }
}
