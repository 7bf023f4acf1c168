//! Shows pages to the user.

mod request;

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tenon_canvas::{
    BrowserChoice, CanvasFacts, Canvases, Events, Fragment, Picture, Shown, Update, picture,
};
use tenon_contract::{
    Access, Effect, ErrorCode, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits,
};
use tenon_process::Processes;
use tenon_web::{Resolver, boundary};
use tenon_workspace::Workspace;

pub use self::request::{CanvasAction, CanvasParams, CanvasPlan};
use self::request::{Source, Wanted};
use crate::blocking::blocking;
use crate::host::{HostCallback, request};

/// What canvases work with.
#[derive(Clone)]
pub struct CanvasServices {
    /// The canvases of the toolkit.
    pub canvases: Canvases,
    /// Takes the pictures.
    pub browser: BrowserChoice,
    /// Starts the browser.
    pub processes: Processes,
    /// Finds the origins that a canvas may use.
    pub resolver: Arc<dyn Resolver>,
    /// Opens a canvas where the host can: `{canvasId, title, url, resource}`.
    pub show: Option<Arc<dyn HostCallback>>,
}

/// What became of a canvas.
#[derive(Debug)]
pub enum CanvasOutput {
    /// It is shown, or shows something else.
    Shown {
        /// What was called.
        action: CanvasAction,
        /// As it is now.
        facts: CanvasFacts,
        /// The title of the oldest one, which had to go.
        gone: Option<String>,
        /// Whether the host has opened it; nothing where it cannot.
        opened: Option<bool>,
        /// Why it has not.
        fault: Option<String>,
    },
    /// What it looks like.
    Picture {
        /// The picture.
        picture: Picture,
        /// Its bytes in base64.
        data: String,
    },
    /// What the user did.
    Events {
        /// Of which canvas.
        facts: CanvasFacts,
        /// What.
        found: Events,
        /// A word that the page cannot know, where the page may have loaded something of others.
        boundary: Option<String>,
    },
    /// It is not shown any more.
    Hidden(CanvasFacts),
    /// All of them.
    List(Vec<CanvasFacts>),
}

impl Output for CanvasOutput {}

/// The operation.
pub struct Canvas {
    workspace: Workspace,
    services: Option<CanvasServices>,
}

impl Canvas {
    /// Shows what is in calls and in files of the workspace; without services every call says what is missing.
    #[must_use]
    pub fn new(workspace: Workspace, services: Option<CanvasServices>) -> Self {
        Self {
            workspace,
            services,
        }
    }

    fn services(&self) -> Result<&CanvasServices, ToolError> {
        self.services.as_ref().ok_or_else(|| {
            let message = "This application does not show pages. Continue without it.";
            ToolError::new(ErrorCode::Unavailable, message).with("option", "canvas")
        })
    }
}

impl Tool for Canvas {
    const OPERATION: Operation = Operation::Canvas;
    // Longer than a browser takes to start and to show a page.
    const TIME_LIMIT: TimeLimit = TimeLimit::After(limits::CANVAS_SNAPSHOT_TIMEOUT);
    type Params = CanvasParams;
    type Plan = CanvasPlan;
    type Output = CanvasOutput;

    fn plan(&self, params: CanvasParams) -> Result<(Access, CanvasPlan), ToolError> {
        let canvases = &self.services()?.canvases;
        let plan = request::plan(params, &self.workspace, canvases)?;
        let mut access = Access {
            hosts: plan.origins.claims(),
            ..Access::default()
        };
        if let Wanted::Present { source, .. }
        | Wanted::Update {
            source: Some(source),
            ..
        } = &plan.wanted
            && let Source::File(file) = source
        {
            access.reads.push(file.claim().clone());
        }
        Ok((access, plan))
    }

    fn effect(plan: &CanvasPlan) -> Effect {
        match plan.wanted {
            Wanted::Present { .. } | Wanted::Update { .. } if !plan.origins.is_empty() => {
                Effect::Network
            }
            Wanted::Present { .. } | Wanted::Update { .. } | Wanted::Hide(_) => Effect::Converse,
            Wanted::Snapshot { .. } | Wanted::Events { .. } | Wanted::List => Effect::Observe,
        }
    }

    async fn run(&self, plan: CanvasPlan, context: ToolContext) -> Result<CanvasOutput, ToolError> {
        let services = self.services()?;
        let canvases = &services.canvases;
        match plan.wanted {
            Wanted::Present { shown, source } => {
                let fragment = content(source, &context).await?;
                present(services, Shown { fragment, ..*shown }, &context).await
            }
            Wanted::Update {
                key,
                title,
                data,
                source,
            } => {
                let fragment = match source {
                    Some(source) => Some(content(source, &context).await?),
                    None => None,
                };
                let facts = canvases
                    .update(
                        &key,
                        Update {
                            title,
                            fragment,
                            data,
                        },
                    )
                    .await?;
                Ok(CanvasOutput::Shown {
                    action: CanvasAction::Update,
                    facts,
                    gone: None,
                    opened: None,
                    fault: None,
                })
            }
            Wanted::Snapshot { key, width } => snapshot(services, &key, width, &context).await,
            Wanted::Events { key, after } => {
                let (facts, found) = canvases.events(&key, after).await?;
                let boundary = facts.is_open.then(boundary);
                Ok(CanvasOutput::Events {
                    facts,
                    found,
                    boundary,
                })
            }
            Wanted::Hide(key) => canvases.hide(&key).await.map(CanvasOutput::Hidden),
            Wanted::List => canvases.list().await.map(CanvasOutput::List),
        }
    }
}

async fn content(source: Source, context: &ToolContext) -> Result<Fragment, ToolError> {
    match source {
        Source::Ready(fragment) => Ok(fragment),
        Source::File(file) => {
            let read = move |_: &ToolContext| {
                // One byte more, so that a file that is too large is refused by its own words.
                let most = limits::CANVAS_HTML_MAX_BYTES as u64 * 4;
                let text = file.open_file()?.read_text(most)?;
                Fragment::of_html(text.text())
            };
            blocking(context.clone(), read).await
        }
    }
}

async fn snapshot(
    services: &CanvasServices,
    key: &str,
    width: Option<u32>,
    context: &ToolContext,
) -> Result<CanvasOutput, ToolError> {
    let with = (&services.processes, Arc::clone(&services.resolver));
    let (canvases, browser) = (&services.canvases, &services.browser);
    let taken = picture(canvases, key, width, browser, with, context.cancellation()).await?;
    Ok(CanvasOutput::Picture {
        data: STANDARD.encode(&taken.bytes),
        picture: Picture {
            bytes: Vec::new(),
            ..taken
        },
    })
}

async fn present(
    services: &CanvasServices,
    shown: Shown,
    context: &ToolContext,
) -> Result<CanvasOutput, ToolError> {
    let presented = services.canvases.present(shown).await?;
    let facts = presented.facts;
    let (mut opened, mut fault) = (None, None);
    if let (Some(host), Some(document)) = (
        &services.show,
        services.canvases.document(&facts.resource_uri),
    ) {
        let resource = json!({
            "uri": document.uri,
            "mimeType": document.mime_type,
            "text": document.text,
            "_meta": { "ui": { "csp": document.csp } },
        });
        let asked = json!({
            "canvasId": facts.id,
            "name": facts.name,
            "title": facts.title,
            "url": facts.url,
            "resource": resource,
        });
        // The canvas is there, whatever the host makes of it.
        match host.ask(request(context, asked), None).await {
            Ok(Value::Bool(false)) => opened = Some(false),
            Ok(_) => opened = Some(true),
            Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
            Err(error) => (opened, fault) = (Some(false), Some(error.message)),
        }
    }
    Ok(CanvasOutput::Shown {
        action: CanvasAction::Present,
        facts,
        gone: presented.gone,
        opened,
        fault,
    })
}
