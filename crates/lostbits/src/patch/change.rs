//! One repair of one source: what is replaced by what, and why.

use std::path::{Path, PathBuf};

use super::{
    choose::{Choice, Observed, choose, parts},
    edit::{self, Edit},
    formula::{Problem, inlined},
    generated::{GENERATED, is_generated},
    probe,
    program::Program,
    read,
    tree::{Formula, Language, Source, Tree},
    write::{Style, written},
};
use crate::{
    failure::Failure,
    fix::{machine::Width, search::Effort},
    inputs::NamedRange,
    run,
};

/// A formula of more characters than this, and of more operations, is nothing to put into somebody's source.
const READABLE: usize = 240;
const OPERATIONS: usize = 30;
/// Nor is one of more characters than this, however few operations it has.
const LONGEST: usize = 600;

/// A source that is open for repairs.
pub struct File {
    pub path: PathBuf,
    pub text: String,
    pub language: Language,
    pub source: Source,
}

/// A change that was found.
#[derive(Clone, Debug)]
pub struct Change {
    pub file: PathBuf,
    pub line: u32,
    pub edits: Vec<Edit>,
    pub sentence: String,
    pub choice: Option<Choice>,
    /// The edit that replaces the formula.
    pub replacement: Edit,
}

impl File {
    pub fn open(path: &Path, function: Option<&str>, program: &Program) -> Result<File, String> {
        let language = read::language(path).ok_or("it is no source that fix knows")?;
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let source = read::read(path, &text, language, function, &program.options(path))?;
        Ok(File {
            path: path.to_owned(),
            text,
            language,
            source,
        })
    }

    pub fn style(&self, formula: &Formula) -> Style {
        let text = &self.text[formula.tree.span.clone()];
        Style {
            language: self.language,
            with_std: self.text.contains("std::")
                && (text.contains("std::") || !text.contains('(')),
            kind_suffix: match self.language {
                Language::Fortran => kind_suffix(&self.text),
                _ => None,
            },
        }
    }
}

/// The kind that the author's literals have: `_dp` of `1.0_dp`.
fn kind_suffix(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = text[at..].find('_') {
        let place = at + found;
        at = place + 1;
        let is_literal = place > 0 && matches!(bytes[place - 1], b'0'..=b'9' | b'.');
        let start = text[..place].rfind(|c: char| !c.is_ascii_digit() && !".dDeE+-".contains(c));
        let before = &text[start.map_or(0, |start| start + 1)..place];
        let is_word =
            start.is_some_and(|start| bytes[start].is_ascii_alphanumeric() || bytes[start] == b'_');
        if is_literal && !is_word && before.contains('.') {
            let suffix: String = text[place..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            return Some(suffix);
        }
    }
    None
}

/// The repair of the formula that contains `node`, or why there is none.
pub fn change(
    file: &File,
    index: usize,
    node: &Tree,
    width: Option<Width>,
    program: Option<&Program>,
    given: &[NamedRange],
    effort: Effort,
) -> Result<Change, String> {
    let mut formula = file.source.formulas[index].clone();
    if let Some(width) =
        width.filter(|_| matches!(file.language, Language::Rust | Language::Fortran))
    {
        formula.width = width;
    }
    let width = formula.width;
    let whole = inlined(&file.source, &formula);
    let observed = match program {
        Some(program) => observe(file, &formula, whole.as_ref(), program).unwrap_or_default(),
        None => Observed {
            given: given.to_vec(),
            ..Observed::default()
        },
    };
    let problem = |tree: &Tree| Problem::new(tree.clone(), width, &file.text);
    let mut problems: Vec<(Problem, std::ops::Range<usize>)> = parts(&formula.tree, node)
        .into_iter()
        .map(|part| (problem(part), part.span.clone()))
        .collect();
    if let Some(whole) = &whole {
        let place = problems.len().min(1);
        problems.insert(place, (problem(whole), formula.tree.span.clone()));
    }
    let choice = choose(problems, &observed, effort)?;
    let style = file.style(&formula);
    let written = written(&choice.repair.plan, &choice.problem, &style)
        .ok_or("the better formula needs a function that this language does not have")?;
    let length = written.text.len();
    if length > LONGEST || length > READABLE && choice.repair.plan.operations() > OPERATIONS {
        return Err(format!(
            "a better formula was found, but with its {} operations it is no patch to read: compute in a wider type here, or write it with \
             variables for its parts; `lostbits fix` shows it for the expression alone",
            choice.repair.plan.operations()
        ));
    }
    let needs_parentheses = match choice.span == formula.tree.span {
        true => formula.is_operand && !is_enclosed(&file.text, &choice.span),
        false => !is_enclosed(&file.text, &choice.span),
    };
    let text = match needs_parentheses && written.level < super::write::ATOM {
        true => format!("({})", written.text),
        false => written.text.clone(),
    };
    let refusal = formula.refusal.clone();
    let refusal = refusal.or_else(|| is_generated(&file.text).then(|| GENERATED.to_owned()));
    if let Some(refusal) = refusal {
        return Err(format!("{refusal}; suggested text: {text}"));
    }
    let replacement = Edit {
        text: match file.language {
            Language::Fortran => edit::continued(&file.text, &choice.span, &text),
            _ => text,
        },
        span: choice.span.clone(),
    };
    let sentence = choice.repair.sentence.clone();
    let statement = &file.source.statements[formula.statement];
    let mut edits = vec![replacement.clone()];
    let line = super::tree::line_of(&file.text, choice.span.start);
    if written.calls_functions {
        edits.extend(edit::include(&file.text, file.language));
    }
    if !written.foreign.is_empty() {
        let procedure = file
            .source
            .procedures
            .iter()
            .filter(|one| one.body > 0 && one.body <= choice.span.start)
            .max_by_key(|one| one.body)
            .ok_or("the procedure's declarations were not found")?;
        edits.extend(edit::interfaces(
            &file.text,
            procedure.body,
            &written.foreign,
        ));
    }
    // After the declarations, so that it is next to its statement.
    let words = format!("lostbits: {sentence}");
    edits.extend(edit::comment(
        &file.text,
        statement.span.start,
        file.language,
        &words,
    ));
    Ok(Change {
        file: file.path.clone(),
        line,
        edits,
        sentence,
        choice: Some(choice),
        replacement,
    })
}

/// Whether what is around a part of an expression are parentheses or commas.
fn is_enclosed(text: &str, span: &std::ops::Range<usize>) -> bool {
    let before = text[..span.start].trim_end().chars().next_back();
    let after = text[span.end..].trim_start().chars().next();
    matches!(before, Some('(' | ',' | '=' | '{' | ';'))
        && matches!(after, Some(')' | ',' | ';' | '}'))
}

/// Runs the program with recorders in the formula.
fn observe(
    file: &File,
    formula: &Formula,
    whole: Option<&Tree>,
    program: &Program,
) -> Result<Observed, Failure> {
    let folder = run::temporary_folder()?;
    let values = folder.path().join("values");
    let tree = match whole {
        Some(whole) => Tree::operation(
            formula.tree.span.clone(),
            0,
            lostbits_abi::ops::Op::Add,
            vec![formula.tree.clone(), whole.clone()],
        ),
        None => formula.tree.clone(),
    };
    let problem = Problem::new(tree, formula.width, &file.text);
    let edits = probe::edits(
        &problem,
        formula,
        &file.source,
        &file.text,
        file.language,
        &values,
    );
    let Some(edits) = edits else {
        return Ok(Observed::default());
    };
    let text = edit::applied(&file.text, &edits);
    program
        .with_source(&file.path, &text, folder.path())?
        .output()?;
    let leaves: Vec<String> = problem
        .leaves
        .iter()
        .map(|leaf| leaf.text.clone())
        .collect();
    Ok(Observed {
        given: Vec::new(),
        rows: probe::inputs(&values, leaves.len()),
        leaves,
    })
}
