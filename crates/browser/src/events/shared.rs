//! What the events of the browser and the actions of a session share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tenon_contract::limits;
use tokio::time::Instant;

use crate::events::parting::Passes;
use crate::events::sockets::Sockets;
use crate::events::transfers::{Current, Transfers};
use crate::guard::Guard;
use crate::page::log::{Blocked, Offered};
use crate::page::tab::Tab;
use crate::protocol::connection::Connection;
use crate::protocol::message::text;
use crate::snapshot::refs::Refs;
use crate::{BrowserError, ProxyAddress, SessionOptions};

/// What the events of the browser and the actions share.
pub(crate) struct Shared {
    pub(crate) connection: Connection,
    /// Nothing for that of the profile.
    pub(crate) context: Option<String>,
    pub(crate) guard: Arc<dyn Guard>,
    pub(crate) options: SessionOptions,
    proxy: ProxyAddress,
    /// Whether its connections go through that.
    pub(crate) is_proxied: bool,
    tabs: Mutex<Tabs>,
    refs: Mutex<Refs>,
    pub(crate) transfers: Transfers,
    pub(crate) sockets: Sockets,
    pub(crate) passes: Passes,
    used: Mutex<Instant>,
}

#[derive(Default)]
struct Tabs {
    open: Vec<Arc<Tab>>,
    active: Option<String>,
    /// The one that the last action was done in.
    acted: Option<String>,
    last: u32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(
        connection: Connection,
        context: Option<String>,
        guard: Arc<dyn Guard>,
        options: SessionOptions,
        proxy: ProxyAddress,
    ) -> Self {
        Self {
            connection,
            context,
            guard,
            options,
            proxy,
            is_proxied: true,
            tabs: Mutex::default(),
            refs: Mutex::default(),
            transfers: Transfers::default(),
            sockets: Sockets::default(),
            passes: Passes::default(),
            used: Mutex::new(Instant::now()),
        }
    }

    pub(crate) const fn behind_proxy(mut self, is_proxied: bool) -> Self {
        self.is_proxied = is_proxied;
        self
    }

    pub(crate) fn proxy_credentials(&self) -> Option<&(String, String)> {
        let credentials = self.proxy.credentials.as_ref();
        credentials.filter(|_| self.is_proxied)
    }

    pub(crate) fn refs(&self) -> MutexGuard<'_, Refs> {
        lock(&self.refs)
    }

    /// A tab that the browser made. Nothing where there are enough.
    pub(crate) fn add_tab(&self, target: &str, session: &str) -> Option<Arc<Tab>> {
        let mut tabs = lock(&self.tabs);
        if tabs.open.len() >= limits::BROWSER_TABS_MAX {
            return None;
        }
        tabs.last += 1;
        let name = format!("t{}", tabs.last);
        let tab = Arc::new(Tab::new(
            name,
            target.to_owned(),
            session.to_owned(),
            self.connection.clone(),
        ));
        tabs.open.push(Arc::clone(&tab));
        Some(tab)
    }

    /// Says in the tab that something is done in that a new one is one too many.
    pub(crate) fn refuse_tab(&self, url: &str) {
        let tabs = lock(&self.tabs);
        let wanted = tabs.acted.as_ref().or(tabs.active.as_ref());
        let Some(tab) = tabs.open.iter().find(|open| Some(&open.name) == wanted) else {
            return;
        };
        let url = match url {
            "" | "about:blank" => "a new tab".to_owned(),
            url => url.chars().take(2_000).collect(),
        };
        let reason = format!(
            "{} tabs are open, which is the most; close one with the action `close`",
            limits::BROWSER_TABS_MAX
        );
        let rule = None;
        tab.update(|state| state.block(Blocked { url, reason, rule }));
    }

    pub(crate) fn remove_tab(&self, tab: &Tab) {
        let mut tabs = lock(&self.tabs);
        tabs.open.retain(|open| open.name != tab.name);
        if tabs.active.as_ref() == Some(&tab.name) {
            tabs.active = tabs.open.last().map(|open| open.name.clone());
        }
    }

    /// This tab, or the active one.
    pub(crate) fn tab(&self, name: Option<&str>) -> Result<Arc<Tab>, BrowserError> {
        if let Some(reason) = self.connection.close_reason() {
            return Err(reason);
        }
        let tabs = lock(&self.tabs);
        let wanted = name.or(tabs.active.as_deref());
        let found = match wanted {
            Some(wanted) => tabs.open.iter().find(|tab| tab.name == wanted),
            None => tabs.open.last(),
        };
        found.cloned().ok_or_else(|| {
            let open: Vec<&str> = tabs.open.iter().map(|tab| tab.name.as_str()).collect();
            BrowserError::NoTab(match (name, open.as_slice()) {
                (_, []) => "No page is open. Open one with the action `open`.".to_owned(),
                (Some(name), open) => format!(
                    "There is no tab `{}`. Open are: {}.",
                    name.chars().take(40).collect::<String>(),
                    open.join(", ")
                ),
                (None, open) => format!("No tab is active. Open are: {}.", open.join(", ")),
            })
        })
    }

    pub(crate) fn tabs(&self) -> Vec<Arc<Tab>> {
        lock(&self.tabs).open.clone()
    }

    /// The tab in whose results it is said what was refused to this one. A worker has none of its own; a new tab has shown
    /// nothing yet, and is gone if it may not, so that is said where it was opened.
    pub(crate) fn reporting(&self, tab: &Arc<Tab>) -> Arc<Tab> {
        let tabs = lock(&self.tabs);
        let wanted = match tab.is_worker() {
            true => tabs.active.as_ref(),
            false if tab.state().commits == 0 => tabs.acted.as_ref(),
            false => return Arc::clone(tab),
        };
        let named = tabs.open.iter().find(|open| Some(&open.name) == wanted);
        let other = tabs.open.last().filter(|_| tab.is_worker());
        Arc::clone(named.or(other).unwrap_or(tab))
    }

    /// Says in which tab something is done now.
    pub(crate) fn act_on(&self, tab: &Tab) {
        lock(&self.tabs).acted = Some(tab.name.clone());
    }

    pub(crate) fn activate(&self, tab: &Tab) {
        lock(&self.tabs).active = Some(tab.name.clone());
    }

    pub(crate) fn active(&self) -> Option<String> {
        lock(&self.tabs).active.clone()
    }

    /// Says that something is done now.
    pub(crate) fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    /// When something was done last.
    pub(crate) fn used(&self) -> Instant {
        *lock(&self.used)
    }

    pub(crate) async fn call(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        let limit = limits::BROWSER_COMMAND_TIMEOUT;
        self.connection.call(None, method, params, limit).await
    }
}

impl Shared {
    /// What the browser says of a download.
    pub(crate) fn download(&self, method: &str, params: &Value) {
        let number = text(params, "/guid");
        if method == "Browser.downloadWillBegin" {
            let frame = text(params, "/frameId");
            let owner = self.tabs().into_iter().find(|tab| {
                let state = tab.state();
                tab.target == frame
                    || state.parents.contains_key(frame)
                    || state.frame_sessions.contains_key(frame)
            });
            let Some(tab) = owner else { return };
            let mut state = self.transfers.state();
            let url: String = text(params, "/url").chars().take(2_000).collect();
            let name: String = text(params, "/suggestedFilename")
                .chars()
                .take(255)
                .collect();
            if state.is_wanted && state.current.is_none() {
                state.current = Some(Current {
                    number: number.to_owned(),
                    url,
                    name,
                    received: 0,
                    end: None,
                });
            } else {
                let cancel = json!({ "guid": number });
                self.connection.send(None, "Browser.cancelDownload", cancel);
                tab.update(|state| {
                    if state.offered.len() < 10 {
                        state.offered.push(Offered { url, name });
                    }
                });
            }
        } else {
            let mut state = self.transfers.state();
            let Some(current) = state.current.as_mut().filter(|it| it.number == number) else {
                return;
            };
            let received = params
                .get("receivedBytes")
                .and_then(Value::as_f64)
                .unwrap_or(0.0);
            // Bytes are whole and not negative.
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a count of bytes"
            )]
            {
                current.received = received as u64;
            }
            current.end = match text(params, "/state") {
                "completed" => Some(true),
                "canceled" => Some(false),
                _ => None,
            };
        }
        self.transfers.wake();
    }

    /// A behaviour of downloads, for its browser context.
    pub(crate) fn behave(&self, mut behaviour: Value) -> Value {
        if let (Some(context), Some(behaviour)) = (&self.context, behaviour.as_object_mut()) {
            behaviour.insert("browserContextId".to_owned(), context.as_str().into());
        }
        behaviour
    }

    /// What pages offer is not taken.
    pub(crate) async fn deny_downloads(&self) -> Result<(), BrowserError> {
        let deny = json!({ "behavior": "deny", "eventsEnabled": true });
        let deny = self.behave(deny);
        self.call("Browser.setDownloadBehavior", deny).await?;
        Ok(())
    }
}
