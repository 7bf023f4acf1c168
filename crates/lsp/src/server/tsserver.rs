//! Diagnostics from the tsserver behind typescript-language-server and vtsls, asked for directly.
//!
//! What those two push carries no version, comes late, and does not come at all for a file that was clean before. The
//! tsserver answers at once and for the text that it has, through a command that both pass on to it.

use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::diagnostics::diagnose::Findings;
use crate::error::RequestError;
use crate::freshness::documents::Document;
use crate::server::session::ServerSession;

/// The command that hands a request on to tsserver.
const COMMAND: &str = "typescript.tsserverRequest";
/// The requests that together are all diagnostics of a file.
const REQUESTS: [&str; 3] = [
    "syntacticDiagnosticsSync",
    "semanticDiagnosticsSync",
    "suggestionDiagnosticsSync",
];

/// A place of tsserver: both from 1, the offset in UTF-16.
#[derive(Debug, Deserialize)]
struct TsserverPosition {
    line: u32,
    offset: u32,
}

#[derive(Debug, Deserialize)]
struct Diagnostic {
    start: TsserverPosition,
    end: TsserverPosition,
    text: String,
    #[serde(default)]
    code: Option<u64>,
    #[serde(default)]
    category: String,
}

impl ServerSession {
    /// Whether this server passes requests on to a tsserver.
    pub(crate) fn reaches_tsserver(&self) -> bool {
        self.spec.quirks.tsserver
            && self
                .server_state
                .features(|features| features.has_command(COMMAND))
    }

    /// Makes the tsserver read its projects again.
    pub(crate) async fn reload_tsserver(
        &self,
        cancellation: &CancellationToken,
    ) -> Result<(), RequestError> {
        // Versions of it differ in whether they answer. So no answer is waited for, on which the server fails when it has passed it on.
        let arguments = json!(["reloadProjects", null, { "expectsResult": false }]);
        let params = json!({ "command": COMMAND, "arguments": arguments });
        let asked = self.ask_value("workspace/executeCommand", &params, cancellation);
        match asked.await {
            Ok(_) | Err(RequestError::Refused { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// All diagnostics of a file, by asking.
    pub(crate) async fn tsserver_findings(
        &self,
        document: &Document,
        cancellation: &CancellationToken,
    ) -> Result<Findings, RequestError> {
        let file = document
            .located
            .target()
            .to_string_lossy()
            .replace('\\', "/");
        let mut items = Vec::new();
        for request in REQUESTS {
            let params = json!({ "command": COMMAND, "arguments": [request, { "file": file }] });
            let answer = self
                .ask_value("workspace/executeCommand", &params, cancellation)
                .await?;
            let body = answer.get("body").and_then(Value::as_array);
            let Some(body) = body.filter(|_| answer.get("success") == Some(&Value::Bool(true)))
            else {
                let fault = answer
                    .get("message")
                    .and_then(Value::as_str)
                    .unwrap_or("tsserver gave no diagnostics");
                return Err(RequestError::Malformed {
                    method: request.to_owned(),
                    fault: fault.to_owned(),
                });
            };
            items.extend(body.iter().filter_map(diagnostic));
        }
        Ok(Findings {
            items,
            is_complete: true,
            is_answered: true,
            blind: None,
        })
    }
}

/// In the form of LSP.
fn diagnostic(item: &Value) -> Option<Value> {
    let Diagnostic {
        start,
        end,
        text,
        code,
        category,
    } = Diagnostic::deserialize(item).ok()?;
    let place = |place: TsserverPosition| json!({ "line": place.line.saturating_sub(1), "character": place.offset.saturating_sub(1) });
    let severity = match category.as_str() {
        "warning" => 2,
        "message" => 3,
        "suggestion" => 4,
        _ => 1,
    };
    Some(json!({
        "range": { "start": place(start), "end": place(end) },
        "severity": severity,
        "code": code,
        "source": "typescript",
        "message": text,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_0_and_categories_are_severities() {
        let item = json!({ "start": { "line": 2, "offset": 14 }, "end": { "line": 2, "offset": 15 }, "text": "no", "code": 2322, "category": "error" });
        let range = json!({ "start": { "line": 1, "character": 13 }, "end": { "line": 1, "character": 14 } });
        assert_eq!(
            diagnostic(&item),
            Some(
                json!({ "range": range, "severity": 1, "code": 2322, "source": "typescript", "message": "no" })
            )
        );
        assert_eq!(diagnostic(&json!({ "text": "no place" })), None);
    }
}
