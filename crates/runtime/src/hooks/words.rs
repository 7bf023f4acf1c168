//! What functions of the host say: read strictly, since a word that is not understood may have been a refusal.

use serde_json::{Map, Value, json};
use tenon_contract::{Content, ErrorCode, ToolError};

use super::{After, Before};
use crate::approval::OwnQuestion;

/// Reads what `before` returned: nothing, or `{params?, deny?, ask?}`.
pub(super) fn before(said: Value) -> Result<Before, ToolError> {
    let mut members = match said {
        Value::Null => return Ok(Before::default()),
        Value::Object(members) => members,
        other => {
            return Err(odd(&format!(
                "it returned {}, not `{{ params?, deny?, ask? }}`",
                kind(&other)
            )));
        }
    };
    let params = match members.remove("params") {
        None | Some(Value::Null) => None,
        Some(params @ Value::Object(_)) => Some(params),
        Some(other) => {
            return Err(odd(&format!(
                "`params` is {} and must be an object",
                kind(&other)
            )));
        }
    };
    let deny = match members.remove("deny") {
        None | Some(Value::Null | Value::Bool(false)) => None,
        Some(Value::Bool(true)) => Some("it gave no reason".to_owned()),
        Some(Value::String(why)) => Some(why),
        Some(other) => {
            return Err(odd(&format!(
                "`deny` is {} and must be a text or true",
                kind(&other)
            )));
        }
    };
    let ask = match members.remove("ask") {
        None | Some(Value::Null | Value::Bool(false)) => None,
        Some(asked @ (Value::Bool(true) | Value::String(_) | Value::Object(_))) => {
            OwnQuestion::read(&asked)
        }
        Some(other) => {
            return Err(odd(&format!(
                "`ask` is {} and must be a text, true or an object",
                kind(&other)
            )));
        }
    };
    unknown(&members, "`params`, `deny` and `ask`")?;
    Ok(Before {
        params,
        deny,
        ask,
        context: Vec::new(),
    })
}

/// Reads what `after` returned: nothing, a text, or `{content?, details?}`.
pub(super) fn after(said: Value) -> Result<After, ToolError> {
    let mut members = match said {
        Value::Null => return Ok(After::default()),
        Value::String(text) => {
            return Ok(After {
                content: Some(vec![Content::Text(text)]),
                ..After::default()
            });
        }
        Value::Object(members) => members,
        other => return Err(odd(&format!("it returned {}, not a result", kind(&other)))),
    };
    let content = match members.remove("content") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(vec![Content::Text(text)]),
        Some(Value::Array(parts)) => Some(parts.iter().map(content).collect::<Result<_, _>>()?),
        Some(other) => {
            return Err(odd(&format!(
                "`content` is {} and must be a list of parts",
                kind(&other)
            )));
        }
    };
    let details = members.remove("details");
    unknown(&members, "`content` and `details`")?;
    Ok(After {
        content,
        details,
        context: Vec::new(),
    })
}

/// One part of a content, as results have it.
fn content(part: &Value) -> Result<Content, ToolError> {
    let member = |name: &str| part.get(name).and_then(Value::as_str).map(str::to_owned);
    let read = match part.get("type").and_then(Value::as_str) {
        Some("text") => member("text").map(Content::Text),
        Some("image") => match (member("data"), member("mimeType")) {
            (Some(data), Some(mime_type)) => Some(Content::Image { data, mime_type }),
            _ => None,
        },
        _ => None,
    };
    read.ok_or_else(|| odd("a part of `content` is not `{ type: \"text\", text }` or `{ type: \"image\", data, mimeType }`"))
}

/// The same the other way.
pub(super) fn part(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!({ "type": "text", "text": text }),
        Content::Image { data, mime_type } => {
            json!({ "type": "image", "data": data, "mimeType": mime_type })
        }
    }
}

fn unknown(members: &Map<String, Value>, known: &str) -> Result<(), ToolError> {
    match members.keys().next() {
        None => Ok(()),
        Some(name) => {
            let name: String = name.chars().take(60).collect();
            Err(odd(&format!(
                "it returned the unknown member `{}`. Known members: {known}",
                name.escape_debug()
            )))
        }
    }
}

fn odd(problem: &str) -> ToolError {
    ToolError::new(ErrorCode::HandlerFailed, problem)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_may_change_deny_and_ask() {
        assert_eq!(before(Value::Null).unwrap(), Before::default());
        assert_eq!(before(json!({})).unwrap(), Before::default());
        let said = before(json!({ "params": { "a": 1 }, "deny": "no", "ask": false })).unwrap();
        assert_eq!(said.params, Some(json!({ "a": 1 })));
        assert_eq!(said.deny.as_deref(), Some("no"));
        assert_eq!(said.ask, None);
        let said = before(json!({ "deny": true, "ask": "sure?" })).unwrap();
        assert_eq!(said.deny.as_deref(), Some("it gave no reason"));
        assert_eq!(said.ask.unwrap().reason.as_deref(), Some("sure?"));
    }

    #[test]
    fn whatever_before_says_that_is_not_understood_is_an_error() {
        for said in [
            json!("deny"),
            json!(true),
            json!(false),
            json!(1),
            json!([]),
            json!({ "params": "x" }),
            json!({ "params": [] }),
            json!({ "deny": 1 }),
            json!({ "ask": [] }),
            json!({ "denied": true }),
            json!({ "decision": "block" }),
        ] {
            before(said.clone()).expect_err(&said.to_string());
        }
    }

    #[test]
    fn after_takes_texts_and_parts_and_nothing_else() {
        assert_eq!(after(Value::Null).unwrap(), After::default());
        let text = |text: &str| Some(vec![Content::text(text)]);
        assert_eq!(after(json!("x")).unwrap().content, text("x"));
        assert_eq!(after(json!({ "content": "x" })).unwrap().content, text("x"));
        let parts = json!({ "content": [{ "type": "text", "text": "x" }], "details": { "a": 1 } });
        let said = after(parts).unwrap();
        assert_eq!(
            (said.content, said.details),
            (text("x"), Some(json!({ "a": 1 })))
        );
        for said in [
            json!(1),
            json!([]),
            json!({ "content": 1 }),
            json!({ "content": [{ "type": "audio" }] }),
            json!({ "text": "x" }),
        ] {
            after(said.clone()).expect_err(&said.to_string());
        }
    }
}
