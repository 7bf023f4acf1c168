//! What is said of a response that is no page.

use tenon_contract::{ErrorCode, ToolError, limits};

use crate::page::{self, Removed};
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
        _ if is_challenge => "The site only allows browsers. Look for the information elsewhere.".to_owned(),
        401 | 403 => "The page requires a login, or the server blocks automated requests. Look for the information elsewhere.".to_owned(),
        404 | 410 => "There is no page at this URL. Check it, or search for the page.".to_owned(),
        429 | 503 => match retry_after {
            Some(1) => "Try again in 1 second.".to_owned(),
            Some(seconds) => format!("Try again in {seconds} seconds."),
            None => "Try again later.".to_owned(),
        },
        300 => "The server offers several pages. Choose the URL of one of them.".to_owned(),
        304 => "The server sent no page, only that it has not changed. Try again later.".to_owned(),
        301..=399 => "The redirect names no target. Check the URL.".to_owned(),
        500.. => "The server failed. Try again later.".to_owned(),
        _ => "Check the URL.".to_owned(),
    };
    let said = page::beginning(response, limits::WEB_ERROR_MAX_CHARACTERS);
    let mut message = format!(
        "`{}` returned status {status}{name}. {advice}",
        response.url
    );
    if !said.is_empty() {
        message.push_str(&format!(
            " The response begins with (untrusted content):\n{said}"
        ));
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

/// The body of a response as text, whatever it is: decoded where it is text, named where it is not. With what was
/// removed from it.
#[must_use]
pub fn response_text(response: &Response) -> (String, Removed) {
    if response.body.is_empty() {
        return Default::default();
    }
    page::source(response).unwrap_or_else(|_| {
        let size = match response.body.len() {
            1 => "1 byte".to_owned(),
            many => format!("{many} bytes"),
        };
        (format!("[{size} of binary data]"), Removed::default())
    })
}
