//! The `*** Begin Patch` envelope.
//!
//! Grammar: `*** Add File: p` and `+` lines; `*** Delete File: p`; `*** Update File: p`, an
//! optional `*** Move to: q`, and chunks of ` `, `-` and `+` lines, each behind `@@` lines (which
//! the first chunk may lack), an optional `*** End of File` behind each.

use crate::patch::header::{heading, is_combined, signed};
use crate::patch::input::{
    ADD, BEGIN, DELETE, Input, PatchLine, UPDATE, first_line, is_file_marker,
};
use crate::patch::unified::combined;
use crate::patch::{FileOperation, FilePatch, Hunk, HunkLine, PatchError, Side};

/// Where Codex runs the commands of a patch; there is one place here.
const ENVIRONMENT: &str = "*** Environment ID:";
const END: &str = "*** End Patch";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Whether the text is an envelope; one whose first line was forgotten counts. A unified diff may have lines of an envelope in
/// the files that it is about: what begins first is what the text is.
pub(crate) fn is_envelope(input: &Input<'_>) -> bool {
    let first = first_line(input).and_then(|first| input.lines.get(first));
    first.is_some_and(|line| line.text.starts_with("***"))
}

/// Reads all files of the envelope.
pub(crate) fn parse(input: &Input<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let mut parser = Parser {
        lines: body(input)?,
        at: 0,
    };
    let mut files = Vec::new();
    while let Some(line) = parser.next() {
        // No hunk is open here, in which a blank would be a sign.
        let text = line.text.trim_start();
        if text.is_empty() || text.starts_with(ENVIRONMENT) {
            continue;
        }
        if let Some(path) = marked(text, ADD) {
            files.push(parser.added(line, path)?);
        } else if let Some(path) = marked(text, DELETE) {
            let operation = FileOperation::Delete {
                path: named(line, path)?,
                any_content: true,
            };
            files.push(FilePatch {
                operation,
                old_mode: None,
                new_mode: None,
                hunks: Vec::new(),
            });
        } else if let Some(path) = marked(text, UPDATE) {
            files.push(parser.updated(line, path)?);
        } else {
            let expected = "a `*** Add File:`, `*** Delete File:` or `*** Update File:` line has to stand here";
            return Err(malformed(line, expected));
        }
    }
    Ok(files)
}

/// The lines between the first and the last marker. Several envelopes in a row are read as one.
fn body<'i, 'a>(input: &'i Input<'a>) -> Result<Vec<&'i PatchLine<'a>>, PatchError> {
    let begins = |line: &PatchLine<'_>| line.text.trim_end() == BEGIN;
    let heads = |line: &PatchLine<'_>| is_file_marker(line.text);
    let first = match input.lines.iter().position(begins) {
        Some(begin) => begin + 1,
        None => input.lines.iter().position(heads).unwrap_or(0),
    };
    let ends = |line: &PatchLine<'_>| line.text.trim_end() == END;
    // As the last line it is no line of a hunk either, whatever blanks stand before it.
    let mut lines = input.lines.iter();
    let last = lines.rposition(|line| !line.text.trim().is_empty());
    let is_end = |at: &usize| { input.lines.get(*at) }.is_some_and(|line| line.text.trim() == END);
    let last = last
        .filter(is_end)
        .or_else(|| input.lines.iter().rposition(ends))
        .filter(|last| *last >= first)
        .ok_or(PatchError::Incomplete)?;
    let mut behind = input.lines.iter().skip(last);
    if let Some(lost) = behind.find(|line| is_file_marker(line.text)) {
        let expected = "it stands behind `*** End Patch`; put that line at the end";
        return Err(malformed(lost, expected));
    }
    let inside = input.lines.get(first..last).unwrap_or_default();
    let mut lines = Vec::with_capacity(inside.len());
    let mut is_between = false;
    for line in inside {
        if line.text.trim_end() == END {
            is_between = true;
        } else if line.text.trim_end() == BEGIN {
            is_between = false;
        } else if !is_between {
            lines.push(line);
        }
    }
    Ok(lines)
}

fn marked<'a>(text: &'a str, marker: &str) -> Option<&'a str> {
    text.strip_prefix(marker).map(str::trim)
}

fn named(line: &PatchLine<'_>, path: &str) -> Result<String, PatchError> {
    if path.is_empty() {
        return Err(malformed(line, "a path has to follow the colon"));
    }
    Ok(path.to_owned())
}

/// A name without `.` parts and doubled `/`: two spellings of one name are no move.
fn plain_name(name: &str) -> Vec<&str> {
    let is_root = name.starts_with('/');
    let parts = name.split('/').filter(|part| !matches!(*part, "" | "."));
    is_root.then_some("/").into_iter().chain(parts).collect()
}

fn malformed(line: &PatchLine<'_>, expected: &'static str) -> PatchError {
    PatchError::Malformed {
        line: line.number,
        text: line.text.to_owned(),
        expected,
    }
}

struct Parser<'i, 'a> {
    lines: Vec<&'i PatchLine<'a>>,
    at: usize,
}

impl<'i, 'a> Parser<'i, 'a> {
    fn peek(&self) -> Option<&'i PatchLine<'a>> {
        self.lines.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'i PatchLine<'a>> {
        let line = self.peek()?;
        self.at += 1;
        Some(line)
    }

    fn added(&mut self, head: &PatchLine<'_>, path: &str) -> Result<FilePatch, PatchError> {
        let mut lines = Vec::new();
        while let Some(line) = self.peek() {
            if is_file_marker(line.text) {
                break;
            }
            self.at += 1;
            if let Some(text) = line.text.strip_prefix('+') {
                lines.push(hunk_line(Side::Added, text, line));
            } else if is_no_newline(line.text) {
                unend(&mut lines);
            } else if line.text.trim().is_empty() {
                lines.push(hunk_line(Side::Added, "", line));
            } else if line.text.trim_end() != END_OF_FILE {
                return Err(malformed(line, "every line of a new file begins with `+`"));
            }
        }
        drop_bare_end(&mut lines, &self.lines, self.at);
        let hunk = Hunk {
            lines,
            patch_line: head.number,
            ..Hunk::default()
        };
        let hunks = if hunk.lines.is_empty() {
            Vec::new()
        } else {
            vec![hunk]
        };
        let operation = FileOperation::Create {
            path: named(head, path)?,
        };
        Ok(FilePatch {
            operation,
            old_mode: None,
            new_mode: None,
            hunks,
        })
    }

    fn updated(&mut self, head: &PatchLine<'_>, path: &str) -> Result<FilePatch, PatchError> {
        let from = named(head, path)?;
        let mut operation = FileOperation::Update { path: from.clone() };
        while let Some(line) = self.peek() {
            if let Some(to) = marked(line.text, MOVE) {
                self.at += 1;
                let to = named(line, to)?;
                if plain_name(&to) != plain_name(&from) {
                    operation = FileOperation::Move {
                        from: from.clone(),
                        to,
                    };
                }
            } else if line.text.trim().is_empty() && self.hunk_follows_blank() {
                self.at += 1;
            } else if self.names_again(&from) {
                self.at += 2;
            } else {
                break;
            }
        }
        let mut hunks = Vec::new();
        while self.peek().is_some_and(|line| !is_file_marker(line.text)) {
            let hunk = self.hunk()?;
            if hunk.lines.is_empty() && hunk.anchors.is_empty() {
                continue;
            }
            hunks.push(hunk);
        }
        if hunks.is_empty() && matches!(operation, FileOperation::Update { .. }) {
            return Err(PatchError::NoHunks {
                path: from,
                line: head.number,
            });
        }
        Ok(FilePatch {
            operation,
            old_mode: None,
            new_mode: None,
            hunks,
        })
    }

    /// Whether the name lines of a unified diff stand here, with the name above them and a hunk below.
    fn names_again(&self, name: &str) -> bool {
        let lines = self.lines.get(self.at..).unwrap_or_default();
        let [old, new, head, ..] = lines else {
            return false;
        };
        let is_name = |line: &PatchLine<'_>, sign: &str, prefix: &str| {
            let text = line.text.strip_prefix(sign).map(str::trim_end);
            text.is_some_and(|text| text == name || text.strip_prefix(prefix) == Some(name))
        };
        is_name(old, "--- ", "a/") && is_name(new, "+++ ", "b/") && head.text.starts_with("@@")
    }

    /// Empty lines between a header and the first `@@` belong to no hunk.
    fn hunk_follows_blank(&self) -> bool {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let next = rest.iter().find(|line| !line.text.trim().is_empty());
        next.is_none_or(|line| line.text.starts_with("@@") || line.text.starts_with("***"))
    }

    fn hunk(&mut self) -> Result<Hunk, PatchError> {
        let number = self.peek().map_or(0, |line| line.number);
        let mut hunk = Hunk {
            patch_line: number,
            ..Hunk::default()
        };
        while let Some(line) = self.peek().filter(|line| line.text.starts_with("@@")) {
            if is_combined(line.text) {
                return Err(combined(line));
            }
            self.at += 1;
            let heading = heading(line.text);
            hunk.position = heading.position.or(hunk.position);
            heading.name(&mut hunk);
        }
        while let Some(line) = self.peek() {
            if is_file_marker(line.text) || line.text.starts_with("@@") {
                break;
            }
            self.at += 1;
            if line.text.trim_end() == END_OF_FILE {
                hunk.end_of_file = true;
                break;
            }
            if is_no_newline(line.text) {
                unend(&mut hunk.lines);
            } else if line.text.is_empty() {
                hunk.lines.push(hunk_line(Side::Context, "", line));
            } else if let Some((side, text)) = signed(line.text) {
                hunk.lines.push(hunk_line(side, text, line));
            } else {
                let expected = match line.text.starts_with(MOVE) {
                    true => "it has to stand right below its `*** Update File:` line",
                    false => "a line of a hunk begins with a blank, `-` or `+`",
                };
                return Err(malformed(line, expected));
            }
        }
        drop_bare_end(&mut hunk.lines, &self.lines, self.at);
        Ok(hunk)
    }
}

pub(crate) fn hunk_line(side: Side, text: &str, line: &PatchLine<'_>) -> HunkLine {
    HunkLine {
        side,
        text: text.to_owned(),
        carriage: line.carriage,
        ended: true,
    }
}

pub(crate) fn is_no_newline(text: &str) -> bool {
    text.starts_with("\\ ")
}

/// `\ No newline at end of file` is about the line above it. A carriage return there ends no line:
/// it belongs to its text.
pub(crate) fn unend(lines: &mut [HunkLine]) {
    if let Some(last) = lines.last_mut().filter(|last| last.ended) {
        last.ended = false;
        if std::mem::take(&mut last.carriage) {
            last.text.push('\r');
        }
    }
}

/// Bare empty lines at the end of a hunk set it apart from what follows.
fn drop_bare_end(lines: &mut Vec<HunkLine>, all: &[&PatchLine<'_>], at: usize) {
    let mut at = at;
    while let Some(line) = at.checked_sub(1).and_then(|before| all.get(before)) {
        if !line.text.trim().is_empty() || line.text.starts_with(' ') || lines.is_empty() {
            break;
        }
        lines.pop();
        at -= 1;
    }
}
