//! Reads a text file page by page, or an image.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_workspace::{
    ContentKind, Located, OpenFile, Page, PageRequest, TruncationResult, Workspace, image_facts,
};

use crate::blocking::blocking;

/// What to read.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadParams {
    /// Path of the file, absolute or relative to the workspace.
    pub path: String,
    /// Line to start at, counted from 1. Default: 1.
    #[schemars(range(min = 1))]
    pub offset: Option<u64>,
    /// Most lines to read. Default: as many as fit into 2000 lines and 50 KB.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
}

/// What was read.
#[derive(Debug)]
pub enum ReadOutput {
    /// A page of text.
    Text(PageOutput),
    /// An image.
    Image(ImageOutput),
}

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

/// An image.
#[derive(Debug)]
pub struct ImageOutput {
    /// The file, as answers name it.
    pub path: String,
    /// Its absolute path.
    pub absolute: String,
    /// The bytes, base64.
    pub data: String,
    /// Such as `image/png`.
    pub mime_type: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

impl Output for ReadOutput {}

/// The read operation.
#[derive(Debug)]
pub struct Read {
    workspace: Workspace,
}

impl Read {
    /// Reads within `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

/// A located file and the page asked for.
#[derive(Debug)]
pub struct ReadPlan {
    file: Located,
    params: ReadParams,
}

impl Tool for Read {
    const OPERATION: Operation = Operation::Read;
    type Params = ReadParams;
    type Plan = ReadPlan;
    type Output = ReadOutput;

    fn plan(&self, params: ReadParams) -> Result<(Access, ReadPlan), ToolError> {
        let file = self.workspace.locate(&params.path)?;
        Ok((
            Access::reading(file.claim().clone()),
            ReadPlan { file, params },
        ))
    }

    async fn run(&self, plan: ReadPlan, context: ToolContext) -> Result<ReadOutput, ToolError> {
        blocking(context, move |context| {
            let file = plan.file.open_file()?;
            match file.content_kind()? {
                ContentKind::Image(_) => read_image(&file),
                // Binary files are refused by the page reader, which knows their kind.
                ContentKind::Text | ContentKind::Binary(_) => {
                    read_text(&file, &plan.params, context)
                }
            }
        })
        .await
    }
}

fn read_text(
    file: &OpenFile,
    params: &ReadParams,
    context: &ToolContext,
) -> Result<ReadOutput, ToolError> {
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
    let page = file.read_page(&request, &|| context.cancellation().is_cancelled())?;
    let path = file.located().name().to_owned();
    // Line 1 of an empty file exists for a reader; any other line past the end does not.
    if first_line > page.total_lines.max(1) {
        let lines = page.total_lines;
        let message = format!(
            "Offset {first_line} is past the end of `{path}`, which has {lines} lines. Use an offset from 1 to {}.",
            lines.max(1)
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message)
            .with("path", path)
            .with("total_lines", lines));
    }
    let limited =
        page.has_more() && wanted <= limits::TEXT_MAX_LINES && page.line_count() >= wanted as u64;
    let truncation = if limited {
        None
    } else {
        page.truncation(&request)
    };
    Ok(ReadOutput::Text(PageOutput {
        path,
        page,
        truncation,
        limited,
    }))
}

fn read_image(file: &OpenFile) -> Result<ReadOutput, ToolError> {
    let located = file.located();
    let snapshot = file.read_bytes(limits::READ_IMAGE_MAX_BYTES)?;
    let Some(facts) = image_facts(snapshot.bytes()) else {
        let message = format!(
            "`{}` begins like an image but is damaged: its size cannot be read.",
            located.name()
        );
        return Err(ToolError::new(ErrorCode::BinaryFile, message).with("path", located.name()));
    };
    Ok(ReadOutput::Image(ImageOutput {
        path: located.name().to_owned(),
        absolute: located.target().to_string_lossy().into_owned(),
        data: STANDARD.encode(snapshot.bytes()),
        mime_type: facts.format.mime_type().to_owned(),
        width: facts.width,
        height: facts.height,
    }))
}
