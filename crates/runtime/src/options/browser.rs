//! The options of the browser.

use std::path::PathBuf;

use super::within::Within;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Whether there is a browser, or how it is used.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum BrowserOption {
    /// Whether there is one.
    Flag(bool),
    /// How it is used.
    Object(Box<BrowserOptions>),
}

// By hand, so that a fault names what is wrong instead of that nothing matched.
impl<'de> Deserialize<'de> for BrowserOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = if value.is_boolean() {
            serde_json::from_value(value).map(Self::Flag)
        } else {
            serde_json::from_value(value).map(Self::Object)
        };
        read.map_err(D::Error::custom)
    }
}

/// How the browser is used.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BrowserOptions {
    /// The program, by its absolute path: a Chromium, Chrome, Edge or Brave. Default: `TENON_BROWSER`, else the first
    /// that is installed.
    pub executable: Option<PathBuf>,
    /// Whether the model may evaluate JavaScript in pages. Default: false.
    #[serde(default)]
    pub evaluate: bool,
    /// What happens when a page sends data (a form, a request with a body) to a host that no call, no rule and no
    /// approval has named. Default: `ask` where there are rules or an approver, else `allow`.
    pub writes: Option<BrowserWrites>,
    /// Chromium's own sandbox. Without it a page that breaks the renderer has the rights of this user. Default: true.
    pub sandbox: Option<bool>,
    /// Servers that may be opened although their address is not public, as `host:port`, beside those of
    /// `web.fetch.allowPrivate`. Default: none.
    #[serde(default)]
    pub allow_private: Vec<String>,
    /// The name of a profile whose cookies and storage are kept in the state directory (`TENON_STATE_DIR`), for one
    /// browser at a time: letters, digits, `-`, `_` and `.`. Default: none; everything is forgotten with the toolkit.
    pub profile: Option<String>,
    /// How long the browser is kept when nobody uses it, in milliseconds. Default: 300000 (5 minutes).
    pub idle_ms: Option<Within<u64, 1>>,
    /// The size of pages in pixels. Default: 1280 by 800.
    pub window: Option<BrowserWindow>,
}

/// The size of pages, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrowserWindow {
    /// Default: 1280.
    pub width: Option<Within<u32, 100, 8_000>>,
    /// Default: 800.
    pub height: Option<Within<u32, 100, 8_000>>,
}

impl BrowserWindow {
    pub(crate) fn size(self) -> (u32, u32) {
        (
            self.width.map_or(1280, Within::get),
            self.height.map_or(800, Within::get),
        )
    }
}

/// What happens when a page sends data to a host that nobody has named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrowserWrites {
    /// It requires approval.
    Ask,
    /// It is sent.
    Allow,
    /// It is not sent.
    Deny,
}

impl BrowserOption {
    /// How the browser is used; nothing where there is none.
    pub(crate) fn settings(&self) -> Option<BrowserOptions> {
        match self {
            Self::Flag(false) => None,
            Self::Flag(true) => Some(BrowserOptions::default()),
            Self::Object(options) => Some((**options).clone()),
        }
    }
}
