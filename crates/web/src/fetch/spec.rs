//! A request of any method, checked before it is sent.

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue};
use tenon_contract::{ErrorCode, ToolError, limits};

use crate::address::WebUrl;
use crate::request::Outgoing;
use crate::visible;

/// Headers that belong to the connection, not to the caller.
const FORBIDDEN: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// A request of any method.
#[derive(Debug, Clone)]
pub struct RequestSpec {
    pub(super) outgoing: Outgoing,
}

impl RequestSpec {
    /// Checks method, headers and body. Default method: `GET`, or `POST` with a body.
    ///
    /// # Errors
    /// Methods and headers that are not the caller's, values that no header holds, bodies that are too large.
    pub fn new<'a>(
        url: WebUrl,
        method: Option<&str>,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        body: Option<String>,
    ) -> Result<Self, ToolError> {
        let wrong = |message: String| ToolError::new(ErrorCode::InvalidParams, message);
        let default = if body.is_some() { "POST" } else { "GET" };
        let method = method_named(method.unwrap_or(default))?;
        if body.is_some() && matches!(method, Method::GET | Method::HEAD) {
            return Err(wrong(format!(
                "A {method} request has no body. Leave `body` out, or use POST."
            )));
        }
        if body
            .as_ref()
            .is_some_and(|body| body.len() > limits::WEB_REQUEST_BODY_MAX_BYTES)
        {
            return Err(wrong(format!(
                "`body` is larger than {} bytes.",
                limits::WEB_REQUEST_BODY_MAX_BYTES
            )));
        }
        let mut outgoing = Outgoing::get(url, "*/*");
        outgoing.method = method;
        for (name, value) in headers {
            let (name, value) = header(name, value)?;
            outgoing.headers.insert(name, value);
        }
        if let Some(body) = &body
            && !outgoing.headers.contains_key(CONTENT_TYPE)
        {
            let is_json = body.trim_start().starts_with(['{', '['])
                && serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok();
            let kind = if is_json {
                "application/json"
            } else {
                "text/plain; charset=utf-8"
            };
            outgoing
                .headers
                .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        outgoing.body = body.map(String::into_bytes);
        Ok(Self {
            outgoing: outgoing.completed(),
        })
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.outgoing.method.as_str()
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> &WebUrl {
        &self.outgoing.url
    }

    /// The request that a redirect makes of this one, as browsers do it; `None` when the redirect is the caller's
    /// affair: it would send a body to another place.
    pub(super) fn redirected(&self, status: u16, next: WebUrl) -> Option<Self> {
        let mut outgoing = self.outgoing.clone();
        let is_safe = matches!(outgoing.method, Method::GET | Method::HEAD);
        let same_origin = outgoing.url.same_origin(&next);
        if !is_safe {
            match status {
                303 => {}
                301 | 302 if outgoing.method == Method::POST => {}
                307 | 308 if same_origin => {
                    outgoing.url = next;
                    return Some(Self { outgoing });
                }
                _ => return None,
            }
            outgoing.method = Method::GET;
            outgoing.body = None;
            outgoing.headers.remove(CONTENT_TYPE);
        }
        if !same_origin {
            outgoing.headers = public(&outgoing.headers);
        }
        outgoing.url = next;
        Some(Self { outgoing })
    }
}

/// A method that servers answer.
fn method_named(word: &str) -> Result<Method, ToolError> {
    let word = word.trim().to_ascii_uppercase();
    let method = match word.as_str() {
        "GET" => Method::GET,
        "HEAD" => Method::HEAD,
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        "PATCH" => Method::PATCH,
        "DELETE" => Method::DELETE,
        "OPTIONS" => Method::OPTIONS,
        _ => {
            return Err(ToolError::new(
                ErrorCode::InvalidParams,
                format!(
                    "`method` is `{}`. Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.",
                    visible::line(&word, 40)
                ),
            ));
        }
    };
    Ok(method)
}

/// The headers that another server may see: none that the caller meant for the first.
fn public(headers: &HeaderMap) -> HeaderMap {
    let kept = ["accept", "accept-encoding", "accept-language", "user-agent"];
    headers
        .iter()
        .filter(|(name, _)| kept.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ToolError> {
    let shown = visible::line(name, 60);
    let wrong = |why: &str| {
        ToolError::new(
            ErrorCode::InvalidParams,
            format!("The header `{shown}` cannot be sent: {why}."),
        )
        .with("header", shown.clone())
    };
    let lower = name.trim().to_ascii_lowercase();
    if FORBIDDEN.contains(&lower.as_str())
        || lower.starts_with("proxy-")
        || lower.starts_with("sec-")
    {
        return Err(wrong(
            "it belongs to the connection, not to the request. Leave it out",
        ));
    }
    let name = HeaderName::from_bytes(lower.as_bytes())
        .map_err(|_| wrong("this is not a valid header name"))?;
    if value.contains(|letter: char| letter.is_control() && letter != '\t') {
        return Err(wrong("its value contains a control character"));
    }
    let mut value = HeaderValue::from_bytes(value.trim().as_bytes())
        .map_err(|_| wrong("its value contains a character that headers cannot contain"))?;
    value.set_sensitive(matches!(name, AUTHORIZATION | COOKIE));
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(
        method: Option<&str>,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Result<RequestSpec, ToolError> {
        let url = WebUrl::parse("https://example.com/a").unwrap();
        RequestSpec::new(
            url,
            method,
            headers.iter().copied(),
            body.map(str::to_owned),
        )
    }

    #[test]
    fn headers_of_the_connection_and_smuggled_lines_are_refused() {
        for name in [
            "Host",
            "content-length",
            "Transfer-Encoding",
            "Connection",
            "Proxy-Authorization",
            "TE",
            "Upgrade",
            "Expect",
            "Sec-Fetch-Mode",
            "a b",
            "",
            "x\r\ny",
        ] {
            assert!(spec(None, &[(name, "x")], None).is_err(), "{name}");
        }
        for value in ["a\r\nHost: evil", "a\nb", "a\0b", "\u{7f}"] {
            assert!(spec(None, &[("x-a", value)], None).is_err(), "{value:?}");
        }
        assert!(
            spec(
                None,
                &[("Authorization", "Bearer x"), ("X-Name", "grün")],
                None
            )
            .is_ok()
        );
    }

    #[test]
    fn methods_are_those_of_servers_and_a_body_has_its_type() {
        for method in ["CONNECT", "TRACE", "GET /x HTTP/1.1", ""] {
            assert!(spec(Some(method), &[], None).is_err(), "{method}");
        }
        assert!(spec(Some("get"), &[], Some("x")).is_err());
        let json = spec(None, &[], Some("{\"a\":1}")).unwrap();
        assert_eq!(json.method(), "POST");
        assert_eq!(json.outgoing.headers[CONTENT_TYPE], "application/json");
    }

    #[test]
    fn a_redirect_takes_no_secret_and_no_body_to_another_server() {
        let next = |text: &str| WebUrl::parse(text).unwrap();
        let post = spec(Some("POST"), &[("Authorization", "Bearer x")], Some("{}")).unwrap();
        let same = post.redirected(307, next("https://example.com/b")).unwrap();
        assert_eq!(
            (same.method(), same.outgoing.body.is_some()),
            ("POST", true)
        );
        assert!(
            post.redirected(307, next("https://evil.example/"))
                .is_none()
        );
        let other = post.redirected(303, next("https://evil.example/")).unwrap();
        assert_eq!(
            (other.method(), other.outgoing.body.is_some()),
            ("GET", false)
        );
        assert!(!other.outgoing.headers.contains_key(AUTHORIZATION));
        assert!(
            spec(Some("DELETE"), &[], None)
                .unwrap()
                .redirected(302, next("https://example.com/b"))
                .is_none()
        );
    }
}
