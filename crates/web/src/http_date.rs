//! The dates of HTTP (RFC 9110 section 5.6.7), in the form that servers send today.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    let (_, rest) = text.split_once(", ")?;
    let mut parts = rest.split(' ');
    let day: u64 = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let year: u64 = parts.next()?.parse().ok()?;
    let mut clock = parts
        .next()?
        .split(':')
        .map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let is_valid = (1..=31).contains(&day)
        && (1970..10_000).contains(&year)
        && hour < 24
        && minute < 60
        && second <= 60
        && parts.next() == Some("GMT");
    if !is_valid {
        return None;
    }
    // Days since 1970 by the calendar that begins in March, so that leap days come last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_to_the_second_and_nonsense_is_not() {
        let seconds =
            |text: &str| parse(text).map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            seconds("Thu, 29 Feb 2024 23:59:59 GMT"),
            Some(1_709_251_199)
        );
        for text in [
            "",
            "tomorrow",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Xxx 1994 08:49:37 GMT",
            "Sun, 99 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
