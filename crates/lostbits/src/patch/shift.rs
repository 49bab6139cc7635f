//! Variances from a sum and a sum of squares: shifted by the first value.
//!
//! `q - s*s/n` cancels where the values are far from 0. It does not change if a constant is subtracted from all values, so the
//! sums are formed once more of the values minus the first one, and the formula uses those. Recognised by what it
//! computes, not by how it is written: the formula must be the same function of (s − nk, q − 2ks + nk²) for every k. That is
//! checked at random numbers in exact arithmetic.

use super::{
    change::{Change, File},
    edit::Edit,
    formula::{Problem, inlined},
    program::Program,
    sums::outermost,
    tree::{
        Addition, Effect, Language, Leaf, Part, Statement, Tree, indentation, line_of, line_start,
        names, normalised,
    },
    write::written,
};
use crate::{
    fix::{exact, machine::Width, plan::Plan, subject::Subject},
    numeric::Random,
};

const SENTENCE: &str = "shifted variance: the first value is subtracted from all values, so that the squares do not cancel";

/// A sum of values and one of their squares in the same loop.
struct Sums<'a> {
    outer: &'a Statement,
    /// The later of the two statements.
    last: &'a Statement,
    value: String,
}

/// The change for a formula that is a variance; none if it is not.
pub fn change(file: &File, index: usize, program: &Program) -> Result<Option<Change>, String> {
    let formula = &file.source.formulas[index];
    if formula.width != Width::Double || formula.refusal.is_some() {
        return Ok(None);
    }
    let tree = inlined(&file.source, formula).unwrap_or_else(|| formula.tree.clone());
    let leaves: Vec<String> = tree
        .leaves()
        .iter()
        .filter(|leaf| leaf.is_name)
        .map(|leaf| leaf.text.clone())
        .collect();
    for sum in &leaves {
        for squares in leaves.iter().filter(|squares| *squares != sum) {
            let Some(sums) = sums(file, sum, squares) else {
                continue;
            };
            if !is_invariant(&tree, sum, squares, &file.text) {
                continue;
            }
            let unsafe_options = ["-ffast-math", "-Ofast", "-fassociative-math"];
            let options = program.options(&file.path);
            if options
                .iter()
                .any(|word| unsafe_options.iter().any(|option| word == option))
            {
                return Err("the variance can be shifted, but -ffast-math may undo that".to_owned());
            }
            return shifted(file, index, &tree, [sum, squares], &sums).map(Some);
        }
    }
    Ok(None)
}

fn sums<'a>(file: &'a File, sum: &str, squares: &str) -> Option<Sums<'a>> {
    let of = |target: &str| -> Option<(&'a Statement, &'a Addition)> {
        let mut found =
            file.source
                .statements
                .iter()
                .filter_map(|statement| match &statement.effect {
                    Effect::Adds(addition) if addition.target == target => {
                        Some((statement, addition))
                    }
                    _ => None,
                });
        found.next().filter(|_| found.next().is_none())
    };
    let ((first, plain), (second, square)) = (of(sum)?, of(squares)?);
    let text = |span: &std::ops::Range<usize>| normalised(&file.text[span.clone()]);
    let value = text(&plain.value);
    let [x, y] = square.factors.as_ref()?;
    let is_pair = text(x) == value && text(y) == value;
    let is_plain = [plain, square]
        .iter()
        .all(|one| one.width == Some(Width::Double) && !one.is_difference);
    // A call may do something else the next time.
    let is_call = value.contains('(') && file.language != Language::Fortran;
    let outer = outermost(file, first, plain)?;
    let same = outermost(file, second, square)?.span == outer.span;
    let is_listed = first.is_in_list && second.is_in_list && outer.is_in_list;
    if !is_pair || !is_plain || is_call || !same || !is_listed || first.block != second.block {
        return None;
    }
    let last = if first.order > second.order {
        first
    } else {
        second
    };
    Some(Sums { outer, last, value })
}

/// Whether the formula does not change if all values are shifted; the count is one of its leaves.
fn is_invariant(tree: &Tree, sum: &str, squares: &str, text: &str) -> bool {
    let problem = Problem::new(tree.clone(), Width::Double, text);
    let Ok(subject) = Subject::new(&problem.core, &[]) else {
        return false;
    };
    let place = |name: &str| problem.leaves.iter().position(|leaf| leaf.text == name);
    let (Some(sum), Some(squares)) = (place(sum), place(squares)) else {
        return false;
    };
    let mut counts = (0..problem.leaves.len()).filter(|at| ![sum, squares].contains(at));
    counts.any(|count| {
        let mut random = Random::new(0x5a1f);
        let mut agreed = 0;
        for _ in 0..8 {
            // Small whole numbers: all of this is exact.
            let mut draw = |most: u64| 1.0 + random.below(most) as f64;
            let mut input: Vec<f64> = problem.leaves.iter().map(|_| draw(50)).collect();
            let (n, k) = (2.0 + draw(20), draw(30));
            input[count] = n;
            // What the sums are of n values around 7: the variance is positive.
            input[sum] = 7.0 * n + draw(5);
            input[squares] = input[sum] * input[sum] + draw(1000);
            let mut moved = input.clone();
            moved[sum] -= n * k;
            moved[squares] += n * k * k - 2.0 * k * input[sum];
            let value = |input: &[f64]| exact::value(&subject.original, input, Width::Double);
            match (value(&input), value(&moved)) {
                (Some(one), Some(other)) if one == other && one.is_finite() => agreed += 1,
                (Some(one), Some(other)) if one.is_nan() && other.is_nan() => {}
                _ => return false,
            }
        }
        // It depends on the squares at all.
        agreed >= 4
    })
}

fn shifted(
    file: &File,
    index: usize,
    tree: &Tree,
    [sum, squares]: [&str; 2],
    sums: &Sums,
) -> Result<Change, String> {
    let text = &file.text;
    let formula = &file.source.formulas[index];
    let (shift, first) = (format!("{sum}_shift"), format!("{sum}_first"));
    let (moved, moved_squares) = (format!("{sum}_shifted"), format!("{squares}_shifted"));
    let taken = names(text);
    if let Some(name) = [&shift, &first, &moved, &moved_squares]
        .into_iter()
        .find(|name| taken.contains(&name.as_str()))
    {
        return Err(format!("the name {name} is taken"));
    }
    let renamed = renamed(tree, &[(sum, &moved), (squares, &moved_squares)]);
    let problem = Problem::new(renamed, Width::Double, text);
    let subject = Subject::new(&problem.core, &[]).map_err(|why| why.to_string())?;
    let plan = Plan::Term(subject.original);
    let written = written(&plan, &problem, &file.style(formula))
        .ok_or("the formula cannot be written in this language")?;
    let replacement = Edit {
        span: formula.tree.span.clone(),
        text: match formula.is_operand && written.level < super::write::ATOM {
            true => format!("({})", written.text),
            false => written.text,
        },
    };
    let value = &sums.value;
    let difference = match super::write::is_atom(value) {
        true => format!("{value} - {shift}"),
        false => format!("({value}) - {shift}"),
    };
    let (declarations, lines): (Vec<String>, Vec<String>) = match file.language {
        Language::C | Language::Cxx => (
            vec![
                format!("double {shift} = 0.0, {moved} = 0.0, {moved_squares} = 0.0;"),
                format!("int {first} = 1;"),
            ],
            vec![
                format!("if ({first}) {{ {shift} = {value}; {first} = 0; }}"),
                format!("{moved} += {difference};"),
                format!("{moved_squares} += ({difference}) * ({difference});"),
            ],
        ),
        Language::Rust => (
            vec![format!(
                "let ({shift}, mut {moved}, mut {moved_squares}) = (std::cell::OnceCell::new(), 0.0, 0.0);"
            )],
            vec![
                format!("let shifted: f64 = {value} - *{shift}.get_or_init(|| {value});"),
                format!("{moved} += shifted;"),
                format!("{moved_squares} += shifted * shifted;"),
            ],
        ),
        Language::Fortran => (
            vec![
                format!("{moved} = 0"),
                format!("{moved_squares} = 0"),
                format!("{first} = .true."),
            ],
            vec![
                format!("if ({first}) {shift} = {value}"),
                format!("{first} = .false."),
                format!("{moved} = {moved} + ({difference})"),
                format!("{moved_squares} = {moved_squares} + ({difference}) * ({difference})"),
            ],
        ),
    };
    let comment = match file.language {
        Language::C => format!("/* lostbits: {SENTENCE} */"),
        Language::Fortran => format!("! lostbits: {SENTENCE}"),
        _ => format!("// lostbits: {SENTENCE}"),
    };
    let listed = |lines: &[String], offset: usize| -> String {
        let indent = indentation(text, offset);
        lines
            .iter()
            .map(|line| format!("{indent}{line}\n"))
            .collect()
    };
    let start = line_start(text, sums.outer.span.start);
    let end = after_line(text, sums.last.span.end);
    let before = [vec![comment], declarations].concat();
    let mut edits = vec![
        Edit {
            span: start..start,
            text: listed(&before, sums.outer.span.start),
        },
        Edit {
            span: end..end,
            text: listed(&lines, sums.last.span.start),
        },
        replacement.clone(),
    ];
    if file.language == Language::Fortran {
        let procedures = file.source.procedures.iter();
        let procedure = procedures
            .filter(|one| one.body > 0 && one.body <= start)
            .max_by_key(|one| one.body)
            .ok_or("the procedure's declarations were not found")?;
        let body = line_start(text, procedure.body);
        let declared = [
            format!("real(kind(1.0d0)) :: {shift}, {moved}, {moved_squares}"),
            format!("logical :: {first}"),
        ];
        edits.push(Edit {
            span: body..body,
            text: listed(&declared, procedure.body),
        });
    }
    Ok(Change {
        file: file.path.clone(),
        line: line_of(text, formula.tree.span.start),
        edits,
        sentence: SENTENCE.to_owned(),
        choice: None,
        replacement,
    })
}

/// The beginning of the line after an offset.
fn after_line(text: &str, offset: usize) -> usize {
    text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at + 1)
}

fn renamed(tree: &Tree, names: &[(&str, &str)]) -> Tree {
    let part = match &tree.part {
        Part::Leaf(leaf) => {
            let new = names
                .iter()
                .find(|(old, _)| leaf.is_name && leaf.text == *old);
            Part::Leaf(new.map_or(leaf.clone(), |(_, new)| Leaf {
                text: (*new).to_owned(),
                ..leaf.clone()
            }))
        }
        Part::Operation(op, operands) => {
            let operands = operands.iter().map(|one| renamed(one, names)).collect();
            Part::Operation(*op, operands)
        }
        Part::Number(value) => Part::Number(*value),
    };
    Tree {
        part,
        ..tree.clone()
    }
}
