//! What is asked of a canvas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_canvas::{Canvases, Fragment, Origins, Part, Shown};
use tenon_contract::{ErrorCode, ToolError, limits, parameter};
use tenon_workspace::{Located, Workspace};

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CanvasAction {
    /// Show a page.
    Present,
    /// Change its content or its data.
    Update,
    /// Take a picture of it.
    Snapshot,
    /// Return what the user did.
    Events,
    /// Hide it.
    Hide,
    /// List all.
    List,
}

/// What to do with which page.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CanvasParams {
    /// What to do.
    pub action: CanvasAction,
    /// Id of the canvas, for every action but `present` and `list`.
    pub canvas_id: Option<String>,
    /// Name of your choice, usable instead of the id. `present` with a name that exists replaces that canvas.
    pub name: Option<String>,
    /// Title, for `present`.
    #[schemars(length(max = 120))]
    pub title: Option<String>,
    /// HTML fragment with inline scripts and styles, up to 256 KB.
    pub html: Option<String>,
    /// HTML file of the workspace, instead of `html`.
    pub path: Option<String>,
    /// Tables, charts and texts, instead of `html`.
    pub parts: Option<Vec<Part>>,
    /// JSON object for the page, which reads it with `tenon.onData(fn)`. `update` with data alone does not reload the page.
    pub data: Option<Map<String, Value>>,
    /// Width in pixels.
    #[schemars(range(min = 200, max = 2000))]
    pub width: Option<u32>,
    /// Height in pixels.
    #[schemars(range(min = 80, max = 4000))]
    pub height: Option<u32>,
    /// Origins that scripts may connect to, such as `https://api.example.com`. Requires approval.
    pub connect: Option<Vec<String>>,
    /// Origins of scripts, styles, images and fonts. Requires approval.
    pub resources: Option<Vec<String>>,
    /// Return events after this id. Default: 0.
    pub after: Option<u64>,
}

/// A checked call.
#[derive(Debug)]
pub struct CanvasPlan {
    pub(super) wanted: Wanted,
    /// What the canvas will use beyond what the host grants to all.
    pub(super) origins: Origins,
}

#[derive(Debug)]
pub(super) enum Wanted {
    Present {
        /// All but the content.
        shown: Box<Shown>,
        source: Source,
    },
    Update {
        key: String,
        title: Option<String>,
        data: Option<Value>,
        source: Option<Source>,
    },
    Snapshot {
        key: String,
        width: Option<u32>,
    },
    Events {
        key: String,
        after: u64,
    },
    Hide(String),
    List,
}

/// Where the content comes from.
#[derive(Debug)]
pub(super) enum Source {
    Ready(Fragment),
    File(Located),
}

fn wrong(message: String) -> ToolError {
    ToolError::new(ErrorCode::InvalidParams, message)
}

pub(super) fn plan(
    params: CanvasParams,
    workspace: &Workspace,
    canvases: &Canvases,
) -> Result<CanvasPlan, ToolError> {
    check(&params)?;
    let key = params.canvas_id.clone().or_else(|| params.name.clone());
    let key = || {
        key.clone().ok_or_else(|| {
            let (id, name) = (parameter("canvas_id"), parameter("name"));
            wrong(format!("{id} or {name} is required for this action."))
        })
    };
    let plain = |wanted: Wanted| CanvasPlan {
        wanted,
        origins: Origins::default(),
    };
    Ok(match params.action {
        CanvasAction::Present => present(params, workspace, canvases)?,
        CanvasAction::Update => {
            let key = key()?;
            let source = source(&params, workspace)?;
            let CanvasParams { title, data, .. } = params;
            let data = data.map(Value::Object);
            if source.is_none() && title.is_none() && data.is_none() {
                let (html, path, parts) =
                    (parameter("html"), parameter("path"), parameter("parts"));
                let (data, title) = (parameter("data"), parameter("title"));
                return Err(wrong(format!(
                    "There is nothing to update. Pass {html}, {path}, {parts}, {data} or {title}."
                )));
            }
            CanvasPlan {
                // What the page gets now may go where the canvas may connect to.
                origins: canvases.origins(&key),
                wanted: Wanted::Update {
                    key,
                    title,
                    data,
                    source,
                },
            }
        }
        CanvasAction::Snapshot => plain(Wanted::Snapshot {
            key: key()?,
            width: params.width,
        }),
        CanvasAction::Events => plain(Wanted::Events {
            key: key()?,
            after: params.after.unwrap_or(0),
        }),
        CanvasAction::Hide => plain(Wanted::Hide(key()?)),
        CanvasAction::List => plain(Wanted::List),
    })
}

fn present(
    params: CanvasParams,
    workspace: &Workspace,
    canvases: &Canvases,
) -> Result<CanvasPlan, ToolError> {
    let source = source(&params, workspace)?.ok_or_else(|| {
        let (html, path, parts) = (parameter("html"), parameter("path"), parameter("parts"));
        wrong(format!(
            "There is nothing to show. Pass {html}, {path} or {parts}."
        ))
    })?;
    let title = params.title.filter(|title| !title.trim().is_empty());
    let title =
        title.ok_or_else(|| wrong(format!("{} is required (string).", parameter("title"))))?;
    let list = |origins: Option<Vec<String>>| origins.unwrap_or_default();
    let origins = Origins::new(&list(params.connect), &list(params.resources))?;
    let asked = origins.without(canvases.granted());
    Ok(CanvasPlan {
        wanted: Wanted::Present {
            shown: Box::new(Shown {
                name: params.name,
                title,
                fragment: Fragment::default(),
                data: params.data.map(Value::Object).unwrap_or_default(),
                origins: asked.clone(),
                width: params.width,
                height: params.height,
            }),
            source,
        },
        origins: asked,
    })
}

/// The bounds that hold whatever is done.
fn check(params: &CanvasParams) -> Result<(), ToolError> {
    let most = limits::CANVAS_TITLE_MAX_CHARACTERS;
    if params
        .title
        .as_ref()
        .is_some_and(|title| title.chars().count() > most)
    {
        return Err(wrong(format!(
            "{} is longer than {most} characters.",
            parameter("title")
        )));
    }
    let most = limits::CANVAS_NAME_MAX_CHARACTERS;
    if let Some(name) = &params.name {
        let is_plain =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ' ');
        let fits = (1..=most).contains(&name.chars().count()) && name.chars().all(is_plain);
        if !fits {
            return Err(wrong(format!(
                "{} must be 1 to {most} letters, digits, spaces, `-`, `_` or `.`.",
                parameter("name")
            )));
        }
    }
    if let Some(data) = &params.data {
        let (bytes, most) = (
            Value::Object(data.clone()).to_string().len(),
            limits::CANVAS_DATA_MAX_BYTES,
        );
        if bytes > most {
            let message = format!(
                "{} has {bytes} bytes of JSON; the limit is {most}.",
                parameter("data")
            );
            return Err(ToolError::new(ErrorCode::TooLarge, message));
        }
    }
    let bounds = [
        (parameter("width"), params.width, 200..=2000_u32),
        (parameter("height"), params.height, 80..=4000),
    ];
    for (name, value, bounds) in bounds {
        if let Some(value) = value.filter(|value| !bounds.contains(value)) {
            let (least, most) = bounds.into_inner();
            return Err(wrong(format!(
                "{name} must be between {least} and {most}, not {value}."
            )));
        }
    }
    Ok(())
}

fn source(params: &CanvasParams, workspace: &Workspace) -> Result<Option<Source>, ToolError> {
    match (&params.html, &params.path, &params.parts) {
        (None, None, None) => Ok(None),
        (Some(html), None, None) => Fragment::of_html(html).map(Source::Ready).map(Some),
        (None, Some(path), None) => Ok(Some(Source::File(workspace.locate_existing(path)?))),
        (None, None, Some(parts)) => Fragment::of_parts(parts).map(Source::Ready).map(Some),
        _ => {
            let (html, path, parts) = (parameter("html"), parameter("path"), parameter("parts"));
            Err(wrong(format!(
                "Pass one of {html}, {path} and {parts}, not several."
            )))
        }
    }
}
