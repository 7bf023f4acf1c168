//! What a proxy wants of those who use it (RFC 7617).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A user name and a password.
#[derive(Clone)]
pub struct ProxyCredentials(String);

impl ProxyCredentials {
    /// From both; nothing where they could not be separated again, or no client could send them.
    #[must_use]
    pub fn new(username: &str, password: &str) -> Option<Self> {
        let is_odd = |text: &str| text.contains(char::is_control);
        let is_usable = !username.is_empty()
            && !username.contains(':')
            && !password.is_empty()
            && !is_odd(username)
            && !is_odd(password);
        is_usable.then(|| Self(STANDARD.encode(format!("{username}:{password}"))))
    }

    /// Whether these are the credentials that a request carries: once, and no others.
    pub(super) fn are_in(&self, authorization: &[String]) -> bool {
        let [value] = authorization else {
            return false;
        };
        let Some((scheme, given)) = value.split_once(' ') else {
            return false;
        };
        scheme.eq_ignore_ascii_case("basic") && is_same(given.trim().as_bytes(), self.0.as_bytes())
    }
}

impl fmt::Debug for ProxyCredentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProxyCredentials([secret])")
    }
}

/// In a time that does not depend on where they differ.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let differing = left
        .iter()
        .zip(right)
        .fold(0, |differing, (left, right)| differing | (left ^ right));
    left.len() == right.len() && std::hint::black_box(differing) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_that_no_client_could_send_are_none() {
        for (username, password) in [
            ("", "x"),
            ("a:b", "x"),
            ("a", ""),
            ("a\r\n", "x"),
            ("a", "\0"),
        ] {
            assert!(
                ProxyCredentials::new(username, password).is_none(),
                "{username:?}"
            );
        }
    }
}
