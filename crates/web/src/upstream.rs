//! The proxy that the host gives: a way out that others run, without giving up which address is asked.
//!
//! Names are resolved and judged here as without a proxy, and the proxy receives the checked address
//! (`CONNECT 93.184.216.34:443`), so that it cannot lead elsewhere; server name and `Host` keep the
//! name. Only where the host says so ([`Resolution::Proxy`]) the proxy receives names.

mod connect;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use reqwest::header::HeaderValue;
use url::{Host, Url};

pub(crate) use connect::{Connection, Target, WANTS_CREDENTIALS, secured};

/// Who finds the addresses of hosts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Resolution {
    /// We do: the proxy receives the address that was checked.
    #[default]
    Local,
    /// The proxy does: what it connects to is not known here, and only literal addresses and names of this machine are
    /// refused.
    Proxy,
}

/// A proxy of HTTP. Neither `Debug` nor any error shows its credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Upstream {
    host: Host<String>,
    port: u16,
    is_secure: bool,
    authorization: Option<HeaderValue>,
    resolution: Resolution,
}

impl fmt::Debug for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Upstream")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("is_secure", &self.is_secure)
            .field("has_credentials", &self.authorization.is_some())
            .field("resolution", &self.resolution)
            .finish()
    }
}

impl Upstream {
    /// The proxy at `http://host:port`, or at `https://host:port` when it is itself spoken to over TLS. Credentials
    /// (user name and password) may stand in the address, or beside it.
    ///
    /// # Errors
    /// What is wrong with the address or the credentials, in words that repeat neither.
    pub fn new(
        address: &str,
        credentials: Option<(&str, &str)>,
        resolution: Resolution,
    ) -> Result<Self, &'static str> {
        if address.contains(|letter: char| letter.is_control() || letter.is_whitespace()) {
            return Err("its address contains a space or a control character");
        }
        let url = Url::parse(address).map_err(|_| "its address is not a valid URL")?;
        let is_secure = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return Err("its address does not start with `http://` or `https://`"),
        };
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err("its address must end with the port");
        }
        let host = url.host().ok_or("its address has no host")?.to_owned();
        let port = url.port_or_known_default().unwrap_or_default();
        let in_address = !url.username().is_empty() || url.password().is_some();
        let authorization = match credentials {
            Some(_) if in_address => {
                return Err("credentials are given both in its address and separately");
            }
            Some((username, password)) => Some(basic(username, password)?),
            None if in_address => {
                let decoded = |text: &str| {
                    let bytes = percent_decode_str(text).decode_utf8();
                    bytes.map(std::borrow::Cow::into_owned)
                };
                let broken = "the credentials in its address are not valid UTF-8";
                let username = decoded(url.username()).map_err(|_| broken)?;
                let password = decoded(url.password().unwrap_or_default()).map_err(|_| broken)?;
                Some(basic(&username, &password)?)
            }
            None => None,
        };
        Ok(Self {
            host,
            port,
            is_secure,
            authorization,
            resolution,
        })
    }

    /// Who finds the addresses of hosts.
    #[must_use]
    pub fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// As reqwest takes it.
    pub(crate) fn as_proxy(&self) -> Result<reqwest::Proxy, reqwest::Error> {
        let scheme = if self.is_secure { "https" } else { "http" };
        let proxy = reqwest::Proxy::all(format!("{scheme}://{}:{}", self.host, self.port))?;
        Ok(match &self.authorization {
            Some(value) => proxy.custom_http_auth(value.clone()),
            None => proxy,
        })
    }

    /// The value of `Proxy-Authorization`.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }
}

/// The credentials as a proxy reads them (RFC 7617).
fn basic(username: &str, password: &str) -> Result<HeaderValue, &'static str> {
    let is_odd = |text: &str| text.contains(char::is_control);
    if username.is_empty() {
        return Err("its user name is empty");
    }
    if username.contains(':') {
        return Err("its user name contains a colon, which separates it from the password");
    }
    if is_odd(username) || is_odd(password) {
        return Err("its credentials contain a control character");
    }
    let text = format!(
        "Basic {}",
        STANDARD.encode(format!("{username}:{password}"))
    );
    let mut value = HeaderValue::from_str(&text).map_err(|_| "its credentials cannot be sent")?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(address: &str) -> Result<Upstream, &'static str> {
        Upstream::new(address, None, Resolution::Local)
    }

    #[test]
    fn credentials_stand_in_the_address_or_beside_it_and_are_never_shown() {
        let inside = new("http://me:p%40ss%3A1@proxy.test:3128").unwrap();
        let beside = Upstream::new(
            "http://proxy.test:3128/",
            Some(("me", "p@ss:1")),
            Resolution::Local,
        );
        assert_eq!(Ok(&inside), beside.as_ref());
        let value = inside.authorization().unwrap();
        assert_eq!(value, "Basic bWU6cEBzczox");
        let shown = format!("{inside:?} {value:?}");
        for secret in ["p@ss", "p%40ss", "bWU6cEBzczox", "\"me\""] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn what_is_no_proxy_is_reported_without_repeating_it() {
        for (address, problem) in [
            ("", "its address is not a valid URL"),
            (
                "proxy.test:3128",
                "its address does not start with `http://` or `https://`",
            ),
            (
                "socks5://me:secret@proxy.test:1080",
                "its address does not start with `http://` or `https://`",
            ),
            (
                "http://me:secret@proxy.test:3128/path",
                "its address must end with the port",
            ),
            (
                "http://proxy.test:3128?secret",
                "its address must end with the port",
            ),
            ("http://me:secret@", "its address is not a valid URL"),
            ("http://:secret@proxy.test", "its user name is empty"),
            (
                "http://me%3Ayou:secret@proxy.test",
                "its user name contains a colon, which separates it from the password",
            ),
            (
                "http://me:se%0Acret@proxy.test",
                "its credentials contain a control character",
            ),
            (
                "http://me:%FF@proxy.test",
                "the credentials in its address are not valid UTF-8",
            ),
            (
                "http://proxy.test\r\nX: y",
                "its address contains a space or a control character",
            ),
        ] {
            assert_eq!(new(address), Err(problem), "{address:?}");
        }
        let both = Upstream::new("http://a:b@proxy.test", Some(("a", "b")), Resolution::Local);
        assert_eq!(
            both,
            Err("credentials are given both in its address and separately")
        );
    }

    #[test]
    fn a_proxy_without_a_port_is_at_the_port_of_its_scheme() {
        assert_eq!(new("http://proxy.test").unwrap().port, 80);
        assert_eq!(new("https://proxy.test").unwrap().port, 443);
        assert_eq!(new("http://[::1]:3128").unwrap().port, 3128);
    }
}
