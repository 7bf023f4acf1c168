//! Which documents may be opened: schemes here, everything else by the owner of the session.

use std::future::Future;
use std::pin::Pin;

use url::Url;

use crate::BrowserError;

/// What a document is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// The page of a tab.
    Page,
    /// A frame in a page.
    Frame,
    /// No document: a request of a script that sends something. Only where a session
    /// [judges those](crate::SessionOptions::judges_writes).
    Data,
}

/// A document that is about to be asked for: the first time, and again for each redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRequest {
    /// Its address.
    pub url: String,
    /// What for.
    pub kind: DocumentKind,
    /// `GET`, `POST` and so on.
    pub method: String,
    /// Whether something is sent with it, such as a form.
    pub has_body: bool,
    /// The tab.
    pub tab: String,
    /// The page in the tab now.
    pub from: String,
    /// Whether another document has redirected here.
    pub is_redirect: bool,
}

/// What is to be done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It is asked for.
    Allow,
    /// It is not, and no connection is made.
    Deny {
        /// Why, as a part of a sentence: `the host is denied`.
        reason: String,
        /// The rule that says so.
        rule: Option<String>,
    },
}

/// A decision that may take its time: the document waits.
pub type JudgeFuture = Pin<Box<dyn Future<Output = Decision> + Send>>;

/// Decides about documents. The time that it takes counts for no time limit.
pub trait Guard: Send + Sync + 'static {
    /// May this be opened? Its scheme is one that is opened at all.
    fn judge(&self, request: DocumentRequest) -> JudgeFuture;

    /// The hosts to which WebSockets may be opened without a decision; nothing where that is all of them. Only where a
    /// session [judges what is sent](crate::SessionOptions::judges_writes).
    fn sockets(&self) -> Option<Vec<String>> {
        None
    }
}

/// Whether an address may be opened as far as its scheme goes: `http`, `https` and `about:blank`.
///
/// # Errors
/// A sentence that says what is opened.
pub fn is_opened(url: &str) -> Result<Url, BrowserError> {
    let blocked = |reason: &str| BrowserError::Blocked {
        url: url.chars().take(200).collect(),
        reason: reason.to_owned(),
        rule: None,
    };
    let parsed = Url::parse(url.trim())
        .map_err(|_| blocked("it is not a whole address such as `https://example.com/page`"))?;
    match parsed.scheme() {
        "http" | "https" if parsed.host_str().is_some_and(|host| !host.is_empty()) => Ok(parsed),
        "about" if parsed.as_str() == "about:blank" => Ok(parsed),
        scheme => Err(blocked(&format!(
            "the browser opens `http`, `https` and `about:blank`, not `{scheme}`"
        ))),
    }
}

/// The same for a document that a page asks for. What a page makes itself may be shown in a frame.
pub(crate) fn is_opened_by_page(url: &str, kind: DocumentKind) -> Result<(), BrowserError> {
    let scheme = url.split(':').next().unwrap_or_default();
    let is_made = matches!(scheme, "data" | "blob" | "about");
    if kind != DocumentKind::Page && is_made {
        return Ok(());
    }
    is_opened(url).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_and_the_empty_page_are_opened() {
        for url in [
            "http://a.example",
            "HTTPS://a.example/x?y#z",
            "about:blank",
            " https://a.example ",
        ] {
            assert!(is_opened(url).is_ok(), "{url}");
        }
        for url in [
            "file:///etc/passwd",
            "FILE:///etc/passwd",
            "chrome://settings",
            "devtools://devtools/bundled/inspector.html",
            "view-source:https://a.example",
            "data:text/html,x",
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "blob:https://a.example/1",
            "ftp://a.example",
            "ws://a.example",
            "about:version",
            "about:blank#x",
            "chrome-extension://abc/x",
            "filesystem:https://a.example/x",
            "example.com",
            "//example.com",
            "",
        ] {
            assert_eq!(is_opened(url).unwrap_err().kind(), "blocked", "{url}");
        }
    }

    #[test]
    fn a_frame_may_show_what_its_page_made() {
        let judged = |url: &str, kind| is_opened_by_page(url, kind).is_ok();
        for url in [
            "data:text/html,x",
            "blob:https://a.example/1",
            "about:srcdoc",
        ] {
            assert!(judged(url, DocumentKind::Frame), "{url}");
            assert!(!judged(url, DocumentKind::Page), "{url}");
        }
        assert!(!judged("file:///etc/passwd", DocumentKind::Frame));
    }
}
