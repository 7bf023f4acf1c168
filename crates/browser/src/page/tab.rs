//! What is known of a tab, from what the browser says.

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::error::{LOGIN, SILENT, UNANSWERED};
use crate::page::log::{Blocked, Offered};
use crate::page::log::{ConsoleEntry, NetworkEntry};
use crate::protocol::connection::Connection;
use crate::protocol::message::text;
use crate::snapshot::raw::Reported;
use crate::{BrowserError, DialogInfo, FileChooser};

/// One tab. The browser's events change its state, actions read it and wait for its changes.
pub(crate) struct Tab {
    /// Its name for the caller, such as `t1`.
    pub(crate) name: String,
    /// Its number for the browser, which is that of its main frame, too.
    pub(crate) target: String,
    /// Its session of the protocol.
    pub(crate) session: String,
    pub(crate) connection: Connection,
    state: Mutex<TabState>,
    changed: watch::Sender<u64>,
}

/// The script of a frame's isolated world.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) loader: String,
    pub(crate) session: String,
    pub(crate) object: String,
    pub(crate) context: u64,
    /// What its script sent for the last look.
    pub(crate) reported: Option<Arc<Reported>>,
}

/// What the caller has seen of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) loader: String,
    pub(crate) elements: HashSet<u64>,
    pub(crate) lines: HashSet<u64>,
    /// What stands for lines that were there and that nobody has looked at.
    pub(crate) left: HashSet<u64>,
    /// What stands for all lines, in their order.
    pub(crate) order: Vec<u64>,
}

/// What is known of a document that a main frame loaded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    pub(crate) loader: String,
    pub(crate) status: Option<u16>,
    /// Why the proxy has answered in place of the server (RFC 9209).
    pub(crate) proxy_error: Option<String>,
    /// The address that led nowhere, where the browser shows that instead of a page.
    pub(crate) unreachable: Option<String>,
    /// Whether the server asks for a user name and a password (HTTP authentication).
    pub(crate) asks_login: bool,
    pub(crate) is_parsed: bool,
    pub(crate) is_loaded: bool,
}

/// Where the last picture was taken: its corner on the page, and its scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shot {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) scale: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// What a page opened to be given files, and what nothing has answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chooser {
    /// The session of the frame that it belongs to.
    pub(crate) session: String,
    /// The field, as the browser numbers nodes. It may be in no document.
    pub(crate) node: u64,
    pub(crate) takes: FileChooser,
}

/// Documents that wait for a decision.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    count: usize,
    since: Option<Instant>,
    /// How long some waited, until `since`.
    before: Duration,
}

impl Waits {
    pub(crate) const fn is_any(&self) -> bool {
        self.count > 0
    }

    pub(crate) fn begin(&mut self) {
        self.count += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    pub(crate) fn end(&mut self) {
        self.count = self.count.saturating_sub(1);
        if self.count == 0
            && let Some(since) = self.since.take()
        {
            self.before += since.elapsed();
        }
    }

    /// How long some waited up to now.
    fn total(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

#[derive(Default)]
pub(crate) struct TabState {
    pub(crate) is_prepared: bool,
    /// The address of its page, as it was said last.
    pub(crate) url: String,
    pub(crate) is_closed: bool,
    pub(crate) is_crashed: bool,
    /// Why it could not be prepared.
    pub(crate) fault: Option<BrowserError>,
    pub(crate) dialog: Option<DialogInfo>,
    /// Counts dialogs, so that a late dismissal does not hit the next one.
    pub(crate) dialogs: u64,
    /// What `alert` said since the last action.
    pub(crate) alerts: Vec<String>,
    /// Frames that have a session of their own.
    pub(crate) frame_sessions: HashMap<String, String>,
    /// Who is in whom, as it was said last.
    pub(crate) parents: HashMap<String, String>,
    pub(crate) worlds: HashMap<String, World>,
    /// The loader of a document in which there were no frames, and none has come since.
    pub(crate) frameless: Option<String>,
    /// How many frames have come.
    pub(crate) attached: u64,
    /// The documents of the main frame, the last ones.
    pub(crate) documents: VecDeque<Document>,
    /// How many documents were committed in the main frame.
    pub(crate) commits: u64,
    /// How often it went elsewhere within its document.
    pub(crate) moves: u64,
    /// Whether the main frame is loading, or about to.
    pub(crate) is_loading: bool,
    /// The request for its next document, which the server has not answered. The browser passes nothing on to the page meanwhile.
    pub(crate) awaited: Option<String>,
    /// Documents that wait for a decision, and how long some did.
    pub(crate) waits: Waits,
    pub(crate) blocked: Vec<Blocked>,
    pub(crate) offered: Vec<Offered>,
    /// Since the last action.
    pub(crate) chooser: Option<Chooser>,
    pub(crate) console: VecDeque<ConsoleEntry>,
    pub(crate) console_total: usize,
    pub(crate) network: VecDeque<NetworkEntry>,
    pub(crate) network_total: usize,
    pub(crate) seen: Option<Seen>,
    /// Where the mouse button went down and has not come up yet.
    pub(crate) pressed: Option<(f64, f64)>,
    /// Where the last picture of it was taken.
    pub(crate) shot: Option<Shot>,
}

impl TabState {
    /// Remembers what was not opened, within bounds.
    pub(crate) fn block(&mut self, blocked: Blocked) {
        /// Most of them that a tab remembers.
        const KEPT: usize = 20;
        if self.blocked.len() < KEPT && !self.blocked.contains(&blocked) {
            self.blocked.push(blocked);
        }
    }

    /// Why there is no page, where the last one could not be loaded.
    pub(crate) fn load_fault(&self) -> Option<BrowserError> {
        let document = self.documents.back()?;
        let url = document.unreachable.as_deref()?;
        let fault = self.error_of(document);
        Some(BrowserError::not_loaded(
            url,
            fault.unwrap_or("the browser does not say why"),
        ))
    }

    /// The error of the request for a document, which has the number of its loader.
    fn error_of(&self, document: &Document) -> Option<&str> {
        let mut requests = self.network.iter().rev();
        let request = requests.find(|entry| entry.id == document.loader)?;
        request.error.as_deref()
    }

    /// What is to be said of its last document beside what it shows.
    pub(crate) fn remark(&self) -> Option<String> {
        let document = self.documents.back()?;
        match self.error_of(document) {
            Some(fault) => Some(format!("The page broke off while it was loading ({fault})")),
            None => document.asks_login.then(|| LOGIN.to_owned()),
        }
    }

    /// Whether a script waits for an answer of a server that it has asked for since there were so many requests.
    pub(crate) fn is_asking_since(&self, requests: usize) -> bool {
        let fresh = self.network_total.saturating_sub(requests);
        let is_answered = |id: &str| {
            let mut entries = self.network.iter().rev().filter(|entry| entry.id == id);
            entries.any(|entry| entry.status.is_some() || entry.error.is_some())
        };
        let mut fresh = self.network.iter().rev().take(fresh);
        fresh.any(|entry| matches!(&*entry.kind, "fetch" | "xhr") && !is_answered(&entry.id))
    }

    /// The document of this loader, made known if it is not.
    pub(crate) fn document(&mut self, loader: &str) -> Option<&mut Document> {
        const KEPT: usize = 8;
        if !self.documents.iter().any(|known| known.loader == loader) {
            self.documents.push_back(Document {
                loader: loader.to_owned(),
                ..Document::default()
            });
            if self.documents.len() > KEPT {
                self.documents.pop_front();
            }
        }
        self.documents
            .iter_mut()
            .find(|known| known.loader == loader)
    }
}

impl Tab {
    pub(crate) fn new(
        name: String,
        target: String,
        session: String,
        connection: Connection,
    ) -> Self {
        Self {
            name,
            target,
            session,
            connection,
            state: Mutex::default(),
            changed: watch::Sender::new(0),
        }
    }

    /// What stands for a worker, which no one sees.
    pub(crate) fn of_worker(
        target: &str,
        session: &str,
        connection: Connection,
        url: &str,
    ) -> Self {
        let tab = Self::new(
            String::new(),
            target.to_owned(),
            session.to_owned(),
            connection,
        );
        tab.state().url = url.to_owned();
        tab
    }

    pub(crate) const fn is_worker(&self) -> bool {
        self.name.is_empty()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, TabState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes who waits for that.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut TabState) -> T) -> T {
        let result = change(&mut self.state());
        self.changed.send_modify(|count| *count += 1);
        result
    }

    /// Waits until the state says so.
    pub(crate) async fn until<T>(&self, mut said: impl FnMut(&TabState) -> Option<T>) -> T {
        let mut changes = self.changed.subscribe();
        loop {
            if let Some(found) = said(&self.state()) {
                return found;
            }
            // The sender lives as long as this tab.
            let _ = changes.changed().await;
        }
    }

    /// Why nothing can be done in it now.
    pub(crate) fn obstacle(&self) -> Option<BrowserError> {
        Self::obstacle_in(&self.state(), &self.name)
    }

    /// Fails where the last page could not be loaded: what the browser shows instead says nothing.
    pub(crate) fn has_page(&self) -> Result<(), BrowserError> {
        self.state().load_fault().map_or(Ok(()), Err)
    }

    fn obstacle_in(state: &TabState, name: &str) -> Option<BrowserError> {
        if state.is_crashed {
            return Some(BrowserError::Crashed {
                what: format!("The page in `{name}`"),
                cause: String::new(),
            });
        }
        if state.is_closed {
            return Some(BrowserError::NoTab(format!(
                "The tab `{name}` was closed. Open the page again, or use another tab of `tabs`."
            )));
        }
        state.dialog.clone().map(BrowserError::DialogOpen)
    }

    /// Lets a tab whose page has crashed be used again: the browser makes another process for what is loaded next.
    pub(crate) fn revive(&self) {
        self.update(|state| {
            if std::mem::take(&mut state.is_crashed) {
                state.worlds.clear();
                state.frame_sessions.clear();
                state.frameless = None;
                state.seen = None;
                state.dialog = None;
                state.is_loading = false;
            }
        });
    }

    /// Does something as long as the page can take part in it: until it asks a question, crashes or is closed.
    pub(crate) async fn unless_broken<T>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        tokio::select! {
            biased;
            obstacle = self.until(|state| Self::obstacle_in(state, &self.name)) => Err(obstacle),
            done = work => done,
        }
    }

    /// A command to one of its sessions.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        session: &str,
        method: &str,
        params: Value,
    ) -> Result<R, BrowserError> {
        let limit = tenon_contract::limits::BROWSER_ACTION_TIMEOUT_MAX;
        let call = self.connection.call(Some(session), method, params, limit);
        self.unless_broken(call).await
    }

    /// Does something within a time limit, for which the time does not count in which a document waits for a decision.
    pub(crate) async fn within<T>(
        &self,
        limit: Duration,
        what: &str,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        /// How often is looked whether a document still waits.
        const STEP: Duration = Duration::from_millis(25);
        let work = Box::pin(work);
        // It sleeps as long as is left: a timer that is due soon would wake a thread for every call.
        let clock = async {
            let began = Instant::now();
            let before = self.state().waits.total();
            loop {
                let (waited, is_waiting) = {
                    let waits = &self.state().waits;
                    (waits.total().saturating_sub(before), waits.is_any())
                };
                let left = limit.saturating_sub(began.elapsed().saturating_sub(waited));
                if left.is_zero() {
                    return;
                }
                tokio::time::sleep(if is_waiting { left.max(STEP) } else { left }).await;
            }
        };
        tokio::select! {
            biased;
            done = work => return done,
            () = clock => {}
        }
        let is_awaited = self.state().awaited.is_some();
        let detail = match is_awaited {
            true => UNANSWERED.to_owned(),
            false if self.is_silent().await => SILENT.to_owned(),
            false => String::new(),
        };
        Err(BrowserError::Timeout {
            what: what.to_owned(),
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            detail,
        })
    }

    /// Whether the page does not even answer the shortest question.
    async fn is_silent(&self) -> bool {
        const PATIENCE: Duration = Duration::from_millis(500);
        let asked = json!({ "expression": "0" });
        let session = Some(self.session.as_str());
        let call = self
            .connection
            .call::<Value>(session, "Runtime.evaluate", asked, PATIENCE);
        matches!(call.await, Err(BrowserError::Timeout { .. }))
    }

    /// Another size of the view.
    pub(crate) async fn resize(&self, (width, height): (u32, u32)) -> Result<(), BrowserError> {
        let view = json!({
            "width": width.clamp(50, 4_000), "height": height.clamp(50, 4_000),
            "deviceScaleFactor": 0, "mobile": false,
        });
        let method = "Emulation.setDeviceMetricsOverride";
        let _: Value = self.call(&self.session, method, view).await?;
        Ok(())
    }

    /// Whether something that is said is about its main frame, which has its number.
    pub(crate) fn is_main(&self, params: &Value, pointer: &str) -> bool {
        text(params, pointer) == self.target
    }
}
