//! What an input file of clang or flang is, by `-x` or by its name.

/// What the compiler does with an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// Compiled: C, C++, Fortran, Objective-C, LLVM IR …
    Source,
    /// Assembled: nothing to instrument.
    Assembly,
    /// Precompiled: no code of its own.
    Header,
    /// Handed to the linker.
    Link,
}

/// The kind of `path`, `language` being what the last `-x` before it said.
pub fn classify(path: &str, language: Option<&str>) -> InputKind {
    match language {
        None | Some("none") => by_name(path),
        Some(language) => by_language(language),
    }
}

fn by_language(language: &str) -> InputKind {
    if language.starts_with("assembler") {
        InputKind::Assembly
    } else if language.contains("header") {
        InputKind::Header
    } else {
        InputKind::Source
    }
}

fn by_name(path: &str) -> InputKind {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        // Standard input without -x is preprocessed only; a name without a dot is for the linker.
        return InputKind::Link;
    };
    match extension {
        "s" | "S" | "sx" | "asm" => InputKind::Assembly,
        "h" | "H" | "hh" | "hp" | "hpp" | "hxx" | "HPP" | "h++" | "tcc" => InputKind::Header,
        _ if SOURCES.contains(&extension) => InputKind::Source,
        _ => InputKind::Link,
    }
}

/// Extensions that clang and flang compile.
const SOURCES: &[&str] = &[
    "c", "i", "C", "cc", "CC", "cp", "cpp", "CPP", "cxx", "CXX", "c++", "C++", "ii", "c++m", "ccm",
    "cppm", "cxxm", "ixx", "pcm", "m", "M", "mm", "mi", "mii", "ll", "bc", "f", "F", "for", "FOR",
    "ftn", "FTN", "fpp", "FPP", "f77", "F77", "f90", "F90", "f95", "F95", "f03", "F03", "f08",
    "F08", "f18", "F18", "cuf", "CUF", "i90",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_determine_the_kind() {
        for source in [
            "a.c",
            "dir.o/b.cpp",
            "x.f90",
            "X.F",
            "k.C",
            "m.ll",
            "m.bc",
            "e.c++",
        ] {
            assert_eq!(classify(source, None), InputKind::Source, "{source}");
        }
        for link in ["a.o", "liba.a", "a.c/lib", "b.so.3", "b.lo", "Makefile"] {
            assert_eq!(classify(link, None), InputKind::Link, "{link}");
        }
        assert_eq!(classify("start.S", None), InputKind::Assembly);
        assert_eq!(classify("all.hpp", None), InputKind::Header);
    }

    #[test]
    fn a_language_overrides_the_name() {
        assert_eq!(classify("-", Some("c")), InputKind::Source);
        assert_eq!(
            classify("a.c", Some("assembler-with-cpp")),
            InputKind::Assembly
        );
        assert_eq!(classify("a.c", Some("c++-header")), InputKind::Header);
        assert_eq!(classify("a.o", Some("c")), InputKind::Source);
        assert_eq!(classify("a.o", Some("none")), InputKind::Link);
    }
}
