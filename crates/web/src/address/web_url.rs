//! A web address, parsed once by the rules of the WHATWG and never as text again.

use std::fmt;
use std::net::IpAddr;

use tenon_contract::{HostClaim, limits};
use url::{Host, Url};

use super::Refusal;
use crate::visible;

/// An `http` or `https` address without credentials and without anything invisible.
///
/// The parser is that of browsers: `http://2130706433`, `http://0x7f.1` and `http://１２７。０。０。１`
/// are all `127.0.0.1` here, for rules and for requests alike. A trailing dot of the host is dropped.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct WebUrl(Url);

impl WebUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// What is refused: other schemes, credentials, control bytes, what does not parse.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim_matches(' ');
        Self::check_text(text)?;
        let url = Url::parse(text).map_err(|error| {
            let problem = match error {
                url::ParseError::RelativeUrlWithoutBase => {
                    "it does not start with `https://` or `http://`".to_owned()
                }
                error => error.to_string(),
            };
            syntax(text, problem)
        })?;
        Self::check(url)
    }

    /// Reads where an answer leads to, relative to this address. The fragment of a redirect is kept.
    ///
    /// # Errors
    /// As [`WebUrl::parse`].
    pub fn join(&self, location: &str) -> Result<Self, Refusal> {
        let location = location.trim_matches(' ');
        Self::check_text(location)?;
        let url = self
            .0
            .join(location)
            .map_err(|error| syntax(location, error.to_string()))?;
        Self::check(url)
    }

    fn check_text(text: &str) -> Result<(), Refusal> {
        if text.is_empty() {
            return Err(syntax(text, "it is empty".to_owned()));
        }
        if text.len() > limits::WEB_URL_MAX_BYTES {
            let problem = format!(
                "it is {} bytes long; the limit is {}",
                text.len(),
                limits::WEB_URL_MAX_BYTES
            );
            return Err(syntax(text, problem));
        }
        // The standard would drop tabs and line breaks in silence, and two readers of one text could differ.
        if text.contains(|letter: char| letter.is_control()) {
            return Err(syntax(text, "it contains a control character".to_owned()));
        }
        Ok(())
    }

    fn check(mut url: Url) -> Result<Self, Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme {
                url: visible::line(url.as_str(), SHOWN_CHARACTERS),
                scheme: url.scheme().to_owned(),
            });
        }
        if !url.username().is_empty() || url.password().is_some() {
            // Both setters succeed for every address that has a host.
            let cleared = url.set_username("").is_ok() && url.set_password(None).is_ok();
            let shown = if cleared { url.as_str() } else { "the address" };
            return Err(Refusal::Credentials {
                url: visible::line(shown, SHOWN_CHARACTERS),
            });
        }
        if let Some(Host::Domain(name)) = url.host() {
            let name = name.to_owned();
            let bare = name.strip_suffix('.').unwrap_or(&name);
            if bare.is_empty() || bare.len() > 253 || bare.split('.').any(str::is_empty) {
                return Err(syntax(
                    url.as_str(),
                    "its host is not a valid name".to_owned(),
                ));
            }
            if bare.len() != name.len() {
                url.set_host(Some(bare))
                    .map_err(|error| syntax(url.as_str(), error.to_string()))?;
            }
        }
        if url.host().is_none() {
            return Err(syntax(url.as_str(), "it has no host".to_owned()));
        }
        Ok(Self(url))
    }

    /// The host as rules compare it: lower case, ASCII, without a trailing dot; brackets around IPv6.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The address that the host is by itself, when it is no name.
    #[must_use]
    pub fn literal(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        }
    }

    /// The port, that of the scheme where none is given.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Whether it is asked over TLS.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether both have the same scheme, host and port.
    #[must_use]
    pub fn same_origin(&self, other: &Self) -> bool {
        self.0.scheme() == other.0.scheme()
            && self.host() == other.host()
            && self.port() == other.port()
    }

    /// The claim that policy judges.
    #[must_use]
    pub fn claim(&self) -> HostClaim {
        HostClaim {
            host: self.host().to_owned(),
            port: self.port(),
            url: self.to_string(),
        }
    }

    /// The same without its fragment: what is sent, and what a cache knows it by.
    #[must_use]
    pub fn without_fragment(&self) -> Self {
        let mut url = self.0.clone();
        url.set_fragment(None);
        Self(url)
    }

    /// The address as the parser's own type.
    #[must_use]
    pub fn as_url(&self) -> &Url {
        &self.0
    }
}

/// Most characters of an address that an error shows.
const SHOWN_CHARACTERS: usize = 200;

fn syntax(text: &str, problem: String) -> Refusal {
    Refusal::Syntax {
        url: visible::line(text, SHOWN_CHARACTERS),
        problem,
    }
}

impl fmt::Display for WebUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for WebUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "WebUrl({})", self.0)
    }
}
