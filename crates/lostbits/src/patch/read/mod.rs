//! Readers of sources: clang's syntax tree for C and C++, `syn` for Rust, and a grammar of our own for Fortran.

mod builder;
mod clang;
mod clang_json;
mod fortran;
mod fortran_expression;
mod fortran_lines;
mod rust;

use std::{ffi::OsString, path::Path};

use super::tree::{Language, Source};
use crate::{subject, toolchain::Compiler};

/// The language of a file, by its name.
pub fn language(file: &Path) -> Option<Language> {
    Some(match subject::language(file.as_os_str())? {
        Compiler::C => Language::C,
        Compiler::Cxx => Language::Cxx,
        Compiler::Rust => Language::Rust,
        Compiler::Fortran => Language::Fortran,
    })
}

/// Reads a source. `function` narrows what clang shows to functions of this name; `options` are the compiler's.
pub fn read(
    file: &Path,
    text: &str,
    language: Language,
    function: Option<&str>,
    options: &[OsString],
) -> Result<Source, String> {
    match language {
        Language::C | Language::Cxx => clang::read(file, text, language, function, options),
        Language::Rust => rust::read(text),
        Language::Fortran => fortran::read(file, text),
    }
}
