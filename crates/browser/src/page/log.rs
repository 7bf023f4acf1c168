//! What a tab remembers for later results: console, requests, what was refused, what was offered.

use serde::Serialize;

/// A line of the console.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConsoleEntry {
    /// `log`, `warning`, `error` and so on.
    pub level: String,
    /// What it says.
    pub text: String,
    /// The script that wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// A request of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NetworkEntry {
    #[serde(skip)]
    pub(crate) id: String,
    /// Such as `GET`.
    pub method: String,
    /// What was asked for.
    pub url: String,
    /// `document`, `script`, `fetch` and so on.
    pub kind: String,
    /// The status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// What the answer is.
    #[serde(rename = "mimeType", skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Why there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A document that was not opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocked {
    /// Its address.
    pub url: String,
    /// Why.
    pub reason: String,
    /// The rule that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A file that a page offered and that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Offered {
    /// Its address.
    pub url: String,
    /// The name that the page gives it.
    pub name: String,
}
