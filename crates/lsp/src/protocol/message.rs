//! JSON-RPC 2.0 messages, read tolerantly: what is inside is looked at only when somebody wants it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tenon_contract::strip_escapes;

/// The id of a request. Ours are numbers; a server may use texts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

/// What a server answers instead of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResponseError {
    /// Of JSON-RPC or LSP, such as -32601 (method not found) or -32801 (content modified).
    pub code: i64,
    /// In the server's words, without escape sequences, and no more of them than a reader needs.
    #[serde(default, deserialize_with = "words")]
    pub message: String,
}

/// Longest text of an error that is kept: some servers put a whole backtrace into it.
const WORDS_MAX: usize = 1_000;

fn words<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = strip_escapes(&String::deserialize(deserializer)?)
        .trim()
        .to_owned();
    Ok(match text.char_indices().nth(WORDS_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    })
}

impl ResponseError {
    /// The server, or here the client, does not know the method.
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    /// The server shut down or was never initialised.
    pub(crate) const CONTENT_MODIFIED: i64 = -32801;
    pub(crate) const SERVER_CANCELLED: i64 = -32802;
    pub(crate) const REQUEST_FAILED: i64 = -32803;
    pub(crate) const REQUEST_CANCELLED: i64 = -32800;

    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// Whether the same request may well succeed a moment later.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(
            self.code,
            Self::CONTENT_MODIFIED | Self::SERVER_CANCELLED | Self::REQUEST_CANCELLED
        )
    }
}

/// One message from a server.
#[derive(Debug)]
pub(crate) enum Incoming {
    Request {
        id: Id,
        method: String,
        params: Option<Box<RawValue>>,
    },
    Notification {
        method: String,
        params: Option<Box<RawValue>>,
    },
    Response {
        id: Id,
        result: Result<Option<Box<RawValue>>, ResponseError>,
    },
    /// Well-formed JSON that is no message: passed over.
    Other,
}

#[derive(Deserialize)]
struct Wire {
    #[serde(default)]
    id: Option<Id>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Value>,
}

/// Reads one message. Its params and result are not parsed yet: they may be of any depth.
///
/// # Errors
/// When it is no JSON.
pub(crate) fn read(bytes: &[u8]) -> Result<Incoming, serde_json::Error> {
    let wire: Wire = match serde_json::from_slice(bytes) {
        // A list would be taken for the members in their order.
        Ok(_) if !bytes.trim_ascii_start().starts_with(b"{") => return Ok(Incoming::Other),
        Ok(wire) => wire,
        // A number or a list, or an id that is neither number nor text.
        Err(error) if error.is_data() => return Ok(Incoming::Other),
        Err(error) => return Err(error),
    };
    Ok(match (wire.method, wire.id) {
        (Some(method), Some(id)) => Incoming::Request {
            id,
            method,
            params: wire.params,
        },
        (Some(method), None) => Incoming::Notification {
            method,
            params: wire.params,
        },
        (None, Some(id)) => Incoming::Response {
            id,
            result: match wire.error.filter(|error| !error.is_null()) {
                None => Ok(wire.result),
                Some(error) => Err(serde_json::from_value(error).unwrap_or_else(|_| {
                    ResponseError::new(ResponseError::REQUEST_FAILED, "It gave no reason.")
                })),
            },
        },
        (None, None) => Incoming::Other,
    })
}

#[derive(Serialize)]
struct Request<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
}

/// A request, or without an `id` a notification, as it is sent. Without `params` the member is left out: some
/// servers refuse `null`.
pub(crate) fn write_call<P: Serialize>(
    id: Option<i64>,
    method: &str,
    params: Option<&P>,
) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&Request {
        jsonrpc: "2.0",
        id,
        method,
        params,
    })
}

#[derive(Serialize)]
#[serde(untagged)]
enum Response<'a> {
    Result {
        jsonrpc: &'static str,
        id: &'a Id,
        result: &'a Value,
    },
    Error {
        jsonrpc: &'static str,
        id: &'a Id,
        error: &'a ResponseError,
    },
}

/// The answer to a request of the server, as it is sent.
pub(crate) fn write_response(
    id: &Id,
    answer: &Result<Value, ResponseError>,
) -> Result<Vec<u8>, serde_json::Error> {
    let jsonrpc = "2.0";
    serde_json::to_vec(&match answer {
        Ok(result) => Response::Result {
            jsonrpc,
            id,
            result,
        },
        Err(error) => Response::Error { jsonrpc, id, error },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(text: &str) -> String {
        match read(text.as_bytes()) {
            Ok(Incoming::Request { id, method, params }) => {
                format!("request {id:?} {method} {}", params.is_some())
            }
            Ok(Incoming::Notification { method, params }) => {
                format!("notification {method} {}", params.is_some())
            }
            Ok(Incoming::Response { id, result }) => match result {
                Ok(result) => format!("{id:?} = {:?}", result.map(|it| it.get().to_owned())),
                Err(error) => format!("{id:?} ! {} {}", error.code, error.message),
            },
            Ok(Incoming::Other) => "other".to_owned(),
            Err(_) => "no JSON".to_owned(),
        }
    }

    #[test]
    fn of_the_text_of_an_error_no_more_is_kept_than_a_reader_needs() {
        let error = |message: &str| {
            let error = serde_json::json!({ "code": -32603, "message": message });
            serde_json::from_value::<ResponseError>(error)
                .unwrap()
                .message
        };
        assert_eq!(error("\u{1b}[31mno\u{1b}[0m such file\n"), "no such file");
        assert_eq!(error(&"ä".repeat(5_000)), format!("{}…", "ä".repeat(1_000)));
    }

    #[test]
    fn messages_are_reported_apart_by_their_members() {
        for (text, expected) in [
            (
                r#"{"id":"a","method":"m","params":[]}"#,
                r#"request Text("a") m true"#,
            ),
            (r#"{"jsonrpc":"2.0","method":"m"}"#, "notification m false"),
            (
                r#"{"id":3,"result":{"x":[1]}}"#,
                r#"Number(3) = Some("{\"x\":[1]}")"#,
            ),
            (r#"{"id":3,"result":null}"#, "Number(3) = None"),
            (r#"{"id":3}"#, "Number(3) = None"),
            (
                r#"{"id":3,"error":{"code":-32601,"message":"no"}}"#,
                "Number(3) ! -32601 no",
            ),
            (r#"{"id":3,"error":{"code":1}}"#, "Number(3) ! 1 "),
            (
                r#"{"id":3,"error":"odd"}"#,
                "Number(3) ! -32803 It gave no reason.",
            ),
            (r#"{"id":null,"error":null}"#, "other"),
            ("[1]", "other"),
            (r#"{"id":1.5,"method":"m"}"#, "other"),
            ("{", "no JSON"),
            ("\u{1}", "no JSON"),
        ] {
            assert_eq!(reported(text), expected, "{text}");
        }
    }

    #[test]
    fn a_result_of_any_depth_reaches_caller_asked() {
        let deep = format!(
            "{{\"id\":1,\"result\":{}{}}}",
            "[".repeat(5000),
            "]".repeat(5000)
        );
        assert!(reported(&deep).starts_with("Number(1) = Some"));
    }

    #[test]
    fn what_is_sent_has_no_null_params() {
        let text = |bytes: Result<Vec<u8>, _>| String::from_utf8(bytes.unwrap()).unwrap();
        assert_eq!(
            text(write_call::<()>(Some(1), "shutdown", None)),
            r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#
        );
        assert_eq!(
            text(write_response(&Id::Text("x".into()), &Ok(Value::Null))),
            r#"{"jsonrpc":"2.0","id":"x","result":null}"#
        );
        assert_eq!(
            text(write_response(
                &Id::Number(2),
                &Err(ResponseError::new(-32601, "no"))
            )),
            r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#
        );
    }
}
