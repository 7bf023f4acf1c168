//! The parameters of a read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::whole::ReadEncoding;

/// What to read.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadParams {
    /// File path, absolute or relative to the workspace.
    pub path: String,
    /// First line, 1-based. Default: 1.
    #[schemars(range(min = 1))]
    pub offset: Option<u64>,
    /// Maximum number of lines. Default: what fits in 2000 lines and 50 KB.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// Maximum number of lines where neither `limit` nor the address of an output names any.
    #[schemars(range(min = 1))]
    pub default_limit: Option<u64>,
    /// Return no lines for an offset past the end, instead of failing. Default: false.
    pub past_end: Option<bool>,
    /// Return the whole content at once, in this form. Default: a page of text, or an image.
    pub encoding: Option<ReadEncoding>,
    /// Show a notebook (`.ipynb`) as its cells and their outputs, instead of as the JSON that it is. Default: false.
    pub notebook: Option<bool>,
    /// Show the anchor of each line of text in front of it, for edits by anchors. Default: false.
    pub anchors: Option<bool>,
    /// More files to read in the same call, each a path or a path with lines: `src/a.ts:10-40`. What does not fit is outlined.
    pub more: Option<Vec<String>>,
    /// Pages of a PDF or cells of a notebook, 1-based: `3`, `2-5` or `7-`. Default: all.
    pub pages: Option<String>,
}

impl ReadParams {
    /// Whether lines of a text are asked for, not the whole of it.
    pub(super) fn wants_page(&self, encoding: ReadEncoding) -> bool {
        encoding == ReadEncoding::Utf8 && (self.offset.is_some() || self.limit.is_some())
    }
}
