//! What changes of files have to keep to.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_tools::{EditRules, Strictness};

/// Rules for edits, writes and patches.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditOptions {
    /// Whether an existing file must have been read in this session before it is changed. Default: false.
    #[serde(default)]
    pub require_read: bool,
    /// What happens to a change that adds a syntax error to a file of JavaScript, TypeScript, Python, Rust, Go, C, C++, Java,
    /// JSON, bash, HTML or CSS, up to 512 KiB. Default: `warn`.
    pub syntax: Option<SyntaxStrictness>,
    /// What happens to a change that replaces text by a line such as `// ... existing code ...`. Default: `warn`.
    pub placeholders: Option<PlaceholderStrictness>,
    /// Whether reads show a short anchor in front of each line and edits name lines by their anchors instead of by their text.
    /// Default: false.
    #[serde(default)]
    pub anchors: bool,
}

/// What happens to a change that breaks the syntax of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyntaxStrictness {
    /// It is made, and the result names the line.
    Warn,
    /// It is refused.
    Refuse,
    /// It is not checked.
    Off,
}

/// What happens to a change that replaces text by a placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaceholderStrictness {
    /// It is made, and the result names the line.
    Warn,
    /// It is refused.
    Refuse,
}

impl EditOptions {
    pub(crate) const fn rules(&self) -> EditRules {
        EditRules {
            require_read: self.require_read,
            syntax: match self.syntax {
                None | Some(SyntaxStrictness::Warn) => Strictness::Warn,
                Some(SyntaxStrictness::Refuse) => Strictness::Refuse,
                Some(SyntaxStrictness::Off) => Strictness::Off,
            },
            placeholders: match self.placeholders {
                None | Some(PlaceholderStrictness::Warn) => Strictness::Warn,
                Some(PlaceholderStrictness::Refuse) => Strictness::Refuse,
            },
        }
    }
}
