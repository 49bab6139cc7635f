//! Clang's syntax tree as JSON: how it is asked for, and how its nodes are read.
//!
//! Locations are byte offsets. A location in a macro has two: where the macro was written and where it is used; the
//! latter counts here. Nodes of included files say so, so that only the file itself is read.

use std::{ffi::OsString, ops::Range, path::Path, process::Command};

use serde_json::{Deserializer, Value};

use crate::{
    fix::machine::Width,
    patch::tree::{Language, Span},
    toolchain::Compiler,
};

/// The declarations whose names contain `function`.
pub fn declarations(
    file: &Path,
    language: Language,
    function: Option<&str>,
    options: &[OsString],
) -> Result<Vec<Value>, String> {
    let compiler = match language {
        Language::Cxx => Compiler::Cxx,
        _ => Compiler::C,
    };
    let program = compiler.find().map_err(|failure| failure.to_string())?;
    let mut command = Command::new(program);
    command.args(options).arg("-fsyntax-only").arg("-w");
    command.args(["-Xclang", "-ast-dump=json"]);
    if let Some(function) = function {
        let filter = format!("-ast-dump-filter={function}");
        command.args([OsString::from("-Xclang"), filter.into()]);
    }
    let output = command
        .arg(file)
        .output()
        .map_err(|error| format!("clang cannot be started ({error})"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(format!("clang cannot read {}: {message}", file.display()));
    }
    let values = Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    values
        .collect::<Result<Vec<Value>, _>>()
        .map_err(|error| format!("clang's syntax tree cannot be read ({error})"))
}

#[derive(Clone, Copy)]
pub struct Node<'a>(pub &'a Value);

/// What a type means for formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Float(Width),
    Integer,
    Other,
}

impl<'a> Node<'a> {
    pub fn kind(self) -> &'a str {
        self.text("kind")
    }

    pub fn text(self, key: &str) -> &'a str {
        self.0[key].as_str().unwrap_or_default()
    }

    pub fn inner(self) -> Vec<Node<'a>> {
        let all = self.0["inner"].as_array().map_or(&[][..], Vec::as_slice);
        // Absent parts of a `for` are empty objects.
        all.iter().map(Node).collect()
    }

    pub fn value_type(self) -> Type {
        let of = &self.0["type"];
        let name = of["desugaredQualType"].as_str().or(of["qualType"].as_str());
        let name = name.unwrap_or_default().trim_start_matches("const ");
        match name {
            "double" => Type::Float(Width::Double),
            "float" => Type::Float(Width::Single),
            "int" | "unsigned int" | "long" | "unsigned long" | "short" | "unsigned short"
            | "char" | "signed char" | "unsigned char" | "long long" | "unsigned long long" => {
                Type::Integer
            }
            _ => Type::Other,
        }
    }

    pub fn is_volatile(self) -> bool {
        self.0["type"]["qualType"]
            .as_str()
            .is_some_and(|name| name.contains("volatile"))
    }

    /// The name that a reference refers to.
    pub fn referenced(self) -> &'a str {
        self.0["referencedDecl"]["name"]
            .as_str()
            .unwrap_or_default()
    }

    /// Its bytes in the file, and whether all of it is the use of one macro.
    pub fn span(self, text: &str) -> Option<(Span, bool)> {
        let (first, first_macro) = place(&self.0["range"]["begin"])?;
        let (last, last_macro) = place(&self.0["range"]["end"])?;
        let end = match last_macro {
            true => end_of_use(text, &last),
            false => last.end,
        };
        let is_macro = first_macro && last_macro && first.start == last.start;
        (first.start < end && end <= text.len()).then_some((first.start..end, is_macro))
    }

    /// The bytes of the file with which it was spelled: in the definition of a macro or in its arguments.
    pub fn spelled(self, text: &str) -> Option<Span> {
        let first = spelling(&self.0["range"]["begin"])?;
        let last = spelling(&self.0["range"]["end"])?;
        (first.start < last.end && last.end <= text.len()).then_some(first.start..last.end)
    }

    /// Whether all of it is an argument of the macro that it is in.
    pub fn is_macro_argument(self) -> bool {
        let of = |end: &str| {
            self.0["range"][end]["expansionLoc"]["isMacroArgExpansion"].as_bool() == Some(true)
        };
        of("begin") && of("end")
    }

    /// Whether it is in the file that clang was given.
    pub fn is_in_file(self) -> bool {
        let of = |place: &Value| place["includedFrom"].is_null();
        let begin = &self.0["range"]["begin"];
        let expansion = &begin["expansionLoc"];
        place(begin).is_some()
            && of(begin)
            && (expansion.is_null() || of(expansion))
            && of(&self.0["loc"])
    }
}

/// The bytes of a token, and whether it is in a macro.
fn place(location: &Value) -> Option<(Range<usize>, bool)> {
    let used = &location["expansionLoc"];
    let (location, is_macro) = match used.is_null() {
        true => (location, false),
        false => (used, true),
    };
    let start = location["offset"].as_u64()? as usize;
    let length = location["tokLen"].as_u64()? as usize;
    Some((start..start + length, is_macro))
}

/// The bytes of a token where it was written; none in an included file.
fn spelling(location: &Value) -> Option<Range<usize>> {
    let spelled = &location["spellingLoc"];
    let location = if spelled.is_null() { location } else { spelled };
    let is_own = location["includedFrom"].is_null();
    let start = location["offset"].as_u64()? as usize;
    let length = location["tokLen"].as_u64()? as usize;
    is_own.then_some(start..start + length)
}

/// The end of `NAME` or `NAME(…)`.
fn end_of_use(text: &str, name: &Range<usize>) -> usize {
    let rest = &text[name.end.min(text.len())..];
    let blanks = rest.len() - rest.trim_start().len();
    if !rest[blanks..].starts_with('(') {
        return name.end;
    }
    let mut depth = 0;
    for (at, c) in rest.char_indices().skip(blanks) {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth == 0 {
            return name.end + at + 1;
        }
    }
    name.end
}
