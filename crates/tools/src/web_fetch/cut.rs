//! Which part of a page is shown, in UTF-16 units, as JavaScript counts.

use tenon_contract::{ErrorCode, ToolError, limits};

use super::FetchedPage;

/// How much of a page is wanted.
pub(super) fn characters(wanted: Option<u64>) -> usize {
    wanted.map_or(limits::WEB_FETCH_DEFAULT_CHARACTERS, |wanted| {
        usize::try_from(wanted)
            .unwrap_or(usize::MAX)
            .clamp(1, limits::WEB_FETCH_MAX_CHARACTERS)
    })
}

/// In UTF-16 units.
pub(super) fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The length of what is before `offset`, which has to be within the text of a page.
pub(super) fn skipped(text: &str, offset: u64, page: &FetchedPage) -> Result<usize, ToolError> {
    let total = length(text);
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    if offset > 0 && offset >= total {
        let message = format!(
            "Offset {offset} is past the end of `{}` ({total} characters). Use a smaller offset.",
            page.final_url
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message).with("total", total));
    }
    Ok(offset)
}

/// What follows the first `offset` units of a text.
pub(super) fn rest(text: &str, offset: usize) -> &str {
    let mut at = 0;
    let begin = text.char_indices().find(|(_, letter)| {
        let is_before = at < offset;
        at += letter.len_utf16();
        !is_before
    });
    let begin = begin.map_or(text.len(), |(begin, _)| begin);
    text.get(begin..).unwrap_or_default()
}

/// The part of a text that was asked for. No character is torn.
pub(super) fn cut(
    text: &str,
    offset: u64,
    most: usize,
    page: &mut FetchedPage,
) -> Result<(), ToolError> {
    let total = length(text);
    let offset = skipped(text, offset, page)?;
    let (mut at, mut start) = (0_usize, None);
    let mut end = 0_usize;
    for letter in text.chars() {
        let width = letter.len_utf16();
        if at >= offset {
            let begun = *start.get_or_insert(at);
            // At least one character, so that reading on always gets on.
            if at + width - begun > most && !page.content.is_empty() {
                break;
            }
            page.content.push(letter);
            end = at + width;
        }
        at += width;
    }
    page.start = start.unwrap_or(0);
    page.end = end;
    page.total = total;
    page.truncated = page.start > 0 || page.end < total;
    Ok(())
}
