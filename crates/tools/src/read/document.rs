//! Pages of a text that was made from a file: of a notebook or a PDF document.

use std::ops::RangeInclusive;

use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_workspace::{
    CutLine, LineEnding, Page, PageRequest, TextEncoding, TruncatedBy, floor_character,
};

use super::ReadParams;
use super::page::{PageOutput, past_the_end};

/// The lines of `text` that the parameters ask for. `bytes` is the size of the file.
pub(super) fn page_of(
    path: &str,
    text: &str,
    bytes: u64,
    params: &ReadParams,
) -> Result<PageOutput, ToolError> {
    let first_line = params.offset.unwrap_or(1);
    let wanted = params.limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    let request = PageRequest {
        first_line,
        max_lines: wanted.min(limits::TEXT_MAX_LINES),
        max_bytes: limits::TEXT_MAX_BYTES,
        max_line_bytes: limits::READ_LINE_MAX_BYTES,
    };
    let page = cut(text, bytes, &request);
    if first_line > page.total_lines.max(1) && !params.past_end.unwrap_or(false) {
        return Err(past_the_end(path, first_line, page.total_lines));
    }
    let limited =
        page.has_more() && wanted <= limits::TEXT_MAX_LINES && page.line_count() >= wanted as u64;
    let truncation = if limited {
        None
    } else {
        page.truncation(&request)
    };
    Ok(PageOutput {
        path: path.to_owned(),
        page,
        truncation,
        limited,
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
            });
        }
    }
    page
}

/// What `pages` asks for of `total` parts: `3`, `2-5`, `7-` or `-4`; all of them when it is absent.
pub(super) fn parts(
    pages: Option<&str>,
    what: &str,
    total: usize,
) -> Result<RangeInclusive<usize>, ToolError> {
    let Some(asked) = pages.map(str::trim) else {
        return Ok(1..=total);
    };
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
    };
    let range = match asked.split_once('-') {
        None => number(asked).map(|one| one..=one),
        Some(("", last)) => number(last).map(|last| 1..=last),
        Some((first, "")) => number(first).map(|first| first..=total.max(first)),
        Some((first, last)) => number(first)
            .zip(number(last))
            .map(|(first, last)| first..=last),
    };
    let range = range.filter(|range| range.start() <= range.end());
    let Some(range) = range else {
        let message = format!(
            "`{asked}` is no range of {what}s. Write one number or two with `-` between them, such as `3`, `2-5` or `7-`."
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message).with("pages", asked));
    };
    if *range.start() > total {
        let message = format!(
            "There is no {what} {}: there are {total}. Use a range from 1 to {total}.",
            range.start()
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message)
            .with("pages", asked)
            .with("total", total));
    }
    Ok(*range.start()..=*range.end().min(&total))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pages: &str) -> Result<RangeInclusive<usize>, &'static str> {
        parts(Some(pages), "page", 9).map_err(|error| error.code.as_str())
    }

    #[test]
    fn ranges_are_read_as_people_write_them() {
        assert_eq!(asked("3"), Ok(3..=3));
        assert_eq!(asked(" 2 - 5 "), Ok(2..=5));
        assert_eq!(asked("7-"), Ok(7..=9));
        assert_eq!(asked("-4"), Ok(1..=4));
        assert_eq!(asked("8-100"), Ok(8..=9));
        assert_eq!(parts(None, "page", 9).unwrap(), 1..=9);
        for wrong in ["", "0", "x", "5-2", "1,2", "-", "10", "1-0"] {
            assert_eq!(asked(wrong), Err("invalid_params"), "{wrong}");
        }
    }

    #[test]
    fn lines_are_cut_by_number_and_by_bytes() {
        let request = |first_line, max_lines, max_bytes| PageRequest {
            first_line,
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
        assert_eq!(page.cut_lines, [CutLine { line: 3, bytes: 5 }]);
        assert_eq!(cut("", 0, &request(1, 9, 9)).total_lines, 0);
    }
}
