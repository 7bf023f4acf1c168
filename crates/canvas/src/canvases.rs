//! The canvases of a toolkit.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_contract::{ErrorCode, ToolError, limits, parameter};
use tenon_process::in_temporary_directory;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::document::{APP_MIME_TYPE, Document, Domains, SCHEME, template};
use crate::events::{Dropped, EventLog, Events};
use crate::fragment::Fragment;
use crate::origins::Origins;
use crate::page::{Page, lines_before};
use crate::server::{Address, serve};
use crate::token::token;

/// What is shown.
#[derive(Debug, Clone)]
pub struct Shown {
    /// By which a later call finds it, beside its id.
    pub name: Option<String>,
    /// Above the page.
    pub title: String,
    /// The content.
    pub fragment: Fragment,
    /// Handed to the page; null for none.
    pub data: Value,
    /// What it may use.
    pub origins: Origins,
    /// Of the frame, in pixels.
    pub width: Option<u32>,
    /// Of the frame, in pixels.
    pub height: Option<u32>,
}

/// What becomes of a canvas that is there.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// Another title.
    pub title: Option<String>,
    /// Other content.
    pub fragment: Option<Fragment>,
    /// Other data.
    pub data: Option<Value>,
}

/// A canvas, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanvasFacts {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// Its title.
    pub title: String,
    /// Counts its contents and data.
    pub version: u64,
    /// Length of its HTML.
    pub bytes: usize,
    /// Whether it is not shown at present.
    pub hidden: bool,
    /// Events so far.
    pub events: u64,
    /// What it shows, in words.
    pub outline: String,
    /// Its page on this machine.
    pub url: String,
    /// Its address in MCP Apps.
    pub resource_uri: String,
    /// Whether it may use origins of others.
    pub is_open: bool,
}

/// A canvas that was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Presented {
    /// As it is now.
    pub facts: CanvasFacts,
    /// The title of the oldest one, which had to go.
    pub gone: Option<String>,
}

/// The canvases of a toolkit. Clones share them; the last one ends what serves them.
#[derive(Debug, Clone)]
pub struct Canvases {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    board: Arc<Board>,
    granted: Origins,
    address: tokio::sync::Mutex<Option<Address>>,
    pictures: Mutex<Option<TempDir>>,
    over: CancellationToken,
    _end_with_me: DropGuard,
}

/// What the server sees.
#[derive(Debug)]
pub(crate) struct Board {
    state: Mutex<State>,
    granted: Origins,
    changed: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    /// The oldest first.
    canvases: Vec<Canvas>,
    last: u64,
}

#[derive(Debug)]
struct Canvas {
    id: String,
    shown: Shown,
    version: u64,
    /// Counts its contents.
    page: u64,
    hidden: bool,
    /// Known to the page itself, so it leads nowhere else.
    token: String,
    log: EventLog,
}

impl Canvases {
    /// None so far. Every canvas may use what is `granted`.
    #[must_use]
    pub fn new(granted: Origins) -> Self {
        let over = CancellationToken::new();
        let board = Board {
            state: Mutex::default(),
            granted: granted.clone(),
            changed: watch::channel(0).0,
        };
        Self {
            inner: Arc::new(Inner {
                board: Arc::new(board),
                granted,
                address: tokio::sync::Mutex::default(),
                pictures: Mutex::default(),
                _end_with_me: over.clone().drop_guard(),
                over,
            }),
        }
    }

    /// What every canvas may use.
    #[must_use]
    pub fn granted(&self) -> &Origins {
        &self.inner.granted
    }

    /// Shows a canvas: a new one, or in the place of the one with the same name.
    ///
    /// # Errors
    /// When its page cannot be served.
    pub async fn present(&self, shown: Shown) -> Result<Presented, ToolError> {
        let address = self.address().await?;
        let token = token()?;
        let mut state = self.inner.board.lock();
        let named = |canvas: &&mut Canvas| shown.name.is_some() && canvas.shown.name == shown.name;
        if let Some(canvas) = state.canvases.iter_mut().find(named) {
            canvas.version += 1;
            canvas.page += 1;
            canvas.hidden = false;
            canvas.shown = shown;
            // Another page must not be reached by what the one before knew.
            canvas.token = token;
            let facts = canvas.facts(&address);
            drop(state);
            self.inner.board.notify();
            return Ok(Presented { facts, gone: None });
        }
        state.last += 1;
        let canvas = Canvas {
            id: format!("c{}", state.last),
            shown,
            version: 1,
            page: 1,
            hidden: false,
            token,
            log: EventLog::new(),
        };
        let facts = canvas.facts(&address);
        let is_full = state.canvases.len() >= limits::CANVAS_MAX;
        let gone = is_full.then(|| state.canvases.remove(0).shown.title);
        state.canvases.push(canvas);
        drop(state);
        self.inner.board.notify();
        Ok(Presented { facts, gone })
    }

    /// Changes a canvas. Its page is loaded again only for other content.
    ///
    /// # Errors
    /// When there is no such canvas.
    pub async fn update(&self, key: &str, update: Update) -> Result<CanvasFacts, ToolError> {
        let address = self.address().await?;
        let facts = self.inner.board.with(key, |canvas| {
            canvas.version += 1;
            if let Some(title) = update.title {
                canvas.shown.title = title;
            }
            if let Some(fragment) = update.fragment {
                canvas.page += 1;
                canvas.shown.fragment = fragment;
            }
            if let Some(data) = update.data {
                canvas.shown.data = data;
            }
            canvas.facts(&address)
        })?;
        self.inner.board.notify();
        Ok(facts)
    }

    /// Hides a canvas until it is presented again.
    ///
    /// # Errors
    /// When there is no such canvas.
    pub async fn hide(&self, key: &str) -> Result<CanvasFacts, ToolError> {
        let address = self.address().await?;
        let facts = self.inner.board.with(key, |canvas| {
            canvas.hidden = true;
            canvas.facts(&address)
        })?;
        self.inner.board.notify();
        Ok(facts)
    }

    /// What the user did in a canvas after this event.
    ///
    /// # Errors
    /// When there is no such canvas.
    pub async fn events(&self, key: &str, after: u64) -> Result<(CanvasFacts, Events), ToolError> {
        let address = self.address().await?;
        self.inner.board.with(key, |canvas| {
            (canvas.facts(&address), canvas.log.after(after))
        })
    }

    /// All canvases, the oldest first.
    ///
    /// # Errors
    /// When their pages cannot be served.
    pub async fn list(&self) -> Result<Vec<CanvasFacts>, ToolError> {
        if self.inner.board.lock().canvases.is_empty() {
            return Ok(Vec::new());
        }
        let address = self.address().await?;
        let state = self.inner.board.lock();
        Ok(state
            .canvases
            .iter()
            .map(|canvas| canvas.facts(&address))
            .collect())
    }

    /// The document of this address, for a host of MCP Apps.
    #[must_use]
    pub fn document(&self, uri: &str) -> Option<Document> {
        if uri == crate::TEMPLATE_URI {
            return Some(template(&self.inner.granted));
        }
        let id = uri.strip_prefix(SCHEME)?;
        let state = self.inner.board.lock();
        let canvas = state.canvases.iter().find(|canvas| canvas.id == id)?;
        Some(canvas.document(&self.inner.granted))
    }

    /// What a canvas may use beyond what is granted to all; nothing where there is no such canvas.
    #[must_use]
    pub fn origins(&self, key: &str) -> Origins {
        let origins = |canvas: &mut Canvas| canvas.shown.origins.without(&self.inner.granted);
        self.inner.board.with(key, origins).unwrap_or_default()
    }

    /// The documents of all canvases: address and title.
    #[must_use]
    pub fn documents(&self) -> Vec<(String, String)> {
        let state = self.inner.board.lock();
        let named = state
            .canvases
            .iter()
            .map(|canvas| (canvas.uri(), canvas.shown.title.clone()));
        named.collect()
    }

    /// What it takes to picture a canvas.
    pub(crate) async fn subject(&self, key: &str) -> Result<Subject, ToolError> {
        let address = self.address().await?;
        self.inner.board.with(key, |canvas| Subject {
            host: address.host(),
            url: address.content(&canvas.token),
            reached: canvas.shown.origins.with(&self.inner.granted).hosts(),
            facts: canvas.facts(&address),
            size: (canvas.shown.width, canvas.shown.height),
        })
    }

    /// Keeps a picture in a private directory that goes with the toolkit.
    pub(crate) fn keep(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, ToolError> {
        let failed = |error: std::io::Error| {
            let message = format!("The picture could not be stored: {error}.");
            ToolError::new(ErrorCode::Io, message).caused_by(error)
        };
        let mut pictures = self
            .inner
            .pictures
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let directory = match pictures.as_ref() {
            Some(directory) => directory,
            None => pictures.insert(
                in_temporary_directory(|parent| {
                    tempfile::Builder::new()
                        .prefix("tenon-canvas-")
                        .tempdir_in(parent)
                })
                .map_err(failed)?,
            ),
        };
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).map_err(failed)?;
        Ok(path)
    }

    /// Ends what serves the pages, and removes the pictures.
    pub fn close(&self) {
        self.inner.over.cancel();
        self.inner
            .pictures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    /// Where the pages are. They are served from now on.
    async fn address(&self) -> Result<Address, ToolError> {
        let mut known = self.inner.address.lock().await;
        if let Some(address) = known.as_ref() {
            return Ok(address.clone());
        }
        let address = serve(Arc::clone(&self.inner.board), self.inner.over.clone()).await?;
        *known = Some(address.clone());
        Ok(address)
    }
}

impl Canvas {
    fn uri(&self) -> String {
        format!("{SCHEME}{}", self.id)
    }

    /// Stands for the content: another one has another.
    fn hash(&self) -> String {
        format!("{}-{}", self.id, self.page)
    }

    fn facts(&self, address: &Address) -> CanvasFacts {
        CanvasFacts {
            id: self.id.clone(),
            name: self.shown.name.clone(),
            title: self.shown.title.clone(),
            version: self.version,
            bytes: self.shown.fragment.html().len(),
            hidden: self.hidden,
            events: self.log.last(),
            outline: self.shown.fragment.outline().to_owned(),
            url: address.page(&self.id),
            resource_uri: self.uri(),
            is_open: !self.shown.origins.is_empty(),
        }
    }

    fn html(&self, granted: &Origins) -> String {
        let state = json!({
            "id": self.id,
            "hash": self.hash(),
            "data": self.shown.data,
            "line": lines_before(),
            "version": env!("CARGO_PKG_VERSION"),
        });
        let page = Page {
            title: &self.shown.title,
            origins: &self.shown.origins.with(granted),
            state: &state,
            body: self.shown.fragment.html(),
        };
        page.html()
    }

    fn document(&self, granted: &Origins) -> Document {
        Document {
            uri: self.uri(),
            title: self.shown.title.clone(),
            mime_type: APP_MIME_TYPE,
            text: self.html(granted),
            csp: Domains::of(&self.shown.origins.with(granted)),
            state: json!({
                "canvasId": self.id,
                "title": self.shown.title,
                "hash": self.hash(),
                "version": self.version,
                "html": self.shown.fragment.html(),
                "data": self.shown.data,
            }),
        }
    }
}

/// A canvas that is pictured.
pub(crate) struct Subject {
    /// Of the server.
    pub(crate) host: String,
    /// The content by itself, without a page around it.
    pub(crate) url: String,
    /// The hosts that it may use.
    pub(crate) reached: Vec<String>,
    pub(crate) facts: CanvasFacts,
    /// Width and height, where they are set.
    pub(crate) size: (Option<u32>, Option<u32>),
}

/// The content of a canvas as its page has it.
pub(crate) struct Content {
    pub(crate) html: String,
    pub(crate) policy: String,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Works on the canvas of this id, or of this name.
    fn with<T>(&self, key: &str, work: impl FnOnce(&mut Canvas) -> T) -> Result<T, ToolError> {
        let mut state = self.lock();
        let by_id = state.canvases.iter().position(|canvas| canvas.id == key);
        let by_name = || {
            state
                .canvases
                .iter()
                .position(|canvas| canvas.shown.name.as_deref() == Some(key))
        };
        let place = by_id.or_else(by_name);
        match place.and_then(|place| state.canvases.get_mut(place)) {
            Some(canvas) => Ok(work(canvas)),
            None => {
                let known: Vec<&str> = state
                    .canvases
                    .iter()
                    .map(|canvas| canvas.id.as_str())
                    .collect();
                let next = if known.is_empty() {
                    "Nothing is shown.".to_owned()
                } else {
                    format!("Available: `{}`.", known.join("`, `"))
                };
                let shown: String = key.chars().take(80).collect();
                let message = format!(
                    "{}: there is no canvas `{}`. {next}",
                    parameter("canvas_id"),
                    shown.escape_debug()
                );
                Err(ToolError::new(ErrorCode::NotFound, message).with("canvases", known))
            }
        }
    }

    /// All canvases as the pages around them take them.
    pub(crate) fn overview(&self, address: &Address) -> Value {
        let state = self.lock();
        let canvases = state.canvases.iter().map(|canvas| {
            json!({
                "id": canvas.id,
                "title": canvas.shown.title,
                "version": canvas.version,
                "page": canvas.page,
                "hidden": canvas.hidden,
                "width": canvas.shown.width,
                "height": canvas.shown.height,
                "relay": address.relay(&canvas.token),
            })
        });
        json!({ "canvases": canvases.collect::<Vec<_>>() })
    }

    /// The data of a canvas as they are now.
    pub(crate) fn state(&self, id: &str) -> Option<Value> {
        let state = self.lock();
        let canvas = state.canvases.iter().find(|canvas| canvas.id == id)?;
        Some(json!({
            "id": canvas.id,
            "title": canvas.shown.title,
            "version": canvas.version,
            "page": canvas.page,
            "data": canvas.shown.data,
        }))
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.lock().canvases.iter().any(|canvas| canvas.id == id)
    }

    /// The content that this token opens.
    pub(crate) fn content(&self, token: &str) -> Option<Content> {
        let state = self.lock();
        let mut canvases = state.canvases.iter();
        let canvas = canvases.find(|canvas| crate::token::is_same(&canvas.token, token))?;
        Some(Content {
            html: canvas.html(&self.granted),
            policy: canvas.shown.origins.with(&self.granted).policy(),
        })
    }

    /// Keeps an event; nothing where there is no such canvas.
    pub(crate) fn report(&self, id: &str, kind: &str, data: Value) -> Option<Result<(), Dropped>> {
        let mut state = self.lock();
        let canvas = state.canvases.iter_mut().find(|canvas| canvas.id == id)?;
        Some(canvas.log.push(kind, data, Instant::now()))
    }
}
