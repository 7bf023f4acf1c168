//! Line numbers before every line, as read tools print them.

use crate::error::Unclear;
use crate::matcher::unwrap::{Variant, is_short};
use crate::plan::{Decoration, MatchLevel, Replacement};

/// What stands between a number and its line, in the tools that are in use. Of two where one
/// is the start of the other, the one that then matches more strictly wins.
const SEPARATORS: [&str; 14] = [
    "\t", "→", "│ ", "│", " | ", " |", "| ", "|", ": ", ":", "  ", " ", ". ", ") ",
];

/// The ways to take line numbers off an edit.
pub(crate) fn variants(edit: &Replacement<'_>) -> Vec<Variant> {
    SEPARATORS
        .iter()
        .filter_map(|separator| variant(edit, separator))
        .collect()
}

/// Whether every line begins with a number of an ascending row.
pub(crate) fn looks_numbered(text: &str) -> bool {
    text.lines().count() > 1
        && SEPARATORS
            .iter()
            .any(|separator| stripped(text, separator).is_some())
}

fn variant(edit: &Replacement<'_>, separator: &str) -> Option<Variant> {
    let (old, first, last) = stripped(edit.old, separator)?;
    let is_single = first == last;
    if is_single && separator.trim_matches(' ').is_empty() {
        return None;
    }
    // One number may be text, and so may short lines be: then it has to be that of the line.
    let is_bound = is_single || is_short(&old);
    Some(Variant {
        decoration: Decoration::LineNumbers,
        new: new_text(edit.new, separator, first),
        weakest: MatchLevel::BlankLines,
        line: is_bound.then_some(first),
        whole_lines: true,
        old,
    })
}

/// The text without its numbers, and the first and last number; `None` if a line has none or
/// they are not consecutive.
fn stripped(text: &str, separator: &str) -> Option<(String, usize, usize)> {
    let mut output = String::with_capacity(text.len());
    let mut range: Option<(usize, usize)> = None;
    for line in text.split_inclusive('\n') {
        let (number, rest) = numbered(line, separator)?;
        let first = match range {
            None => number,
            Some((first, last)) if number == last + 1 => first,
            Some(_) => return None,
        };
        range = Some((first, number));
        output.push_str(rest);
    }
    range.map(|(first, last)| (output, first, last))
}

/// Splits a line into its number and the rest. An empty line may lack the blank of the
/// separator.
fn numbered<'a>(line: &'a str, separator: &str) -> Option<(usize, &'a str)> {
    let start = line.trim_start_matches([' ', '\t']);
    let start = start.strip_prefix('L').unwrap_or(start);
    let digits = start.len() - start.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = start.get(..digits)?.parse().ok()?;
    let rest = start.get(digits..)?;
    if let Some(body) = rest.strip_prefix(separator) {
        return Some((number, body));
    }
    let bare = rest.strip_prefix(separator.trim_end_matches(' '))?;
    bare.trim_end_matches(['\r', '\n'])
        .is_empty()
        .then_some((number, bare))
}

/// Takes the numbers off those lines of the new text that have them. They must go on from
/// those of the old text, or they are no line numbers.
fn new_text(new: &str, separator: &str, first: usize) -> Result<String, Unclear> {
    let mut output = String::with_capacity(new.len());
    let mut highest: Option<usize> = None;
    for line in new.split_inclusive('\n') {
        match numbered(line, separator) {
            Some((number, body)) => {
                let is_in_row = match highest {
                    None => number == first,
                    Some(before) => number >= before && number <= before + 1,
                };
                if !is_in_row {
                    return Err(Unclear::Decoration);
                }
                highest = Some(number);
                output.push_str(body);
            }
            // With another separator it may be a number, or the text of the line.
            None if numbered(line, separator.trim_matches(' ')).is_some() => {
                return Err(Unclear::Decoration);
            }
            None => output.push_str(line),
        }
    }
    Ok(output)
}

/// The separators behind the numbers of a text.
pub(crate) fn separators_of(text: &str) -> Vec<&'static str> {
    let separators = SEPARATORS.iter().copied();
    separators
        .filter(|separator| stripped(text, separator).is_some())
        .collect()
}

/// The first number of a line that the new text adds, where no line of the old text has one.
pub(crate) fn number_in(edit: &Replacement<'_>, separators: &[&str]) -> Option<String> {
    let number = |line: &str| {
        let mut found = separators.iter().filter_map(|separator| {
            let (_, rest) = numbered(line, separator)?;
            line.get(..line.len() - rest.len()).map(str::to_owned)
        });
        found.next()
    };
    if edit.old.lines().any(|line| number(line).is_some()) {
        return None;
    }
    edit.new.lines().find_map(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_numbers_come_off_and_others_do_not() {
        assert_eq!(
            stripped("  9\ta\n 10\tb", "\t"),
            Some(("a\nb".to_owned(), 9, 10))
        );
        assert_eq!(stripped("1: a\n3: b", ": "), None);
        assert_eq!(
            stripped("7| a\n8|\n9| b", "| "),
            Some(("a\n\nb".to_owned(), 7, 9))
        );
    }

    #[test]
    fn the_new_text_may_have_no_numbers() {
        assert_eq!(new_text("a\nc", "\t", 3), Ok("a\nc".to_owned()));
        assert_eq!(new_text("3\ta\nc", "\t", 3), Ok("a\nc".to_owned()));
        assert_eq!(new_text("7\ta", "\t", 3), Err(Unclear::Decoration));
    }
}
