//! What came back.

use reqwest::header::{HeaderMap, HeaderName, LOCATION};

use crate::address::WebUrl;

/// An answer with its body, codings undone.
#[derive(Debug)]
pub struct Response {
    /// The address that answered.
    pub url: WebUrl,
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as far as it was taken.
    pub body: Vec<u8>,
    /// Why the body is not whole.
    pub missing: Option<Missing>,
}

/// Why a body is not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// It is longer than the limit.
    Limit,
    /// The connection ended, or the data were damaged; the reason.
    Lost(String),
    /// It was not read, since nothing could be made of it.
    Unread,
}

impl Response {
    /// The first value of a header, when it is readable.
    #[must_use]
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Where the answer leads, when it is a redirect.
    #[must_use]
    pub fn location(&self) -> Option<String> {
        if !is_redirect(self.status) {
            return None;
        }
        // Many servers send bytes beyond ASCII as they are; browsers read them as UTF-8, else as Latin-1.
        let bytes = self.headers.get(LOCATION)?.as_bytes().trim_ascii();
        let text = std::str::from_utf8(bytes).map_or_else(
            |_| bytes.iter().map(|byte| char::from(*byte)).collect(),
            str::to_owned,
        );
        (!text.is_empty()).then_some(text)
    }

    /// Roughly what the answer holds in memory, in bytes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let headers: usize = self
            .headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 64)
            .sum();
        self.body.len() + headers + 512
    }
}

pub(super) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}
