//! What changes of files have to keep to.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_tools::{EditRules, Strictness};

/// What edits, writes and patches have to keep to.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EditOptions {
    /// Whether a file that exists is only changed after this session has read it. Default: false.
    #[serde(default)]
    pub require_read: bool,
    /// What becomes of a change after which a file parses less well than before: it is made and the answer names the
    /// line (`warn`), it is refused (`refuse`), or nobody looks (`off`). For JavaScript, TypeScript, Python, Rust,
    /// Go, C, C++, Java, JSON, bash, HTML and CSS, in files up to 512 KiB. Default: `warn`.
    pub syntax: Option<SyntaxStrictness>,
    /// What becomes of a change that puts a line such as `// ... existing code ...` where text is gone: it is made
    /// and the answer names the line (`warn`), or it is refused (`refuse`). Default: `warn`.
    pub placeholders: Option<PlaceholderStrictness>,
}

/// What becomes of a change that breaks the syntax of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyntaxStrictness {
    /// It is made, and the answer names the line.
    Warn,
    /// It is refused.
    Refuse,
    /// Nobody looks.
    Off,
}

/// What becomes of a change that puts a placeholder where text is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaceholderStrictness {
    /// It is made, and the answer names the line.
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
