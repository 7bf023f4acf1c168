//! Scripts that run from right to left, from their place on a page to the order of reading.

/// Whether a letter is of a script that runs from right to left.
pub(super) fn is_from_right(letter: char) -> bool {
    matches!(letter as u32, 0x590..=0x65f | 0x66d..=0x6ef | 0x6fa..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff)
}

/// Signs above and below the letter before them.
fn is_mark(letter: char) -> bool {
    matches!(letter as u32, 0x591..=0x5bd | 0x5bf | 0x5c1..=0x5c7 | 0x610..=0x61a | 0x64b..=0x65f | 0x670)
}

/// A part of a line that is read in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    FromRight,
    FromLeft,
    Number,
    /// Spaces and signs, which follow what is around them.
    Neutral,
}

/// How many letters run from the right, and how many letters there are.
pub(super) fn letters_from_right(text: &str) -> (usize, usize) {
    let letters = || text.chars().filter(|letter| letter.is_alphabetic());
    (
        letters().filter(|letter| is_from_right(*letter)).count(),
        letters().count(),
    )
}

/// What stands on a page from left to right, in the order of reading. `page_from_right`: most of the page runs so.
pub(super) fn in_reading_order(text: &str, page_from_right: bool) -> String {
    let (from_right, all) = letters_from_right(text);
    if from_right == 0 {
        return text.to_owned();
    }
    let mut parts = parts_of(text);
    let line_from_right = from_right * 2 > all || page_from_right && from_right * 5 > all;
    if line_from_right {
        turn(&mut parts, Kind::FromLeft)
    } else {
        let is_turned = |kind| matches!(kind, Kind::FromRight | Kind::Number);
        each_stretch(&parts, Kind::FromRight, is_turned, |stretch| {
            let mut stretch = stretch.to_vec();
            turn(&mut stretch, Kind::FromLeft)
        })
    }
}

/// Parts of one kind each.
fn parts_of(text: &str) -> Vec<(Kind, String)> {
    let mut parts: Vec<(Kind, String)> = Vec::new();
    let letters: Vec<char> = text.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let near = |offset: isize| {
            let index = index.checked_add_signed(offset);
            index.and_then(|index| letters.get(index)).copied()
        };
        let is_digit = |letter: Option<char>| letter.is_some_and(char::is_numeric);
        let kind = if is_from_right(*letter) && !letter.is_numeric() {
            Kind::FromRight
        } else if letter.is_numeric() {
            Kind::Number
        } else if letter.is_alphabetic() {
            Kind::FromLeft
        } else if ("/:.,-−–+'٫٬".contains(*letter) && is_digit(near(-1)) && is_digit(near(1)))
            || ("%$€£₪°".contains(*letter) && (is_digit(near(-1)) || is_digit(near(1))))
            || ("+-−".contains(*letter)
                && is_digit(near(1))
                && near(-1).is_none_or(|letter| letter == ' '))
        {
            Kind::Number
        } else {
            Kind::Neutral
        };
        match parts.last_mut() {
            Some((last, part)) if *last == kind => part.push(*letter),
            _ => parts.push((kind, String::from(*letter))),
        }
    }
    parts
}

/// Reads parts from the right; stretches of the kind `kept` and the numbers in and beside them keep their order.
fn turn(parts: &mut Vec<(Kind, String)>, kept: Kind) -> String {
    let mut groups: Vec<String> = Vec::new();
    let mut rest = parts.as_slice();
    while let Some((first, after)) = rest.split_first() {
        let length = stretch(rest, kept, |kind| {
            matches!(kind, Kind::FromLeft | Kind::Number)
        });
        if length > 0 {
            let (group, after) = rest.split_at_checked(length).unwrap_or_default();
            groups.push(group.iter().map(|(_, part)| part.as_str()).collect());
            rest = after;
            continue;
        }
        groups.push(match first.0 {
            Kind::Number | Kind::FromLeft => first.1.clone(),
            Kind::FromRight | Kind::Neutral => backwards(&first.1),
        });
        rest = after;
    }
    groups.into_iter().rev().collect()
}

/// How many parts from the first on are read together: from one of the kinds that are taken to the last such one, with
/// a part of `kept` among them.
fn stretch(parts: &[(Kind, String)], kept: Kind, is_taken: impl Fn(Kind) -> bool) -> usize {
    if !parts.first().is_some_and(|(kind, _)| is_taken(*kind)) {
        return 0;
    }
    let mut length = 0;
    let mut has_kept = false;
    for (index, (kind, _)) in parts.iter().enumerate() {
        if is_taken(*kind) {
            has_kept |= *kind == kept;
            length = index + 1;
        } else if *kind != Kind::Neutral {
            break;
        }
    }
    if has_kept { length } else { 0 }
}

/// A line in which the stretches of a kind are written by `write`.
fn each_stretch(
    parts: &[(Kind, String)],
    kind: Kind,
    is_taken: impl Fn(Kind) -> bool + Copy,
    write: impl Fn(&[(Kind, String)]) -> String,
) -> String {
    let mut text = String::new();
    let mut rest = parts;
    while let Some((first, after)) = rest.split_first() {
        let length = if first.0 == kind {
            stretch(rest, kind, is_taken)
        } else {
            0
        };
        if length > 0 {
            // A number at the end belongs to what follows.
            let (group, _) = rest.split_at_checked(length).unwrap_or_default();
            let last = group
                .iter()
                .rposition(|(part, _)| *part == kind)
                .map_or(1, |last| last + 1);
            let (group, after) = rest.split_at_checked(last).unwrap_or_default();
            text.push_str(&write(group));
            rest = after;
        } else {
            text.push_str(&first.1);
            rest = after;
        }
    }
    text
}

/// Letters from the last to the first, each with its marks; brackets face the other way.
fn backwards(text: &str) -> String {
    let mut clusters: Vec<String> = Vec::new();
    for letter in text.chars() {
        match clusters.last_mut() {
            Some(cluster)
                if is_mark(letter)
                    && cluster
                        .chars()
                        .next()
                        .is_some_and(|first| is_from_right(first) && !is_mark(first)) =>
            {
                cluster.push(letter);
            }
            _ => clusters.push(String::from(mirrored(letter))),
        }
    }
    clusters.into_iter().rev().collect()
}

fn mirrored(letter: char) -> char {
    match letter {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_of_other_scripts_keep_their_order_in_a_line_from_the_right() {
        for (seen, read) in [
            ("םולש 42", "42 שלום"),
            ("2024/05/01 השיגפה ךיראת", "תאריך הפגישה 2024/05/01"),
            ("12:30 העש", "שעה 12:30"),
            ("50% הנחה", "החנה 50%"),
            ("Hello World םשב ארקנ ץבוקה", "הקובץ נקרא בשם Hello World"),
            ("(הלימ) םיירגוסב", "בסוגריים (מילה)"),
            (".node.js 20 לע ץר תרשה", "השרת רץ על node.js 20."),
            ("20 10", "20 10"),
            ("20 10 םירפסמ", "מספרים 10 20"),
        ] {
            assert_eq!(in_reading_order(seen, false), read);
        }
    }

    #[test]
    fn words_from_the_right_are_turned_in_a_line_from_the_left() {
        for (seen, read) in [
            ("abc א", "abc א"),
            ("The word םולש means peace", "The word שלום means peace"),
            (
                "A long title (בוט םולש), 2024",
                "A long title (שלום טוב), 2024",
            ),
            ("plain (text)", "plain (text)"),
        ] {
            assert_eq!(in_reading_order(seen, false), read);
        }
        assert_eq!(in_reading_order("Hello World םשב", true), "בשם Hello World");
    }
}
