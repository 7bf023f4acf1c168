//! Why something could not be done with a browser or a page.

use tenon_contract::{ErrorCode, ToolError};

/// A question of a page that is open.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DialogInfo {
    /// `confirm` or `prompt`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub message: String,
}

/// A failure, with a sentence for a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrowserError {
    /// There is no browser, or it cannot be started.
    #[error("{0}")]
    Unavailable(String),
    /// The profile is used by another browser.
    #[error(
        "The browser profile `{profile}` is in use by {holder}. Close that browser, or use another profile."
    )]
    ProfileInUse {
        /// Its name.
        profile: String,
        /// Who holds it.
        holder: String,
    },
    /// The browser or the page has crashed.
    #[error("{what} has crashed{cause}. Open the page again.")]
    Crashed {
        /// `The browser` or the page.
        what: String,
        /// What it said, behind a colon; or nothing.
        cause: String,
    },
    /// The browser or the session was closed.
    #[error("The browser was closed. Open the page again.")]
    Closed,
    /// The caller aborted.
    #[error("The call was aborted.")]
    Cancelled,
    /// The time limit was reached.
    #[error(
        "{what} was not done within {limit_ms} ms{detail}. {next}", next = next_after(what, detail)
    )]
    Timeout {
        /// What was to be done.
        what: String,
        /// The limit.
        limit_ms: u64,
        /// What stood in the way, behind a colon; or nothing.
        detail: String,
    },
    /// The browser refused a command.
    #[error("The browser refused `{method}`: {fault}.")]
    Protocol {
        /// The command.
        method: String,
        /// What it said.
        fault: String,
    },
    /// An address that is not opened.
    #[error("`{url}` is not opened: {reason}.")]
    Blocked {
        /// The address.
        url: String,
        /// Why.
        reason: String,
        /// The rule that says so.
        rule: Option<String>,
    },
    /// The page could not be loaded.
    #[error("`{url}` could not be loaded: {fault}.")]
    NavigationFailed {
        /// The address.
        url: String,
        /// The error of the network stack, such as `net::ERR_NAME_NOT_RESOLVED`.
        fault: String,
    },
    /// The element is gone.
    #[error("`{reference}` does not exist any more{was}. {next}", next = next_of(candidates))]
    StaleRef {
        /// The reference.
        reference: String,
        /// What it was; or nothing.
        was: String,
        /// Living elements that say the same, as lines of a snapshot.
        candidates: Vec<String>,
    },
    /// The element says something else than when it was shown.
    #[error(
        "`{reference}` is not what it was: it was shown as {was} and is now {now}. Use it again if that is what you mean."
    )]
    ChangedRef {
        /// The reference.
        reference: String,
        /// What it said.
        was: String,
        /// Its line now.
        now: String,
    },
    /// A reference that was never given.
    #[error(
        "There is no reference `{0}`. Take a snapshot and use a reference from it, such as `e1`."
    )]
    UnknownRef(String),
    /// Something lies over the element.
    #[error("`{reference}` is covered by {by}. Close or move that first, then try again.")]
    Covered {
        /// The reference.
        reference: String,
        /// The line of the element on top.
        by: String,
    },
    /// Each part of the element is another one that takes the click.
    #[error(
        "A click on `{reference}` would go to {by} in it. Use the reference of that if it is meant; take a snapshot if it has none."
    )]
    Taken {
        /// The reference.
        reference: String,
        /// The line of the element in it.
        by: String,
    },
    /// The element cannot be seen.
    #[error("`{0}` cannot be seen. Take a snapshot to see what has to be opened first.")]
    NotVisible(String),
    /// The page lets no clicks through to the element.
    #[error(
        "`{0}` takes no clicks now: the page has turned them off there (`pointer-events: none`), as it does beside an open menu or dialog. Close that first, such as by the key `Escape`."
    )]
    Inert(String),
    /// The element is disabled.
    #[error("`{0}` is disabled. Take a snapshot to see what the page still wants.")]
    Disabled(String),
    /// The element takes no such input.
    #[error("`{reference}` cannot be edited so: {why}.")]
    NotEditable {
        /// The reference.
        reference: String,
        /// Why.
        why: String,
    },
    /// A question of the page has to be answered first.
    #[error(
        "The page asks and waits for an answer: {} \"{}\". Answer it with the action `dialog`.", .0.kind, .0.message
    )]
    DialogOpen(DialogInfo),
    /// There is no question of the page.
    #[error("The page asks nothing. `dialog` answers an open `confirm` or `prompt`.")]
    NoDialog,
    /// There is no such tab.
    #[error("{0}")]
    NoTab(String),
    /// Evaluating is not enabled.
    #[error(
        "Evaluating expressions is turned off. Use `snapshot`, `text` or `click` and its like."
    )]
    EvaluateOff,
    /// An expression threw.
    #[error("The expression failed: {0}.")]
    Script(String),
    /// Parameters that cannot be worked with.
    #[error("{0}")]
    Invalid(String),
    /// A file could not be read or written.
    #[error("{what}: {fault}.")]
    File {
        /// What was to be done.
        what: String,
        /// What the system said.
        fault: String,
    },
}

/// What stood in the way of something where the page is silent.
pub(crate) const SILENT: &str =
    ": the page does not answer, since a script of it is busy or does not end";
/// What stood in the way where a document was asked for that has not come.
pub(crate) const UNANSWERED: &str = ": the server has not answered yet";
/// Why a page shows nothing but that it wants to know who asks.
pub(crate) const LOGIN: &str = "The server wants a user name and a password (HTTP authentication), which the browser does not send. Use another address, or ask the user how to sign in";
/// What only looks at a page. That it failed is no reason to look.
pub(crate) const LOOKS: [&str; 3] = ["The snapshot", "Reading the text", "The screenshot"];

fn next_after(what: &str, detail: &str) -> &'static str {
    if detail == SILENT {
        return "Wait and try again, or close its tab with the action `close`.";
    }
    if detail == UNANSWERED {
        return "Try again with a larger `timeout`, or open another address.";
    }
    match LOOKS.contains(&what) {
        true => "Try again with a larger `timeout`.",
        false => "Take a snapshot to see where the page stands.",
    }
}

fn next_of(candidates: &[String]) -> String {
    if candidates.is_empty() {
        return "Take a snapshot to see the page as it is.".to_owned();
    }
    format!(
        "The page has now: {}. Use one of these, or take a snapshot.",
        candidates.join("; ")
    )
}

/// What errors of the network stack mean, where their names do not say it, and what cannot be done about them.
const MEANINGS: &[(&str, &str)] = &[
    (
        // Why the proxy refuses a connection, the browser keeps to itself.
        "ERR_TUNNEL_CONNECTION_FAILED",
        "its host could not be found or reached, leads to an address that is not public, or is denied by a rule",
    ),
    (
        "ERR_CERT_",
        "the certificate of the server is not valid here, and the browser never continues past that",
    ),
    (
        "ERR_SSL_CLIENT_AUTH_CERT_NEEDED",
        "the server wants a certificate of the client, and the browser has none",
    ),
    (
        "ERR_BAD_SSL_CLIENT_AUTH_CERT",
        "the server wants a certificate of the client, and the browser has none",
    ),
    (
        "ERR_ABORTED",
        "it led to no page: the server sent none, as with the status 204, or the loading was stopped",
    ),
    (
        "ERR_UNSAFE_PORT",
        "browsers do not connect to this port, which is that of another service",
    ),
];

impl BrowserError {
    /// A page that could not be loaded, with the error of the network stack.
    pub(crate) fn not_loaded(url: &str, fault: &str) -> Self {
        let meaning = MEANINGS.iter().find(|(name, _)| fault.contains(name));
        Self::NavigationFailed {
            url: url.to_owned(),
            fault: match meaning {
                Some((_, meaning)) => format!("{fault}; {meaning}"),
                None => fault.to_owned(),
            },
        }
    }

    /// The kind of it, as it stands in details.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "unavailable",
            Self::ProfileInUse { .. } => "profile_in_use",
            Self::Crashed { .. } => "crashed",
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
            Self::Timeout { .. } => "timeout",
            Self::Protocol { .. } => "protocol",
            Self::Blocked { .. } => "blocked",
            Self::NavigationFailed { .. } => "navigation_failed",
            Self::StaleRef { .. } => "stale_ref",
            Self::ChangedRef { .. } => "changed_ref",
            Self::UnknownRef(_) => "unknown_ref",
            Self::Covered { .. } | Self::Taken { .. } => "covered",
            Self::NotVisible(_) => "not_visible",
            Self::Inert(_) => "inert",
            Self::Disabled(_) => "disabled",
            Self::NotEditable { .. } => "not_editable",
            Self::DialogOpen(_) => "dialog_open",
            Self::NoDialog => "no_dialog",
            Self::NoTab(_) => "no_tab",
            Self::EvaluateOff => "evaluate_off",
            Self::Script(_) => "script_failed",
            Self::Invalid(_) => "invalid",
            Self::File { .. } => "file",
        }
    }

    /// The kind of it in the words of the contract.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unavailable(_) | Self::ProfileInUse { .. } => ErrorCode::Unavailable,
            Self::Crashed { .. } | Self::Protocol { .. } => ErrorCode::ProcessFailed,
            Self::Closed | Self::Cancelled => ErrorCode::Cancelled,
            Self::Timeout { .. } => ErrorCode::Timeout,
            Self::Blocked { .. } | Self::EvaluateOff => ErrorCode::PolicyDenied,
            Self::NavigationFailed { .. } => ErrorCode::Network,
            Self::StaleRef { .. }
            | Self::ChangedRef { .. }
            | Self::UnknownRef(_)
            | Self::NoDialog
            | Self::NoTab(_) => ErrorCode::NotFound,
            Self::Covered { .. }
            | Self::Taken { .. }
            | Self::NotVisible(_)
            | Self::Inert(_)
            | Self::Disabled(_)
            | Self::DialogOpen(_)
            | Self::Script(_) => ErrorCode::HandlerFailed,
            Self::NotEditable { .. } | Self::Invalid(_) => ErrorCode::InvalidParams,
            Self::File { .. } => ErrorCode::Io,
        }
    }

    pub(crate) fn file(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |fault| Self::File {
            what,
            fault: fault.to_string(),
        }
    }
}

impl From<BrowserError> for ToolError {
    fn from(error: BrowserError) -> Self {
        let shown = Self::new(error.code(), error.to_string()).with("browser", error.kind());
        match &error {
            BrowserError::Blocked { url, rule, .. } => {
                let shown = shown.with("url", url.as_str());
                match rule {
                    Some(rule) => shown.with("matched_rule", rule.as_str()),
                    None => shown,
                }
            }
            BrowserError::NavigationFailed { url, fault } => shown
                .with("url", url.as_str())
                .with("fault", fault.as_str()),
            BrowserError::StaleRef {
                reference,
                candidates,
                ..
            } => shown
                .with("ref", reference.as_str())
                .with("candidates", candidates.clone()),
            BrowserError::ChangedRef { reference, now, .. } => shown
                .with("ref", reference.as_str())
                .with("now", now.as_str()),
            BrowserError::Covered { reference, by } | BrowserError::Taken { reference, by } => {
                shown
                    .with("ref", reference.as_str())
                    .with("by", by.as_str())
            }
            BrowserError::Timeout { limit_ms, .. } => shown.with("timeout_ms", *limit_ms),
            BrowserError::EvaluateOff => shown.with("option", "browser.evaluate"),
            _ => shown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_network_is_said_with_what_it_means() {
        let said = |fault: &str| BrowserError::not_loaded("https://a.test/", fault).to_string();
        for (fault, meaning) in [
            (
                "net::ERR_CERT_DATE_INVALID",
                "; the certificate of the server is not valid here, and the browser never continues past that",
            ),
            (
                "net::ERR_BAD_SSL_CLIENT_AUTH_CERT",
                "; the server wants a certificate of the client, and the browser has none",
            ),
            ("net::ERR_CONNECTION_RESET", ""),
        ] {
            let wanted = format!("`https://a.test/` could not be loaded: {fault}{meaning}.");
            assert_eq!(said(fault), wanted);
        }
    }
}
