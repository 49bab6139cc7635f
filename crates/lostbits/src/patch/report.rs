//! What `lostbits fix` says about a program.

use serde_json::{Value, json};

use super::{
    Outcome, Patch, Unrepaired, change::Change, choose::Ranges, edit::diff, verify::Checked,
};
use crate::{fix::report::proved, notation::count, printable::printable, sources::current_folder};

pub fn terminal(outcome: &Outcome) -> String {
    let mut text = String::new();
    for patch in &outcome.patches {
        for change in &patch.changes {
            text += &described(change);
        }
        text += "\n";
        text += &printable_lines(&diff(&shown(&patch.file), &patch.before, &patch.after));
        text += "\n";
    }
    if let Some(checked) = &outcome.checked {
        text += &checks(checked);
    }
    for one in &outcome.unrepaired {
        text += &refused(one);
    }
    if outcome.patches.is_empty() && outcome.unrepaired.is_empty() {
        text += match outcome.is_clean {
            true => "nothing to repair: no output is wrong\n",
            false => {
                "nothing was repaired: no cause is at this place; `lostbits explain` lists them\n"
            }
        };
    }
    text
}

fn printable_lines(text: &str) -> String {
    let lines = text.lines().map(|line| printable(line).to_string() + "\n");
    lines.collect()
}

/// A path below the current folder is shown relative to it.
fn shown(path: &std::path::Path) -> String {
    let base = current_folder();
    let path = path.strip_prefix(&base).unwrap_or(path);
    path.display().to_string()
}

fn described(change: &Change) -> String {
    let place = format!("{}:{}", printable(&shown(&change.file)), change.line);
    let mut text = format!("{place}: {}\n", change.sentence);
    let Some(choice) = &change.choice else {
        return text;
    };
    let inputs = match choice.inputs {
        0 => "everyday inputs".to_owned(),
        1 => "the input of this run".to_owned(),
        n => format!("{n} inputs of this run"),
    };
    text += &format!(
        "  error of the formula on {inputs}: {:.1} bits before, {:.1} after\n",
        choice.before, choice.after
    );
    let ranges = match choice.ranges {
        Ranges::All => None,
        Ranges::Moderate => Some("the signs of this run and moderate magnitudes"),
        Ranges::Observed => {
            Some("the values of this run and up to a thousand times larger or smaller ones")
        }
    };
    if let Some(ranges) = ranges {
        text += &format!("  found for {ranges}\n");
    }
    if choice.worse > 0.0 {
        text += &format!(
            "  worse than the original on {:.1} % of all numbers (samples), none of them everyday ones\n",
            100.0 * choice.worse
        );
    }
    for line in proved(&choice.repair).lines() {
        text += &format!("  {line}\n");
    }
    text
}

fn checks(checked: &Checked) -> String {
    let mut text = String::from("checked: the patched program compiles and ends as before\n");
    for one in &checked.outputs {
        text += &format!(
            "  {}:{}: printed {} (exact {}): {} of {} digits right, {} after\n",
            printable(&shown(std::path::Path::new(&one.file))),
            one.line,
            one.printed,
            one.exact,
            one.before,
            one.of,
            one.after
        );
    }
    text += &format!(
        "  {} of {} printed numbers changed; explain reports {} instead of {}\n",
        checked.changed,
        checked.numbers,
        count(checked.causes_after as u64, "cause", "causes"),
        checked.causes_before
    );
    text
}

fn refused(one: &Unrepaired) -> String {
    let file = shown(std::path::Path::new(&one.file));
    format!(
        "{}:{}: not repaired: {}\n",
        printable(&file),
        one.line,
        printable(&one.reason)
    )
}

/// All changes, as `patch -p1` takes them.
pub fn diffs(outcome: &Outcome) -> String {
    let one = |patch: &Patch| diff(&shown(&patch.file), &patch.before, &patch.after);
    outcome.patches.iter().map(one).collect()
}

pub fn json(outcome: &Outcome) -> String {
    let change = |change: &Change| {
        json!({
            "line": change.line,
            "sentence": change.sentence,
            "replacement": change.replacement.text,
            "before_bits": change.choice.as_ref().map(|choice| choice.before),
            "after_bits": change.choice.as_ref().map(|choice| choice.after),
        })
    };
    let patch = |patch: &Patch| {
        json!({
            "file": shown(&patch.file),
            "diff": diff(&shown(&patch.file), &patch.before, &patch.after),
            "changes": patch.changes.iter().map(change).collect::<Vec<_>>(),
        })
    };
    let outputs = |checked: &Checked| -> Vec<Value> {
        let one = |one: &super::verify::Digits| {
            json!({"file": shown(std::path::Path::new(&one.file)), "line": one.line, "printed": one.printed, "exact": one.exact,
                   "digits": one.of, "right_before": one.before, "right_after": one.after})
        };
        checked.outputs.iter().map(one).collect()
    };
    let unrepaired =
        |one: &Unrepaired| json!({"file": one.file, "line": one.line, "reason": one.reason});
    let whole = json!({
        "patches": outcome.patches.iter().map(patch).collect::<Vec<_>>(),
        "unrepaired": outcome.unrepaired.iter().map(unrepaired).collect::<Vec<_>>(),
        "outputs": outcome.checked.as_ref().map(outputs),
        "clean": outcome.is_clean,
    });
    format!("{whole:#}\n")
}
