//! Why a request to a server failed, in words for a model.

use rmcp::ErrorData;
use rmcp::model::InitializeResult;
use rmcp::service::{ClientInitializeError, ServiceError};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};

/// Most characters of a server's own words in a message.
const WORDS_MAX: usize = 2_000;

/// Words of a server in a message of ours: bounded, and nothing in them is more than text.
pub(crate) fn words(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'))
        .take(WORDS_MAX)
        .collect();
    plain.trim().trim_end_matches('.').to_owned()
}

/// A failure of this server.
pub(crate) fn failed(server: &str, code: ErrorCode, message: String) -> ToolError {
    ToolError::new(code, message).with("server", server)
}

/// Nobody waits for it any more.
pub(crate) fn cancelled() -> ToolError {
    ToolError::new(
        ErrorCode::Cancelled,
        "The request to the MCP server was cancelled.",
    )
}

/// The server has answered with an error of the protocol.
pub(crate) fn answered(server: &str, error: &ErrorData) -> ToolError {
    let message = format!(
        "The MCP server `{server}` returned an error: {}.",
        words(&error.message)
    );
    let failure = failed(server, ErrorCode::HandlerFailed, message).with("rpcCode", error.code.0);
    match &error.data {
        Some(data) => failure.with("rpcData", data.clone()),
        None => failure,
    }
}

/// The server wants an authorisation that the toolkit has not.
pub(crate) fn unauthorized(server: &str) -> ToolError {
    let message = format!(
        "The MCP server `{server}` requires authorization. Ask the user to authorize it; the host calls `toolkit.mcp.authorize`."
    );
    failed(server, ErrorCode::AccessDenied, message).with("needsAuth", true)
}

/// A request after the start.
pub(crate) fn of_service(server: &str, error: &ServiceError) -> ToolError {
    if error.is_authorization_required() {
        return unauthorized(server);
    }
    match error {
        ServiceError::McpError(error) => answered(server, error),
        ServiceError::Timeout { timeout } => {
            let message = format!(
                "The MCP server `{server}` did not answer within {} s.",
                timeout.as_secs_f32()
            );
            failed(server, ErrorCode::Timeout, message)
        }
        ServiceError::Cancelled { .. } => cancelled(),
        ServiceError::InputRequiredRoundsExceeded { max_rounds } => failed(
            server,
            ErrorCode::HandlerFailed,
            format!(
                "The MCP server `{server}` asked for input {max_rounds} times without a result."
            ),
        ),
        ServiceError::UnexpectedResponse => failed(
            server,
            ErrorCode::HandlerFailed,
            format!(
                "The MCP server `{server}` answered with something else than what was requested."
            ),
        ),
        other => failed(
            server,
            ErrorCode::Network,
            format!(
                "The connection to the MCP server `{server}` failed: {}.",
                words(&deepest(other))
            ),
        ),
    }
}

/// A start that failed.
pub(crate) fn of_start(server: &str, error: &ClientInitializeError) -> ToolError {
    if error.is_authorization_required() {
        return unauthorized(server);
    }
    let reason = match error {
        ClientInitializeError::JsonRpcError(error) => return answered(server, error),
        ClientInitializeError::NoCompatibleProtocolVersion {
            server_supported, ..
        } => {
            let versions: Vec<_> = server_supported.iter().map(ToString::to_string).collect();
            format!("it speaks only {}", words(&versions.join(", ")))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            return of_start(server, fallback);
        }
        ClientInitializeError::ConnectionClosed(_) => "it ended before it answered".to_owned(),
        ClientInitializeError::ExpectedInitResult(given) => {
            let fault = given.as_ref().map_or_else(
                || "it is no result".to_owned(),
                |given| {
                    fault_of::<InitializeResult>(&serde_json::to_value(given).unwrap_or_default())
                },
            );
            format!("its answer to `initialize` is not valid: {}", words(&fault))
        }
        ClientInitializeError::TransportError { error, .. } => words(&deepest(error)),
        other => words(&deepest(other)),
    };
    let message = format!("The MCP server `{server}` could not be started: {reason}.");
    failed(server, ErrorCode::Unavailable, message)
}

/// Whether a start failed because nothing more came from the server, in place of an answer.
pub(crate) fn is_cut_off(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_cut_off(fallback),
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => true,
        _ => false,
    }
}

/// Why a value of a server is not what it is said to be, in the words of JSON.
pub(crate) fn fault_of<T: DeserializeOwned>(given: &Value) -> String {
    match serde_json::from_value::<T>(given.clone()) {
        Ok(_) => "it has not the form of the protocol".to_owned(),
        Err(error) => plain(&error.to_string()),
    }
}

/// A fault of a value without the names of types, which only a program knows.
fn plain(fault: &str) -> String {
    let (found, expected) = fault.split_once(", expected ").unwrap_or((fault, ""));
    match expected {
        "" => found.to_owned(),
        text if text.starts_with("struct ") || text == "a map" => {
            format!("{found}, expected an object")
        }
        text => format!("{found}, expected {text}"),
    }
}

/// What failed in the end.
fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    let said = last.to_string();
    let said = said.strip_prefix("unexpected server response: ");
    said.map_or_else(|| last.to_string(), str::to_owned)
}
