//! What must hold before a patch is shown: it compiles, it means what was proved, the wrong outputs have more right digits, no
//! other output changes beyond rounding, and `explain` no longer reports the cause.

use lostbits_abi::explain::SpotKind;

use super::{
    change::{Change, File},
    edit::applied,
    formula::Problem,
    program::{Printed, Program},
    read,
    tree::Tree,
};
use crate::{
    explain::{Findings, Spot},
    failure::Failure,
    fix::{
        machine,
        plan::Plan,
        points::{Points, Population},
        subject::Subject,
    },
};

/// What the checks showed.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    pub outputs: Vec<Digits>,
    /// Printed numbers that changed, and all of them.
    pub changed: usize,
    pub numbers: usize,
    pub causes_before: usize,
    pub causes_after: usize,
}

/// The right digits of an output.
#[derive(Clone, PartialEq, Debug)]
pub struct Digits {
    pub file: String,
    pub line: u32,
    pub printed: String,
    pub exact: String,
    pub before: u32,
    pub after: u32,
    pub of: u32,
}

/// A change of this much is rounding.
const ROUNDING: f64 = 1e-9;

/// Runs the patched program; the reason if the patch must be withdrawn.
pub fn verify(
    program: &Program,
    patched: &Program,
    before: &Findings,
) -> Result<Result<Checked, String>, Failure> {
    let old = program.output()?;
    let new = match patched.output() {
        Ok(new) => new,
        Err(failure) => {
            return Ok(Err(format!(
                "the patched program does not compile ({failure})"
            )));
        }
    };
    let explained = patched.explain()?;
    let after = explained.findings;
    Ok(compare(&old, &new, before, &after))
}

fn compare(
    old: &Printed,
    new: &Printed,
    before: &Findings,
    after: &Findings,
) -> Result<Checked, String> {
    if old.code != new.code {
        return Err("the patched program ends with another exit code".to_owned());
    }
    let (changed, numbers) = changes(old, new, before)?;
    let outputs = digits(before, after);
    if let Some(worse) = outputs.iter().find(|one| one.after < one.before) {
        return Err(format!(
            "the output at line {} has {} right digits instead of {}",
            worse.line, worse.after, worse.before
        ));
    }
    let is_better = outputs.iter().any(|one| one.after > one.before);
    let decisions = |findings: &Findings| {
        let wrong = findings.wrong_spots();
        let wrong = wrong
            .into_iter()
            .filter(|spot| spot.kind != SpotKind::Output);
        wrong.map(|spot| spot.erroneous).sum::<u64>()
    };
    if decisions(after) > decisions(before) {
        return Err("the patched program takes more wrong branches".to_owned());
    }
    if !is_better && decisions(after) >= decisions(before) {
        return Err("no output of the patched program has more right digits".to_owned());
    }
    Ok(Checked {
        outputs,
        changed,
        numbers,
        causes_before: before.causes.len(),
        causes_after: after.causes.len(),
    })
}

/// The wrong outputs with their right digits before and after.
fn digits(before: &Findings, after: &Findings) -> Vec<Digits> {
    let outputs = |findings: &Findings| -> Vec<Spot> {
        let spots = findings.spots.iter();
        spots
            .filter(|spot| spot.kind == SpotKind::Output)
            .cloned()
            .collect()
    };
    let (old, new) = (outputs(before), outputs(after));
    let is_aligned = old.len() == new.len();
    let mut all = Vec::new();
    for (index, spot) in old.iter().enumerate() {
        let Some(printed) = spot.printed.as_ref().filter(|_| spot.erroneous > 0) else {
            continue;
        };
        let twin = match is_aligned {
            true => new.get(index),
            false => new.iter().find(|one| one.site.callee == spot.site.callee),
        };
        let right = match twin {
            Some(twin) if twin.erroneous == 0 && twin.undecided == 0 => printed.of,
            Some(twin) => twin.printed.as_ref().map_or(0, |after| after.right),
            // What is not even recorded was never in doubt.
            None => printed.of,
        };
        all.push(Digits {
            file: spot.site.file.clone(),
            line: spot.site.line,
            printed: printed.text.clone(),
            exact: printed.exact.clone(),
            before: printed.right,
            after: right,
            of: printed.of,
        });
    }
    all
}

/// The printed numbers that changed beyond rounding, and all of them. There may be as many as outputs were wrong.
fn changes(old: &Printed, new: &Printed, before: &Findings) -> Result<(usize, usize), String> {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    let (one, other) = (words(&old.text), words(&new.text));
    if one.len() != other.len() {
        return Err("the patched program prints another number of words".to_owned());
    }
    let (mut changed, mut numbers, mut much) = (0, 0, 0);
    for (one, other) in one.iter().zip(&other) {
        let values = (number(one), number(other));
        let (Some(x), Some(y)) = values else {
            if one != other {
                return Err(format!(
                    "the patched program prints `{other}` instead of `{one}`"
                ));
            }
            continue;
        };
        numbers += 1;
        changed += usize::from(one != other);
        let difference = (x - y).abs() / x.abs().max(y.abs()).max(f64::MIN_POSITIVE);
        much += u64::from(x != y && (difference.is_nan() || difference > ROUNDING));
    }
    let wrong: u64 = before.wrong_spots().iter().map(|spot| spot.erroneous).sum();
    match much > wrong {
        true => Err("outputs that were right changed beyond rounding".to_owned()),
        false => Ok((changed, numbers)),
    }
}

fn number(word: &str) -> Option<f64> {
    let is_of_number = |c: char| c.is_ascii_alphanumeric() || ".+-".contains(c);
    let bare = word.trim_matches(|c| !is_of_number(c));
    let bare = bare.rsplit('=').next().unwrap_or(bare);
    bare.parse()
        .ok()
        .or_else(|| bare.replace(['D', 'd'], "e").parse().ok())
}

/// Whether the patched text, read again, computes the repair bit by bit. Branches are not read back.
pub fn reads_back(
    file: &File,
    change: &Change,
    function: Option<&str>,
    program: &Program,
) -> Result<(), String> {
    let Some(choice) = &change.choice else {
        return Ok(());
    };
    let Plan::Term(_) = &choice.repair.plan else {
        return Ok(());
    };
    let folder = crate::run::temporary_folder().map_err(|failure| failure.to_string())?;
    let text = applied(&file.text, &change.edits);
    let patched = program
        .with_source(&file.path, &text, folder.path())
        .map_err(|failure| failure.to_string())?;
    let copy = folder
        .path()
        .join(file.path.file_name().unwrap_or_default());
    let source = read::read(
        &copy,
        &text,
        file.language,
        function,
        &patched.options(&file.path),
    )?;
    let shift: isize = change
        .edits
        .iter()
        .filter(|edit| {
            edit.span.end <= change.replacement.span.start && **edit != change.replacement
        })
        .map(|edit| edit.text.len() as isize - edit.span.len() as isize)
        .sum();
    let start = change.replacement.span.start.wrapping_add_signed(shift);
    let end = start + change.replacement.text.len();
    let inside = |node: &&Tree| start <= node.span.start && node.span.end <= end;
    let found = source
        .formulas
        .iter()
        .flat_map(|formula| formula.tree.nodes())
        .filter(inside)
        .max_by_key(|node| node.size())
        .ok_or("the patched formula was not found again in the source")?;
    let again = Problem::new(found.clone(), choice.problem.width, &text);
    let subject = Subject::new(&again.core, &[]).map_err(|why| why.to_string())?;
    let mut points = Points::default();
    points.draw(&choice.repair.subject, Population::Everyday, 64, 17);
    for row in &points.inputs {
        let place = |name: &String| {
            let leaves = choice.problem.leaves.iter();
            leaves
                .enumerate()
                .find(|(_, leaf)| converted(&leaf.text, name))
                .map(|(index, _)| row[index])
        };
        let inputs: Option<Vec<f64>> = again.leaves.iter().map(|leaf| place(&leaf.text)).collect();
        let inputs = inputs.ok_or("the patched formula has other variables")?;
        let width = choice.problem.width;
        let meant = machine::evaluate(choice.repair.plan.leaf(row), row, width);
        let is = machine::evaluate(&subject.original, &inputs, width);
        if meant.to_bits() != is.to_bits() && !(meant.is_nan() && is.is_nan()) {
            return Err(format!(
                "the patched formula computes {is} where {meant} was meant"
            ));
        }
    }
    Ok(())
}

/// Whether a leaf of the patched text is one of the original, perhaps converted: `(double)n` of `n`.
fn converted(original: &str, name: &str) -> bool {
    original == name
        || name
            .strip_suffix(original)
            .is_some_and(|cast| cast.starts_with('(') && cast.ends_with(')'))
        || name
            .strip_prefix("real(")
            .is_some_and(|rest| rest.starts_with(original))
}
