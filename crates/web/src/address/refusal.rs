//! Why a URL is refused.

use tenon_contract::{ErrorCode, ToolError};

use super::AddressBlock;

/// Why a URL is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The text is no web address.
    #[error("`{url}` is not a valid URL: {problem}. Use one such as `https://example.com/page`.")]
    Syntax {
        /// The text, shortened, with what cannot be seen escaped.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Another scheme than `http` or `https`.
    #[error("`{url}` was refused. Only `http` and `https` URLs are supported.")]
    Scheme {
        /// The address.
        url: String,
        /// Its scheme.
        scheme: String,
    },
    /// A user name or password in the address.
    #[error("`{url}` was refused: the URL must not contain a user name or password. Remove them.")]
    Credentials {
        /// The address without them.
        url: String,
    },
    /// A port that speaks another protocol.
    #[error("`{url}` was refused: port {port} is reserved for another protocol.")]
    Port {
        /// The address.
        url: String,
        /// The port.
        port: u16,
    },
    /// An address that is not public, named in the URL or answered by the resolver.
    #[error(
        "`{url}` was refused: `{host}` is not a public address ({}, {}). Private addresses are blocked.",
        block.name, block.range
    )]
    Private {
        /// The address.
        url: String,
        /// Its host.
        host: String,
        /// Its port.
        port: u16,
        /// The block that the host lies in.
        block: AddressBlock,
    },
}

impl Refusal {
    /// The rule that refused, for `details.matched_rule`.
    #[must_use]
    pub fn rule(&self) -> String {
        match self {
            Self::Syntax { .. } => "web.syntax".to_owned(),
            Self::Scheme { .. } => "web.scheme: http, https".to_owned(),
            Self::Credentials { .. } => "web.credentials: none".to_owned(),
            Self::Port { port, .. } => format!("web.port: {port}"),
            Self::Private { block, .. } => {
                format!("web.address: {} ({})", block.name, block.range)
            }
        }
    }

    fn url(&self) -> &str {
        match self {
            Self::Syntax { url, .. }
            | Self::Scheme { url, .. }
            | Self::Credentials { url }
            | Self::Port { url, .. }
            | Self::Private { url, .. } => url,
        }
    }
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.to_string();
        match refusal {
            Refusal::Syntax { .. } => Self::new(ErrorCode::InvalidParams, message),
            _ => {
                let error = Self::new(ErrorCode::PolicyDenied, message)
                    .with("subject", refusal.url())
                    .with("matched_rule", refusal.rule());
                match refusal {
                    // For the developer of the application: the model cannot set it.
                    Refusal::Private { host, port, .. } => error.with(
                        "option",
                        format!("web.fetch.allowPrivate: ['{host}:{port}']"),
                    ),
                    _ => error,
                }
            }
        }
    }
}
