//! What a server gave to ask with whether a page has changed (RFC 9110 section 13).

use reqwest::header::{
    CACHE_CONTROL, ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};

use crate::request::Response;

/// Adds the conditions under which an old answer still holds; whether there are any.
pub(super) fn add(old: &Response, headers: &mut HeaderMap) -> bool {
    let pairs = [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)];
    let mut any = false;
    for (given, asked) in pairs {
        if let Some(value) = old.headers.get(given).filter(|value| is_plain(value)) {
            headers.insert(asked, value.clone());
            any = true;
        }
    }
    any
}

fn is_plain(value: &HeaderValue) -> bool {
    !value.is_empty() && value.len() <= 1024
}

/// Whether an answer may be kept: whole pages, and redirects that are meant to last, unless the server forbids it.
pub(super) fn may_keep(response: &Response) -> bool {
    let forbidden = response.headers.get_all(CACHE_CONTROL).iter().any(|value| {
        let words = value.to_str().unwrap_or_default().to_ascii_lowercase();
        words.split(',').any(|word| word.trim() == "no-store")
    });
    let lost = matches!(response.missing, Some(crate::request::Missing::Lost(_)));
    matches!(response.status, 200 | 301 | 308) && !lost && !forbidden
}
