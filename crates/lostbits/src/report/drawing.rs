//! A place in the source as compilers show it: its line, a mark under what happens there, a label.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Snippet};
use lostbits_abi::site::{Caller, Site};

use super::marks::mark;

/// Reads a line of a file, counted from 1.
pub type SourceLine<'a> = &'a dyn Fn(&Path, u32) -> Option<String>;

pub struct Page<'a> {
    /// Files below this folder are shown relative to it.
    pub base: &'a Path,
    pub source_line: SourceLine<'a>,
}

impl Page<'_> {
    /// The line with a mark and a label, or as much of the place as is known.
    pub fn place(&self, site: &Site, label: String) -> Vec<Element<'static>> {
        if site.file.is_empty() {
            let unknown = "in which line is not known: the optimiser dropped it, or it was compiled without -g";
            return vec![note(unknown.to_owned()), note(label)];
        }
        match self.line(&site.file, site.line, site.column, Some(&label)) {
            Ok(snippet) => vec![snippet],
            Err(origin) => vec![origin, note(label)],
        }
    }

    /// The line of a call with a mark, or as much of the place as is known.
    pub fn caller(&self, at: &Caller) -> Element<'static> {
        match self.line(&at.file, at.line, at.column, None) {
            Ok(element) | Err(element) => element,
        }
    }

    /// The line with a mark; the place alone if the file cannot be read.
    fn line(
        &self,
        file: &str,
        number: u32,
        column: u32,
        label: Option<&str>,
    ) -> Result<Element<'static>, Element<'static>> {
        let path = self.shown_path(file);
        let known_line = (self.source_line)(Path::new(file), number);
        let Some(line) = known_line.filter(|line| !line.trim().is_empty()) else {
            let origin = Origin::path(path).line(number as usize);
            return Err(origin.char_column(column as usize).into());
        };
        let span = mark(&line, column);
        let label = label.map(str::to_owned);
        let snippet = Snippet::source(line)
            .line_start(number as usize)
            .path(path)
            .annotation(AnnotationKind::Primary.span(span).label(label));
        Ok(snippet.into())
    }

    pub fn shown_path(&self, file: &str) -> String {
        match Path::new(file).strip_prefix(self.base) {
            Ok(relative) if !self.base.as_os_str().is_empty() => relative.display().to_string(),
            _ => file.to_owned(),
        }
    }
}

pub fn note(text: String) -> Element<'static> {
    Level::NOTE.message(text).into()
}
