//! Fingerprints: names of findings that survive changes elsewhere in the code.
//!
//! A fingerprint is made of the file's name (without its folder), the function, the operation, and the text of the
//! source line without spaces and comments; a number distinguishes equal ones, in the order of their lines. So it stays
//! the same when lines are inserted above, code is indented anew, folders are moved, or anything in other lines or
//! functions is renamed. The kind and size of the error are no part of it: they depend on the input.
//!
//! What it can miss: a change of the line itself, of its function's name or its file's name makes a new fingerprint. Where the
//! source cannot be read, the text is left out, and findings of the same operation in a function are distinguished by
//! their order alone.

use std::{collections::HashMap, fmt, path::Path};

use lostbits_abi::site::{Site, What};
use serde::{Deserialize, Serialize};

use crate::demangle::demangle;

/// 16 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The fingerprints of sites, in the same order.
pub fn fingerprints(
    sites: &[&Site],
    source_line: &dyn Fn(&Path, u32) -> Option<String>,
) -> Vec<Fingerprint> {
    let texts: Vec<String> = sites
        .iter()
        .map(|site| identity(site, source_line))
        .collect();
    let mut by_line: Vec<usize> = (0..sites.len()).collect();
    by_line.sort_by_key(|at| (sites[*at].line, sites[*at].column, sites[*at].ordinal));
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut all = vec![Fingerprint(String::new()); sites.len()];
    for at in by_line {
        let equal = seen.entry(&texts[at]).or_default();
        all[at] = Fingerprint(format!("{:016x}", hash(&format!("{}\0{equal}", texts[at]))));
        *equal += 1;
    }
    all
}

fn identity(site: &Site, source_line: &dyn Fn(&Path, u32) -> Option<String>) -> String {
    let file = Path::new(&site.file);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let operation = match site.what {
        What::Operation(op) => op.name(),
        _ => &site.callee,
    };
    let line = source_line(file, site.line).unwrap_or_default();
    let function = demangle(&site.function);
    [&*name, &function, operation, &code(&line)].join("\0")
}

/// A line without spaces and without a comment at its end.
fn code(line: &str) -> String {
    let end = ["//", "/*", " !"].iter().filter_map(|sign| line.find(sign));
    let end = end.min().unwrap_or(line.len());
    line[..end].split_whitespace().collect()
}

/// FNV-1a: the same in every version of the tool and on every machine.
fn hash(text: &str) -> u64 {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x100_0000_01b3;
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    text.bytes().fold(START, mix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lostbits_abi::ops::Op;

    fn site(file: &str, line: u32) -> Site {
        Site {
            file: file.to_owned(),
            function: "root".to_owned(),
            line,
            column: 3,
            ordinal: 0,
            what: What::Operation(Op::Sub),
            kind: None,
            lanes: 1,
            copies: 1,
            callee: String::new(),
            note: None,
            operands: Vec::new(),
            inlined_from: Vec::new(),
        }
    }

    #[test]
    fn moves_and_comments_keep_a_fingerprint_and_edits_change_it() {
        let before = |_: &Path, _: u32| Some("  return (b - s) / a; // root".to_owned());
        let after = |_: &Path, _: u32| Some("\treturn (b -  s)/a;  /* new */".to_owned());
        let edited = |_: &Path, _: u32| Some("return 2 * c / (b + s);".to_owned());
        let old = fingerprints(&[&site("/home/a/x.c", 10)], &before);
        assert_eq!(old, fingerprints(&[&site("/tmp/b/x.c", 25)], &after));
        assert_ne!(old, fingerprints(&[&site("/home/a/x.c", 10)], &edited));
        assert_ne!(old, fingerprints(&[&site("/home/a/y.c", 10)], &before));
    }

    #[test]
    fn equal_lines_are_told_apart_in_the_order_of_the_file() {
        let line = |_: &Path, _: u32| Some("x = a - b;".to_owned());
        let all = fingerprints(&[&site("x.c", 9), &site("x.c", 4)], &line);
        assert_ne!(all[0], all[1]);
        let swapped = fingerprints(&[&site("x.c", 14), &site("x.c", 19)], &line);
        assert_eq!([&all[0], &all[1]], [&swapped[1], &swapped[0]]);
    }
}
