//! Matching lines with their context.

use tenon_contract::Operation;
use tenon_search::{FileMatches, Line, LineKind, Stopped};
use tenon_tools::{GrepMode, GrepOutput, shown_name};

use super::explain::narrower;
use super::{
    BoundedList, first_shown, kept_back, nothing_matched, out_of_time, unread, with_notices,
};
use crate::words::Words;

/// Between path, number and text of a matching line, and of a line of context.
const SEPARATORS: (&str, &str) = (":", "-");

/// One matching line and its file.
pub(crate) struct MatchedLine<'a> {
    /// The file, relative to the workspace.
    pub(crate) path: &'a str,
    pub(crate) line: Line<'a>,
}

/// The matching lines by path and line, without their context.
pub(crate) fn matched_lines(files: &[FileMatches]) -> impl Iterator<Item = MatchedLine<'_>> {
    files.iter().flat_map(|file| {
        let lines = file.lines().filter(|line| line.kind == LineKind::Match);
        lines.map(|line| MatchedLine {
            path: &file.path,
            line,
        })
    })
}

/// The text of a search in any mode.
pub(crate) fn grep_text(output: &GrepOutput, words: &Words<'_>) -> String {
    let out_of_time = (output.stopped == Some(Stopped::Deadline))
        .then(|| out_of_time(output.cursor.as_deref(), words));
    if output.files.is_empty() {
        return match out_of_time {
            Some(notice) => with_notices("No matches found so far".to_owned(), &[notice]),
            None => nothing_matched(output, words),
        };
    }
    let (mut cut_lines, mut shown) = (false, 0);
    let mut list = BoundedList::default();
    for file in &output.files {
        let path = shown_name(&file.path);
        match output.mode {
            GrepMode::FilesWithMatches => {
                shown += usize::from(list.push(|text| text.push_str(&path)));
            }
            GrepMode::Count => {
                let line = format!("{path}:{}", file.matches);
                shown += usize::from(list.push(|text| text.push_str(&line)));
            }
            GrepMode::Content => {
                for line in file.lines() {
                    cut_lines |= line.omitted_before + line.omitted_after > 0;
                    if line.follows_gap && !list.is_empty() {
                        list.push(|text| text.push_str("--"));
                    }
                    let is_written =
                        list.push(|text| render(text, &path, &line, output.line_numbers));
                    shown += usize::from(is_written && line.kind == LineKind::Match);
                }
                if let Some(offset) = file.binary_offset {
                    list.push(|text| {
                        text.push_str(&format!(
                            "{path}: binary file matches (NUL byte at {offset})"
                        ));
                    });
                }
            }
        }
    }
    let (text, cut) = list.finish();
    let limit = match cut {
        Some(cut) => Some(cut_notice(&cut, output.offset + shown, words)),
        None => limit_notice(output, words),
    };
    let mut notices: Vec<String> = limit.into_iter().chain(out_of_time).collect();
    notices.extend(unread(&output.facts));
    notices.extend(kept_back(output.kept_back.as_ref(), "searched"));
    notices.extend(fell_back(output));
    if cut_lines {
        let see = words
            .tool(Operation::Read)
            .map_or_else(String::new, |read| {
                format!(". Use {read} tool to see full lines")
            });
        notices.push(format!("Some lines truncated to 500 chars{see}"));
    }
    with_notices(text, &notices)
}

/// That the pattern was no regular expression and what was done with it.
pub(super) fn fell_back(output: &GrepOutput) -> Option<String> {
    output.fell_back.then(|| {
        format!(
            "`{}` is not a valid regular expression and was searched as plain text",
            output.pattern
        )
    })
}

/// Adds one line to the text.
fn render(text: &mut String, path: &str, line: &Line<'_>, numbers: bool) {
    let separator = if line.kind == LineKind::Match {
        SEPARATORS.0
    } else {
        SEPARATORS.1
    };
    text.push_str(path);
    text.push_str(separator);
    if numbers {
        text.push_str(&format!("{}{separator}", line.number));
    }
    if separator.len() == 1 {
        text.push(' ');
    }
    if line.omitted_before > 0 {
        text.push('…');
    }
    text.push_str(line.text);
    if line.omitted_after > 0 {
        text.push_str("... [truncated]");
    }
}

/// That the limit of bytes came before any other, and the call that shows what is behind it. `next` is how many are shown up to there.
fn cut_notice(cut: &str, next: usize, words: &Words<'_>) -> String {
    match words.parameter("offset") {
        Some(offset) => format!("{cut}, or use {offset}={next} for the next"),
        None => cut.to_owned(),
    }
}

/// That there is more, how much of it where that is known, and the call that shows it.
fn limit_notice(output: &GrepOutput, words: &Words<'_>) -> Option<String> {
    let limit = output
        .limit
        .filter(|_| output.stopped == Some(Stopped::Limit))?;
    let total = match output.mode {
        GrepMode::Content => output.totals.matches,
        GrepMode::FilesWithMatches | GrepMode::Count => output.totals.files,
    };
    let next = output.offset + limit;
    // Of a number of all of them that is known the noun is about that one.
    let counted = if output.totals.exact && output.offset == 0 {
        total
    } else {
        limit as u64
    };
    let unit = match (output.mode, counted) {
        (GrepMode::Content, 1) => "match",
        (GrepMode::Content, _) => "matches",
        (_, 1) => "file",
        (_, _) => "files",
    };
    let lead = match (output.totals.exact, output.offset) {
        (false, _) => first_shown(limit, unit, unit),
        (true, 0) => format!("{limit} of {total} {unit} shown"),
        (true, skipped) => format!("{unit} {}-{next} of {total} shown", skipped + 1),
    };
    let pattern = words.parameter("pattern").unwrap_or("pattern");
    let more = match (words.parameter("offset"), words.parameter("limit")) {
        (Some(offset), _) if output.offset > 0 => {
            format!("Use {offset}={next} for the next, or narrow {pattern}")
        }
        (_, Some(name)) => {
            let double = limit.saturating_mul(2);
            format!("Use {name}={double} for more, or narrow {pattern}")
        }
        (_, None) => narrower(words),
    };
    Some(format!("{lead}. {more}"))
}
