//! Today's date, for suppressions that expire.

use std::time::{SystemTime, UNIX_EPOCH};

/// Year, month, day; in UTC.
pub type Date = (u16, u8, u8);

pub fn today() -> Date {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    of_day(since.map_or(0, |since| since.as_secs() / 86_400))
}

/// The date of a day counted from 1970-01-01.
fn of_day(mut day: u64) -> Date {
    let is_leap = |year: u16| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    (year, month, day as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::of_day;

    #[test]
    fn days_become_dates() {
        assert_eq!(of_day(0), (1970, 1, 1));
        assert_eq!(of_day(11_016), (2000, 2, 29));
        assert_eq!(of_day(20_453), (2025, 12, 31));
        assert_eq!(of_day(20_454), (2026, 1, 1));
    }
}
