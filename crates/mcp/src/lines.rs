//! Messages of a server that cannot be read as they are: lines of a program, bodies and events of an address.

use std::borrow::Cow;

use rmcp::model::{JsonRpcError, RequestId, ServerJsonRpcMessage};
use serde_json::{Value, json};

/// How much of the beginning and of the end of a line is searched for its id.
pub(crate) const EDGE_BYTES: usize = 512;
/// The byte order mark, which some programs write before their first line.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// What a line stands for, in one line or, for a batch, in several.
pub(crate) fn readable(line: &[u8]) -> Cow<'_, [u8]> {
    match batch(line) {
        Some(batch) => Cow::Owned(batch.concat().into_bytes()),
        None => one(line),
    }
}

/// The messages of a reply to one request, or of an event: several for a batch. An error that names no request answers
/// the one that was sent: over HTTP a server that cannot read a request does not know its id.
pub(crate) fn messages(reply: &[u8], request: Option<&RequestId>) -> Vec<String> {
    let text = |one: &[u8]| String::from_utf8_lossy(one).trim().to_owned();
    let messages = match batch(reply) {
        Some(batch) => batch.iter().map(|line| text(line.as_bytes())).collect(),
        None => vec![text(&one(reply))],
    };
    let named = |message: String| match request {
        Some(request) => named(message, request),
        None => message,
    };
    messages.into_iter().map(named).collect()
}

fn named(message: String, request: &RequestId) -> String {
    if !message.contains("\"error\"") {
        return message;
    }
    match serde_json::from_str(&message) {
        Ok(ServerJsonRpcMessage::Error(JsonRpcError {
            id: None, error, ..
        })) => {
            let error = ServerJsonRpcMessage::error(error, Some(request.clone()));
            serde_json::to_string(&error).unwrap_or(message)
        }
        _ => message,
    }
}

/// The messages of a batch, as a line each. The revision 2025-03-26 has batches.
fn batch(given: &[u8]) -> Option<Vec<String>> {
    let given = given.strip_prefix(MARK).unwrap_or(given);
    if given.trim_ascii_start().first() != Some(&b'[') {
        return None;
    }
    let text = whole_characters(&String::from_utf8_lossy(given));
    let messages: Vec<Value> = serde_json::from_str(text.trim()).ok()?;
    let is_batch = !messages.is_empty() && messages.iter().all(Value::is_object);
    let line = |message: &Value| {
        let message = format!("{message}\n");
        String::from_utf8_lossy(&one(message.as_bytes())).into_owned()
    };
    is_batch.then(|| messages.iter().map(line).collect())
}

/// The message itself where it can be read; else with U+FFFD for what is no text; else an error for the request that it
/// answers. What answers nothing stays as it is, and is passed over.
fn one(line: &[u8]) -> Cow<'_, [u8]> {
    let line = line.strip_prefix(MARK).unwrap_or(line);
    let is_message = |text: &[u8]| serde_json::from_slice::<ServerJsonRpcMessage>(text).is_ok();
    if line.trim_ascii().is_empty() || is_message(line) {
        return Cow::Borrowed(line);
    }
    let text = whole_characters(&String::from_utf8_lossy(line));
    if is_message(text.as_bytes()) {
        return Cow::Owned(text.into_bytes());
    }
    match answer_to(text.trim()) {
        Some(answer) => Cow::Owned(answer),
        None => Cow::Borrowed(line),
    }
}

/// An error in the place of an answer.
pub(crate) fn refusal(id: &Value, reason: &str) -> Vec<u8> {
    error_line(id, &json!(-32603), reason)
}

fn error_line(id: &Value, code: &Value, message: &str) -> Vec<u8> {
    let error =
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    format!("{error}\n").into_bytes()
}

/// What stands for an answer that is not one of the protocol.
fn answer_to(text: &str) -> Option<Vec<u8>> {
    let is_id = |id: &Value| id.is_number() || id.is_string();
    let Ok(message) = serde_json::from_str::<Value>(text) else {
        let bytes = text.as_bytes();
        let head = bytes.get(..EDGE_BYTES).unwrap_or(bytes);
        let tail = bytes
            .get(bytes.len().saturating_sub(EDGE_BYTES)..)
            .unwrap_or(bytes);
        let is_answer = !String::from_utf8_lossy(head).contains("\"method\"");
        let id = id_in(head, tail).filter(|_| is_answer)?;
        return Some(refusal(
            &id,
            "its answer cannot be read: it is not valid JSON, or nested too deep",
        ));
    };
    let id = message.get("id").filter(|id| is_id(id))?;
    if message.get("method").is_some() {
        return None;
    }
    let Some(error) = message.get("error") else {
        return Some(refusal(
            id,
            "its answer cannot be read: it has not the form of the protocol",
        ));
    };
    let code = error.get("code").filter(|code| code.as_i64().is_some());
    let said = error.get("message").unwrap_or(error);
    let said = match said {
        Value::String(said) => said.clone(),
        other => format!("it gave no reason ({other})"),
    };
    Some(error_line(id, code.unwrap_or(&json!(-32603)), &said))
}

/// A line of JSON with U+FFFD in the place of each escaped half of a surrogate pair.
fn whole_characters(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let (keep, length) = match (unit(escape), unit(escape.get(6..).unwrap_or_default())) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (true, 12),
            (Some(0xD800..=0xDFFF), _) => (false, 6),
            (Some(_), _) => (true, 6),
            (None, _) => (true, 1 + escape.chars().nth(1).map_or(0, char::len_utf8)),
        };
        let (escape, after) = escape.split_at(length);
        whole.push_str(if keep { escape } else { "\\ufffd" });
        rest = after;
    }
    whole.push_str(rest);
    whole
}

/// The code unit of an escape `\uXXXX` at the beginning of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// The id of an answer of which only the beginning and the end are known: servers write it in one of both places.
pub(crate) fn id_in(head: &[u8], tail: &[u8]) -> Option<Value> {
    let head = String::from_utf8_lossy(head);
    let tail = String::from_utf8_lossy(tail);
    let behind = |text: &str| {
        let value = text.trim_start().strip_prefix(':')?;
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        let id = values.next()?.ok()?;
        (id.is_number() || id.is_string()).then_some(id)
    };
    // At the beginning it stands before anything that could hold another one.
    let payload = head.find("\"result\"").unwrap_or(head.len());
    let first = head.find("\"id\"").filter(|at| *at < payload);
    if let Some(id) = first.and_then(|at| behind(head.get(at + 4..)?)) {
        return Some(id);
    }
    let last = tail.rfind("\"id\"").and_then(|at| tail.get(at + 4..))?;
    let rest = last.trim_end().strip_suffix('}')?;
    // Nothing but the id and the version may follow.
    (!rest.contains(['}', ']', '{', '['])).then(|| behind(last))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[u8]) -> String {
        String::from_utf8(readable(line).into_owned()).unwrap()
    }

    #[test]
    fn halves_of_characters_and_bytes_that_are_no_text_are_read_as_replacement_characters() {
        let answer = |text: &str| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n"
            )
        };
        for (given, expected) in [
            ("a\\ud83d", "a\\ufffd"),
            ("\\ude00b", "\\ufffdb"),
            ("\\ud83d\\ud83d\\ude00", "\\ufffd\\ud83d\\ude00"),
            ("\\\\ud83d \\ud83d\\n", "\\\\ud83d \\ufffd\\n"),
            ("\\ud83d\\\\ude00", "\\ufffd\\\\ude00"),
            ("\\\\ud83d", "\\\\ud83d"),
        ] {
            assert_eq!(read(answer(given).as_bytes()), answer(expected));
        }
        let mut wrong = answer("@").into_bytes();
        for byte in wrong.iter_mut().filter(|byte| **byte == b'@') {
            *byte = 0xFF;
        }
        assert_eq!(read(&wrong), answer("\u{fffd}"));
    }

    #[test]
    fn an_error_that_names_no_request_answers_the_one_that_was_sent() {
        let error = r#""jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"}"#;
        let expected = json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": -32000, "message": "Bad Request" } });
        for reply in [
            format!("{{{error}}}"),
            format!("{{{error},\"id\":null}}"),
            format!("[{{{error}}}]"),
        ] {
            let found = messages(reply.as_bytes(), Some(&RequestId::Number(7)));
            let found: Vec<Value> = found
                .iter()
                .map(|message| serde_json::from_str(message).unwrap())
                .collect();
            assert_eq!(found, std::slice::from_ref(&expected), "{reply}");
        }
        let other = format!("{{\"id\":6,{error}}}");
        let found = messages(other.as_bytes(), Some(&RequestId::Number(7)));
        assert_eq!(found, [other]);
    }

    #[test]
    fn a_batch_is_its_messages_and_a_byte_order_mark_is_nothing() {
        let message = |id: u8| format!(r#"{{"id":{id},"jsonrpc":"2.0","result":{{}}}}"#);
        let batch = format!("[{},{}]\n", message(1), message(2));
        let lines = format!("{}\n{}\n", message(1), message(2));
        assert_eq!(read(batch.as_bytes()), lines);
        assert_eq!(messages(batch.as_bytes(), None), [message(1), message(2)]);
        let marked = format!("\u{feff}{}\n", message(1));
        assert_eq!(read(marked.as_bytes()), format!("{}\n", message(1)));
        for other in ["[1, 2]\n", "[info] ready\n", "[]\n"] {
            assert_eq!(read(other.as_bytes()), other);
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_an_error_for_its_request() {
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"a\":{}{}}}}}",
            "[".repeat(200),
            "]".repeat(200)
        );
        let error = |code: i32, message: &str| {
            format!(
                "{{\"error\":{{\"code\":{code},\"message\":\"{message}\"}},\"id\":1,\"jsonrpc\":\"2.0\"}}\n"
            )
        };
        let form = "its answer cannot be read: it has not the form of the protocol";
        let json = "its answer cannot be read: it is not valid JSON, or nested too deep";
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":5}}"#,
                error(5, r#"it gave no reason ({\"code\":5})"#),
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
                error(-32603, "no"),
            ),
            (r#"{"id":1,"result":{}}"#, error(-32603, form)),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"a":}}"#,
                error(-32603, json),
            ),
            (&deep, error(-32603, json)),
        ] {
            let line = format!("{line}\n");
            let found: Value = serde_json::from_str(&read(line.as_bytes())).unwrap();
            let expected: Value = serde_json::from_str(&expected).unwrap();
            assert_eq!(found, expected, "{line}");
        }
        for other in [
            "noise\n",
            "\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}\n",
        ] {
            assert_eq!(read(other.as_bytes()), other);
        }
    }
}
