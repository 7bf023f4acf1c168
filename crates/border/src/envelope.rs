//! How answers and failures are written for the host.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tenon_contract::{Content, Outcome, ToolError};
use tenon_runtime::{Explanation, HostFaults, SentParams};

/// The content of an answer as it crosses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parts {
    /// The text of the only part: the usual case, and the cheapest.
    Text(String),
    /// A flat list of pairs: media type (empty for text), data.
    Pairs(Vec<String>),
}

/// Splits an outcome into the JSON of its details and its content. Large texts stay out of the JSON:
/// escaping and parsing them costs several times what copying does.
pub(crate) fn split(outcome: Outcome) -> (String, Parts) {
    (outcome.details.into_json(), parts(outcome.content))
}

fn parts(mut content: Vec<Content>) -> Parts {
    if let [Content::Text(text)] = content.as_mut_slice() {
        return Parts::Text(std::mem::take(text));
    }
    Parts::Pairs(
        content
            .into_iter()
            .flat_map(|part| match part {
                Content::Text(text) => [String::new(), text],
                Content::Image { data, mime_type } => [mime_type, data],
            })
            .collect(),
    )
}

/// Content as the host reports it, in the same form.
pub(crate) fn contents(parts: Parts) -> Vec<Content> {
    let pairs = match parts {
        Parts::Text(text) => return vec![Content::Text(text)],
        Parts::Pairs(pairs) => pairs,
    };
    let mut pairs = pairs.into_iter();
    let mut contents = Vec::new();
    while let (Some(mime_type), Some(data)) = (pairs.next(), pairs.next()) {
        contents.push(if mime_type.is_empty() {
            Content::Text(data)
        } else {
            Content::Image { data, mime_type }
        });
    }
    contents
}

/// A failure as JSON: `{tool, error_type, message, details: {…, code}}`, by the name the model used.
#[must_use]
pub fn failure(tool: &str, error: &ToolError) -> Value {
    let mut details = error.details.clone();
    // A tool of the host may have a code of its own.
    let code = || Value::from(error.code.as_str());
    details.entry("code").or_insert_with(code);
    json!({
        "tool": tool,
        "error_type": error.error_type().as_str(),
        "message": error.message,
        "details": details,
    })
}

/// What a synchronous method answers: `{"ok": true, "value": …}` or `{"ok": false, "error": …}`.
#[must_use]
pub fn envelope<T: Serialize>(tool: &str, result: Result<T, ToolError>) -> String {
    #[derive(Serialize)]
    struct Answer<T> {
        ok: bool,
        value: T,
    }
    result
        .and_then(|value| to_json(&Answer { ok: true, value }))
        .unwrap_or_else(|error| json!({"ok": false, "error": failure(tool, &error)}).to_string())
}

/// What policy says to a call, in such an envelope. Written here, where crates are optimised for speed, and not wherever it is used.
#[must_use]
pub fn explained(tool: &str, result: Result<Explanation, ToolError>) -> String {
    envelope(tool, result)
}

/// How long most answers are.
const USUAL_BYTES: usize = 1024;

/// A value of the runtime as JSON.
///
/// # Errors
/// A value that JSON cannot represent.
pub fn to_json(value: &impl Serialize) -> Result<String, ToolError> {
    let mut json = Vec::with_capacity(USUAL_BYTES);
    serde_json::to_writer(&mut json, value).map_err(ToolError::internal)?;
    String::from_utf8(json).map_err(ToolError::internal)
}

/// Parameters as the host wrote them.
#[derive(Debug, Clone, Copy)]
pub struct WrittenParams<'w> {
    /// Their JSON.
    pub json: &'w str,
    /// What the host has found wrong with them, if anything: the JSON of [`HostFaults`].
    pub faults: Option<&'w str>,
}

impl WrittenParams<'_> {
    /// Reads them.
    ///
    /// # Errors
    /// Text that is not JSON.
    pub fn read(self) -> Result<SentParams, ToolError> {
        Ok(SentParams {
            value: parse(self.json)?,
            faults: match self.faults {
                Some(faults) => parse(faults)?,
                None => HostFaults::default(),
            },
        })
    }
}

/// Text of the host as what it means.
pub(crate) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, ToolError> {
    serde_json::from_str(json).map_err(|error| {
        ToolError::internal(format_args!(
            "the parameters did not cross as JSON ({error})"
        ))
    })
}
