//! Which printed numbers show that they are wrong.

use rug::Float;

/// For each output, whether a digit other than the last differs between the two texts, which one program printed of other
/// numbers. An output that is not found in the text counts as different.
pub fn differ(computed: &[u8], exact: &[u8], outputs: &[Float]) -> Vec<bool> {
    let (computed, exact) = (words(computed), words(exact));
    let mut position = 0;
    let found = outputs.iter().map(|output| {
        let is_it = |word: &String| shows(word, output.to_f64());
        let Some(next) = computed[position..].iter().position(is_it) else {
            return true;
        };
        position += next + 1;
        let index = position - 1;
        exact
            .get(index)
            .is_none_or(|other| is_different(&computed[index], other))
    });
    found.collect()
}

fn words(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let ends = |letter: char| letter.is_whitespace() || "=,;:()[]".contains(letter);
    text.split(ends)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Fortran may write D for the exponent.
fn parsed(word: &str) -> Option<f64> {
    word.replace(['D', 'd'], "e").parse().ok()
}

/// Whether the word is this number, rounded to the word's digits.
fn shows(word: &str, number: f64) -> bool {
    match parsed(word) {
        Some(value) if value.is_nan() || number.is_nan() => value.is_nan() && number.is_nan(),
        Some(value) => value == number || (value - number).abs() <= unit(word),
        None => false,
    }
}

/// One unit in the last printed place.
fn unit(word: &str) -> f64 {
    let lower = word.to_lowercase().replace('d', "e");
    let (digits, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let after = digits
        .split_once('.')
        .map_or(0, |(_, after)| after.len() as i32);
    let exponent: i32 = exponent.parse().unwrap_or(0);
    10f64.powi(exponent - after)
}

/// Whether a digit other than the last is wrong: the texts differ by at least ten units of the last place.
fn is_different(computed: &str, exact: &str) -> bool {
    if computed == exact {
        return false;
    }
    match (parsed(computed), parsed(exact)) {
        (Some(a), Some(b)) => {
            // The finer unit of the two: %g drops zeros at the end.
            let difference = (a - b).abs();
            difference.is_nan() || difference > 9.999 * unit(computed).min(unit(exact))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differing(computed: &str, exact: &str, outputs: &[f64]) -> Vec<bool> {
        let outputs: Vec<Float> = outputs
            .iter()
            .map(|&one| Float::with_val(113, one))
            .collect();
        differ(computed.as_bytes(), exact.as_bytes(), &outputs)
    }

    #[test]
    fn outputs_are_found_among_other_words() {
        assert_eq!(
            differing(
                "n=12 x=1.500 (2.250)\n",
                "n=12 x=1.700 (2.250)\n",
                &[1.5, 2.25]
            ),
            [true, false]
        );
    }

    #[test]
    fn the_last_digit_may_differ() {
        assert_eq!(differing("1.500", "1.501", &[1.5]), [false]);
        assert_eq!(differing("1.500", "1.509", &[1.5]), [false]);
        assert_eq!(differing("1.500", "1.510", &[1.5]), [true]);
        assert_eq!(differing("1.5D-03", "3.7D-03", &[1.5e-3]), [true]);
        assert_eq!(differing("0.9999999", "1", &[0.9999999]), [false]);
        assert_eq!(differing("NaN", "1.0", &[f64::NAN]), [true]);
    }

    #[test]
    fn digits_that_are_not_printed_do_not_count() {
        assert_eq!(
            differing("0.333333", "0.333333", &[1.0 / 3.0 + 1e-12]),
            [false]
        );
    }
}
