//! Whole files, for vocabularies whose read has no pages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, NextStep, ToolContext, ToolError, limits, parameter};
use tenon_workspace::{
    Error, LineEnding, OpenFile, Page, TextEncoding, floor_character, truncate_head,
};

use super::page::{PageOutput, TRIES, room};

/// The form in which a whole content is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum ReadEncoding {
    /// Text, in whatever encoding the file is.
    #[serde(rename = "utf-8")]
    Utf8,
    /// Text of which every byte is ASCII.
    #[serde(rename = "ascii")]
    Ascii,
    /// Any bytes, as base64.
    #[serde(rename = "base64")]
    Base64,
}

/// A whole file.
#[derive(Debug)]
pub struct WholeOutput {
    /// The file, as answers name it.
    pub path: String,
    /// All of it, in the form asked for.
    pub content: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// The form of `content`.
    pub encoding: ReadEncoding,
    /// The encoding that the file is in; nothing for bytes.
    pub text_encoding: Option<TextEncoding>,
    /// The anchor of each line, where anchors are wanted; none where the file is too large for them.
    pub anchors: Option<Vec<String>>,
    /// Most bytes of `content` that a model is shown.
    pub shown_max_bytes: usize,
}

/// One page that holds everything.
impl From<WholeOutput> for PageOutput {
    fn from(whole: WholeOutput) -> Self {
        let text = whole.content.strip_suffix('\n').unwrap_or(&whole.content);
        let lines = if whole.content.is_empty() {
            0
        } else {
            text.split('\n').count() as u64
        };
        let page = Page {
            text: text.to_owned(),
            first_line: 1,
            last_line: lines,
            total_lines: lines,
            total_bytes: whole.bytes,
            selected_bytes: whole.content.len() as u64,
            stopped_by: None,
            first_line_exceeds_limit: false,
            first_line_bytes: text.lines().next().map_or(0, |line| line.len() as u64),
            cut_lines: Vec::new(),
            final_newline: text.len() < whole.content.len(),
            encoding: whole.text_encoding.unwrap_or(TextEncoding::UTF_8),
            line_ending: LineEnding::Lf,
        };
        Self {
            path: whole.path,
            page,
            truncation: None,
            limited: false,
            is_made: whole.text_encoding.is_none(),
            anchors: whole.anchors,
        }
    }
}

pub(super) fn read(
    file: &OpenFile,
    encoding: ReadEncoding,
    context: &ToolContext,
) -> Result<WholeOutput, ToolError> {
    let read = file.read_bytes(limits::READ_WHOLE_MAX_BYTES);
    let snapshot = read.map_err(|error| match error {
        error @ Error::TooLarge { .. } => ToolError::from(error).then(NextStep::with_fields(
            &["offset", "limit"],
            format!(
                "Set {} and {} to read a part of it.",
                parameter("offset"),
                parameter("limit")
            ),
        )),
        error => error.into(),
    })?;
    let path = file.located().name().to_owned();
    let (content, text_encoding) = match encoding {
        ReadEncoding::Base64 => (STANDARD.encode(snapshot.bytes()), None),
        ReadEncoding::Utf8 => {
            let text = snapshot.decode()?;
            (text.text().to_owned(), Some(text.encoding()))
        }
        ReadEncoding::Ascii => {
            let text = snapshot.decode()?;
            if let Some(offset) = snapshot.bytes().iter().position(|byte| !byte.is_ascii()) {
                return Err(not_ascii(&path, offset));
            }
            (text.text().to_owned(), Some(text.encoding()))
        }
    };
    Ok(WholeOutput {
        path,
        bytes: snapshot.bytes().len() as u64,
        encoding,
        text_encoding,
        anchors: None,
        shown_max_bytes: shown_max_bytes(&content, context),
        content,
    })
}

/// Most bytes of a text that its first page may have within the budget of the call.
pub(super) fn shown_max_bytes(text: &str, context: &ToolContext) -> usize {
    let mut most = limits::TEXT_MAX_BYTES;
    let Some(room) = room(context) else {
        return most;
    };
    for _ in 0..TRIES {
        let page = truncate_head(text, limits::TEXT_MAX_LINES, most).content;
        let page = if page.is_empty() {
            floor_character(text, most)
        } else {
            &page
        };
        let cost = tenon_tokens::count(page);
        if cost <= room {
            break;
        }
        most = (page.len() * room / cost).max(room);
    }
    most
}

fn not_ascii(path: &str, offset: usize) -> ToolError {
    let message = format!(
        "`{path}` is not ASCII: the byte at offset {offset} is not. Read it as `utf-8`, or as `base64` for its bytes."
    );
    ToolError::new(ErrorCode::Encoding, message)
        .with("path", path)
        .with("offset", offset as u64)
}
