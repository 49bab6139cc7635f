//! Names that C accepts, each used once.

use std::collections::HashSet;

use lostbits_abi::ops::Op;

const TAKEN: &[&str] = &[
    "alignas",
    "alignof",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "fortran",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "nullptr",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "struct",
    "switch",
    "thread_local",
    "true",
    "typedef",
    "typeof",
    "typeof_unqual",
    "union",
    "unix",
    "linux",
    "unsigned",
    "void",
    "volatile",
    "while",
    "main",
    "memcpy",
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "signbit",
    "llrint",
    "llrintf",
    "llrintl",
    "NAN",
    "INFINITY",
    "NULL",
    "EOF",
    "stdin",
    "stdout",
    "stderr",
    "result",
    "errno",
    "signgam",
    "printf",
    "getline",
    "free",
    "exit",
    "strtod",
    "index",
    "FP_NAN",
];

#[derive(Default)]
pub(super) struct Names {
    used: HashSet<String>,
}

impl Names {
    pub fn is_used(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    /// A new name like the one wished for.
    pub fn fresh(&mut self, wish: &str) -> String {
        let base = sanitized(wish);
        let mut name = base.clone();
        let mut number = 2;
        while self.used.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        self.used.insert(name.clone());
        name
    }
}

/// Letters, digits and underscores, beginning with a letter, and nothing that means something in C.
pub fn sanitized(wish: &str) -> String {
    let mut name = String::new();
    for c in wish.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
            '*' | '\'' => name.push_str("_s"),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_matches('_');
    let name = match name.chars().next() {
        None => "x".to_owned(),
        Some(c) if c.is_ascii_digit() => format!("n{name}"),
        Some(_) => name.to_owned(),
    };
    if TAKEN.contains(&name.as_str()) || hides_a_function(&name) {
        format!("{name}_")
    } else {
        name
    }
}

/// A variable may be called y1 like the Bessel function, which cores cannot call; it may not be called `log`.
fn hides_a_function(name: &str) -> bool {
    use Op::{J0, J1, Jn, Y0, Y1, Yn};
    Op::from_library(name).is_some_and(|(op, _)| !matches!(op, J0 | J1 | Jn | Y0 | Y1 | Yn))
}
