//! A source location the way compilers show it: the line, the operation underlined, a label.

use std::{collections::BTreeSet, path::Path};

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Snippet};
use lostbits_abi::site::{Caller, Site};

use super::underline::underline;
use crate::printable::{printable, printable_source, quoted};

/// Reads a line of a file, counted from 1.
pub type SourceLine<'a> = &'a dyn Fn(&Path, u32) -> Option<String>;

/// Shows source locations of one report.
pub struct SourceView<'a> {
    /// Files below this folder are shown relative to it.
    pub base: &'a Path,
    pub source_line: SourceLine<'a>,
    /// Lines with several wrong results. Reports number them by their position among the values of the statement.
    pub crowded: BTreeSet<(String, u32)>,
    /// What was analysed, if it was compiled from sources.
    pub command: Option<&'a SourceCommand>,
}

/// Words after `lostbits explain`, for commands that a report proposes.
pub struct SourceCommand {
    /// The compiler's: sources and options.
    pub compiler: Vec<String>,
    pub program: Vec<String>,
}

impl SourceCommand {
    /// `lostbits fix sum.c:6 -O2 -- 1e-5`; none if the place is not in a source of the command.
    fn fix(&self, site: &Site) -> Option<String> {
        // Both may lead through `..` or links.
        let file = Path::new(&site.file).canonicalize().ok()?;
        let is_here = |word: &String| {
            Path::new(word)
                .canonicalize()
                .is_ok_and(|path| path == file)
        };
        let at = self.compiler.iter().position(is_here)?;
        let mut command = "lostbits fix".to_owned();
        for (number, word) in self.compiler.iter().enumerate() {
            command += " ";
            command += &quoted(word);
            if number == at {
                command += &format!(":{}", site.line);
            }
        }
        if !self.program.is_empty() {
            command += " --";
        }
        for word in &self.program {
            command += " ";
            command += &quoted(word);
        }
        Some(command)
    }
}

impl SourceView<'_> {
    /// Where a result is: `ode.c:14`, and `ode.c:14 (value 3)` where others of the line are wrong, too.
    pub fn result(&self, site: &Site) -> String {
        let place = format!("{}:{}", self.shown_path(&site.file), site.line);
        let number = site.callee.rsplit_once('#').map(|(_, number)| number);
        match number.filter(|_| self.crowded.contains(&(site.file.clone(), site.line))) {
            Some(number) => format!("{place} (value {number})"),
            None => place,
        }
    }

    /// The line with the operation underlined and a label, or as much of the location as is known.
    pub fn location(&self, site: &Site, label: String) -> Vec<Element<'static>> {
        if site.file.is_empty() {
            let unknown = "the source line is unknown: compile with -g, or with less optimisation";
            return vec![note(label), note(unknown.to_owned())];
        }
        match self.line(&site.file, site.line, site.column, Some(&label)) {
            Ok(snippet) => vec![snippet],
            Err(origin) => vec![origin, note(label)],
        }
    }

    /// The operator or word of the source at a site.
    pub fn written(&self, site: &Site) -> Option<String> {
        let line = (self.source_line)(Path::new(&site.file), site.line)?;
        let written = line.get(underline(&line, site.column))?;
        Some(written.to_owned())
    }

    /// The line of a call, or as much of its location as is known.
    pub fn caller(&self, at: &Caller) -> Element<'static> {
        match self.line(&at.file, at.line, at.column, None) {
            Ok(element) | Err(element) => element,
        }
    }

    /// The line as a snippet; the location alone if the file cannot be read.
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
        let line = printable_source(&line);
        let span = underline(&line, column);
        let label = label.map(str::to_owned);
        let snippet = Snippet::source(line)
            .line_start(number as usize)
            .path(path)
            .annotation(AnnotationKind::Primary.span(span).label(label));
        Ok(snippet.into())
    }

    /// The path, relative to the base folder where it lies below it.
    pub fn shown_path(&self, file: &str) -> String {
        shown_path(self.base, file)
    }

    /// The command that repairs the source at this place.
    pub fn fix_place(&self, site: &Site) -> Option<String> {
        self.command?.fix(site)
    }
}

/// The path, relative to `base` where it lies below it.
pub fn shown_path(base: &Path, file: &str) -> String {
    match Path::new(file).strip_prefix(base) {
        Ok(relative) if !base.as_os_str().is_empty() => {
            printable(&relative.to_string_lossy()).into_owned()
        }
        _ => printable(file).into_owned(),
    }
}

pub fn note(text: String) -> Element<'static> {
    Level::NOTE.message(text).into()
}
