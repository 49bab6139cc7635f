//! Suppressions in the sources: a comment `lostbits: ignore(cancellation) because the residual is checked`.
//!
//! After code, it is about that line; on a line of its own, about the next line that is not such a comment. Several kinds are
//! separated by commas; `ignore` without parentheses is about every kind. The reason, after `because`, is required: a comment without
//! one is not followed, and is listed as unused.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use lostbits_abi::site::Site;

use super::state::Suppression;

struct Comment {
    /// Its own line.
    at: u32,
    /// The line that it is about.
    line: u32,
    /// Empty for every kind.
    kinds: Vec<String>,
    /// None if it has none, and then it is not followed.
    reason: Option<String>,
    text: String,
    used: bool,
}

/// The comments of all sources, by file.
pub struct Comments(BTreeMap<PathBuf, Vec<Comment>>);

impl Comments {
    /// Files that cannot be read have none.
    pub fn read(files: impl IntoIterator<Item = PathBuf>) -> Comments {
        let files: BTreeSet<PathBuf> = files.into_iter().collect();
        let read = files.into_iter().filter_map(|file| {
            let bytes = fs::read(&file).ok()?;
            Some((file, comments_in(&String::from_utf8_lossy(&bytes))))
        });
        Comments(read.collect())
    }

    /// Why findings of this kind at this site are ignored.
    pub fn reason(&mut self, kind: &str, site: &Site) -> Option<String> {
        let comments = self.0.get_mut(Path::new(&site.file))?;
        let fits = |comment: &&mut Comment| {
            comment.line == site.line
                && (comment.kinds.is_empty() || comment.kinds.iter().any(|one| one == kind))
                && comment.reason.is_some()
        };
        let comment = comments.iter_mut().find(fits)?;
        comment.used = true;
        comment.reason.clone()
    }

    pub fn unused(&self, root: &Path) -> Vec<Suppression> {
        let all = self.0.iter().flat_map(|(file, comments)| {
            let unused = comments.iter().filter(|comment| !comment.used);
            let file = file.strip_prefix(root).unwrap_or(file);
            unused.map(|comment| Suppression {
                file: file.to_string_lossy().into_owned(),
                line: Some(comment.at),
                text: match comment.reason {
                    Some(_) => comment.text.clone(),
                    None => format!("{} (add `because …`)", comment.text),
                },
                has_expired: false,
            })
        });
        all.collect()
    }
}

fn comments_in(text: &str) -> Vec<Comment> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for (number, line) in (1u32..).zip(&lines) {
        let Some((before, words)) = ignore(line) else {
            continue;
        };
        let about = match before.trim().is_empty() {
            false => number,
            true => {
                let next = lines[number as usize..].iter();
                let skipped = next.take_while(|line| {
                    let is_comment = ignore(line).is_some_and(|(code, _)| code.trim().is_empty());
                    is_comment || line.trim().is_empty()
                });
                number + 1 + skipped.count() as u32
            }
        };
        let (kinds, reason) = parse(words);
        all.push(Comment {
            at: number,
            line: about,
            kinds,
            reason,
            text: format!("ignore{}", words.trim_end_matches("*/").trim_end()),
            used: false,
        });
    }
    all
}

/// The code before such a comment, and what follows the word `ignore` in it.
fn ignore(line: &str) -> Option<(&str, &str)> {
    const WORD: &str = "lostbits: ignore";
    let at = line.find(WORD)?;
    let before = line[..at].trim_end();
    let sign = ["///", "//", "/*", "!", "#"]
        .into_iter()
        .find(|sign| before.ends_with(sign))?;
    Some((
        &before[..before.len() - sign.len()],
        &line[at + WORD.len()..],
    ))
}

fn parse(words: &str) -> (Vec<String>, Option<String>) {
    let (kinds, rest) = match words
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
    {
        Some((kinds, rest)) => {
            let kinds = kinds.split(',').map(|kind| kind.trim().to_owned());
            (kinds.filter(|kind| !kind.is_empty()).collect(), rest)
        }
        None => (Vec::new(), words),
    };
    let reason = rest.trim().strip_prefix("because").map(|reason| {
        let reason = reason.trim().trim_end_matches("*/").trim_end();
        reason.to_owned()
    });
    (kinds, reason.filter(|reason| !reason.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_three_languages() {
        let text = "\
x = a - b; // lostbits: ignore(cancellation) because it is checked
/* lostbits: ignore because of b */
y = a - b;
z = a - b ! lostbits: ignore(loss, nan) because why not
w = a - b; // lostbits: ignore(cancellation)
";
        let all = comments_in(text);
        let lines: Vec<(u32, u32)> = all.iter().map(|one| (one.at, one.line)).collect();
        assert_eq!(lines, [(1, 1), (2, 3), (4, 4), (5, 5)]);
        assert_eq!(all[0].reason.as_deref(), Some("it is checked"));
        assert_eq!(all[1].reason.as_deref(), Some("of b"));
        assert_eq!(all[1].kinds, Vec::<String>::new());
        assert_eq!(all[2].kinds, ["loss", "nan"]);
        assert_eq!(all[3].reason, None);
    }

    #[test]
    fn text_in_a_string_is_no_comment() {
        assert!(comments_in("print(\"lostbits: ignore because\")\n").is_empty());
    }
}
