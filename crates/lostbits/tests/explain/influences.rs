//! Which causes reach which outputs, where there are many.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    built::in_every_way,
    subjects::{line, marked, rows, subject},
};

/// For each cause's line, the lines of the outputs that it reaches, as the words behind the functions say.
fn expected(source: &str) -> BTreeMap<u64, BTreeSet<u64>> {
    let text = std::fs::read_to_string(subject(source)).expect("it is there");
    let causes = (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.starts_with("CAUSE f"));
    causes
        .filter_map(|(number, line)| Some((number, line.split_once("// ")?.1)))
        .map(|(number, words)| {
            let outputs = words
                .split_whitespace()
                .flat_map(|word| marked(&[source], &format!("REACHED {word}")));
            (number, outputs.map(|(_, line)| line).collect())
        })
        .filter(|(_, outputs): &(u64, BTreeSet<u64>)| !outputs.is_empty())
        .collect()
}

/// More causes than have bits of their own; and a compensated sum of such, which is not blamed.
#[test]
fn many_causes_are_kept_apart() {
    for program in in_every_way("many.c", "") {
        let report = program.explain("123456789012345");
        let found: BTreeMap<u64, BTreeSet<u64>> = rows(&report["findings"])
            .map(|finding| {
                let outputs = rows(&finding["outputs"]).map(|output| line(output).1);
                (line(&finding["location"]).1, outputs.collect())
            })
            .collect();
        assert_eq!(found, expected("many.c"), "{report:#}");
    }
}
