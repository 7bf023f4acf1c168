//! Drives a browser: pages as text with references, and actions on what was shown.

mod actions;
mod gate;
mod output;
mod params;

use std::sync::Arc;

use tenon_browser::{Browsers, Session, SessionOptions};
use tenon_contract::{
    Access, ErrorCode, HostClaim, Operation, TimeLimit, Tool, ToolContext, ToolError,
};
use tenon_web::{Guard as AddressGuard, WebUrl};
use tenon_workspace::Located;

use crate::session::FileSession;
use gate::Gate;
pub use gate::PageWrites;
pub use output::{BrowserOutput, BrowserResult, SavedFile, ShownPicture};
pub use params::{
    BrowserAction, BrowserField, BrowserParams, BrowserView, MouseButton, PictureFormat,
};

/// The browser operation.
pub struct Browser {
    seat: Option<Seat>,
    files: FileSession,
}

/// A session in the browser that a toolkit has.
pub struct Seat {
    browsers: Browsers,
    options: SessionOptions,
    gate: Arc<Gate>,
    session: std::sync::Mutex<Option<Arc<Session>>>,
    /// One call at a time: what a page opens belongs to the call that led there.
    turn: tokio::sync::Mutex<()>,
}

/// How a seat is used.
#[derive(Debug, Clone, Default)]
pub struct SeatOptions {
    /// Whether expressions may be evaluated in pages.
    pub evaluate: bool,
    /// Whether cookies and storage are those of the profile.
    pub keeps_state: bool,
    /// What holds for data that pages send.
    pub writes: PageWrites,
    /// Which addresses may be opened.
    pub guard: AddressGuard,
}

impl Seat {
    /// A session of its own in this browser, begun when it is first needed.
    #[must_use]
    pub fn new(browsers: Browsers, options: SeatOptions) -> Self {
        Self {
            browsers,
            options: SessionOptions {
                proxy: None,
                keeps_state: options.keeps_state,
                evaluate: options.evaluate,
                judges_writes: options.writes != PageWrites::Allow,
                view: None,
            },
            gate: Arc::new(Gate::new(options.guard, options.writes)),
            session: std::sync::Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    fn known(&self) -> Option<Arc<Session>> {
        let session = self.session.lock();
        session
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }

    /// The session; where pages are opened, a new one if the last is over.
    async fn session(&self, opens: bool, context: &ToolContext) -> Result<Arc<Session>, ToolError> {
        match self.known() {
            Some(known) if !opens || known.is_open() => return Ok(known),
            None if !opens => {
                let message = "No page is open. Open one with the action `open`.";
                return Err(ToolError::new(ErrorCode::NotFound, message).with("browser", "no_tab"));
            }
            _ => {}
        }
        let guard = Arc::new(gate::SharedGate(Arc::clone(&self.gate)));
        let made = self
            .browsers
            .session(self.options.clone(), guard, context.cancellation())
            .await?;
        let made = Arc::new(made);
        *self
            .session
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Browser {
    /// Over this seat, with files of this session. Without a seat every call says what is missing.
    #[must_use]
    pub const fn new(seat: Option<Seat>, files: FileSession) -> Self {
        Self { seat, files }
    }

    fn seat(&self) -> Result<&Seat, ToolError> {
        self.seat.as_ref().ok_or_else(|| {
            let message = "There is no browser here: the host has not turned it on.";
            ToolError::new(ErrorCode::Unavailable, message)
        })
    }

    /// The hosts that a call has to do with: that of its address, else those of the pages that it works on.
    fn hosts(&self, params: &BrowserParams) -> Result<Vec<HostClaim>, ToolError> {
        use BrowserAction::{Navigate, Open, Tabs};
        let seat = self.seat()?;
        if matches!(params.action, Open | Navigate) {
            let url = params.wanted(params.url.as_ref(), "url")?;
            tenon_browser::is_opened(url)?;
            if url.trim() == "about:blank" {
                return Ok(Vec::new());
            }
            let url = WebUrl::parse(url.trim()).map_err(tenon_web::WebError::from)?;
            seat.gate.check(&url)?;
            return Ok(vec![url.claim()]);
        }
        let Some(session) = seat.known() else {
            return Ok(Vec::new());
        };
        let addresses = match params.action {
            Tabs => session.addresses(),
            _ => {
                let reference = params.reference.as_deref().or(params.scope.as_deref());
                let first = params.fields.iter().flatten().next();
                let reference = reference.or(first.map(|field| field.reference.as_str()));
                let found = session.address_of(params.tab.as_deref(), reference);
                found.into_iter().collect()
            }
        };
        let mut hosts: Vec<HostClaim> = Vec::new();
        for address in addresses {
            let Ok(url) = WebUrl::parse(&address) else {
                continue;
            };
            let claim = url.claim();
            if !hosts.iter().any(|known| known.host == claim.host) {
                hosts.push(claim);
            }
        }
        Ok(hosts)
    }
}

/// A call with its files located.
pub struct BrowserPlan {
    params: BrowserParams,
    hosts: Vec<HostClaim>,
    /// Files that are uploaded.
    uploads: Vec<Located>,
    /// The file that is written.
    target: Option<Located>,
}

impl Tool for Browser {
    const OPERATION: Operation = Operation::Browser;
    // Each action has its own limit, which stands still while a user is asked.
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = BrowserParams;
    type Plan = BrowserPlan;
    type Output = BrowserOutput;

    fn plan(&self, params: BrowserParams) -> Result<(Access, BrowserPlan), ToolError> {
        let hosts = self.hosts(&params)?;
        let workspace = &self.files.workspace;
        let uploads = match params.action {
            BrowserAction::Upload => {
                let paths = params.wanted(params.paths.as_ref(), "paths")?;
                let located = paths.iter().map(|path| workspace.locate_existing(path));
                located.collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        let target = match (params.action, &params.path) {
            (BrowserAction::Download | BrowserAction::Screenshot, Some(path)) => {
                Some(workspace.locate(path)?)
            }
            (BrowserAction::Download, None) => {
                return Err(params.lacks("path"));
            }
            _ => None,
        };
        if params.action == BrowserAction::Screenshot {
            actions::picture_format(&params)?;
        }
        let access = Access {
            reads: uploads.iter().map(|file| file.claim().clone()).collect(),
            writes: target.iter().map(|file| file.claim().clone()).collect(),
            hosts: hosts.clone(),
            ..Access::default()
        };
        let plan = BrowserPlan {
            params,
            hosts,
            uploads,
            target,
        };
        Ok((access, plan))
    }

    async fn run(
        &self,
        plan: BrowserPlan,
        context: ToolContext,
    ) -> Result<BrowserOutput, ToolError> {
        let seat = self.seat()?;
        let turn = tokio::select! {
            biased;
            () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
            turn = seat.turn.lock() => turn,
        };
        let _used = seat.browsers.using();
        let _call = seat
            .gate
            .begin(context.redirect_policy().cloned(), &plan.hosts);
        seat.gate.survey().await;
        let opens = matches!(
            plan.params.action,
            BrowserAction::Open | BrowserAction::Navigate
        );
        let session = Box::pin(seat.session(opens, &context)).await?;
        // What actions hold meanwhile is too much for the stack of a thread.
        let done = Box::pin(actions::run(&session, &plan, &self.files, &context)).await;
        drop(turn);
        done
    }
}
