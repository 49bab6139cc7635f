//! Names that a misspelt one may have meant.

/// The closest first.
pub fn close_names(name: &str, names: &[String]) -> Vec<String> {
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= 2 + name.len() / 4)
        .collect();
    scored.sort();
    scored.dedup();
    scored
        .into_iter()
        .take(3)
        .map(|(_, name)| name.clone())
        .collect()
}

/// Levenshtein's: letters to be added, taken away or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_offered_close_ones() {
        let names: Vec<String> = ["gsl_sf_airy_Ai", "gsl_sf_airy_Bi", "qsort"]
            .map(str::to_owned)
            .into();
        assert_eq!(close_names("gsl_sf_airy_A", &names)[0], "gsl_sf_airy_Ai");
        assert_eq!(close_names("qsrt", &names), ["qsort"]);
        assert!(close_names("unrelated", &names).is_empty());
    }
}
