//! The unified format, as GNU `diff -u` and `git diff` print it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::{Change, TextDiff, cut, lines_back, lines_forward};

const NO_NEWLINE: &str = "\\ No newline at end of file\n";

impl TextDiff<'_> {
    /// The diff in unified format with `context` lines around each change; empty if the
    /// texts are equal.
    ///
    /// `before_name` and `after_name` are printed behind `---` and `+++`; give `/dev/null`
    /// for a file that does not exist on that side, and pass names through [`patch_path`] if
    /// they may hold spaces, quotes or control characters. A line keeps its carriage return.
    /// Bytes that are not UTF-8 are shown as U+FFFD.
    #[must_use]
    pub fn unified(&self, before_name: &str, after_name: &str, context: usize) -> String {
        self.unified_within(before_name, after_name, context, usize::MAX)
    }

    /// The same in about as many bytes as are given: the hunk that goes beyond is cut behind a line, and a line
    /// in square brackets shows how much is left out.
    #[must_use]
    pub fn unified_within(
        &self,
        before_name: &str,
        after_name: &str,
        context: usize,
        max_bytes: usize,
    ) -> String {
        let mut output = String::new();
        if self.changes.is_empty() {
            return output;
        }
        let _infallible = write!(output, "--- {before_name}\n+++ {after_name}\n");
        self.print_hunks(&mut output, context, max_bytes);
        output
    }

    /// The hunks of [`TextDiff::unified`] without the two header lines.
    #[must_use]
    pub fn hunks(&self, context: usize) -> String {
        let mut output = String::new();
        self.print_hunks(&mut output, context, usize::MAX);
        output
    }

    fn print_hunks(&self, output: &mut String, context: usize, max_bytes: usize) {
        let mut rest = self.changes.as_slice();
        while !rest.is_empty() {
            let (hunk, after) = rest.split_at(hunk_length(rest, context));
            self.print_hunk(output, hunk, context, max_bytes);
            rest = after;
            if output.len() > max_bytes {
                let note = self.left_out();
                output.push_str(&note);
                return;
            }
        }
    }

    /// The line behind a diff that is cut.
    pub(super) fn left_out(&self) -> String {
        let (added, removed) = (self.additions(), self.deletions());
        format!(
            "[The rest of the diff is omitted. In total {added} lines are added and {removed} are removed.]\n"
        )
    }

    fn print_hunk(
        &self,
        output: &mut String,
        changes: &[Change],
        context: usize,
        max_bytes: usize,
    ) {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            return;
        };
        let lead = lines_back(self.before, first.before_bytes.start, context);
        let trail = lines_forward(self.before, last.before_bytes.end, context);
        let lead_lines = super::count_lines(cut(self.before, lead..first.before_bytes.start));
        let trail_lines = super::count_lines(cut(self.before, last.before_bytes.end..trail));
        let before = first.before_lines.start - lead_lines..last.before_lines.end + trail_lines;
        let after = first.after_lines.start - lead_lines..last.after_lines.end + trail_lines;
        let _infallible = writeln!(output, "@@ -{} +{} @@", span(&before), span(&after));

        let mut position = lead;
        for change in changes {
            let parts = [
                (' ', self.before, position..change.before_bytes.start),
                ('-', self.before, change.before_bytes.clone()),
                ('+', self.after, change.after_bytes.clone()),
            ];
            for (sign, text, range) in parts {
                self.print_lines(output, sign, (text, range), max_bytes);
            }
            position = change.before_bytes.end;
        }
        self.print_lines(output, ' ', (self.before, position..trail), max_bytes);
    }

    /// The lines of a range of a text.
    fn print_lines(
        &self,
        output: &mut String,
        sign: char,
        (text, range): (&[u8], Range<usize>),
        max_bytes: usize,
    ) {
        let mut mark = if self.is_marked && range.start == 0 {
            "\u{feff}"
        } else {
            ""
        };
        for line in cut(text, range).split_inclusive(|&byte| byte == b'\n') {
            if output.len() > max_bytes {
                return;
            }
            output.push(sign);
            output.push_str(std::mem::take(&mut mark));
            output.push_str(&shown(line, max_bytes));
            if line.len() > max_bytes {
                output.push('\n');
            } else if line.last() != Some(&b'\n') {
                output.push('\n');
                output.push_str(NO_NEWLINE);
            }
        }
    }
}

/// How many of the next changes are so close that they share one hunk.
fn hunk_length(changes: &[Change], context: usize) -> usize {
    let near = changes
        .iter()
        .zip(changes.iter().skip(1))
        .take_while(|(left, right)| {
            right.before_lines.start - left.before_lines.end <= context.saturating_mul(2)
        })
        .count();
    near + 1
}

/// `start,count` of a hunk header: the count is left out if it is 1, and an empty range is
/// named by the line before it.
fn span(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// A line, or the beginning of one that is longer than all of the diff may be.
pub(super) fn shown(line: &[u8], max_bytes: usize) -> Cow<'_, str> {
    String::from_utf8_lossy(cut(line, 0..line.len().min(max_bytes)))
}

/// A path as it stands in a `---` or `+++` line.
///
/// Names with control characters, `"` or `\` are put in quotes with C escapes, as git does;
/// a name with a blank gets a tab behind it, which shows where it ends.
#[must_use]
pub fn patch_path(path: &str) -> String {
    let plain = path
        .chars()
        .all(|c| !c.is_ascii_control() && c != '"' && c != '\\');
    if plain {
        let tab = if path.contains(' ') { "\t" } else { "" };
        return format!("{path}{tab}");
    }
    in_quotes(path)
}

/// A name as lists show it: in quotes with C escapes, as git does, where it would look like several lines, reach the
/// terminal or be read in another order. [`unquoted_name`](crate::unquoted_name) reads it.
#[must_use]
pub fn shown_name(name: &str) -> Cow<'_, str> {
    if name.chars().any(is_escaped) {
        in_quotes(name).into()
    } else {
        name.into()
    }
}

/// A name of these bytes as a text: as it is where it is Unicode, else in quotes by its bytes, so that no two names are the same
/// text. [`unquoted_bytes`](crate::unquoted_bytes) reads it.
#[must_use]
pub fn name_of_bytes(bytes: &[u8]) -> String {
    if let Ok(name) = std::str::from_utf8(bytes) {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        escape(chunk.valid(), &mut quoted);
        chunk
            .invalid()
            .iter()
            .for_each(|byte| escape_byte(*byte, &mut quoted));
    }
    quoted.push('"');
    quoted
}

/// The path that [`name_of_bytes`] has written so.
#[must_use]
pub fn path_of_name(name: &str) -> std::path::PathBuf {
    #[cfg(unix)]
    if let Some(bytes) = crate::unquoted_bytes(name)
        && std::str::from_utf8(&bytes).is_err()
        && name_of_bytes(&bytes) == name
    {
        use std::os::unix::ffi::OsStringExt;
        return std::ffi::OsString::from_vec(bytes).into();
    }
    name.into()
}

/// Control characters, and those of Unicode that end a line or change the direction of text.
fn is_escaped(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

fn in_quotes(name: &str) -> String {
    let mut quoted = String::from("\"");
    escape(name, &mut quoted);
    quoted.push('"');
    quoted
}

fn escape(name: &str, quoted: &mut String) {
    for c in name.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if is_escaped(c) => c
                .to_string()
                .bytes()
                .for_each(|byte| escape_byte(byte, quoted)),
            c => quoted.push(c),
        }
    }
}

fn escape_byte(byte: u8, quoted: &mut String) {
    let _infallible = write!(quoted, "\\{byte:03o}");
}
