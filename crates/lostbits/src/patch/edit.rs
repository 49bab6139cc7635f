//! Changes of a text, and how they are shown.

use similar::TextDiff;

use super::tree::{Language, Span, indentation, line_start};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// The text with all edits; they do not overlap.
pub fn applied(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let mut result = String::new();
    let mut at = 0;
    for edit in edits {
        if edit.span.start < at {
            continue;
        }
        result += &text[at..edit.span.start];
        result += &edit.text;
        at = edit.span.end;
    }
    result + &text[at..]
}

/// As `patch -p1` takes it.
pub fn diff(name: &str, before: &str, after: &str) -> String {
    let name = name.trim_start_matches('/');
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string()
}

/// The longest line of Fortran's free form, and how long continued ones become.
const LONGEST: usize = 132;
const CONTINUED: usize = 100;

/// A formula in Fortran, continued on further lines where its line would be too long.
pub fn continued(text: &str, span: &Span, formula: &str) -> String {
    let start = line_start(text, span.start);
    let rest = text[span.end..].lines().next().unwrap_or_default();
    let column = text[start..span.start].chars().count();
    if column + formula.chars().count() + rest.chars().count() <= LONGEST {
        return formula.to_owned();
    }
    let indentation = format!("{}    ", indentation(text, span.start));
    let mut lines = String::new();
    let mut length = column;
    for (index, word) in formula.split(' ').enumerate() {
        let added = word.chars().count() + 1;
        if index > 0 && length + added > CONTINUED {
            lines += &format!(" &\n{indentation}");
            length = indentation.chars().count();
        } else if index > 0 {
            lines.push(' ');
        }
        lines += word;
        length += added;
    }
    if length + rest.chars().count() > LONGEST && !rest.trim().is_empty() {
        lines += &format!(" &\n{indentation}");
    }
    lines
}

/// A comment on a line of its own before the statement at an offset; none where a line continues another.
pub fn comment(text: &str, offset: usize, language: Language, words: &str) -> Option<Edit> {
    let start = line_start(text, offset);
    let before = text[..start].trim_end_matches(['\n', '\r']);
    let previous = before.rsplit('\n').next().unwrap_or_default().trim_end();
    if previous.ends_with('\\') || previous.ends_with('&') {
        return None;
    }
    // What precedes the statement on its line must be blank, or a comment would fall into it.
    if !text[start..offset].trim().is_empty() && language == Language::Fortran {
        return None;
    }
    let indentation = indentation(text, offset);
    let line = match language {
        Language::C => format!("{indentation}/* {words} */\n"),
        Language::Cxx | Language::Rust => format!("{indentation}// {words}\n"),
        Language::Fortran => format!("{indentation}! {words}\n"),
    };
    Some(Edit {
        span: start..start,
        text: line,
    })
}

/// `#include <math.h>`, where the file does not have it.
pub fn include(text: &str, language: Language) -> Option<Edit> {
    let (names, line): (&[&str], &str) = match language {
        Language::C => (&["math.h", "tgmath.h"], "#include <math.h>\n"),
        Language::Cxx => (&["cmath", "math.h"], "#include <cmath>\n"),
        _ => return None,
    };
    let includes: Vec<(usize, &str)> = text
        .lines()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len() + 1;
            Some((start, line))
        })
        .filter(|(_, line)| {
            let line = line.trim_start();
            line.strip_prefix('#')
                .is_some_and(|rest| rest.trim_start().starts_with("include"))
        })
        .collect();
    let has = |(_, line): &(usize, &str)| names.iter().any(|name| line.contains(name));
    if includes.iter().any(has) {
        return None;
    }
    let at = includes
        .last()
        .map_or(0, |(start, line)| (start + line.len() + 1).min(text.len()));
    Some(Edit {
        span: at..at,
        text: line.to_owned(),
    })
}

/// Interfaces of functions of C's library, before the first executable statement of a procedure.
pub fn interfaces(text: &str, body: usize, functions: &[&str]) -> Option<Edit> {
    let new: Vec<&str> = functions
        .iter()
        .copied()
        .filter(|name| !text.contains(&format!("name='{name}'")))
        .collect();
    if new.is_empty() {
        return None;
    }
    let start = line_start(text, body);
    let indentation = indentation(text, body);
    let mut lines = vec!["interface".to_owned()];
    for name in new {
        let arguments: &[&str] = match name {
            "fma" => &["x", "y", "z"],
            _ => &["x"],
        };
        let list = arguments.join(", ");
        lines.push(format!(
            "  pure real(c_double) function {name}({list}) bind(c, name='{name}')"
        ));
        lines.push("    use, intrinsic :: iso_c_binding, only: c_double".to_owned());
        lines.push(format!("    real(c_double), value :: {list}"));
        lines.push("  end function".to_owned());
    }
    lines.push("end interface".to_owned());
    let text: String = lines
        .iter()
        .map(|line| format!("{indentation}{line}\n"))
        .collect();
    Some(Edit {
        span: start..start,
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_formulas_in_fortran_are_continued() {
        let text = "  x = (a - b) / c\n";
        let formula = vec!["fma(a, b, c)"; 20].join(" + ");
        let edit = Edit {
            text: continued(text, &(6..13), &formula),
            span: 6..13,
        };
        let after = applied(text, &[edit]);
        assert!(after.lines().count() > 1);
        let lines: Vec<&str> = after.lines().collect();
        assert!(lines.iter().all(|line| line.len() <= LONGEST), "{after}");
        let (last, others) = lines.split_last().unwrap();
        assert!(others.iter().all(|line| line.ends_with(" &")) && last.ends_with(" / c"));
        assert_eq!(continued(text, &(6..13), "a - b"), "a - b");
    }
}
