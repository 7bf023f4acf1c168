//! The lines of a patch, free of what models wrap around it.

/// What begins an envelope.
pub(crate) const BEGIN: &str = "*** Begin Patch";
/// What begins the files of an envelope, by what is done to them.
pub(crate) const ADD: &str = "*** Add File:";
pub(crate) const DELETE: &str = "*** Delete File:";
pub(crate) const UPDATE: &str = "*** Update File:";

/// A line of the patch text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PatchLine<'a> {
    /// Counted from 1, in the text as it was given.
    pub(crate) number: usize,
    /// Without its end.
    pub(crate) text: &'a str,
    /// Whether a carriage return that belongs to the patched text ends it.
    pub(crate) carriage: bool,
}

/// The text of a patch as lines.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    pub(crate) lines: Vec<PatchLine<'a>>,
    /// Whether the last line has no end.
    pub(crate) is_open: bool,
}

impl<'a> Input<'a> {
    /// Splits the text. If every line ends in CRLF, that is how the patch was sent and says
    /// nothing about the patched file; else a carriage return belongs to the line it ends.
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let ended = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let is_sent_with_crlf =
            ended.clone().count() > 0 && ended.clone().all(|line| line.ends_with("\r\n"));
        let mut lines: Vec<PatchLine<'a>> = text
            .split_inclusive('\n')
            .enumerate()
            .map(|(index, line)| {
                let body = line.strip_suffix('\n').unwrap_or(line);
                let bare = body.strip_suffix('\r').unwrap_or(body);
                let carriage = bare.len() != body.len() && !is_sent_with_crlf;
                PatchLine {
                    number: index + 1,
                    text: bare,
                    carriage,
                }
            })
            .collect();
        outdent(&mut lines);
        Self {
            lines,
            is_open: !text.ends_with('\n'),
        }
    }
}

/// Takes off whitespace that stands before every line, headers included, as in a patch that was
/// pasted into an indented block.
fn outdent(lines: &mut [PatchLine<'_>]) {
    let is_head = |text: &str| {
        ["*** Begin Patch", "diff --git ", "--- "]
            .iter()
            .any(|head| text.starts_with(head))
    };
    let Some(head) = lines.iter().find(|line| is_head(line.text.trim_start())) else {
        return;
    };
    let width = head.text.len() - head.text.trim_start().len();
    let Some(blanks) = head.text.get(..width).filter(|blanks| !blanks.is_empty()) else {
        return;
    };
    let first = head.number;
    let is_inside = |line: &PatchLine<'_>| line.number >= first && !line.text.trim().is_empty();
    if lines
        .iter()
        .filter(|line| is_inside(line))
        .all(|line| line.text.starts_with(blanks))
    {
        for line in lines.iter_mut().filter(|line| line.number >= first) {
            line.text = line.text.strip_prefix(blanks).unwrap_or_default();
        }
    }
}

/// Whether a line begins a new file. With a blank before it, it is a line of the file that a hunk is about: files about patches
/// have such lines.
pub(crate) fn is_file_marker(text: &str) -> bool {
    [ADD, DELETE, UPDATE]
        .iter()
        .any(|marker| text.starts_with(marker))
}

/// The index of the line that begins the patch, of either format.
pub(crate) fn first_line(input: &Input<'_>) -> Option<usize> {
    let mut lines = input.lines.iter().enumerate().peekable();
    while let Some((at, line)) = lines.next() {
        let names_other = |(_, next): &(usize, &PatchLine<'_>)| next.text.starts_with("+++ ");
        let begins_diff = line.text.starts_with("diff --git ")
            || (line.text.starts_with("--- ") && lines.peek().is_some_and(names_other));
        if begins_diff || line.text.trim_end() == BEGIN || is_file_marker(line.text) {
            return Some(at);
        }
    }
    None
}

/// Lines that close what a patch was wrapped in.
pub(crate) fn is_closing(text: &str) -> bool {
    let text = text.trim();
    ["```", "~~~"].contains(&text)
        || text == "*** End Patch"
        || (!text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

/// Outside of a hunk, a line that looks like one of its lines must not be passed over.
pub(crate) fn is_lost_line(text: &str) -> bool {
    let is_signature = text == "-- " || text == "--";
    text.starts_with(['+', '-']) && !is_signature
}
