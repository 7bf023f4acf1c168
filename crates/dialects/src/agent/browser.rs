//! browser: pages as the `agent` dialect renders them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_browser::{ActionResult, DialogInfo, Snapshot, TabInfo};
use tenon_contract::{Content, Operation};
use tenon_tools::{BrowserOutput, BrowserParams, BrowserResult};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::{browser_content, browser_page};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Convert, Field, Renderer};

/// The row of `browser`.
pub(super) const BINDING: ToolBinding = ToolBinding {
    operation: Operation::Browser,
    name: "browser",
    label: "Browser",
    description: include_str!("descriptions/browser.md"),
    category: Category::Web,
    level: 0,
    params: ParamsCodec::Fields(FIELDS),
    operation_params: SchemaSource::params::<BrowserParams>(),
    renderer: Renderer::of::<AgentBrowserDetails>(),
};

const FIELDS: &[Field] = &[
    Field::same("action").describe(
        "What to do. `open` uses a new tab, `navigate` the current one; `type` adds to the text of a field (without `ref`: types at the focus), `fill` replaces it; `download` clicks and keeps the file that is offered.",
    ),
    Field::same("tab").aliases(&["targetId", "tabId"]),
    Field::same("url").aliases(&["targetUrl", "href", "address"]),
    Field::same("ref").aliases(&["inputRef", "startRef", "element", "reference"]),
    Field::renamed("toRef", "to_ref").aliases(&["endRef"]),
    Field::same("x"),
    Field::same("y"),
    Field::renamed("toX", "to_x"),
    Field::renamed("toY", "to_y"),
    Field::same("text").aliases(&["value"]),
    Field::renamed("textGone", "text_gone"),
    Field::same("submit"),
    Field::same("values"),
    Field::same("fields"),
    Field::same("key"),
    Field::renamed("doubleClick", "double_click"),
    Field::same("button").describe("For `click`. Default: `left`."),
    Field::same("modifiers"),
    Field::renamed("deltaX", "delta_x"),
    Field::renamed("deltaY", "delta_y"),
    Field::same("scope"),
    Field::same("query"),
    Field::same("offset"),
    Field::renamed("maxChars", "max_chars").at_least_one(),
    Field::same("mode").describe("For `snapshot`: text and controls, controls only, or headings and landmarks only. Default: `page`."),
    Field::renamed("fullPage", "full_page"),
    Field::same("format").describe("For `screenshot`. Default: by the extension of `path`, else `jpeg`."),
    Field::same("labels"),
    Field::same("path"),
    Field::same("paths"),
    Field::same("expression").aliases(&["fn", "script", "code"]),
    Field::same("accept"),
    Field::renamed("promptText", "prompt_text"),
    Field::same("filter").aliases(&["level"]),
    Field::same("limit"),
    Field::same("time")
        .convert(Convert::Seconds)
        .describe("For `wait`: seconds to wait."),
    Field::same("timeout")
        .aliases(&["timeoutSeconds"])
        .convert(Convert::Seconds)
        .describe("Time limit in seconds. Default: 8; for pages 20."),
];

/// Details of `browser`. Beside the page there is what the action returns.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentBrowserDetails {
    /// Always true: a failed call is an error.
    ok: bool,
    /// What was done.
    action: String,
    /// The tab.
    #[serde(skip_serializing_if = "Option::is_none")]
    tab: Option<String>,
    /// The address of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The title of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(flatten)]
    result: AgentBrowserResult,
    /// The file that was written, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// For `upload`: the files that the field was given, relative to the workspace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    /// Of the picture or of the file that came.
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    /// `interception` where connections do not go through the guarded proxy, because the host has connected a browser of
    /// another machine: URLs are judged, the addresses behind names are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    guard: Option<&'static str>,
}

/// What an action returns.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentBrowserResult {
    /// The status of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    /// `none`, `page` or `navigation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<String>,
    /// The page as text, or what is new on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<String>,
    /// References in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    refs: Option<usize>,
    /// Of these, how many are new.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_refs: Option<usize>,
    /// What is folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<AgentOmitted>,
    /// Characters of text that cannot be seen on the page and were omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_characters: Option<usize>,
    /// Whether there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// The offset of the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<usize>,
    /// For `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Of the picture, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    /// Of the picture, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    /// Pixels of the picture for one of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    /// For `scroll`: whether anything moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved: Option<bool>,
    /// For `wait`: whether it came in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched: Option<bool>,
    /// For `evaluate`: the value as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// The question that the page asks and that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialog: Option<AgentDialog>,
    /// For `dialog`: the question that was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<AgentDialog>,
    /// What the page said by `alert`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alerts: Vec<String>,
    /// All tabs.
    #[serde(skip_serializing_if = "Option::is_none")]
    tabs: Option<Vec<AgentTab>>,
    /// Tabs that the action opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    opened: Vec<AgentTab>,
    /// Errors in the console.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    console_errors: Vec<String>,
    /// Files that the page offered and that were not kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    downloads: Vec<AgentOffered>,
    /// Documents that were not opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked: Vec<AgentBlocked>,
    /// `single` or `multiple`: the files that a chooser takes which the action opened. `upload` answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_chooser: Option<String>,
    /// For `console` and `network`.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<AgentEntry>>,
    /// How many entries there were.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<usize>,
}

/// What is folded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentOmitted {
    /// Rows.
    rows: usize,
    /// Options of selects.
    options: usize,
}

/// A question of the page.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentDialog {
    /// `confirm` or `prompt`.
    #[serde(rename = "type")]
    kind: String,
    /// What it says.
    message: String,
}

/// A tab.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentTab {
    /// Its name.
    tab: String,
    /// Its address.
    url: String,
    /// Its title.
    title: String,
    /// Whether actions go to it by default.
    active: bool,
}

/// A file that a page offered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentOffered {
    /// Its address.
    url: String,
    /// Its name.
    name: String,
}

/// A document that was not opened.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentBlocked {
    /// Its address.
    url: String,
    /// Why.
    reason: String,
    /// The rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

/// A line of the console, or a request.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentEntry {
    /// Of the console: `log`, `warning`, `error` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<String>,
    /// Of the console: what it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// What was requested, or where the line comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Of a request: `document`, `script`, `fetch` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Of a request: why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl ResultView for AgentBrowserDetails {
    type Output = BrowserOutput;

    fn render(output: BrowserOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let content = browser_content(&output, words);
        let page = browser_page(&output).cloned();
        let mime_type = match &output.result {
            BrowserResult::Pictured(picture) => Some(picture.mime_type.clone()),
            _ => output.saved.as_ref().map(|saved| saved.mime_type.clone()),
        };
        let details = Self {
            ok: true,
            action: output.action.name(),
            tab: page.as_ref().map(|page| page.tab.clone()),
            url: page.as_ref().map(|page| page.url.clone()),
            title: page.map(|page| page.title),
            path: output.saved.as_ref().map(|saved| saved.path.clone()),
            size: output.saved.as_ref().map(|saved| saved.size),
            mime_type,
            files: output.uploaded,
            guard: (!output.is_proxied).then_some("interception"),
            result: result(output.result),
        };
        (content, details)
    }
}

fn waited(matched: bool) -> AgentBrowserResult {
    AgentBrowserResult {
        matched: Some(matched),
        ..AgentBrowserResult::default()
    }
}

fn result(result: BrowserResult) -> AgentBrowserResult {
    use BrowserResult as From;
    let empty = AgentBrowserResult::default;
    match result {
        From::Opened(opened) => AgentBrowserResult {
            http_status: opened.http_status,
            dialog: opened.dialog.map(dialog),
            downloads: opened.downloads.into_iter().map(offered).collect(),
            blocked: opened.blocked.into_iter().map(blocked).collect(),
            ..looked(opened.snapshot)
        },
        From::Looked(snapshot) => looked(snapshot),
        From::Read(read) => AgentBrowserResult {
            text: Some(read.text),
            truncated: Some(read.truncated),
            next: read.next,
            ..empty()
        },
        From::Pictured(picture) => AgentBrowserResult {
            width: Some(picture.width),
            height: Some(picture.height),
            scale: Some(picture.scale),
            ..empty()
        },
        From::Done(result, moved) => AgentBrowserResult {
            moved,
            ..done(*result)
        },
        From::Tabs(tabs) => AgentBrowserResult {
            tabs: Some(tabs.into_iter().map(tab).collect()),
            ..empty()
        },
        From::Waited(matched) => waited(matched),
        From::Paused => waited(true),
        From::Evaluated(value) => AgentBrowserResult {
            value: Some(value.value),
            truncated: Some(value.truncated),
            ..empty()
        },
        From::Answered(info, result) => AgentBrowserResult {
            answered: Some(dialog(info)),
            ..done(*result)
        },
        From::Downloaded(_, result) => done(*result),
        From::Console(found) => AgentBrowserResult {
            total: Some(found.total),
            entries: Some(found.entries.into_iter().map(line).collect()),
            ..empty()
        },
        From::Network(found) => AgentBrowserResult {
            total: Some(found.total),
            entries: Some(found.entries.into_iter().map(request).collect()),
            ..empty()
        },
    }
}

fn looked(snapshot: Snapshot) -> AgentBrowserResult {
    AgentBrowserResult {
        snapshot: Some(snapshot.text),
        refs: Some(snapshot.refs),
        new_refs: Some(snapshot.new_refs),
        omitted: Some(AgentOmitted {
            rows: snapshot.omitted_rows,
            options: snapshot.omitted_options,
        }),
        hidden_characters: (snapshot.hidden_characters > 0).then_some(snapshot.hidden_characters),
        truncated: Some(snapshot.truncated),
        next: snapshot.next,
        ..AgentBrowserResult::default()
    }
}

fn done(result: ActionResult) -> AgentBrowserResult {
    AgentBrowserResult {
        changed: word(result.changed),
        file_chooser: result.file_chooser.and_then(word),
        dialog: result.dialog.map(dialog),
        alerts: result.alerts,
        opened: result.opened.into_iter().map(tab).collect(),
        console_errors: result.console_errors,
        downloads: result.downloads.into_iter().map(offered).collect(),
        blocked: result.blocked.into_iter().map(blocked).collect(),
        ..result.snapshot.map(looked).unwrap_or_default()
    }
}

/// An enumerated value as it is written in JSON.
fn word(value: impl Serialize) -> Option<String> {
    let value = serde_json::to_value(value).ok()?;
    value.as_str().map(str::to_owned)
}

fn dialog(info: DialogInfo) -> AgentDialog {
    AgentDialog {
        kind: info.kind,
        message: info.message,
    }
}

fn tab(info: TabInfo) -> AgentTab {
    AgentTab {
        tab: info.tab,
        url: info.url,
        title: info.title,
        active: info.active,
    }
}

fn offered(file: tenon_browser::Offered) -> AgentOffered {
    AgentOffered {
        url: file.url,
        name: file.name,
    }
}

fn blocked(blocked: tenon_browser::Blocked) -> AgentBlocked {
    AgentBlocked {
        url: blocked.url,
        reason: blocked.reason,
        rule: blocked.rule,
    }
}

fn line(entry: tenon_browser::ConsoleEntry) -> AgentEntry {
    AgentEntry {
        level: Some(entry.level),
        text: Some(entry.text),
        url: Some(entry.url).filter(|url| !url.is_empty()),
        ..AgentEntry::default()
    }
}

fn request(entry: tenon_browser::NetworkEntry) -> AgentEntry {
    AgentEntry {
        method: Some(entry.method),
        url: Some(entry.url),
        kind: Some(entry.kind),
        status: entry.status,
        error: entry.error,
        ..AgentEntry::default()
    }
}
