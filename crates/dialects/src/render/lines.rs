//! Pages of text.

use tenon_contract::{Operation, limits};
use tenon_tools::{PageOutput, ReadEncoding, WholeOutput, file_word, is_address};
use tenon_workspace::{
    Certainty, CutLine, TextEncoding, TruncatedBy, floor_character, truncate_head,
};

use super::{count, size, with_notices};
use crate::words::Words;

/// What the lines of an answer are from.
#[derive(Clone, Copy)]
struct LineSource<'a> {
    path: &'a str,
    encoding: TextEncoding,
    /// Whether they are those of a text that was made from the file.
    is_made: bool,
}

impl<'a> LineSource<'a> {
    fn of_page(output: &'a PageOutput) -> Self {
        Self {
            path: &output.path,
            encoding: output.page.encoding,
            is_made: output.is_made,
        }
    }

    fn of_whole(output: &'a WholeOutput) -> Self {
        Self {
            path: &output.path,
            encoding: output.text_encoding.unwrap_or(TextEncoding::UTF_8),
            is_made: output.text_encoding.is_none(),
        }
    }
}

/// The call that gets the lines from `first` on, if there is one.
fn read_on(words: &Words<'_>, source: LineSource<'_>, first: u64) -> String {
    let path = source.path;
    if let Some(name) = words.parameter("offset") {
        return format!(". Use {name}={first} to continue.");
    }
    let last = first.saturating_add(limits::TEXT_MAX_LINES as u64 - 1);
    if is_address(path) {
        return format!(". Read `{path}:{first}-{last}` to continue.");
    }
    if source.is_made {
        let tool = words.tool(Operation::Execute);
        let other = tool.map_or_else(String::new, |tool| {
            format!(". Use {tool} to work with the file itself")
        });
        return format!(" of the text that was made from the file{other}.");
    }
    lines_by_command(words, source, &format!("'{first},{last}p'"))
        .map_or_else(String::new, |call| format!(". {call} to continue."))
}

/// That a command gets these lines of a file, in UTF-8.
fn lines_by_command(words: &Words<'_>, source: LineSource<'_>, lines: &str) -> Option<String> {
    let Some(other) = other_encoding(source.encoding) else {
        return by_command(words, source.path, &format!("sed -n {lines}"));
    };
    let skips = if source.encoding.is_damaged() {
        " -c"
    } else {
        ""
    };
    let command = format!("iconv{skips} -f {other} -t UTF-8");
    let call = by_command(words, source.path, &command)?;
    Some(format!("{call} | sed -n {lines}"))
}

/// That a command gets what is left out of a file, where commands can be run.
fn by_command(words: &Words<'_>, path: &str, command: &str) -> Option<String> {
    let tool = words
        .tool(Operation::Execute)
        .filter(|_| !is_address(path))?;
    Some(format!("Use {tool}: {command} {}", file_word(path)))
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

/// Each line behind its anchor, where anchors are wanted.
pub(crate) fn anchored_text(output: &PageOutput) -> Option<String> {
    let lines = output.page.lines().count();
    let anchors = output.anchors.as_deref();
    let anchors = anchors.filter(|all| lines > 0 && all.len() == lines)?;
    Some(with_anchors(anchors, output.page.lines()))
}

fn with_anchors<'a>(anchors: &[String], lines: impl Iterator<Item = &'a str>) -> String {
    let lines = anchors.iter().zip(lines);
    let lines: Vec<String> = lines
        .map(|(anchor, line)| format!("{anchor}|{line}"))
        .collect();
    lines.join("\n")
}

/// The page with a notice of what was left out.
pub(crate) fn page_answer(output: &PageOutput, words: &Words<'_>) -> String {
    let text = if output.page.total_lines == 0 {
        "(empty file)".to_owned()
    } else {
        anchored_text(output).unwrap_or_else(|| page_text(output))
    };
    match page_notice(output, words).as_slice() {
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

/// That the first line alone is more than a page, and the call that gets its start.
fn overlong(words: &Words<'_>, output: &PageOutput) -> String {
    let most = limits::TEXT_MAX_BYTES;
    let line = output.page.first_line;
    let (length, limit) = (size(output.page.first_line_bytes), size(most as u64));
    let source = LineSource::of_page(output);
    let call = lines_by_command(words, source, &format!("'{line}p'"));
    let call = call.filter(|_| !source.is_made);
    let call = call.map_or_else(String::new, |call| format!(". {call} | head -c {most}"));
    format!("Line {line} is {length}, exceeds {limit} limit{call}")
}

/// Whether a budget of tokens has ended the page.
fn is_of_budget(output: &PageOutput) -> bool {
    let truncation = output.truncation.as_ref();
    truncation.is_some_and(|truncation| truncation.max_bytes < limits::TEXT_MAX_BYTES as u64)
}

/// What was left out of the page and the call that gets it.
pub(crate) fn page_notice(output: &PageOutput, words: &Words<'_>) -> Vec<String> {
    let page = &output.page;
    let (first, last, total) = (page.first_line, page.last_line, page.total_lines);
    let mut notices = Vec::new();
    if first > total.max(1) {
        notices.push(format!(
            "Line {first} is past the end: the file has {}",
            count(total, "line", "lines")
        ));
    }
    if page.first_line_exceeds_limit {
        notices.push(overlong(words, output));
        return notices;
    }
    notices.extend(cut_lines(output, words));
    if output.limited {
        notices.push(format!(
            "{} in file{}",
            count(total - last, "more line", "more lines"),
            read_on(words, LineSource::of_page(output), last + 1)
        ));
    } else if page.has_more() {
        let limit = match page.stopped_by {
            // A budget of tokens makes a page shorter than the limit of bytes does.
            Some(TruncatedBy::Bytes) if is_of_budget(output) => " (token budget)".to_owned(),
            Some(TruncatedBy::Bytes) => format!(" ({} limit)", size(limits::TEXT_MAX_BYTES as u64)),
            _ => String::new(),
        };
        notices.push(format!(
            "Showing lines {first}-{last} of {total}{limit}{}",
            read_on(words, LineSource::of_page(output), last + 1)
        ));
    }
    if output.anchors.as_ref().is_some_and(Vec::is_empty) && page.line_count() > 0 {
        notices.push(no_anchors(words));
    }
    notices.extend(encoding_notices(page.encoding));
    notices
}

/// Which lines were cut, and the call that shows the rest of the first one.
fn cut_lines(output: &PageOutput, words: &Words<'_>) -> Option<String> {
    let cut = output.page.cut_lines.first()?;
    let others = match output.page.cut_lines.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(cut_line(
        &output.path,
        output.page.encoding,
        cut,
        &others,
        words,
    ))
}

fn cut_line(
    path: &str,
    encoding: TextEncoding,
    cut: &CutLine,
    others: &str,
    words: &Words<'_>,
) -> String {
    let (line, length, shown) = (cut.line, size(cut.bytes), size(cut.cut_bytes));
    let call = rest_of_line(path, encoding, cut, words);
    let call = call.map_or_else(String::new, |call| format!(". {call} for the rest"));
    format!("Line {line}{others} cut to {shown} of {length}{call}")
}

/// What shows a line from its cut on. Bytes are those of the file, so a command can do it only where these are those of
/// the text.
fn rest_of_line(
    path: &str,
    encoding: TextEncoding,
    cut: &CutLine,
    words: &Words<'_>,
) -> Option<String> {
    let line = cut.line;
    if is_address(path) {
        let next = cut.cut_characters + 1;
        return words
            .tool(Operation::Read)
            .map(|_| format!("Read `{path}:{line}:{next}`"));
    }
    if encoding.is_damaged() || encoding.name() != TextEncoding::UTF_8.name() {
        return None;
    }
    let mark = if encoding.has_bom() && line == 1 {
        3
    } else {
        0
    };
    let from = cut.cut_bytes + mark + 1;
    let call = by_command(words, path, &format!("sed -n '{line}p'"))?;
    Some(format!("{call} | tail -c +{from}"))
}

/// That a file is too large for anchors, and what changes it nevertheless.
fn no_anchors(words: &Words<'_>) -> String {
    let limit = size(limits::ANCHORED_MAX_BYTES);
    let tools = [Operation::Patch, Operation::Execute];
    let other = tools.into_iter().find_map(|tool| words.tool(tool));
    let other = other.map_or_else(String::new, |tool| format!(". Use {tool} to change it"));
    format!("No anchors: the file is larger than {limit}{other}")
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

/// What is to be known of the encoding of a text that is shown.
fn encoding_notices(encoding: TextEncoding) -> Vec<String> {
    let damage = encoding.is_damaged().then(|| {
        format!(
            "Some bytes are not valid {} and are shown as \u{fffd}",
            encoding.name()
        )
    });
    encoding_notice(encoding)
        .into_iter()
        .chain(damage)
        .collect()
}

/// Longest base64 that a model is shown: thousands of tokens of it would be of no use.
const BASE64_SHOWN_MAX_BYTES: usize = 8 * 1024;

/// A whole file for the model, cut to the limits of text; long base64 is for programs alone.
pub(crate) fn whole_text(output: &WholeOutput, words: &Words<'_>) -> String {
    let (path, bytes) = (&output.path, output.bytes);
    if output.encoding == ReadEncoding::Base64 {
        if !output.content.is_empty() && output.content.len() <= BASE64_SHOWN_MAX_BYTES {
            return output.content.clone();
        }
        return format!(
            "{path}: {bytes} bytes, as base64 in the details of this result for the program that made the call; too long to be shown here"
        );
    }
    if output.content.is_empty() {
        return "(empty file)".to_owned();
    }
    let anchors = output.anchors.as_deref().filter(|all| !all.is_empty());
    let text = anchors.map(|anchors| with_anchors(anchors, output.content.lines()));
    let shown = truncate_head(
        text.as_deref().unwrap_or(&output.content),
        limits::TEXT_MAX_LINES,
        output.shown_max_bytes,
    );
    let encoding = output.text_encoding.map_or_else(Vec::new, encoding_notices);
    if !shown.truncated {
        return match encoding.as_slice() {
            [] => shown.content,
            notices => with_notices(shown.content.trim_end_matches('\n').to_owned(), notices),
        };
    }
    if shown.output_lines == 0 && text.is_none() {
        return overlong_first(output, words, encoding);
    }
    let (lines, total) = (shown.output_lines, shown.total_lines);
    let next = read_on(words, LineSource::of_whole(output), lines + 1);
    let by = if output.shown_max_bytes < limits::TEXT_MAX_BYTES {
        "token budget".to_owned()
    } else {
        size(bytes)
    };
    let notice = format!("Showing lines 1-{lines} of {total} ({by}){next}");
    let notices: Vec<String> = std::iter::once(notice).chain(encoding).collect();
    with_notices(shown.content, &notices)
}

/// The start of a text whose first line alone is more than an answer.
fn overlong_first(output: &WholeOutput, words: &Words<'_>, encoding: Vec<String>) -> String {
    let line = output.content.lines().next().unwrap_or_default();
    let start = floor_character(line, output.shown_max_bytes);
    let total = output.content.lines().count();
    let cut = CutLine {
        line: 1,
        bytes: line.len() as u64,
        cut_bytes: start.len() as u64,
        cut_characters: start.chars().count() as u64,
    };
    let known = output.text_encoding.unwrap_or(TextEncoding::UTF_8);
    let mut notices = vec![cut_line(&output.path, known, &cut, "", words)];
    if total > 1 {
        let next = read_on(words, LineSource::of_whole(output), 2);
        notices.push(format!("Showing line 1 of {total}{next}"));
    }
    notices.extend(encoding);
    with_notices(start.to_owned(), &notices)
}
