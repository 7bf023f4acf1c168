//! Pages of text.

use tenon_contract::{ErrorCode, ToolContext, ToolError, counted, limits, parameter};
use tenon_workspace::{LineMarks, OpenFile, Page, PageRequest, TruncationResult};

use super::params::ReadParams;
use crate::outputs;

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
    /// Whether the text was made from the file, as that of a notebook is: its lines are not those of the file.
    pub is_made: bool,
    /// The anchor of each line, where anchors are wanted; none where the file is too large for them.
    pub anchors: Option<Vec<String>>,
}

/// The page that the parameters ask for.
pub(super) fn page_request(params: &ReadParams) -> PageRequest {
    let wanted = params.limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    });
    PageRequest {
        first_line: params.offset.unwrap_or(1),
        first_character: 1,
        max_lines: wanted.min(limits::TEXT_MAX_LINES),
        max_bytes: limits::TEXT_MAX_BYTES,
        max_line_bytes: limits::READ_LINE_MAX_BYTES,
    }
}

pub(super) fn read(
    file: &OpenFile,
    marks: &LineMarks,
    params: &ReadParams,
    first_character: u64,
    context: &ToolContext,
) -> Result<PageOutput, ToolError> {
    let request = PageRequest {
        first_character,
        ..page_request(params)
    };
    let (page, request) = page_within(file, marks, request, context)?;
    let path = file.located().name().to_owned();
    let (line, character) = (request.first_line, request.first_character);
    let is_past = character > 1 && page.line_count() > 0 && page.lines().all(str::is_empty);
    if is_past {
        let message = format!("Line {line} of `{path}` ends before character {character}.");
        return Err(ToolError::new(ErrorCode::InvalidParams, message).with("path", path));
    }
    PageOutput::of(path, page, &request, params)
}

impl PageOutput {
    /// What a call gets that asked for this page.
    pub(super) fn of(
        path: String,
        page: Page,
        request: &PageRequest,
        params: &ReadParams,
    ) -> Result<Self, ToolError> {
        let first_line = params.offset.unwrap_or(1);
        // Line 1 of an empty file exists for a reader; any other line past the end does not.
        if first_line > page.total_lines.max(1) && !params.past_end.unwrap_or(false) {
            return Err(past_the_end(&path, first_line, page.total_lines));
        }
        let is_reached =
            |limit| limit <= limits::TEXT_MAX_LINES as u64 && page.line_count() >= limit;
        let limited = page.has_more() && params.limit.is_some_and(is_reached);
        let truncation = if limited {
            None
        } else {
            page.truncation(request)
        };
        Ok(Self {
            path,
            page,
            truncation,
            limited,
            is_made: false,
            anchors: None,
        })
    }
}

/// Tokens for the notice that ends a page, and for the number in front of each line, where a vocabulary has those.
const NOTICE_TOKENS: usize = 60;
const NUMBER_TOKENS: usize = 5;
/// How often a page is made shorter, at most.
pub(super) const TRIES: usize = 4;

/// The tokens that a page may have within the budget of the call, if it has one.
pub(super) fn room(context: &ToolContext) -> Option<usize> {
    let most = context.max_tokens()?;
    Some(most.saturating_sub(NOTICE_TOKENS).max(NOTICE_TOKENS))
}

/// A page within the budget of the call: one that ends at a line says how to continue, which lines chosen from it could
/// not.
fn page_within(
    file: &OpenFile,
    marks: &LineMarks,
    mut request: PageRequest,
    context: &ToolContext,
) -> Result<(Page, PageRequest), ToolError> {
    let cancelled = || context.cancellation().is_cancelled();
    let mut page = file.read_page_by(marks, &request, &cancelled)?;
    let Some(room) = room(context) else {
        return Ok((page, request));
    };
    for _ in 0..TRIES {
        let lines = usize::try_from(page.line_count()).unwrap_or(usize::MAX);
        let cost = tenon_tokens::count(&page.text) + lines.saturating_mul(NUMBER_TOKENS);
        if cost <= room {
            break;
        }
        request.max_bytes = (page.text.len() * room / cost).max(room);
        // A line of its own that is longer is shown in part.
        request.max_line_bytes = request.max_line_bytes.min(request.max_bytes);
        page = file.read_page_by(marks, &request, &cancelled)?;
    }
    Ok((page, request))
}

pub(super) fn past_the_end(path: &str, first_line: u64, lines: u64) -> ToolError {
    if outputs::is_address(path) {
        return outputs::past_the_end(path, first_line, lines);
    }
    if lines == 0 {
        let message = format!("`{path}` is empty, so it has no line {first_line}.");
        return ToolError::new(ErrorCode::InvalidParams, message)
            .with("path", path)
            .with("total_lines", lines);
    }
    let message = format!(
        "Line {first_line} is past the end of `{path}`, which has {}. Use {} from 1 to {}.",
        counted(lines, "line", "lines"),
        parameter("offset"),
        lines
    );
    ToolError::new(ErrorCode::InvalidParams, message)
        .with("path", path)
        .with("total_lines", lines)
}
