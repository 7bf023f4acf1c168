//! Pages that the agent shows.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tenon_canvas::{BrowserChoice, Origins};
use tenon_contract::{Names, Operation, ToolError};

/// Whether the agent can show pages: yes, or how.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum CanvasOption {
    /// Whether it can.
    Enabled(bool),
    /// It can, with these options.
    Object(CanvasOptions),
}

// By hand, so that a fault names what is wrong instead of that nothing matched.
impl<'de> Deserialize<'de> for CanvasOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = if value.is_boolean() {
            serde_json::from_value(value).map(Self::Enabled)
        } else {
            serde_json::from_value(value).map(Self::Object)
        };
        read.map_err(D::Error::custom)
    }
}

/// How pages are shown.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanvasOptions {
    /// Origins that the scripts of every canvas may connect to without approval, such as `https://api.example.com`.
    #[serde(default)]
    pub connect: Vec<String>,
    /// Origins from which every canvas may load scripts, styles, images and fonts without approval.
    #[serde(default)]
    pub resources: Vec<String>,
    /// The browser that takes pictures of canvases.
    #[serde(default)]
    pub browser: CanvasBrowserOptions,
}

/// The browser that takes pictures.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CanvasBrowserOptions {
    /// The program, by absolute path. Default: `host.browser`, `TENON_BROWSER`, or the first found.
    pub executable: Option<PathBuf>,
    /// Whether Chromium's own sandbox is required. Default: true.
    pub sandbox: Option<bool>,
}

/// The lists by the names that they have as options.
struct OfOptions;

impl Names for OfOptions {
    fn tool(&self, _: Operation) -> Option<&str> {
        None
    }

    fn parameter<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        match name {
            "connect" => Some("canvas.connect"),
            "resources" => Some("canvas.resources"),
            _ => None,
        }
    }
}

impl CanvasOption {
    /// What is granted to every canvas, and the browser; nothing where the agent shows no pages.
    pub(crate) fn services(&self) -> Result<Option<(Origins, BrowserChoice)>, ToolError> {
        let options = match self {
            Self::Enabled(false) => return Ok(None),
            Self::Enabled(true) => CanvasOptions::default(),
            Self::Object(options) => options.clone(),
        };
        let granted = Origins::new(&options.connect, &options.resources)
            .map_err(|error| error.reported(&OfOptions).with("option", "options.canvas"))?;
        let browser = BrowserChoice {
            executable: options.browser.executable,
            sandbox: options.browser.sandbox.unwrap_or(true),
            of_host: None,
        };
        Ok(Some((granted, browser)))
    }
}
