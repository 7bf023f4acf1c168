//! Cutting text to a number of lines and bytes, with the facts that a notice needs.
//!
//! The rules and the field names are pi's, which other agents took over: two limits, whichever is
//! reached first; never a part of a line, but for the tail of a last line that alone is too long;
//! a newline at the end opens no line of its own; no character is ever split.

use schemars::JsonSchema;
use serde::Serialize;

/// The limit that was reached first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TruncatedBy {
    /// The number of lines.
    Lines,
    /// The number of bytes.
    Bytes,
}

/// A text cut to its limits, and what was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TruncationResult {
    /// The text that is left.
    pub content: String,
    /// Whether anything was left out.
    pub truncated: bool,
    /// The limit that was reached first; null when nothing was left out.
    pub truncated_by: Option<TruncatedBy>,
    /// Lines of the whole text.
    pub total_lines: u64,
    /// Bytes of the whole text in UTF-8.
    pub total_bytes: u64,
    /// Lines of `content`.
    pub output_lines: u64,
    /// Bytes of `content` in UTF-8.
    pub output_bytes: u64,
    /// Whether `content` is only the end of the last line (tail only).
    pub last_line_partial: bool,
    /// Whether the first line alone is over the limit, so that `content` is empty (head only).
    pub first_line_exceeds_limit: bool,
    /// The limit of lines that was applied.
    pub max_lines: u64,
    /// The limit of bytes that was applied.
    pub max_bytes: u64,
}

/// Keeps the first lines of `content`: for files, where the start matters.
#[must_use]
pub fn truncate_head(content: &str, max_lines: usize, max_bytes: usize) -> TruncationResult {
    let mut result = TruncationResult::whole(content, max_lines, max_bytes);
    if !result.truncated {
        return result;
    }
    let lines = || lines_of(content);
    if lines().next().is_some_and(|first| first.len() > max_bytes) {
        result.first_line_exceeds_limit = true;
        result.keep("", 0, TruncatedBy::Bytes);
        return result;
    }
    let mut kept = 0;
    let mut end = 0;
    let mut by = TruncatedBy::Lines;
    for line in lines().take(max_lines) {
        let after = end + line.len() + usize::from(kept > 0);
        if after > max_bytes {
            by = TruncatedBy::Bytes;
            break;
        }
        end = after;
        kept += 1;
    }
    result.keep(content.get(..end).unwrap_or_default(), kept, by);
    result
}

/// Keeps the last lines of `content`: for the output of commands, where the end matters. A last
/// line that alone is too long is cut at its front.
#[must_use]
pub fn truncate_tail(content: &str, max_lines: usize, max_bytes: usize) -> TruncationResult {
    let mut result = TruncationResult::whole(content, max_lines, max_bytes);
    if !result.truncated {
        return result;
    }
    let body = content.strip_suffix('\n').unwrap_or(content);
    let mut kept = 0;
    let mut start = body.len();
    let mut by = TruncatedBy::Lines;
    for line in body.rsplit('\n').take(max_lines) {
        let before = start.checked_sub(line.len() + usize::from(kept > 0));
        match before {
            Some(before) if body.len() - before <= max_bytes => start = before,
            _ => {
                by = TruncatedBy::Bytes;
                if kept == 0 {
                    start = body.len() - ceiling_tail(line, max_bytes).len();
                    kept = 1;
                    result.last_line_partial = true;
                }
                break;
            }
        }
        kept += 1;
    }
    if kept >= max_lines {
        by = TruncatedBy::Lines;
    }
    result.keep(body.get(start..).unwrap_or_default(), kept, by);
    result
}

/// The longest start of `text` of at most `bytes` bytes that splits no character.
#[must_use]
pub fn floor_character(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// The longest end of `text` of at most `bytes` bytes that splits no character.
fn ceiling_tail(text: &str, bytes: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    text.get(start..).unwrap_or_default()
}

/// Lines without their newline; a newline at the end opens no line.
fn lines_of(content: &str) -> impl Iterator<Item = &str> {
    let body = content.strip_suffix('\n').unwrap_or(content);
    let wanted = if content.is_empty() { 0 } else { usize::MAX };
    body.split('\n').take(wanted)
}

/// Widens a count.
pub(crate) fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl TruncationResult {
    /// The facts of the whole text; `truncated` says whether it is over a limit.
    fn whole(content: &str, max_lines: usize, max_bytes: usize) -> Self {
        let newlines = memchr::memchr_iter(b'\n', content.as_bytes()).count();
        let open_line = !content.is_empty() && !content.ends_with('\n');
        let total_lines = newlines + usize::from(open_line);
        let truncated = total_lines > max_lines || content.len() > max_bytes;
        let kept = if truncated { "" } else { content };
        Self {
            content: kept.to_owned(),
            truncated,
            truncated_by: None,
            total_lines: wide(total_lines),
            total_bytes: wide(content.len()),
            output_lines: wide(total_lines),
            output_bytes: wide(content.len()),
            last_line_partial: false,
            first_line_exceeds_limit: false,
            max_lines: wide(max_lines),
            max_bytes: wide(max_bytes),
        }
    }

    fn keep(&mut self, content: &str, lines: usize, by: TruncatedBy) {
        self.content = content.to_owned();
        self.output_lines = wide(lines);
        self.output_bytes = wide(content.len());
        self.truncated_by = Some(by);
    }
}

#[cfg(test)]
#[path = "truncate_tests.rs"]
mod tests;
