//! What is told of an answer that is no page.

use tenon_contract::{ErrorCode, ToolError, limits};

use crate::page;
use crate::request::Response;
use crate::search::retry_after;

/// The error of an answer that is not the page, with the beginning of what the server said. Nothing when it is one.
#[must_use]
pub fn failure(response: &Response) -> Option<ToolError> {
    let status = response.status;
    if (200..300).contains(&status) {
        return None;
    }
    let name = reqwest::StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .map_or_else(String::new, |name| format!(" {name}"));
    let retry_after = retry_after(response);
    let is_challenge = response.header(reqwest::header::HeaderName::from_static("cf-mitigated"))
        == Some("challenge");
    let advice = match status {
        _ if is_challenge => "The site lets only browsers in. Look for the same in another place.".to_owned(),
        401 | 403 => "The server wants somebody who is signed in, or no programs at all. Look for the same in another place.".to_owned(),
        404 | 410 => "There is nothing at this address. Check it, or search for the page.".to_owned(),
        429 | 503 => match retry_after {
            Some(seconds) => format!("Try again in {seconds} seconds."),
            None => "Try again later.".to_owned(),
        },
        300..=399 => "It names no other place to go to. Check the address.".to_owned(),
        500.. => "The server failed. Try again later.".to_owned(),
        _ => "Check the address.".to_owned(),
    };
    let said = page::beginning(response, limits::WEB_ERROR_MAX_CHARACTERS);
    let mut message = format!(
        "`{}` answered with status {status}{name}. {advice}",
        response.url
    );
    if !said.is_empty() {
        message.push_str(&format!(" The answer begins (untrusted content):\n{said}"));
    }
    let code = match status {
        404 | 410 => ErrorCode::NotFound,
        _ => ErrorCode::Network,
    };
    let mut error = ToolError::new(code, message)
        .with("url", response.url.to_string())
        .with("status", status)
        .with("body", said);
    if let Some(seconds) = retry_after {
        error = error.with("retry_after_seconds", seconds);
    }
    Some(error)
}

/// The body of an answer as text, whatever it is: decoded where it is text, named where it is not.
#[must_use]
pub fn response_text(response: &Response) -> String {
    if response.body.is_empty() {
        return String::new();
    }
    match page::source(response) {
        Ok(text) => text,
        Err(_) => format!("[{} bytes that are no text]", response.body.len()),
    }
}
