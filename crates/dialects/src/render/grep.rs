//! Matching lines with their context.

use tenon_search::{FileMatches, Line, LineKind, Stopped};
use tenon_tools::{GrepMode, GrepOutput};

use super::{BoundedList, kept_back, nothing_matched, out_of_time, unread, with_notices};

/// How one line is told.
pub(crate) struct GrepStyle {
    /// Between path, number and text of a matching line, and of a line of context.
    pub(crate) separators: (&'static str, &'static str),
    /// What the model calls the parameter that raises the limit, if it has one.
    pub(crate) limit_name: Option<&'static str>,
    /// What it calls the parameter that goes on after time ran out, if it has one.
    pub(crate) cursor_name: Option<&'static str>,
    /// What the model calls the tool that reads files.
    pub(crate) read: &'static str,
}

impl GrepStyle {
    /// `path:number: text` for a match, `path-number- text` for context.
    pub(crate) const fn new(limit_name: Option<&'static str>, read: &'static str) -> Self {
        Self {
            separators: (":", "-"),
            limit_name,
            cursor_name: None,
            read,
        }
    }

    /// The same with a parameter that goes on after time ran out.
    pub(crate) const fn and_cursor(self, cursor_name: &'static str) -> Self {
        Self {
            cursor_name: Some(cursor_name),
            ..self
        }
    }
}

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
pub(crate) fn grep_text(output: &GrepOutput, style: &GrepStyle) -> String {
    let out_of_time = (output.stopped == Some(Stopped::Deadline))
        .then(|| out_of_time(output.cursor.as_deref(), style.cursor_name));
    if output.files.is_empty() {
        return match out_of_time {
            Some(notice) => with_notices("No matches found so far".to_owned(), &[notice]),
            None => nothing_matched(output),
        };
    }
    let mut cut_lines = false;
    let mut list = BoundedList::default();
    for file in &output.files {
        match output.mode {
            GrepMode::FilesWithMatches => list.push(|text| text.push_str(&file.path)),
            GrepMode::Count => list.push(|text| {
                text.push_str(&format!("{}:{}", file.path, file.matches));
            }),
            GrepMode::Content => {
                for line in file.lines() {
                    cut_lines |= line.omitted_before + line.omitted_after > 0;
                    if line.follows_gap && !list.is_empty() {
                        list.push(|text| text.push_str("--"));
                    }
                    list.push(|text| tell(text, &file.path, &line, output.line_numbers, style));
                }
                if let Some(offset) = file.binary_offset {
                    list.push(|text| {
                        text.push_str(&format!(
                            "{}: binary file matches (NUL byte at {offset})",
                            file.path
                        ));
                    });
                }
            }
        }
    }
    let (text, cut) = list.finish();
    let mut notices: Vec<String> = limit_notice(output, style)
        .into_iter()
        .chain(out_of_time)
        .chain(cut)
        .collect();
    notices.extend(unread(&output.facts));
    notices.extend(kept_back(output.kept_back.as_ref(), "searched"));
    if output.fell_back {
        notices.push(format!(
            "`{}` is no regular expression and was looked for as it stands",
            output.pattern
        ));
    }
    if cut_lines {
        notices.push(format!(
            "Some lines truncated to 500 chars. Use {} tool to see full lines",
            style.read
        ));
    }
    with_notices(text, &notices)
}

/// Adds one line to the text.
fn tell(text: &mut String, path: &str, line: &Line<'_>, numbers: bool, style: &GrepStyle) {
    let separator = if line.kind == LineKind::Match {
        style.separators.0
    } else {
        style.separators.1
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

/// That there is more, how much of it where that is known, and the call that shows it.
fn limit_notice(output: &GrepOutput, style: &GrepStyle) -> Option<String> {
    let limit = output
        .limit
        .filter(|_| output.stopped == Some(Stopped::Limit))?;
    let unit = if output.mode == GrepMode::Content {
        "matches"
    } else {
        "files"
    };
    let total = match output.mode {
        GrepMode::Content => output.totals.matches,
        GrepMode::FilesWithMatches | GrepMode::Count => output.totals.files,
    };
    let (name, next) = (style.limit_name, output.offset + limit);
    let lead = match (output.totals.exact, output.offset) {
        (false, _) => format!("{limit} {unit} limit reached"),
        (true, 0) => format!("{limit} of {total} {unit} shown"),
        (true, skipped) => format!("{unit} {}-{next} of {total} shown", skipped + 1),
    };
    let more = match name {
        None => "Refine the pattern or the place".to_owned(),
        Some(_) if output.offset > 0 => {
            format!("Use offset={next} for the next, or refine pattern")
        }
        Some(name) => {
            let double = limit.saturating_mul(2);
            format!("Use {name}={double} for more, or refine pattern")
        }
    };
    Some(format!("{lead}. {more}"))
}
