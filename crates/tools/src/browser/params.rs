//! What a call of the browser is given.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, ToolError};

/// What to do in the browser.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrowserParams {
    /// What to do.
    pub action: BrowserAction,
    /// Tab, such as `t1`. Default: the active tab.
    pub tab: Option<String>,
    /// For `open` and `navigate`: `http` or `https` URL. For `wait`: part of the URL to wait for.
    #[schemars(length(min = 1))]
    pub url: Option<String>,
    /// Element, by its reference in a snapshot, such as `e12`.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// For `drag`: element to drop on.
    pub to_ref: Option<String>,
    /// For `click`, `hover` and `drag` without `ref`: pixels from the left of the last screenshot.
    pub x: Option<f64>,
    /// Pixels from its top.
    pub y: Option<f64>,
    /// For `drag` without `toRef`: pixels from the left of the last screenshot.
    pub to_x: Option<f64>,
    /// Pixels from its top.
    pub to_y: Option<f64>,
    /// Text to type, to fill in, or to wait for.
    pub text: Option<String>,
    /// For `wait`: text that must disappear.
    pub text_gone: Option<String>,
    /// For `type` and `fill`: press Enter afterwards. Default: false.
    pub submit: Option<bool>,
    /// For `select`: labels or values of the options.
    pub values: Option<Vec<String>>,
    /// For `fill`: several fields in one call.
    #[schemars(length(min = 1, max = 100))]
    pub fields: Option<Vec<BrowserField>>,
    /// For `press`: key, such as `Enter` or `Control+A`.
    pub key: Option<String>,
    /// For `click`. Default: false.
    pub double_click: Option<bool>,
    /// For `click`. Default: `left`.
    pub button: Option<MouseButton>,
    /// For `click`: `Alt`, `Control`, `Meta`, `Shift`.
    pub modifiers: Option<Vec<String>>,
    /// For `scroll`: pixels to the right. Default: 0.
    pub delta_x: Option<f64>,
    /// For `scroll`: pixels down. Default: 600.
    pub delta_y: Option<f64>,
    /// For `snapshot`, `text` and `screenshot`: only this element, or the rows folded behind this reference.
    pub scope: Option<String>,
    /// For `snapshot`: only lines that contain all these words.
    pub query: Option<String>,
    /// For `snapshot` and `text`: where to continue: `next` of the last result.
    pub offset: Option<u64>,
    /// Maximum number of characters. Default: 12000, for `text` 20000.
    #[schemars(range(min = 1))]
    pub max_chars: Option<u64>,
    /// For `snapshot`. Default: `page`.
    pub mode: Option<BrowserView>,
    /// For `screenshot`: the whole page. Default: false.
    pub full_page: Option<bool>,
    /// For `screenshot`. Default: by the extension of `path`, else `jpeg`.
    pub format: Option<PictureFormat>,
    /// For `screenshot`: draw the references on it. Default: false.
    pub labels: Option<bool>,
    /// For `download` and `screenshot`: path of the file to write.
    pub path: Option<String>,
    /// For `upload`: paths of the files.
    #[schemars(length(min = 1, max = 20))]
    pub paths: Option<Vec<String>>,
    /// For `evaluate`: JavaScript expression, or a function of the element of `ref`.
    #[schemars(length(max = 20_000))]
    pub expression: Option<String>,
    /// For `dialog`: accept or dismiss.
    pub accept: Option<bool>,
    /// For `dialog`: answer to a prompt.
    pub prompt_text: Option<String>,
    /// For `console` and `network`: only entries that contain this text.
    pub filter: Option<String>,
    /// For `console` and `network`: maximum number of entries. Default: 50.
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<u64>,
    /// For `wait`: milliseconds to wait.
    #[schemars(range(max = 30_000))]
    pub time: Option<u64>,
    /// Time limit in milliseconds. Default: 8000; for pages 20000.
    #[schemars(range(min = 1, max = 120_000))]
    pub timeout: Option<u64>,
}

/// One field of a form.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BrowserField {
    /// The field.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Text, label of an option, `true` or `false`, or a date such as `2026-01-31`.
    pub value: String,
}

/// What can be done in a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrowserAction {
    /// Open a page in a new tab.
    Open,
    /// Open a page in this tab.
    Navigate,
    /// Go back.
    Back,
    /// Load the page again.
    Reload,
    /// List the tabs.
    Tabs,
    /// Make a tab the active one.
    Focus,
    /// Close a tab.
    Close,
    /// Show the page as text with references.
    Snapshot,
    /// Read the text of the page.
    Text,
    /// Take a picture.
    Screenshot,
    /// Click.
    Click,
    /// Move the mouse over an element.
    Hover,
    /// Type behind what is there, or without `ref` where the focus is.
    Type,
    /// Replace the value of fields.
    Fill,
    /// Choose options.
    Select,
    /// Press a key.
    Press,
    /// Drag an element onto another.
    Drag,
    /// Scroll.
    Scroll,
    /// Wait.
    Wait,
    /// Evaluate an expression.
    Evaluate,
    /// Answer a question of the page.
    Dialog,
    /// Give files to a field.
    Upload,
    /// Click, and keep the file that is offered.
    Download,
    /// Show the console.
    Console,
    /// Show the requests.
    Network,
}

impl BrowserAction {
    /// As calls name it.
    #[must_use]
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).ok();
        name.and_then(|name| name.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

/// How much of a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BrowserView {
    /// Text and controls.
    Page,
    /// Controls only.
    Controls,
    /// Headings and parts only.
    Outline,
}

/// How a picture is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PictureFormat {
    /// Small.
    Jpeg,
    /// Exact.
    Png,
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MouseButton {
    /// The usual one.
    Left,
    /// That of the context menu.
    Right,
    /// The wheel.
    Middle,
}

impl BrowserParams {
    /// A parameter that this action needs.
    pub(super) fn wanted<'a, T>(
        &self,
        given: Option<&'a T>,
        name: &str,
    ) -> Result<&'a T, ToolError> {
        given.ok_or_else(|| self.lacks(name))
    }

    pub(super) fn lacks(&self, name: &str) -> ToolError {
        let message = format!("The action `{}` needs `{name}`.", self.action.name());
        ToolError::new(ErrorCode::InvalidParams, message).with("param", name)
    }
}
