//! What the two formats have in common: signs and `@@` lines.

use crate::patch::{Hunk, Position, Side};

/// The side of a line and its text, by its sign; `None` if it has no sign.
pub(crate) fn signed(line: &str) -> Option<(Side, &str)> {
    if let Some(text) = line.strip_prefix('+') {
        return Some((Side::Added, text));
    }
    if let Some(text) = line.strip_prefix('-') {
        return Some((Side::Removed, text));
    }
    line.strip_prefix(' ').map(|text| (Side::Context, text))
}

/// What a line that begins with `@@` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heading<'a> {
    pub(crate) position: Option<Position>,
    /// The text behind the numbers, or behind the first `@@` if there are none.
    pub(crate) text: &'a str,
}

impl Heading<'_> {
    /// Gives the hunk the text: as an anchor where it stands for itself, and as the section behind numbers, which come first.
    pub(crate) fn name(&self, hunk: &mut Hunk) {
        if self.text.is_empty() {
            return;
        }
        if self.position.is_some() {
            hunk.section = Some(self.text.to_owned());
        } else {
            hunk.anchors.push(self.text.to_owned());
        }
    }
}

/// Whether a line begins a hunk of a combined diff: `@@@ -1,2 -1,2 +1,3 @@@`.
pub(crate) fn is_combined(line: &str) -> bool {
    let rest = line.trim_start_matches('@');
    line.len() - rest.len() > 2 && rest.trim_start().starts_with('-')
}

/// Reads a line that begins with `@@`. Numbers that cannot be read are no numbers.
pub(crate) fn heading(line: &str) -> Heading<'_> {
    let rest = line.strip_prefix("@@").unwrap_or(line);
    if let Some((numbers, text)) = rest.split_once("@@") {
        if let Some(position) = position(numbers.trim()) {
            return Heading {
                position: Some(position),
                text: text.trim(),
            };
        }
        if !text.trim().is_empty() && (meaningful(numbers).is_empty() || is_placeholder(numbers)) {
            return Heading {
                position: None,
                text: meaningful(text),
            };
        }
        if text.trim().is_empty() {
            return Heading {
                position: None,
                text: meaningful(numbers),
            };
        }
    }
    if let Some(position) = position(rest.trim()) {
        return Heading {
            position: Some(position),
            text: "",
        };
    }
    Heading {
        position: None,
        text: meaningful(rest),
    }
}

/// Whether something stands where numbers belong, such as `-X,X +X,X`.
fn is_placeholder(numbers: &str) -> bool {
    let mut parts = numbers.split_whitespace();
    let is_sided = |part: Option<&str>, sign| part.is_some_and(|part| part.starts_with(sign));
    is_sided(parts.next(), '-') && is_sided(parts.next(), '+') && parts.next().is_none()
}

/// The text without whitespace around it; `@@ ... @@` says nothing.
fn meaningful(text: &str) -> &str {
    let text = text.trim();
    if text.chars().all(|c| matches!(c, '.' | '…' | ' ' | '@')) {
        ""
    } else {
        text
    }
}

fn position(numbers: &str) -> Option<Position> {
    let (old, new) = numbers.split_once(' ')?;
    let (old_start, old_count) = range(old.strip_prefix('-')?)?;
    let (new_start, new_count) = range(new.trim().strip_prefix('+')?)?;
    Some(Position {
        old_start,
        old_count,
        new_start,
        new_count,
    })
}

fn range(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_headings_are_reported_apart() {
        let numbers = heading("@@ -3,4 +5 @@ fn main() {");
        assert_eq!(
            numbers.position,
            Some(Position {
                old_start: 3,
                old_count: 4,
                new_start: 5,
                new_count: 1
            })
        );
        assert_eq!(numbers.text, "fn main() {");
        assert_eq!(heading("@@ class A:").text, "class A:");
        assert_eq!(heading("@@ ... @@").text, "");
        assert_eq!(heading("@@ fn f() @@").text, "fn f()");
        for unnumbered in ["@@ ... @@ fn f()", "@@ -X,X +X,X @@ fn f()"] {
            let (position, text) = (None, "fn f()");
            assert_eq!(heading(unnumbered), Heading { position, text });
        }
        assert_eq!(
            heading("@@"),
            Heading {
                position: None,
                text: ""
            }
        );
    }
}
