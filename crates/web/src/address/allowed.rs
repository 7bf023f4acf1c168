//! The servers that the host opened although their addresses are not public.

use std::collections::HashSet;

use tenon_contract::{ErrorCode, ToolError};

use super::WebUrl;

/// Hosts with their ports, compared exactly with those of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedHosts(HashSet<(String, u16)>);

impl AllowedHosts {
    /// Reads entries such as `localhost:3000`, `127.0.0.1:8080` and `[::1]:9000`. None: nothing is opened.
    ///
    /// # Errors
    /// An entry that is not exactly a host and a port.
    pub fn new<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, ToolError> {
        Self::of_option("web.fetch.allowPrivate", entries)
    }

    /// The same of another option, which an error names.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_option<'a>(
        option: &str,
        entries: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ToolError> {
        entries
            .into_iter()
            .map(|text| entry(option, text))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The servers of these addresses.
    #[must_use]
    pub fn of<'a>(urls: impl IntoIterator<Item = &'a WebUrl>) -> Self {
        let server = |url: &WebUrl| (url.host().to_owned(), url.port());
        Self(urls.into_iter().map(server).collect())
    }

    /// Those of both.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    /// Whether this very host and port were opened.
    #[must_use]
    pub fn contains(&self, url: &WebUrl) -> bool {
        self.0.contains(&(url.host().to_owned(), url.port()))
    }
}

/// One entry, read by the parser that also reads requests.
fn entry(option: &str, text: &str) -> Result<(String, u16), ToolError> {
    let wrong = || {
        let message = format!(
            "`{option}`: `{}` is not a host and a port, such as `localhost:3000`.",
            crate::visible::line(text, 80)
        );
        ToolError::new(ErrorCode::InvalidParams, message)
            .with("option", format!("options.{option}"))
    };
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let is_plain = !host.is_empty()
        && !text.contains(['/', '\\', '@', '?', '#', '*', '%'])
        && !text.contains(char::is_whitespace)
        && !port.is_empty()
        && port.bytes().all(|byte| byte.is_ascii_digit());
    let port: u16 = port.parse().map_err(|_| wrong())?;
    if !is_plain {
        return Err(wrong());
    }
    let url = WebUrl::parse(&format!("http://{host}:{port}/")).map_err(|_| wrong())?;
    Ok((url.host().to_owned(), port))
}
