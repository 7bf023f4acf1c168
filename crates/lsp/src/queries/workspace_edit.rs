//! Changes of files that a server proposes (LSP `WorkspaceEdit`): read here, made elsewhere.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::protocol::position::Span;
use crate::protocol::uri::file_path;

/// One step of a proposed change, in the order in which they are to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedChange {
    /// New text for parts of a file.
    Text {
        /// The file.
        path: PathBuf,
        /// The version of the text that the spans are about, where the server says.
        version: Option<i64>,
        /// The parts, in the server's units, and what comes in their place.
        edits: Vec<(Span, String)>,
    },
    /// A new, empty file.
    Create {
        /// The file.
        path: PathBuf,
        /// Whether one that exists is replaced.
        overwrite: bool,
        /// Whether one that exists is left alone.
        ignore_if_exists: bool,
    },
    /// Another path.
    Rename {
        /// The present one.
        from: PathBuf,
        /// The new one.
        to: PathBuf,
    },
    /// A file or directory goes.
    Delete {
        /// The file.
        path: PathBuf,
    },
}

/// A proposal that cannot be read. Nothing of it may be made then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the change that the server proposes is not valid: {0}")]
pub struct ProposalFault(String);

#[derive(Deserialize)]
struct TextEdit {
    range: Span,
    #[serde(rename = "newText")]
    new_text: String,
}

/// Reads a proposal. All or nothing: half a rename is worse than none.
///
/// # Errors
/// [`ProposalFault`] for what is no `WorkspaceEdit`, and for files that are none of this machine's.
pub(crate) fn proposed(edit: &Value) -> Result<Vec<ProposedChange>, ProposalFault> {
    // `documentChanges` wins where a server gives both.
    if let Some(changes) = edit.get("documentChanges").and_then(Value::as_array) {
        return changes.iter().map(step).collect();
    }
    let Some(changes) = edit.get("changes").and_then(Value::as_object) else {
        return Ok(Vec::new());
    };
    changes
        .iter()
        .map(|(uri, edits)| {
            Ok(ProposedChange::Text {
                path: path_of(uri)?,
                version: None,
                edits: texts(edits)?,
            })
        })
        .collect()
}

fn step(step: &Value) -> Result<ProposedChange, ProposalFault> {
    let path = |name: &str| path_of(step.get(name).and_then(Value::as_str).unwrap_or_default());
    let option = |name: &str| {
        step.get("options")
            .and_then(|options| options.get(name))
            .and_then(Value::as_bool)
            == Some(true)
    };
    match step.get("kind").and_then(Value::as_str) {
        Some("create") => Ok(ProposedChange::Create {
            path: path("uri")?,
            overwrite: option("overwrite"),
            ignore_if_exists: option("ignoreIfExists"),
        }),
        Some("rename") => Ok(ProposedChange::Rename {
            from: path("oldUri")?,
            to: path("newUri")?,
        }),
        Some("delete") => Ok(ProposedChange::Delete { path: path("uri")? }),
        Some(other) => Err(ProposalFault(format!(
            "it has a step of the unknown kind `{other}`"
        ))),
        None => {
            let document = step.get("textDocument").unwrap_or(&Value::Null);
            let uri = document
                .get("uri")
                .and_then(Value::as_str)
                .unwrap_or_default();
            Ok(ProposedChange::Text {
                path: path_of(uri)?,
                version: document.get("version").and_then(Value::as_i64),
                edits: texts(step.get("edits").unwrap_or(&Value::Null))?,
            })
        }
    }
}

fn path_of(uri: &str) -> Result<PathBuf, ProposalFault> {
    file_path(uri).ok_or_else(|| ProposalFault(format!("`{uri}` is not a file")))
}

fn texts(edits: &Value) -> Result<Vec<(Span, String)>, ProposalFault> {
    let edits: Vec<TextEdit> =
        Vec::deserialize(edits).map_err(|error| ProposalFault(error.to_string()))?;
    Ok(edits
        .into_iter()
        .map(|edit| (edit.range, edit.new_text))
        .collect())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::protocol::position::Position;
    use serde_json::json;

    #[test]
    fn both_forms_and_all_kinds_of_steps_are_read() {
        let range =
            json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 2 } });
        let span = Span {
            start: Position {
                line: 0,
                character: 1,
            },
            end: Position {
                line: 0,
                character: 2,
            },
        };
        let plain = json!({ "changes": { "file:///a": [{ "range": range, "newText": "x" }] } });
        let text = |version| ProposedChange::Text {
            path: "/a".into(),
            version,
            edits: vec![(span, "x".into())],
        };
        assert_eq!(proposed(&plain), Ok(vec![text(None)]));
        let steps = json!({ "changes": {}, "documentChanges": [
            { "textDocument": { "uri": "file:///a", "version": 3 }, "edits": [{ "range": range, "newText": "x", "annotationId": "y" }] },
            { "kind": "create", "uri": "file:///b", "options": { "ignoreIfExists": true } },
            { "kind": "rename", "oldUri": "file:///a", "newUri": "file:///c" },
            { "kind": "delete", "uri": "file:///d" },
        ] });
        let expected = vec![
            text(Some(3)),
            ProposedChange::Create {
                path: "/b".into(),
                overwrite: false,
                ignore_if_exists: true,
            },
            ProposedChange::Rename {
                from: "/a".into(),
                to: "/c".into(),
            },
            ProposedChange::Delete { path: "/d".into() },
        ];
        assert_eq!(proposed(&steps), Ok(expected));
        assert_eq!(proposed(&Value::Null), Ok(Vec::new()));
    }

    #[test]
    fn what_cannot_be_read_is_refused_as_a_whole() {
        for edit in [
            json!({ "changes": { "untitled:1": [] } }),
            json!({ "changes": { "file:///a": [{ "newText": "x" }] } }),
            json!({ "documentChanges": [{ "kind": "explode", "uri": "file:///a" }] }),
            json!({ "documentChanges": [{ "edits": [] }] }),
        ] {
            assert!(proposed(&edit).is_err(), "{edit}");
        }
    }
}
