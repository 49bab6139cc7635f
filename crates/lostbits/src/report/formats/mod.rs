//! Formats for browsers, CI and merge requests: a [`Document`](super::document::Document) in, bytes out.

mod github;
mod html;
mod junit;
mod markdown;
mod plot;
mod sarif;

pub use github::github;
pub use html::{STYLE, html};
pub use junit::junit;
pub use markdown::markdown;
pub use plot::plot;
pub use sarif::sarif;

#[cfg(test)]
mod hostile;

/// Text within HTML and XML. Characters that XML cannot hold at all are shown escaped.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(character),
            other => safe.push_str(&crate::printable::printable(other.encode_utf8(&mut [0; 4]))),
        }
    }
    safe
}
