//! What is sent.

use reqwest::Method;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    USER_AGENT,
};

use crate::address::WebUrl;

/// Says who asks, in the form that servers expect of programs.
const AGENT: HeaderValue = HeaderValue::from_static(concat!(
    "Mozilla/5.0 (compatible; tenon/",
    env!("CARGO_PKG_VERSION"),
    ")"
));

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    pub(crate) method: Method,
    pub(crate) url: WebUrl,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Vec<u8>>,
}

impl Outgoing {
    /// A request for a page. `accept` says in which forms it is wanted.
    pub(crate) fn get(url: WebUrl, accept: &'static str) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("en, *;q=0.5"));
        Self {
            method: Method::GET,
            url,
            headers,
            body: None,
        }
        .completed()
    }

    /// The same with the headers that every request of ours has, where it lacks them. The codings are always ours.
    pub(crate) fn completed(mut self) -> Self {
        self.headers.entry(USER_AGENT).or_insert(AGENT);
        self.headers.insert(
            ACCEPT_ENCODING,
            HeaderValue::from_static("gzip, deflate, br, zstd"),
        );
        self
    }
}

impl Outgoing {
    /// A question to a service that answers in JSON.
    pub(crate) fn api_get(url: &url::Url) -> Result<Self, String> {
        let url = WebUrl::parse(url.as_str()).map_err(|refusal| refusal.to_string())?;
        Ok(Self::get(url, "application/json"))
    }

    /// The same with a body.
    pub(crate) fn api_post(url: &url::Url, body: &serde_json::Value) -> Result<Self, String> {
        let mut outgoing = Self::api_get(url)?;
        outgoing.method = Method::POST;
        outgoing
            .headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        outgoing.body = Some(body.to_string().into_bytes());
        Ok(outgoing)
    }

    /// The same with a header that logs of the connection leave out.
    pub(crate) fn with_secret(mut self, name: &'static str, value: &str) -> Result<Self, String> {
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| "the key contains characters that headers cannot contain".to_owned())?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }
}
