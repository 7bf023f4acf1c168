//! Pages of text.

use tenon_contract::limits;
use tenon_tools::{PageOutput, ReadEncoding, WholeOutput, file_word};
use tenon_workspace::{Certainty, TextEncoding, TruncatedBy, truncate_head};

use super::{size, with_notices};

/// How a vocabulary reaches what a page leaves out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadStyle {
    /// What the model calls the parameter for the line to begin at, if the tool has one.
    pub(crate) offset: Option<&'static str>,
    /// What the model calls the tool that runs commands.
    pub(crate) command: &'static str,
}

impl ReadStyle {
    /// The call that gets the lines from `first` on.
    fn read_on(&self, path: &str, first: u64) -> String {
        match self.offset {
            Some(name) => format!("Use {name}={first} to continue."),
            None => {
                let last = first.saturating_add(limits::TEXT_MAX_LINES as u64 - 1);
                format!(
                    "Use {}: sed -n '{first},{last}p' {} to continue.",
                    self.command,
                    file_word(path)
                )
            }
        }
    }
}

/// The page as it stands in the file, its last line end included where the page reaches it.
pub(crate) fn page_text(output: &PageOutput) -> String {
    let page = &output.page;
    let at_end = page.final_newline && !page.has_more() && page.line_count() > 0;
    if at_end {
        format!("{}\n", page.text)
    } else {
        page.text.clone()
    }
}

/// The page with a notice of what was left out.
pub(crate) fn page_answer(output: &PageOutput, style: &ReadStyle) -> String {
    let text = if output.page.total_lines == 0 {
        "(empty file)".to_owned()
    } else {
        page_text(output)
    };
    match page_notice(output, style).as_slice() {
        [] => text,
        notices => with_notices(text.trim_end_matches('\n').to_owned(), notices),
    }
}

/// Each line behind its number: right-aligned to width 6, a tab, the line.
pub(crate) fn numbered(output: &PageOutput) -> String {
    let mut text = String::with_capacity(output.page.text.len() + 8 * output.page.lines().count());
    for (number, line) in (output.page.first_line..).zip(output.page.lines()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!("{number:>6}\t{line}"));
    }
    text
}

/// What was left out of the page and the call that gets it.
pub(crate) fn page_notice(output: &PageOutput, style: &ReadStyle) -> Vec<String> {
    let page = &output.page;
    let (first, last, total) = (page.first_line, page.last_line, page.total_lines);
    let mut notices = Vec::new();
    if first > total.max(1) {
        notices.push(format!(
            "Line {first} is past the end: the file has {total} lines"
        ));
    }
    if page.first_line_exceeds_limit {
        let (length, limit) = (
            size(page.first_line_bytes),
            size(limits::TEXT_MAX_BYTES as u64),
        );
        let (command, path) = (style.command, file_word(&output.path));
        notices.push(format!(
            "Line {first} is {length}, exceeds {limit} limit. Use {command}: sed -n '{first}p' {path} | head -c {}",
            limits::TEXT_MAX_BYTES
        ));
        return notices;
    }
    if let Some(cut) = page.cut_lines.first() {
        let (length, limit) = (size(cut.bytes), size(limits::READ_LINE_MAX_BYTES as u64));
        let more = page.cut_lines.len() - 1;
        let others = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        let (command, path) = (style.command, file_word(&output.path));
        notices.push(format!(
            "Line {0}{others} cut to {limit} (whole: {length}). Use {command}: sed -n '{0}p' {path} | tail -c +{1} for the rest",
            cut.line,
            limits::READ_LINE_MAX_BYTES + 1
        ));
    }
    if output.limited {
        notices.push(format!(
            "{} more lines in file. {}",
            total - last,
            style.read_on(&output.path, last + 1)
        ));
    } else if page.has_more() {
        let limit = match page.stopped_by {
            Some(TruncatedBy::Bytes) => format!(" ({} limit)", size(limits::TEXT_MAX_BYTES as u64)),
            _ => String::new(),
        };
        notices.push(format!(
            "Showing lines {first}-{last} of {total}{limit}. {}",
            style.read_on(&output.path, last + 1)
        ));
    }
    notices.extend(encoding_notice(page.encoding));
    if page.encoding.is_damaged() {
        notices.push(format!(
            "Some bytes are no valid {} and are shown as \u{fffd}",
            page.encoding.name()
        ));
    }
    notices
}

/// The encoding of a file, unless it is UTF-8.
pub(crate) fn other_encoding(encoding: TextEncoding) -> Option<&'static str> {
    (encoding != TextEncoding::UTF_8 && encoding.name() != TextEncoding::UTF_8.name())
        .then(|| encoding.name())
}

/// That the encoding of a file was guessed, and how sure that is.
pub(crate) fn encoding_notice(encoding: TextEncoding) -> Option<String> {
    let name = encoding.name();
    match encoding.certainty() {
        Certainty::Known => None,
        Certainty::Guessed => Some(format!("Decoded as {name} (guessed)")),
        Certainty::Doubtful => Some(format!(
            "Decoded as {name} (uncertain guess; some characters may be wrong)"
        )),
    }
}

/// A whole file for the model, cut to the limits of text; base64 is bytes that no model reads.
pub(crate) fn whole_text(output: &WholeOutput) -> String {
    let (path, bytes) = (&output.path, output.bytes);
    if output.encoding == ReadEncoding::Base64 {
        return format!("{path}: {bytes} bytes, as base64 in the details of this answer");
    }
    if output.content.is_empty() {
        return "(empty file)".to_owned();
    }
    let shown = truncate_head(
        &output.content,
        limits::TEXT_MAX_LINES,
        limits::TEXT_MAX_BYTES,
    );
    let encoding = output.text_encoding.and_then(encoding_notice);
    if !shown.truncated {
        return with_notices(shown.content, encoding.as_slice());
    }
    let (lines, total) = (shown.output_lines, shown.total_lines);
    let notice = format!("Showing lines 1-{lines} of {total} ({})", size(bytes));
    let notices: Vec<String> = std::iter::once(notice).chain(encoding).collect();
    with_notices(shown.content, &notices)
}
