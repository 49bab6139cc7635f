//! Which values the leaves of a formula have in a run: the source is compiled once more so that it writes them to a file.
//!
//! What is added needs no library and no declaration elsewhere, so that any build takes it. The first executions are
//! recorded, and later ones ever more rarely. Of a program with threads, values of different executions may be mixed.

use std::path::Path;

use super::{
    edit::Edit,
    formula::Problem,
    tree::{Formula, Language, Part, Source, Span, Tree},
};

/// Executions that are all recorded.
const ALL: u32 = 256;

/// The edits that record the leaves of a formula in `file`; none where the language has no place for them.
pub fn edits(
    problem: &Problem,
    formula: &Formula,
    source: &Source,
    text: &str,
    language: Language,
    file: &Path,
) -> Option<Vec<Edit>> {
    let file = file.to_str()?;
    let places: Option<Vec<Span>> = problem
        .leaves
        .iter()
        .map(|leaf| first(&problem.tree, &leaf.text))
        .collect();
    let places = places?;
    match language {
        Language::C | Language::Cxx => {
            let mut edits = vec![Edit {
                span: 0..0,
                text: c_recorder(file, language),
            }];
            for (index, span) in places.into_iter().enumerate() {
                let leaf = &text[span.clone()];
                let text = format!("lostbits_probe({index}, {leaf})");
                edits.push(Edit { span, text });
            }
            Some(edits)
        }
        Language::Rust => {
            let edit = |(index, span): (usize, Span)| {
                let text = rust_recorder(file, index, &text[span.clone()]);
                Edit { span, text }
            };
            Some(places.into_iter().enumerate().map(edit).collect())
        }
        Language::Fortran => {
            let statement = &source.statements[formula.statement];
            if !statement.is_in_list {
                return None;
            }
            let leaves: Vec<&str> = problem
                .leaves
                .iter()
                .map(|leaf| leaf.text.as_str())
                .collect();
            Some(vec![Edit {
                span: statement.span.start..statement.span.start,
                text: fortran_recorder(file, &leaves),
            }])
        }
    }
}

/// Where a leaf is in the source.
fn first(tree: &Tree, text: &str) -> Option<Span> {
    tree.nodes().into_iter().find_map(|node| match &node.part {
        Part::Leaf(leaf) if leaf.text == text => Some(node.span.clone()),
        _ => None,
    })
}

fn c_recorder(file: &str, language: Language) -> String {
    let unused = match language {
        Language::Cxx => "[[maybe_unused]] ",
        _ => "__attribute__((unused)) ",
    };
    format!(
        "#include <stdio.h>\n\
         {unused}static double lostbits_probe(int index, double value) {{\n\
         static unsigned long count[256];\n\
         unsigned long n = ++count[index];\n\
         if (n <= {ALL} || (n & (n - 1)) == 0) {{\n\
         FILE *file = fopen(\"{file}\", \"a\");\n\
         if (file) {{ fprintf(file, \"%d %lu %a\\n\", index, n, value); fclose(file); }}\n\
         }}\n\
         return value;\n\
         }}\n#line 1\n"
    )
}

fn rust_recorder(file: &str, index: usize, leaf: &str) -> String {
    // In parentheses: a block at the beginning of a statement would be a statement.
    format!(
        "({{ let value = {leaf}; \
         static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0); \
         let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1; \
         if n <= {ALL} || n.is_power_of_two() {{ \
         if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(\"{file}\") {{ \
         let _ = std::io::Write::write_fmt(&mut file, format_args!(\"{index} {{}} {{:e}}\\n\", n, value)); }} }} value }})"
    )
}

fn fortran_recorder(file: &str, leaves: &[&str]) -> String {
    let mut text = format!(
        "block\n integer, save :: lostbits_n = 0\n integer :: lostbits_unit\n\
         lostbits_n = lostbits_n + 1\n\
         if (lostbits_n <= {ALL} .or. iand(lostbits_n, lostbits_n - 1) == 0) then\n\
         open(newunit=lostbits_unit, &\n file='{file}', &\n position='append')\n"
    );
    for (index, leaf) in leaves.iter().enumerate() {
        text += &format!(
            "write(lostbits_unit, '(i0,1x,i0,1x,es25.17e3)') {index}, lostbits_n, real( &\n {leaf}, 8)\n"
        );
    }
    text + "close(lostbits_unit)\nend if\nend block\n"
}

/// The inputs that a run recorded: a value for each leaf.
pub fn inputs(file: &Path, leaves: usize) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut all: std::collections::BTreeMap<u64, Vec<Option<f64>>> = Default::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let index = words.next().and_then(|word| word.parse::<usize>().ok());
        let count = words.next().and_then(|word| word.parse::<u64>().ok());
        let value = words.next().and_then(number);
        if let (Some(index), Some(count), Some(value)) = (index, count, value)
            && index < leaves
        {
            let row = all.entry(count).or_insert_with(|| vec![None; leaves]);
            row[index] = Some(value);
        }
    }
    let complete = all.into_values();
    complete
        .filter_map(|row| row.into_iter().collect::<Option<Vec<f64>>>())
        .filter(|row| row.iter().all(|value| value.is_finite()))
        .collect()
}

/// A decimal number, or C's `%a`.
fn number(word: &str) -> Option<f64> {
    let (sign, magnitude) = match word.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, word),
    };
    let Some(digits) = magnitude.strip_prefix("0x") else {
        return word.parse().ok();
    };
    let (digits, exponent) = digits.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let scaled = rug::Float::with_val(64, all) << (exponent - 4 * fraction.len() as i32);
    Some(sign * scaled.to_f64())
}
