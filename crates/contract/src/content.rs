//! What a call answers.

use std::any::Any;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Condensation, Details};

/// One part of what the model sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// The bytes, base64 (RFC 4648 section 4, padded).
        data: String,
        /// Such as `image/png`.
        mime_type: String,
    },
}

impl Content {
    /// A text part.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Length of the part as it crosses to the model, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Image { data, .. } => data.len(),
        }
    }
}

/// The answer to one call as a dialect renders it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// For the model.
    pub content: Vec<Content>,
    /// For programs: a JSON object whose shape the dialect documents.
    pub details: Details,
    /// The files that the call changed, for history and telemetry.
    pub changes: Vec<FileChange>,
}

/// What an operation found or did, before a dialect renders it in its own words and fields.
///
/// A dialect gets the typed value back by upcasting to [`Any`].
pub trait Output: Any + Send {
    /// The files that were changed, so that an orchestrator can build snapshots of a turn.
    fn changes(&self) -> Vec<FileChange> {
        Vec::new()
    }

    /// The files of which it shows something, below the workspace or by absolute paths, where the access of the call names
    /// only a directory above them.
    fn shown_files(&self) -> Vec<String> {
        Vec::new()
    }

    /// The id of the command that continues in the background, if one does.
    fn background(&self) -> Option<&str> {
        None
    }

    /// How much of its text is shown, where that is not all of it.
    fn condensed(&self) -> Option<Condensation> {
        None
    }
}

/// One file that a call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Relative to the workspace, with `/`.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
}

/// The most files that a sentence names.
const NAMED_FILES: usize = 10;

impl FileChange {
    /// Which files were changed, in a sentence without its period. Nothing where there are none.
    #[must_use]
    pub fn listed(changes: &[Self]) -> Option<String> {
        let paths = changes.iter().take(NAMED_FILES);
        let paths: Vec<&str> = paths.map(|change| change.path.as_str()).collect();
        let more = match changes.len() - paths.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!paths.is_empty()).then(|| format!("Changed files: {}{more}", paths.join(", ")))
    }
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It did not exist before.
    Create,
    /// Its content or mode is another.
    Update,
    /// It is gone.
    Delete,
    /// It has another path.
    Move,
}
