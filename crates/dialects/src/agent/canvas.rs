//! canvas: pages that the user sees.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_canvas::{CanvasFacts, Event};
use tenon_contract::{Content, Operation};
use tenon_tools::{CanvasAction, CanvasOutput, CanvasParams};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::canvas_content;
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Field, Renderer};

/// The row of `canvas`.
pub(super) const BINDING: ToolBinding = ToolBinding {
    operation: Operation::Canvas,
    name: "canvas",
    label: "Canvas",
    description: include_str!("descriptions/canvas.md"),
    category: Category::Utility,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("action")
            .aliases(&["command", "operation"])
            .describe("What to do."),
        Field::renamed("canvasId", "canvas_id").aliases(&["id", "canvas"]),
        Field::same("name"),
        Field::same("title"),
        Field::same("html").aliases(&["widget_code", "content", "code", "body"]),
        Field::same("path").aliases(&["file", "file_path"]),
        Field::same("parts").aliases(&["blocks", "components"]),
        Field::same("data"),
        Field::same("width"),
        Field::same("height"),
        Field::same("connect").aliases(&["net_origins", "connect_domains"]),
        Field::same("resources").aliases(&["resource_domains"]),
        Field::same("after"),
    ]),
    operation_params: SchemaSource::params::<CanvasParams>(),
    renderer: Renderer::of::<AgentCanvasDetails>(),
};

/// One canvas.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentCanvas {
    /// Its id.
    canvas_id: String,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Its title.
    title: String,
    /// Its page on this machine. Who knows the address can open it.
    url: String,
    /// Its address for hosts of MCP Apps.
    resource_uri: String,
    /// Counts its contents and data.
    version: u64,
    /// Length of its HTML.
    bytes: usize,
    /// Whether it is hidden.
    hidden: bool,
    /// Events so far.
    event_count: u64,
}

impl From<CanvasFacts> for AgentCanvas {
    fn from(facts: CanvasFacts) -> Self {
        Self {
            canvas_id: facts.id,
            name: facts.name,
            title: facts.title,
            url: facts.url,
            resource_uri: facts.resource_uri,
            version: facts.version,
            bytes: facts.bytes,
            hidden: facts.hidden,
            event_count: facts.events,
        }
    }
}

/// Something that happened in a canvas.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentCanvasEvent {
    /// Counts up from 1.
    id: u64,
    /// As the page named it; `message` for a message of the user, `error` for an error of a script.
    #[serde(rename = "type")]
    kind: String,
    /// What the page said about it.
    data: Value,
}

impl From<Event> for AgentCanvasEvent {
    fn from(Event { id, kind, data }: Event) -> Self {
        Self { id, kind, data }
    }
}

/// Details of `canvas`.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentCanvasDetails {
    /// Always true: a failed call is an error.
    ok: bool,
    /// What was done.
    action: &'static str,
    /// The canvas, for every action but `list`.
    #[serde(flatten)]
    canvas: Option<AgentCanvas>,
    /// The title of the oldest canvas, which had to go.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
    /// For `present`, where the application opens canvases: whether it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    opened: Option<bool>,
    /// For `snapshot`: the file of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// For `snapshot`, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    /// For `snapshot`, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    /// For `snapshot`, such as `image/png`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'static str>,
    /// For `snapshot`: errors of scripts, and of what could not be loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    console_errors: Option<Vec<String>>,
    /// For `snapshot`: whether the content is wider than the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    overflow: Option<bool>,
    /// For `events`: what the user did.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<AgentCanvasEvent>>,
    /// For `events`: the id to pass as `after` next time.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// For `events`: events that were lost because there were too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped: Option<u64>,
    /// For `list`: all canvases, the oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    canvases: Option<Vec<AgentCanvas>>,
}

impl AgentCanvasDetails {
    fn of(action: CanvasAction, canvas: Option<CanvasFacts>) -> Self {
        Self {
            ok: true,
            action: match action {
                CanvasAction::Present => "present",
                CanvasAction::Update => "update",
                CanvasAction::Snapshot => "snapshot",
                CanvasAction::Events => "events",
                CanvasAction::Hide => "hide",
                CanvasAction::List => "list",
            },
            canvas: canvas.map(AgentCanvas::from),
            ..Self::default()
        }
    }
}

impl From<CanvasOutput> for AgentCanvasDetails {
    fn from(output: CanvasOutput) -> Self {
        match output {
            CanvasOutput::Shown {
                action,
                facts,
                gone,
                opened,
                ..
            } => Self {
                replaced: gone,
                opened,
                ..Self::of(action, Some(facts))
            },
            CanvasOutput::Picture { picture, .. } => Self {
                path: Some(picture.path.display().to_string()),
                width: Some(picture.width),
                height: Some(picture.height),
                mime_type: Some(picture.mime_type),
                console_errors: Some(picture.console_errors),
                overflow: Some(picture.overflow.is_some()),
                ..Self::of(CanvasAction::Snapshot, Some(picture.facts))
            },
            CanvasOutput::Events { facts, found, .. } => Self {
                events: Some(
                    found
                        .events
                        .into_iter()
                        .map(AgentCanvasEvent::from)
                        .collect(),
                ),
                next: Some(found.next),
                dropped: Some(found.dropped),
                ..Self::of(CanvasAction::Events, Some(facts))
            },
            CanvasOutput::Hidden(facts) => Self::of(CanvasAction::Hide, Some(facts)),
            CanvasOutput::List(canvases) => Self {
                canvases: Some(canvases.into_iter().map(AgentCanvas::from).collect()),
                ..Self::of(CanvasAction::List, None)
            },
        }
    }
}

impl ResultView for AgentCanvasDetails {
    type Output = CanvasOutput;

    fn render(output: CanvasOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        (canvas_content(&output), output.into())
    }
}
