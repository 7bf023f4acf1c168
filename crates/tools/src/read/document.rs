//! Pages of a text that was made from a file: of a notebook or a PDF document.

use tenon_contract::ToolError;
use tenon_workspace::{
    CutLine, LineEnding, Page, PageRequest, TextEncoding, TruncatedBy, floor_character,
};

use super::page::{PageOutput, page_request};
use super::params::ReadParams;

/// The lines of `text` that the parameters ask for. `bytes` is the size of the file.
pub(super) fn page_of(
    path: &str,
    text: &str,
    bytes: u64,
    params: &ReadParams,
) -> Result<PageOutput, ToolError> {
    let request = page_request(params);
    let page = cut(text, bytes, &request);
    let output = PageOutput::of(path.to_owned(), page, &request, params)?;
    Ok(PageOutput {
        is_made: true,
        ..output
    })
}

fn cut(text: &str, bytes: u64, request: &PageRequest) -> Page {
    let total_lines = text.lines().count() as u64;
    let skipped = usize::try_from(request.first_line - 1).unwrap_or(usize::MAX);
    let mut page = Page {
        text: String::new(),
        first_line: request.first_line,
        last_line: request.first_line - 1,
        total_lines,
        total_bytes: bytes,
        selected_bytes: text
            .lines()
            .skip(skipped)
            .map(|line| line.len() as u64 + 1)
            .sum(),
        stopped_by: None,
        first_line_exceeds_limit: false,
        first_line_bytes: text
            .lines()
            .nth(skipped)
            .map_or(0, |line| line.len() as u64),
        cut_lines: Vec::new(),
        final_newline: true,
        encoding: TextEncoding::UTF_8,
        line_ending: LineEnding::Lf,
    };
    for (line, number) in text.lines().skip(skipped).zip(request.first_line..) {
        let shown = floor_character(line, request.max_line_bytes);
        let count = page.line_count();
        if count >= request.max_lines as u64 {
            page.stopped_by = Some(TruncatedBy::Lines);
            break;
        }
        let gap = usize::from(count > 0);
        if page.text.len() + gap + shown.len() > request.max_bytes {
            page.stopped_by = Some(TruncatedBy::Bytes);
            break;
        }
        if gap > 0 {
            page.text.push('\n');
        }
        page.text.push_str(shown);
        page.last_line = number;
        if shown.len() < line.len() {
            page.cut_lines.push(CutLine {
                line: number,
                bytes: line.len() as u64,
                cut_bytes: shown.len() as u64,
                cut_characters: shown.chars().count() as u64,
            });
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_by_number_and_by_bytes() {
        let request = |first_line, max_lines, max_bytes| PageRequest {
            first_line,
            first_character: 1,
            max_lines,
            max_bytes,
            max_line_bytes: 4,
        };
        let page = cut("one\ntwo\nthree\n", 14, &request(2, 1, 100));
        assert_eq!(
            (page.text.as_str(), page.last_line, page.total_lines),
            ("two", 2, 3)
        );
        assert_eq!(page.stopped_by, Some(TruncatedBy::Lines));
        let page = cut("one\ntwo\nthree\n", 14, &request(1, 9, 7));
        assert_eq!((page.text.as_str(), page.last_line), ("one\ntwo", 2));
        assert_eq!(page.stopped_by, Some(TruncatedBy::Bytes));
        let page = cut("one\ntwo\nthree\n", 14, &request(3, 9, 100));
        assert_eq!((page.text.as_str(), page.has_more()), ("thre", false));
        assert_eq!(
            page.cut_lines,
            [CutLine {
                line: 3,
                bytes: 5,
                cut_bytes: 4,
                cut_characters: 4
            }]
        );
        assert_eq!(cut("", 0, &request(1, 9, 9)).total_lines, 0);
    }
}
