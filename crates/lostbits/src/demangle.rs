//! The names of functions as their authors wrote them.

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

#[cfg(test)]
mod tests {
    use super::*;

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
