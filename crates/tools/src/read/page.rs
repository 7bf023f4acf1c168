//! Pages of text.

use tenon_contract::{ErrorCode, ToolContext, ToolError, counted, limits, parameter};
use tenon_workspace::{LineMarks, OpenFile, Page, PageRequest, TruncationResult};

use super::ReadParams;

/// A page of text.
#[derive(Debug)]
pub struct PageOutput {
    /// The file, as answers name it.
    pub path: String,
    /// The page and the facts about its file.
    pub page: Page,
    /// The facts of the cut, when limits of the product (not the caller's) made one.
    pub truncation: Option<TruncationResult>,
    /// Whether the caller's own limit ended the page.
    pub limited: bool,
}

pub(super) fn read(
    file: &OpenFile,
    marks: &LineMarks,
    params: &ReadParams,
    context: &ToolContext,
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
    let cancelled = || context.cancellation().is_cancelled();
    let page = file.read_page_by(marks, &request, &cancelled)?;
    let path = file.located().name().to_owned();
    // Line 1 of an empty file exists for a reader; any other line past the end does not.
    if first_line > page.total_lines.max(1) && !params.past_end.unwrap_or(false) {
        return Err(past_the_end(&path, first_line, page.total_lines));
    }
    let limited =
        page.has_more() && wanted <= limits::TEXT_MAX_LINES && page.line_count() >= wanted as u64;
    let truncation = if limited {
        None
    } else {
        page.truncation(&request)
    };
    Ok(PageOutput {
        path,
        page,
        truncation,
        limited,
    })
}

pub(super) fn past_the_end(path: &str, first_line: u64, lines: u64) -> ToolError {
    let message = format!(
        "Line {first_line} is past the end of `{path}`, which has {}. Use {} from 1 to {}.",
        counted(lines, "line", "lines"),
        parameter("offset"),
        lines.max(1)
    );
    ToolError::new(ErrorCode::InvalidParams, message)
        .with("path", path)
        .with("total_lines", lines)
}
