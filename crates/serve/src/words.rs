//! Messages of a toolkit as JSON-RPC, each beginning behind `{"jsonrpc":"2.0",`, and what a host says as what it means.

use serde::Deserialize;
use serde_json::{Value, json};
use tenon_border::{Kind, Message, Parts, Reply};

/// The number of a JSON-RPC error whose `data` is the error of a tool.
const TOOL_ERROR: i32 = -32000;

/// A message of the toolkit of this number.
pub(crate) fn body(toolkit: u32, message: &Message) -> String {
    let Message {
        kind, key, json, ..
    } = message;
    let content = || content_of(&message.content);
    let text = |text: &str| Value::from(text).to_string();
    match kind {
        Kind::Answer => {
            let content = content();
            format!(r#""id":"{toolkit}.{key}","result":{{"details":{json},"content":{content}}}}}"#)
        }
        Kind::Failure => failed(&format!("{toolkit}.{key}"), json),
        Kind::Closed if json.is_empty() => format!(r#""id":"{toolkit}.{key}","result":null}}"#),
        Kind::Closed => failed(&format!("{toolkit}.{key}"), json),
        Kind::Update => {
            let content = content();
            format!(
                r#""method":"update","params":{{"id":"{toolkit}.{key}","details":{json},"content":{content}}}}}"#
            )
        }
        Kind::Request => {
            let Parts::Text(part) = &message.content else {
                return warned(toolkit, "a request has no part");
            };
            let method = if part == "approve" { "ask" } else { "callback" };
            let part = text(part);
            format!(
                r#""id":"r{toolkit}.{key}","method":"{method}","params":{{"part":{part},"endless":{},"request":{json}}}}}"#,
                message.is_endless
            )
        }
        Kind::Withdrawn => format!(r#""method":"withdraw","params":{{"id":"r{toolkit}.{key}"}}}}"#),
        Kind::Telemetry => about(toolkit, "telemetry", json),
        Kind::Event => about(toolkit, "event", json),
        Kind::Warning => warned(toolkit, json),
    }
}

/// The answer to a question of the host, as JSON.
pub(crate) fn answered(id: &str, json: &str) -> String {
    format!(r#""id":{},"result":{json}}}"#, Value::from(id))
}

/// A failure under this id; `error` is the JSON of the error of a tool.
pub(crate) fn failed(id: &str, error: &str) -> String {
    let data: Value = serde_json::from_str(error).unwrap_or_default();
    let message = data.get("message").cloned().unwrap_or_default();
    let (id, message) = (Value::from(id), message);
    format!(r#""id":{id},"error":{{"code":{TOOL_ERROR},"message":{message},"data":{error}}}}}"#)
}

/// New entries of the history, as JSON.
pub(crate) fn history(toolkit: u32, entries: &str) -> String {
    about(toolkit, "history", entries)
}

fn about(toolkit: u32, method: &str, json: &str) -> String {
    format!(r#""method":"{method}","params":{{"toolkit":{toolkit},"value":{json}}}}}"#)
}

fn warned(toolkit: u32, sentence: &str) -> String {
    about(toolkit, "warning", &Value::from(sentence).to_string())
}

/// One text as it is, else the list of pairs.
fn content_of(content: &Parts) -> Value {
    match content {
        Parts::Text(text) => text.as_str().into(),
        Parts::Pairs(pairs) => json!(pairs),
    }
}

/// Parts as a host writes them.
#[derive(Deserialize)]
#[serde(untagged)]
enum GivenParts {
    Text(String),
    Pairs(Vec<String>),
}

/// What a host answers to a request.
#[derive(Deserialize)]
struct GivenReply {
    ok: bool,
    #[serde(default)]
    text: String,
    content: Option<GivenParts>,
}

/// The answer of a host. What cannot be read is a failure.
pub(crate) fn reply(given: Option<Value>) -> Reply {
    let read = given.and_then(|given| serde_json::from_value::<GivenReply>(given).ok());
    let Some(GivenReply { ok, text, content }) = read else {
        let message = "the answer of the host cannot be read";
        return Reply {
            is_ok: false,
            json: json!({ "message": message }).to_string(),
            content: Parts::Pairs(Vec::new()),
        };
    };
    let content = match content {
        Some(GivenParts::Text(text)) => Parts::Text(text),
        Some(GivenParts::Pairs(pairs)) => Parts::Pairs(pairs),
        None => Parts::Pairs(Vec::new()),
    };
    Reply {
        is_ok: ok,
        json: text,
        content,
    }
}

/// The toolkit and the number in an id such as `0.17`, or `r0.17` behind its letter.
pub(crate) fn numbers(id: &str) -> Option<(u32, u32)> {
    let (toolkit, key) = id.split_once('.')?;
    Some((toolkit.parse().ok()?, key.parse().ok()?))
}
