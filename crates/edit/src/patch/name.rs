//! File names as they stand in the headers of unified diffs.

use std::borrow::Cow;

use crate::patch::PatchError;

/// One side of a file header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SideName {
    /// `/dev/null`: there is no file on this side.
    Absent,
    /// A name, with its prefix.
    Path(String),
}

impl SideName {
    /// Whether it is `/dev/null` with a prefix, as models write it.
    pub(crate) fn is_nowhere(&self) -> bool {
        let names = ["a/dev/null", "b/dev/null"];
        matches!(self, Self::Path(path) if names.contains(&path.as_str()))
    }

    /// The same as no file, if it is so meant.
    pub(crate) fn or_absent(self) -> Self {
        match self.is_nowhere() {
            true => Self::Absent,
            false => self,
        }
    }
}

/// Reads the name of a `---` or `+++` line; `git` is what stands behind `diff --git` above it.
pub(crate) fn side_name(line: usize, text: &str, git: &str) -> Result<SideName, PatchError> {
    let name = name(line, text, git)?;
    Ok(if name.trim_end() == "/dev/null" {
        SideName::Absent
    } else {
        SideName::Path(name)
    })
}

/// Where a name ends: at its tab, or before a time of which the tab was lost, as in `a.c 2024-01-01 10:00:00.000000000 +0100`.
fn end_of_name(text: &str) -> usize {
    let tab = text.find('\t');
    tab.or_else(|| time_without_tab(text)).unwrap_or(text.len())
}

/// Where the blanks before a date, a time of day and perhaps a zone begin, if a text ends in them and something stands before.
fn time_without_tab(text: &str) -> Option<usize> {
    let (before, last) = last_word(text)?;
    let (before, clock) = match is_zone(last) {
        true => last_word(before)?,
        false => (before, last),
    };
    let (name, date) = last_word(before)?;
    let is_time = is_like(date, "0000-00-00") && is_clock(clock);
    (is_time && !name.trim().is_empty() && !name.ends_with('/')).then_some(name.len())
}

/// The last word of a text, and what stands before it and the blanks around it.
fn last_word(text: &str) -> Option<(&str, &str)> {
    let (before, word) = text.trim_end().rsplit_once(' ')?;
    Some((before.trim_end(), word))
}

fn is_clock(word: &str) -> bool {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    let is_number = !fraction.is_empty() && fraction.bytes().all(|digit| digit.is_ascii_digit());
    is_like(whole, "00:00:00") && is_number
}

fn is_zone(word: &str) -> bool {
    let offset = word.strip_prefix(['+', '-']);
    offset.is_some_and(|offset| is_like(offset, "0000") || is_like(offset, "00:00"))
}

/// Whether a text has digits where the form has them, and else the same letters.
fn is_like(text: &str, form: &str) -> bool {
    let digits_as_zero = text.chars().map(|letter| match letter.is_ascii_digit() {
        true => '0',
        false => letter,
    });
    digits_as_zero.eq(form.chars())
}

/// Whether the time behind a name is the beginning of 1970 in UTC, which `diff -N` writes for a file that is not there, as in
/// `1970-01-01 01:00:00.000000000 +0100`.
pub(crate) fn is_at_epoch(text: &str) -> bool {
    let time = text.get(end_of_name(text)..).unwrap_or_default();
    let mut words = time.split_whitespace();
    let (Some(date), Some(clock), zone) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let minutes = |hours: &str, minutes: &str| -> Option<i32> {
        Some(hours.parse::<i32>().ok()? * 60 + minutes.parse::<i32>().ok()?)
    };
    let local = clock.split_once(':').and_then(|(hour, rest)| {
        let (minute, seconds) = rest.split_once(':')?;
        let is_whole =
            seconds.starts_with("00") && seconds.bytes().all(|byte| matches!(byte, b'0' | b'.'));
        minutes(hour, minute).filter(|_| is_whole)
    });
    let offset = match zone {
        None => Some(0),
        Some(zone) => zone.get(..3).zip(zone.get(3..)).and_then(|(hours, rest)| {
            let sign = if hours.starts_with('-') { -1 } else { 1 };
            let rest = rest.trim_start_matches(':');
            Some(sign * minutes(hours.trim_start_matches(['+', '-']), rest)?)
        }),
    };
    let day = match date {
        "1970-01-01" => 0,
        "1969-12-31" => -24 * 60,
        _ => return false,
    };
    local
        .zip(offset)
        .is_some_and(|(local, offset)| day + local == offset)
}

/// Reads a name without looking for `/dev/null`: quoted with C escapes, or up to a tab or a time.
///
/// Blanks at its end belong to it if the tab that git writes for them follows. Those at either
/// end do if the `diff --git` line has them too; else they are slips.
pub(crate) fn name(line: usize, text: &str, git: &str) -> Result<String, PatchError> {
    let front = text.trim_start_matches(' ');
    let error = |reason| PatchError::Name {
        line,
        name: front.to_owned(),
        reason,
    };
    if let Some(quoted) = front.strip_prefix('"') {
        let (name, _) = unquoted(quoted).ok_or_else(|| error("whose quotes cannot be read"))?;
        return Ok(name);
    }
    let before_tab = |text: &'_ str| text.find('\t').unwrap_or(text.len());
    let whole = text.get(..before_tab(text)).unwrap_or_default();
    if !whole.trim().is_empty() && is_in_git_line(whole, git) {
        return Ok(whole.to_owned());
    }
    let is_closed = front.contains('\t');
    let name = front.get(..end_of_name(front)).unwrap_or_default();
    let name = if is_closed { name } else { name.trim_end() };
    if name.trim().is_empty() {
        return Err(error("which is empty"));
    }
    Ok(name.to_owned())
}

/// Whether a name, with its prefix or without, is the first or the second of a `diff --git` line.
fn is_in_git_line(name: &str, git: &str) -> bool {
    let is_second = || {
        let before = git.strip_suffix(name);
        before.is_some_and(|before| before.ends_with([' ', '/']))
    };
    let is_first = |names: &str| {
        let behind = names.strip_prefix(name);
        behind.is_some_and(|behind| behind.starts_with(' '))
    };
    is_second() || is_first(git) || strip_prefix(git).is_some_and(is_first)
}

/// Decodes a C string up to its closing quote, and gives what stands behind it. `None` if it is
/// not closed, has an unknown escape, or is not UTF-8.
pub(crate) fn unquoted(text: &str) -> Option<(String, &str)> {
    let (bytes, rest) = unquoted_to_bytes(text)?;
    String::from_utf8(bytes).ok().map(|name| (name, rest))
}

fn unquoted_to_bytes(text: &str) -> Option<(Vec<u8>, &str)> {
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let next = rest.chars().next()?;
        rest = rest.get(next.len_utf8()..)?;
        match next {
            '"' => return Some((bytes, rest)),
            '\\' => rest = unescape(rest, &mut bytes)?,
            c => bytes.extend(c.to_string().bytes()),
        }
    }
}

/// The name that [`shown_name`](crate::shown_name) has put in quotes.
#[must_use]
pub fn unquoted_name(text: &str) -> Option<String> {
    let (name, rest) = unquoted(text.strip_prefix('"')?)?;
    rest.is_empty().then_some(name)
}

/// The bytes of a name that [`shown_name`](crate::shown_name) or [`name_of_bytes`](crate::name_of_bytes) has put in quotes.
#[must_use]
pub fn unquoted_bytes(text: &str) -> Option<Vec<u8>> {
    let (name, rest) = unquoted_to_bytes(text.strip_prefix('"')?)?;
    rest.is_empty().then_some(name)
}

fn unescape<'a>(text: &'a str, bytes: &mut Vec<u8>) -> Option<&'a str> {
    let first = text.chars().next()?;
    if first.is_digit(8) {
        let digits = text.get(..3)?;
        bytes.push(u8::from_str_radix(digits, 8).ok()?);
        return text.get(3..);
    }
    bytes.push(match first {
        'n' => b'\n',
        't' => b'\t',
        'r' => b'\r',
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        '"' => b'"',
        '\\' => b'\\',
        _ => return None,
    });
    text.get(1..)
}

/// Longer than two names of files can be.
const MAX_GIT_NAMES_BYTES: usize = 16 * 1024;

/// The two names of a `diff --git` line, which are not set apart if they hold spaces: then
/// they have to be the same.
pub(crate) fn git_names(text: &str) -> Option<(String, String)> {
    let is_quoted = text.starts_with('"');
    let is_one = |(old, new): &(Cow<'_, str>, Cow<'_, str>)| {
        let is_below = || strip_prefix(old).is_some_and(|path| strip_prefix(new) == Some(path));
        // Without prefixes both are the same.
        is_quoted || old == new || is_below()
    };
    let mut pairs = git_pairs(text).filter(is_one);
    let (old, new) = pairs.next()?;
    pairs
        .next()
        .is_none()
        .then(|| (old.into_owned(), new.into_owned()))
}

/// The first of two names of an operation that is not that of its `diff --git` line, if the line has two names at all.
/// The prefixes of that line are not those of others where only one of them is set apart by a program.
pub(crate) fn git_line_mismatch<'a>(git: &str, old: &'a str, new: &'a str) -> Option<&'a str> {
    git_pairs(git).next()?;
    let is_old = |(left, _): &(Cow<'_, str>, Cow<'_, str>)| is_same_name(left, old);
    if git_pairs(git).any(|pair| is_old(&pair) && is_same_name(&pair.1, new)) {
        return None;
    }
    let is_old_known = git_pairs(git).any(|pair| is_old(&pair));
    Some(if is_old_known { new } else { old })
}

/// Whether a name of a `diff --git` line, with its prefix or without, is that of a file.
fn is_same_name(written: &str, name: &str) -> bool {
    let is_below = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('/'))
    };
    is_below(written, name) || is_below(name, written)
}

/// All ways in which a `diff --git` line can be two names; none where it is longer than they can be.
fn git_pairs(git: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let git = Some(git).filter(|git| git.len() <= MAX_GIT_NAMES_BYTES);
    let whole = |text: &'_ str| match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted).map(|(name, _)| name),
        None => Some(text.to_owned()),
    };
    let quoted = git.and_then(|git| {
        let (old, rest) = unquoted(git.strip_prefix('"')?)?;
        Some((Cow::Owned(old), Cow::Owned(whole(rest.strip_prefix(' ')?)?)))
    });
    let plain = git.filter(|git| !git.starts_with('"')).unwrap_or_default();
    let halves = plain.match_indices(' ').filter_map(move |(at, _)| {
        let (old, new) = (plain.get(..at)?, plain.get(at + 1..)?);
        let new = match new.starts_with('"') {
            true => Cow::Owned(whole(new)?),
            false => Cow::Borrowed(new),
        };
        Some((Cow::Borrowed(old), new))
    });
    quoted.into_iter().chain(halves)
}

fn strip_prefix(name: &str) -> Option<&str> {
    name.split_once('/').map(|(_, path)| path)
}

/// The file that two different names mean where it is known which files there are. Without an old one it cannot be a new name for it,
/// so it is the new one, as GNU `patch` and git have it; or both are names of it below directories that are not here.
pub(crate) fn one_of_two(old: &str, new: &str, is_file: &dyn Fn(&str) -> bool) -> Option<String> {
    if is_file(old) {
        return None;
    }
    if is_file(new) {
        return Some(new.to_owned());
    }
    let below = strip_prefix(old).filter(|below| strip_prefix(new) == Some(below));
    below.filter(|below| is_file(below)).map(str::to_owned)
}

/// The prefixes that git puts before the names of the two sides.
const PREFIXES: [(&str, &str); 6] = [
    ("a/", "b/"),
    ("b/", "a/"),
    ("i/", "w/"),
    ("c/", "i/"),
    ("c/", "w/"),
    ("o/", "w/"),
];

/// Takes the prefixes off the two names of a header, if both have theirs.
pub(crate) fn without_prefixes(old: &SideName, new: &SideName) -> (SideName, SideName) {
    let strip = |name: &SideName, prefix: &str| match name {
        SideName::Absent => Some(SideName::Absent),
        SideName::Path(path) => path
            .strip_prefix(prefix)
            .filter(|rest| !rest.is_empty())
            .map(|rest| SideName::Path(rest.to_owned())),
    };
    PREFIXES
        .iter()
        .find_map(|(before, after)| strip(old, before).zip(strip(new, after)))
        .unwrap_or_else(|| (old.clone(), new.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_names_are_decoded_from_octal_bytes() {
        assert_eq!(
            name(1, "\"a/b\\303\\244 \\\"x\\\"\"", "").unwrap(),
            "a/bä \"x\""
        );
        assert!(name(1, "\"a/\\303\"", "").is_err());
        assert!(name(1, "\"a", "").is_err());
    }

    #[test]
    fn a_time_behind_a_tab_is_no_part_of_the_name() {
        assert_eq!(
            name(1, "my file.c\t2024-01-01 00:00:00", "").unwrap(),
            "my file.c"
        );
    }

    #[test]
    fn prefixes_come_off_in_pairs_only() {
        let path = |text: &str| SideName::Path(text.to_owned());
        assert_eq!(
            without_prefixes(&path("a/x"), &path("b/x")),
            (path("x"), path("x"))
        );
        assert_eq!(
            without_prefixes(&path("a/x"), &path("a/x")),
            (path("a/x"), path("a/x"))
        );
        assert_eq!(
            without_prefixes(&SideName::Absent, &path("b/x")),
            (SideName::Absent, path("x"))
        );
    }

    #[test]
    fn names_with_blanks_are_reported_apart_by_being_equal() {
        assert_eq!(
            git_names("a/my file b/my file"),
            Some(("a/my file".to_owned(), "b/my file".to_owned()))
        );
    }
}
