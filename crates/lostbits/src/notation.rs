//! Counts as text: with separators and nouns.

/// A number with thousands parted: `1,234,567`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 site`, `2 sites`.
pub fn count(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(value), if value == 1 { one } else { many })
}

/// `once`, `2 times`.
pub fn times(times: u64) -> String {
    match times {
        1 => "once".to_owned(),
        _ => format!("{} times", number(times)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(number),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(count(1, "site", "sites"), "1 site");
        assert_eq!(count(0, "site", "sites"), "0 sites");
    }
}
