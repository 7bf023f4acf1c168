//! Servers of the Model Context Protocol that the host has named.
//!
//! The facade registers their tools as tools of the host, so that their calls become calls like all others; here is
//! what it needs to speak with the servers. Nothing of it exists in a toolkit that names none.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_mcp::{AnswerFuture, McpHost, ServerContext, Servers};
use tenon_process::Processes;
use tenon_state::redacted_form;
use tenon_tools::HostCallback;
use tenon_workspace::Workspace;

use crate::events::{Events, beginning};
use crate::faults::read;
use crate::history::{History, ServerQuestion};
use crate::host_callbacks::HostCallbacks;
use crate::options::SandboxOption;
use crate::web::HostRoute;

/// The servers of a toolkit, made with the first request.
pub(crate) struct Mcp {
    host: Option<Arc<dyn HostCallback>>,
    events: Events,
    pub(crate) context: ServerContext,
    pub(crate) servers: OnceLock<Servers>,
}

impl Mcp {
    pub(crate) fn new(
        callbacks: &HostCallbacks,
        processes: &Processes,
        workspace: &Workspace,
        reach: &HostRoute,
        events: &Events,
    ) -> Self {
        let (sandboxed, asked) = (reach.clone(), reach.clone());
        let roots: Vec<_> = workspace.roots().map(Path::to_owned).collect();
        let context = ServerContext {
            processes: processes.clone(),
            directory: workspace.root().to_owned(),
            sandbox: Arc::new(move |option| {
                let option: SandboxOption = read(&option.to_string(), "sandbox")?;
                option.sandbox(roots.clone(), &sandboxed)
            }),
            transport: Arc::new(move |guard| asked.transport_behind(guard)),
            allowed: reach.allowed().clone(),
        };
        Self {
            host: callbacks.mcp.clone(),
            events: events.clone(),
            context,
            servers: OnceLock::new(),
        }
    }

    pub(crate) fn servers(&self) -> Result<&Servers, ToolError> {
        let host = self.host.clone().ok_or_else(|| {
            ToolError::new(
                ErrorCode::Unavailable,
                "This toolkit has no MCP servers. Name them in the option `mcpServers`.",
            )
        })?;
        let host = Arc::new(Host {
            part: host,
            events: self.events.clone(),
        });
        Ok(self
            .servers
            .get_or_init(|| Servers::new(self.context.clone(), host)))
    }

    /// Ends all servers.
    pub(crate) async fn close(&self) {
        if let Some(servers) = self.servers.get() {
            servers.close().await;
        }
    }
}

impl fmt::Debug for Mcp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Mcp")
            .field(&self.servers.get())
            .finish()
    }
}

/// The part of the host that servers reach.
struct Host {
    part: Arc<dyn HostCallback>,
    events: Events,
}

impl McpHost for Host {
    fn ask(&self, request: Value) -> AnswerFuture {
        let Some((server, question)) = question_of(&request) else {
            return self.part.ask(request, None);
        };
        let (answer, events) = (self.part.ask(request, None), self.events.clone());
        Box::pin(async move {
            let began = Instant::now();
            let answer = answer.await;
            events.server_asked(&server, answered(question, &answer), began.elapsed());
            answer
        })
    }

    fn report(&self, event: Value) {
        let mut reporting = self.part.ask(event, None);
        // Sent with the first step, so that events keep their order. Nobody waits for the answer.
        let first = reporting
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        if matches!(first, Poll::Pending) {
            tokio::spawn(reporting);
        }
    }
}

/// What a server asks the user or the model of the host, and which server. Nothing where nobody is asked.
fn question_of(request: &Value) -> Option<(String, ServerQuestion)> {
    let (kind, asked) = (request["type"].as_str()?, &request["request"]);
    let text = |name: &str| asked[name].as_str().unwrap_or_default().to_owned();
    let (kind, message) = match kind {
        "sample" => {
            let count = asked["messages"].as_array().map_or(0, Vec::len);
            let what = if count == 1 { "message" } else { "messages" };
            ("sampling", format!("{count} {what}"))
        }
        "elicit" if asked["mode"] == "url" => {
            ("url", format!("{} {}", text("message"), text("url")))
        }
        "elicit" => ("form", text("message")),
        _ => return None,
    };
    let question = ServerQuestion {
        kind,
        message: beginning(&message),
        answer: String::new(),
        content: Value::Null,
    };
    Some((request["server"].as_str()?.to_owned(), question))
}

/// The question with what became of it. What a model wrote is not repeated.
fn answered(question: ServerQuestion, answer: &Result<Value, ToolError>) -> ServerQuestion {
    let (said, content) = match answer {
        Err(_) => ("failed", Value::Null),
        Ok(Value::Null) => ("decline", Value::Null),
        Ok(answer) => (
            answer["action"].as_str().unwrap_or("accept"),
            History::bounded(&redacted_form(&answer["content"])),
        ),
    };
    ServerQuestion {
        answer: said.to_owned(),
        content: if question.kind == "sampling" {
            Value::Null
        } else {
            content
        },
        ..question
    }
}

/// A configuration file of another program as JSON: `json` (with comments) or `toml`.
///
/// # Errors
/// Where it does not parse.
pub fn parse_configuration(format: &str, text: &str) -> Result<Value, ToolError> {
    let parsed = match format {
        "toml" => toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned()),
        _ => json5::from_str(text).map_err(|error| error.to_string()),
    };
    parsed.map_err(|reason| {
        let reason = reason.trim_end_matches('.');
        let name = if format == "toml" { "TOML" } else { "JSON" };
        ToolError::new(
            ErrorCode::Syntax,
            format!("The configuration is not valid {name}: {reason}."),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_question_is_reported_with_its_answer_and_without_secrets() {
        let request = json!({ "type": "elicit", "server": "db", "request": { "mode": "form", "message": "Log in." } });
        let (server, question) = question_of(&request).unwrap();
        let answer = json!({ "action": "accept", "content": { "user": "ada", "password": "hunter2", "token": 4711 } });
        let reported = serde_json::to_value(answered(question.clone(), &Ok(answer))).unwrap();
        assert_eq!(server, "db");
        assert_eq!(
            reported,
            json!({ "kind": "form", "message": "Log in.", "answer": "accept", "content": { "user": "ada", "password": "[redacted]", "token": "[redacted]" } })
        );
        let declined = answered(question.clone(), &Ok(json!({ "action": "decline" })));
        assert_eq!(
            (declined.answer.as_str(), declined.content),
            ("decline", Value::Null)
        );
        let failed = answered(question, &Err(ToolError::internal("no window")));
        assert_eq!(failed.answer, "failed");
    }

    #[test]
    fn what_asks_nobody_is_no_question() {
        assert!(question_of(&json!({ "type": "progress", "server": "db" })).is_none());
        let sample =
            json!({ "type": "sample", "server": "db", "request": { "messages": [{}, {}] } });
        let (_, question) = question_of(&sample).unwrap();
        assert_eq!(
            (question.kind, question.message.as_str()),
            ("sampling", "2 messages")
        );
    }
}
