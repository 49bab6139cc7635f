//! Markdown for merge requests and wikis: tables and lists of GitHub's dialect.

use crate::report::document::{Document, Finding, State};

pub fn markdown(document: &Document) -> String {
    let mut text = format!("# {}\n", plain(&document.headline));
    if let Some(why) = &document.undecided_because {
        text += &format!("\n{}\n", plain(why));
    }
    if !document.results.is_empty() {
        text +=
            "\n| where | printed or computed | exact | right digits |\n| --- | --- | --- | --- |\n";
        for result in &document.results {
            let (wrong, all) = result.executions;
            let often = match all {
                1 => String::new(),
                all => format!(" ({wrong} of {all} executions)"),
            };
            text += &format!(
                "| {} | {} | {} | {}{often} |\n",
                plain(&result.place.short()),
                code(&result.computed),
                code(&result.exact),
                plain(&result.right)
            );
        }
    }
    text.extend(document.findings.iter().map(finding));
    if document.state == State::Findings && !document.budget.is_empty() {
        text += "\n## Error budget\n\n| share of the error | statement |\n| ---: | --- |\n";
        for share in &document.budget {
            let percent = format!("{:.1} %", share.share * 100.0);
            text += &format!("| {percent} | {} |\n", plain(&share.place.short()));
        }
    }
    if !document.notes.is_empty() {
        text += "\n";
        text.extend(
            document
                .notes
                .iter()
                .map(|note| format!("- {}\n", plain(note))),
        );
    }
    if let Some(command) = &document.reproduce {
        text += &format!("\nReproduce: {}\n", code(command));
    }
    text
}

fn finding(finding: &Finding) -> String {
    let mut text = format!(
        "\n## {}\n\n{}{}\n",
        plain(&finding.title),
        plain(&finding.place.short()),
        match finding.label.as_str() {
            "" => String::new(),
            label => format!(": {}", plain(label)),
        }
    );
    let facts = finding.facts.iter();
    let mut items: Vec<String> = facts
        .map(|fact| format!("- **{}**: {}\n", fact.name, plain(&fact.text)))
        .collect();
    items.extend(
        finding
            .expression
            .iter()
            .map(|one| format!("- **expression**: {}\n", code(one))),
    );
    items.extend(
        finding
            .fix
            .iter()
            .map(|fix| format!("- **help**: {}\n", code(fix))),
    );
    if !items.is_empty() {
        text.push('\n');
        text.extend(items);
    }
    text
}

/// Text in which nothing means anything to Markdown or HTML.
fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in crate::printable::printable(text).chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                safe.extend(['\\', character])
            }
            other => safe.push(other),
        }
    }
    safe
}

/// Code in a cell or a line, with more backticks around it than there are in it.
fn code(text: &str) -> String {
    let text = crate::printable::printable(text).replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}
