//! Numbers in sentences.

/// A number with a comma between its thousands: `57,694`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things in agreement: `1 match`, `2,000 matches`.
#[must_use]
pub fn counted(number: u64, one: &str, more: &str) -> String {
    let what = if number == 1 { one } else { more };
    format!("{} {what}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_agree_with_what_they_count() {
        let grouped = [0, 7, 999, 1_000, 57_694, 1_234_567].map(super::grouped);
        assert_eq!(grouped, ["0", "7", "999", "1,000", "57,694", "1,234,567"]);
        let counted = [0, 1, 2_000].map(|count| counted(count, "match", "matches"));
        assert_eq!(counted, ["0 matches", "1 match", "2,000 matches"]);
    }
}
