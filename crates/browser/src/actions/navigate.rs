//! Opening pages, and waiting for them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_contract::limits;

use crate::guard::is_opened;
use crate::page::tab::{Tab, TabState};
use crate::protocol::message::text;
use crate::results::Navigated;
use crate::session::Session;
use crate::snapshot::look::LookOptions;
use crate::{BrowserError, CancellationToken};

/// How a page is opened.
#[derive(Debug, Clone, Default)]
pub struct NavigateOptions {
    /// Time limit. Default: 20 s, at most 120 s. What a decision takes does not count.
    pub timeout: Option<Duration>,
    /// What of it is shown.
    pub look: LookOptions,
}

/// Where a way through the history has led.
enum Arrival {
    /// To another document.
    Document,
    /// Elsewhere in the same document.
    Within,
    /// Nowhere: it was refused.
    Blocked,
}

/// How long the browser gets to show that a page could not be loaded.
const SHOWN: Duration = Duration::from_millis(500);
/// How long a page that can be read gets to load the rest.
const REST: Duration = Duration::from_millis(3_000);

impl NavigateOptions {
    fn limit(&self) -> Duration {
        page_limit(self.timeout)
    }
}

/// The time limit of what takes a whole page.
pub(crate) fn page_limit(timeout: Option<Duration>) -> Duration {
    timeout
        .unwrap_or(limits::BROWSER_NAVIGATION_TIMEOUT)
        .min(limits::BROWSER_NAVIGATION_TIMEOUT_MAX)
}

impl Session {
    /// Opens a page in a new tab.
    ///
    /// # Errors
    /// When the address is not opened, cannot be loaded, or the guard denies it.
    pub async fn open(
        &self,
        url: &str,
        options: &NavigateOptions,
        abort: &CancellationToken,
    ) -> Result<Navigated, BrowserError> {
        let address = is_opened(url)?;
        self.run(abort, async {
            let tab = self.new_tab().await?;
            let opened = self.load(&tab, address.as_str(), options).await;
            if matches!(opened, Err(BrowserError::Blocked { .. })) {
                // Nobody needs an empty tab.
                let target = json!({ "targetId": tab.target });
                tab.connection.send(None, "Target.closeTarget", target);
                self.shared.remove_tab(&tab);
            }
            opened
        })
        .await
    }

    /// Opens a page in a tab that is there; in a new one where none is.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn navigate(
        &self,
        url: &str,
        tab: Option<&str>,
        options: &NavigateOptions,
        abort: &CancellationToken,
    ) -> Result<Navigated, BrowserError> {
        let address = is_opened(url)?;
        if tab.is_none() && self.shared.tabs().is_empty() {
            return self.open(url, options, abort).await;
        }
        self.run(abort, async {
            let tab = self.tab(tab)?;
            self.shared.activate(&tab);
            self.load(&tab, address.as_str(), options).await
        })
        .await
    }

    /// Goes back to the page before.
    ///
    /// # Errors
    /// When there is none.
    pub async fn back(
        &self,
        tab: Option<&str>,
        options: &NavigateOptions,
        abort: &CancellationToken,
    ) -> Result<Navigated, BrowserError> {
        self.run(abort, async {
            let tab = self.tab(tab)?;
            let history: Value = tab
                .call(&tab.session, "Page.getNavigationHistory", json!({}))
                .await?;
            let at = history.get("currentIndex").and_then(Value::as_u64);
            let entry = at
                .and_then(|at| usize::try_from(at).ok()?.checked_sub(1))
                .and_then(|before| history.get("entries")?.get(before));
            let entry = entry.ok_or_else(|| {
                BrowserError::Invalid("There is no page before this one in the tab.".to_owned())
            })?;
            is_opened(text(entry, "/url"))?;
            let url = text(entry, "/url").to_owned();
            let number = entry.get("id").cloned().unwrap_or(Value::Null);
            let go = async {
                let entry = json!({ "entryId": number });
                let _: Value = tab
                    .call(&tab.session, "Page.navigateToHistoryEntry", entry)
                    .await?;
                Ok(())
            };
            self.travel(&tab, &url, options, go).await
        })
        .await
    }

    /// Loads the page again.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn reload(
        &self,
        tab: Option<&str>,
        options: &NavigateOptions,
        abort: &CancellationToken,
    ) -> Result<Navigated, BrowserError> {
        self.run(abort, async {
            let tab = self.tab(tab)?;
            let url = self.info(&tab).await.url;
            let go = async {
                let _: Value = tab.call(&tab.session, "Page.reload", json!({})).await?;
                Ok(())
            };
            self.travel(&tab, &url, options, go).await
        })
        .await
    }

    async fn load(
        &self,
        tab: &Arc<Tab>,
        url: &str,
        options: &NavigateOptions,
    ) -> Result<Navigated, BrowserError> {
        if let Some(obstacle @ BrowserError::DialogOpen(_)) = tab.obstacle() {
            return Err(obstacle);
        }
        tab.revive();
        self.forget(tab);
        let go = async {
            let wanted = json!({ "url": url, "transitionType": "typed" });
            let answer: Value = tab.call(&tab.session, "Page.navigate", wanted).await?;
            match text(&answer, "/errorText") {
                "" => Ok(text(&answer, "/loaderId").to_owned()),
                fault => Err(self.refused(tab, url, fault)),
            }
        };
        let limit = options.limit();
        let started = tab.within(limit, "Loading the page", go).await;
        let loader = match started {
            Ok(loader) => loader,
            Err(error) => {
                if matches!(&error, BrowserError::NavigationFailed { fault, .. } if !fault.contains("ABORTED"))
                {
                    // What is done next must not meet the page before.
                    let came = tab.until(|state| state.load_fault().map(drop));
                    let _ = tokio::time::timeout(SHOWN, came).await;
                }
                self.stop(tab);
                return match self.offered(tab, options, &error).await {
                    Some(navigated) => Ok(navigated),
                    None => Err(error),
                };
            }
        };
        let loading = match loader.as_str() {
            // Within the same document.
            "" => false,
            loader => self.loaded(tab, loader, limit).await?,
        };
        self.arrived(tab, options, loading).await
    }

    /// Another way to a page than by its address.
    async fn travel(
        &self,
        tab: &Arc<Tab>,
        url: &str,
        options: &NavigateOptions,
        go: impl Future<Output = Result<(), BrowserError>>,
    ) -> Result<Navigated, BrowserError> {
        tab.revive();
        self.forget(tab);
        let (commits, moves) = {
            let state = tab.state();
            (state.commits, state.moves)
        };
        let limit = options.limit();
        let way = async {
            go.await?;
            let came = async {
                let arrival = |state: &TabState| match state.is_loading {
                    _ if state.commits != commits => Some(Arrival::Document),
                    false if state.moves != moves => Some(Arrival::Within),
                    false if !state.blocked.is_empty() => Some(Arrival::Blocked),
                    _ => None,
                };
                Ok(tab.until(arrival).await)
            };
            tab.unless_broken(came).await
        };
        match tab.within(limit, "Loading the page", way).await? {
            Arrival::Document => {}
            Arrival::Within => {
                self.settle(tab).await?;
                return self.arrived(tab, options, false).await;
            }
            Arrival::Blocked => return Err(self.refused(tab, url, "net::ERR_BLOCKED_BY_CLIENT")),
        }
        let loader = tab
            .state()
            .documents
            .back()
            .map(|document| document.loader.clone());
        let loading = match loader {
            Some(loader) => self.loaded(tab, &loader, limit).await?,
            None => false,
        };
        self.arrived(tab, options, loading).await
    }

    /// Waits until the page is loaded, or can be read and takes its time for the rest. Whether it is still loading.
    async fn loaded(&self, tab: &Tab, loader: &str, limit: Duration) -> Result<bool, BrowserError> {
        let has = |is_wanted: fn(&crate::page::tab::Document) -> bool| {
            let said = move |state: &crate::page::tab::TabState| {
                let is_other = state
                    .documents
                    .back()
                    .is_some_and(|last| last.loader != loader);
                let document = state.documents.iter().find(|known| known.loader == loader);
                (is_other || document.is_some_and(is_wanted)).then_some(())
            };
            async move {
                tab.until(said).await;
                Ok(())
            }
        };
        let parsed = tab.unless_broken(has(|document| document.is_parsed || document.is_loaded));
        match tab.within(limit, "Loading the page", parsed).await {
            // There is something to see, or a question to answer.
            Err(BrowserError::Timeout { .. } | BrowserError::DialogOpen(_)) => return Ok(true),
            parsed => parsed?,
        }
        let all = tab.unless_broken(has(|document| document.is_loaded));
        match tab.within(limit.min(REST), "Loading the rest", all).await {
            Err(BrowserError::Timeout { .. } | BrowserError::DialogOpen(_)) => Ok(true),
            all => all.map(|()| false),
        }
    }

    async fn arrived(
        &self,
        tab: &Arc<Tab>,
        options: &NavigateOptions,
        loading: bool,
    ) -> Result<Navigated, BrowserError> {
        if let Some(error) = Self::of_proxy(tab).or_else(|| tab.state().load_fault()) {
            return Err(error);
        }
        let looked = tab.within(
            options.limit(),
            "The snapshot",
            self.look(tab, &options.look),
        );
        let ((snapshot, page), dialog) = match looked.await {
            Ok(looked) => (looked, None),
            Err(BrowserError::DialogOpen(info)) => (Default::default(), Some(info)),
            // A page that leads on at once.
            Err(BrowserError::Protocol { .. }) => {
                tokio::time::sleep(Duration::from_millis(300)).await;
                (self.look(tab, &options.look).await?, None)
            }
            Err(error) => return Err(error),
        };
        let (http_status, downloads, blocked, remark) = {
            let mut state = tab.state();
            let status = state.documents.back().and_then(|document| document.status);
            let offered = std::mem::take(&mut state.offered);
            let blocked = std::mem::take(&mut state.blocked);
            (status, offered, blocked, state.remark())
        };
        Ok(Navigated {
            tab: self.info_of(tab, &page).await,
            http_status,
            snapshot,
            loading,
            dialog,
            downloads,
            blocked,
            is_file: false,
            remark,
        })
    }

    /// Why the proxy has answered instead of the server. A server that says the same gains nothing by it.
    fn of_proxy(tab: &Tab) -> Option<BrowserError> {
        let state = tab.state();
        let document = state.documents.back()?;
        let url = state.url.clone();
        let fault = match document.proxy_error.as_deref()? {
            "http_request_denied" => {
                return Some(BrowserError::Blocked {
                    url,
                    reason: "its host leads to an address that is not public, or a rule denies it"
                        .to_owned(),
                    rule: None,
                });
            }
            "dns_error" => "its host could not be found; check its spelling",
            _ => "the host cannot be reached",
        };
        Some(BrowserError::NavigationFailed {
            url,
            fault: fault.to_owned(),
        })
    }

    /// Why a page was not loaded: because it was decided so, or because it cannot be.
    fn refused(&self, tab: &Tab, url: &str, fault: &str) -> BrowserError {
        let blocked = tab.state().blocked.pop();
        match blocked.filter(|_| fault.contains("BLOCKED_BY_CLIENT") || fault.contains("ABORTED")) {
            Some(blocked) => BrowserError::Blocked {
                url: blocked.url,
                reason: blocked.reason,
                rule: blocked.rule,
            },
            None => BrowserError::not_loaded(url, fault),
        }
    }

    /// An address that leads to a file leaves the page as it is.
    async fn offered(
        &self,
        tab: &Tab,
        options: &NavigateOptions,
        error: &BrowserError,
    ) -> Option<Navigated> {
        match error {
            BrowserError::NavigationFailed { fault, .. } if fault.contains("ABORTED") => {}
            _ => return None,
        }
        let offered = tab.until(|state| (!state.offered.is_empty()).then_some(()));
        tokio::time::timeout(Duration::from_millis(500), offered)
            .await
            .ok()?;
        let downloads = std::mem::take(&mut tab.state().offered);
        let look = self.look(tab, &options.look);
        let looked = tab.within(options.limit(), "The snapshot", look).await;
        // What was offered is said even where the page cannot be looked at.
        let (snapshot, _) = looked.unwrap_or_default();
        Some(Navigated {
            tab: self.info(tab).await,
            http_status: None,
            snapshot,
            loading: false,
            dialog: None,
            downloads,
            blocked: Vec::new(),
            is_file: true,
            remark: None,
        })
    }

    fn stop(&self, tab: &Tab) {
        tab.connection
            .send(Some(&tab.session), "Page.stopLoading", json!({}));
    }
}
