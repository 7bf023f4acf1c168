//! Lines of files of variables in what commands and searches show.

use std::ops::Range;

use memchr::memchr2;
use tenon_contract::{Outcome, strip_escapes};
use tenon_secrets::{is_variable_file, may_name_variable_file, values, variable_file_diffs};

use super::details::Texts;
use super::{MAX_PATH, text_of};

/// First bytes of escape sequences of terminals, of seven and of eight bits.
const ESCAPE: u8 = 0x1b;
const INTRODUCER: u8 = 0xc2;
/// Longest name of a file, in bytes (Linux: `NAME_MAX`).
const MAX_NAME: usize = 255;

/// Whether an answer of lines has a line of a file of variables, or names such a file. Thousands of lines of code may say `process.env`.
pub(super) fn shows_variables(outcome: &Outcome) -> bool {
    let mut texts = outcome.content.iter().filter_map(text_of);
    texts.any(has_lines_of_variables) || {
        let json = outcome.details.json();
        may_name_variable_file(&json)
            && Texts::of(&json)
                .any(|(_, text)| is_variable_file(&text) || has_lines_of_variables(&text))
    }
}

/// Whether a line of a text begins with the name of a file of variables.
pub(super) fn has_lines_of_variables(text: &str) -> bool {
    // Colors may stand in the name.
    let may_be_one = |line: &&str| {
        may_name_variable_file(line) || memchr2(ESCAPE, INTRODUCER, line.as_bytes()).is_some()
    };
    let mut lines = text.split('\n').filter(may_be_one);
    may_name_variable_file(text) && lines.any(|line| end_of_variable_file(line).is_some())
}

/// Whether a text may have a diff in it.
pub(super) fn names_a_diff(text: &str) -> bool {
    text.contains("diff --") || text.contains("+++ ")
}

/// The values of files of variables in what a command prints that names none: those in diffs, and those that a search of many files
/// shows behind the name of one.
pub(super) fn of_variable_files(text: &str) -> Vec<Range<usize>> {
    if !may_name_variable_file(text) {
        return Vec::new();
    }
    let diffs = variable_file_diffs(text);
    let mut behind = values(text);
    let mut inside = Vec::new();
    if !diffs.is_empty() {
        inside.clone_from(&behind);
        inside.retain(|place| diffs.iter().any(|diff| diff.contains(&place.start)));
    }
    behind_variable_files(text, &mut behind);
    // Beside prose and code (`a ? process.env : b`), names have no blanks in them.
    behind.retain(|place| {
        let before = text.get(..place.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let name = line.split([':', '\0']).next().unwrap_or_default();
        !name.contains(char::is_whitespace)
    });
    inside.extend(behind);
    inside
}

/// The places that stand behind the name of a file of variables in their line, as lists of matches have it. The places are in
/// order, so that each line is read once.
pub(super) fn behind_variable_files(text: &str, places: &mut Vec<Range<usize>>) {
    let mut line_end = 0;
    let mut values_from = None;
    places.retain(|place| {
        if place.start >= line_end {
            let before = text.get(..place.start).unwrap_or("");
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            let rest = text.get(start..).unwrap_or("");
            let line = rest.split('\n').next().unwrap_or("");
            line_end = start + line.len();
            values_from = end_of_variable_file(line).map(|end| start + end);
        }
        values_from.is_some_and(|from| place.start >= from)
    });
}

/// Where the name of a file of variables at the start of a line ends: `a-b/.env:3: X=y`, `a-b/.env-4- X=y` for lines around
/// a match, and NUL instead of the sign (`grep -Z`). There may be colors around the name (`grep --color=always`).
pub(super) fn end_of_variable_file(line: &str) -> Option<usize> {
    let is_named = |from: usize, to: usize| {
        let name = line.get(from..to).unwrap_or_default();
        is_variable_file(strip_escapes(name).trim())
    };
    let mut name = 0;
    for (at, letter) in line.char_indices().take_while(|(at, _)| *at <= MAX_PATH) {
        match letter {
            '/' | '\\' => name = at + 1,
            ':' | '-' | '\0' if at - name <= MAX_NAME && is_named(name, at) => return Some(at),
            _ => {}
        }
    }
    None
}

/// The bytes of the number of a line and the signs around it, behind the name of its file.
pub(super) fn end_of_number(line: &str, end: usize) -> usize {
    let rest = line.get(end..).unwrap_or_default();
    let number = rest.trim_start_matches([':', '-', '\0']);
    let behind = number.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let has_number = behind.len() < number.len() && behind.starts_with([':', '-']);
    let shown = if has_number {
        behind.trim_start_matches([':', '-'])
    } else {
        number
    };
    rest.len() - shown.trim_start_matches(' ').len()
}

/// Whether a place is in a line between brackets, as notices of tools are.
pub(super) fn is_in_notice(text: &str, place: &Range<usize>) -> bool {
    let before = text.get(..place.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..).unwrap_or_default();
    let line = line.split('\n').next().unwrap_or_default().trim();
    line.starts_with('[') && line.ends_with(']')
}
