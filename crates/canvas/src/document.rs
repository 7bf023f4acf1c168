//! A canvas as a host of MCP Apps takes it.

use serde::Serialize;
use serde_json::{Value, json};

use crate::origins::{Origin, Origins};
use crate::page::Page;

/// The type of the documents.
pub const APP_MIME_TYPE: &str = "text/html;profile=mcp-app";
/// The document without content, which comes with the result of a call.
pub const TEMPLATE_URI: &str = "ui://tenon/canvas";
/// What the address of every canvas begins with.
pub const SCHEME: &str = "ui://tenon/canvas/";

/// What a document may use, in the words of MCP Apps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Domains {
    connect_domains: Vec<Origin>,
    resource_domains: Vec<Origin>,
}

impl Domains {
    pub(crate) fn of(origins: &Origins) -> Self {
        Self {
            connect_domains: origins.connect.clone(),
            resource_domains: origins.resources.clone(),
        }
    }
}

/// A document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub title: String,
    /// [`APP_MIME_TYPE`].
    pub mime_type: &'static str,
    /// The whole of it.
    pub text: String,
    /// What it may use.
    pub csp: Domains,
    /// What the document without content takes with the result of a call; nothing for that document itself.
    pub state: Value,
}

/// The document without content, with the origins that the host opens to every canvas.
#[must_use]
pub fn template(origins: &Origins) -> Document {
    let state =
        json!({ "id": null, "hash": null, "data": null, "version": env!("CARGO_PKG_VERSION") });
    let page = Page {
        title: "Canvas",
        origins,
        state: &state,
        body: "",
    };
    Document {
        uri: TEMPLATE_URI.to_owned(),
        title: "Canvas".to_owned(),
        mime_type: APP_MIME_TYPE,
        text: page.html(),
        csp: Domains::of(origins),
        state: Value::Null,
    }
}
