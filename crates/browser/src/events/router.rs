//! Brings what the browser says to whom it concerns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::events::parting::{Departed, UNKNOWN};
use crate::events::shared::Shared;
use crate::events::{interception, target};
use crate::page::tab::Tab;
use crate::protocol::connection::{Connection, Listener};
use crate::protocol::message::{parse, text};

/// Who receives which event.
pub(crate) struct Router {
    /// Whether others have pages in the browser, too.
    is_guest: bool,
    connection: OnceLock<Connection>,
    /// For what waits for something to become known.
    this: Weak<Self>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By the session of the protocol: that of a tab, or of a frame in it.
    targets: HashMap<String, Target>,
    /// By the number of the browser context; the empty one is that of the profile.
    sessions: HashMap<String, Weak<Shared>>,
    gone: Departed,
}

#[derive(Clone)]
struct Target {
    tab: Arc<Tab>,
    owner: Arc<Shared>,
    /// The frame, if it is not the tab itself.
    frame: Option<String>,
}

/// What belongs to others is left alone.
fn leave(connection: &Connection, session: &str) {
    connection.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
    let params = json!({ "sessionId": session });
    connection.send(None, "Target.detachFromTarget", params);
}

impl Router {
    /// For a browser of our own, or one in which others have pages, too.
    pub(crate) fn new(is_guest: bool) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            is_guest,
            connection: OnceLock::new(),
            this: this.clone(),
            state: Mutex::default(),
        })
    }

    /// Says over which connection is spoken. Once.
    pub(crate) fn speak_over(&self, connection: Connection) {
        let _ = self.connection.set(connection);
    }

    pub(crate) fn add_session(&self, context: Option<&str>, session: &Arc<Shared>) {
        let context = context.unwrap_or_default().to_owned();
        self.lock()
            .sessions
            .insert(context, Arc::downgrade(session));
    }

    pub(crate) fn remove_session(&self, context: Option<&str>) {
        self.lock().sessions.remove(context.unwrap_or_default());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn attached(&self, outer: Option<&str>, params: &Value) {
        let Some(connection) = self.connection.get() else {
            return;
        };
        let session = text(params, "/sessionId");
        let known = outer.and_then(|outer| self.lock().targets.get(outer).cloned());
        let is_of_others = || {
            let context = text(params, "/targetInfo/browserContextId");
            !self.lock().sessions.contains_key(context)
        };
        if self.is_guest && known.is_none() && is_of_others() {
            return leave(connection, session);
        }
        match (text(params, "/targetInfo/type"), known) {
            ("page", None) => self.attached_page(connection, params),
            ("iframe", Some(known)) => self.attached_frame(known, params),
            ("worker" | "shared_worker" | "service_worker", known) => {
                self.attached_worker(connection, known, params);
            }
            _ => connection.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({})),
        }
    }

    fn attached_page(&self, connection: &Connection, params: &Value) {
        let session = text(params, "/sessionId");
        let number = text(params, "/targetInfo/targetId");
        let owner = self.owner(text(params, "/targetInfo/browserContextId"));
        let tab = owner
            .as_ref()
            .and_then(|owner| owner.add_tab(number, session));
        let (Some(owner), Some(tab)) = (&owner, tab) else {
            // Nobody's, or one too many.
            // It may share its process with the page that opened it, which would wait with it: so it is let
            // go, but nothing that it asks for is ever answered.
            let all = json!({ "patterns": [{ "urlPattern": "*" }] });
            connection.send(Some(session), "Fetch.enable", all);
            connection.send(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
            connection.send(None, "Target.closeTarget", json!({ "targetId": number }));
            if let Some(owner) = owner {
                owner.refuse_tab(text(params, "/targetInfo/url"));
            }
            return;
        };
        self.add_target(session, &tab, owner, None);
        tokio::spawn(target::prepare_tab(tab, Arc::clone(owner)));
    }

    fn attached_frame(&self, known: Target, params: &Value) {
        let session = text(params, "/sessionId").to_owned();
        let number = text(params, "/targetInfo/targetId").to_owned();
        let parent = text(params, "/targetInfo/parentFrameId").to_owned();
        known.tab.update(|state| {
            state.frame_sessions.insert(number.clone(), session.clone());
            if !parent.is_empty() {
                state.parents.insert(number.clone(), parent);
            }
        });
        let Target { tab, owner, .. } = known;
        self.add_target(&session, &tab, &owner, Some(number));
        tokio::spawn(target::prepare_frame(tab, owner, session));
    }

    fn attached_worker(&self, connection: &Connection, known: Option<Target>, params: &Value) {
        let session = text(params, "/sessionId");
        let context = text(params, "/targetInfo/browserContextId");
        let owner = known.map(|known| known.owner);
        // Nobody's sends nothing: it waits.
        let Some(owner) = owner.or_else(|| self.owner(context)) else {
            return;
        };
        let url = text(params, "/targetInfo/url");
        let number = text(params, "/targetInfo/targetId");
        let tab = Arc::new(Tab::of_worker(number, session, connection.clone(), url));
        self.add_target(session, &tab, &owner, None);
        let kind = text(params, "/targetInfo/type").to_owned();
        tokio::spawn(target::prepare_worker(tab, owner, kind));
    }

    fn add_target(
        &self,
        session: &str,
        tab: &Arc<Tab>,
        owner: &Arc<Shared>,
        frame: Option<String>,
    ) {
        let target = Target {
            tab: Arc::clone(tab),
            owner: Arc::clone(owner),
            frame,
        };
        self.lock().targets.insert(session.to_owned(), target);
    }

    /// The session of a browser context; that of the profile where it has none.
    fn owner(&self, context: &str) -> Option<Arc<Shared>> {
        let state = self.lock();
        let found = state
            .sessions
            .get(context)
            .or_else(|| state.sessions.get(""));
        found.and_then(Weak::upgrade)
    }

    fn detached(&self, params: &Value) {
        let session = text(params, "/sessionId");
        let Some(target) = self.lock().targets.remove(session) else {
            return;
        };
        let Target { tab, owner, frame } = target;
        match frame {
            None if tab.is_worker() => {
                owner.sockets.remove_worker(session);
                let number = vec![tab.target.clone()];
                self.lock().gone.add(number, tab, &owner);
            }
            None => {
                self.lock().gone.add_tab(&tab, &owner);
                tab.update(|state| state.is_closed = true);
                owner.remove_tab(&tab);
            }
            Some(frame) => {
                self.lock()
                    .gone
                    .add(vec![frame.clone()], Arc::clone(&tab), &owner);
                tab.update(|state| {
                    if state
                        .frame_sessions
                        .get(&frame)
                        .is_some_and(|known| known == session)
                    {
                        state.frame_sessions.remove(&frame);
                    }
                });
            }
        }
    }

    /// The browser holds something that may be sent.
    fn paused(&self, params: &Value) {
        let Some(connection) = self.connection.get() else {
            return;
        };
        let sends = params.pointer("/request/hasPostData") == Some(&Value::Bool(true))
            || !matches!(text(params, "/request/method"), "GET" | "HEAD" | "OPTIONS");
        let is_passed = || {
            self.open_sessions()
                .iter()
                .any(|owner| owner.passes.take(params))
        };
        if !sends || is_passed() {
            return interception::go_on(connection, None, params);
        }
        let (router, connection) = (self.this.clone(), connection.clone());
        let params = params.clone();
        tokio::spawn(async move {
            let until = Instant::now() + UNKNOWN;
            let found = loop {
                let Some(router) = router.upgrade() else {
                    return;
                };
                let found = router.sender(text(&params, "/frameId"));
                drop(router);
                if found.is_some() || Instant::now() > until {
                    break found;
                }
                tokio::time::sleep(UNKNOWN / 20).await;
            };
            match found {
                Some((tab, owner)) if owner.options.judges_writes => {
                    interception::paused(&tab, &owner, None, &params);
                }
                Some(_) => interception::go_on(&connection, None, &params),
                None => {
                    let number = text(&params, "/requestId");
                    let refusal = json!({ "requestId": number, "errorReason": "BlockedByClient" });
                    connection.send(None, "Fetch.failRequest", refusal);
                }
            }
        });
    }

    /// The tab, or the worker, that asks for something in this frame, or did before it went.
    fn sender(&self, frame: &str) -> Option<(Arc<Tab>, Arc<Shared>)> {
        let state = self.lock();
        let is_in = |target: &&Target| {
            let tab = target.tab.state();
            target.tab.target == frame
                || tab.parents.contains_key(frame)
                || tab.frame_sessions.contains_key(frame)
        };
        let found = state.targets.values().find(is_in);
        let found = found.map(|target| (Arc::clone(&target.tab), Arc::clone(&target.owner)));
        found.or_else(|| state.gone.find(frame))
    }

    fn open_sessions(&self) -> Vec<Arc<Shared>> {
        let state = self.lock();
        state.sessions.values().filter_map(Weak::upgrade).collect()
    }

    /// What a download says goes to the session in which its frame is.
    fn download(&self, method: &str, params: &Value) {
        for session in self.open_sessions() {
            session.download(method, params);
        }
    }

    fn crashed(&self, params: &Value) {
        let number = text(params, "/targetId");
        let tabs: Vec<Arc<Tab>> = self
            .lock()
            .targets
            .values()
            .filter(|target| target.frame.is_none() && target.tab.target == number)
            .map(|target| Arc::clone(&target.tab))
            .collect();
        for tab in tabs {
            tab.update(|state| state.is_crashed = true);
        }
    }
}

impl Listener for Router {
    fn event(&self, session: Option<&str>, method: &str, params: &RawValue) {
        if !target::is_handled(method) {
            return;
        }
        let Ok(params) = parse::<Value>(params.get()) else {
            return;
        };
        match method {
            "Target.attachedToTarget" => self.attached(session, &params),
            "Target.detachedFromTarget" => self.detached(&params),
            "Target.targetCrashed" => self.crashed(&params),
            "Fetch.requestPaused" if session.is_none() => self.paused(&params),
            "Browser.downloadWillBegin" | "Browser.downloadProgress" => {
                self.download(method, &params);
            }
            _ => {
                let target = session.and_then(|session| self.lock().targets.get(session).cloned());
                if let (Some(session), Some(target)) = (session, target) {
                    target::handle(&target.tab, &target.owner, session, method, &params);
                }
            }
        }
    }
}
