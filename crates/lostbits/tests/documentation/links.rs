//! Links of the documents: each relative one leads to a file of the repository and, behind `#`, to a heading of it. Pages of the
//! book link only to files of the book, and every page is in its table of contents.
//!
//! What this can miss: addresses of other hosts are not visited.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{console::documents, repository};

/// The addresses in `[text](address)`, outside of code blocks.
fn links(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
            continue;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](").filter(|_| !is_code) {
            let (address, after) = after.split_once(')').expect("an address ends");
            all.push(address.to_owned());
            rest = after;
        }
    }
    all
}

/// The anchors of the headings, as Markdown renderers make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

fn problem(document: &Path, link: &str) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => document.to_owned(),
        path => document.parent().expect("a folder").join(path),
    };
    if !target.is_file() {
        return Some("leads nowhere".to_owned());
    }
    let book = repository().join("docs");
    let is_inside = target
        .canonicalize()
        .ok()?
        .starts_with(book.canonicalize().ok()?);
    if document.starts_with(&book) && !is_inside {
        return Some("leads out of the book".to_owned());
    }
    let is_there = anchor.is_empty() || anchors(&fs::read_to_string(target).ok()?).contains(anchor);
    (!is_there).then(|| "names no heading".to_owned())
}

#[test]
fn links_lead_somewhere() {
    let more = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let more = more.map(|name| repository().join(name));
    let mut checked = 0;
    let mut problems = Vec::new();
    for document in documents().into_iter().chain(more) {
        for link in links(&fs::read_to_string(&document).expect("a document")) {
            checked += 1;
            let found = problem(&document, &link);
            problems.extend(found.map(|what| format!("{}: {link} {what}", document.display())));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(checked > 20, "{checked}");
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let book = repository().join("docs");
    let listed = links(&fs::read_to_string(book.join("SUMMARY.md")).expect("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = listed.iter().map(|page| book.join(page)).collect();
    for page in documents() {
        let is_page = page.starts_with(&book) && !page.ends_with("SUMMARY.md");
        assert!(
            !is_page || listed.contains(&page),
            "{} is missing in docs/SUMMARY.md",
            page.display()
        );
    }
}

#[test]
fn the_front_page_is_short() {
    let text = fs::read_to_string(repository().join("README.md")).expect("README.md");
    let lines = text.lines().count();
    assert!(
        lines <= 150,
        "README.md has {lines} lines: move text into docs/"
    );
}

#[test]
fn broken_links_are_noticed() {
    assert_eq!(
        links("a [b](c.md) and [d](e.md#f)\n```\n[x](y)\n```"),
        ["c.md", "e.md#f"]
    );
    assert!(anchors("## Exit codes").contains("exit-codes"));
    let document = repository().join("docs/explain.md");
    for broken in ["nowhere.md", "../README.md", "watch.md#nothing"] {
        assert!(problem(&document, broken).is_some(), "{broken}");
    }
}
