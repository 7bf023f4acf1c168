//! Why a request failed.

use tenon_contract::{ErrorCode, ToolError};

use crate::address::{Refusal, WebUrl};
use crate::upstream::Target;
use crate::visible;

/// Why a request failed. Cheap to clone: several callers may wait for one answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The URL is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The name leads nowhere.
    #[error("The host `{host}` could not be found: {reason}. Check its spelling.")]
    Unresolved {
        /// The host.
        host: String,
        /// What the resolver said.
        reason: String,
    },
    /// No connection, a TLS failure, or a peer that does not speak HTTP.
    #[error("The request to `{url}` failed: {reason}.")]
    Failed {
        /// The address.
        url: String,
        /// The deepest cause.
        reason: String,
    },
    /// The proxy of the host lets nothing through.
    #[error("The request to `{url}` failed at the proxy of this application: {reason}.")]
    Proxy {
        /// The address.
        url: String,
        /// What the proxy did.
        reason: String,
    },
    /// The time limit was reached.
    #[error(
        "The request to `{url}` timed out after {limit_ms} ms ({received} bytes received). \
         Try again later, or use another URL."
    )]
    Timeout {
        /// The address.
        url: String,
        /// The limit, in milliseconds.
        limit_ms: u64,
        /// Bytes of the body that had come.
        received: u64,
    },
    /// Headers over the limit.
    #[error("The response of `{url}` has more than {limit} bytes of headers.")]
    Headers {
        /// The address.
        url: String,
        /// The limit, in bytes.
        limit: usize,
    },
    /// Too many redirects.
    #[error(
        "`{url}` redirects more than {limit} times, last to `{last}`. Use the URL of the page itself."
    )]
    Redirects {
        /// The address that was asked first.
        url: String,
        /// The limit.
        limit: usize,
        /// Where it led last.
        last: String,
    },
    /// Redirects in a circle.
    #[error("`{url}` redirects in a circle, back to `{again}`. Use another URL.")]
    Circle {
        /// The address that was asked first.
        url: String,
        /// The one that came twice.
        again: String,
    },
    /// A content coding that cannot be undone.
    #[error("The response of `{url}` has a content encoding that cannot be decoded: {problem}.")]
    Coding {
        /// The address.
        url: String,
        /// Which, and why.
        problem: String,
    },
    /// A bug.
    #[error("{0}")]
    Internal(String),
}

impl WebError {
    /// A proxy that did not do what it was asked for.
    pub(crate) fn proxy(url: &WebUrl, target: &Target, reason: String) -> Self {
        let hint = match target {
            Target::Checked(_) if !url.is_secure() && reason.contains("refuses a tunnel") => {
                ", as many do for `http`. Use the `https` URL"
            }
            _ => "",
        };
        Self::Proxy {
            url: url.to_string(),
            reason: format!("{reason}{hint}"),
        }
    }
}

impl From<WebError> for ToolError {
    fn from(error: WebError) -> Self {
        let message = error.to_string();
        match error {
            WebError::Refused(refusal) => refusal.into(),
            WebError::Unresolved { host, .. } => {
                Self::new(ErrorCode::Network, message).with("host", host)
            }
            WebError::Timeout {
                url,
                limit_ms,
                received,
            } => Self::new(ErrorCode::Timeout, message)
                .with("url", url)
                .with("timeout_ms", limit_ms)
                .with("received_bytes", received),
            WebError::Failed { url, .. }
            | WebError::Proxy { url, .. }
            | WebError::Headers { url, .. }
            | WebError::Redirects { url, .. }
            | WebError::Circle { url, .. }
            | WebError::Coding { url, .. } => {
                Self::new(ErrorCode::Network, message).with("url", url)
            }
            WebError::Internal(what) => Self::internal(what),
        }
    }
}

/// The deepest cause of a failure, in one visible line, without its last full stop.
pub(crate) fn deepest(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    let text = visible::line(&cause.to_string(), 300);
    text.trim_end_matches('.').to_owned()
}
