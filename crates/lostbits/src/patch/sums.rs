//! Running sums and dot products in loops: compensated (Neumaier's sum by a branch-free two-sum; Ogita, Rump and Oishi's
//! Dot2 with fma).
//!
//! Recognised exactly: `s += v` or `s = s + v` in a loop in which `s` occurs nowhere else. The compensation is declared
//! before the outermost such loop and added after it. `-ffast-math` would remove it, so sums are refused there.

use super::{
    change::{Change, File},
    edit::{self, Edit},
    program::Program,
    tree::{Addition, Effect, Language, Statement, indentation, line_of, line_start, names},
};
use crate::fix::machine::Width;

/// The change for a running sum at a line; none if there is no sum.
pub fn change(file: &File, line: u32, program: &Program) -> Result<Option<Change>, String> {
    let adds = |statement: &&Statement| {
        matches!(statement.effect, Effect::Adds(_))
            && line_of(&file.text, statement.span.start) == line
    };
    let Some(statement) = file.source.statements.iter().find(adds) else {
        return Ok(None);
    };
    let Effect::Adds(addition) = &statement.effect else {
        return Ok(None);
    };
    let Some(outer) = outermost(file, statement, addition) else {
        return Ok(None);
    };
    let unsafe_options = ["-ffast-math", "-Ofast", "-fassociative-math"];
    let is_unsafe = |word: &std::ffi::OsString| unsafe_options.iter().any(|option| word == option);
    if program.options(&file.path).iter().any(is_unsafe) {
        return Err(
            "the running sum can be compensated, but -ffast-math would remove the compensation"
                .to_owned(),
        );
    }
    if addition.width != Some(Width::Double) {
        return Err(
            "running sums are compensated in double precision only: declare the sum as one"
                .to_owned(),
        );
    }
    if !outer.is_in_list || (!statement.is_in_list && file.language == Language::Fortran) {
        return Err("the running sum is in a loop to which no statement can be added".to_owned());
    }
    Ok(Some(compensated(file, statement, addition, outer)?))
}

/// The outermost loop around a sum in which its variable occurs nowhere else.
pub(super) fn outermost<'a>(
    file: &'a File,
    statement: &Statement,
    addition: &Addition,
) -> Option<&'a Statement> {
    let elsewhere = |span: &std::ops::Range<usize>| {
        let before = &file.text[span.start..statement.span.start];
        let after = &file.text[statement.span.end.min(span.end)..span.end];
        let uses = |text: &str| {
            names(text)
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&addition.target))
        };
        uses(before)
            || uses(after)
            || names(&file.text[addition.value.clone()]).contains(&addition.target.as_str())
    };
    let loops = statement
        .loops
        .iter()
        .map(|index| &file.source.loops[*index]);
    let mut free = loops.filter(|one| !elsewhere(&one.span));
    free.next()
        .map(|one| &file.source.statements[one.statement])
}

fn compensated(
    file: &File,
    statement: &Statement,
    addition: &Addition,
    outer: &Statement,
) -> Result<Change, String> {
    let text = &file.text;
    let sum = &addition.target;
    let rest = format!("{sum}_rest");
    if names(text).contains(&rest.as_str()) {
        return Err(format!("the name {rest} is taken"));
    }
    let value = &text[addition.value.clone()];
    let factors = addition
        .factors
        .as_ref()
        .map(|[x, y]| (text[x.clone()].to_owned(), text[y.clone()].to_owned()));
    let sign = if addition.is_difference { "-" } else { "" };
    let (lines, declaration, closing): (Vec<String>, String, String) = match file.language {
        Language::C | Language::Cxx => {
            let prefix = match file.language {
                Language::Cxx if text.contains("std::") => "std::",
                _ => "",
            };
            let mut lines = match &factors {
                Some((x, y)) => vec![
                    format!("double term = {sign}{};", product(x, y)),
                    format!(
                        "{rest} += {prefix}fma({sign}{}, {y}, -term);",
                        atom(x, sign)
                    ),
                ],
                None => vec![format!("double term = {};", signed(sign, value))],
            };
            lines.extend([
                format!("double next = {sum} + term;"),
                "double added = next - ".to_owned() + sum + ";",
                format!("{rest} += ({sum} - (next - added)) + (term - added);"),
                format!("{sum} = next;"),
            ]);
            (
                lines,
                format!("double {rest} = 0.0;"),
                format!("{sum} += {rest};"),
            )
        }
        Language::Rust => {
            let mut lines = match &factors {
                Some((x, y)) => vec![
                    format!("let term: f64 = {sign}{};", product(x, y)),
                    format!(
                        "{rest} += f64::mul_add({sign}{}, {y}, -term);",
                        atom(x, sign)
                    ),
                ],
                None => vec![format!("let term: f64 = {};", signed(sign, value))],
            };
            lines.extend([
                format!("let next = {sum} + term;"),
                format!("let added = next - {sum};"),
                format!("{rest} += ({sum} - (next - added)) + (term - added);"),
                format!("{sum} = next;"),
            ]);
            (
                lines,
                format!("let mut {rest} = 0.0;"),
                format!("{sum} += {rest};"),
            )
        }
        Language::Fortran => {
            // Parentheses fix the order, which Fortran otherwise leaves to the compiler.
            let lines = vec![
                format!("{sum}_term = {}", signed(sign, value)),
                format!("{sum}_next = {sum} + {sum}_term"),
                format!("{sum}_added = {sum}_next - {sum}"),
                format!(
                    "{rest} = {rest} + (({sum} - ({sum}_next - {sum}_added)) + ({sum}_term - {sum}_added))"
                ),
                format!("{sum} = {sum}_next"),
            ];
            (
                lines,
                format!("{rest} = 0"),
                format!("{sum} = {sum} + {rest}"),
            )
        }
    };
    let what = match (&factors, file.language) {
        (Some(_), Language::C | Language::Cxx | Language::Rust) => {
            "compensated dot product: the rounding errors of products and sums are added up and put back"
        }
        _ => "compensated sum: the rounding errors of the additions are added up and put back",
    };
    let mut edits = Vec::new();
    let indent = indentation(text, statement.span.start).to_owned();
    let end = with_semicolon(text, statement, file.language);
    let is_alone = text[line_start(text, statement.span.start)..statement.span.start]
        .trim()
        .is_empty();
    let body = match file.language {
        Language::Fortran => lines.join(&format!("\n{indent}")),
        _ => {
            let inner = format!(
                "\n{indent}{}",
                if indent.contains('\t') { "\t" } else { "    " }
            );
            format!("{{{inner}{}\n{indent}}}", lines.join(&inner))
        }
    };
    // The only statement of a loop: its braces begin where the loop's head ends.
    let head = head_of(text, statement).filter(|_| is_alone && file.language != Language::Fortran);
    let body = match is_alone {
        true if head.is_some() => {
            let outside = indentation(text, head.unwrap_or(0).saturating_sub(1));
            let lines = lines.join(&format!("\n{indent}"));
            format!(" {{\n{indent}{lines}\n{outside}}}")
        }
        true => body,
        false => body
            .replace('\n', " ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    };
    let replacement = Edit {
        span: head.unwrap_or(statement.span.start)..end,
        text: body,
    };
    edits.push(replacement.clone());
    let outer_indent = indentation(text, outer.span.start);
    let start = line_start(text, outer.span.start);
    let comment = match file.language {
        Language::C => format!("/* lostbits: {what} */"),
        Language::Fortran => format!("! lostbits: {what}"),
        _ => format!("// lostbits: {what}"),
    };
    edits.push(Edit {
        span: start..start,
        text: format!("{outer_indent}{comment}\n{outer_indent}{declaration}\n"),
    });
    let after = text[outer.span.end..]
        .find('\n')
        .map_or(text.len(), |at| outer.span.end + at + 1);
    edits.push(Edit {
        span: after..after,
        text: format!("{outer_indent}{closing}\n"),
    });
    if file.language == Language::Fortran {
        let procedure = file
            .source
            .procedures
            .iter()
            .filter(|one| one.body > 0 && one.body <= start);
        let procedure = procedure
            .max_by_key(|one| one.body)
            .ok_or("the procedure's declarations were not found")?;
        let body = line_start(text, procedure.body);
        let indent = indentation(text, procedure.body);
        edits.push(Edit {
            span: body..body,
            text: format!(
                "{indent}real(kind(1.0d0)) :: {rest}, {sum}_term, {sum}_next, {sum}_added\n"
            ),
        });
    }
    if factors.is_some() {
        edits.extend(edit::include(text, file.language));
    }
    Ok(Change {
        file: file.path.clone(),
        line: line_of(text, statement.span.start),
        edits,
        sentence: what.to_owned(),
        choice: None,
        replacement,
    })
}

fn product(x: &str, y: &str) -> String {
    format!("{x} * {y}")
}

/// A factor behind a sign.
fn atom(text: &str, sign: &str) -> String {
    match sign.is_empty() || super::write::is_atom(text) {
        true => text.to_owned(),
        false => format!("({text})"),
    }
}

fn signed(sign: &str, value: &str) -> String {
    match (sign, super::write::is_atom(value)) {
        ("", _) => value.to_owned(),
        (_, true) => format!("-{value}"),
        _ => format!("-({value})"),
    }
}

/// Where the head of the loop ends whose only statement this is; none where a comment is between them.
fn head_of(text: &str, statement: &Statement) -> Option<usize> {
    let end = text[..statement.span.start].trim_end().len();
    let line = &text[line_start(text, end)..end];
    let is_head = !statement.is_in_list && line.ends_with(')') && !line.contains("//");
    is_head.then_some(end)
}

/// The end of a statement with its semicolon.
fn with_semicolon(text: &str, statement: &Statement, language: Language) -> usize {
    let rest = &text[statement.span.end..];
    let blanks = rest.len() - rest.trim_start().len();
    match language != Language::Fortran && rest[blanks..].starts_with(';') {
        true => statement.span.end + blanks + 1,
        false => statement.span.end,
    }
}
